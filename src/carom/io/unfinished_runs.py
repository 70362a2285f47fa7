"""Unfinished runs: load, resume and finalise them."""

from __future__ import annotations

import os
import zlib
from collections.abc import Callable, Iterator
from dataclasses import asdict
from pathlib import Path
from typing import Any

import h5py
import numpy as np

from carom.argument_checks import positive
from carom.errors import ModelError
from carom.io import tagged_json
from carom.io.atomic_write import atomic_write
from carom.io.binary_records import frame, pack, unpack
from carom.io.checkpoint_file import CheckpointWriter, report_write_errors
from carom.io.locks import FileLock, is_locked
from carom.io.records import (
    HEAD,
    HEAD_TYPES,
    STATUS_TYPES,
    CheckpointContents,
    pack_chunk,
    read_checkpoint,
    read_records,
    records_path,
    remove_records,
    replace_checkpoint,
)
from carom.io.result_file import load, write_metadata
from carom.io.result_file_checks import (
    ResultFileError,
    build,
    check_memory,
    damaged,
    dataset,
    mapping,
    read_json,
    read_json_list,
    report_damage,
)
from carom.result.energy import Energy
from carom.result.impact_records import ImpactRecord, ImpactTable
from carom.result.outcome import Outcome
from carom.result.result import Result
from carom.solve.drawing_builder import deferred_drawing_data
from carom.solve.node_batches import NodeBatch, mark_persistent, mode_columns, result_of

RESUME = "resume"
"""Group of a result file with the data for resuming the run."""
CHECKSUM = "crc32"
"""Attribute of the datasets in that group: the checksum of their bytes."""
NODES_PER_COPY = 50_000
"""Nodes copied at a time."""


def read_unfinished(path: str | os.PathLike[str]) -> Result:
    """Return the computed part of a run from the records beside ``path``."""
    contents = read_records(records_path(path))
    if contents is None or contents.n_nodes == 0:
        raise ResultFileError(
            f"{path}: the run was interrupted before its first nodes were written; call cm.resume('{path}')"
        )
    arrays: dict[str, np.ndarray] = {}
    offset = 0
    with report_damage(contents.path):
        for batch in contents.node_batches():
            for name, values in vars(batch).items():
                array = arrays.setdefault(name, np.empty((contents.n_nodes, *values.shape[1:])))
                array[offset : offset + len(batch.t)] = values
            offset += len(batch.t)
        status = status_of(path, contents)
        return result_of(
            contents.metadata(lambda: sketch_of(contents.head)), NodeBatch(**arrays), status["stats"],
            Outcome[status["outcome"]], status["message"], contents.head["settings"],
            [*contents.impacts, *contents.open_contacts],
        )  # fmt: skip


def status_of(path: str | os.PathLike[str], contents: CheckpointContents) -> dict[str, Any]:
    """Return outcome, message and statistics; INTERRUPTED if the last computation ended before the longest one."""
    status = {key: contents.status[key] for key in STATUS_TYPES}
    if contents.is_complete:
        return status
    return {**status, "outcome": Outcome.INTERRUPTED.name, "message": interruption_message(path, contents)}


def interruption_message(path: str | os.PathLike[str], contents: CheckpointContents) -> str:
    """Return the message of an unfinished run: the time reached, and what to do."""
    t_end = positive(str(path), "t_end", contents.head["options"]["t_end"])
    progress = f"t = {contents.t_end:.9g} s of {t_end:.9g} s"
    if is_locked(path) and not contents.has_ended:
        return f"The run is still being computed: it has reached {progress}."
    return (
        f"The run was interrupted at {progress}; the computed part is saved, and cm.resume({str(path)!r}) "
        "resumes the run."
    )


def sketch_of(head: dict[str, Any]) -> Any:
    """Return the data for drawings from the model of the run; None if the model is not stored."""
    if head["model"] is None:
        return None
    system = system_of(head["model"])
    return deferred_drawing_data(system)() if hasattr(system, "bodies") and hasattr(system, "joints") else None


def system_of(text: str) -> Any:
    """Return the system of the text of a model file."""
    from carom.io.model.model_reader import read

    return read(text).system


# ---- Result files


def finalise(path: str | os.PathLike[str]) -> None:
    """Write the result file of a run that has ended, and remove its records."""
    contents = read_records(records_path(path))
    if contents is None or not contents.has_ended:
        raise ResultFileError(f"{path}: the run has not finished; call cm.resume('{path}') first")
    advice = f"The run has finished and is saved: free disk space, then call cm.resume({str(path)!r}) to write the file"
    with report_write_errors(Path(path), advice), atomic_write(path, sync=True) as temporary:
        try:
            with h5py.File(temporary, "x") as file:
                write_file(file, path, contents)
        except (OSError, RuntimeError) as error:  # HDF5 raises both when the disk is full.
            raise OSError(getattr(error, "errno", None), getattr(error, "strerror", None) or str(error)) from error
    remove_records(path)


