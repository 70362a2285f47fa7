"""Runs that are written while they are computed.

Beside the file that was asked for, run.h5, stand ``run.h5.part``, records that are only ever added to, and
``run.h5.state``, what the run goes on with, exchanged as a whole. Each record has its length and a sum over its bytes,
so that a file that ends anywhere is good up to the last whole record. At the end all becomes the result file run.h5
(see `carom.io.results`), and both are gone.

Records: HEAD (what the result says beside its numbers; options, model and digest of the run; the last one counts),
CHUNK (nodes, contacts that ended; those that have not), END (how the run ended). The state names the length of the
records it belongs to: what follows them is computed again, to the same bits.
"""

from __future__ import annotations

import os
import uuid
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np

from carom.errors import DiskError, ModelError, file_name
from carom.io.damage import ResultFileError, made, mapping, readable
from carom.io.packing import frame, next_frame, pack, unpack
from carom.result.impacts import Impact
from carom.result.info import BodyInfo, ElementInfo
from carom.result.plain import plain
from carom.result.result import Result
from carom.solve.pieces import Head, Piece

HEAD, CHUNK, END, STATE = range(4)
VERSION = 1


KNOWN = {"version": int, "run": str, "options": dict, "model": str | None, "reason": str, "result": dict,
         "settings": dict, "digest": str}  # fmt: skip
"""What a HEAD says, and of which types; of its result and of how far a run is, see below."""
RESULT = {"name": str, "dim": int, "bodies": list | tuple, "elements": list | tuple, "smooth": bool}
TOLD = {"outcome": str, "message": str, "stats": dict}


def piece_of(path: Path, arrays: dict[str, np.ndarray]) -> Piece:
    """The nodes of a chunk."""
    if set(arrays) != set(Piece.names()) or {array.dtype.str for array in arrays.values()} != {"<f8"}:
        raise ResultFileError(f"{path} is damaged: a chunk must have {', '.join(Piece.names())}")
    counts = {array.shape[0] if array.ndim else 0 for array in arrays.values()}
    flat = all(array.ndim == (1 if name == "t" else 2) for name, array in arrays.items())
    if len(counts) != 1 or 0 in counts or not flat:
        raise ResultFileError(f"{path} is damaged: the arrays of a chunk must have as many rows, one a node")
    return Piece(**arrays)


def part_of(path: str | os.PathLike[str]) -> Path:
    """Where the records of an unfinished run are."""
    real = Path(os.path.realpath(file_name("a result, such as 'run.h5',", path)))
    return real.with_name(f"{real.name}.part")


def state_of(path: str | os.PathLike[str]) -> Path:
    """Where an unfinished run has what it goes on with."""
    real = Path(os.path.realpath(path))
    return real.with_name(f"{real.name}.state")


def new_state_of(path: str | os.PathLike[str]) -> Path:
    """Where the next one is written; a run that is killed meanwhile leaves it behind, until it has gone on."""
    place = state_of(path)
    return place.with_name(f".{place.name}")


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


