"""Errors and warnings people read, and the checks that raise them.

A message is one sentence that names the object, the value, and what would be right.
"""

from __future__ import annotations

import difflib
import math
import os
import stat
import sys
import warnings
from collections.abc import Iterable, Mapping, Sequence, Set
from contextlib import suppress
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np


class ModelError(ValueError):
    """The model, or a request made of it, cannot be right."""


class MissingFileError(ModelError, FileNotFoundError):
    """A file that is to be read is not there."""


class DiskError(OSError):
    """A file could not be written; says which, why, and what to do."""


class CaromWarning(UserWarning):
    """Something the user should know and can act on."""


def notify(message: str) -> None:
    """Warn, pointing at the line outside this package from which it was called."""
    here = Path(__file__).resolve().parent
    level, frame = 2, sys._getframe(1)
    while frame.f_back is not None and here in Path(frame.f_code.co_filename).resolve().parents:
        level, frame = level + 1, frame.f_back
    warnings.warn(message, CaromWarning, stacklevel=level)


LONGEST_SHOWN = 200
"""Characters of a value in a message."""


def shown(value: Any) -> str:
    """``value`` as a message shows it: what Python writes for it, not more than a few lines of that."""
    try:
        text = repr(value)
    except Exception:  # noqa: BLE001  (whole numbers of thousands of digits, lists without end, a repr of the user's)
        return f"a {type(value).__name__} too large to show"
    return text if len(text) <= LONGEST_SHOWN else f"{text[: LONGEST_SHOWN - 1]}…"


def named(kind: str, name: Any) -> str:
    """Kind and name of an element, for messages; ``name`` must be None or a text."""
    if name is None:
        return kind
    if not isinstance(name, str) or not name:
        raise ModelError(f"{kind}: name must be a non-empty string, got {shown(name)}")
    return f"{kind} {name!r}"


NOT_NUMBERS = (str, bytes, bytearray, bool, np.bool_, complex, np.complexfloating)
"""Types that Python converts to a float, or drops a part of, although they are no real numbers."""


def number(owner: str, what: str, value: Any) -> float:
    """``value`` as a finite float."""
    if isinstance(value, NOT_NUMBERS) or getattr(getattr(value, "dtype", None), "kind", "f") not in "iuf":
        raise ModelError(f"{owner}: {what} must be a number, got {shown(value)}")
    try:
        result = float(value)
    except (TypeError, ValueError):
        raise ModelError(f"{owner}: {what} must be a number, got {shown(value)}") from None
    except OverflowError:
        raise ModelError(f"{owner}: {what} must be finite, got a whole number beyond 1e308") from None
    if not math.isfinite(result):
        raise ModelError(f"{owner}: {what} must be finite, got {result}")
    return result


def positive(owner: str, what: str, value: Any) -> float:
    result = number(owner, what, value)
    if result <= 0.0:
        raise ModelError(f"{owner}: {what} must be positive, got {result:g}")
    return result


def not_negative(owner: str, what: str, value: Any) -> float:
    result = number(owner, what, value)
    if result < 0.0:
        raise ModelError(f"{owner}: {what} must be positive or zero, got {result:g}")
    return result


def whole(owner: str, what: str, value: Any, least: int, most: int) -> int:
    """``value`` as a whole number from ``least`` to ``most``."""
    if isinstance(value, bool) or not isinstance(value, (int, np.integer)) or not least <= value <= most:
        raise ModelError(f"{owner}: {what} must be a whole number from {least} to {most}, got {shown(value)}")
    return int(value)


def truth(owner: str, what: str, value: Any) -> bool:
    """``value`` as True or False; 1 and 0 stand for them."""
    if not isinstance(value, (bool, np.bool_, int)) or value not in (0, 1):
        raise ModelError(f"{owner}: {what} must be True or False, got {shown(value)}")
    return bool(value)


LONGEST_NAME, LONGEST_PATH = 240, 4000
"""Bytes of a file's name, which leave room for the endings of files beside it, and of a path."""


def file_name(owner: str, value: Any) -> Path:
    """``value`` as the path of a file."""
    parts: list[int] = []
    if isinstance(value, (str, os.PathLike)) and "\0" not in str(value):
        with suppress(TypeError, UnicodeEncodeError):  # a path of bytes, or letters that no file system has
            parts = [len(os.fsencode(part)) for part in Path(value).parts]
    if not parts or not Path(value).name:
        raise ModelError(f"{owner} must be the path of a file, got {shown(value)}")
    if max(parts) > LONGEST_NAME or sum(parts) + len(parts) > LONGEST_PATH:
        raise ModelError(
            f"{owner} must be a path of at most {LONGEST_PATH} bytes with names of at most {LONGEST_NAME} bytes, "
            f"got {shown(value)}"
        )
    return Path(value)


