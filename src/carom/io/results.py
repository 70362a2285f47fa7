"""Results on disk, in HDF5: everything comes back exactly as it was.

Layout, version 1 (n nodes, b bodies, m signals):

    attributes    format = "carom result", version = 1
    /about        JSON text: name, dim, outcome, message, stats, settings, smooth
    /bodies       (b,) JSON texts: name, mass [kg], inertia [kg m²]
    /elements     JSON texts, one an element: name, kind, family, members, signals, units, columns [start, stop)
    /t            (n,) times [s]; a jump is a time that stands twice
    /q /v /a      (n, 3 b) x, y [m] and angle [rad] of each body, in the order of /bodies; first and second rates;
                  in space (n, 7 b) and (n, 6 b), see `carom.result.spatial_series`
    /signals      (n, m) columns of the elements; `columns` of each element says which are its own
    /energy/…     (n,) kinetic, potential, elastic, dissipated, friction, driver_work, applied_work [J]
    /impacts      JSON texts, one an impact: the fields of `carom.result.impacts.Impact`
    /resume       of a run that was written while it was computed, what it is resumed with: "head" (JSON text: options,
                  settings and model), "still" (JSON text: contacts that had not ended), "later" (JSON text: contacts
                  that ended after the checkpoint), "state" (bytes: the checkpoint); each has its checksum as attribute
                  "crc32"
    /sketch       where there is one, what pictures need: "plain", a JSON text of `DrawingData`, in which
                  {"array": "k"} stands for the array k beside it

Names stand in texts, never in paths, so a name may hold a slash or a space. In the JSON a tuple is {"tuple": [...]}.
"""

import os
from collections.abc import Iterable
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

import numpy as np

from carom.errors import readable_file
from carom.io import tagged_json
from carom.io.damage import (
    PACKED_TOTAL,
    ResultFileError,
    check_budget,
    dataset,
    made,
    mapping,
    readable,
    text,
    texts,
)
from carom.io.whole import whole
from carom.result import BodyInfo, ElementInfo, Energy, Outcome, Result
from carom.result.drawing_data import DrawingData
from carom.result.impacts import Impact

if TYPE_CHECKING:
    import h5py

FORMAT = "carom result"
VERSION = 1
ABOUT = {"name": str, "dim": int, "outcome": str, "message": str, "stats": dict, "settings": dict, "smooth": bool}
"""What /about says, and of which types."""

_SIGNATURE = b"\x89HDF\r\n\x1a\n"
_ARRAYS = ("t", "q", "v", "a", "signals")
_ARRAY = "array"  # {"array": "k"} in a sketch stands for an array beside it
_COMPRESSED_FROM = 100_000  # numbers in an array; below this, packing saves nothing worth the time
_MAPPED_FROM = 4_000_000  # numbers in an array; below this, it is read at once


def save(result: Result, path: str | os.PathLike[str]) -> None:
    """Write `result` to the HDF5 file `path`, whole or not at all.

    The file is written under another name in the same folder and moved into place when complete: a run stopped
    while writing, or a full disk, leaves a file that was there before untouched.
    """
    import h5py

    with whole(path) as part, h5py.File(part, "x") as file:
        _write(file, result)


def load(path: str | os.PathLike[str]) -> Result:
    """Read the result that `save` wrote to `path`, or `simulate` while it computes it.

    Of a run that was interrupted it is what was computed, and the message says how far that is. Large arrays of a run
    that was written while it was computed stay in the file, and are read from there when they are used.
    """
    from carom.io.records import part_of

    if part_of(path).exists():
        from carom.io.streams import read_unfinished

        return read_unfinished(path)
    import h5py

    with open(readable_file("a result", path), "rb") as stream:
        if stream.read(len(_SIGNATURE)) != _SIGNATURE:
            raise ResultFileError(f"{path} is not a carom result: it is not an HDF5 file")
    with readable(path), h5py.File(path, "r") as file:
        _check_format(file, path)
        check_budget(file)
        return _read(file)


def _write(file: "h5py.File", result: Result) -> None:
    about = {name: getattr(result, name) for name in ("name", "dim", "message", "stats", "settings", "smooth")}
    about["outcome"] = result.outcome.name
    write_head(file, about, result.bodies, result.elements, result.impacts, result.sketch)
    arrays = {name: getattr(result, name) for name in _ARRAYS}
    arrays |= {f"energy/{name}": getattr(result.energy, name) for name in Energy.names()}
    packed = sum(array.nbytes for array in arrays.values()) <= PACKED_TOTAL // 2
    for name, array in arrays.items():
        _write_array(file, name, array, packed)


