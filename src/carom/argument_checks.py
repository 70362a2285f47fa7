"""Argument checks: each returns the checked value, or raises a `ModelError` that names owner, argument and value."""

from __future__ import annotations

import math
import os
import stat
import sys
from collections.abc import Iterable, Mapping, Sequence, Set
from contextlib import suppress
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np

from carom.errors import DiskError, MissingFileError, ModelError

# ---- Texts for messages

MAX_REPR = 200
"""Length of a value in a message [characters]."""


def short_repr(value: Any) -> str:
    """Return the repr of ``value``, shortened to `MAX_REPR` characters."""
    try:
        text = repr(value)
    except Exception:  # noqa: BLE001  (integers with thousands of digits, recursive lists, a user-defined repr)
        return f"a {type(value).__name__} too large to show"
    return text if len(text) <= MAX_REPR else f"{text[: MAX_REPR - 1]}…"


def object_label(kind: str, name: Any) -> str:
    """Return kind and name of an object for messages; ``name`` must be None or a non-empty text."""
    if name is None:
        return kind
    if not isinstance(name, str) or not name:
        raise ModelError(f"{kind}: name must be a non-empty string, got {short_repr(name)}")
    return f"{kind} {name!r}"


def similar_names(name: str, allowed: Iterable[str], n: int = 3) -> list[str]:
    """Return at most ``n`` allowed names that are similar to ``name``, the most similar first."""
    import difflib

    return difflib.get_close_matches(name, [*allowed], n=n)


def suggestion(value: Any, allowed: Iterable[str]) -> str:
    """Return "; did you mean …?" if a text is similar to an allowed one, else an empty text."""
    close = similar_names(value, allowed) if isinstance(value, str) and len(value) < 100 else []
    return f"; did you mean {' or '.join(map(repr, close))}?" if close else ""


# ---- Numbers

NOT_NUMBERS = (str, bytes, bytearray, bool, np.bool_, complex, np.complexfloating)
"""Types that are not real numbers, although `float` accepts them or drops a part of them."""


def finite_float(owner: str, what: str, value: Any) -> float:
    """Return ``value`` as a finite float."""
    if isinstance(value, NOT_NUMBERS) or getattr(getattr(value, "dtype", None), "kind", "f") not in "iuf":
        raise ModelError(f"{owner}: {what} must be a number, got {short_repr(value)}")
    try:
        result = float(value)
    except (TypeError, ValueError):
        raise ModelError(f"{owner}: {what} must be a number, got {short_repr(value)}") from None
    except OverflowError:
        raise ModelError(f"{owner}: {what} must be finite, got a whole number beyond 1e308") from None
    if not math.isfinite(result):
        raise ModelError(f"{owner}: {what} must be finite, got {result}")
    return result


def positive(owner: str, what: str, value: Any) -> float:
    """Return ``value`` as a float > 0."""
    result = finite_float(owner, what, value)
    if result <= 0.0:
        raise ModelError(f"{owner}: {what} must be positive, got {result:g}")
    return result


def non_negative(owner: str, what: str, value: Any) -> float:
    """Return ``value`` as a float ≥ 0."""
    result = finite_float(owner, what, value)
    if result < 0.0:
        raise ModelError(f"{owner}: {what} must be positive or zero, got {result:g}")
    return result


def open_fraction(owner: str, what: str, value: Any) -> float:
    """Return ``value`` as a float in the open interval (0, 1)."""
    result = finite_float(owner, what, value)
    if not 0.0 < result < 1.0:
        raise ModelError(f"{owner}: {what} must lie between 0 and 1, got {result:g}")
    return result


def integer(owner: str, what: str, value: Any, least: int, most: int) -> int:
    """Return ``value`` as an integer from ``least`` to ``most``."""
    if isinstance(value, bool) or not isinstance(value, (int, np.integer)) or not least <= value <= most:
        raise ModelError(f"{owner}: {what} must be a whole number from {least} to {most}, got {short_repr(value)}")
    return int(value)


def boolean(owner: str, what: str, value: Any) -> bool:
    """Return ``value`` as a bool; 1 and 0 are accepted."""
    if not isinstance(value, (bool, np.bool_, int)) or value not in (0, 1):
        raise ModelError(f"{owner}: {what} must be True or False, got {short_repr(value)}")
    return bool(value)


# ---- Lists

MAX_ITEMS = 10_000_000
"""Number of items of a list."""


