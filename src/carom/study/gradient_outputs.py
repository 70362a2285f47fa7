"""Outputs of a gradient: numbers of a run that have derivatives, by the names of measures."""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.polynomial import Polynomial

from carom.errors import ModelError
from carom.result.impact_records import ImpactRecord
from carom.result.result import Result
from carom.result.series_paths import look_up, series_by_path
from carom.solve.sensitivity.differences import ParameterDerivative
from carom.solve.sensitivity.recorded_run import Neighbour, RecordedRun
from carom.study.measures import IMPACT_ATTRIBUTES

ONE_IMPACT = re.compile(r"(?:(?P<contact>.+)\.)?impacts\[(?P<index>-?\d+)\]\.(?P<attribute>\w+)")
SOME_IMPACTS = re.compile(r"(?:(?P<contact>.+)\.)?impacts\.(?P<attribute>\w+)(?:\.(?P<reduction>\w+))?")
WINDOW = 3
"""Nodes on either side of an extremum through which a polynomial is laid."""
EXTREMA = {"max": 1.0, "min": -1.0}
"""Signs of the series whose maximum is looked for."""
CLOSE = 0.05
"""Distance of two of these nodes, relative to the steps around the extremum, below which only one is used [-]."""
AT_NODE = {"final": -1, "first": 0}
INTEGRALS = ("integral", "mean", "rms")
GAUSS_POINTS, GAUSS_WEIGHTS = np.polynomial.legendre.leggauss(3)
PEAKS = {"normal_force": "peak_force", "indentation": "max_indentation"}
"""Largest values of a contact that its impacts contain, located between the nodes."""
REFUSED = {
    "count": "a count is constant between events and jumps there",
    "compressions": "a count is constant between events and jumps there",
    "finished": "it is not a number",
    "contact": "it is not a number",
    "outcome": "it is not a number",
    "stats": "it is a cost of the computation",
    "drift": "it is an error of the computation",
    "time_of_max": "ask for an impact or an extremum instead",
    "time_of_min": "ask for an impact or an extremum instead",
    "range": "ask for max and min",
    "peak": "ask for max or min",
}
"""Reasons why a measure has no derivative."""


class SeriesDerivatives:
    """Derivatives of the series with respect to a parameter at some nodes, from results of neighbouring runs there."""

    def __init__(self, derivative: ParameterDerivative, places: np.ndarray):
        self.parameter, self.places = derivative, places
        self.results = derivative.results(places) if len(places) else {}

    def of(self, path: str) -> np.ndarray:
        """Return the derivative of a series at all nodes, zero where it was not computed."""
        slopes = np.zeros(len(self.parameter.run.t))
        slopes[self.places] = self.combined(lambda result: series_by_path(result, path))
        return slopes

    def combined(self, values: Callable[[Result], Any]) -> Any:
        """Return the derivative of a value of the results."""
        weights = self.parameter.formula
        return sum(weight * values(self.results[k]) for k, weight in weights.items()) / self.parameter.step


class Output(ABC):
    """A number of a run; ``places`` are the nodes from which it and its derivative are computed, None for all."""

    places: np.ndarray | None

    def __init__(self, name: str, run: RecordedRun):
        self.name, self.run = name, run
        self.places = np.zeros(0, int)

    @property
    @abstractmethod
    def value(self) -> float:
        """Value of the recorded run."""

    @abstractmethod
    def derivative(self, slopes: SeriesDerivatives) -> float:
        """Return the derivative with respect to a parameter."""


class NodeOutput(Output):
    """A series at the start or at the end of the run."""

    def __init__(self, name: str, run: RecordedRun, path: str, index: int):
        super().__init__(name, run)
        self.path, self.place = path, index % len(run.t)
        self.series = series_by_path(run.result, path)
        self.places = np.array([self.place])

    @property
    def value(self) -> float:
        """Value of the recorded run."""
        return float(self.series[self.place])

    def derivative(self, slopes: SeriesDerivatives) -> float:
        """Return the derivative with respect to a parameter."""
        return float(slopes.of(self.path)[self.place])


