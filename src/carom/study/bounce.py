"""Restitution from the times at which a ball bounces, and from nothing else.

Between impacts the ball flies: a flight of T seconds begins and ends with v = g T/2, and rises to g T²/8. Air is left
out. All times are fitted together, since an error of one of them makes a flight longer and its neighbour shorter.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np

from carom.errors import ModelError, choice, notify, number, positive, share, shown
from carom.study import uncertainty
from carom.study.estimates import Estimate, Estimates
from carom.study.measured import START, measured
from carom.study.uncertainty import LOSSES

if TYPE_CHECKING:
    from matplotlib.figure import Figure

MODELS = {"constant": ("restitution",), "power": ("a", "p")}
"""Of restitution over approach speed v [m/s]: e, or e(v) = 1 − a vᵖ."""
MISSED = 3
"""Impacts in a row that may have been missed."""
SHORT = 0.4
"""Of the flight expected: a shorter one is a second signal of the same impact."""
LONG = 0.02
"""Of the longest flight: shorter ones may be noise, and nothing is read out of them."""
ODD = 0.02
"""Noise of the times, as part of the first flight, that a clock does not have."""
WRONG = 0.15
"""Of a flight: how much better it must fit with an impact that was missed."""


@dataclass(frozen=True)
class Bounce(Estimates):
    """What the times say: ``restitution`` (or a and p), the first approach speed, heights, and how well.

    ``number`` counts the impacts, with those missed; ``left_out`` are times that are no impact of their own.
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
        """e at an approach speed [m/s]."""
        values = np.array([self[name] for name in MODELS[self.model]])
        return law(self.model, values, np.asarray(speed, float))

    @property
    def predicted(self) -> np.ndarray:
        """Times [s] of all impacts up to the last, by the model."""
        values = [self["first_impact"], self["speed"], *(self[name] for name in MODELS[self.model])]
        return march(self.model, np.array(values), int(self.number[-1]), self.gravity)[0]

    @property
    def speeds(self) -> np.ndarray:
        """Approach speeds [m/s] of all impacts up to the last."""
        values = [self["first_impact"], self["speed"], *(self[name] for name in MODELS[self.model])]
        return march(self.model, np.array(values), int(self.number[-1]), self.gravity)[1]

    @property
    def heights(self) -> np.ndarray:
        """Heights [m] from which the ball fell before each impact, that of its release first."""
        return self.speeds**2 / (2.0 * self.gravity)

    @property
    def residuals(self) -> np.ndarray:
        """Model minus data [s]."""
        return self.predicted[self.number] - self.times

    def plot(self, **page: Any) -> Figure:
        """Restitution over approach speed, and residuals of the times."""
        from carom.study.bounce_figure import plot_bounce

        return plot_bounce(self, **page)

    def __str__(self) -> str:
        lines = [
            f"{e.name:<14}{e.value:<12.6g}{100 * self.confidence:g} %: {e.low:.6g} … {e.high:.6g}"
            for e in self.estimates
        ]
        lines.append(f"{len(self.times)} impacts, noise of their times {self.sigma:.2g} s")
        return "\n".join(lines + [f"warning: {words}" for words in self.warnings])


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
) -> Bounce:
    """Restitution of a ball from the ``times`` [s] of its successive impacts on a level floor.

    ``times``: a list, or a CSV file with a column ``t_start``. ``model``: "constant", or "power", e(v) = 1 − a vᵖ over
    approach speed v [m/s]. ``height`` [m] is that of the fall before the first impact, where it is known;
    ``released`` the time [s] at which the ball was let go, from rest; without them both follow from the times.
    ``sigma`` [s] is the noise of the times, found from the residuals when None. ``loss`` is as in `fit`.

    An impact that was missed between two times, and a second signal of the same one, are found and told.
    """
    choice("fit_bounce", "model", model, tuple(MODELS))
    choice("fit_bounce", "loss", loss, tuple(LOSSES))
    g = positive("fit_bounce", "gravity", gravity)
    confidence = share("fit_bounce", "confidence", confidence)
    seen = measured(times).events.get(START)
    if seen is None:
        raise ModelError(f"fit_bounce: times must be those of impacts, a list or a column {START}, got {shown(times)}")
    seen = np.sort(seen[np.isfinite(seen)])
    needed = 3 if height is None else 2
    if len(seen) < needed:
        raise ModelError(f"fit_bounce: {len(seen)} impacts; {needed} at least make a restitution")
    counted, kept, told = numbered(seen)
    fixed = None if height is None else math.sqrt(2.0 * g * positive("fit_bounce", "height", height))
    let_go = None if released is None else number("fit_bounce", "released", released)
    task = Task(model, g, seen[kept], counted[kept], fixed, let_go)
    n, p = len(task.y), len(task.start)
    if n < p:
        raise ModelError(f"fit_bounce: {n} times for {p} unknowns; take model='constant', or more impacts")
    x, jacobian, away, found = task.solve(loss, sigma)
    freedom = n - p
    if loss != "linear":
        spread = uncertainty.of_loss(jacobian, away / found, loss) * found**2
    else:
        spread = uncertainty.classic(jacobian, found**2)
    exact = sigma is not None
    reach = uncertainty.quantile(confidence, math.inf if exact else max(freedom, 1))
    if freedom == 0 and not exact:
        told.append("as many times as unknowns: there is no interval; measure more impacts, or give sigma")
        spread = np.full_like(spread, np.nan)
    estimates, matrix = task.estimates(x, spread, reach)
    if estimates[0].value >= 1.0 and model == "constant":
        told.append("restitution of one or more: times are wrong, or the floor moves")
    if found > ODD * (seen[1] - seen[0]):
        told.append(
            f"times are {found:.2g} s off bounces of such a restitution: look at plot(), for impacts that are missing "
            "or too many, or take model='power'"
        )
    for words in told:
        notify(f"fit_bounce: {words}")
    return Bounce(
        model=model, estimates=estimates, covariance=matrix, times=seen[kept], number=counted[kept],
        left_out=seen[~kept], gravity=g, sigma=found, freedom=freedom, confidence=confidence, loss=loss,
        warnings=tuple(told),
    )  # fmt: skip


