"""Unfinished runs: read, gone on with, and made result files."""

from __future__ import annotations

import os
import zlib
from collections.abc import Callable, Iterator
from dataclasses import asdict
from pathlib import Path
from typing import Any, BinaryIO

import h5py
import numpy as np

from carom.errors import ModelError, positive
from carom.io import tagged_json
from carom.io.damage import ResultFileError, check_budget, dataset, made, mapping, readable, text, texts
from carom.io.journal import Writer, writing
from carom.io.locks import FileLock, is_locked
from carom.io.packing import frame, pack, unpack
from carom.io.records import (
    CHUNK,
    HEAD,
    KNOWN,
    Found,
    exchange_state,
    find,
    new_part_of,
    new_state_of,
    part_of,
    read_state,
    state_of,
)
from carom.io.results import load, write_head
from carom.io.whole import whole
from carom.result.energy import Energy
from carom.result.impacts import Impact, Impacts
from carom.result.outcome import Outcome
from carom.result.result import Result
from carom.solve.drawing_builder import deferred_drawing_data
from carom.solve.pieces import Piece, mark_lasting, mode_columns, result_of

RESUME = "resume"
"""The group of a result file that a run can be gone on with from."""
CHECKSUM = "crc32"
"""The attribute of everything in that group that has the checksum of its bytes."""
SLAB = 50_000
"""Nodes that are copied at a time."""


def read_unfinished(path: str | os.PathLike[str]) -> Result:
    """What was computed of a run whose records stand beside ``path``."""
    found = find(part_of(path))
    if found is None or found.count == 0:
        raise ResultFileError(
            f"{path} is a run that was interrupted before its first nodes were written; cm.resume('{path}') goes on"
        )
    arrays: dict[str, np.ndarray] = {}
    at = 0
    with readable(found.path):
        for piece in found.pieces():
            for name, part_of_it in vars(piece).items():
                place = arrays.setdefault(name, np.empty((found.count, *part_of_it.shape[1:])))
                place[at : at + len(piece.t)] = part_of_it
            at += len(piece.t)
        outcome = Outcome[found.about["outcome"]] if found.complete else Outcome.INTERRUPTED
        message = found.about["message"] if found.complete else told(path, found)
        return result_of(
            found.result_head(lambda: sketch_of(found.head)), Piece(**arrays), found.about["stats"], outcome, message,
            found.head["settings"], [*found.impacts, *found.still],
        )  # fmt: skip


def told(path: str | os.PathLike[str], found: Found) -> str:
    """Return how far a run without an end is, and what to do."""
    goal = positive(str(path), "t_end", found.head["options"]["t_end"])
    if is_locked(path) and not found.ended:
        return f"The run is still being computed: it has reached t = {found.end:.9g} s of {goal:.9g} s."
    return (
        f"The run was interrupted at t = {found.end:.9g} s of {goal:.9g} s; everything up to then is kept, and "
        f"cm.resume({str(path)!r}) goes on."
    )


def sketch_of(head: dict[str, Any]) -> Any:
    """What pictures need, from the model of the run."""
    if head["model"] is None:
        return None
    system = system_of(head["model"])
    return deferred_drawing_data(system)() if hasattr(system, "bodies") and hasattr(system, "joints") else None


def system_of(text: str) -> Any:
    from carom.io.model.reading import read

    return read(text).system


# ---- result files


def finish(path: str | os.PathLike[str]) -> None:
    """Make the result file of a run that has ended, and remove its records."""
    found = find(part_of(path))
    if found is None or not found.ended:
        raise ResultFileError(f"{path} is no run that has ended")
    advice = f"The run is over and all of it is kept: make room, then cm.resume({str(path)!r}) writes the file"
    with writing(Path(path), advice), whole(path) as new:
        try:
            with h5py.File(new, "x") as file:
                write_file(file, path, found)
        except (OSError, RuntimeError) as error:  # what HDF5 makes of a full disk
            raise OSError(getattr(error, "errno", None), getattr(error, "strerror", None) or str(error)) from error
        with open(new, "r+b") as stream:
            os.fsync(stream.fileno())
    remove(path)


def remove(path: str | os.PathLike[str]) -> None:
    """Take the records away: they are in the result file."""
    for place in (new_state_of(path), state_of(path), new_part_of(path), part_of(path)):
        place.unlink(missing_ok=True)


