"""Writer of the records and checkpoints of a run during its computation; see `carom.io.records` for the format."""

from __future__ import annotations

import os
import tempfile
import uuid
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np

from carom.argument_checks import check_not_special_file
from carom.errors import DiskError, ModelError, warn
from carom.io.binary_records import frame, pack
from carom.io.locks import FileLock
from carom.io.records import (
    CHUNK,
    END,
    HEAD,
    VERSION,
    CheckpointContents,
    checkpoint_path,
    new_records_path,
    read_checkpoint,
    read_records,
    records_path,
    replace_checkpoint,
)
from carom.result.impact_records import ImpactRecord
from carom.result.plain_data import plain
from carom.result.result import Result
from carom.solve.node_batches import NodeBatch, ResultMetadata


@contextmanager
def report_write_errors(path: Path, advice: str) -> Iterator[None]:
    """Convert an `OSError` of the block into a `DiskError` with the file and ``advice``."""
    try:
        yield
    except DiskError:
        raise
    except OSError as error:
        disk_error = DiskError(f"cannot write {path}: {error.strerror or error}. {advice}")
        disk_error.errno = error.errno
        raise disk_error from error


def write_all(stream: BinaryIO, content: bytes) -> None:
    """Write ``content`` to an unbuffered stream, which may accept only a part of it per call."""
    remaining = memoryview(content)
    while remaining:
        remaining = remaining[stream.write(remaining) :]


