"""Records of runs that are written to a file during the computation.

Two files beside the requested file run.h5 contain an unfinished run: ``run.h5.part``, to which records are appended,
and ``run.h5.state``, the checkpoint, which is replaced as a whole. Each record has its length and a checksum, so that a
truncated file is valid up to its last complete record. At the end of the run both files are replaced by the result file
run.h5 (see `carom.io.result_file`).

Kinds of records: HEAD (metadata of the result; options, model and digest of the run; the last HEAD is valid), CHUNK
(nodes, finished contacts, open contacts), END (outcome of the run). The checkpoint contains the length of the records
it belongs to. A resumed run does not delete the records after that length: it appends a HEAD whose entry "from" is the
length it resumes from, and the records that follow form another branch of the run. The branch that reaches furthest is
valid, so no data is lost before newer records reach further.

The nodes of an unfinished run are not in HDF5, although it can be read during writing (SWMR mode): a full disk during a
flush leaves a file that cannot be closed and ends the process with a segmentation fault, and h5py cannot open the file
of a killed process for writing again.
"""

from __future__ import annotations

import math
import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from carom.argument_checks import file_path, regular_file
from carom.io.atomic_write import atomic_write, remove_stale
from carom.io.binary_records import FRAME, frame, next_frame, pack, unpack
from carom.io.result_file_checks import ResultFileError, build, mapping, report_damage
from carom.result.column_info import BodyInfo, ElementInfo
from carom.result.impact_records import ImpactRecord
from carom.result.plain_data import plain
from carom.solve.node_batches import NodeBatch, ResultMetadata

HEAD, CHUNK, END, STATE = range(4)
VERSION = 2
"""Format version of the records; version 1 had no branches."""

HEAD_TYPES = {"version": int, "run": str, "options": dict, "model": str | None, "reason": str, "result": dict,
              "settings": dict, "digest": str}  # fmt: skip
"""Entries of a HEAD and their types."""
RESULT_TYPES = {"name": str, "dim": int, "bodies": list | tuple, "elements": list | tuple, "smooth": bool}
"""Entries of the metadata of a result in a HEAD, and their types."""
STATUS_TYPES = {"outcome": str, "message": str, "stats": dict}
"""Entries of the status of a run in a CHUNK or END, and their types."""


def records_path(path: str | os.PathLike[str]) -> Path:
    """Return the path of the records of an unfinished run."""
    real = Path(os.path.realpath(file_path("result file, e.g. 'run.h5',", path)))
    return real.with_name(f"{real.name}.part")


def checkpoint_path(path: str | os.PathLike[str]) -> Path:
    """Return the path of the checkpoint of an unfinished run."""
    real = Path(os.path.realpath(path))
    return real.with_name(f"{real.name}.state")


def pack_chunk(
    batch: NodeBatch | None,
    impacts: Sequence[ImpactRecord],
    open_contacts: Sequence[ImpactRecord],
    status: Mapping[str, Any],
) -> bytes:
    """Return a CHUNK: nodes, contacts that ended, contacts that have not ended, and the status of the run."""
    entries = {
        "impacts": [asdict(impact) for impact in impacts],
        "still": [asdict(impact) for impact in open_contacts],
        "about": plain(status),
    }
    return frame(CHUNK, pack(entries, {} if batch is None else vars(batch)))


def node_batch(path: Path, arrays: dict[str, np.ndarray]) -> NodeBatch:
    """Return the nodes of a chunk; raise if its arrays do not belong together."""
    if set(arrays) != set(NodeBatch.names()) or {array.dtype.str for array in arrays.values()} != {"<f8"}:
        raise ResultFileError(f"{path}: the file is damaged: a chunk must contain {', '.join(NodeBatch.names())}")
    counts = {array.shape[0] if array.ndim else 0 for array in arrays.values()}
    has_rows = all(array.ndim == (1 if name == "t" else 2) for name, array in arrays.items())
    if len(counts) != 1 or 0 in counts or not has_rows:
        raise ResultFileError(f"{path}: the file is damaged: the arrays of a chunk must have one row per node")
    return NodeBatch(**arrays)


