"""What is kept of a run: a number of a series or of the impacts, in words, or what a function makes of the result.

"block.vx.final", "touch.normal_force.max", "energy.kinetic.mean": a series and what to make of it.
"impacts.count", "impacts.peak_force.max", "touch.impacts.restitution.mean": of all impacts, or those of a contact.
"energy.drift", "energy.scale", "stats.steps", "outcome", "t.final": what a result has as it is.
"""

from __future__ import annotations

import difflib
import inspect
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, fields
from typing import Any

import numpy as np

from carom.errors import ModelError, is_list, shown
from carom.result.energy import Energy
from carom.result.impact_records import ImpactRecord, ImpactTable
from carom.result.name_lookup import UnknownName
from carom.result.result import Result

Reducer = Callable[[np.ndarray, np.ndarray], Any]


def _mean(t: np.ndarray, x: np.ndarray) -> float:
    return float(np.trapezoid(x, t) / (t[-1] - t[0])) if t[-1] > t[0] else float(x[-1])


REDUCERS: dict[str, Reducer] = {
    "final": lambda t, x: float(x[-1]),
    "first": lambda t, x: float(x[0]),
    "max": lambda t, x: float(np.max(x)),
    "min": lambda t, x: float(np.min(x)),
    "peak": lambda t, x: float(np.max(np.abs(x))),
    "range": lambda t, x: float(np.ptp(x)),
    "mean": _mean,
    "rms": lambda t, x: float(np.sqrt(_mean(t, x * x))),
    "integral": lambda t, x: float(np.trapezoid(x, t)),
    "time_of_max": lambda t, x: float(t[np.argmax(x)]),
    "time_of_min": lambda t, x: float(t[np.argmin(x)]),
}
"""What to make of a series: "peak" is the largest magnitude, means are over time [s]."""

OF_IMPACTS: dict[str, Callable[[np.ndarray], Any]] = {
    "first": lambda x: float(x[0]),
    "final": lambda x: float(x[-1]),
    "max": lambda x: float(np.max(x)),
    "min": lambda x: float(np.min(x)),
    "mean": lambda x: float(np.mean(x)),
    "sum": lambda x: float(np.sum(x)),
}
IMPACT = (*(field.name for field in fields(ImpactRecord) if field.name != "contact"), "restitution", "duration")
USUAL = ("impacts.count", "impacts.peak_force.max", "impacts.restitution.mean", "energy.drift")
"""What is kept where nothing is said."""


class Unmeasurable(ModelError):
    """A measure that does not fit the result."""


@dataclass(frozen=True)
class Measure:
    """A number of a result, in words."""

    name: str

    def __post_init__(self) -> None:
        if not self.name or ("." not in self.name and self.name != "outcome"):
            raise ModelError(f"measure {self.name!r} must name a series and what to make of it, such as block.vx.final")

    def __call__(self, result: Result, values: Mapping[str, Any]) -> Any:
        owner, _, last = self.name.rpartition(".")
        if self.name == "outcome":
            return result.outcome.name
        if owner == "stats":
            return known(self.name, result.stats, last)
        if owner == "energy" and last in ("drift", "scale"):
            return float(getattr(result.energy, last))
        impacts = impacts_of(self.name, result)
        if impacts is not None:
            return impacts
        reduce = known(self.name, REDUCERS, last)
        return reduce(result.t, series(result, owner))


@dataclass(frozen=True)
class Function:
    """What a function makes of a result, or of a result and the values of its run."""

    function: Callable[..., Any]

    @property
    def name(self) -> str:
        inner = getattr(self.function, "func", self.function)  # of a partial
        return str(getattr(inner, "__name__", type(inner).__name__))

    def __call__(self, result: Result, values: Mapping[str, Any]) -> Any:
        needed = [one for one in inspect.signature(self.function).parameters.values() if one.default is one.empty]
        return kept(self.function(result, values) if len(needed) == 2 else self.function(result))


