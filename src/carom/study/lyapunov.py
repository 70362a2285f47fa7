"""Largest Lyapunov exponent: the exponential rate at which neighbouring motions diverge.

Two runs with neighbouring initial states are integrated for an interval, then the second one is rescaled to its initial
distance in the direction it has reached, and so on: G. Benettin, L. Galgani, A. Giorgilli, J.-M. Strelcyn, Meccanica 15
(1980) 9–20. Both runs locate their own impacts. The difference of the impact times, which causes most of the growth
(the saltation matrix: P. C. Müller, Chaos, Solitons & Fractals 5 (1995) 1671–1681), is therefore included.
"""

from __future__ import annotations

import math
import warnings
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from carom.argument_checks import positive, short_repr
from carom.errors import CaromWarning, ModelError, warn
from carom.model.generalized_system import GeneralizedSystem
from carom.short_form import ShortRepr
from carom.solve.propagate import Propagator, propagator
from carom.solve.simulate import simulate
from carom.study.fitting.confidence import mean_error
from carom.study.study_model import BuiltModel, StudyModelLike, as_study_model

if TYPE_CHECKING:
    from matplotlib.figure import Figure

DEFAULT_INTERVALS = 200
"""Default number of intervals."""
MIN_INTERVALS = 24
"""Smallest number of intervals."""
START_DISTANCE = 1e-7
"""Distance of the neighbour relative to the amplitude of the motion [-]."""
MAX_DISTANCE = 1e-3
"""Distance relative to the amplitude of the motion [-] above which the growth is no longer linear."""
MIN_RATIO = 1e-3
"""Ratio of the distances after and before an interval [-] below which it is halved to avoid rounding errors."""
MAX_HALVINGS = 12
"""Largest number of halvings of an interval."""
COINCIDENT_DISTANCE = 1e-13
"""Distance relative to the amplitude of the motion [-] below which two runs coincide."""
AMPLITUDE_INTERVALS, AMPLITUDE_SAMPLES = 6, 48
"""Number of intervals, and of samples in them, that determine the amplitude of the motion."""
EXTENSION, MAX_EXTENSIONS = 0.1, 3
"""Fraction of an interval by which its end is delayed while only one of the runs has had an impact."""
TIGHT_TOLERANCES = {"rtol": 1e-10, "atol": 1e-12}