def write_file(file: h5py.File, path: str | os.PathLike[str], found: Found) -> None:
    head, about = found.result_head(), found.about
    if not found.complete:  # stopped before it came as far as the records of an earlier computation
        about = {**about, "outcome": Outcome.INTERRUPTED.name, "message": told(path, found)}
    impacts = Impacts([*found.impacts, *found.still])
    shown = {"name": head.name, "dim": head.dim, "message": about["message"], "stats": about["stats"],
             "settings": found.head["settings"], "smooth": head.smooth, "outcome": about["outcome"]}  # fmt: skip
    write_head(file, shown, head.bodies, head.elements, impacts, sketch_of(found.head))
    widths = {name: np.shape(getattr(next(found.pieces()), name))[1:] for name in Piece.names()}
    places = {name: file.create_dataset(name, (found.count, *widths[name]), float)
              for name in Piece.names() if name != "energies"}  # fmt: skip
    energies = [file.create_dataset(f"energy/{name}", (found.count,), float) for name in Energy.names()]
    at = 0
    for piece in found.pieces():
        rows = slice(at, at + len(piece.t))
        for name, place in places.items():
            place[rows] = getattr(piece, name)
        for place, column in zip(energies, piece.energies.T, strict=True):
            place[rows] = column
        at = rows.stop
    mark_lasting(places["t"][()], places["signals"], head.elements, impacts)
    write_checkpoint(file.create_group(RESUME), path, found)


def write_checkpoint(group: h5py.Group, path: str | os.PathLike[str], found: Found) -> None:
    """Store what a run is resumed with, each part with its checksum."""
    known = read_state(path, found)
    later = found.best.chunks
    if known is not None:
        about, state = known
        before = found.chunks_up_to(about["length"]) or []
        later = [chunk for chunk in found.best.chunks if chunk not in before]
        group["state"] = np.frombuffer(pack(about, state), np.uint8)
    logged = [asdict(impact) for chunk in later for impact in chunk.impacts]
    group["head"] = tagged_json.dumps(found.head)
    group["still"] = tagged_json.dumps([asdict(impact) for impact in found.still])
    group["later"] = tagged_json.dumps(logged)
    for place in group.values():
        place.attrs[CHECKSUM] = zlib.crc32(content_of(place))


def content_of(place: h5py.Dataset) -> bytes:
    value = place[()]
    return value if isinstance(value, bytes) else value.tobytes()


def check_checkpoint(path: str | os.PathLike[str], group: h5py.Group) -> None:
    """Raise where what a run is resumed with is not what was written; early files have no checksums."""
    for name in group:
        place = dataset(group, name)
        if CHECKSUM in place.attrs and place.attrs[CHECKSUM] != zlib.crc32(content_of(place)):
            raise ResultFileError(
                f"resume: {path} is damaged: the checksum of its checkpoint ({name}) is wrong; its results can be "
                "read, but the run cannot be resumed. Start it again"
            )


# ---- going on


def resume(
    path: str | os.PathLike[str],
    *,
    system: Any = None,
    t_end: float | None = None,
    progress: bool | Callable[[float], Any] | None = None,
) -> Result:
    """Go on with a run that `simulate` writes to the file ``path``, as if it had not been interrupted.

    The result has the same bits as that of a run nobody interrupted. ``system`` is for models that no file can hold,
    such as those with Python functions: the one the run was started with. A run that has ended is returned as it is, or
    goes on to a later ``t_end`` [s]. ``progress`` is that of `simulate`.
    """
    part = part_of(path)
    if not part.exists():
        result = load(path)
        if not goes_on(result, t_end):
            return result
    with writing(part, "Make the folder writable"):
        lock = FileLock("resume", path)
    with lock:
        found = find(part) if part.exists() else None
        if part.exists() and found is None:
            raise ResultFileError(f"{part} cannot be read as a run; remove it, and start the run again")
        if found is not None and found.ended and not found.failed:
            finish(path)
            found = None
        if found is None:
            result = load(path)
            if not goes_on(result, t_end):
                return result
            found = unpack_file(path)
        return _resume(path, found, lock, system, t_end, progress)


