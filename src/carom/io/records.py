"""Files of a run that is written during its computation.

Two files beside the requested file run.h5 contain an unfinished run:

    run.h5.part    records, which are only appended: a HEAD (options, model and digest of the run, metadata of its
                   result), one CHUNK per batch of nodes (nodes, contacts that ended, contacts that have not ended,
                   status) and an END, a CHUNK with the outcome of the run. A resumed run writes another HEAD, which
                   replaces the first one. Each record has its length and a checksum, see `carom.io.binary_records`.
    run.h5.state   checkpoint, which is replaced as a whole after each chunk: id of the run, length of the records
                   [bytes] and number of nodes at which the run can be resumed, arrays of the method

The checkpoint commits the chunk before it: the saved part of a run ends at the length named in the checkpoint, or at
its END. A killed process can leave more bytes; nothing reads them, and the resumed run overwrites them. Without a valid
checkpoint the saved part ends with the last complete record, and the run can only be restarted. At its end a run
becomes the result file run.h5 (see `carom.io.result_file`), and the two files are removed.

If both the result file and records of one run exist, because the run was resumed from a checkpoint before the end of
the result file, the one that reaches further is valid. So no node is lost before newer nodes reach further.

The records are not in HDF5, which does not survive what these files survive (measured with HDF5 2.0 on Linux). If a
process is killed, a file that is opened and closed for each chunk cannot be opened again (94 of 100 kills). A file in
SWMR mode can be read, but a partly filled storage chunk is rewritten in place and can be lost (1 of 500 kills), and the
file cannot be opened for writing again. If the disk is full during a flush, the file cannot be closed and the process
ends with a segmentation fault. One HDF5 file per chunk would survive both, but could not be restored when a user
deletes the files during the run, and a run of one day would write more than 100 000 files.
"""

from __future__ import annotations

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
from carom.result.renamed_signals import with_current_signals
from carom.solve.node_batches import NodeBatch, ResultMetadata

HEAD, CHUNK, END, STATE = range(4)
"""Kinds of records."""
VERSION = 3
"""Format version of the records; in version 2 a HEAD with the entry "from" discards the chunks after that length."""

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
    return records_path(path).with_suffix(".state")


@dataclass(frozen=True)
class Chunk:
    """Chunk of a run, without its nodes.

    Parameters
    ----------
    kind
        CHUNK or END.
    start, stop
        offsets of the record in the file [bytes].
    n_nodes
        number of nodes.
    t_end
        time of the last node [s]; 0 without nodes.
    impacts
        contacts that ended in this chunk.
    open_contacts
        contacts that have not ended.
    status
        outcome, message and statistics.
    has_failed
        True if the run ended with an error.
    """

    kind: int
    start: int
    stop: int
    n_nodes: int
    t_end: float
    impacts: tuple[ImpactRecord, ...]
    open_contacts: tuple[ImpactRecord, ...]
    status: dict[str, Any]
    has_failed: bool


@dataclass
class CheckpointContents:
    """Saved part of a run, without its nodes.

    Parameters
    ----------
    path
        file with the records.
    head
        entries of the last HEAD, see `HEAD_TYPES`.
    length
        length of the complete records [bytes].
    node_shapes
        shapes of the arrays at one node.
    checkpoint
        entries and arrays of the checkpoint; None if there is none that belongs to the records.
    """

    path: Path
    head: dict[str, Any]
    length: int = 0
    chunks: list[Chunk] = field(default_factory=list)
    node_shapes: dict[str, tuple[int, ...]] = field(default_factory=dict)
    checkpoint: tuple[dict[str, Any], dict[str, np.ndarray]] | None = None

    @property
    def has_ended(self) -> bool:
        """True if the run was not killed; it may have failed."""
        return bool(self.chunks) and self.chunks[-1].kind == END

    @property
    def is_complete(self) -> bool:
        """True if the run has ended without an error in a function of the user."""
        return self.has_ended and not self.chunks[-1].has_failed

    @property
    def n_nodes(self) -> int:
        """Number of nodes."""
        return sum(chunk.n_nodes for chunk in self.chunks)

    @property
    def t_end(self) -> float:
        """Time of the last node [s]; 0 without nodes."""
        return max((chunk.t_end for chunk in self.chunks), default=0.0)

    @property
    def impacts(self) -> list[ImpactRecord]:
        """Contacts that ended, and at the end of the saved part those that have not ended."""
        return [*(impact for chunk in self.chunks for impact in chunk.impacts), *self.chunks[-1].open_contacts]

    def node_batches(self) -> Iterator[NodeBatch]:
        """Yield the nodes, chunk by chunk."""
        with open(self.path, "rb") as stream:
            for chunk in self.chunks:
                if chunk.n_nodes:
                    stream.seek(chunk.start)
                    record = next_frame(stream)
                    if record is None:
                        raise ResultFileError(f"{self.path}: the file has changed while it was read; load it again")
                    yield NodeBatch(**unpack(record[1])[1])

    def metadata(self, sketch: Any = None) -> ResultMetadata:
        """Return the metadata of the result."""
        entries = mapping("result", self.head["result"], RESULT_TYPES)
        bodies = tuple(build(BodyInfo, body) for body in entries["bodies"])
        elements = tuple(with_current_signals(build(ElementInfo, element)) for element in entries["elements"])
        return ResultMetadata(entries["name"], entries["dim"], bodies, elements, entries["smooth"], sketch)