@dataclass(frozen=True)
class Chunk:
    """Chunk of a file, without its nodes.

    Parameters
    ----------
    start, stop : offsets of the record in the file [bytes].
    n_nodes : number of nodes.
    t_end : time of the last node [s]; −inf without nodes.
    impacts : contacts that ended in this chunk.
    open_contacts : contacts that have not ended.
    status : outcome, message and statistics.
    """

    start: int
    stop: int
    n_nodes: int
    t_end: float
    impacts: tuple[ImpactRecord, ...]
    open_contacts: tuple[ImpactRecord, ...]
    status: dict[str, Any]


@dataclass
class Branch:
    """Chunks of one uninterrupted computation, including those of the computations that it resumed.

    ``start`` is the offset of its own records [bytes].
    """

    start: int
    chunks: list[Chunk]
    has_ended: bool = False
    has_failed: bool = False
    open_contacts: tuple[ImpactRecord, ...] = ()
    status: dict[str, Any] = field(default_factory=dict)

    @property
    def t_end(self) -> float:
        """Time of the last node [s]; −inf without nodes."""
        return max((chunk.t_end for chunk in self.chunks), default=-math.inf)


@dataclass
class CheckpointContents:
    """Contents of the records of a run, without its nodes.

    Parameters
    ----------
    path : file with the records.
    head : entries of the last HEAD, see `HEAD_TYPES`.
    first : offset of the records after the first HEAD [bytes].
    length : length of the complete records [bytes].
    node_shapes : shapes of the arrays at one node.
    """

    path: Path
    head: dict[str, Any]
    first: int
    length: int
    branches: list[Branch] = field(default_factory=list)
    node_shapes: dict[str, tuple[int, ...]] = field(default_factory=dict)

    @property
    def longest(self) -> Branch:
        """Branch that reaches furthest; the latest one if several do."""
        return max(reversed(self.branches), key=lambda branch: branch.t_end)

    @property
    def has_ended(self) -> bool:
        """True if the last computation was not interrupted."""
        return self.branches[-1].has_ended

    @property
    def has_failed(self) -> bool:
        """True if the last computation ended with an error."""
        return self.branches[-1].has_failed

    @property
    def is_complete(self) -> bool:
        """True if the branch that reaches furthest is the last one and was not interrupted."""
        return self.longest.has_ended and self.longest is self.branches[-1]

    @property
    def n_nodes(self) -> int:
        """Number of nodes."""
        return count_nodes(self.longest.chunks)

    @property
    def t_end(self) -> float:
        """Time of the last node [s]; 0 without nodes."""
        return max(self.longest.t_end, 0.0)

    @property
    def status(self) -> dict[str, Any]:
        """Outcome, message and statistics."""
        return self.longest.status

    @property
    def impacts(self) -> list[ImpactRecord]:
        """Contacts that ended."""
        return [impact for chunk in self.longest.chunks for impact in chunk.impacts]

    @property
    def open_contacts(self) -> tuple[ImpactRecord, ...]:
        """Contacts that have not ended."""
        return self.longest.open_contacts

    def chunks_up_to(self, length: int) -> list[Chunk] | None:
        """Return the chunks of the file when it had this ``length`` [bytes]; None if no record ended there."""
        branch = next((branch for branch in reversed(self.branches) if branch.start <= length), None)
        if branch is None or length not in {branch.start, *(chunk.stop for chunk in branch.chunks)}:
            return None
        return [chunk for chunk in branch.chunks if chunk.stop <= length]

    def node_batches(self) -> Iterator[NodeBatch]:
        """Yield the nodes, chunk by chunk."""
        with open(self.path, "rb") as stream:
            for chunk in self.longest.chunks:
                stream.seek(chunk.start)
                record = next_frame(stream) if chunk.n_nodes else None
                if record is not None:
                    yield node_batch(self.path, unpack(record[1])[1])

    def metadata(self, sketch: Any = None) -> ResultMetadata:
        """Return the metadata of the result."""
        entries = mapping("result", self.head["result"], RESULT_TYPES)
        bodies = tuple(build(BodyInfo, body) for body in entries["bodies"])
        elements = tuple(build(ElementInfo, element) for element in entries["elements"])
        return ResultMetadata(entries["name"], entries["dim"], bodies, elements, entries["smooth"], sketch)


