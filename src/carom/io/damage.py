"""Files of results that are not what they should be: told in one sentence, whatever stands in them."""

from __future__ import annotations

import os
import struct
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from types import UnionType
from typing import TYPE_CHECKING, Any, Union, get_args, get_origin, get_type_hints

from carom.errors import DiskError, ModelError, shown
from carom.io import tagged_json

if TYPE_CHECKING:
    import h5py

DAMAGES = (
    ArithmeticError, AttributeError, LookupError, MemoryError, OSError, RuntimeError, TypeError, ValueError,
    struct.error,
)  # fmt: skip
"""What reading stumbles over when bytes were lost or written by somebody else."""
SMALL = 1 << 20
"""Bytes that are read however few there are in the file."""
PACKED = 1100
"""How many times smaller than itself an array may be in a file; gzip comes to 1032."""
PACKED_TOTAL = 1 << 28
"""Bytes of all arrays up to which a result is compressed; a larger one is written as it is."""
PACKED_ALL = 20
"""How many times smaller than its arrays a file may be that has more than `PACKED_TOTAL` bytes of them."""
FEWEST_ROWS = 16
"""Texts that are read at a time, however large the file is that they refer into."""
DEEPEST = 3
"""Groups inside each other."""


class ResultFileError(ModelError):
    """The file is not a result that can be read."""


@contextmanager
def readable(path: str | os.PathLike[str]) -> Iterator[None]:
    """Say which file is damaged, and how."""
    try:
        yield
    except (ResultFileError, DiskError):
        raise
    except DAMAGES as error:
        told = f"{type(error).__name__} {error}" if isinstance(error, LookupError) else str(error)
        raise ResultFileError(f"{path} cannot be read as a carom result, it is damaged: {told[:400]}") from error


def check_budget(file: h5py.File) -> None:
    """Raise an error where the arrays of a file need more memory than its size explains.

    Every name counts, so that links to one array are not a way around it; numbers count as the float64 they become.
    """
    import h5py

    allowed = max(PACKED_TOTAL, PACKED_ALL * os.path.getsize(file.filename))
    waiting: list[tuple[Any, int]] = [(file, 0)]
    needed = 0
    while waiting:
        group, depth = waiting.pop()
        for name in group:
            item = group.get(name, getlink=True)
            found = group.get(name) if isinstance(item, h5py.HardLink) else None  # `dataset` refuses other links
            if isinstance(found, h5py.Group):
                if depth >= DEEPEST:
                    raise ResultFileError(f"{file.filename} is damaged: it has groups more than {DEEPEST} deep")
                waiting.append((found, depth + 1))
            elif isinstance(found, h5py.Dataset) and found.shape is not None:
                needed += found.size * max(found.dtype.itemsize, 8)
            if needed > allowed:
                raise ResultFileError(
                    f"{file.filename} is damaged: its arrays claim more than {allowed >> 20} MB of memory"
                )


def dataset(group: h5py.Group, name: str) -> h5py.Dataset:
    """An array of numbers or texts of a file: in this file, and no larger than what it has of it.

    Of other types, such as lists of any length, the HDF5 library may crash on damaged ones.
    """
    import h5py

    place = group[name]
    if not isinstance(place, h5py.Dataset) or place.shape is None or place.is_virtual or place.external:
        raise ResultFileError(f"{group.file.filename} is damaged: {name} must be an array")
    if place.file.filename != group.file.filename:
        raise ResultFileError(f"{group.file.filename} is damaged: {name} must stand in the file itself")
    if place.dtype.kind not in "fiub" and h5py.check_string_dtype(place.dtype) is None:
        raise ResultFileError(f"{group.file.filename} is damaged: {name} must be numbers or texts, got {place.dtype}")
    if place.nbytes > max(SMALL, PACKED * place.id.get_storage_size()):
        raise ResultFileError(f"{group.file.filename} is damaged: {name} claims to have {place.nbytes} bytes")
    return place


def text(group: h5py.Group, name: str) -> Any:
    """What a JSON text of a file says."""
    return tagged_json.loads(dataset(group, name)[()])


def texts(group: h5py.Group, name: str) -> list[Any]:
    """What each of several JSON texts says."""
    place = dataset(group, name)
    if place.ndim != 1:
        raise ResultFileError(f"{group.file.filename} is damaged: {name} must be a list of texts")
    size = os.path.getsize(group.file.filename)
    rows, length, found = max(FEWEST_ROWS, PACKED_TOTAL // size), 0, []
    for first in range(0, len(place), rows):
        part = place[first : first + rows]
        length += sum(len(one) for one in part)
        if length > size:  # several may refer to one text
            raise ResultFileError(f"{group.file.filename} is damaged: {name} claims more text than the file has")
        found += [tagged_json.loads(one) for one in part]
    return found


def made(kind: Callable[..., Any], values: Any) -> Any:
    """An object of the dataclass ``kind``, with fields of the types it says."""
    found = kind(**mapping(kind.__name__, values))
    for name, hint in get_type_hints(kind).items():
        if not fits(getattr(found, name), hint):
            raise ResultFileError(f"{kind.__name__}: {name} must not be {shown(getattr(found, name))}")
    return found


def mapping(what: str, values: Any, wanted: Mapping[str, Any] | None = None) -> dict[str, Any]:
    """``values`` as a dict, with what is ``wanted``, of these types."""
    if not isinstance(values, dict):
        raise ResultFileError(f"{what} must be values by name, got {shown(values)}")
    for name, hint in (wanted or {}).items():
        if name not in values or not fits(values[name], hint):
            raise ResultFileError(f"{what}: {name} must not be {shown(values.get(name))}")
    return values


def fits(value: Any, hint: Any) -> bool:
    """Whether ``value`` is of a type: a plain one, several, or a tuple of them."""
    origin, inside = get_origin(hint), get_args(hint)
    if origin in (Union, UnionType):
        return any(fits(value, one) for one in inside)
    if origin is tuple:
        return isinstance(value, tuple) and all(fits(part, inside[0]) for part in value)
    if hint is float:
        return isinstance(value, float) or (fits(value, int) and float(value) == value)
    if hint is int:
        return isinstance(value, int) and not isinstance(value, bool)
    return isinstance(value, origin or hint)
