"""Ranges of surface parameters: sub-ranges and end types of u and v."""

from __future__ import annotations

import math
from typing import Any

from carom.argument_checks import one_of, short_repr, vector
from carom.errors import ModelError
from carom.geometry.surfaces.base import OPEN, PERIODIC, POLE, ParametricSurface
from carom.typing import RangeLike

FULL_TURN = (0.0, 2.0 * math.pi)
LATITUDES = (-0.5 * math.pi, 0.5 * math.pi)
ROUND = (PERIODIC, PERIODIC)
POLES = (POLE, POLE)
BORDERS = (OPEN, OPEN)

END_TOLERANCE = 1e-12
"""Ratio to the full range below which an end is that of the full range [-]."""


def range_of(owner: str, what: str, value: RangeLike) -> tuple[float, float]:
    """Return (low, high); raise if they do not rise."""
    low, high = vector(owner, what, value, 2)
    if not low < high:
        raise ModelError(f"{owner}: {what} must be (low, high) with low < high, got ({low:g}, {high:g})")
    return low, high


def sub_range(
    owner: str, what: str, value: RangeLike | None, full_range: tuple[float, float], ends: tuple[str, str]
) -> tuple[tuple[float, float], tuple[str, str]]:
    """Return range and end types of a parameter: the ``full_range``, or a part of it, open where it is cut."""
    if value is None:
        return full_range, ends
    low, high = range_of(owner, what, value)
    extent = full_range[1] - full_range[0]
    close = END_TOLERANCE * extent
    if ends == ROUND:
        if high - low > extent + close:
            raise ModelError(f"{owner}: {what} must span {extent:.6g} at most, got ({low:g}, {high:g})")
        return (low, high), ROUND if high - low >= extent - close else BORDERS
    if low < full_range[0] - close or high > full_range[1] + close:
        raise ModelError(
            f"{owner}: {what} must lie within ({full_range[0]:.6g}, {full_range[1]:.6g}), got ({low:.6g}, {high:.6g})"
        )
    at_low, at_high = low <= full_range[0] + close, high >= full_range[1] - close
    limits = (full_range[0] if at_low else low, full_range[1] if at_high else high)
    return limits, (ends[0] if at_low else OPEN, ends[1] if at_high else OPEN)


def set_ranges(
    surface: ParametricSurface,
    owner: str,
    u: RangeLike | None,
    v: RangeLike | None,
    full_u: tuple[float, float],
    ends_u: tuple[str, str],
    full_v: tuple[float, float],
    ends_v: tuple[str, str],
) -> None:
    """Set the ranges and end types of ``surface``; a pole needs the full range of the other parameter."""
    surface.u_range, u_ends = sub_range(owner, "u", u, full_u, ends_u)
    surface.v_range, v_ends = sub_range(owner, "v", v, full_v, ends_v)
    surface.u_ends = u_ends if v_ends == ROUND else _without_poles(u_ends)
    surface.v_ends = v_ends if u_ends == ROUND else _without_poles(v_ends)


def _without_poles(ends: tuple[str, str]) -> tuple[str, str]:
    low, high = (OPEN if end == POLE else end for end in ends)
    return low, high


def ends_of(owner: str, what: str, value: Any) -> tuple[str, str]:
    """Return the types of both ends of a parameter, from one word or two."""
    words = (value, value) if isinstance(value, str) else value
    if not isinstance(words, tuple | list) or len(words) != 2:
        raise ModelError(f"{owner}: {what} must be one or two of 'open', 'periodic', 'pole', got {short_repr(value)}")
    low, high = (one_of(owner, what, word, (OPEN, PERIODIC, POLE)) for word in words)
    if (low == PERIODIC) != (high == PERIODIC):
        raise ModelError(f"{owner}: {what} must be periodic at both ends or at none, got {(low, high)!r}")
    return low, high


def flags_of(owner: str, what: str, value: Any) -> tuple[bool, bool]:
    """Return two booleans, for u and v."""
    flags = tuple(value) if isinstance(value, tuple | list) else ()
    if len(flags) != 2 or not all(isinstance(flag, bool) for flag in flags):
        raise ModelError(f"{owner}: {what} must be two booleans, for u and v, got {short_repr(value)}")
    return flags[0], flags[1]