class Task:
    """The least squares: x = (time of the first impact, its speed unless known, parameters of the restitution)."""

    def __init__(
        self, model: str, g: float, times: np.ndarray, counted: np.ndarray, speed: float | None, released: float | None
    ):
        self.model, self.g, self.counted, self.speed = model, g, counted, speed
        self.released = released
        self.y = times if released is None else np.append(times, released)
        flight, e = first_guess(times, counted)
        guess = [e] if model == "constant" else [max(1.0 - e, 1e-3), 0.1]
        v = flight * g / (2.0 * e)
        self.start = np.array([times[0], *([] if speed is not None else [v]), *guess])

    def whole(self, x: np.ndarray) -> np.ndarray:
        return x if self.speed is None else np.array([x[0], self.speed, *x[1:]])

    def predict(self, x: np.ndarray) -> np.ndarray:
        values = self.whole(x)
        times, _ = march(self.model, values, int(self.counted[-1]), self.g)
        told = times[self.counted]
        return told if self.released is None else np.append(told, values[0] - values[1] / self.g)

    def solve(self, loss: str, sigma: float | None) -> tuple[np.ndarray, np.ndarray, np.ndarray, float]:
        """Solution, Jacobian and residuals there, and the noise [s]."""
        from scipy.optimize import least_squares

        low = np.full(len(self.start), -np.inf)
        low[-1 if self.model == "constant" else -2] = 0.0
        noise = sigma if sigma is not None else max(1e-3 * float(np.ptp(self.y)), 1e-12)
        x, n, p = self.start, len(self.y), len(self.start)
        for _ in range(1 if sigma is not None else 8):
            found = least_squares(
                lambda x, s=noise: (self.predict(x) - self.y) / s, x, bounds=(low, np.inf), jac="3-point",
                loss=loss, f_scale=LOSSES[loss], x_scale="jac", xtol=1e-14, ftol=1e-14, gtol=1e-14, max_nfev=500,
            )  # fmt: skip
            x, before = found.x, noise
            away = self.predict(x) - self.y
            if sigma is None:
                size = uncertainty.spread(away, loss != "linear") * math.sqrt(n / max(n - p, 1))
                noise = max(size, 1e-15 * max(1.0, float(np.max(np.abs(self.y)))))
            if loss == "linear" or abs(noise - before) < 1e-2 * before:
                break
        return x, found.jac * before, away, noise

    def estimates(self, x: np.ndarray, spread: np.ndarray, reach: float) -> tuple[tuple[Estimate, ...], np.ndarray]:
        """With the speed and the height of the fall, whose errors follow from those of ``x``."""
        names = ["first_impact", *([] if self.speed is not None else ["speed"]), *MODELS[self.model]]
        errors = np.sqrt(np.diag(spread))
        made = {name: (value, error) for name, value, error in zip(names, x, errors, strict=True)}
        v, dv = made.get("speed", (self.speed, 0.0))
        made["speed"] = (v, dv)
        made["height"] = (v**2 / (2.0 * self.g), v * dv / self.g)
        order = [*MODELS[self.model], "first_impact", "speed", "height"]
        found = []
        for name in order:
            value, error = made[name]
            low, high = value - reach * error, value + reach * error
            least = 0.0 if name in ("restitution", "a", "speed", "height") else -math.inf
            found.append(Estimate(name, float(value), float(error), max(low, least), high, least, math.inf))
        return tuple(found), spread


