"""Result files in HDF5; loading restores a result exactly.

Layout, version 1 (n nodes, b bodies, m signals):

    attributes    format = "carom result", version = 1
    /about        JSON text: name, dim, outcome, message, stats, settings, smooth
    /bodies       (b,) JSON texts: name, mass [kg], inertia [kg m²]
    /elements     JSON texts, one per element: name, kind, family, members, signals, units, columns [start, stop)
    /t            (n,) times [s]; a jump is a repeated time
    /q /v /a      (n, 3 b) x, y [m] and angle [rad] of each body, in the order of /bodies; first and second derivatives;
                  in 3D (n, 7 b) and (n, 6 b), see `carom.result.spatial_series`
    /signals      (n, m) columns of the elements; `columns` of each element are its column numbers
    /energy/…     (n,) kinetic, potential, elastic, dissipated, friction, driver_work, applied_work [J]
    /impacts      JSON texts, one per impact: the fields of `carom.result.impact_records.ImpactRecord`, in any
                  order
    /wear/k/…     optional, one group per contact that wears, in their order: "about", JSON text: name, density [kg/m³],
                  radii [m], cycle_factor; t [s], depths first and second [m], volumes [m³] (see
                  `carom.result.wear_record`)
    /resume       only for runs written during the computation, bytes: one record with a checksum (see
                  `carom.io.binary_records`) with the head of the run and its last checkpoint
    /columns/…    texts, names and units of the columns of q, v, a and signals, such as "crank.x [m]"; carom does not
                  read them, nor the attributes "description" and "units" of the datasets
    /sketch       optional, the data for drawings: "plain", a JSON text of `DrawingData`, in which
                  {"array": "k"} represents the array k of this group

Names are stored in texts, not in HDF5 paths, so a name may contain a slash or a space. In the JSON texts a tuple is
{"tuple": [...]}.
"""

import os
from collections.abc import Iterable
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

import numpy as np