# ---- Reading


def read_run(path: str | os.PathLike[str]) -> CheckpointContents | None:
    """Return the saved part of the run beside ``path``; None if there are no records."""
    contents = read_records(records_path(path)) if records_path(path).exists() else None
    if contents is not None:
        contents.checkpoint = read_checkpoint(path, contents)
        if contents.checkpoint is not None and not contents.has_ended:
            contents.length = contents.checkpoint[0]["length"]
            contents.chunks = [chunk for chunk in contents.chunks if chunk.stop <= contents.length]
    return contents


def read_records(path: Path) -> CheckpointContents | None:
    """Read all complete records in the file ``path``; return None if the first one is not a HEAD."""
    contents: CheckpointContents | None = None
    with report_damage(path), open(regular_file(path), "rb") as stream:
        while (record := next_frame(stream)) is not None:
            kind, content = record
            entries, arrays = unpack(content)
            if kind == HEAD:
                head = mapping("head", entries, HEAD_TYPES)
                if head["version"] > VERSION:
                    raise ResultFileError(f"{path}: written by a newer version of carom; use that version")
                contents = contents or CheckpointContents(path, head)
                resumed_length = head.pop("from", stream.tell())
                contents.head, previous = head, contents.chunks
                contents.chunks = [chunk for chunk in previous if chunk.stop <= resumed_length]
                contents.metadata()  # Raises if the metadata is damaged.
            elif contents is None:
                return None
            else:
                start = stream.tell() - len(content) - FRAME.size
                _add_chunk(contents, kind, mapping("chunk", entries), arrays, (start, stream.tell()))
            contents.length = stream.tell()
    return contents


def _add_chunk(
    contents: CheckpointContents,
    kind: int,
    entries: dict[str, Any],
    arrays: dict[str, np.ndarray],
    offsets: tuple[int, int],
) -> None:
    """Add a CHUNK or an END to the contents."""
    status = mapping("about", entries["about"], STATUS_TYPES)
    impacts, still = (
        tuple(build(ImpactRecord, impact) for impact in entries.get(name, ())) for name in ("impacts", "still")
    )
    n_nodes, t_end = 0, 0.0
    if arrays:
        batch = NodeBatch(**arrays)
        n_nodes, t_end = len(batch.t), float(batch.t[-1])
        shapes = {name: array.shape[1:] for name, array in arrays.items()}
        if {len(array) for array in arrays.values()} != {n_nodes} or shapes != (contents.node_shapes or shapes):
            raise ResultFileError(f"{contents.path}: the file is damaged: the nodes of its chunks differ in size")
        contents.node_shapes = shapes
    has_failed = bool(entries.get("failed", False))
    contents.chunks.append(Chunk(kind, *offsets, n_nodes, t_end, impacts, still, status, has_failed))


def read_checkpoint(
    path: str | os.PathLike[str], contents: CheckpointContents
) -> tuple[dict[str, Any], dict[str, np.ndarray]] | None:
    """Return entries and arrays of the checkpoint; None if there is none that belongs to the records."""
    checkpoint = checkpoint_path(path)
    if not checkpoint.exists():
        return None
    with report_damage(checkpoint), open(regular_file(checkpoint), "rb") as stream:
        record = next_frame(stream)
        if record is None or record[0] != STATE:
            return None
        entries, state = unpack(record[1])
        mapping("state", entries, {"run": str, "length": int, "count": int})
        chunks = [chunk for chunk in contents.chunks if chunk.stop <= entries["length"]]
        position = (contents.head["run"], chunks[-1].stop if chunks else 0, sum(chunk.n_nodes for chunk in chunks))
        return (entries, state) if position == (entries["run"], entries["length"], entries["count"]) else None


# ---- Writing


def pack_chunk(
    kind: int,
    batch: NodeBatch | None,
    impacts: Sequence[ImpactRecord],
    open_contacts: Sequence[ImpactRecord],
    status: Mapping[str, Any],
    failed: bool = False,
) -> bytes:
    """Return a CHUNK or an END as bytes."""
    entries = {
        "impacts": [asdict(impact) for impact in impacts],
        "still": [asdict(impact) for impact in open_contacts],
        "about": plain(status),
        "failed": failed,
    }
    return frame(kind, pack(entries, {} if batch is None else vars(batch)))


def replace_checkpoint(path: str | os.PathLike[str], entries: dict[str, Any], state: dict[str, np.ndarray]) -> None:
    """Replace the last checkpoint by a new one, in one operation of the file system."""
    with atomic_write(checkpoint_path(path), sync=True) as temporary:
        temporary.write_bytes(frame(STATE, pack(entries, state)))


def remove_records(path: str | os.PathLike[str]) -> None:
    """Remove records, checkpoint and their temporary files; the result file contains the run."""
    for file in (checkpoint_path(path), records_path(path)):
        remove_stale(file)
        file.unlink(missing_ok=True)