def readable_file(owner: str, value: Any) -> Path:
    """``value`` as the path of a regular file that is there."""
    return regular(file_name(owner, value))


def regular(path: Path) -> Path:
    """``path`` itself, which must be a regular file: reading a pipe or a device may never end."""
    if not path.exists():
        raise MissingFileError(f"cannot read {path}: file not found")
    if not path.is_file():
        raise ModelError(f"cannot read {path}: it is {'a folder' if path.is_dir() else 'not a regular file'}")
    return path


def check_regular(path: str | os.PathLike[str]) -> None:
    """Raise where something is at ``path``, also behind links, that is neither a regular file nor a folder."""
    try:
        mode = os.stat(path).st_mode
    except (OSError, ValueError):  # nothing there; who opens it says what is wrong
        return
    if not stat.S_ISREG(mode) and not stat.S_ISDIR(mode):
        kinds = {stat.S_IFIFO: "a named pipe", stat.S_IFSOCK: "a socket"}
        kind = kinds.get(stat.S_IFMT(mode), "a device")
        raise DiskError(f"cannot use {path}: it is {kind}, not a regular file; choose another name")


def share(owner: str, what: str, value: Any) -> float:
    """``value`` as a number between 0 and 1, neither of which it is."""
    result = number(owner, what, value)
    if not 0.0 < result < 1.0:
        raise ModelError(f"{owner}: {what} must lie between 0 and 1, got {result:g}")
    return result


MOST_NUMBERS = 10_000_000
"""Of a list."""


def vector(owner: str, what: str, value: Any, size: int | None = None) -> tuple[float, ...]:
    """``value`` as a tuple of ``size`` finite floats (of any number of them when None)."""
    wanted = "a list of" if size is None else size
    if isinstance(value, (str, bytes)) or not is_list(value):
        raise ModelError(f"{owner}: {what} must be {wanted} numbers, got {shown(value)}")
    items = list(islice(value, MOST_NUMBERS if size is None else size + 1))  # not all of what may have no end
    if len(items) == MOST_NUMBERS:
        raise ModelError(f"{owner}: {what} must have fewer than {MOST_NUMBERS} numbers")
    if size is not None and len(items) != size:
        count = len(items) if len(items) < size else len(value) if hasattr(value, "__len__") else "more"
        raise ModelError(f"{owner}: {what} must be {wanted} numbers, got {count}: {shown(value)}")
    return tuple(number(owner, f"{what}[{k}]", item) for k, item in enumerate(items))


def bounded(owner: str, what: str, value: Any) -> Any:
    """``value`` itself, which must not say that it has more items than fit into memory."""
    if is_list(value) and hasattr(value, "__len__") and len(value) > MOST_NUMBERS:
        raise ModelError(f"{owner}: {what} must have at most {MOST_NUMBERS} items, got {len(value)}")
    return value


def is_list(value: Any) -> bool:
    """Return True for an iterable with an order: no set, no mapping, no array without a dimension."""
    return isinstance(value, Iterable) and not isinstance(value, (Set, Mapping)) and getattr(value, "shape", None) != ()


def direction(owner: str, what: str, value: Any, size: int) -> tuple[float, ...]:
    """``value`` scaled to unit length."""
    parts = vector(owner, what, value, size)
    length = math.hypot(*parts)
    if length == 0.0:
        raise ModelError(f"{owner}: {what} must have a direction, got a zero vector {tuple(parts)}")
    if not sys.float_info.min < length < math.inf:  # its square root of a sum is beyond what floats have
        largest = max(map(abs, parts))
        return direction(owner, what, [part / largest for part in parts], size)
    return tuple(part / length for part in parts)


def choice(owner: str, what: str, value: Any, allowed: Sequence[str]) -> str:
    if not isinstance(value, str) or value not in allowed:
        names = ", ".join(map(repr, allowed))
        raise ModelError(f"{owner}: {what} must be one of {names}, got {shown(value)}{meant(value, allowed)}")
    return str(value)


def meant(value: Any, allowed: Iterable[str]) -> str:
    """Return "; did you mean …?" where a word is close to an allowed one, else nothing."""
    close = difflib.get_close_matches(value, [*allowed], n=3) if isinstance(value, str) and len(value) < 100 else []
    return f"; did you mean {' or '.join(map(repr, close))}?" if close else ""
