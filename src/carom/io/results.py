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
    /sketch       where there is one, what pictures need: "plain", a JSON text of `carom.result.sketch.Sketch`, in
                  which {"array": "k"} stands for the array k beside it

Names stand in texts, never in paths, so a name may hold a slash or a space. In the JSON a tuple is {"tuple": [...]}.
"""

import os
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

import numpy as np

from carom.io import tagged_json
from carom.io.whole import whole
from carom.result import BodyInfo, ElementInfo, Energy, Outcome, Result
from carom.result.impacts import Impact
from carom.result.sketch import Sketch

if TYPE_CHECKING:
    import h5py

FORMAT = "carom result"
VERSION = 1

_SIGNATURE = b"\x89HDF\r\n\x1a\n"
_ARRAYS = ("t", "q", "v", "a", "signals")
_ARRAY = "array"  # {"array": "k"} in a sketch stands for an array beside it
_COMPRESSED_FROM = 100_000  # numbers in an array; below this, packing saves nothing worth the time


class ResultFileError(ValueError):
    """The file is not a result that can be read."""


def save(result: Result, path: str | os.PathLike[str]) -> None:
    """Write `result` to the HDF5 file `path`, whole or not at all.

    The file is written under another name in the same folder and moved into place when complete: a run stopped
    while writing, or a full disk, leaves a file that was there before untouched.
    """
    import h5py

    with whole(path) as part, h5py.File(part, "x") as file:
        _write(file, result)


def load(path: str | os.PathLike[str]) -> Result:
    """Read the result that `save` wrote to `path`."""
    import h5py

    with open(path, "rb") as stream:  # a file that is missing or closed to us says so here, in the system's words
        if stream.read(len(_SIGNATURE)) != _SIGNATURE:
            raise ResultFileError(f"{path} is not a carom result: it is not an HDF5 file")
    try:
        with h5py.File(path, "r") as file:
            _check_format(file, path)
            return _read(file)
    except ResultFileError:
        raise
    except (KeyError, OSError, TypeError, ValueError) as error:
        raise ResultFileError(f"{path} cannot be read as a carom result, it is damaged: {error}") from error


def _write(file: "h5py.File", result: Result) -> None:
    file.attrs["format"] = FORMAT
    file.attrs["version"] = VERSION
    about = {name: getattr(result, name) for name in ("name", "dim", "message", "stats", "settings", "smooth")}
    file["about"] = tagged_json.dumps({**about, "outcome": result.outcome.name})
    _write_texts(file, "bodies", [tagged_json.dumps(asdict(body)) for body in result.bodies])
    _write_texts(file, "elements", [tagged_json.dumps(asdict(element)) for element in result.elements])
    for name in _ARRAYS:
        _write_array(file, name, getattr(result, name))
    _write_texts(file, "impacts", [tagged_json.dumps(asdict(impact)) for impact in result.impacts])
    for name in Energy.names():
        _write_array(file, f"energy/{name}", getattr(result.energy, name))
    if result.sketch is not None:
        _write_sketch(file.create_group("sketch"), result.sketch)


def _write_sketch(group: "h5py.Group", sketch: Sketch) -> None:
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


def _read_sketch(group: "h5py.Group") -> Sketch:
    def found(value: Any) -> Any:
        if isinstance(value, dict):
            return group[value[_ARRAY]][()] if set(value) == {_ARRAY} else {k: found(item) for k, item in value.items()}
        return [found(item) for item in value] if isinstance(value, list) else value

    return Sketch.from_plain(found(tagged_json.loads(group["plain"][()])))


def _write_texts(file: "h5py.File", name: str, texts: list[str]) -> None:
    import h5py

    # In a dataset, not an attribute: an attribute holds no more than 64 kB.
    file.create_dataset(name, data=texts, shape=(len(texts),), dtype=h5py.string_dtype())


def _write_array(file: "h5py.File", name: str, values: Any) -> None:
    packed = {"compression": "gzip", "compression_opts": 1, "shuffle": True} if values.size > _COMPRESSED_FROM else {}
    file.create_dataset(name, data=values, **packed)


def _check_format(file: "h5py.File", path: str | os.PathLike[str]) -> None:
    if file.attrs.get("format") != FORMAT:
        raise ResultFileError(f"{path} is not a carom result: its attribute 'format' is not '{FORMAT}'")
    version = file.attrs.get("version")
    if version != VERSION:
        raise ResultFileError(f"{path} is a carom result of version {version}; this carom reads version {VERSION}")


def _read(file: "h5py.File") -> Result:
    about = tagged_json.loads(file["about"][()])
    return Result(
        **{**about, "outcome": Outcome[about["outcome"]]},
        **{name: file[name][()] for name in _ARRAYS},
        ledger=Energy(**{name: file[f"energy/{name}"][()] for name in Energy.names()}),
        bodies=tuple(BodyInfo(**tagged_json.loads(text)) for text in file["bodies"][()]),
        elements=tuple(ElementInfo(**tagged_json.loads(text)) for text in file["elements"][()]),
        impacts=tuple(Impact(**tagged_json.loads(text)) for text in file["impacts"][()]),
        sketch=_read_sketch(file["sketch"]) if "sketch" in file else None,
    )