@dataclass(frozen=True, repr=False)
class Lyapunov(ShortRepr):
    """Largest Lyapunov ``exponent`` [1/s] with its ``error`` (half-width of the 95 % interval).

    ``t`` [s] are the ends of the intervals, ``running`` [1/s] is the exponent up to each end, ``growth`` [1/s] that of
    each interval alone. If both runs coincide after the time ``coincident`` [s], as after complete chatter, the
    exponent is −∞.
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
        """Confidence interval of 95 % [1/s]."""
        return self.exponent - self.error, self.exponent + self.error

    @property
    def chaotic(self) -> bool:
        """True if the exponent is larger than its error."""
        return self.exponent > self.error

    def plot(self, **page: Any) -> Figure:
        """Plot the exponent over the length of the run."""
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
                margin = 4.0 * max(self.error, 0.05 * abs(self.exponent), 1e-12)
                low, high = np.quantile(self.running[len(self.running) // 10 :], [0.0, 1.0])
                axes.set_ylim(min(low, 0.0, self.exponent - margin), max(high, self.exponent + margin))
            axes.set_ylabel("largest Lyapunov exponent [1/s]")
            label_time(axes)
        return figure

    def __str__(self) -> str:
        if self.coincident is not None:
            return f"largest Lyapunov exponent −∞, stable: both runs coincide after {self.coincident:.4g} s"
        kind = "chaotic" if self.chaotic else "regular" if abs(self.exponent) <= self.error else "stable"
        return f"largest Lyapunov exponent {self.exponent:.4g} ± {self.error:.2g} 1/s, {kind}"


def lyapunov(
    case: StudyModelLike,
    t_end: float,
    *,
    interval: float | None = None,
    transient: float = 0.0,
    separation: float = START_DISTANCE,
    seed: int = 0,
    **values: Any,
) -> Lyapunov:
    """Return the largest Lyapunov exponent [1/s] of ``case`` over ``t_end`` seconds, after ``transient`` seconds.

    The neighbour is rescaled every ``interval`` [s] (default: 1/200 of ``t_end``); the motion itself is not
    interrupted, so that systems may depend on time and contacts may be closed. ``separation`` is the distance of the
    neighbour relative to the amplitude of the motion; ``values`` are parameters, run options, paths in the model.

    Non-smooth runs are integrated event-driven whatever their scheme: in time stepping both runs have their impacts in
    the same step, and the growth by different impact times is lost.

    The error follows from the means of batches of the run, long ones if the motion is correlated over long times. It is
    at least the change over the second half of the run plus the contribution of neighbours that diverge as t², so that
    the exponent of a regular motion, whose neighbours diverge as t, is zero within its error. After complete chatter
    both runs coincide, and the exponent is −∞.

    Examples
    --------
    >>> import carom as cm
    >>> bool(cm.lyapunov("double_pendulum", t_end=2.0).exponent > 0.0)
    True
    """
    model = as_study_model(case)
    t_end = positive("lyapunov", "t_end", t_end)
    parameters, run_options, changes = model.split_values(values)
    if "t_end" in run_options or "output" in run_options:
        raise ModelError("lyapunov: the run is divided into intervals; omit output")
    built = model.build(parameters).with_changes(changes)
    length = t_end / DEFAULT_INTERVALS if interval is None else positive("lyapunov", "interval", interval)
    if separation <= 0.0:
        raise ModelError(f"lyapunov: separation must be positive, got {short_repr(separation)}")
    options = accurate_options(built, run_options)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", CaromWarning)
        # The settings of a short run tell the propagator which method and options to use.
        short = simulate(built.system, min(length, t_end), **{**options, "output": [min(length, t_end)]})
        end = max(transient, 0.0) + t_end
        pair = TrajectoryPair(model.name, propagator(built.system, short.settings, end), end)
        pair.start(max(transient, 0.0), length)
        result = pair.measure_growth(length, separation, np.random.default_rng(seed))
    for message in pair.messages:
        warn(f"lyapunov: {message}")
    return result


def accurate_options(model: BuiltModel, run_options: Mapping[str, Any]) -> dict[str, Any]:
    """Return the options of the runs: those of the user, else those of the model, with tight tolerances."""
    model_options = {key: value for key, value in model.options.items() if key != "t_end"}
    method = run_options.get("method", model_options.get("method", "compliant"))
    if method != model_options.get("method", "compliant"):
        model_options = {}
    options = {**TIGHT_TOLERANCES, **model_options, **run_options, "progress": False}
    if method == "compliant" and "step" in run_options:
        options["max_step"] = options.pop("step")
    if method == "nonsmooth":
        system = model.system
        spatial = system.directions > 2 if isinstance(system, GeneralizedSystem) else system.dim > 2
        if spatial:
            raise ModelError(
                f"lyapunov: non-smooth runs of {model.name} are supported with one tangential direction only, got two; "
                "use method='compliant' and contacts with law="
            )
        if run_options.get("scheme", "event-driven") != "event-driven":
            warn(
                f"lyapunov: integrated event-driven, not by scheme={run_options['scheme']!r}: in time stepping both "
                "runs have their impacts in the same step, and the growth by different impact times is lost"
            )
        options["scheme"] = "event-driven"
    return options


class TrajectoryPair:
    """A trajectory and its neighbour, up to the time ``end`` [s]."""

    def __init__(self, name: str, motion: Propagator, end: float):
        self.name, self.motion, self.end = name, motion, end
        self.messages: list[str] = []
        self.t, self.state = 0.0, motion.first
        self.amplitude, self.frequency = 1.0, 1.0

    def start(self, transient: float, length: float) -> None:
        """Integrate the transient, and determine amplitude and frequency of the motion."""
        if transient > 0.0:
            self.state, self.t = self.advance(0.0, self.state, transient)[0], transient
        times = np.linspace(self.t, min(self.t + AMPLITUDE_INTERVALS * length, self.end), AMPLITUDE_SAMPLES + 1)[1:]
        n, rows = self.motion.n, self.motion.advance(self.t, self.state, times)[0]
        displacements = np.array([self.motion.difference(self.state, row) for row in rows])[:, :n]
        amplitude, speed = rms(displacements - displacements.mean(axis=0)), rms(rows[:, n : 2 * n])
        self.amplitude = amplitude or speed or 1.0
        self.frequency = speed / amplitude if amplitude and speed else 1.0

    def advance(self, t: float, state: np.ndarray, end: float) -> tuple[np.ndarray, Any]:
        """Return the state at ``end`` [s], and the contact status that distinguishes the two runs."""
        try:
            states, contacts = self.motion.advance(t, state, [end])
        except ModelError as error:
            raise ModelError(f"lyapunov: a run of {self.name} ended early: {error}") from error
        return states[-1], contacts

    def distance(self, difference: np.ndarray) -> float:
        """Return the norm of the coordinates and of the velocities over the frequency of the motion."""
        n = self.motion.n
        return float(np.hypot(np.linalg.norm(difference[:n]), np.linalg.norm(difference[n : 2 * n]) / self.frequency))

    def advance_both(self, neighbour: np.ndarray, length: float) -> tuple[float, np.ndarray, np.ndarray]:
        """Integrate both runs for about ``length`` seconds; return the end [s] and both states."""
        t, states = self.t, (self.state, neighbour)
        goal = min(t + length, self.end)
        for _ in range(MAX_EXTENSIONS + 1):
            (state, contacts), (other, other_contacts) = (self.advance(t, state, goal) for state in states)
            t, states = goal, (state, other)
            goal = min(t + EXTENSION * length, self.end)
            if contacts == other_contacts or goal == t:
                break
        return t, *states

    def measure_growth(self, length: float, separation: float, random: np.random.Generator) -> Lyapunov:
        """Return the exponent from the growth of the distance in all intervals."""
        motion, start = self.motion, self.t
        direction = np.zeros(len(motion.difference(self.state, self.state)))
        direction[: 2 * motion.n] = random.normal(size=2 * motion.n)
        direction[motion.n : 2 * motion.n] *= self.frequency
        ends: list[float] = []
        growth: list[float] = []
        n_nonlinear = 0
        while self.end - self.t > 0.5 * length:
            displacement = separation * self.amplitude / self.distance(direction) * direction
            neighbour = motion.displaced(self.t, self.state, displacement)
            first = self.distance(motion.difference(self.state, neighbour))
            if not first > COINCIDENT_DISTANCE * self.amplitude:
                return self.coincident_result(start, ends, growth)
            shorter = length
            for _ in range(MAX_HALVINGS):
                t, state, other = self.advance_both(neighbour, shorter)
                direction = motion.difference(state, other)
                last = self.distance(direction)
                if last > MIN_RATIO * first:
                    break
                shorter *= 0.5
            if last <= COINCIDENT_DISTANCE * self.amplitude:
                return self.coincident_result(start, ends, growth)
            n_nonlinear += last > MAX_DISTANCE * self.amplitude
            growth.append(math.log(last / first))
            ends.append(t - start)
            self.t, self.state = t, state
        if n_nonlinear > 0.02 * len(ends):
            self.messages.append(
                f"the distance of the neighbour exceeded {MAX_DISTANCE:g} of the amplitude in {n_nonlinear} of "
                f"{len(ends)} intervals; use a shorter interval= (now {length:.3g} s) or a smaller separation= (now "
                f"{separation:.3g})"
            )
        return mean_growth(self.name, np.array(ends), np.array(growth))

    def coincident_result(self, start: float, ends: list[float], growth: list[float]) -> Lyapunov:
        """Return the exponent −∞ of two runs that coincide, and add a message."""
        time = self.t - start
        self.messages.append(
            f"both runs of {self.name} coincide after {time:.4g} s, because impacts that accumulate until the contact "
            "stays closed (complete chatter) or friction remove all of the difference. The exponent is −∞"
        )
        t, total = np.array([*ends, time]), np.array([*growth, -math.inf])
        with np.errstate(divide="ignore", invalid="ignore"):
            return Lyapunov(self.name, -math.inf, 0.0, t, np.cumsum(total) / t, total / np.diff(t, prepend=0.0), time)


def mean_growth(name: str, t: np.ndarray, growth: np.ndarray) -> Lyapunov:
    """Return the exponent and its error from the logarithmic growth of the intervals that end at ``t`` [s]."""
    if len(t) < MIN_INTERVALS:
        raise ModelError(
            f"lyapunov: at least {MIN_INTERVALS} intervals are needed, got {len(t)}; use a longer t_end or a shorter "
            "interval="
        )
    running = np.cumsum(growth) / t
    lengths = np.diff(t, prepend=0.0)
    error = mean_error(growth, lengths)
    change = abs(float(running[-1] - running[len(running) // 2 - 1]))
    polynomial_growth = 4.0 * math.log(2.0) / float(t[-1])
    error = max(error, change + polynomial_growth)
    return Lyapunov(name, float(running[-1]), error, t, running, growth / lengths)


def rms(values: np.ndarray) -> float:
    """Return the root mean square of the norms of the rows."""
    return float(np.sqrt(np.mean(np.sum(values**2, axis=1))))