from carom.argument_checks import readable_file
from carom.io import tagged_json
from carom.io.atomic_write import atomic_write
from carom.io.dataset_descriptions import write_descriptions
from carom.io.result_file_checks import (
    MAX_COMPRESSED_TOTAL,
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
from carom.result import BodyInfo, ElementInfo, Energy, Outcome, Result
from carom.result.drawing_data import DrawingData
from carom.result.impact_records import ImpactRecord
from carom.result.renamed_signals import with_current_signals
from carom.result.wear_record import WearRecord

if TYPE_CHECKING:
    import h5py

FORMAT = "carom result"
VERSION = 1
ABOUT_TYPES = {"name": str, "dim": int, "outcome": str, "message": str, "stats": dict, "settings": dict, "smooth": bool}
"""Entries of /about and their types."""

WEAR_TYPES = {"name": str, "density": float, "radii": tuple, "cycle_factor": float}
WEAR_ARRAYS = ("t", "first", "second", "volumes")
"""Entries of /wear: those of "about" with their types, and the arrays."""
_SIGNATURE = b"\x89HDF\r\n\x1a\n"
_ARRAYS = ("t", "q", "v", "a", "signals")
_ARRAY = "array"  # {"array": "k"} in the JSON text of a sketch represents the array k of its group
_MIN_COMPRESSED = 100_000  # Size of an array from which compression is worth its time.
_MIN_MAPPED = 4_000_000  # Size of an array from which it is mapped into memory instead of read.


def save(result: Result, path: str | os.PathLike[str]) -> None:
    """Write `result` to the HDF5 file `path`, completely or not at all.

    The file is written under a temporary name in the same folder and renamed when complete, so that an interrupted
    write or a full disk leaves the previous file unchanged.
    """
    import h5py

    with atomic_write(path) as temporary, h5py.File(temporary, "x") as file:
        _write(file, result)


def load(path: str | os.PathLike[str]) -> Result:
    """Read a result from the file `path`, written by `save` or by `simulate` during the computation.

    For an interrupted run it is the computed part; the message of the result contains the time reached. Large arrays of
    a run that was written during the computation stay in the file and are read when they are used.

    Examples
    --------
    >>> import carom as cm
    >>> import tempfile
    >>> result = cm.gallery.falling_ball().run()
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     result.save(f"{folder}/run.h5")
    ...     copy = cm.load(f"{folder}/run.h5")
    ...
    >>> copy.name
    'falling ball'
    """
    from carom.io.records import records_path

    if records_path(path).exists():
        from carom.io.unfinished_runs import read_unfinished

        try:
            return read_unfinished(path)
        except ResultFileError:
            if records_path(path).exists():
                raise  # Otherwise the run has ended meanwhile.
    return load_result(path)


def load_result(path: str | os.PathLike[str]) -> Result:
    """Read a result from the file `path`, without the records of an unfinished run beside it."""
    import h5py

    with open(readable_file("result file", path), "rb") as stream:
        if stream.read(len(_SIGNATURE)) != _SIGNATURE:
            raise ResultFileError(f"{path}: not a carom result; it is not an HDF5 file")
    with report_damage(path), h5py.File(path, "r") as file:
        _check_format(file, path)
        check_memory(file)
        return _read(file)


def _write(file: "h5py.File", result: Result) -> None:
    about = {name: getattr(result, name) for name in ("name", "dim", "message", "stats", "settings", "smooth")}
    about["outcome"] = result.outcome.name
    write_metadata(file, about, result.bodies, result.elements, result.impacts, result.sketch)
    arrays = {name: getattr(result, name) for name in _ARRAYS}
    arrays |= {f"energy/{name}": getattr(result.energy, name) for name in Energy.names()}
    compress = sum(array.nbytes for array in arrays.values()) <= MAX_COMPRESSED_TOTAL // 2
    for name, array in arrays.items():
        _write_array(file, name, array, compress)
    for k, record in enumerate(result.wear.values()):
        group = file.create_group(f"wear/{k}")
        group["about"] = tagged_json.dumps({name: getattr(record, name) for name in WEAR_TYPES})
        for name in WEAR_ARRAYS:
            _write_array(group, name, getattr(record, name), compress)
    write_descriptions(file, result.dim, result.bodies, result.elements)


def write_metadata(
    file: "h5py.File",
    about: dict[str, Any],
    bodies: Iterable[BodyInfo],
    elements: Iterable[ElementInfo],
    impacts: Iterable[ImpactRecord],
    sketch: DrawingData | None,
) -> None:
    """Write everything except the arrays at the nodes."""
    file.attrs["format"] = FORMAT
    file.attrs["version"] = VERSION
    file["about"] = tagged_json.dumps(about)
    for name, entries in (("bodies", bodies), ("elements", elements), ("impacts", impacts)):
        _write_texts(file, name, [tagged_json.dumps(asdict(entry)) for entry in entries])
    if sketch is not None:
        _write_sketch(file.create_group("sketch"), sketch)


def _write_sketch(group: "h5py.Group", sketch: DrawingData) -> None:
    n_arrays = 0

    def store_arrays(value: Any) -> Any:
        """Return ``value`` with references in place of arrays."""
        nonlocal n_arrays
        if isinstance(value, np.ndarray):
            _write_array(group, str(n_arrays), value)
            n_arrays += 1
            return {_ARRAY: str(n_arrays - 1)}
        if isinstance(value, dict):
            return {key: store_arrays(item) for key, item in value.items()}
        return [store_arrays(item) for item in value] if isinstance(value, list) else value

    group["plain"] = tagged_json.dumps(store_arrays(sketch.to_plain()))


def _read_sketch(group: "h5py.Group") -> DrawingData:
    arrays: dict[str, Any] = {}

    def load_arrays(value: Any) -> Any:
        """Return ``value`` with arrays in place of references."""
        if isinstance(value, dict):
            if set(value) == {_ARRAY}:
                name = str(value[_ARRAY])
                if name not in arrays:  # A damaged text may refer to one array a million times.
                    arrays[name] = dataset(group, name)[()]
                return arrays[name]
            return {key: load_arrays(item) for key, item in value.items()}
        return [load_arrays(item) for item in value] if isinstance(value, list) else value

    return DrawingData.from_plain(load_arrays(read_json(group, "plain")))


def _write_texts(file: "h5py.File", name: str, texts: list[str]) -> None:
    import h5py

    # A dataset is used, since an attribute is limited to 64 kB.
    file.create_dataset(name, data=texts, shape=(len(texts),), dtype=h5py.string_dtype())


def _write_array(file: "h5py.File", name: str, values: Any, compress: bool = True) -> None:
    """Write an array, compressed if ``compress`` is set and the array is large."""
    options = {"compression": "gzip", "compression_opts": 1, "shuffle": True}
    file.create_dataset(name, data=values, **(options if compress and values.size > _MIN_COMPRESSED else {}))


def _read_array(file: "h5py.File", name: str) -> Any:
    """Return an array of numbers; a large array that is stored contiguously is mapped into memory."""
    item = dataset(file, name)
    if item.dtype.kind not in "fiu":
        raise damaged(file, f"{name} must contain numbers, got {item.dtype}")
    offset = item.id.get_offset()
    if item.size < _MIN_MAPPED or offset is None or item.dtype != np.dtype("<f8"):
        return item[()]
    return np.memmap(item.file.filename, "<f8", "r", offset, item.shape)


def _check_format(file: "h5py.File", path: str | os.PathLike[str]) -> None:
    written = file.attrs.get("format")
    if not isinstance(written, str) or written != FORMAT:
        raise ResultFileError(f"{path}: not a carom result; its attribute 'format' is not '{FORMAT}'")
    version = file.attrs.get("version")
    if np.ndim(version) or version != VERSION:
        raise ResultFileError(
            f"{path}: format version must be {VERSION}, got {str(version)[:20]}; use the version of carom that wrote it"
        )


def _read_wear(group: "h5py.Group") -> WearRecord:
    about = mapping("about", read_json(group, "about"), WEAR_TYPES)
    return WearRecord(**about, **{name: _read_array(group, name) for name in WEAR_ARRAYS})


def _read(file: "h5py.File") -> Result:
    about = mapping("about", read_json(file, "about"), ABOUT_TYPES)
    result = Result(
        **{**about, "outcome": Outcome[about["outcome"]]},
        **{name: _read_array(file, name) for name in _ARRAYS},
        ledger=Energy(**{name: _read_array(file, f"energy/{name}") for name in Energy.names()}),
        bodies=tuple(build(BodyInfo, body) for body in read_json_list(file, "bodies")),
        elements=tuple(with_current_signals(build(ElementInfo, item)) for item in read_json_list(file, "elements")),
        impacts=tuple(build(ImpactRecord, impact) for impact in read_json_list(file, "impacts")),
        sketch=_read_sketch(file["sketch"]) if "sketch" in file else None,
    )
    records = [_read_wear(file[f"wear/{k}"]) for k in range(len(file["wear"]) if "wear" in file else 0)]
    result.wear = {record.name: record for record in records}
    return result
