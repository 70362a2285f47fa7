"""How far to trust a run: the same run at a tighter tolerance, and when the two part.

Errors of a chaotic motion grow exponentially, so that beyond some time two tolerances give two motions. Neither is
wrong in its statistics, neither is right in its detail.
"""

from __future__ import annotations

import math
import warnings
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from carom.errors import CaromWarning, ModelError, notify, positive
from carom.result.result import Result
from carom.study.comparison import CONTINUOUS
from carom.study.measure import series as series_of
from carom.study.subject import Subject, subject

if TYPE_CHECKING:
    from matplotlib.figure import Figure

POINTS = 2000
"""Times at which the runs are compared."""
WINDOW = 0.005
"""Of the run: a difference that lasts shorter is an impact that comes a moment sooner in one of the runs."""
FAINT = 1e-8
"""Of all that moves: what moves less is rounding of something that stands still."""
LEAST = 1e-13
"""Differences, relative to the series, below which there is only rounding."""


@dataclass(frozen=True)
class Trust:
    """When two runs of other tolerances part, by series; ``horizon`` [s] is the first of these times.

    ``times`` is the end of the run where they never do. ``growth`` [1/s] is the rate at which the difference grew, NaN
    where it did not grow over two decades. ``difference`` is relative to the range of each series, over ``t``.
    """

    name: str
    t: np.ndarray
    difference: dict[str, np.ndarray]
    times: dict[str, float]
    threshold: float
    growth: float
    settings: tuple[str, str]
    result: Result
    tighter: Result

    @property
    def horizon(self) -> float:
        return min(self.times.values())

    @property
    def whole(self) -> bool:
        """Whether the run can be trusted to its end."""
        return self.horizon >= float(self.t[-1])

    @property
    def table(self) -> dict[str, list[Any]]:
        return {
            "series": list(self.times),
            "horizon": list(self.times.values()),
            "difference": [float(np.max(values)) for values in self.difference.values()],
        }

    def to_dict(self) -> dict[str, Any]:
        """As plain numbers."""
        return {
            "horizon": self.horizon, "whole": self.whole, "threshold": self.threshold,
            "growth": None if math.isnan(self.growth) else self.growth, "series": self.times,
        }  # fmt: skip

    def plot(self, **page: Any) -> Figure:
        """The differences over time, on a logarithmic scale."""
        from carom.study.trust_figure import plot_trust

        return plot_trust(self, **page)

    def words(self) -> str:
        """In a sentence."""
        if self.whole:
            worst = max(float(np.max(values)) for values in self.difference.values())
            return f"{self.settings[0]} and {self.settings[1]} agree to {worst:.1g} of each series, to the end"
        first = min(self.times, key=lambda name: self.times[name])
        grows = ""
        if not math.isnan(self.growth):
            grows = f"; a tenth of the error lasts {math.log(10.0) / self.growth:.2g} s longer"
        return (
            f"this run depends on its tolerance after t = {self.horizon:.4g} s: from there {first} differs by more "
            f"than {100 * self.threshold:g} % between {self.settings[0]} and {self.settings[1]}{grows}. Compare means "
            "beyond, not values"
        )

    def __str__(self) -> str:
        width = max(len(name) for name in self.times)
        lines = [
            f"{name.ljust(width)}  {'to the end' if time >= self.t[-1] else f'to t = {time:.4g} s'}"
            for name, time in self.times.items()
        ]
        return "\n".join([f"{self.name}: {self.words()}", *lines])


def trust(
    case: Any,
    *,
    series: Any = None,
    threshold: float = 0.01,
    tighter: float = 100.0,
    result: Result | None = None,
    **values: Any,
) -> Trust:
    """Run ``case`` at its own tolerance and at a ``tighter`` one, and tell up to when they agree.

    Two runs agree while a series (default: all coordinates of bodies) differs by less than ``threshold`` of its range,
    but for a while after which they agree again.
    Compliant and event-driven runs have ``rtol`` and ``atol`` divided by ``tighter``, time stepping has half the step.
    ``result`` is a run that is there already, with the same ``values``: parameters, options, places of the model. A
    `CaromWarning` says when the run depends on its tolerance before its end.
    """
    one = subject(case)
    threshold, tighter = positive("trust", "threshold", threshold), positive("trust", "tighter", tighter)
    if tighter <= 1.0:
        raise ModelError(f"trust: tighter must be above 1, got {tighter:g}")
    first = one.run(values, progress=False) if result is None else result
    options, words = finer(first, tighter)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", CaromWarning)
        second = one.run({**values, **options}, progress=False)
    found = compare(one, first, second, series, threshold, words)
    if not found.whole:
        notify(f"{one.name}: {found.words()}")
    return found


