"""The largest Lyapunov exponent: how fast two neighbouring motions part.

Two runs that start side by side are followed for an interval, the second is brought back to its first distance in the
direction in which it went, and so on: G. Benettin, L. Galgani, A. Giorgilli, J.-M. Strelcyn, Meccanica 15 (1980) 9–20.
Both runs locate their own impacts, so that the difference of the impact times, which makes most of the growth (the
saltation matrix: P. C. Müller, Chaos, Solitons & Fractals 5 (1995) 1671–1681), needs no rule of its own.
"""

from __future__ import annotations

import math
import warnings
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from carom.errors import CaromWarning, ModelError, notify, positive, shown
from carom.model.generalized import GeneralizedSystem
from carom.solve.propagate import Propagator, propagator
from carom.solve.simulate import simulate
from carom.study.subject import Made, subject
from carom.study.uncertainty import mean_error

if TYPE_CHECKING:
    from matplotlib.figure import Figure

INTERVALS = 200
LEAST_INTERVALS = 24
SEPARATION = 1e-7
"""Distance of the neighbour, relative to the size of the motion."""
FAR = 1e-3
"""Distance, relative to the size of the motion, beyond which growth is no longer that of a small one."""
CLOSE = 1e-3
"""Ratio of the distances after and before an interval below which it is halved, so that rounding is not measured."""
HALVINGS = 12
COINCIDENT = 1e-13
"""Distance, relative to the size of the motion, at which two runs are one."""
SIZED, SAMPLES = 6, 48
"""Intervals in which the size of the motion is measured, and its samples there."""
LATER, TRIES = 0.1, 3
"""Fraction of an interval by which its end is put off while one run has had an impact that the other has not yet."""
TIGHT = {"rtol": 1e-10, "atol": 1e-12}


