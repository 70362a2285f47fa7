"""Parameters to be identified or varied: start value, bounds and scale."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from carom.argument_checks import finite_float, short_repr
from carom.errors import ModelError

LOG_RATIO = 100.0
"""Ratio of the bounds [-] from which a range is scaled logarithmically."""
DEFAULT_FACTOR = 1e3
"""Ratio of a default bound to the start value [-]."""


@dataclass(frozen=True)
class FitParameter:
    """A parameter with its start value, its bounds, and a linear or logarithmic scale.

    Solvers work with the unit value of a parameter: 0 at the lower bound, 1 at the upper bound.
    """

    name: str
    start: float
    low: float
    high: float
    log: bool

    def to_unit(self, value: float) -> float:
        """Return the unit value [-] of a parameter value."""
        if self.log:
            return math.log(value / self.low) / math.log(self.high / self.low)
        return (value - self.low) / (self.high - self.low)

    def from_unit(self, unit_value: float) -> float:
        """Return the parameter value of a unit value; the bounds are returned exactly as specified."""
        if unit_value in (0.0, 1.0):
            return self.high if unit_value else self.low
        if self.log:
            return self.low * math.exp(unit_value * math.log(self.high / self.low))
        return self.low + unit_value * (self.high - self.low)

    def derivative(self, value: float) -> float:
        """Return the derivative of the parameter value with respect to its unit value."""
        return value * math.log(self.high / self.low) if self.log else self.high - self.low

    def unit_step(self, relative: float) -> float:
        """Return the step of the unit value [-] for a ``relative`` change of the value.

        On a linear scale the change is relative to the range, because the value may be zero.
        """
        return relative / math.log(self.high / self.low) if self.log else relative


def fit_parameters(owner: str, specification: Mapping[str, Any]) -> tuple[list[FitParameter], dict[str, float]]:
    """Return the parameters that vary, and the values of those that are fixed.

    Each parameter is specified by its bounds ``(low, high)``, by ``(start, low, high)``, by a start value, or by a
    dict with ``value``, ``min``, ``max``, ``vary`` and ``log``. The scale is logarithmic if ``high`` is at least a
    hundred times ``low``.
    """
    if not isinstance(specification, Mapping) or not specification:
        raise ModelError(
            f"{owner}: parameters must be a mapping of names to bounds such as {{'restitution': (0, 1)}}, "
            f"got {short_repr(specification)}"
        )
    varied, fixed = [], {}
    for name, item in specification.items():
        parameter = fit_parameter(owner, str(name), item)
        if isinstance(parameter, FitParameter):
            varied.append(parameter)
        else:
            fixed[str(name)] = parameter
    if not varied:
        raise ModelError(f"{owner}: all parameters are fixed; at least one must vary")
    return varied, fixed


def fit_parameter(owner: str, name: str, specification: Any) -> FitParameter | float:
    """Return one parameter, or its value if it does not vary."""
    log = None
    start, low, high = None, None, None
    match specification:
        case Mapping():
            unknown = sorted(set(map(str, specification)) - {"value", "min", "max", "vary", "log"})
            if unknown:
                raise ModelError(
                    f"{owner}: {name} has unknown keys {', '.join(unknown)}; choose from value, min, max, vary, log"
                )
            start, low, high, log = (specification.get(key) for key in ("value", "min", "max", "log"))
            if not specification.get("vary", True):
                return finite_float(owner, f"the fixed value of {name}", start)
        case str():
            raise bounds_error(owner, name, specification)
        case Sequence() if len(specification) == 2:
            low, high = specification
        case Sequence() if len(specification) == 3:
            start, low, high = specification
        case Sequence():
            raise bounds_error(owner, name, specification)
        case _:
            start = specification
    if start is not None:
        start = finite_float(owner, f"the start value of {name}", start)
    low, high = resolve_bounds(owner, name, start, low, high)
    is_log = (low > 0.0 and high >= LOG_RATIO * low) if log is None else bool(log)
    if is_log and low <= 0.0:
        raise ModelError(f"{owner}: the bounds of {name} must be positive on a logarithmic scale, got {low:g}")
    if start is None:
        start = math.sqrt(low * high) if is_log else 0.5 * (low + high)
    if not low <= start <= high:
        raise ModelError(f"{owner}: the start value of {name} must lie within {low:g} to {high:g}, got {start:g}")
    return FitParameter(name, start, low, high, is_log)


def bounds_error(owner: str, name: str, specification: Any) -> ModelError:
    """Return the error for a specification that has no bounds."""
    return ModelError(
        f"{owner}: {name} must be specified by (low, high) or (start, low, high), got {short_repr(specification)}"
    )


def resolve_bounds(owner: str, name: str, start: float | None, low: Any, high: Any) -> tuple[float, float]:
    """Return the specified bounds; missing ones lie three decades from the start value."""
    if start is None and (low is None or high is None):
        raise ModelError(f"{owner}: {name} needs a lower and an upper bound, or a start value")
    distance = DEFAULT_FACTOR * abs(start or 1.0)
    if low is None or low == -math.inf:
        low = (start or 1.0) / DEFAULT_FACTOR if start is not None and start > 0.0 else -distance
    if high is None or high == math.inf:
        high = distance
    low, high = (
        finite_float(owner, f"the lower bound of {name}", low),
        finite_float(owner, f"the upper bound of {name}", high),
    )
    if not low < high:
        raise ModelError(f"{owner}: the lower bound of {name} must be below the upper bound, got {low:g} and {high:g}")
    return low, high