def _resume(
    path: str | os.PathLike[str],
    found: Found,
    lock: FileLock,
    system: Any,
    t_end: float | None,
    progress: bool | Callable[[float], Any] | None,
) -> Result:
    """Continue the records of a run under a lock."""
    options = options_of(path, found.head)
    if t_end is not None:
        t_end = positive("resume", "t_end", t_end)
        if t_end < found.end:
            raise ModelError(f"resume: {path} has reached t = {found.end:.9g} s; t_end must be later, got {t_end:g}")
        options["t_end"] = float(t_end)
    if system is None:
        if found.head["model"] is None:
            raise ModelError(
                f"resume: {path} does not hold the model ({found.head['reason']}); give the one the run was started "
                f"with, cm.resume({str(path)!r}, system=...)"
            )
        system = system_of(found.head["model"])
    from carom.solve.simulate import compute

    with Writer.reopen(path, found, lock) as journal:
        journal.head = {**journal.head, "options": dict(options)}
        every, end = options.pop("every"), options.pop("t_end")
        return compute(system, end, every, progress, journal, **options)


def options_of(path: str | os.PathLike[str], head: dict[str, Any]) -> dict[str, Any]:
    """Those of `simulate` that the run was started with."""
    from carom.solve.simulate import METHODS

    options = dict(head["options"])
    method = str(options.get("method"))
    if method not in METHODS or set(options) != {"t_end", "every", "method", *METHODS[method][1]}:
        raise ResultFileError(f"{path} is damaged: it does not say how the run was started")
    return {**options, "t_end": positive("resume", "t_end", options["t_end"])}


def goes_on(result: Result, t_end: float | None) -> bool:
    """Whether there is more to compute of a run that has ended."""
    if result.outcome is Outcome.INTERRUPTED:
        return True
    return result.outcome.ok and t_end is not None and t_end > result.t[-1]


def unpack_file(path: str | os.PathLike[str]) -> Found:
    """Write records and checkpoint of a run again, from its result file, which stays as it is."""
    with readable(path), h5py.File(path, "r") as file:
        check_budget(file)
        if RESUME not in file:
            raise ResultFileError(
                f"resume: {path} was not written while it was computed; runs of simulate(..., output='run.h5') go on"
            )
        group = file[RESUME]
        check_checkpoint(path, group)
        head = mapping("head", text(group, "head"), KNOWN)
        still = [made(Impact, impact) for impact in text(group, "still")]
        later = [made(Impact, impact) for impact in text(group, "later")] if "later" in group else []
        impacts = [made(Impact, impact) for impact in texts(file, "impacts")]
        lasting = {impact.contact for impact in impacts if impact.lasting}
        state = unpack(dataset(group, "state")[()].tobytes()) if "state" in group else None
        count = 0 if state is None else mapping("state", state[0], {"count": int})["count"]
        if not 0 <= count <= file["t"].size:
            raise ResultFileError(f"{path} is damaged: it does not go on from one of its nodes")
        part = part_of(path)
        advice = "Make room, or make the folder writable"
        with writing(part, advice), whole(part) as new, open(new, "wb") as stream:
            stream.write(frame(HEAD, pack(head, {})))
            about = text(file, "about")
            write_nodes(stream, pieces_of(file, 0, count, lasting, head), about,
                        [impact for impact in impacts if impact not in still and impact not in later], [])  # fmt: skip
            length = stream.tell()
            write_nodes(stream, pieces_of(file, count, file["t"].size, lasting, head), about, later, still)
            stream.flush()
            os.fsync(stream.fileno())
    if state is not None:
        exchange_state(path, {**state[0], "length": length}, state[1])
    found = find(part)
    assert found is not None
    return found


def write_nodes(
    stream: BinaryIO, pieces: Iterator[Piece], about: dict[str, Any], impacts: list[Impact], still: list[Impact]
) -> None:
    """Write nodes as chunks, the first with the contacts that ended."""
    logged = [asdict(impact) for impact in impacts]
    for piece in pieces:
        told = {"impacts": logged, "still": [asdict(impact) for impact in still], "about": about}
        stream.write(frame(CHUNK, pack(told, vars(piece))))
        logged = []


def pieces_of(file: h5py.File, start: int, stop: int, lasting: set[str], head: dict[str, Any]) -> Iterator[Piece]:
    """Nodes of a result file, as they were before it was known which contacts lasted."""
    columns = mode_columns(Found(Path(), head, 0, 0).result_head().elements)
    for first in range(start, stop, SLAB):
        rows = slice(first, min(first + SLAB, stop))
        arrays = {name: dataset(file, name)[rows] for name in Piece.names() if name != "energies"}
        for contact in lasting:
            np.minimum(arrays["signals"][:, columns[contact]], 1.0, out=arrays["signals"][:, columns[contact]])
        energies = np.column_stack([dataset(file, f"energy/{name}")[rows] for name in Energy.names()])
        yield Piece(**arrays, energies=energies)