def read_records(path: Path) -> CheckpointContents | None:
    """Read the records in the file ``path`` without the nodes; return None if it contains no complete record."""
    contents: CheckpointContents | None = None
    with report_damage(path), open(regular_file(path), "rb") as stream:
        while (record := next_frame(stream)) is not None:
            kind, content = record
            start = stream.tell() - len(content)
            entries, arrays = unpack(content)
            if contents is None:
                if kind != HEAD:
                    return None
                branches = [Branch(stream.tell(), [])]
                contents = CheckpointContents(path, entries, stream.tell(), stream.tell(), branches)
            contents.length = stream.tell()
            if kind == HEAD:
                _add_head(contents, mapping("head", entries, HEAD_TYPES))
            else:
                _add_chunk(contents, kind, mapping("chunk", entries), arrays, start)
    return contents


def _add_head(contents: CheckpointContents, entries: dict[str, Any]) -> None:
    """Add a HEAD to the contents; start a new branch if the run was resumed."""
    if entries["version"] > VERSION:
        raise ResultFileError(f"{contents.path}: written by a newer version of carom; use that version")
    resumed_length = entries.pop("from", None)
    contents.head = entries
    contents.metadata()  # Raises if the metadata is damaged.
    if resumed_length is not None:
        chunks = contents.chunks_up_to(resumed_length) if isinstance(resumed_length, int) else None
        if chunks is None:
            raise ResultFileError(
                f"{contents.path}: the file is damaged: a resumed run must start at the end of a record"
            )
        branch = Branch(contents.length, chunks)
        if chunks:
            branch.open_contacts, branch.status = chunks[-1].open_contacts, chunks[-1].status
        contents.branches.append(branch)


def _add_chunk(
    contents: CheckpointContents, kind: int, entries: dict[str, Any], arrays: dict[str, np.ndarray], start: int
) -> None:
    """Add a CHUNK or an END, whose content has the offset ``start`` [bytes], to the last branch."""
    branch = contents.branches[-1]
    branch.status = mapping("about", entries["about"], STATUS_TYPES)
    branch.open_contacts = tuple(build(ImpactRecord, impact) for impact in entries["still"])
    branch.has_ended, branch.has_failed = kind == END, kind == END and bool(entries["failed"])
    if kind == CHUNK:
        impacts = tuple(build(ImpactRecord, impact) for impact in entries["impacts"])
        batch = node_batch(contents.path, arrays) if arrays else None
        shapes = {name: array.shape[1:] for name, array in arrays.items()}
        if batch is not None and shapes != (contents.node_shapes or shapes):
            raise ResultFileError(f"{contents.path}: the file is damaged: the nodes of its chunks differ in size")
        contents.node_shapes |= shapes
        n_nodes, t_end = (0, -math.inf) if batch is None else (len(batch.t), float(batch.t[-1]))
        stop = contents.length
        branch.chunks.append(
            Chunk(start - FRAME.size, stop, n_nodes, t_end, impacts, branch.open_contacts, branch.status)
        )


def read_checkpoint(
    path: str | os.PathLike[str], contents: CheckpointContents
) -> tuple[dict[str, Any], dict[str, np.ndarray]] | None:
    """Return description and arrays of the checkpoint; None if there is none that belongs to the records."""
    checkpoint = checkpoint_path(path)
    if not checkpoint.exists():
        return None
    with report_damage(checkpoint), open(regular_file(checkpoint), "rb") as stream:
        record = next_frame(stream)
        if record is None or record[0] != STATE:
            return None
        entries, state = unpack(record[1])
        mapping("state", entries, {"run": str, "length": int, "count": int})
        chunks = contents.chunks_up_to(entries["length"]) if entries["run"] == contents.head["run"] else None
        return (entries, state) if chunks is not None and count_nodes(chunks) == entries["count"] else None


def count_nodes(chunks: Sequence[Chunk]) -> int:
    """Return the number of nodes in ``chunks``."""
    return sum(chunk.n_nodes for chunk in chunks)


def replace_checkpoint(path: str | os.PathLike[str], entries: dict[str, Any], state: dict[str, np.ndarray]) -> None:
    """Replace the last checkpoint by a new one, in one operation of the file system."""
    with atomic_write(checkpoint_path(path), sync=True) as temporary:
        temporary.write_bytes(frame(STATE, pack(entries, state)))


def remove_records(path: str | os.PathLike[str]) -> None:
    """Remove records, checkpoint and their temporary files; the result file contains the run."""
    for file in (checkpoint_path(path), records_path(path)):
        remove_stale(file)
        file.unlink(missing_ok=True)