def write_file(file: h5py.File, path: str | os.PathLike[str], contents: CheckpointContents) -> None:
    """Write the contents of the records to a result file."""
    metadata = contents.metadata()
    impacts = ImpactTable([*contents.impacts, *contents.open_contacts])
    about = {
        "name": metadata.name,
        "dim": metadata.dim,
        "smooth": metadata.smooth,
        "settings": contents.head["settings"],
        **status_of(path, contents),
    }
    write_metadata(file, about, metadata.bodies, metadata.elements, impacts, sketch_of(contents.head))
    shapes = {name: np.shape(getattr(next(contents.node_batches()), name))[1:] for name in NodeBatch.names()}
    arrays = {name: file.create_dataset(name, (contents.n_nodes, *shapes[name]), float)
              for name in NodeBatch.names() if name != "energies"}  # fmt: skip
    energies = [file.create_dataset(f"energy/{name}", (contents.n_nodes,), float) for name in Energy.names()]
    offset = 0
    for batch in contents.node_batches():
        rows = slice(offset, offset + len(batch.t))
        for name, array in arrays.items():
            array[rows] = getattr(batch, name)
        for array, column in zip(energies, batch.energies.T, strict=True):
            array[rows] = column
        offset = rows.stop
    mark_persistent(arrays["t"][()], arrays["signals"], metadata.elements, impacts)
    write_checkpoint(file.create_group(RESUME), path, contents)


def write_checkpoint(group: h5py.Group, path: str | os.PathLike[str], contents: CheckpointContents) -> None:
    """Store the data for resuming the run, each dataset with its checksum."""
    checkpoint = read_checkpoint(path, contents)
    later = contents.longest.chunks
    if checkpoint is not None:
        entries, state = checkpoint
        earlier = contents.chunks_up_to(entries["length"]) or []
        later = [chunk for chunk in contents.longest.chunks if chunk not in earlier]
        group["state"] = np.frombuffer(pack(entries, state), np.uint8)
    group["head"] = tagged_json.dumps(contents.head)
    group["still"] = tagged_json.dumps([asdict(impact) for impact in contents.open_contacts])
    group["later"] = tagged_json.dumps([asdict(impact) for chunk in later for impact in chunk.impacts])
    for item in group.values():
        item.attrs[CHECKSUM] = zlib.crc32(bytes_of(item))


def bytes_of(item: h5py.Dataset) -> bytes:
    """Return the bytes of a text or an array."""
    value = item[()]
    return value if isinstance(value, bytes) else value.tobytes()


def check_checkpoint(path: str | os.PathLike[str], group: h5py.Group) -> None:
    """Raise if the checksum of a dataset for resuming is wrong; early files have no checksums."""
    for name in group:
        item = dataset(group, name)
        if CHECKSUM in item.attrs and item.attrs[CHECKSUM] != zlib.crc32(bytes_of(item)):
            raise ResultFileError(
                f"resume: {path} is damaged: the checksum of its checkpoint ({name}) is wrong; the results can be "
                "read, but the run cannot be resumed; start it again"
            )


# ---- Resuming


def resume(
    path: str | os.PathLike[str],
    *,
    system: Any = None,
    t_end: float | None = None,
    progress: bool | Callable[[float], Any] | None = None,
) -> Result:
    """Resume an interrupted run that `simulate` wrote to the file ``path``.

    The result is bit-identical to that of an uninterrupted run. A finished run is returned unchanged, or extended to a
    later ``t_end`` [s].

    Parameters
    ----------
    path : file of the run, as given to `simulate`.
    system : the system with which the run was started; only needed for models that cannot be stored in a file, such as
        those with Python functions.
    t_end : end time [s]; by default that of the run.
    progress : progress report, as for `simulate`.
    """
    records = records_path(path)
    if not records.exists():
        result = load(path)
        if not can_resume(result, t_end):
            return result
    with report_write_errors(records, "Make the folder writable"):
        lock = FileLock("resume", path)
    with lock:
        contents = read_records(records) if records.exists() else None
        if records.exists() and contents is None:
            raise ResultFileError(f"{records}: not a run that can be resumed; delete it, then start the run again")
        if contents is not None and contents.has_ended and not contents.has_failed:
            finalise(path)
            contents = None
        if contents is None:
            result = load(path)
            if not can_resume(result, t_end):
                return result
            contents = restore_records(path)
        return _resume(path, contents, lock, system, t_end, progress)


