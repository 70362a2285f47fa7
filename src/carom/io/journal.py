"""Writing a run while it is computed; see `carom.io.records` for what is written."""

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

from carom.errors import DiskError, ModelError, check_regular, notify
from carom.io.locks import FileLock
from carom.io.packing import frame, pack
from carom.io.records import (
    CHUNK,
    END,
    HEAD,
    VERSION,
    Found,
    exchange_state,
    find,
    new_part_of,
    part_of,
    read_state,
    state_of,
)
from carom.result.impacts import Impact
from carom.result.plain import plain
from carom.result.result import Result
from carom.solve.pieces import Head, Piece


@contextmanager
def writing(path: Path, advice: str) -> Iterator[None]:
    """Say which file could not be written, and what to do about it."""
    try:
        yield
    except DiskError:
        raise
    except OSError as error:
        told = DiskError(f"cannot write {path}: {error.strerror or error}. {advice}")
        told.errno = error.errno
        raise told from error


def write_all(stream: BinaryIO, content: bytes) -> None:
    """Write ``content`` to a stream without a buffer, which may take only a part of it at a time."""
    left = memoryview(content)
    while left:
        left = left[stream.write(left) :]


class Writer:
    """Writes the records of one run; see `carom.solve.streamed.Journal`."""

    def __init__(self, path: str | os.PathLike[str], lock: FileLock):
        self.path = Path(path)
        self.part = part_of(path)
        self.state: dict[str, np.ndarray] | None = None
        self.head: dict[str, Any] = {}
        self.count = 0
        self._lock = lock
        self._stream: BinaryIO | None = None
        self._begun = False
        self._resumed: int | None = None  # length of the records that are resumed
        self._digest: str | None = None
        self._length = 0

    @classmethod
    def create(cls, path: str | os.PathLike[str], system: Any, options: Mapping[str, Any]) -> Writer:
        """For a new run: nothing that is there is touched before its first chunk is safe on disk."""
        part = part_of(path)
        target = Path(os.path.realpath(path))
        if not target.parent.is_dir():
            raise DiskError(f"cannot write {path}: there is no folder {target.parent}")
        if target.is_dir():
            raise DiskError(f"cannot write {path}: it is a folder; give the name of a file in it")
        check_regular(path)
        check_regular(part)
        with writing(part, "Choose another folder, or make this one writable"):
            writer = cls(path, FileLock("simulate", path))
        try:
            before = find(part) if part.exists() else None
            if before is not None and not before.ended:
                raise ModelError(
                    f"simulate: {path} is an unfinished run, up to t = {before.end:.6g} s; cm.resume({str(path)!r}) "
                    f"goes on with it. To begin anew, remove {part.name} beside it"
                )
            text, reason = model_text(system)
        except BaseException:
            writer.close_files()
            raise
        known = {"version": VERSION, "run": uuid.uuid4().hex, "options": plain(dict(options))}
        writer.head = {**known, "model": text, "reason": reason}
        return writer

    @classmethod
    def reopen(cls, path: str | os.PathLike[str], found: Found, lock: FileLock | None = None) -> Writer:
        """For a run that is resumed; its records stay, and what is computed now is added to them."""
        writer = cls(path, FileLock("resume", path) if lock is None else lock)
        writer.head = {**found.head, "version": VERSION}
        try:
            known = read_state(path, found)
            with writing(writer.part, "Make it writable, then cm.resume goes on"):
                writer._stream = open(writer.part, "r+b", buffering=0)  # noqa: SIM115  (`__exit__` closes it)
        except BaseException:
            writer.close_files()
            raise
        writer._digest = found.head["digest"]
        writer._length, writer._resumed = found.length, found.first
        if known is not None:
            writer._resumed, writer.count = known[0]["length"], known[0]["count"]
            writer.state = known[1]
        elif found.count:
            notify(
                f"resume: the checkpoint {state_of(path)} is missing or does not fit; the run restarts from t = 0, and "
                f"the records up to t = {found.end:.6g} s are kept until it has passed them"
            )
        return writer

    def __enter__(self) -> Writer:
        return self

    def __exit__(self, *_: object) -> None:
        self.close_files()

    def close_files(self) -> None:
        """Close the records and give the lock back."""
        if self._stream is not None:
            self._stream.close()
            self._stream = None
        if not self._begun:
            new_part_of(self.path).unlink(missing_ok=True)
        self._lock.release()

    def begin(self, head: Head, settings: dict[str, Any], digest: str) -> None:
        if self._digest is not None and digest != self._digest:
            raise ModelError(
                f"resume: the system is not the one of {self.path}; give system= the system the run was started with"
            )
        result = {key: value for key, value in asdict(_plain_head(head)).items() if key != "sketch"}
        self.head = {**self.head, "result": result, "settings": plain(settings), "digest": digest}

    def write(
        self,
        piece: Piece | None,
        impacts: Sequence[Impact],
        still: Sequence[Impact],
        about: dict[str, Any],
        state: dict[str, np.ndarray] | None,
    ) -> None:
        told = {"impacts": [asdict(i) for i in impacts], "still": [asdict(i) for i in still], "about": plain(about)}
        content = pack(told, {} if piece is None else vars(piece))
        if self._begun:
            self._add(CHUNK, content)
        else:
            self._add_first(content)
        self.count += 0 if piece is None else len(piece.t)
        if state is not None:
            with writing(state_of(self.path), self._advice()):
                about = {"run": self.head["run"], "length": self._length, "count": self.count}
                exchange_state(self.path, about, state)

    def close(self, piece: Piece | None, still: Sequence[Impact], about: dict[str, Any], failed: bool) -> Result:
        if piece is not None or not self._begun:
            self.write(piece, (), (), about, None)
        told = {"still": [asdict(i) for i in still], "about": plain(about), "failed": failed}
        self._add(END, pack(told, {}))
        from carom.io.results import load
        from carom.io.streams import finish

        if not failed:
            finish(self.path)
        return load(self.path)

    def _add_first(self, content: bytes) -> None:
        """Write the first chunk of this computation, after a HEAD; a new run takes its place with it."""
        if self._stream is None:
            new = new_part_of(self.path)
            with writing(self.part, self._advice()):
                self._stream = open(new, "w+b", buffering=0)  # noqa: SIM115
            self._add(HEAD, pack(self.head, {}))
            self._add(CHUNK, content)
            with writing(self.part, self._advice()):
                os.replace(new, self.part)
        else:
            self._require_place()
            self._cut(self._length)  # what a killed process left of a record
            self._add(HEAD, pack({**self.head, "from": self._resumed}, {}))
            self._add(CHUNK, content)
        self._begun = True

    def _add(self, kind: int, content: bytes) -> None:
        if self._begun:
            self._require_place()
        assert self._stream is not None
        whole = False
        with writing(self.part, self._advice()):
            try:
                write_all(self._stream, frame(kind, content))
                os.fsync(self._stream.fileno())
                whole = True
            finally:
                if not whole:  # no record may follow half of one
                    self._cut(self._length)
        self._length = self._stream.tell()

    def _cut(self, length: int) -> None:
        assert self._stream is not None
        with writing(self.part, self._advice()):
            os.ftruncate(self._stream.fileno(), length)
            self._stream.seek(length)

    def _require_place(self) -> None:
        """Put the records back where they were deleted; raise where another file has taken their place."""
        assert self._stream is not None
        try:
            if os.path.samestat(os.stat(self.part), os.fstat(self._stream.fileno())):
                return
            reason = "another file was put in its place"
        except FileNotFoundError:
            reason = "it was deleted"
            if self.part.parent.is_dir():
                new = new_part_of(self.path)
                with writing(self.part, "Make room, and start the run again"):
                    self._move_to(new)
                    os.replace(new, self.part)
                notify(f"simulate: {self.part} was deleted while the run was written; it has been restored")
                return
        rescued = Path(tempfile.mkdtemp(prefix="carom-")) / self.path.name
        with writing(self.part, "Start the run again"):
            self._move_to(part_of(rescued))
        raise DiskError(
            f"cannot write {self.part}: {reason} while the run was computed. What was computed is kept: "
            f"cm.load({str(rescued)!r})"
        )

    def _move_to(self, place: Path) -> None:
        """Copy the records, which are still open, to ``place``, and write there from now on."""
        assert self._stream is not None
        copy = open(place, "w+b", buffering=0)  # noqa: SIM115
        try:
            self._stream.seek(0)
            while left := self._length - copy.tell():
                write_all(copy, self._stream.read(min(left, 1 << 20)))
            os.fsync(copy.fileno())
        except BaseException:
            copy.close()
            raise
        self._stream.close()
        self._stream = copy

    def _advice(self) -> str:
        if self._stream is None or not (self._begun or self._resumed is not None):
            return "Nothing is lost: make room or choose another folder, and start the run again"
        return f"What was computed is kept: make room, then cm.resume({str(self.path)!r}) goes on"


def _plain_head(head: Head) -> Head:
    return Head(head.name, head.dim, head.bodies, head.elements, head.smooth)


def model_text(system: Any) -> tuple[str | None, str]:
    """The model as a text, or None and why it has none."""
    from carom.io.model.writing import text_of

    try:
        return text_of(system, None), ""
    except ModelError as error:
        return None, str(error)
