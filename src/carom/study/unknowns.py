"""What is looked for in a study: numbers with bounds, on a scale on which a step means the same everywhere."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from carom.errors import ModelError, number, shown

DECADES = 100.0
"""Ratio of the bounds from which a range is taken on a logarithmic scale."""
WIDE = 1e3
"""Bounds of a value given without any, as a factor, or as a distance from zero."""


@dataclass(frozen=True)
class Unknown:
    """A number by its name: where the search starts, its bounds, and whether its scale is logarithmic."""

    name: str
    start: float
    low: float
    high: float
    log: bool

    def inner(self, value: float) -> float:
        """``value`` between 0 at the lower bound and 1 at the upper one."""
        if self.log:
            return math.log(value / self.low) / math.log(self.high / self.low)
        return (value - self.low) / (self.high - self.low)

    def outer(self, place: float) -> float:
        """The inverse of `inner`; the bounds come back as they were given."""
        if place in (0.0, 1.0):
            return self.high if place else self.low
        if self.log:
            return self.low * math.exp(place * math.log(self.high / self.low))
        return self.low + place * (self.high - self.low)

    def slope(self, value: float) -> float:
        """d value / d place."""
        return value * math.log(self.high / self.low) if self.log else self.high - self.low

    def step(self, relative: float) -> float:
        """A step of the place that changes the value by this part of itself, or of its range where it may be zero."""
        return relative / math.log(self.high / self.low) if self.log else relative


def unknowns(owner: str, given: Mapping[str, Any]) -> tuple[list[Unknown], dict[str, float]]:
    """Those of ``given`` that are looked for, and those that are held.

    Each is bounds ``(low, high)``, a start with bounds ``(start, low, high)``, a start alone, or a dict with ``value``,
    ``min``, ``max``, ``vary``, ``log``. Where ``high`` is a hundred times ``low`` or more, the scale is logarithmic.
    """
    if not isinstance(given, Mapping) or not given:
        raise ModelError(
            f"{owner}: parameters must name what is looked for, {{'restitution': (0, 1)}}, got {shown(given)}"
        )
    looked, held = [], {}
    for name, item in given.items():
        one = unknown(owner, str(name), item)
        if isinstance(one, Unknown):
            looked.append(one)
        else:
            held[str(name)] = one
    if not looked:
        raise ModelError(f"{owner}: all parameters are held; one must vary")
    return looked, held


def unknown(owner: str, name: str, given: Any) -> Unknown | float:
    """One of them; a number where it does not vary."""
    log = None
    start, low, high = None, None, None
    match given:
        case Mapping():
            strange = sorted(set(map(str, given)) - {"value", "min", "max", "vary", "log"})
            if strange:
                raise ModelError(f"{owner}: {name} has value, min, max, vary and log, got {', '.join(strange)}")
            start, low, high, log = (given.get(key) for key in ("value", "min", "max", "log"))
            if not given.get("vary", True):
                return number(owner, f"the value at which {name} is held", start)
        case str():
            raise ModelError(f"{owner}: {name} needs bounds, (low, high), or (start, low, high), got {shown(given)}")
        case Sequence() if len(given) == 2:
            low, high = given
        case Sequence() if len(given) == 3:
            start, low, high = given
        case Sequence():
            raise ModelError(f"{owner}: {name} needs bounds, (low, high), or (start, low, high), got {shown(given)}")
        case _:
            start = given
    if start is not None:
        start = number(owner, f"the start of {name}", start)
    low, high = bounds(owner, name, start, low, high)
    logarithmic = (low > 0.0 and high >= DECADES * low) if log is None else bool(log)
    if logarithmic and low <= 0.0:
        raise ModelError(f"{owner}: {name} has a logarithmic scale, so its bounds must be positive, got {low:g}")
    if start is None:
        start = math.sqrt(low * high) if logarithmic else 0.5 * (low + high)
    if not low <= start <= high:
        raise ModelError(f"{owner}: {name} starts at {start:g}, outside its bounds {low:g} to {high:g}")
    return Unknown(name, start, low, high, logarithmic)


def bounds(owner: str, name: str, start: float | None, low: Any, high: Any) -> tuple[float, float]:
    """Those given; where there are none, three decades about a start."""
    if start is None and (low is None or high is None):
        raise ModelError(f"{owner}: {name} needs a lower and an upper bound, or a start")
    reach = WIDE * abs(start or 1.0)
    if low is None or low == -math.inf:
        low = (start or 1.0) / WIDE if start is not None and start > 0.0 else -reach
    if high is None or high == math.inf:
        high = reach
    low, high = number(owner, f"the lower bound of {name}", low), number(owner, f"the upper bound of {name}", high)
    if not low < high:
        raise ModelError(f"{owner}: {name} needs a lower bound below the upper one, got {low:g} and {high:g}")
    return low, high
