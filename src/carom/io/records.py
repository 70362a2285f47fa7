"""Records of runs that are written while they are computed.

Beside the file that was asked for, run.h5, stand ``run.h5.part``, records that are only ever added to, and
``run.h5.state``, the checkpoint, exchanged as a whole. Each record has its length and a checksum, so that a file that
ends anywhere is good up to the last whole record. At the end all becomes the result file run.h5 (see
`carom.io.results`), and both are gone.

Records: HEAD (what the result says beside its numbers; options, model and digest of the run; the last one counts),
CHUNK (nodes, contacts that ended; those that have not), END (how the run ended). The checkpoint names the length of the
records it belongs to. A run that is resumed from there leaves the records behind it as they are: it adds a HEAD that
says "from" which length it resumes, and what follows is another branch of the same run. The branch that reaches
furthest counts, so nothing is lost before newer records reach further.
"""

from __future__ import annotations

import math
import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from carom.errors import file_name, regular
from carom.io.damage import ResultFileError, made, mapping, readable
from carom.io.packing import FRAME, frame, next_frame, pack, unpack
from carom.result.impacts import Impact
from carom.result.info import BodyInfo, ElementInfo
from carom.solve.pieces import Head, Piece

HEAD, CHUNK, END, STATE = range(4)
VERSION = 2
"""Of the records; version 1 had no branches."""

KNOWN = {"version": int, "run": str, "options": dict, "model": str | None, "reason": str, "result": dict,
         "settings": dict, "digest": str}  # fmt: skip
"""What a HEAD says, and of which types; of its result and of how far a run is, see below."""
RESULT = {"name": str, "dim": int, "bodies": list | tuple, "elements": list | tuple, "smooth": bool}
TOLD = {"outcome": str, "message": str, "stats": dict}


def part_of(path: str | os.PathLike[str]) -> Path:
    """Where the records of an unfinished run are."""
    real = Path(os.path.realpath(file_name("a result, such as 'run.h5',", path)))
    return real.with_name(f"{real.name}.part")


def new_part_of(path: str | os.PathLike[str]) -> Path:
    """Where the records are written until they hold a chunk; a killed process may leave it to the next one."""
    place = part_of(path)
    return place.with_name(f".{place.name}")


def state_of(path: str | os.PathLike[str]) -> Path:
    """Where an unfinished run has its checkpoint."""
    real = Path(os.path.realpath(path))
    return real.with_name(f"{real.name}.state")


def new_state_of(path: str | os.PathLike[str]) -> Path:
    """Where the next one is written; a killed process may leave it to the next one."""
    place = state_of(path)
    return place.with_name(f".{place.name}")


def piece_of(path: Path, arrays: dict[str, np.ndarray]) -> Piece:
    """The nodes of a chunk."""
    if set(arrays) != set(Piece.names()) or {array.dtype.str for array in arrays.values()} != {"<f8"}:
        raise ResultFileError(f"{path} is damaged: a chunk must have {', '.join(Piece.names())}")
    counts = {array.shape[0] if array.ndim else 0 for array in arrays.values()}
    flat = all(array.ndim == (1 if name == "t" else 2) for name, array in arrays.items())
    if len(counts) != 1 or 0 in counts or not flat:
        raise ResultFileError(f"{path} is damaged: the arrays of a chunk must have as many rows, one a node")
    return Piece(**arrays)


@dataclass(frozen=True)
class Chunk:
    """A chunk in the file, without its nodes."""

    start: int
    stop: int
    """Where its record starts and ends [bytes]."""
    count: int
    end: float
    """Time of its last node [s]; -inf without nodes."""
    impacts: tuple[Impact, ...]
    still: tuple[Impact, ...]
    about: dict[str, Any]


@dataclass
class Branch:
    """The chunks of one uninterrupted computation, with those of the computations that it resumed."""

    start: int
    """Where its own records start [bytes]."""
    chunks: list[Chunk]
    ended: bool = False
    failed: bool = False
    still: tuple[Impact, ...] = ()
    about: dict[str, Any] = field(default_factory=dict)

    @property
    def reach(self) -> float:
        return max((chunk.end for chunk in self.chunks), default=-math.inf)


