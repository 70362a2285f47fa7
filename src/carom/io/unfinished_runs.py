"""Unfinished runs: load, resume and finalise them."""

from __future__ import annotations

import io
import math
import os
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import h5py
import numpy as np

from carom.argument_checks import positive
from carom.errors import ModelError, warn
from carom.io.atomic_write import atomic_write
from carom.io.binary_records import frame, next_frame, pack, unpack
from carom.io.checkpoint_file import CheckpointWriter, report_write_errors
from carom.io.dataset_descriptions import write_descriptions
from carom.io.locks import FileLock, is_locked
from carom.io.records import (
    CHUNK,
    HEAD,
    HEAD_TYPES,
    STATE,
    STATUS_TYPES,
    CheckpointContents,
    checkpoint_path,
    pack_chunk,
    read_run,
    records_path,
    remove_records,
    replace_checkpoint,
)
from carom.io.result_file import load_result, write_metadata
from carom.io.result_file_checks import (
    READ_ERRORS,
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
from carom.result.impact_records import ImpactRecord
from carom.result.outcome import Outcome
from carom.result.result import Result
from carom.solve.drawing_builder import deferred_drawing_data
from carom.solve.node_batches import NodeBatch, mark_persistent, mode_columns, result_of

RESUME = "resume"
"""Dataset of a result file with the data for resuming the run: one record with head and checkpoint."""
NODES_PER_COPY = 50_000
"""Nodes copied at a time."""


def read_unfinished(path: str | os.PathLike[str]) -> Result:
    """Return the computed part of a run from the records beside ``path``, or from its result file if that is longer."""
    contents = read_run(path)
    if contents is not None and result_is_longer(path, contents):
        return load_result(path)
    if contents is None or contents.n_nodes == 0:
        raise ResultFileError(
            f"{path}: the run was interrupted before its first nodes were written; call cm.resume('{path}')"
        )
    with report_damage(contents.path):
        arrays = copy_nodes(contents, lambda _, shape: np.empty(shape))
        energies = np.column_stack([arrays.pop(f"energy/{name}") for name in Energy.names()])
        status = status_of(path, contents, is_locked(path) and not contents.has_ended)
        return result_of(
            contents.metadata(lambda: sketch_of(contents.head)), NodeBatch(**arrays, energies=energies),
            status["stats"], Outcome[status["outcome"]], status["message"], contents.head["settings"], contents.impacts,
        )  # fmt: skip


def copy_nodes(contents: CheckpointContents, create: Callable[[str, tuple[int, ...]], Any]) -> dict[str, Any]:
    """Return the arrays of a result at all nodes; ``create`` returns an array from its name and shape."""
    shapes = {name: shape for name, shape in contents.node_shapes.items() if name != "energies"}
    shapes |= {f"energy/{name}": () for name in Energy.names()}
    arrays = {name: create(name, (contents.n_nodes, *shape)) for name, shape in shapes.items()}
    offset = 0
    for batch in contents.node_batches():
        rows = slice(offset, offset + len(batch.t))
        columns = {f"energy/{name}": column for name, column in zip(Energy.names(), batch.energies.T, strict=True)}
        for name, array in arrays.items():
            array[rows] = columns[name] if name in columns else getattr(batch, name)
        offset = rows.stop
    return arrays


def result_is_longer(path: str | os.PathLike[str], contents: CheckpointContents) -> bool:
    """Return True if the result file contains the same run as the records and reaches further."""
    return end_of_result(path, contents.head["run"]) > contents.t_end


def end_of_result(path: str | os.PathLike[str], run: str) -> float:
    """Return the last time in the result file [s]; −inf if it does not contain the run with the id ``run``."""
    if not os.path.isfile(path):
        return -math.inf
    try:
        with h5py.File(path, "r") as file:
            head, _, _ = read_resume_data(file)
            return float(dataset(file, "t")[-1]) if head["run"] == run else -math.inf
    except (ResultFileError, *READ_ERRORS):  # It is damaged, or not the file of a run that can be resumed.
        return -math.inf


def status_of(path: str | os.PathLike[str], contents: CheckpointContents, is_running: bool = False) -> dict[str, Any]:
    """Return outcome, message and statistics; a run that is not complete is INTERRUPTED."""
    status = {key: contents.chunks[-1].status[key] for key in STATUS_TYPES}
    if contents.is_complete:
        return status
    t_end = positive(str(path), "t_end", contents.head["options"]["t_end"])
    progress = f"t = {contents.t_end:.9g} s of {t_end:.9g} s"
    message = f"The run is still being computed: it has reached {progress}."
    if not is_running:
        message = (
            f"The run was interrupted at {progress}; the computed part is saved, and cm.resume({str(path)!r}) "
            "resumes the run."
        )
    return {**status, "outcome": Outcome.INTERRUPTED.name, "message": message}


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


def finalise(path: str | os.PathLike[str], contents: CheckpointContents) -> None:
    """Write the result file of a run and remove the records, unless the existing result file reaches further."""
    if result_is_longer(path, contents):
        return
    advice = f"The run is saved: free disk space, then call cm.resume({str(path)!r}) to write the file"
    with report_write_errors(Path(path), advice), atomic_write(path, sync=True) as temporary:
        try:
            with h5py.File(temporary, "x") as file:
                write_file(file, path, contents)
        except (OSError, RuntimeError) as error:  # HDF5 raises both when the disk is full.
            raise OSError(getattr(error, "errno", None), getattr(error, "strerror", None) or str(error)) from error
    remove_records(path)


def write_file(file: h5py.File, path: str | os.PathLike[str], contents: CheckpointContents) -> None:
    """Write the saved part of a run to a result file."""
    metadata, impacts = contents.metadata(), contents.impacts
    about = {
        "name": metadata.name,
        "dim": metadata.dim,
        "smooth": metadata.smooth,
        "settings": contents.head["settings"],
        **status_of(path, contents),
    }
    write_metadata(file, about, metadata.bodies, metadata.elements, impacts, sketch_of(contents.head))
    arrays = copy_nodes(contents, lambda name, shape: file.create_dataset(name, shape, float))
    mark_persistent(arrays["t"][()], arrays["signals"], metadata.elements, impacts)
    position, state = contents.checkpoint or (None, {})
    if position is not None:
        earlier = [chunk for chunk in contents.chunks if chunk.stop <= position["length"]]
        position = {**position, "impacts": sum(len(chunk.impacts) for chunk in earlier)}
    record = frame(STATE, pack({"head": contents.head, "position": position}, state))
    file[RESUME] = np.frombuffer(record, np.uint8)
    write_descriptions(file, metadata.dim, metadata.bodies, metadata.elements)


def read_resume_data(file: h5py.File) -> tuple[dict[str, Any], dict[str, Any] | None, dict[str, np.ndarray]]:
    """Return head, position and state of the run in a result file; position is None without a checkpoint."""
    name = file.filename
    if not isinstance(file.get(RESUME), h5py.Dataset):
        raise ResultFileError(
            f"resume: {name} was not written during the computation, or by another version of carom; only runs of "
            "simulate(..., stream='run.h5') can be resumed"
        )
    record = next_frame(io.BytesIO(dataset(file, RESUME)[()].tobytes()))
    if record is None:
        raise ResultFileError(
            f"resume: {name} is damaged: the checksum of its checkpoint is wrong; the results can be read, but the run "
            "cannot be resumed; start it again"
        )
    entries, state = unpack(record[1])
    head = mapping("head", mapping("resume", entries)["head"], HEAD_TYPES)
    position = entries["position"]
    if position is not None:
        mapping("position", position, {"run": str, "count": int, "impacts": int})
        if not 0 <= position["count"] <= dataset(file, "t").size:
            raise damaged(file, "its checkpoint does not belong to one of its nodes")
    return head, position, state


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
    path
        file of the run, as given to `simulate`.
    system
        the system with which the run was started; only needed for models that cannot be stored in a file, such as
        those with Python functions.
    t_end
        end time [s]; by default that of the run.
    progress
        progress report, as for `simulate`.

    Examples
    --------
    >>> import carom as cm
    >>> import tempfile
    >>> case = cm.gallery.falling_ball()
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     result = cm.simulate(case.system, 0.1, stream=f"{folder}/run.h5")
    ...     longer = cm.resume(f"{folder}/run.h5", t_end=0.2)
    ...
    >>> float(longer.t[-1])
    0.2
    """
    records = records_path(path)
    if not records.exists():
        result = load_result(path)
        if not can_resume(result, t_end):
            return result
    with report_write_errors(records, "Make the folder writable"):
        lock = FileLock("resume", path)
    with lock:
        contents = contents_to_resume(path)
        if contents is None:
            result = load_result(path)
            if not can_resume(result, t_end):
                return result
            contents = restore_records(path)
        return _resume(path, contents, lock, system, t_end, progress)


def contents_to_resume(path: str | os.PathLike[str]) -> CheckpointContents | None:
    """Return the saved part of a run if it can be resumed; None if the run is resumed from its result file.

    A run that has ended or has no checkpoint is converted to a result file, so that no node is lost.
    """
    contents = read_run(path)
    if contents is None:
        if records_path(path).exists():
            raise ResultFileError(
                f"{records_path(path)}: not a run that can be resumed; delete it, then start the run again"
            )
        return None
    if result_is_longer(path, contents):
        return None if contents.checkpoint is None else contents
    if contents.n_nodes == 0 or (contents.checkpoint is not None and not contents.has_ended):
        return contents
    finalise(path, contents)
    return None


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
    reached = max(contents.t_end, end_of_result(path, contents.head["run"]))
    if t_end is not None:
        t_end = positive("resume", "t_end", t_end)
        if t_end < reached:
            raise ModelError(
                f"resume: t_end must not be earlier than the time {path} has reached, {reached:.9g} s, got {t_end:g} s"
            )
        options["t_end"] = float(t_end)
    if system is None:
        if contents.head["model"] is None:
            raise ModelError(
                f"resume: {path} does not contain the model ({contents.head['reason']}); call "
                f"cm.resume({str(path)!r}, system=...) with the system with which the run was started"
            )
        system = system_of(contents.head["model"])
    if contents.checkpoint is None and reached > 0.0:
        warn(
            f"resume: the checkpoint {checkpoint_path(path)} is missing or belongs to another run; the run restarts "
            f"from t = 0, and the nodes up to t = {reached:.6g} s are kept until then"
        )
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
    """Write the records up to the checkpoint from the result file, which stays unchanged; return the contents."""
    with report_damage(path), h5py.File(path, "r") as file:
        check_memory(file)
        records, (head, position, state) = records_path(path), read_resume_data(file)
        if position is None:
            return CheckpointContents(records, head)
        impacts, status = read_json_list(file, "impacts"), read_json(file, "about")
        impacts = [build(ImpactRecord, impact) for impact in impacts]
        persistent = {impact.contact for impact in impacts if impact.persistent}
        with (
            report_write_errors(records, "Free disk space, or make the folder writable"),
            atomic_write(records, sync=True) as temporary,
        ):
            with open(temporary, "wb") as stream:
                stream.write(frame(HEAD, pack(head, {})))
                stream.write(pack_chunk(CHUNK, None, impacts[: position["impacts"]], (), status))
                for batch in node_batches(file, position["count"], head, persistent):
                    stream.write(pack_chunk(CHUNK, batch, (), (), status))
                length = stream.tell()
            replace_checkpoint(path, {**position, "length": length}, state)
    contents = read_run(path)
    assert contents is not None
    return contents


def node_batches(file: h5py.File, n_nodes: int, head: dict[str, Any], persistent: set[str]) -> Iterator[NodeBatch]:
    """Yield the first nodes of a result file with the contact modes before persistent contacts were marked."""
    columns = mode_columns(CheckpointContents(Path(), head).metadata().elements)
    for first in range(0, n_nodes, NODES_PER_COPY):
        rows = slice(first, min(first + NODES_PER_COPY, n_nodes))
        arrays = {name: dataset(file, name)[rows] for name in NodeBatch.names() if name != "energies"}
        for contact in persistent:
            for column in columns[contact]:
                np.minimum(arrays["signals"][:, column], 1.0, out=arrays["signals"][:, column])
        energies = np.column_stack([dataset(file, f"energy/{name}")[rows] for name in Energy.names()])
        yield NodeBatch(**arrays, energies=energies)
