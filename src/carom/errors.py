"""Errors and warnings people read, and the checks that raise them.

A message is one sentence that names the object, the value, and what would be right.
"""

from __future__ import annotations

import math
import os
import sys
import warnings
from collections.abc import Iterable, Sequence
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np


class ModelError(ValueError):
    """The model, or a request made of it, cannot be right."""


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
    except (ValueError, RecursionError):  # whole numbers of thousands of digits, lists in lists without end
        return f"a {type(value).__name__} too large to show"
    return text if len(text) <= LONGEST_SHOWN else f"{text[: LONGEST_SHOWN - 1]}…"


def number(owner: str, what: str, value: Any) -> float:
    """``value`` as a finite float."""
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


def file_name(owner: str, value: Any) -> Path:
    """``value`` as the path of a file."""
    if not isinstance(value, (str, os.PathLike)) or "\0" in str(value) or not Path(value).name:
        raise ModelError(f"{owner} must be the path of a file, got {shown(value)}")
    return Path(value)


def share(owner: str, what: str, value: Any) -> float:
    """``value`` as a number between 0 and 1, neither of which it is."""
    result = number(owner, what, value)
    if not 0.0 < result < 1.0:
        raise ModelError(f"{owner}: {what} must lie between 0 and 1, got {result:g}")
    return result


def vector(owner: str, what: str, value: Any, size: int | None = None) -> tuple[float, ...]:
    """``value`` as a tuple of ``size`` finite floats (of any number of them when None)."""
    wanted = "a list of" if size is None else size
    if isinstance(value, (str, bytes)) or not is_list(value):
        raise ModelError(f"{owner}: {what} must be {wanted} numbers, got {shown(value)}")
    items = list(value if size is None else islice(value, size + 1))  # not all of what may have no end
    if size is not None and len(items) != size:
        count = len(items) if len(items) < size else len(value) if hasattr(value, "__len__") else "more"
        raise ModelError(f"{owner}: {what} must be {wanted} numbers, got {count}: {shown(value)}")
    return tuple(number(owner, f"{what}[{k}]", item) for k, item in enumerate(items))


def is_list(value: Any) -> bool:
    """Whether ``value`` can be gone through; an array of no dimension only looks like it."""
    return isinstance(value, Iterable) and getattr(value, "shape", None) != ()


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
        raise ModelError(f"{owner}: {what} must be one of {', '.join(map(repr, allowed))}, got {shown(value)}")
    return str(value)