class ExtremumOutput(Output):
    """The largest or the smallest value of a series.

    Inside a step, where the series is flat, it is that of a polynomial through the nodes around it; its derivative is
    that of the series at a fixed time. An extremum at an event moves with the event.
    """

    def __init__(self, name: str, run: RecordedRun, path: str, sign: float):
        super().__init__(name, run)
        self.path = path
        self.series, t = series_by_path(run.result, path), run.t
        self.place = place = int(np.argmax(sign * self.series))
        jumps = np.flatnonzero(np.diff(t) == 0.0)
        first = max([place - WINDOW, 0, *(jumps[jumps < place] + 1)])
        last = min([place + WINDOW, len(t) - 1, *jumps[jumps >= place]])
        around = t[min(place + 1, last)] - t[max(place - 1, first)]
        self.window = spaced(t, np.arange(first, last + 1), place, CLOSE * float(around))
        self.places = self.window
        self.shape = self.polynomial(self.series)
        self.t = float(t[place])
        self.is_flat = bool(first < place < last and run.result.smooth)
        self.moves = place in jumps or place - 1 in jumps
        if self.is_flat:
            self.t = flat_place(self.shape, float(t[place - 1]), float(t[place]), float(t[place + 1]))

    def polynomial(self, values: np.ndarray) -> Polynomial:
        """Return the polynomial through values at all nodes of the run, in the window around the extremum."""
        t = self.run.t[self.window]
        return Polynomial.fit(t, values[self.window], len(t) - 1) if len(t) > 1 else Polynomial(values[self.window])

    @property
    def value(self) -> float:
        """Value of the recorded run."""
        return float(self.shape(self.t)) if self.is_flat else float(self.series[self.place])

    def derivative(self, slopes: SeriesDerivatives) -> float:
        """Return the derivative with respect to a parameter."""
        series = slopes.of(self.path)
        if self.is_flat:
            change, rate = self.polynomial(series), self.shape.deriv()
            bend = float(rate.deriv()(self.t))
            rest = float(rate(self.t) * change.deriv()(self.t)) / bend if bend else 0.0
            return float(change(self.t)) - rest
        shift = float(self.shape.deriv()(self.t) * slopes.parameter.shifts[self.place]) if self.moves else 0.0
        return float(series[self.place]) + shift


def spaced(t: np.ndarray, window: np.ndarray, place: int, distance: float) -> np.ndarray:
    """Return the nodes of a window, beginning at ``place``, that are some distance apart [s]."""
    kept = [place]
    for node in sorted(window.tolist(), key=lambda k: abs(k - place)):
        if min(abs(t[node] - t[other]) for other in kept) > distance:
            kept.append(node)
    return np.array(sorted(kept))


def flat_place(shape: Polynomial, low: float, middle: float, high: float) -> float:
    """Return the time between ``low`` and ``high`` at which a polynomial is flat, ``middle`` if there is none [s]."""
    from scipy.optimize import brentq

    rate = shape.deriv()
    if rate(low) * rate(high) >= 0.0:
        return middle
    return float(brentq(rate, low, high, xtol=1e-15 * abs(high)))


class IntegralOutput(Output):
    """The integral, the mean or the root mean square of a series over the run."""

    def __init__(self, name: str, run: RecordedRun, path: str, reduction: str):
        super().__init__(name, run)
        self.path, self.reduction = path, reduction
        self.places = None
        t = run.t
        self.length = float(t[-1] - t[0])
        self.jumps = np.flatnonzero(np.diff(t) == 0.0)

    def integral(self, result: Result) -> float:
        """Return the integral over the run by Gauss's rule with three points in each step."""
        steps = np.diff(result.t)
        begins, steps = result.t[:-1][steps > 0.0], steps[steps > 0.0]
        times = begins[:, None] + steps[:, None] * 0.5 * (1.0 + GAUSS_POINTS)
        values = self.integrand(result.sample(times.ravel())).reshape(times.shape)
        return float(0.5 * np.sum(values @ GAUSS_WEIGHTS * steps))

    def integrand(self, result: Result) -> np.ndarray:
        """Return the series that is integrated."""
        series = series_by_path(result, self.path)
        return series**2 if self.reduction == "rms" else series

    @property
    def value(self) -> float:
        """Value of the recorded run."""
        integral = self.integral(self.run.result)
        if self.reduction == "integral":
            return integral
        return integral / self.length if self.reduction == "mean" else float(np.sqrt(integral / self.length))

    def derivative(self, slopes: SeriesDerivatives) -> float:
        """Return the derivative with respect to a parameter; jumps of the series move with their events."""
        own = self.integrand(self.run.result)
        jumps = (own[self.jumps] - own[self.jumps + 1]) * slopes.parameter.shifts[self.jumps]
        slope = float(slopes.combined(self.integral)) + float(jumps.sum())
        if self.reduction == "integral":
            return slope
        return slope / self.length if self.reduction == "mean" else slope / (2.0 * self.length * self.value)


