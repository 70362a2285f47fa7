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

SAME = 1e-12
"""Distance of an end from that of the whole range, over the range, below which the two are the same [-]."""


def range_of(owner: str, what: str, value: RangeLike) -> tuple[float, float]:
    """Return (low, high); raise if they do not rise."""
    low, high = vector(owner, what, value, 2)
    if not low < high:
        raise ModelError(f"{owner}: {what} must be (low, high) with low < high, got ({low:g}, {high:g})")
    return low, high


def sub_range(
    owner: str, what: str, value: RangeLike | None, whole: tuple[float, float], ends: tuple[str, str]
) -> tuple[tuple[float, float], tuple[str, str]]:
    """Return range and end types of a parameter: the ``whole``, or a part of it, with open ends where it is cut."""
    if value is None:
        return whole, ends
    low, high = range_of(owner, what, value)
    extent = whole[1] - whole[0]
    close = SAME * extent
    if ends == ROUND:
        if high - low > extent + close:
            raise ModelError(f"{owner}: {what} must span {extent:.6g} at most, got ({low:g}, {high:g})")
        return (low, high), ROUND if high - low >= extent - close else BORDERS
    if low < whole[0] - close or high > whole[1] + close:
        raise ModelError(
            f"{owner}: {what} must lie within ({whole[0]:.6g}, {whole[1]:.6g}), got ({low:.6g}, {high:.6g})"
        )
    at_low, at_high = low <= whole[0] + close, high >= whole[1] - close
    limits = (whole[0] if at_low else low, whole[1] if at_high else high)
    return limits, (ends[0] if at_low else OPEN, ends[1] if at_high else OPEN)


def set_ranges(
    surface: ParametricSurface,
    owner: str,
    u: RangeLike | None,
    v: RangeLike | None,
    whole_u: tuple[float, float],
    ends_u: tuple[str, str],
    whole_v: tuple[float, float],
    ends_v: tuple[str, str],
) -> None:
    """Set the ranges and end types of ``surface``; a pole needs the full range of the other parameter."""
    surface.u_range, u_ends = sub_range(owner, "u", u, whole_u, ends_u)
    surface.v_range, v_ends = sub_range(owner, "v", v, whole_v, ends_v)
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