def _resume(
    path: str | os.PathLike[str],
    contents: CheckpointContents,
    lock: FileLock,
    system: Any,
    t_end: float | None,
    progress: bool | Callable[[float], Any] | None,
) -> Result:
    """Resume a run from its records; the caller holds the lock."""
    options = options_of(path, contents.head)
    if t_end is not None:
        t_end = positive("resume", "t_end", t_end)
        if t_end < contents.t_end:
            raise ModelError(
                f"resume: t_end must not be earlier than the time {path} has reached, {contents.t_end:.9g} s, "
                f"got {t_end:g} s"
            )
        options["t_end"] = float(t_end)
    if system is None:
        if contents.head["model"] is None:
            raise ModelError(
                f"resume: {path} does not contain the model ({contents.head['reason']}); call "
                f"cm.resume({str(path)!r}, system=...) with the system with which the run was started"
            )
        system = system_of(contents.head["model"])
    from carom.solve.options import METHOD_OPTIONS
    from carom.solve.run import RunRequest, run

    with CheckpointWriter.reopen(path, contents, lock) as writer:
        writer.head = {**writer.head, "options": dict(options)}
        output, end, method = (options.pop(name) for name in ("every", "t_end", "method"))
        return run(RunRequest(system, end, METHOD_OPTIONS[method](**options), output, progress, writer))


def options_of(path: str | os.PathLike[str], head: dict[str, Any]) -> dict[str, Any]:
    """Return the options of `simulate` with which the run was started."""
    from carom.solve.options import METHOD_OPTIONS, option_names

    options = dict(head["options"])
    method = str(options.get("method"))
    if method not in METHOD_OPTIONS or set(options) != {"t_end", "every", "method", *option_names(method)}:
        raise ResultFileError(f"{path}: the file is damaged: it does not contain the options of the run")
    return {**options, "t_end": positive("resume", "t_end", options["t_end"])}


def can_resume(result: Result, t_end: float | None) -> bool:
    """Return True if the run was interrupted, or if ``t_end`` [s] lies after the end of a finished run."""
    if result.outcome is Outcome.INTERRUPTED:
        return True
    return result.outcome.ok and t_end is not None and t_end > result.t[-1]


def restore_records(path: str | os.PathLike[str]) -> CheckpointContents:
    """Write records and checkpoint of a run from its result file, which stays unchanged; return the contents."""
    with report_damage(path), h5py.File(path, "r") as file:
        check_memory(file)
        if RESUME not in file:
            raise ResultFileError(
                f"resume: {path} was not written during the computation; only runs of simulate(..., stream='run.h5') "
                "can be resumed"
            )
        group = file[RESUME]
        check_checkpoint(path, group)
        head = mapping("head", read_json(group, "head"), HEAD_TYPES)
        open_contacts = [build(ImpactRecord, impact) for impact in read_json(group, "still")]
        later = [build(ImpactRecord, impact) for impact in read_json(group, "later")] if "later" in group else []
        impacts = [build(ImpactRecord, impact) for impact in read_json_list(file, "impacts")]
        earlier = [impact for impact in impacts if impact not in open_contacts and impact not in later]
        persistent = {impact.contact for impact in impacts if impact.persistent}
        checkpoint = unpack(dataset(group, "state")[()].tobytes()) if "state" in group else None
        n_nodes = 0 if checkpoint is None else mapping("state", checkpoint[0], {"count": int})["count"]
        if not 0 <= n_nodes <= file["t"].size:
            raise damaged(file, "its checkpoint does not belong to one of its nodes")
        records, status, size = records_path(path), read_json(file, "about"), file["t"].size
        advice = "Free disk space, or make the folder writable"
        with (
            report_write_errors(records, advice),
            atomic_write(records, sync=True) as temporary,
            open(temporary, "wb") as stream,
        ):
            stream.write(frame(HEAD, pack(head, {})))
            for batch in node_batches(file, 0, n_nodes, persistent, head):
                stream.write(pack_chunk(batch, earlier, (), status))
                earlier = []
            length = stream.tell()
            for batch in node_batches(file, n_nodes, size, persistent, head):
                stream.write(pack_chunk(batch, later, open_contacts, status))
                later = []
    if checkpoint is not None:
        replace_checkpoint(path, {**checkpoint[0], "length": length}, checkpoint[1])
    contents = read_records(records)
    assert contents is not None
    return contents


def node_batches(
    file: h5py.File, start: int, stop: int, persistent: set[str], head: dict[str, Any]
) -> Iterator[NodeBatch]:
    """Yield the nodes of a result file with the contact modes before persistent contacts were marked."""
    columns = mode_columns(CheckpointContents(Path(), head, 0, 0).metadata().elements)
    for first in range(start, stop, NODES_PER_COPY):
        rows = slice(first, min(first + NODES_PER_COPY, stop))
        arrays = {name: dataset(file, name)[rows] for name in NodeBatch.names() if name != "energies"}
        for contact in persistent:
            np.minimum(arrays["signals"][:, columns[contact]], 1.0, out=arrays["signals"][:, columns[contact]])
        energies = np.column_stack([dataset(file, f"energy/{name}")[rows] for name in Energy.names()])
        yield NodeBatch(**arrays, energies=energies)