def law(model: str, values: Sequence[float] | np.ndarray, speed: Any) -> Any:
    """e(v)."""
    if model == "constant":
        return values[0] + 0.0 * speed
    return np.clip(1.0 - values[0] * np.maximum(speed, 1e-300) ** values[1], 0.0, None)


def march(model: str, values: np.ndarray, count: int, g: float) -> tuple[np.ndarray, np.ndarray]:
    """Times [s] and approach speeds [m/s] of the impacts 0 … count."""
    times, speeds = np.zeros(count + 1), np.zeros(count + 1)
    times[0], speeds[0] = values[0], values[1]
    for k in range(count):
        speeds[k + 1] = float(law(model, values[2:], speeds[k])) * speeds[k]
        times[k + 1] = times[k] + 2.0 * speeds[k + 1] / g
    return times, speeds


def first_guess(times: np.ndarray, counted: np.ndarray) -> tuple[float, float]:
    """The first flight [s] and a restitution, roughly: flights without a gap lie on a line in logarithm."""
    single = np.flatnonzero(np.diff(counted) == 1)
    flights = np.diff(times)[single]
    if len(single) < 2:
        return float(times[1] - times[0]), 0.7
    slope, offset = np.polyfit(counted[single], np.log(flights), 1)
    return math.exp(offset), float(np.clip(math.exp(slope), 0.02, 1.0))


def numbered(times: np.ndarray) -> tuple[np.ndarray, np.ndarray, list[str]]:
    """The number of each impact, counting those missed; which times count; and what is to be said of it."""
    kept = np.ones(len(times), bool)
    told: list[str] = []
    flights = np.diff(times)
    if len(flights) < 3:
        return np.arange(len(times)), kept, told
    if np.any(flights <= 0.0):
        raise ModelError("fit_bounce: two impacts at the same time")
    e = float(np.median(np.minimum(flights[1:] / flights[:-1], 1.0)))
    best = min((follow(times, e, first) for first in range(1, MISSED + 2)), key=lambda item: item[0])
    _, counted, kept = best
    for k in np.flatnonzero(~kept):
        told.append(f"t = {times[k]:.6g} s comes too soon after an impact to be another one; it is left out")
    there = np.flatnonzero(kept)
    for before, after in pairwise(there):
        missing = int(counted[after] - counted[before]) - 1
        if missing:
            told.append(
                f"{missing} impact{'s' if missing > 1 else ''} between t = {times[before]:.6g} s and "
                f"{times[after]:.6g} s was missed; the others are counted on"
            )
    return counted, kept, told


def follow(times: np.ndarray, e: float, first: int) -> tuple[float, np.ndarray, np.ndarray]:
    """Count the impacts from the first flight on, which is ``first`` of them: misfit, numbers, and which count."""
    counted, kept = np.zeros(len(times), int), np.ones(len(times), bool)
    sums = [sum(e**j for j in range(m)) for m in range(MISSED + 2)]
    flight = (times[1] - times[0]) / sums[first]
    misfit, at = 0.2 * (first - 1), 0
    shortest = LONG * float(np.max(np.diff(times)))
    for k in range(1, len(times)):
        length = times[k] - times[at]
        if k > 1 and flight < shortest:
            counted[k], at = counted[at] + 1, k
            continue
        if k > 1 and length < SHORT * flight and kept[at]:
            kept[k], counted[k] = False, counted[at]
            misfit += 0.5
            continue
        off = [abs(math.log(length / (flight * sums[m]))) for m in range(1, MISSED + 2)]
        m = first if k == 1 else 1 + int(np.argmin(off))
        if k > 1 and off[0] < off[m - 1] + WRONG:
            m = 1
        misfit += off[m - 1] + (0.2 * (m - 1) if k > 1 else 0.0)
        counted[k] = counted[at] + m
        flight = length / sums[m] * e**m
        at = k
    return misfit, counted, kept