@dataclass
class Found:
    """What the records of a run say, without its nodes."""

    path: Path
    head: dict[str, Any]
    first: int
    """Where the records after the first HEAD begin."""
    length: int
    """Of the whole records."""
    branches: list[Branch] = field(default_factory=list)
    widths: dict[str, tuple[int, ...]] = field(default_factory=dict)
    """Shapes of the arrays at one node."""

    @property
    def best(self) -> Branch:
        """The branch that reaches furthest, the latest of several."""
        return max(reversed(self.branches), key=lambda branch: branch.reach)

    @property
    def ended(self) -> bool:
        """True when the last computation has ended by itself."""
        return self.branches[-1].ended

    @property
    def failed(self) -> bool:
        return self.branches[-1].failed

    @property
    def complete(self) -> bool:
        """True when the branch that reaches furthest has ended by itself."""
        return self.best.ended and self.best is self.branches[-1]

    @property
    def count(self) -> int:
        return sum(chunk.count for chunk in self.best.chunks)

    @property
    def end(self) -> float:
        return max(self.best.reach, 0.0)

    @property
    def about(self) -> dict[str, Any]:
        return self.best.about

    @property
    def impacts(self) -> list[Impact]:
        return [impact for chunk in self.best.chunks for impact in chunk.impacts]

    @property
    def still(self) -> tuple[Impact, ...]:
        return self.best.still

    def chunks_up_to(self, length: int) -> list[Chunk] | None:
        """Return the chunks of a computation when the file was so long; None where no record ended there."""
        branch = next((one for one in reversed(self.branches) if one.start <= length), None)
        if branch is None or length not in {branch.start, *(chunk.stop for chunk in branch.chunks)}:
            return None
        return [chunk for chunk in branch.chunks if chunk.stop <= length]

    def pieces(self) -> Iterator[Piece]:
        """The nodes, chunk by chunk."""
        with open(self.path, "rb") as stream:
            for chunk in self.best.chunks:
                stream.seek(chunk.start)
                record = next_frame(stream) if chunk.count else None
                if record is not None:
                    yield piece_of(self.path, unpack(record[1])[1])

    def result_head(self, sketch: Any = None) -> Head:
        known = mapping("result", self.head["result"], RESULT)
        bodies = tuple(made(BodyInfo, body) for body in known["bodies"])
        elements = tuple(made(ElementInfo, element) for element in known["elements"])
        return Head(known["name"], known["dim"], bodies, elements, known["smooth"], sketch)


def find(part: Path) -> Found | None:
    """What stands in the records at ``part``; None where there is not one whole record."""
    found: Found | None = None
    with readable(part), open(regular(part), "rb") as stream:
        while (record := next_frame(stream)) is not None:
            kind, content = record
            start = stream.tell() - len(content)
            about, arrays = unpack(content)
            if found is None:
                if kind != HEAD:
                    return None
                found = Found(part, about, stream.tell(), stream.tell(), [Branch(stream.tell(), [])])
            found.length = stream.tell()
            if kind == HEAD:
                _read_head(found, mapping("head", about, KNOWN))
            else:
                _read_chunk(found, kind, mapping("chunk", about), arrays, start)
    return found


def _read_head(found: Found, about: dict[str, Any]) -> None:
    if about["version"] > VERSION:
        raise ResultFileError(f"{found.path} was written by a newer version of carom; use that version")
    resumed = about.pop("from", None)
    found.head = about
    found.result_head()
    if resumed is not None:
        chunks = found.chunks_up_to(resumed) if isinstance(resumed, int) else None
        if chunks is None:
            raise ResultFileError(f"{found.path} is damaged: a resumed run does not begin where a record ended")
        last = chunks[-1] if chunks else None
        found.branches.append(Branch(found.length, chunks, still=last.still if last else (),
                                     about=last.about if last else {}))  # fmt: skip


def _read_chunk(found: Found, kind: int, about: dict[str, Any], arrays: dict[str, np.ndarray], content: int) -> None:
    branch = found.branches[-1]
    branch.about = mapping("about", about["about"], TOLD)
    branch.still = tuple(made(Impact, impact) for impact in about["still"])
    branch.ended, branch.failed = kind == END, kind == END and bool(about["failed"])
    if kind == CHUNK:
        impacts = tuple(made(Impact, impact) for impact in about["impacts"])
        piece = piece_of(found.path, arrays) if arrays else None
        widths = {name: array.shape[1:] for name, array in arrays.items()}
        if piece is not None and widths != (found.widths or widths):
            raise ResultFileError(f"{found.path} is damaged: the nodes of its chunks have different sizes")
        found.widths |= widths
        branch.chunks.append(
            Chunk(content - FRAME.size, found.length, 0 if piece is None else len(piece.t),
                  -math.inf if piece is None else float(piece.t[-1]), impacts, branch.still, branch.about)
        )  # fmt: skip


def read_state(path: str | os.PathLike[str], found: Found) -> tuple[dict[str, Any], dict[str, np.ndarray]] | None:
    """Return the checkpoint and what it says about itself; None where there is none that fits the records."""
    place = state_of(path)
    if not place.exists():
        return None
    with readable(place), open(regular(place), "rb") as stream:
        record = next_frame(stream)
        if record is None or record[0] != STATE:
            return None
        about, state = unpack(record[1])
        mapping("state", about, {"run": str, "length": int, "count": int})
        chunks = found.chunks_up_to(about["length"]) if about["run"] == found.head["run"] else None
        return (about, state) if chunks is not None and count_of(chunks) == about["count"] else None


def count_of(chunks: Sequence[Chunk]) -> int:
    return sum(chunk.count for chunk in chunks)


def exchange_state(path: str | os.PathLike[str], about: dict[str, Any], state: dict[str, np.ndarray]) -> None:
    """Put a checkpoint in the place of the last one, as a whole."""
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
