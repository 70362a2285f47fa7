"""Sections of a motion: the state once a period, at impacts, or where a series passes a value; and bifurcations.

A section says when to look: a number is a period [s] (`Strobe`), "impacts" the end of every impact (`AtImpacts`),
``("table.y", 0.0)`` the moments when a series passes a value upwards (`Crossing`).
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from carom.errors import ModelError, choice, not_negative, number, positive, shown
from carom.result.impact_records import ImpactRecord
from carom.result.result import Result
from carom.study.measure import IMPACT, known, series
from carom.study.subject import subject
from carom.study.sweep import sweep
from carom.study.table import Sweep

if TYPE_CHECKING:
    from matplotlib.figure import Figure

HALVINGS = 50
"""Of an interval that holds a crossing: down to rounding."""


class When(ABC):
    """The moments of a section."""

    @abstractmethod
    def times(self, result: Result) -> np.ndarray:
        """[s], in order."""

    def impacts(self, result: Result) -> Sequence[ImpactRecord]:
        """The impacts at these times, where they are some."""
        raise ModelError("only a section at impacts has impact.… to observe")


@dataclass(frozen=True)
class Strobe(When):
    """Once every ``period`` [s], from ``start`` [s] on."""

    period: float
    start: float = 0.0

    def __post_init__(self) -> None:
        positive("Strobe", "period", self.period)
        not_negative("Strobe", "start", self.start)

    def times(self, result: Result) -> np.ndarray:
        last = float(result.t[-1])
        count = math.floor((last - self.start) / self.period * (1.0 + 1e-12))
        return np.minimum(self.start + self.period * np.arange(count + 1), last)


@dataclass(frozen=True)
class AtImpacts(When):
    """At the end of every impact, of one ``contact`` or of all; lasting contacts are none."""

    contact: str | None = None

    def impacts(self, result: Result) -> Sequence[ImpactRecord]:
        found = result.impacts if self.contact is None else result.impacts.of(self.contact)
        return [impact for impact in found if not impact.persistent]

    def times(self, result: Result) -> np.ndarray:
        return np.array([impact.t_end for impact in self.impacts(result)])


@dataclass(frozen=True)
class Crossing(When):
    """Where a series passes ``value``, "up", "down" or in "both" directions."""

    series: str
    value: float = 0.0
    direction: str = "up"

    def __post_init__(self) -> None:
        number("Crossing", "value", self.value)
        choice("Crossing", "direction", self.direction, ("up", "down", "both"))

    def times(self, result: Result) -> np.ndarray:
        t, high = result.t, series(result, self.series) >= self.value
        begins = np.flatnonzero((high[1:] != high[:-1]) & (t[1:] > t[:-1]))
        if self.direction != "both":
            begins = begins[high[begins + 1] == (self.direction == "up")]
        low, end, rising = t[begins].copy(), t[begins + 1].copy(), high[begins + 1]
        for _ in range(HALVINGS if len(begins) else 0):
            middle = 0.5 * (low + end)
            beyond = (series(result.sample(middle), self.series) >= self.value) == rising
            low, end = np.where(beyond, low, middle), np.where(beyond, middle, end)
        return end


def when(given: Any) -> When:
    """From what is said in short."""
    if isinstance(given, When):
        return given
    if isinstance(given, (int, float)) and not isinstance(given, bool):
        return Strobe(float(given))
    if given == "impacts":
        return AtImpacts()
    if isinstance(given, (tuple, list)) and 2 <= len(given) <= 3 and isinstance(given[0], str):
        return Crossing(*given)
    raise ModelError(
        f"a section is a period [s], 'impacts', or a series and a value ('table.y', 0.0), got {shown(given)}"
    )


@dataclass(frozen=True)
class Observe:
    """What is seen in a section of a run: a row for every moment, a column for every series.

    ``observe`` names series, "ball.vy", or at impacts also what these have, "impact.approach_speed". The first
    ``discard`` moments are left out, in which the motion settles.
    """

    section: Any
    observe: tuple[str, ...]
    discard: int = 0

    def __call__(self, result: Result) -> np.ndarray:
        at = when(self.section)
        times = at.times(result)[self.discard :]
        if not len(times):
            return np.zeros((0, len(self.observe)))
        seen = result.sample(times)
        return np.column_stack([self._column(result, seen, at, name) for name in self.observe])

    def _column(self, result: Result, seen: Result, at: When, name: str) -> np.ndarray:
        owner, _, quantity = name.partition(".")
        if owner != "impact" or owner in result:
            return series(seen, name)
        known(name, dict.fromkeys(IMPACT), quantity)
        return np.array([getattr(impact, quantity) for impact in at.impacts(result)[self.discard :]], float)


@dataclass(frozen=True)
class Section:
    """Points of a section: a row for every moment, columns as ``observe`` names them."""

    name: str
    observe: tuple[str, ...]
    points: np.ndarray
    result: Result

    def plot(self, **options: Any) -> Figure:
        """The first two columns against each other, or the only one against the next (`plot_section`)."""
        from carom.plot.section import plot_section

        return plot_section(self.points, self.observe, **{"title": self.name, **options})


def poincare(case: Any, observe: str | Sequence[str], section: Any, *, discard: int = 0, **values: Any) -> Section:
    """The section of one run of ``case``: what is to ``observe`` at the moments of ``section``, but the first few.

    ``values`` are parameters of the case, options of its run, or places of its model. A result stands for its run.
    """
    names = (observe,) if isinstance(observe, str) else tuple(observe)
    result = case if isinstance(case, Result) else subject(case).run(values)
    return Section(result.name, names, Observe(section, names, discard)(result), result)


@dataclass(frozen=True)
class Branches:
    """What is seen in the section of each run; the section may be a function of the values of the run."""

    section: Any
    observe: str
    discard: int

    @property
    def __name__(self) -> str:
        return self.observe

    def __call__(self, result: Result, values: Mapping[str, Any]) -> np.ndarray:
        section = self.section(values) if callable(self.section) else self.section
        return Observe(section, (self.observe,), self.discard)(result)[:, 0]


def bifurcation(
    case: Any,
    parameter: str,
    values: Sequence[Any],
    section: Any,
    observe: str,
    *,
    discard: int = 0,
    **options: Any,
) -> Sweep:
    """The section of a run for each of the ``values`` of one ``parameter``: ``.plot_bifurcation()`` draws it.

    ``section`` says when to look (or is a function of the values of a run that says so, as where the period follows
    from them), ``observe`` what to see; the first ``discard`` moments are left out. ``options`` are those of `sweep`.
    """
    if not callable(section):
        when(section)
    return sweep(case, {parameter: values}, Branches(section, observe, discard), **options)