def lock(stream: BinaryIO) -> bool:
    """Make the records this process's own, as long as it lives; False where another one has them."""
    try:
        import fcntl
    except ImportError:  # not on this system
        return True
    try:
        fcntl.flock(stream.fileno(), fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return False
    return True


@dataclass
class Found:
    """What the records of a run say, without its nodes."""

    path: Path
    head: dict[str, Any]
    first: int
    """Where the records after the first HEAD begin."""
    length: int
    """Of the whole records."""
    count: int = 0
    end: float = 0.0
    about: dict[str, Any] = field(default_factory=dict)
    impacts: list[Impact] = field(default_factory=list)
    still: list[Impact] = field(default_factory=list)
    ended: bool = False
    failed: bool = False

    def pieces(self) -> Iterator[Piece]:
        """The nodes, chunk by chunk."""
        with open(self.path, "rb") as stream:
            while stream.tell() < self.length and (record := next_frame(stream)) is not None:
                if record[0] == CHUNK:
                    _, arrays = unpack(record[1])
                    if arrays:
                        yield piece_of(self.path, arrays)

    def result_head(self, sketch: Any = None) -> Head:
        known = mapping("result", self.head["result"], RESULT)
        bodies = tuple(made(BodyInfo, body) for body in known["bodies"])
        elements = tuple(made(ElementInfo, element) for element in known["elements"])
        return Head(known["name"], known["dim"], bodies, elements, known["smooth"], sketch)


def find(part: Path) -> Found | None:
    """What stands in the records at ``part``; None where there is not one whole record."""
    found: Found | None = None
    with readable(part), open(part, "rb") as stream:
        while (record := next_frame(stream)) is not None:
            kind, content = record
            about, arrays = unpack(content)
            if found is None:
                if kind != HEAD:
                    return None
                found = Found(part, about, stream.tell(), stream.tell())
            found.length = stream.tell()
            if kind == HEAD:
                found.head = mapping("head", about, KNOWN)
                found.result_head()
                continue
            found.about = mapping("about", about["about"], TOLD)
            found.still = [made(Impact, impact) for impact in about["still"]]
            if kind == CHUNK:
                found.ended = found.failed = False
                found.impacts += [made(Impact, impact) for impact in about["impacts"]]
                if arrays:
                    piece_of(part, arrays)
                    found.count += len(arrays["t"])
                    found.end = float(arrays["t"][-1])
            else:
                found.ended, found.failed = True, bool(about["failed"])
    return found


def read_state(path: str | os.PathLike[str], found: Found) -> tuple[dict[str, Any], dict[str, np.ndarray]] | None:
    """What the run goes on with, and the records it belongs to; None where there is nothing yet."""
    place = state_of(path)
    if not place.exists():
        return None
    with readable(place), open(place, "rb") as stream:
        record = next_frame(stream)
        if record is None or record[0] != STATE:
            return None
        about, state = unpack(record[1])
        mapping("state", about, {"run": str, "length": int, "count": int})
        mine = about["run"] == found.head["run"] and found.first <= about["length"] <= found.length
        return (about, state) if mine and 0 <= about["count"] <= found.count else None


def exchange_state(path: str | os.PathLike[str], about: dict[str, Any], state: dict[str, np.ndarray]) -> None:
    """Put a state in the place of the last one, as a whole."""
    place = state_of(path)
    new = new_state_of(path)
    try:
        with open(new, "wb") as stream:
            stream.write(frame(STATE, pack(about, state)))
            stream.flush()
            os.fsync(stream.fileno())
        os.replace(new, place)
    finally:
        new.unlink(missing_ok=True)


class Writer:
    """Writes the records of one run; see `carom.solve.streamed.Journal`."""

    def __init__(self, path: str | os.PathLike[str]):
        self.path = Path(path)
        self.part = part_of(path)
        self.state: dict[str, np.ndarray] | None = None
        self.head: dict[str, Any] = {}
        self.count = 0
        self._stream: BinaryIO | None = None
        self._new: Path | None = None  # the records' name before the first chunk is on disk
        self._digest: str | None = None
        self._length = 0

    @classmethod
    def create(cls, path: str | os.PathLike[str], system: Any, options: Mapping[str, Any]) -> Writer:
        """For a new run: nothing that is there is touched before its first chunk is safe on disk."""
        writer = cls(path)
        target = Path(os.path.realpath(path))
        if not target.parent.is_dir():
            raise DiskError(f"cannot write {path}: there is no folder {target.parent}")
        if target.is_dir():
            raise DiskError(f"cannot write {path}: it is a folder; give the name of a file in it")
        if writer.part.exists():
            before = find(writer.part)
            if before is not None and not before.ended:
                raise ModelError(
                    f"simulate: {path} is an unfinished run, up to t = {before.end:.6g} s; cm.resume({str(path)!r}) "
                    f"goes on with it. To begin anew, remove {writer.part.name} beside it"
                )
        text, reason = model_text(system)
        known = {"version": VERSION, "run": uuid.uuid4().hex, "options": plain(dict(options))}
        writer.head = {**known, "model": text, "reason": reason}
        writer._new = target.with_name(f".{uuid.uuid4().hex}.part")
        with writing(writer.part, "Choose another folder, or make this one writable"):
            writer._stream = open(writer._new, "w+b", buffering=0)  # noqa: SIM115  (`__exit__` closes it)
            lock(writer._stream)
        return writer

    @classmethod
    def reopen(cls, path: str | os.PathLike[str], found: Found) -> Writer:
        """For a run that goes on."""
        writer = cls(path)
        writer.head = found.head
        with writing(writer.part, "Make it writable, then cm.resume goes on"):
            writer._stream = open(writer.part, "r+b", buffering=0)  # noqa: SIM115
        if not lock(writer._stream):
            writer._stream.close()
            raise ModelError(f"resume: {path} is being written by another process; wait until that has ended")
        writer._digest = found.head["digest"]
        writer._length = found.first
        known = read_state(path, found)
        if known is not None:
            writer._length, writer.count = known[0]["length"], known[0]["count"]
            writer.state = known[1]
        return writer

    def __enter__(self) -> Writer:
        return self

    def __exit__(self, *_: object) -> None:
        if self._stream is not None:
            self._stream.close()
            self._stream = None
        if self._new is not None:
            self._new.unlink(missing_ok=True)

    def begin(self, head: Head, settings: dict[str, Any], digest: str) -> None:
        if self._digest is not None and digest != self._digest:
            raise ModelError(
                f"resume: the system is not the one of {self.path}; give system= the system the run was started with"
            )
        result = {key: value for key, value in asdict(_plain_head(head)).items() if key != "sketch"}
        self.head = {**self.head, "result": result, "settings": plain(settings), "digest": digest}
        self._cut(self._length)
        self._add(HEAD, pack(self.head, {}))

    def write(
        self,
        piece: Piece | None,
        impacts: Sequence[Impact],
        still: Sequence[Impact],
        about: dict[str, Any],
        state: dict[str, np.ndarray] | None,
    ) -> None:
        told = {"impacts": [asdict(i) for i in impacts], "still": [asdict(i) for i in still], "about": plain(about)}
        self._add(CHUNK, pack(told, {} if piece is None else vars(piece)))
        self.count += 0 if piece is None else len(piece.t)
        if self._new is not None:
            with writing(self.part, self._advice()):
                os.replace(self._new, self.part)
            self._new = None
        if state is not None:
            with writing(state_of(self.path), self._advice()):
                about = {"run": self.head["run"], "length": self._length, "count": self.count}
                exchange_state(self.path, about, state)

    def close(self, piece: Piece | None, still: Sequence[Impact], about: dict[str, Any], failed: bool) -> Result:
        if piece is not None or self._new is not None:
            self.write(piece, (), (), about, None)
        told = {"still": [asdict(i) for i in still], "about": plain(about), "failed": failed}
        self._add(END, pack(told, {}))
        from carom.io.results import load
        from carom.io.streams import finish

        if not failed:
            finish(self.path)
        return load(self.path)

    def _add(self, kind: int, content: bytes) -> None:
        assert self._stream is not None
        whole = False
        with writing(self.part, self._advice()):
            try:
                left = memoryview(frame(kind, content))
                while left:
                    left = left[self._stream.write(left) :]
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

    def _advice(self) -> str:
        if self._new is not None:
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
