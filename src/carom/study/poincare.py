"""Poincaré sections and bifurcation diagrams.

A section is specified by its trigger: a number is a period [s] (`Strobe`), "impacts" the end of every impact
(`AtImpacts`), ``("table.y", 0.0)`` the upward crossings of a value by a series (`Crossing`).
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from carom.argument_checks import finite_float, non_negative, one_of, positive, short_repr
from carom.errors import ModelError
from carom.result.impact_records import ImpactRecord
from carom.result.joint_diagnosis import strobe_times
from carom.result.result import Result
from carom.result.series_paths import look_up, series_by_path
from carom.short_form import ShortRepr
from carom.study.measures import IMPACT_ATTRIBUTES
from carom.study.study_model import StudyModelLike, as_study_model
from carom.study.sweep import sweep
from carom.study.sweep_result import SweepResult

if TYPE_CHECKING:
    from matplotlib.figure import Figure

N_BISECTIONS = 50
"""Number of bisections of an interval with a crossing, which reduce it to rounding errors."""


class SectionTrigger(ABC):
    """Times at which a section is taken."""

    @abstractmethod
    def times(self, result: Result) -> np.ndarray:
        """Return the times [s] in ascending order."""

    def impacts(self, result: Result) -> Sequence[ImpactRecord]:
        """Return the impacts at these times; raise if the trigger has none."""
        raise ModelError("section: impact.… can be observed only in a section at impacts; use section='impacts'")


@dataclass(frozen=True)
class Strobe(SectionTrigger):
    """Section once per ``period`` [s], beginning at ``start`` [s].

    Examples
    --------
    >>> import carom as cm
    >>> cm.study.Strobe(period=0.25).times(cm.gallery.falling_ball().run()).tolist()
    [0.0, 0.25, 0.5, 0.75, 1.0]
    """

    period: float
    start: float = 0.0

    def __post_init__(self) -> None:
        positive("Strobe", "period", self.period)
        non_negative("Strobe", "start", self.start)

    def times(self, result: Result) -> np.ndarray:
        """Return the times [s] of the periods."""
        return strobe_times(result, self.period, self.start)


@dataclass(frozen=True)
class AtImpacts(SectionTrigger):
    """Section at the end of every impact, of one ``contact`` or of all; persistent contacts are excluded.

    Examples
    --------
    >>> import carom as cm
    >>> cm.study.AtImpacts().times(cm.gallery.falling_ball().run()).round(4).tolist()
    [0.4285]
    """

    contact: str | None = None

    def impacts(self, result: Result) -> Sequence[ImpactRecord]:
        """Return the impacts."""
        impacts = result.impacts if self.contact is None else result.impacts.of(self.contact)
        return [impact for impact in impacts if not impact.persistent]

    def times(self, result: Result) -> np.ndarray:
        """Return the end times [s] of the impacts."""
        return np.array([impact.t_end for impact in self.impacts(result)])


@dataclass(frozen=True)
class Crossing(SectionTrigger):
    """Section where a series crosses ``value``: "up", "down" or "both".

    Examples
    --------
    >>> import carom as cm
    >>> crossing = cm.study.Crossing("ball.y", value=0.5, direction="down")
    >>> crossing.times(cm.gallery.falling_ball().run()).round(4).tolist()
    [0.3193]
    """

    series: str
    value: float = 0.0
    direction: str = "up"

    def __post_init__(self) -> None:
        finite_float("Crossing", "value", self.value)
        one_of("Crossing", "direction", self.direction, ("up", "down", "both"))

    def times(self, result: Result) -> np.ndarray:
        """Return the times [s] of the crossings, located by bisection."""
        t, is_above = result.t, series_by_path(result, self.series) >= self.value
        first = np.flatnonzero((is_above[1:] != is_above[:-1]) & (t[1:] > t[:-1]))
        if self.direction != "both":
            first = first[is_above[first + 1] == (self.direction == "up")]
        low, high, rising = t[first].copy(), t[first + 1].copy(), is_above[first + 1]
        for _ in range(N_BISECTIONS if len(first) else 0):
            midpoint = 0.5 * (low + high)
            is_after = (series_by_path(result.sample(midpoint), self.series) >= self.value) == rising
            low, high = np.where(is_after, low, midpoint), np.where(is_after, midpoint, high)
        return high


def section_trigger(specification: Any) -> SectionTrigger:
    """Return the trigger of a section from its short form."""
    if isinstance(specification, SectionTrigger):
        return specification
    if isinstance(specification, (int, float)) and not isinstance(specification, bool):
        return Strobe(float(specification))
    if specification == "impacts":
        return AtImpacts()
    if isinstance(specification, (tuple, list)) and 2 <= len(specification) <= 3 and isinstance(specification[0], str):
        return Crossing(*specification)
    raise ModelError(
        "section: must be a period [s], 'impacts', or a series with a value such as ('table.y', 0.0), "
        f"got {short_repr(specification)}"
    )


@dataclass(frozen=True, repr=False)
class SectionPoints(ShortRepr):
    """Evaluates the points of a section of a result: one row per time, one column per observed series.

    ``observe`` names series such as "ball.vy", and at impacts also their quantities such as "impact.approach_speed".
    The first ``discard`` points are omitted, so that the motion can reach its steady state.
    """

    section: Any
    observe: tuple[str, ...]
    discard: int = 0

    def __call__(self, result: Result) -> np.ndarray:
        """Return the points of a result."""
        trigger = section_trigger(self.section)
        times = trigger.times(result)[self.discard :]
        if not len(times):
            return np.zeros((0, len(self.observe)))
        samples = result.sample(times)
        return np.column_stack([self._column(result, samples, trigger, name) for name in self.observe])

    def _column(self, result: Result, samples: Result, trigger: SectionTrigger, name: str) -> np.ndarray:
        owner, _, quantity = name.partition(".")
        if owner != "impact" or owner in result:
            return series_by_path(samples, name)
        look_up(name, dict.fromkeys(IMPACT_ATTRIBUTES), quantity)
        return np.array([getattr(impact, quantity) for impact in trigger.impacts(result)[self.discard :]], float)


@dataclass(frozen=True, repr=False)
class Section(ShortRepr):
    """Points of a section: one row per time, one column per name in ``observe``.

    Examples
    --------
    >>> import carom as cm
    >>> section = cm.study.poincare("falling_ball", "ball.y", cm.study.Strobe(0.25))
    >>> section.observe
    ('ball.y',)
    """

    name: str
    observe: tuple[str, ...]
    points: np.ndarray
    result: Result

    def plot(self, **options: Any) -> Figure:
        """Plot the second column over the first, or each value of a single column over the previous one."""
        from carom.plot.poincare_section import plot_section

        return plot_section(self.points, self.observe, **{"title": self.name, **options})


def poincare(
    case: StudyModelLike, observe: str | Sequence[str], section: Any, *, discard: int = 0, **values: Any
) -> Section:
    """Return the section of one run of ``case``: the series ``observe`` at the times of ``section``.

    The first ``discard`` points are omitted. ``values`` are parameters of the case, run options, or paths in its model.
    ``case`` can also be a result.

    Examples
    --------
    >>> import carom as cm
    >>> section = cm.study.poincare("falling_ball", ["ball.y", "ball.vy"], cm.study.Strobe(0.25))
    >>> section.points.shape
    (5, 2)
    """
    names = (observe,) if isinstance(observe, str) else tuple(observe)
    result = case if isinstance(case, Result) else as_study_model(case).run(values)
    return Section(result.name, names, SectionPoints(section, names, discard)(result), result)


@dataclass(frozen=True)
class SectionMeasure:
    """Measure that returns the section of a run; the section may be a function of the values of the run."""

    section: Any
    observe: str
    discard: int

    @property
    def __name__(self) -> str:
        return self.observe

    def __call__(self, result: Result, values: Mapping[str, Any]) -> np.ndarray:
        """Return the observed series at the times of the section."""
        section = self.section(values) if callable(self.section) else self.section
        return SectionPoints(section, (self.observe,), self.discard)(result)[:, 0]


def bifurcation(
    case: StudyModelLike,
    parameter: str,
    values: Sequence[Any],
    section: Any,
    observe: str,
    *,
    discard: int = 0,
    **options: Any,
) -> SweepResult:
    """Return the section of a run for each of the ``values`` of one ``parameter``; plot it with ``plot_bifurcation``.

    ``section`` is the trigger, or a function that returns it from the values of a run (if, for example, the period
    depends on them). ``observe`` names the series; the first ``discard`` points are omitted. ``options`` are those of
    `sweep`.

    Examples
    --------
    >>> import carom as cm
    >>> section = cm.study.Strobe(0.5)
    >>> diagram = cm.study.bifurcation("falling_ball", "height", [0.5, 1.0], section, "ball.y", executor="serial")
    >>> len(diagram)
    2
    """
    if not callable(section):
        section_trigger(section)
    return sweep(case, {parameter: values}, SectionMeasure(section, observe, discard), **options)
