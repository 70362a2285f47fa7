"""Validation of result files; every corruption is reported as one `ResultFileError`."""

from __future__ import annotations

import os
import struct
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from types import UnionType
from typing import TYPE_CHECKING, Any, Union, get_args, get_origin, get_type_hints

from carom.argument_checks import short_repr
from carom.errors import DiskError, ModelError
from carom.io import tagged_json

if TYPE_CHECKING:
    import h5py

READ_ERRORS = (
    ArithmeticError, AttributeError, LookupError, MemoryError, OSError, RuntimeError, TypeError, ValueError,
    struct.error,
)  # fmt: skip
"""Exceptions raised when the bytes of a file are lost or foreign."""
MIN_ARRAY_LIMIT = 1 << 20
"""Size up to which an array is read, however few bytes it takes in the file [bytes]."""
MAX_COMPRESSION = 1100
"""Largest ratio of the size of an array to its size in the file [-]; gzip reaches 1032."""
MAX_COMPRESSED_TOTAL = 1 << 28
"""Total size of the arrays up to which a result is compressed; larger results are written uncompressed [bytes]."""
MAX_TOTAL_COMPRESSION = 20
"""Largest ratio of arrays of more than `MAX_COMPRESSED_TOTAL` bytes to the size of their file [-]."""
MIN_TEXTS_PER_READ = 16
"""Texts read at a time, independent of the file size."""
MAX_DEPTH = 3
"""Depth of nested groups."""


class ResultFileError(ModelError):
    """Error about a file that cannot be read as a result."""


@contextmanager
def report_damage(path: str | os.PathLike[str]) -> Iterator[None]:
    """Convert errors of the block into a `ResultFileError` that names the file."""
    try:
        yield
    except (ResultFileError, DiskError):
        raise
    except READ_ERRORS as error:
        reason = f"{type(error).__name__} {error}" if isinstance(error, LookupError) else str(error)
        raise ResultFileError(
            f"{path}: the file is damaged and cannot be read as a carom result: {reason[:400]}"
        ) from error


def damaged(group: h5py.Group, problem: str) -> ResultFileError:
    """Return the error for a damaged HDF5 file."""
    return ResultFileError(f"{group.file.filename}: the file is damaged: {problem}")


def check_memory(file: h5py.File) -> None:
    """Raise if the arrays of a file need more memory than its size can explain.

    Each name counts, so that several links to one array do not bypass the limit. Numbers count as float64, the type
    they are converted to.
    """
    import h5py

    limit = max(MAX_COMPRESSED_TOTAL, MAX_TOTAL_COMPRESSION * os.path.getsize(file.filename))
    pending: list[tuple[Any, int]] = [(file, 0)]
    needed = 0
    while pending:
        group, depth = pending.pop()
        for name in group:
            link = group.get(name, getlink=True)
            item = group.get(name) if isinstance(link, h5py.HardLink) else None  # `dataset` rejects other links.
            if isinstance(item, h5py.Group):
                if depth >= MAX_DEPTH:
                    raise damaged(file, f"groups are nested more than {MAX_DEPTH} deep")
                pending.append((item, depth + 1))
            elif isinstance(item, h5py.Dataset) and item.shape is not None:
                needed += item.size * max(item.dtype.itemsize, 8)
            if needed > limit:
                raise damaged(file, f"its arrays need more than {limit >> 20} MB of memory")


def dataset(group: h5py.Group, name: str) -> h5py.Dataset:
    """Return an array of numbers or texts; raise if it lies outside the file or exceeds the stored data.

    Other types, such as arrays of variable length, are rejected, since damaged ones can crash the HDF5 library.
    """
    import h5py

    item = group[name]
    if not isinstance(item, h5py.Dataset) or item.shape is None or item.is_virtual or item.external:
        raise damaged(group, f"{name} must be an array")
    if item.file.filename != group.file.filename:
        raise damaged(group, f"{name} must be stored in the file itself")
    if item.dtype.kind not in "fiub" and h5py.check_string_dtype(item.dtype) is None:
        raise damaged(group, f"{name} must contain numbers or texts, got {item.dtype}")
    if item.nbytes > max(MIN_ARRAY_LIMIT, MAX_COMPRESSION * item.id.get_storage_size()):
        raise damaged(group, f"{name} is declared with {item.nbytes} bytes, more than the file can contain")
    return item


def read_json(group: h5py.Group, name: str) -> Any:
    """Return the data of a JSON text."""
    return tagged_json.loads(dataset(group, name)[()])


def read_json_list(group: h5py.Group, name: str) -> list[Any]:
    """Return the data of each text in a list of JSON texts."""
    item = dataset(group, name)
    if item.ndim != 1:
        raise damaged(group, f"{name} must be a list of texts")
    file_size = os.path.getsize(group.file.filename)
    rows, length, values = max(MIN_TEXTS_PER_READ, MAX_COMPRESSED_TOTAL // file_size), 0, []
    for first in range(0, len(item), rows):
        texts = item[first : first + rows]
        length += sum(len(text) for text in texts)
        if length > file_size:  # Several entries may refer to one stored text.
            raise damaged(group, f"{name} refers to more text than the file contains")
        values += [tagged_json.loads(text) for text in texts]
    return values


def build(kind: Callable[..., Any], values: Any) -> Any:
    """Build an object of the dataclass ``kind``; raise if a field has another type than declared."""
    item = kind(**mapping(kind.__name__, values))
    for name, hint in get_type_hints(kind).items():
        if not matches_type(getattr(item, name), hint):
            raise ResultFileError(
                f"{kind.__name__}: {name} has an invalid value, got {short_repr(getattr(item, name))}"
            )
    return item


def mapping(what: str, values: Any, required: Mapping[str, Any] | None = None) -> dict[str, Any]:
    """Return ``values``, which must be a dict with the ``required`` keys and types."""
    if not isinstance(values, dict):
        raise ResultFileError(f"{what} must be a mapping, got {short_repr(values)}")
    for name, hint in (required or {}).items():
        if name not in values or not matches_type(values[name], hint):
            raise ResultFileError(f"{what}: {name} is missing or invalid, got {short_repr(values.get(name))}")
    return values


def matches_type(value: Any, hint: Any) -> bool:
    """Return True if ``value`` has a type: a class, a union, or a tuple of one type."""
    origin, arguments = get_origin(hint), get_args(hint)
    if origin in (Union, UnionType):
        return any(matches_type(value, alternative) for alternative in arguments)
    if origin is tuple:
        return isinstance(value, tuple) and all(matches_type(item, arguments[0]) for item in value)
    if hint is float:
        return isinstance(value, float) or (matches_type(value, int) and float(value) == value)
    if hint is int:
        return isinstance(value, int) and not isinstance(value, bool)
    return isinstance(value, origin or hint)