class CheckpointWriter:
    """Writer of the records of one run; implements the protocol `carom.solve.checkpointing.Journal`."""

    def __init__(self, path: str | os.PathLike[str], lock: FileLock):
        self.path = Path(path)
        self.records = records_path(path)
        self.state: dict[str, np.ndarray] | None = None
        self.head: dict[str, Any] = {}
        self.n_nodes = 0
        self._lock = lock
        self._stream: BinaryIO | None = None
        self._has_chunk = False
        self._resumed_length: int | None = None  # Length of the records from which the run is resumed [bytes].
        self._digest: str | None = None
        self._length = 0

    @classmethod
    def create(cls, path: str | os.PathLike[str], system: Any, options: Mapping[str, Any]) -> CheckpointWriter:
        """Return the writer of a new run; existing files stay unchanged until its first chunk is on disk."""
        records = records_path(path)
        target = Path(os.path.realpath(path))
        if not target.parent.is_dir():
            raise DiskError(f"cannot write {path}: folder {target.parent} not found")
        if target.is_dir():
            raise DiskError(f"cannot write {path}: it is a folder; choose the name of a file in it")
        check_not_special_file(path)
        check_not_special_file(records)
        with report_write_errors(records, "Choose another folder, or make this one writable"):
            writer = cls(path, FileLock("simulate", path))
        try:
            previous = read_records(records) if records.exists() else None
            if previous is not None and not previous.has_ended:
                raise ModelError(
                    f"simulate: {path} contains an unfinished run up to t = {previous.t_end:.6g} s; call "
                    f"cm.resume({str(path)!r}) to resume it, or delete {records.name} beside it to restart"
                )
            text, reason = model_text(system)
        except BaseException:
            writer.close_files()
            raise
        entries = {"version": VERSION, "run": uuid.uuid4().hex, "options": plain(dict(options))}
        writer.head = {**entries, "model": text, "reason": reason}
        return writer

    @classmethod
    def reopen(
        cls, path: str | os.PathLike[str], contents: CheckpointContents, lock: FileLock | None = None
    ) -> CheckpointWriter:
        """Return the writer of a resumed run; it keeps the existing records and appends new ones."""
        writer = cls(path, FileLock("resume", path) if lock is None else lock)
        writer.head = {**contents.head, "version": VERSION}
        try:
            checkpoint = read_checkpoint(path, contents)
            with report_write_errors(writer.records, "Make it writable, then call cm.resume again"):
                writer._stream = open(writer.records, "r+b", buffering=0)  # noqa: SIM115  (`__exit__` closes it)
        except BaseException:
            writer.close_files()
            raise
        writer._digest = contents.head["digest"]
        writer._length, writer._resumed_length = contents.length, contents.first
        if checkpoint is not None:
            entries, writer.state = checkpoint
            writer._resumed_length, writer.n_nodes = entries["length"], entries["count"]
        elif contents.n_nodes:
            warn(
                f"resume: the checkpoint {checkpoint_path(path)} is missing or belongs to another run; the run "
                f"restarts from t = 0, and the records up to t = {contents.t_end:.6g} s are kept until then"
            )
        return writer

    def __enter__(self) -> CheckpointWriter:
        return self

    def __exit__(self, *_: object) -> None:
        self.close_files()

    def close_files(self) -> None:
        """Close the records and release the lock."""
        if self._stream is not None:
            self._stream.close()
            self._stream = None
        if not self._has_chunk:
            new_records_path(self.path).unlink(missing_ok=True)
        self._lock.release()

    def begin(self, head: ResultMetadata, settings: dict[str, Any], digest: str) -> None:
        """Store the metadata of the run; raise if a resumed run has another model."""
        if self._digest is not None and digest != self._digest:
            raise ModelError(
                f"resume: the system differs from the system of {self.path}; set system= to the system with which the "
                "run was started"
            )
        result = {key: value for key, value in asdict(_without_sketch(head)).items() if key != "sketch"}
        self.head = {**self.head, "result": result, "settings": plain(settings), "digest": digest}

    def write(
        self,
        batch: NodeBatch | None,
        impacts: Sequence[ImpactRecord],
        open_contacts: Sequence[ImpactRecord],
        status: dict[str, Any],
        state: dict[str, np.ndarray] | None,
    ) -> None:
        """Append a chunk and, if ``state`` is given, replace the checkpoint."""
        entries = {
            "impacts": [asdict(impact) for impact in impacts],
            "still": [asdict(impact) for impact in open_contacts],
            "about": plain(status),
        }
        content = pack(entries, {} if batch is None else vars(batch))
        if self._has_chunk:
            self._append(CHUNK, content)
        else:
            self._append_first(content)
        self.n_nodes += 0 if batch is None else len(batch.t)
        if state is not None:
            with report_write_errors(checkpoint_path(self.path), self._advice()):
                position = {"run": self.head["run"], "length": self._length, "count": self.n_nodes}
                replace_checkpoint(self.path, position, state)

    def close(
        self, batch: NodeBatch | None, open_contacts: Sequence[ImpactRecord], status: dict[str, Any], failed: bool
    ) -> Result:
        """Append the last nodes and the outcome, write the result file unless the run ``failed``, and load it."""
        if batch is not None or not self._has_chunk:
            self.write(batch, (), (), status, None)
        still = [asdict(impact) for impact in open_contacts]
        self._append(END, pack({"still": still, "about": plain(status), "failed": failed}, {}))
        from carom.io.result_file import load
        from carom.io.unfinished_runs import finalise

        if not failed:
            finalise(self.path)
        return load(self.path)

    def _append_first(self, content: bytes) -> None:
        """Append a HEAD and the first chunk of this computation; a new run then replaces the previous records."""
        if self._stream is None:
            temporary = new_records_path(self.path)
            with report_write_errors(self.records, self._advice()):
                self._stream = open(temporary, "w+b", buffering=0)  # noqa: SIM115
            self._append(HEAD, pack(self.head, {}))
            self._append(CHUNK, content)
            with report_write_errors(self.records, self._advice()):
                os.replace(temporary, self.records)
        else:
            self._check_file()
            self._truncate(self._length)  # A killed process may have left an incomplete record.
            self._append(HEAD, pack({**self.head, "from": self._resumed_length}, {}))
            self._append(CHUNK, content)
        self._has_chunk = True

    def _append(self, kind: int, content: bytes) -> None:
        if self._has_chunk:
            self._check_file()
        assert self._stream is not None
        is_complete = False
        with report_write_errors(self.records, self._advice()):
            try:
                write_all(self._stream, frame(kind, content))
                os.fsync(self._stream.fileno())
                is_complete = True
            finally:
                if not is_complete:  # No record may follow an incomplete one.
                    self._truncate(self._length)
        self._length = self._stream.tell()

    def _truncate(self, length: int) -> None:
        assert self._stream is not None
        with report_write_errors(self.records, self._advice()):
            os.ftruncate(self._stream.fileno(), length)
            self._stream.seek(length)

    def _check_file(self) -> None:
        """Restore the records if they were deleted; raise if they were replaced by another file."""
        assert self._stream is not None
        try:
            if os.path.samestat(os.stat(self.records), os.fstat(self._stream.fileno())):
                return
            reason = "it was replaced by another file"
        except FileNotFoundError:
            reason = "it was deleted"
            if self.records.parent.is_dir():
                temporary = new_records_path(self.path)
                with report_write_errors(self.records, "Free disk space, then start the run again"):
                    self._copy_to(temporary)
                    os.replace(temporary, self.records)
                warn(f"simulate: {self.records} was deleted during the run; it has been restored")
                return
        rescued = Path(tempfile.mkdtemp(prefix="carom-")) / self.path.name
        with report_write_errors(self.records, "Start the run again"):
            self._copy_to(records_path(rescued))
        raise DiskError(
            f"cannot write {self.records}: {reason} during the run. The computed part is saved: "
            f"cm.load({str(rescued)!r})"
        )

    def _copy_to(self, path: Path) -> None:
        """Copy the open records to ``path`` and continue to write there."""
        assert self._stream is not None
        copy = open(path, "w+b", buffering=0)  # noqa: SIM115
        try:
            self._stream.seek(0)
            while remaining := self._length - copy.tell():
                write_all(copy, self._stream.read(min(remaining, 1 << 20)))
            os.fsync(copy.fileno())
        except BaseException:
            copy.close()
            raise
        self._stream.close()
        self._stream = copy

    def _advice(self) -> str:
        """Return the advice for a write error."""
        if self._stream is None or not (self._has_chunk or self._resumed_length is not None):
            return "No data is lost: free disk space or choose another folder, then start the run again"
        return f"The computed part is saved: free disk space, then call cm.resume({str(self.path)!r})"


def _without_sketch(head: ResultMetadata) -> ResultMetadata:
    return ResultMetadata(head.name, head.dim, head.bodies, head.elements, head.smooth)


def model_text(system: Any) -> tuple[str | None, str]:
    """Return the text of the model file and ""; or None and the reason why the model cannot be written."""
    from carom.io.model.model_writer import text_of

    try:
        return text_of(system, None), ""
    except ModelError as error:
        return None, str(error)