class ImpactOutput(Output):
    """A quantity of one impact, or a reduction of that of several."""

    def __init__(self, name: str, run: RecordedRun, contact: str | None, attribute: str, selection: int | str):
        super().__init__(name, run)
        table = run.result.impacts if contact is None else run.result.impacts.of(contact)
        names = {impact.contact for impact in table}
        order = sorted(range(len(run.impacts)), key=lambda i: (run.impacts[i].t_start, run.impacts[i].contact))
        chosen = [i for i in order if contact is None or run.impacts[i].contact in names]
        if isinstance(selection, int):
            if not -len(chosen) <= selection < len(chosen):
                raise ModelError(
                    f"gradient: output {name!r}: the run has {len(chosen)} impacts there; choose another index"
                )
            chosen = [chosen[selection]]
        if not chosen:
            raise ModelError(f"gradient: output {name!r}: the run has no impact there")
        self.attribute = attribute
        values = np.array([self.quantity(run.impacts[i]) for i in chosen])
        if not np.all(np.isfinite(values)):
            raise ModelError(f"gradient: output {name!r}: it is undefined for an impact of this run")
        self.weights = {chosen[k]: weight for k, weight in impact_weights(name, selection, values).items()}

    def quantity(self, impact: ImpactRecord) -> float:
        """Return the quantity of an impact, NaN where it is undefined."""
        value: Any = getattr(impact, self.attribute)
        return float("nan") if value is None else float(value)

    @property
    def value(self) -> float:
        """Value of the recorded run."""
        return sum(weight * self.quantity(self.run.impacts[i]) for i, weight in self.weights.items())

    def derivative(self, slopes: SeriesDerivatives) -> float:
        """Return the derivative with respect to a parameter."""

        def reduced(neighbour: Neighbour) -> float:
            impacts = neighbour.impacts
            return sum(weight * self.quantity(impacts[i]) for i, weight in self.weights.items())

        return float(slopes.parameter.combine(reduced))


def impact_weights(name: str, selection: int | str, values: np.ndarray) -> dict[int, float]:
    """Return the weights of the chosen impacts in a reduction."""
    count = len(values)
    match selection:
        case int() | "first":
            return {0: 1.0}
        case "final":
            return {count - 1: 1.0}
        case "max":
            return {int(np.argmax(values)): 1.0}
        case "min":
            return {int(np.argmin(values)): 1.0}
        case "mean" | "sum":
            return dict.fromkeys(range(count), 1.0 / count if selection == "mean" else 1.0)
    raise ModelError(f"gradient: output {name!r}: choose from first, final, max, min, mean, sum, or impacts[index]")


def output_by_name(name: Any, run: RecordedRun) -> Output:
    """Return the output of a run with the name of a measure; without a reduction it is the value at the end."""
    if not isinstance(name, str):
        raise ModelError(f"gradient: an output must be a text such as 'ball.vy' or 'impacts[0].duration', got {name!r}")
    owner, _, last = name.rpartition(".")
    for key in (last, owner, name):
        if key in REFUSED:
            raise ModelError(f"gradient: output {name!r} has no derivative: {REFUSED[key]}")
    match = ONE_IMPACT.fullmatch(name)
    if match is not None:
        look_up(name, dict.fromkeys(IMPACT_ATTRIBUTES), match["attribute"])
        return ImpactOutput(name, run, match["contact"], match["attribute"], int(match["index"]))
    match = SOME_IMPACTS.fullmatch(name)
    if match is not None:
        look_up(name, dict.fromkeys(IMPACT_ATTRIBUTES), match["attribute"])
        return ImpactOutput(name, run, match["contact"], match["attribute"], match["reduction"] or "")
    if last in AT_NODE:
        return NodeOutput(name, run, owner, AT_NODE[last])
    if last in EXTREMA:
        return extremum(name, run, owner, last)
    if last in INTEGRALS:
        return IntegralOutput(name, run, owner, last)
    return NodeOutput(name, run, name, -1)


def extremum(name: str, run: RecordedRun, path: str, reduction: str) -> Output:
    """Return an extremum of a series; the largest force of a compliant contact is that of its impacts."""
    element, _, quantity = path.rpartition(".")
    is_contact = any(info.name == element and info.family == "contact" for info in run.result.elements)
    compliant = run.result.settings.get("method") == "compliant"
    if reduction == "max" and compliant and is_contact and quantity in PEAKS and run.result.impacts.of(element):
        return ImpactOutput(name, run, element, PEAKS[quantity], "max")
    return ExtremumOutput(name, run, path, EXTREMA[reduction])