def finer(result: Result, tighter: float) -> tuple[dict[str, Any], tuple[str, str]]:
    """Options of the second run, and how the two are told apart."""
    settings = result.settings
    if settings["method"] == "nonsmooth" and settings["scheme"] != "event-driven":
        step = float(settings["step"])
        return {"step": step / 2.0}, (f"step {step:g} s", f"{step / 2.0:g} s")
    if "rtol" not in settings or settings.get("integrator") == "rk4":
        step = float(settings.get("max_step") or settings["step"])
        return {"max_step": step / 2.0}, (f"step {step:g} s", f"{step / 2.0:g} s")
    rtol, atol = float(settings["rtol"]), float(settings["atol"])
    return {"rtol": rtol / tighter, "atol": atol / tighter}, (f"rtol {rtol:g}", f"{rtol / tighter:g}")


def compare(one: Subject, first: Result, second: Result, names: Any, threshold: float, words: tuple[str, str]) -> Trust:
    """Two runs of the same thing."""
    end = min(float(first.t[-1]), float(second.t[-1]))
    t = np.linspace(0.0, end, POINTS)
    a, b = first.sample(t), second.sample(t)
    chosen = [names] if isinstance(names, str) else list(usual(first) if names is None else names)
    difference, times = {}, {}
    pairs = {name: (series_of(a, name), series_of(b, name)) for name in chosen}
    ranges = {name: max(float(np.ptp(x)), float(np.ptp(y))) for name, (x, y) in pairs.items()}
    farthest = max((ranges[name] for name in chosen if quantity(name) in ("x", "y", "z")), default=0.0)
    usual_sizes = {"x": farthest, "y": farthest, "z": farthest, "angle": 1.0}
    for name, (x, y) in pairs.items():
        if ranges[name] <= FAINT * usual_sizes.get(quantity(name), float(np.max(np.abs(x)))):
            continue  # it does not move
        difference[name] = lasting(np.abs(x - y) / ranges[name], name)
        times[name] = parted(t, difference[name], threshold)
    if not times:
        raise ModelError(f"trust: nothing moves in {one.name}; name the series to compare")
    if not (first.outcome.ok and second.outcome.ok):
        late = first if not first.outcome.ok else second
        raise ModelError(f"trust: a run of {one.name} ended before its time: {late.message}")
    worst = np.max(list(difference.values()), axis=0)
    return Trust(one.name, t, difference, times, threshold, growth(t, worst, threshold), words, first, second)


def usual(result: Result) -> list[str]:
    """All coordinates of bodies; those of a system without bodies."""
    if result.bodies:
        return [f"{body.name}.{name}" for body in result.bodies for name in result.series_type.pose]
    return [f"{info.name}.{info.signals[0]}" for info in result.elements if info.family == "coordinate"]


def parted(t: np.ndarray, difference: np.ndarray, threshold: float) -> float:
    """When two runs part for good: the difference exceeds ``threshold``, and so does its median from there to the end.

    A difference that comes and goes is an error of the steps, which does not grow.
    """
    beyond = difference > threshold
    crossings = np.flatnonzero(beyond & ~np.concatenate([[False], beyond[:-1]]))
    return next((float(t[k]) for k in crossings if np.median(difference[k:]) > threshold), float(t[-1]))


def quantity(name: str) -> str:
    """The last part of a series' name."""
    return name.rpartition(".")[2]


def lasting(difference: np.ndarray, name: str) -> np.ndarray:
    """What of it lasts: for series that jump the median over a window of time."""
    if quantity(name) in CONTINUOUS:
        return difference
    from scipy.ndimage import median_filter

    return median_filter(difference, size=2 * max(int(WINDOW * len(difference)), 1) + 1, mode="nearest")


def growth(t: np.ndarray, difference: np.ndarray, threshold: float) -> float:
    """Rate [1/s] at which the logarithm rises, between rounding and the threshold; NaN where it does not."""
    reached = np.flatnonzero(difference > threshold)
    stop = reached[0] if len(reached) else len(t)
    highest = np.maximum.accumulate(difference[:stop])
    used = highest > LEAST
    used[: stop // 4] = False  # it settles on its fastest growing direction first
    if np.sum(used) < 20 or highest[used][-1] < 100.0 * highest[used][0]:
        return math.nan
    slope, _ = np.polyfit(t[:stop][used], np.log(highest[used]), 1)
    return float(slope) if slope > 0.0 else math.nan
