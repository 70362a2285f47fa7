"""Writer of the records and checkpoints of a run during its computation; see `carom.io.records` for the format."""

from __future__ import annotations

import os
import shutil
import tempfile
import uuid
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np

from carom.argument_checks import check_not_special_file
from carom.errors import DiskError, ModelError, warn
from carom.io.atomic_write import atomic_write
from carom.io.binary_records import frame, pack
from carom.io.locks import FileLock
from carom.io.records import (
    CHUNK,
    END,
    HEAD,
    VERSION,
    CheckpointContents,
    checkpoint_path,
    pack_chunk,
    read_run,
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


class CheckpointWriter:
    """Writer of the records of one run; implements the protocol `carom.solve.checkpointing.Checkpoint`."""

    def __init__(self, path: str | os.PathLike[str], lock: FileLock):
        self.path = Path(path)
        self.records = records_path(path)
        self.state: dict[str, np.ndarray] | None = None
        self.head: dict[str, Any] = {}
        self.n_nodes = 0
        self._lock = lock
        self._stream: BinaryIO | None = None
        self._has_chunk = False
        self._digest: str | None = None  # Digest of the model of a resumed run.
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
            previous = read_run(path)
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
    def reopen(cls, path: str | os.PathLike[str], contents: CheckpointContents, lock: FileLock) -> CheckpointWriter:
        """Return the writer of a run that is resumed from its checkpoint, or restarted if there is none."""
        writer = cls(path, lock)
        writer.head, writer._digest = {**contents.head, "version": VERSION}, contents.head["digest"]
        if contents.checkpoint is not None:
            entries, writer.state = contents.checkpoint
            writer._length, writer.n_nodes = entries["length"], entries["count"]
            with report_write_errors(writer.records, "Make it writable, then call cm.resume again"):
                writer._open_stream()
        return writer

    def __enter__(self) -> CheckpointWriter:
        return self

    def __exit__(self, *_: object) -> None:
        self.close_files()

    def close_files(self) -> None:
        """Close the records and release the lock."""
        self._close_stream()
        self._lock.release()

    def begin(self, head: ResultMetadata, settings: dict[str, Any], digest: str) -> None:
        """Store the metadata of the run; raise if a resumed run has another model."""
        if self._digest is not None and digest != self._digest:
            raise ModelError(
                f"resume: the system differs from the system of {self.path}; set system= to the system with which the "
                "run was started"
            )
        result = asdict(replace(head, sketch=None))
        del result["sketch"]
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
        self._append(pack_chunk(CHUNK, batch, impacts, open_contacts, status))
        self.n_nodes += 0 if batch is None else len(batch.t)
        if state is not None:
            with report_write_errors(checkpoint_path(self.path), self._advice()):
                position = {"run": self.head["run"], "length": self._length, "count": self.n_nodes}
                replace_checkpoint(self.path, position, state)

    def close(
        self, batch: NodeBatch | None, open_contacts: Sequence[ImpactRecord], status: dict[str, Any], failed: bool
    ) -> Result:
        """Append the last nodes and the outcome, write the result file unless the run ``failed``, and load it."""
        self._append(pack_chunk(END, batch, (), open_contacts, status, failed))
        self._close_stream()
        from carom.io.result_file import load
        from carom.io.unfinished_runs import finalise

        if not failed:
            contents = read_run(self.path)
            assert contents is not None
            finalise(self.path, contents)
        return load(self.path)

    def _append(self, record: bytes) -> None:
        """Append a record; a HEAD precedes the first one of this computation."""
        if not self._has_chunk:
            record = frame(HEAD, pack(self.head, {})) + record
        if self._stream is None:  # The records of a new run replace those of the previous run in one operation.
            with report_write_errors(self.records, self._advice()):
                with atomic_write(self.records, sync=True) as temporary:
                    temporary.write_bytes(record)
                self._open_stream()
        else:
            self._check_file()
            with report_write_errors(self.records, self._advice()):
                self._stream.truncate(self._length)  # A killed process may have left more.
                self._stream.seek(self._length)
                remaining = memoryview(record)
                while remaining:  # An unbuffered stream may accept only a part.
                    remaining = remaining[self._stream.write(remaining) :]
                os.fsync(self._stream.fileno())
        self._length += len(record)
        self._has_chunk = True

    def _open_stream(self) -> None:
        """Open the records for appending."""
        self._close_stream()
        self._stream = open(self.records, "r+b", buffering=0)  # noqa: SIM115  (`__exit__` closes it)

    def _close_stream(self) -> None:
        if self._stream is not None:
            self._stream.close()
            self._stream = None

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
                with report_write_errors(self.records, "Free disk space, then start the run again"):
                    self._copy_to(self.records)
                    self._open_stream()
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
        """Copy the open records to ``path``."""
        assert self._stream is not None
        self._stream.seek(0)
        with atomic_write(path, sync=True) as temporary, open(temporary, "wb") as copy:
            shutil.copyfileobj(self._stream, copy, 1 << 20)

    def _advice(self) -> str:
        """Return the advice for a write error."""
        if self._digest is None and not self._has_chunk:
            return "No data is lost: free disk space or choose another folder, then start the run again"
        return f"The computed part is saved: free disk space, then call cm.resume({str(self.path)!r})"


def model_text(system: Any) -> tuple[str | None, str]:
    """Return the text of the model file and ""; or None and the reason why the model cannot be written."""
    from carom.io.model.model_writer import text_of

    try:
        return text_of(system, None), ""
    except ModelError as error:
        return None, str(error)
