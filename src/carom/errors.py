"""Errors and warnings people read, and the checks that raise them.

A message is one sentence that names the object, the value, and what would be right.
"""

from __future__ import annotations

import math
import sys
import warnings
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any


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


def number(owner: str, what: str, value: Any) -> float:
    """``value`` as a finite float."""
    try:
        result = float(value)
    except (TypeError, ValueError):
        raise ModelError(f"{owner}: {what} must be a number, got {value!r}") from None
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


def vector(owner: str, what: str, value: Any, size: int | None = None) -> tuple[float, ...]:
    """``value`` as a tuple of ``size`` finite floats (of any number of them when None)."""
    wanted = "a list of" if size is None else size
    if isinstance(value, (str, bytes)) or not isinstance(value, Iterable):
        raise ModelError(f"{owner}: {what} must be {wanted} numbers, got {value!r}")
    items = list(value)
    if size is not None and len(items) != size:
        raise ModelError(f"{owner}: {what} must be {wanted} numbers, got {len(items)}: {value!r}")
    return tuple(number(owner, f"{what}[{k}]", item) for k, item in enumerate(items))


def direction(owner: str, what: str, value: Any, size: int) -> tuple[float, ...]:
    """``value`` scaled to unit length."""
    parts = vector(owner, what, value, size)
    length = math.hypot(*parts)
    if length == 0.0:
        raise ModelError(f"{owner}: {what} must have a direction, got a zero vector {tuple(parts)}")
    return tuple(part / length for part in parts)


def choice(owner: str, what: str, value: Any, allowed: Sequence[str]) -> str:
    if value not in allowed:
        raise ModelError(f"{owner}: {what} must be one of {', '.join(map(repr, allowed))}, got {value!r}")
    return str(value)