@dataclass(frozen=True)
class Lyapunov:
    """``exponent`` [1/s] with its ``error`` (half an interval of 95 %), and how it came to it.

    ``t`` [s] are the ends of the intervals, ``running`` the exponent up to each, ``growth`` that of each alone. Where
    both runs coincide after a time (``coincident`` [s]), as after complete chatter, the exponent is −∞.
    """

    name: str
    exponent: float
    error: float
    t: np.ndarray
    running: np.ndarray
    growth: np.ndarray
    coincident: float | None = None

    @property
    def interval(self) -> tuple[float, float]:
        return self.exponent - self.error, self.exponent + self.error

    @property
    def chaotic(self) -> bool:
        """Whether the exponent is positive beyond its error."""
        return self.exponent > self.error

    def plot(self, **page: Any) -> Figure:
        """The exponent over the length of the run."""
        from carom.plot.figure_options import open_figure
        from carom.plot.panels import label_time
        from carom.plot.style import COLOURS, FAINT

        with open_figure(7.0, 3.4, f"{self.name}: {self}", **page) as figure:
            axes = figure.subplots()
            axes.axhline(0.0, color=FAINT, linewidth=0.8)
            if self.coincident is None:
                axes.axhspan(*self.interval, color=COLOURS[1], alpha=0.15, linewidth=0.0)
            axes.plot(self.t, self.running, color=COLOURS[0])
            if self.coincident is None:
                away = 4.0 * max(self.error, 0.05 * abs(self.exponent), 1e-12)
                low, high = np.quantile(self.running[len(self.running) // 10 :], [0.0, 1.0])
                axes.set_ylim(min(low, 0.0, self.exponent - away), max(high, self.exponent + away))
            axes.set_ylabel("largest Lyapunov exponent [1/s]")
            label_time(axes)
        return figure

    def __str__(self) -> str:
        if self.coincident is not None:
            return f"largest Lyapunov exponent −∞, stable: both runs coincide after {self.coincident:.4g} s"
        kind = "chaotic" if self.chaotic else "regular" if abs(self.exponent) <= self.error else "stable"
        return f"largest Lyapunov exponent {self.exponent:.4g} ± {self.error:.2g} 1/s, {kind}"


def lyapunov(
    case: Any,
    t_end: float,
    *,
    interval: float | None = None,
    transient: float = 0.0,
    separation: float = SEPARATION,
    seed: int = 0,
    **values: Any,
) -> Lyapunov:
    """The largest Lyapunov exponent [1/s] of ``case`` over ``t_end`` seconds, after ``transient`` seconds.

    The neighbour is brought back every ``interval`` [s] (default: 1/200 of ``t_end``); the motion itself is not
    interrupted, so that systems may depend on time and contacts may be closed. ``separation`` is the distance of the
    neighbour, relative to the size of the motion; ``values`` are parameters, options of the run, paths in the model.

    Non-smooth runs are integrated event-driven whatever their scheme: in time stepping both runs have their impacts in
    the same step, and the growth by different impact times is lost.

    The error is from the means of parts of the run, long ones where the motion mixes slowly, and not less than the
    change over its second half and what neighbours that part as t² add there: a regular motion, whose neighbours part
    as t, is zero within it. After complete chatter, both runs coincide, and the exponent is −∞.
    """
    one = subject(case)
    t_end = positive("lyapunov", "t_end", t_end)
    parameters, of_run, changes = one.divide(values)
    if "t_end" in of_run or "output" in of_run:
        raise ModelError("lyapunov: leave out output; the run is cut into intervals")
    made = one.made(parameters).changed(changes)
    length = t_end / INTERVALS if interval is None else positive("lyapunov", "interval", interval)
    if separation <= 0.0:
        raise ModelError(f"lyapunov: separation must be positive, got {shown(separation)}")
    options = options_of(made, of_run)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", CaromWarning)
        short = simulate(made.system, min(length, t_end), **{**options, "output": [min(length, t_end)]})
        end = max(transient, 0.0) + t_end
        pair = Pair(one.name, propagator(made.system, short.settings, end), end)
        pair.begin(max(transient, 0.0), length)
        found = pair.follow(length, separation, np.random.default_rng(seed))
    for words in pair.messages:
        notify(f"lyapunov: {words}")
    return found


def options_of(made: Made, of_run: Mapping[str, Any]) -> dict[str, Any]:
    """Return the options of the runs: those given, else those of the model, with tight tolerances."""
    own = {key: value for key, value in made.options.items() if key != "t_end"}
    method = of_run.get("method", own.get("method", "compliant"))
    if method != own.get("method", "compliant"):
        own = {}
    options = {**TIGHT, **own, **of_run, "progress": False}
    if method == "compliant" and "step" in of_run:
        options["max_step"] = options.pop("step")
    if method == "nonsmooth":
        system = made.system
        spatial = system.directions > 2 if isinstance(system, GeneralizedSystem) else system.dim > 2
        if spatial:
            raise ModelError(
                f"lyapunov: {made.name} has spatial contacts, whose non-smooth runs are time stepping only: both runs "
                "have their impacts in the same step, and the growth by different impact times is lost; use "
                "method='compliant' and contacts with law="
            )
        if of_run.get("scheme", "event-driven") != "event-driven":
            notify(
                f"lyapunov: integrated event-driven, not by scheme={of_run['scheme']!r}: in time stepping both runs "
                "have their impacts in the same step, and the growth by different impact times is lost"
            )
        options["scheme"] = "event-driven"
    return options


class Pair:
    """A motion and its neighbour, up to the time ``end`` [s]."""

    def __init__(self, name: str, motion: Propagator, end: float):
        self.name, self.motion, self.end = name, motion, end
        self.messages: list[str] = []
        self.t, self.state = 0.0, motion.first
        self.size, self.frequency = 1.0, 1.0

    def begin(self, transient: float, length: float) -> None:
        """Leave the transient, and measure the size of the motion and the ratio of its speed to it."""
        if transient > 0.0:
            self.state, self.t = self.advance(0.0, self.state, transient)[0], transient
        times = np.linspace(self.t, min(self.t + SIZED * length, self.end), SAMPLES + 1)[1:]
        n, rows = self.motion.n, self.motion.advance(self.t, self.state, times)[0]
        away = np.array([self.motion.difference(self.state, row) for row in rows])[:, :n]
        swing, speed = rms(away - away.mean(axis=0)), rms(rows[:, n : 2 * n])
        self.size = swing or speed or 1.0
        self.frequency = speed / swing if swing and speed else 1.0

    def advance(self, t: float, state: np.ndarray, end: float) -> tuple[np.ndarray, Any]:
        """Return the state at ``end``, and the contacts that distinguish one motion from another there."""
        try:
            states, contacts = self.motion.advance(t, state, [end])
        except ModelError as error:
            raise ModelError(f"lyapunov: a run of {self.name} ended before its time: {error}") from error
        return states[-1], contacts

    def distance(self, difference: np.ndarray) -> float:
        """Return the norm of the coordinates and of the velocities over the frequency of the motion."""
        n = self.motion.n
        return float(np.hypot(np.linalg.norm(difference[:n]), np.linalg.norm(difference[n : 2 * n]) / self.frequency))

    def interval(self, other: np.ndarray, length: float) -> tuple[float, np.ndarray, np.ndarray]:
        """Follow both runs for about ``length`` seconds: the end [s], the state there, the neighbour's."""
        t, states = self.t, (self.state, other)
        goal = min(t + length, self.end)
        for _ in range(TRIES + 1):
            (state, contacts), (other, others) = (self.advance(t, one, goal) for one in states)
            t, states = goal, (state, other)
            goal = min(t + LATER * length, self.end)
            if contacts == others or goal == t:
                break
        return t, *states

    def follow(self, length: float, separation: float, random: np.random.Generator) -> Lyapunov:
        """Return the exponent from the growth of the distance, interval by interval."""
        motion, began = self.motion, self.t
        direction = np.zeros(len(motion.difference(self.state, self.state)))
        direction[: 2 * motion.n] = random.normal(size=2 * motion.n)
        direction[motion.n : 2 * motion.n] *= self.frequency
        ends: list[float] = []
        growth: list[float] = []
        far = 0
        while self.end - self.t > 0.5 * length:
            away = separation * self.size / self.distance(direction) * direction
            other = motion.displaced(self.t, self.state, away)
            first = self.distance(motion.difference(self.state, other))
            if not first > COINCIDENT * self.size:
                return self.coincide(began, ends, growth)
            shorter = length
            for _ in range(HALVINGS):
                t, state, then = self.interval(other, shorter)
                direction = motion.difference(state, then)
                last = self.distance(direction)
                if last > CLOSE * first:
                    break
                shorter *= 0.5
            if last <= COINCIDENT * self.size:
                return self.coincide(began, ends, growth)
            far += last > FAR * self.size
            growth.append(math.log(last / first))
            ends.append(t - began)
            self.t, self.state = t, state
        if far > 0.02 * len(ends):
            self.messages.append(
                f"the neighbour went further than {FAR:g} of the size of the motion in {far} of {len(ends)} intervals; "
                f"use a shorter interval= (now {length:.3g} s) or a smaller separation= (now {separation:.3g})"
            )
        return concluded(self.name, np.array(ends), np.array(growth))

    def coincide(self, began: float, ends: list[float], growth: list[float]) -> Lyapunov:
        """Return the exponent −∞ of a motion onto which its neighbours fall, and say so."""
        after = self.t - began
        self.messages.append(
            f"both runs of {self.name} coincide after {after:.4g} s: impacts that accumulate until the contact stays "
            "closed (complete chatter), or friction, take all of the difference. The exponent is −∞"
        )
        t, total = np.array([*ends, after]), np.array([*growth, -math.inf])
        with np.errstate(divide="ignore", invalid="ignore"):
            return Lyapunov(self.name, -math.inf, 0.0, t, np.cumsum(total) / t, total / np.diff(t, prepend=0.0), after)


def concluded(name: str, t: np.ndarray, growth: np.ndarray) -> Lyapunov:
    """Return the mean growth, and its error."""
    if len(t) < LEAST_INTERVALS:
        raise ModelError(
            f"lyapunov: at least {LEAST_INTERVALS} intervals are needed, got {len(t)}; use a longer t_end or a shorter "
            "interval="
        )
    running = np.cumsum(growth) / t
    lengths = np.diff(t, prepend=0.0)
    error = mean_error(growth, lengths)
    changed = abs(float(running[-1] - running[len(running) // 2 - 1]))
    slow = 4.0 * math.log(2.0) / float(t[-1])
    return Lyapunov(name, float(running[-1]), max(error, changed + slow), t, running, growth / lengths)


def rms(values: np.ndarray) -> float:
    return float(np.sqrt(np.mean(np.sum(values**2, axis=1))))