def vector(owner: str, what: str, value: Any, size: int | None = None) -> tuple[float, ...]:
    """Return ``value`` as a tuple of ``size`` finite floats, or of any number of them if None."""
    expected = "a list of" if size is None else size
    if isinstance(value, (str, bytes)) or not is_list(value):
        raise ModelError(f"{owner}: {what} must be {expected} numbers, got {short_repr(value)}")
    items = list(islice(value, MAX_ITEMS if size is None else size + 1))  # An iterator may be infinite.
    if len(items) == MAX_ITEMS:
        raise ModelError(f"{owner}: {what} must have fewer than {MAX_ITEMS} numbers")
    if size is not None and len(items) != size:
        count = len(items) if len(items) < size else len(value) if hasattr(value, "__len__") else "more"
        raise ModelError(f"{owner}: {what} must be {expected} numbers, got {count}: {short_repr(value)}")
    return tuple(finite_float(owner, f"{what}[{k}]", item) for k, item in enumerate(items))


def unit_vector(owner: str, what: str, value: Any, size: int) -> tuple[float, ...]:
    """Return a vector of ``size`` components, scaled to unit length."""
    components = vector(owner, what, value, size)
    length = math.hypot(*components)
    if length == 0.0:
        raise ModelError(f"{owner}: {what} must have a direction, got a zero vector {tuple(components)}")
    if not sys.float_info.min < length < math.inf:  # The length underflows or overflows.
        largest = max(map(abs, components))
        return unit_vector(owner, what, [component / largest for component in components], size)
    return tuple(component / length for component in components)


def limit_length(owner: str, what: str, value: Any) -> Any:
    """Return ``value``; raise if it is a list with more than `MAX_ITEMS` items."""
    if is_list(value) and hasattr(value, "__len__") and len(value) > MAX_ITEMS:
        raise ModelError(f"{owner}: {what} must have at most {MAX_ITEMS} items, got {len(value)}")
    return value


def is_list(value: Any) -> bool:
    """Return True for an ordered iterable; False for sets, mappings and arrays without a dimension."""
    return isinstance(value, Iterable) and not isinstance(value, (Set, Mapping)) and getattr(value, "shape", None) != ()


# ---- Texts


def one_of(owner: str, what: str, value: Any, allowed: Sequence[str]) -> str:
    """Return ``value``, which must be one of the ``allowed`` texts."""
    if not isinstance(value, str) or value not in allowed:
        names = ", ".join(map(repr, allowed))
        raise ModelError(f"{owner}: {what} must be one of {names}, got {short_repr(value)}{suggestion(value, allowed)}")
    return str(value)


# ---- Files

MAX_NAME_BYTES, MAX_PATH_BYTES = 240, 4000
"""Length of a file name, with a reserve for the suffixes of auxiliary files, and of a path [bytes]."""


def file_path(owner: str, value: Any) -> Path:
    """Return ``value`` as the path of a file."""
    parts: list[int] = []
    if isinstance(value, (str, os.PathLike)) and "\0" not in str(value):
        with suppress(TypeError, UnicodeEncodeError):  # The path is of bytes, or cannot be encoded.
            parts = [len(os.fsencode(part)) for part in Path(value).parts]
    if not parts or not Path(value).name:
        raise ModelError(f"{owner} must be the path of a file, got {short_repr(value)}")
    if max(parts) > MAX_NAME_BYTES or sum(parts) + len(parts) > MAX_PATH_BYTES:
        raise ModelError(
            f"{owner} must be a path of at most {MAX_PATH_BYTES} bytes with names of at most {MAX_NAME_BYTES} bytes, "
            f"got {short_repr(value)}"
        )
    return Path(value)


def readable_file(owner: str, value: Any) -> Path:
    """Return ``value`` as the path of an existing regular file."""
    return regular_file(file_path(owner, value))


def regular_file(path: Path) -> Path:
    """Return ``path``, which must be a regular file, since reading a pipe or a device may never end."""
    if not path.exists():
        raise MissingFileError(f"cannot read {path}: file not found")
    if not path.is_file():
        raise ModelError(f"cannot read {path}: it is {'a folder' if path.is_dir() else 'not a regular file'}")
    return path


def check_not_special_file(path: str | os.PathLike[str]) -> None:
    """Raise if ``path``, or the target of a link, is a pipe, a socket or a device."""
    try:
        mode = os.stat(path).st_mode
    except (OSError, ValueError):  # Opening the file reports the problem.
        return
    if not stat.S_ISREG(mode) and not stat.S_ISDIR(mode):
        kinds = {stat.S_IFIFO: "a named pipe", stat.S_IFSOCK: "a socket"}
        kind = kinds.get(stat.S_IFMT(mode), "a device")
        raise DiskError(f"cannot use {path}: it is {kind}, not a regular file; choose another name")