def measures(given: Any) -> tuple[Measure | Function, ...]:
    """From one or several words or functions."""
    if given is None:
        given = USUAL
    several = [given] if isinstance(given, str) or callable(given) or not is_list(given) else list(given)
    found = tuple(Measure(one) if isinstance(one, str) else _function(one) for one in several)
    names = [one.name for one in found]
    twice = sorted({name for name in names if names.count(name) > 1})
    if twice or not found:
        raise ModelError(f"measures must have names of their own, got {', '.join(twice)} twice" if twice else
                         "say what to measure, measure=['impacts.count']")  # fmt: skip
    return found


def _function(one: Any) -> Measure | Function:
    if isinstance(one, (Measure, Function)):
        return one
    if not callable(one):
        raise ModelError(f"a measure is a text such as 'block.vx.final' or a function of a result, got {shown(one)}")
    return Function(one)


def series(result: Result, path: str) -> np.ndarray:
    """A series of a result by its path: "block.vx", "touch.normal_force", "energy.kinetic", "t"."""
    if path == "t":
        return result.t
    owner, _, quantity = path.rpartition(".")
    if owner == "energy" and owner not in result:
        return known(
            path, {name: getattr(result.energy, name) for name in (*Energy.names(), "total", "balance")}, quantity
        )
    try:
        found = getattr(result[owner], quantity, None) if owner else None
    except UnknownName as error:
        raise Unmeasurable(f"measure {path!r}: {error}") from None
    if not owner:
        raise Unmeasurable(f"measure {path!r} must name a body or element and its series, such as block.vx")
    if not isinstance(found, np.ndarray) or found.ndim != 1:
        raise Unmeasurable(
            f"measure {path!r}: {owner!r} has no series {quantity!r}; it has {', '.join(result[owner].units)}"
        )
    return found


def impacts_of(name: str, result: Result) -> Any:
    """What a measure of impacts says; None where it is of something else."""
    parts = name.split(".")
    if "impacts" not in parts or parts[parts.index("impacts") :] == ["impacts"]:
        return None
    place = parts.index("impacts")
    contact, rest = ".".join(parts[:place]), parts[place + 1 :]
    chosen = result.impacts
    if contact:
        contacts = {element.name: element for element in result.elements if element.family == "contact"}
        known(name, contacts, contact)
        chosen = result.impacts.of(contact)
    if rest == ["count"]:
        return len(chosen)
    if len(rest) != 2:
        raise Unmeasurable(
            f"measure {name!r}: write impacts.count or impacts.QUANTITY.REDUCER, as impacts.peak_force.max"
        )
    known(name, dict.fromkeys(IMPACT), rest[0])
    reduce = known(name, OF_IMPACTS, rest[1])
    return reduce(column(chosen, rest[0])) if chosen else float("nan")


def column(impacts: ImpactTable, quantity: str) -> np.ndarray:
    """One number of every impact; not-a-number where it has none."""
    values = [getattr(impact, quantity) for impact in impacts]
    return np.array([np.nan if value is None else value for value in values], float)


def known(name: str, has: Any, key: str) -> Any:
    if key not in has:
        close = difflib.get_close_matches(key, list(has), n=1)
        meant = f"did you mean {close[0]!r}?" if close else f"there is {', '.join(has)}"
        raise Unmeasurable(f"measure {name!r}: there is no {key!r}; {meant}")
    return has[key]


def kept(value: Any) -> Any:
    """A number, text, list or mapping that can be written down and read again as it is."""
    if isinstance(value, np.ndarray):
        value = value.tolist()
    if isinstance(value, np.generic):
        value = value.item()
    if value is None or isinstance(value, (bool, int, float, str)):
        return value
    if isinstance(value, dict):
        return {str(key): kept(item) for key, item in value.items()}
    if isinstance(value, Sequence):
        return [kept(item) for item in value]
    raise Unmeasurable(f"a measure must be a number, text, array or mapping of these, got {shown(value)}")
