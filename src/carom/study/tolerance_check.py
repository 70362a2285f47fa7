"""Check of a run against the same run with a tighter tolerance.

Errors of a chaotic motion grow exponentially, so that two tolerances give two motions after some time. Both are right
in their statistics, and neither is right in its details.
"""

from __future__ import annotations

import math
import warnings
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from carom.argument_checks import positive
from carom.errors import CaromWarning, ModelError, warn
from carom.result.result import Result
from carom.result.series_paths import series_by_path
from carom.short_form import ShortRepr
from carom.study.fitting.prediction import CONTINUOUS_SERIES
from carom.study.study_model import StudyModel, StudyModelLike, as_study_model

if TYPE_CHECKING:
    from matplotlib.figure import Figure

N_TIMES = 2000
"""Number of times at which the runs are compared."""
SHIFT_RATIO = 0.005
"""Ratio to the length of the run below which a difference is only a small shift of an impact time [-]."""
REST_RATIO = 1e-8
"""Ratio of the range of a series to that of the moving ones [-] below which it contains only rounding errors."""
ROUNDING_RATIO = 1e-13
"""Difference relative to the range of a series [-] below which there are only rounding errors."""


@dataclass(frozen=True, repr=False)
class ToleranceCheck(ShortRepr):
    """Times up to which two runs with different tolerances agree, by series.

    ``times`` [s] is the end of the run for series that agree to the end. ``growth`` [1/s] is the exponential growth
    rate of the difference, NaN if it grew by less than two decades. ``difference`` is relative to the range of each
    series, at the times ``t`` [s].
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
        """Time [s] up to which all series agree."""
        return min(self.times.values())

    @property
    def valid_to_end(self) -> bool:
        """True if all series agree to the end of the run."""
        return self.horizon >= float(self.t[-1])

    @property
    def whole(self) -> bool:
        """Deprecated name of `valid_to_end`."""
        warnings.warn("ToleranceCheck.whole is deprecated; use valid_to_end", DeprecationWarning, stacklevel=2)
        return self.valid_to_end

    @property
    def table(self) -> dict[str, list[Any]]:
        """Horizon [s] and largest relative difference [-] of each series."""
        return {
            "series": list(self.times),
            "horizon": list(self.times.values()),
            "difference": [float(np.max(values)) for values in self.difference.values()],
        }

    def to_dict(self) -> dict[str, Any]:
        """Return the check without series as built-in types."""
        return {
            "horizon": self.horizon, "valid_to_end": self.valid_to_end, "threshold": self.threshold,
            "growth": None if math.isnan(self.growth) else self.growth, "series": self.times,
        }  # fmt: skip

    def plot(self, **page: Any) -> Figure:
        """Plot the differences over time on a logarithmic scale."""
        from carom.study.figures import plot_tolerance_check

        return plot_tolerance_check(self, **page)

    def summary(self) -> str:
        """Return the check in one sentence."""
        if self.valid_to_end:
            largest = max(float(np.max(values)) for values in self.difference.values())
            return (
                f"{self.settings[0]} and {self.settings[1]} agree to {largest:.1g} of the range of each series up to "
                "the end"
            )
        first = min(self.times, key=lambda name: self.times[name])
        gain = ""
        if not math.isnan(self.growth):
            gain = f"; a tenth of the error extends this time by {math.log(10.0) / self.growth:.2g} s"
        return (
            f"this run depends on its tolerance after t = {self.horizon:.4g} s: from then on {first} differs by more "
            f"than {100 * self.threshold:g} % between {self.settings[0]} and {self.settings[1]}{gain}. Beyond this "
            "time compare averages, not values"
        )

    def __str__(self) -> str:
        width = max(len(name) for name in self.times)
        lines = [
            f"{name.ljust(width)}  {'to the end' if time >= self.t[-1] else f'to t = {time:.4g} s'}"
            for name, time in self.times.items()
        ]
        return "\n".join([f"{self.name}: {self.summary()}", *lines])


def check_tolerance(
    case: StudyModelLike,
    *,
    series: Any = None,
    threshold: float = 0.01,
    tighter: float = 100.0,
    result: Result | None = None,
    **values: Any,
) -> ToleranceCheck:
    """Run ``case`` with its own and with a tighter tolerance, and return up to which time both agree.

    Two runs agree while each series (default: all coordinates of bodies) differs by less than ``threshold`` of its
    range, except for temporary differences. Compliant and event-driven runs are repeated with ``rtol`` and ``atol``
    divided by ``tighter``, time stepping with half the step. ``result`` is an existing run with the same ``values``
    (parameters, run options, paths in the model). A `CaromWarning` reports a run that depends on its tolerance before
    its end.

    Examples
    --------
    >>> import carom as cm
    >>> check = cm.check_tolerance("falling_ball")
    >>> bool(check.horizon == check.result.t[-1])
    True
    """
    model = as_study_model(case)
    threshold = positive("check_tolerance", "threshold", threshold)
    tighter = positive("check_tolerance", "tighter", tighter)
    if tighter <= 1.0:
        raise ModelError(f"check_tolerance: tighter must be above 1, got {tighter:g}")
    first = model.run(values, progress=False) if result is None else result
    options, settings = tighter_options(first, tighter)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", CaromWarning)
        second = model.run({**values, **options}, progress=False)
    check = compare_runs(model, first, second, series, threshold, settings)
    if not check.valid_to_end:
        warn(f"{model.name}: {check.summary()}")
    return check


def trust(case: StudyModelLike, **options: Any) -> ToleranceCheck:
    """Call `check_tolerance`; deprecated name.

    Examples
    --------
    >>> import carom as cm
    >>> import warnings
    >>> with warnings.catch_warnings(action="ignore"):
    ...     check = cm.trust("falling_ball")
    ...
    >>> check.name
    'falling_ball'
    """
    warnings.warn("cm.trust is deprecated; use cm.check_tolerance", DeprecationWarning, stacklevel=2)
    return check_tolerance(case, **options)


def tighter_options(result: Result, tighter: float) -> tuple[dict[str, Any], tuple[str, str]]:
    """Return the options of the second run, and texts that distinguish the two runs."""
    settings = result.settings
    if settings["method"] == "nonsmooth" and settings["scheme"] != "event-driven":
        step = float(settings["step"])
        return {"step": step / 2.0}, (f"step {step:g} s", f"{step / 2.0:g} s")
    if "rtol" not in settings or settings.get("integrator") == "rk4":
        step = float(settings.get("max_step") or settings["step"])
        return {"max_step": step / 2.0}, (f"step {step:g} s", f"{step / 2.0:g} s")
    rtol, atol = float(settings["rtol"]), float(settings["atol"])
    return {"rtol": rtol / tighter, "atol": atol / tighter}, (f"rtol {rtol:g}", f"{rtol / tighter:g}")


def compare_runs(
    model: StudyModel, first: Result, second: Result, names: Any, threshold: float, settings: tuple[str, str]
) -> ToleranceCheck:
    """Compare the series of two runs that differ in their tolerance."""
    end = min(float(first.t[-1]), float(second.t[-1]))
    t = np.linspace(0.0, end, N_TIMES)
    a, b = first.sample(t), second.sample(t)
    selected = [names] if isinstance(names, str) else list(default_series(first) if names is None else names)
    pairs = {name: (series_by_path(a, name), series_by_path(b, name)) for name in selected}
    ranges = {name: max(float(np.ptp(x)), float(np.ptp(y))) for name, (x, y) in pairs.items()}
    displacement = max((ranges[name] for name in selected if quantity(name) in ("x", "y", "z")), default=0.0)
    scales = {"x": displacement, "y": displacement, "z": displacement, "angle": 1.0}
    difference, times = {}, {}
    for name, (x, y) in pairs.items():
        if ranges[name] <= REST_RATIO * scales.get(quantity(name), float(np.max(np.abs(x)))):
            continue
        difference[name] = without_spikes(np.abs(x - y) / ranges[name], name)
        times[name] = divergence_time(t, difference[name], threshold)
    if not times:
        raise ModelError(f"check_tolerance: nothing moves in {model.name}; specify the series to compare")
    if not (first.outcome.ok and second.outcome.ok):
        failed = first if not first.outcome.ok else second
        raise ModelError(f"check_tolerance: a run of {model.name} ended early: {failed.message}")
    largest = np.max(list(difference.values()), axis=0)
    rate = growth_rate(t, largest, threshold)
    return ToleranceCheck(model.name, t, difference, times, threshold, rate, settings, first, second)


def default_series(result: Result) -> list[str]:
    """Return all coordinates of the bodies, or of a system without bodies."""
    if result.bodies:
        return [f"{body.name}.{name}" for body in result.bodies for name in result.series_type.pose]
    return [f"{info.name}.{info.signals[0]}" for info in result.elements if info.family == "coordinate"]


def divergence_time(t: np.ndarray, difference: np.ndarray, threshold: float) -> float:
    """Return the time [s] from which two runs differ persistently: difference and its median exceed ``threshold``.

    The median is over the rest of the run. A temporary difference is a step error that does not grow.
    """
    exceeds = difference > threshold
    crossings = np.flatnonzero(exceeds & ~np.concatenate([[False], exceeds[:-1]]))
    return next((float(t[k]) for k in crossings if np.median(difference[k:]) > threshold), float(t[-1]))


def quantity(name: str) -> str:
    """Return the last part of the name of a series."""
    return name.rpartition(".")[2]


def without_spikes(difference: np.ndarray, name: str) -> np.ndarray:
    """Return the persistent part of a difference: the moving median, for series that are discontinuous at impacts."""
    if quantity(name) in CONTINUOUS_SERIES:
        return difference
    from scipy.ndimage import median_filter

    return median_filter(difference, size=2 * max(int(SHIFT_RATIO * len(difference)), 1) + 1, mode="nearest")


def growth_rate(t: np.ndarray, difference: np.ndarray, threshold: float) -> float:
    """Return the exponential growth rate [1/s] between rounding and threshold, NaN if there is no growth."""
    reached = np.flatnonzero(difference > threshold)
    stop = reached[0] if len(reached) else len(t)
    running_max = np.maximum.accumulate(difference[:stop])
    used = running_max > ROUNDING_RATIO
    used[: stop // 4] = False  # The difference must first align with its fastest growing direction.
    if np.sum(used) < 20 or running_max[used][-1] < 100.0 * running_max[used][0]:
        return math.nan
    slope, _ = np.polyfit(t[:stop][used], np.log(running_max[used]), 1)
    return float(slope) if slope > 0.0 else math.nan
