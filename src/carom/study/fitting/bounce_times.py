"""Restitution of a bouncing ball from its impact times alone.

Between two impacts the ball is in free flight without air drag: a flight of T seconds begins and ends with the speed
v = g T/2, and rises to the height g T²/8. All times are fitted together, because an error of one time makes one flight
longer and the next one shorter.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np

from carom.argument_checks import finite_float, one_of, open_fraction, positive, short_repr
from carom.errors import ModelError, warn
from carom.study.fitting import confidence as statistics
from carom.study.fitting.confidence import LOSSES
from carom.study.fitting.fit_result import Estimate, Estimates
from carom.study.fitting.measured_data import START, measured_data

if TYPE_CHECKING:
    from matplotlib.figure import Figure

MODELS = {"constant": ("restitution",), "power": ("a", "p")}
"""Parameters of the restitution models: constant e, or e(v) = 1 − a vᵖ with the approach speed v [m/s]."""
MAX_MISSED = 3
"""Largest number of consecutive impacts that may be missing in the data."""
DUPLICATE_RATIO = 0.4
"""Ratio of a flight to the expected one [-] below which its end is a second signal of the same impact."""
NOISE_RATIO = 0.02
"""Ratio of a flight to the longest one [-] below which it may be noise, so that no missing impacts are detected."""
SUSPICIOUS_NOISE = 0.02
"""Ratio of the timing noise to the first flight [-] above which the times do not fit the model."""
MIN_IMPROVEMENT = 0.15
"""Logarithmic improvement of the flight duration [-] that is required to assume a missing impact."""


@dataclass(frozen=True, repr=False)
class BounceFit(Estimates):
    """Restitution (or a and p), first impact time, first approach speed and height, estimated from impact times.

    ``number`` is the index of each impact, including missing ones; ``left_out`` are times [s] that were ignored as
    second signals of an impact. ``sigma`` is the timing noise [s], ``freedom`` the number of degrees of freedom.
    """

    model: str
    times: np.ndarray
    number: np.ndarray
    left_out: np.ndarray
    gravity: float
    sigma: float
    freedom: int
    confidence: float
    loss: str
    warnings: tuple[str, ...]

    def restitution(self, speed: Any) -> Any:
        """Return the restitution e [-] at an approach speed [m/s]."""
        values = np.array([self[name] for name in MODELS[self.model]])
        return restitution_at_speed(self.model, values, np.asarray(speed, float))

    @property
    def predicted(self) -> np.ndarray:
        """Times [s] of all impacts up to the last one, by the fitted model."""
        return self._impacts()[0]

    @property
    def speeds(self) -> np.ndarray:
        """Approach speeds [m/s] of all impacts up to the last one, by the fitted model."""
        return self._impacts()[1]

    @property
    def heights(self) -> np.ndarray:
        """Heights [m] from which the ball falls before each impact, beginning with the first fall."""
        return self.speeds**2 / (2.0 * self.gravity)

    @property
    def residuals(self) -> np.ndarray:
        """Model minus data [s]."""
        return self.predicted[self.number] - self.times

    def _impacts(self) -> tuple[np.ndarray, np.ndarray]:
        values = [self["first_impact"], self["speed"], *(self[name] for name in MODELS[self.model])]
        return impact_sequence(self.model, np.array(values), int(self.number[-1]), self.gravity)

    def plot(self, **page: Any) -> Figure:
        """Plot the restitution over the approach speed, and the residuals of the times."""
        from carom.study.figures import plot_bounce

        return plot_bounce(self, **page)

    def __str__(self) -> str:
        lines = [
            f"{e.name:<14}{e.value:<12.6g}{100 * self.confidence:g} %: {e.low:.6g} … {e.high:.6g}"
            for e in self.estimates
        ]
        lines.append(f"{len(self.times)} impacts, timing noise {self.sigma:.2g} s")
        return "\n".join(lines + [f"warning: {message}" for message in self.warnings])


def fit_bounce(
    times: Any,
    *,
    gravity: float = 9.81,
    model: str = "constant",
    height: float | None = None,
    released: float | None = None,
    sigma: float | None = None,
    loss: str = "linear",
    confidence: float = 0.95,
) -> BounceFit:
    """Estimate the restitution of a ball from the ``times`` [s] of its successive impacts on a horizontal plane.

    ``times`` is a list, or a CSV file with a column ``t_start``. ``model`` is "constant", or "power" for
    e(v) = 1 − a vᵖ with the approach speed v [m/s]. ``height`` [m] is the known height of the first fall, ``released``
    the known time [s] of the release from rest; without them both follow from the times. ``sigma`` [s] is the standard
    deviation of the times; None estimates it from the residuals. ``loss`` is as in `fit`.

    Missing impacts and second signals of the same impact are detected and reported.

    Examples
    --------
    >>> import carom as cm
    >>> fit = cm.fit_bounce([0.0, 1.0, 1.8, 2.44, 2.952])
    >>> round(fit["restitution"], 6)
    0.8
    """
    one_of("fit_bounce", "model", model, tuple(MODELS))
    one_of("fit_bounce", "loss", loss, tuple(LOSSES))
    g = positive("fit_bounce", "gravity", gravity)
    confidence = open_fraction("fit_bounce", "confidence", confidence)
    samples = measured_data(times).events.get(START)
    if samples is None:
        raise ModelError(
            f"fit_bounce: times must be a list of impact times or a column {START}, got {short_repr(times)}"
        )
    samples = np.sort(samples[np.isfinite(samples)])
    n_required = 3 if height is None else 2
    if len(samples) < n_required:
        raise ModelError(f"fit_bounce: needs at least {n_required} impacts, got {len(samples)}")
    numbers, is_impact, messages = number_impacts(samples)
    speed = None if height is None else math.sqrt(2.0 * g * positive("fit_bounce", "height", height))
    release_time = None if released is None else finite_float("fit_bounce", "released", released)
    problem = BounceProblem(model, g, samples[is_impact], numbers[is_impact], speed, release_time)
    n, p = len(problem.y), len(problem.start)
    if n < p:
        raise ModelError(f"fit_bounce: {n} times for {p} unknowns; use model='constant', or more impacts")
    x, jacobian, residuals, noise = problem.solve(loss, sigma)
    freedom = n - p
    if loss != "linear":
        covariance = statistics.robust_covariance(jacobian, residuals / noise, loss) * noise**2
    else:
        covariance = statistics.classic_covariance(jacobian, noise**2)
    noise_is_known = sigma is not None
    t = statistics.t_quantile(confidence, math.inf if noise_is_known else max(freedom, 1))
    if freedom == 0 and not noise_is_known:
        messages.append("as many times as unknowns, so there are no intervals; measure more impacts, or specify sigma")
        covariance = np.full_like(covariance, np.nan)
    estimates = problem.estimates(x, covariance, t)
    if estimates[0].value >= 1.0 and model == "constant":
        messages.append("restitution is not below 1; check the times, and whether the plane is at rest")
    if noise > SUSPICIOUS_NOISE * (samples[1] - samples[0]):
        messages.append(
            f"the times deviate by {noise:.2g} s from a bouncing motion with this restitution; examine plot() for "
            "missing or additional impacts, or use model='power'"
        )
    for message in messages:
        warn(f"fit_bounce: {message}")
    return BounceFit(
        model=model, estimates=estimates, covariance=covariance, times=samples[is_impact],
        number=numbers[is_impact], left_out=samples[~is_impact], gravity=g, sigma=noise, freedom=freedom,
        confidence=confidence, loss=loss, warnings=tuple(messages),
    )  # fmt: skip


class BounceProblem:
    """Least-squares problem for x = (first impact time, first speed unless known, parameters of the restitution)."""

    def __init__(
        self, model: str, g: float, times: np.ndarray, numbers: np.ndarray, speed: float | None, released: float | None
    ):
        self.model, self.g, self.numbers, self.speed = model, g, numbers, speed
        self.released = released
        self.y = times if released is None else np.append(times, released)
        flight, e = initial_guess(times, numbers)
        guess = [e] if model == "constant" else [max(1.0 - e, 1e-3), 0.1]
        v = flight * g / (2.0 * e)
        self.start = np.array([times[0], *([] if speed is not None else [v]), *guess])

    def expand(self, x: np.ndarray) -> np.ndarray:
        """Return the unknowns including the first speed."""
        return x if self.speed is None else np.array([x[0], self.speed, *x[1:]])

    def predict(self, x: np.ndarray) -> np.ndarray:
        """Return the times [s] of the model that correspond to the measured ones."""
        values = self.expand(x)
        times, _ = impact_sequence(self.model, values, int(self.numbers[-1]), self.g)
        measured = times[self.numbers]
        return measured if self.released is None else np.append(measured, values[0] - values[1] / self.g)

    def solve(self, loss: str, sigma: float | None) -> tuple[np.ndarray, np.ndarray, np.ndarray, float]:
        """Return the solution, the Jacobian and the residuals [s] there, and the timing noise [s]."""
        from scipy.optimize import least_squares

        low = np.full(len(self.start), -np.inf)
        low[-1 if self.model == "constant" else -2] = 0.0
        noise = sigma if sigma is not None else max(1e-3 * float(np.ptp(self.y)), 1e-12)
        x, n, p = self.start, len(self.y), len(self.start)
        for _ in range(1 if sigma is not None else 8):
            solution = least_squares(
                lambda x, s=noise: (self.predict(x) - self.y) / s, x, bounds=(low, np.inf), jac="3-point",
                loss=loss, f_scale=LOSSES[loss], x_scale="jac", xtol=1e-14, ftol=1e-14, gtol=1e-14, max_nfev=500,
            )  # fmt: skip
            x, previous = solution.x, noise
            residuals = self.predict(x) - self.y
            if sigma is None:
                size = statistics.standard_deviation(residuals, loss != "linear") * math.sqrt(n / max(n - p, 1))
                noise = max(size, 1e-15 * max(1.0, float(np.max(np.abs(self.y)))))
            if loss == "linear" or abs(noise - previous) < 1e-2 * previous:
                break
        return x, solution.jac * previous, residuals, noise

    def estimates(self, x: np.ndarray, covariance: np.ndarray, t: float) -> tuple[Estimate, ...]:
        """Return all estimates, including speed and height of the first fall, with intervals of ± t standard errors."""
        names = ["first_impact", *([] if self.speed is not None else ["speed"]), *MODELS[self.model]]
        errors = np.sqrt(np.diag(covariance))
        values = {name: (value, error) for name, value, error in zip(names, x, errors, strict=True)}
        v, dv = values.get("speed", (self.speed, 0.0))
        values["speed"] = (v, dv)
        values["height"] = (v**2 / (2.0 * self.g), v * dv / self.g)
        order = [*MODELS[self.model], "first_impact", "speed", "height"]
        estimates = []
        for name in order:
            value, error = values[name]
            low, high = value - t * error, value + t * error
            bound = 0.0 if name in ("restitution", "a", "speed", "height") else -math.inf
            estimates.append(Estimate(name, float(value), float(error), max(low, bound), high, bound, math.inf))
        return tuple(estimates)


def restitution_at_speed(model: str, values: Sequence[float] | np.ndarray, speed: Any) -> Any:
    """Return e(v) [-] for the parameters ``values`` of a model and the approach speed [m/s]."""
    if model == "constant":
        return values[0] + 0.0 * speed
    return np.clip(1.0 - values[0] * np.maximum(speed, 1e-300) ** values[1], 0.0, None)


def impact_sequence(model: str, values: np.ndarray, last: int, g: float) -> tuple[np.ndarray, np.ndarray]:
    """Return times [s] and approach speeds [m/s] of the impacts 0 … ``last``."""
    times, speeds = np.zeros(last + 1), np.zeros(last + 1)
    times[0], speeds[0] = values[0], values[1]
    for k in range(last):
        speeds[k + 1] = float(restitution_at_speed(model, values[2:], speeds[k])) * speeds[k]
        times[k + 1] = times[k] + 2.0 * speeds[k + 1] / g
    return times, speeds


def initial_guess(times: np.ndarray, numbers: np.ndarray) -> tuple[float, float]:
    """Return the first flight [s] and a restitution [-] from a line through the logarithms of the flights."""
    single = np.flatnonzero(np.diff(numbers) == 1)
    flights = np.diff(times)[single]
    if len(single) < 2:
        return float(times[1] - times[0]), 0.7
    slope, offset = np.polyfit(numbers[single], np.log(flights), 1)
    return math.exp(offset), float(np.clip(math.exp(slope), 0.02, 1.0))


def number_impacts(times: np.ndarray) -> tuple[np.ndarray, np.ndarray, list[str]]:
    """Return the index of each impact including missing ones, a mask of the actual impacts, and messages."""
    is_impact = np.ones(len(times), bool)
    messages: list[str] = []
    flights = np.diff(times)
    if len(flights) < 3:
        return np.arange(len(times)), is_impact, messages
    if np.any(flights <= 0.0):
        raise ModelError("fit_bounce: impact times must differ, got two impacts at the same time")
    e = float(np.median(np.minimum(flights[1:] / flights[:-1], 1.0)))
    candidates = (number_from_first_flight(times, e, first) for first in range(1, MAX_MISSED + 2))
    _, numbers, is_impact = min(candidates, key=lambda candidate: candidate[0])
    for k in np.flatnonzero(~is_impact):
        messages.append(f"t = {times[k]:.6g} s is too soon after an impact to be another one, so it is ignored")
    for before, after in pairwise(np.flatnonzero(is_impact)):
        n_missing = int(numbers[after] - numbers[before]) - 1
        if n_missing:
            messages.append(
                f"{n_missing} impact{'s are' if n_missing > 1 else ' is'} missing between t = {times[before]:.6g} s "
                f"and {times[after]:.6g} s; the later impacts are renumbered"
            )
    return numbers, is_impact, messages


def number_from_first_flight(times: np.ndarray, e: float, first: int) -> tuple[float, np.ndarray, np.ndarray]:
    """Count the impacts if the first interval consists of ``first`` flights; return misfit, numbers and mask."""
    numbers, is_impact = np.zeros(len(times), int), np.ones(len(times), bool)
    # Duration of m consecutive flights relative to the first of them.
    sums = [sum(e**j for j in range(m)) for m in range(MAX_MISSED + 2)]
    flight = (times[1] - times[0]) / sums[first]
    misfit, last = 0.2 * (first - 1), 0
    shortest = NOISE_RATIO * float(np.max(np.diff(times)))
    for k in range(1, len(times)):
        duration = times[k] - times[last]
        if k > 1 and flight < shortest:
            numbers[k], last = numbers[last] + 1, k
            continue
        if k > 1 and duration < DUPLICATE_RATIO * flight and is_impact[last]:
            is_impact[k], numbers[k] = False, numbers[last]
            misfit += 0.5
            continue
        deviations = [abs(math.log(duration / (flight * sums[m]))) for m in range(1, MAX_MISSED + 2)]
        m = first if k == 1 else 1 + int(np.argmin(deviations))
        if k > 1 and deviations[0] < deviations[m - 1] + MIN_IMPROVEMENT:
            m = 1
        misfit += deviations[m - 1] + (0.2 * (m - 1) if k > 1 else 0.0)
        numbers[k] = numbers[last] + m
        flight = duration / sums[m] * e**m
        last = k
    return misfit, numbers, is_impact