def write_head(
    file: "h5py.File",
    about: dict[str, Any],
    bodies: Iterable[BodyInfo],
    elements: Iterable[ElementInfo],
    impacts: Iterable[Impact],
    sketch: DrawingData | None,
) -> None:
    """All but the numbers at the nodes."""
    file.attrs["format"] = FORMAT
    file.attrs["version"] = VERSION
    file["about"] = tagged_json.dumps(about)
    for name, entries in (("bodies", bodies), ("elements", elements), ("impacts", impacts)):
        _write_texts(file, name, [tagged_json.dumps(asdict(entry)) for entry in entries])
    if sketch is not None:
        _write_sketch(file.create_group("sketch"), sketch)


def _write_sketch(group: "h5py.Group", sketch: DrawingData) -> None:
    count = 0

    def kept(value: Any) -> Any:
        nonlocal count
        if isinstance(value, np.ndarray):
            _write_array(group, str(count), value)
            count += 1
            return {_ARRAY: str(count - 1)}
        if isinstance(value, dict):
            return {key: kept(item) for key, item in value.items()}
        return [kept(item) for item in value] if isinstance(value, list) else value

    group["plain"] = tagged_json.dumps(kept(sketch.to_plain()))


def _read_sketch(group: "h5py.Group") -> DrawingData:
    arrays: dict[str, Any] = {}

    def found(value: Any) -> Any:
        if isinstance(value, dict):
            if set(value) == {_ARRAY}:
                name = str(value[_ARRAY])
                if name not in arrays:  # a text may name one array a million times
                    arrays[name] = dataset(group, name)[()]
                return arrays[name]
            return {key: found(item) for key, item in value.items()}
        return [found(item) for item in value] if isinstance(value, list) else value

    return DrawingData.from_plain(found(text(group, "plain")))


def _write_texts(file: "h5py.File", name: str, texts: list[str]) -> None:
    import h5py

    # In a dataset, not an attribute: an attribute holds no more than 64 kB.
    file.create_dataset(name, data=texts, shape=(len(texts),), dtype=h5py.string_dtype())


def _write_array(file: "h5py.File", name: str, values: Any, packed: bool = True) -> None:
    """Write an array; ``packed`` where all arrays of the file are small enough for the budget of a compressed one."""
    options = {"compression": "gzip", "compression_opts": 1, "shuffle": True}
    file.create_dataset(name, data=values, **(options if packed and values.size > _COMPRESSED_FROM else {}))


def _read_array(file: "h5py.File", name: str) -> Any:
    """The numbers of an array; a large one stays in the file where it stands there in one piece."""
    place = dataset(file, name)
    if place.dtype.kind not in "fiu":
        raise ResultFileError(f"{file.filename} is damaged: {name} must be numbers, got {place.dtype}")
    at = place.id.get_offset()
    if place.size < _MAPPED_FROM or at is None or place.dtype != np.dtype("<f8"):
        return place[()]
    return np.memmap(place.file.filename, "<f8", "r", at, place.shape)


def _check_format(file: "h5py.File", path: str | os.PathLike[str]) -> None:
    written = file.attrs.get("format")
    if not isinstance(written, str) or written != FORMAT:
        raise ResultFileError(f"{path} is not a carom result: its attribute 'format' is not '{FORMAT}'")
    version = file.attrs.get("version")
    if np.ndim(version) or version != VERSION:
        raise ResultFileError(f"{path} is a carom result of version {str(version)[:20]}; this carom reads "
                              f"version {VERSION}")  # fmt: skip


def _read(file: "h5py.File") -> Result:
    about = mapping("about", text(file, "about"), ABOUT)
    return Result(
        **{**about, "outcome": Outcome[about["outcome"]]},
        **{name: _read_array(file, name) for name in _ARRAYS},
        ledger=Energy(**{name: _read_array(file, f"energy/{name}") for name in Energy.names()}),
        bodies=tuple(made(BodyInfo, body) for body in texts(file, "bodies")),
        elements=tuple(made(ElementInfo, element) for element in texts(file, "elements")),
        impacts=tuple(made(Impact, impact) for impact in texts(file, "impacts")),
        sketch=_read_sketch(file["sketch"]) if "sketch" in file else None,
    )
