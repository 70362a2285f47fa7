"""Measures: numbers that a study evaluates from the result of a run, by name or by a function.

"block.vx.final", "touch.normal_force.max", "energy.kinetic.mean": a reduction of a series.
"impacts.count", "impacts.peak_force.max", "touch.impacts.restitution.mean": impacts of all contacts or of one.
"energy.drift", "energy.scale", "stats.steps", "outcome", "t.final": values of the result itself.
A `SeriesMeasure` is a compiled function of series.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, fields
from typing import Any

import numpy as np

from carom.argument_checks import is_list, short_repr
from carom.errors import ModelError
from carom.result.impact_records import ImpactRecord, ImpactTable
from carom.result.result import Result
from carom.result.series_paths import MeasureError, look_up, series_by_path
from carom.study.series_measure import SeriesMeasure

Reduction = Callable[[np.ndarray, np.ndarray], Any]


def _mean(t: np.ndarray, x: np.ndarray) -> float:
    return float(np.trapezoid(x, t) / (t[-1] - t[0])) if t[-1] > t[0] else float(x[-1])


REDUCTIONS: dict[str, Reduction] = {
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
"""Reductions of a series: "peak" is the largest magnitude; means and integrals are over time [s]."""

IMPACT_REDUCTIONS: dict[str, Callable[[np.ndarray], Any]] = {
    "first": lambda x: float(x[0]),
    "final": lambda x: float(x[-1]),
    "max": lambda x: float(np.max(x)),
    "min": lambda x: float(np.min(x)),
    "mean": lambda x: float(np.mean(x)),
    "sum": lambda x: float(np.sum(x)),
}
IMPACT_ATTRIBUTES = (
    *(field.name for field in fields(ImpactRecord) if field.name != "contact"),
    "restitution",
    "duration",
)
DEFAULT_MEASURES = ("impacts.count", "impacts.peak_force.max", "impacts.restitution.mean", "energy.drift")


@dataclass(frozen=True)
class Measure:
    """A measure by name."""

    name: str

    def __post_init__(self) -> None:
        if not self.name or ("." not in self.name and self.name != "outcome"):
            raise ModelError(
                f"measure {self.name!r}: must name a series and a reduction, such as block.vx.final; "
                f"reductions: {', '.join(REDUCTIONS)}"
            )

    def __call__(self, result: Result, values: Mapping[str, Any]) -> Any:
        """Return the measure of a result."""
        owner, _, last = self.name.rpartition(".")
        if self.name == "outcome":
            return result.outcome.name
        if owner == "stats":
            return look_up(self.name, result.stats, last)
        if owner == "energy" and last in ("drift", "scale"):
            return float(getattr(result.energy, last))
        if is_impact_measure(self.name):
            return impact_measure(self.name, result)
        reduce = look_up(self.name, REDUCTIONS, last)
        return reduce(result.t, series_by_path(result, owner))


@dataclass(frozen=True)
class FunctionMeasure:
    """A measure by a function of the result, or of the result and the values of its run."""

    function: Callable[..., Any]

    @property
    def name(self) -> str:
        """Name of the function."""
        inner = getattr(self.function, "func", self.function)  # A partial has no name of its own.
        return str(getattr(inner, "__name__", type(inner).__name__))

    def __call__(self, result: Result, values: Mapping[str, Any]) -> Any:
        """Return the measure of a result as built-in types."""
        parameters = inspect.signature(self.function).parameters.values()
        required = [parameter for parameter in parameters if parameter.default is parameter.empty]
        return plain_value(self.function(result, values) if len(required) == 2 else self.function(result))


AnyMeasure = Measure | FunctionMeasure | SeriesMeasure
"""A measure of a study."""


def as_measures(specification: Any) -> tuple[AnyMeasure, ...]:
    """Return measures from one or several names or functions; None gives the default measures."""
    if specification is None:
        specification = DEFAULT_MEASURES
    is_single = isinstance(specification, str) or callable(specification) or not is_list(specification)
    items = [specification] if is_single else list(specification)
    measures = tuple(Measure(item) if isinstance(item, str) else _function_measure(item) for item in items)
    if not measures:
        raise ModelError("measure: needs at least one measure, for example measure=['impacts.count']")
    names = [measure.name for measure in measures]
    duplicates = sorted({name for name in names if names.count(name) > 1})
    if duplicates:
        raise ModelError(f"measure: names must be unique, got {', '.join(duplicates)} twice")
    return measures


def _function_measure(item: Any) -> AnyMeasure:
    if isinstance(item, (Measure, FunctionMeasure, SeriesMeasure)):
        return item
    if not callable(item):
        raise ModelError(
            f"measure: must be a text such as 'block.vx.final' or a function of a result, got {short_repr(item)}"
        )
    return FunctionMeasure(item)


def is_impact_measure(name: str) -> bool:
    """Return True if a name refers to impacts."""
    parts = name.split(".")
    return "impacts" in parts and parts[parts.index("impacts") :] != ["impacts"]


def impact_measure(name: str, result: Result) -> Any:
    """Return the number of impacts or a reduction of one of their quantities, NaN without impacts."""
    parts = name.split(".")
    index = parts.index("impacts")
    contact, rest = ".".join(parts[:index]), parts[index + 1 :]
    impacts = result.impacts
    if contact:
        contacts = {element.name: element for element in result.elements if element.family == "contact"}
        look_up(name, contacts, contact)
        impacts = result.impacts.of(contact)
    if rest == ["count"]:
        return len(impacts)
    if len(rest) != 2:
        raise MeasureError(
            f"measure {name!r}: must be impacts.count or impacts.QUANTITY.REDUCTION, such as impacts.peak_force.max"
        )
    look_up(name, dict.fromkeys(IMPACT_ATTRIBUTES), rest[0])
    reduce = look_up(name, IMPACT_REDUCTIONS, rest[1])
    return reduce(impact_values(impacts, rest[0])) if impacts else float("nan")


def impact_values(impacts: ImpactTable, quantity: str) -> np.ndarray:
    """Return a quantity of every impact, NaN where it is undefined."""
    values = [getattr(impact, quantity) for impact in impacts]
    return np.array([np.nan if value is None else value for value in values], float)


def plain_value(value: Any) -> Any:
    """Return a number, text, array or mapping as built-in types that JSON reproduces exactly."""
    if isinstance(value, np.ndarray):
        value = value.tolist()
    if isinstance(value, np.generic):
        value = value.item()
    if value is None or isinstance(value, (bool, int, float, str)):
        return value
    if isinstance(value, dict):
        return {str(key): plain_value(item) for key, item in value.items()}
    if isinstance(value, Sequence):
        return [plain_value(item) for item in value]
    raise MeasureError(f"measure: must return a number, text, array or mapping of these, got {short_repr(value)}")
