"""The largest Lyapunov exponent: how fast two neighbouring motions part.

Two runs that start side by side are followed for an interval, the second is brought back to its first distance in the
direction in which it went, and so on: G. Benettin, L. Galgani, A. Giorgilli, J.-M. Strelcyn, Meccanica 15 (1980) 9–20.
Both runs meet their own impacts, so that jumps need no rule of their own.
"""

from __future__ import annotations

import math
import warnings
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from carom.errors import CaromWarning, ModelError, notify, positive, shown
from carom.model.generalized import GeneralizedSystem
from carom.result.result import Result
from carom.solve.simulate import simulate
from carom.study.subject import subject
from carom.study.uncertainty import quantile

if TYPE_CHECKING:
    from matplotlib.figure import Figure

INTERVALS = 200
BATCHES = 12
"""Parts of the run whose means tell the error."""
SEPARATION = 1e-7
"""Of the size of the motion: the distance of the neighbour."""
FAR = 1e-3
"""The distance beyond which growth is no longer that of a small one."""
CHECKED = 6
"""Intervals in which a run that is restarted is compared with one that goes on."""
SAME = 1e-4
"""Of the size of the motion: how far a run that is restarted may be from one that goes on."""
TIGHT = {"rtol": 1e-10, "atol": 1e-12}


@dataclass(frozen=True)
class Lyapunov:
    """``exponent`` [1/s] with its ``error`` (half an interval of 95 %), and how it came to it.

    ``t`` [s] are the ends of the intervals, ``running`` the exponent up to each, ``growth`` that of each alone.
    """

    name: str
    exponent: float
    error: float
    t: np.ndarray
    running: np.ndarray
    growth: np.ndarray

    @property
    def interval(self) -> tuple[float, float]:
        return self.exponent - self.error, self.exponent + self.error

    @property
    def chaotic(self) -> bool:
        """Whether the exponent is positive beyond its error."""
        return self.exponent > self.error

    def plot(self, **page: Any) -> Figure:
        """The exponent over the length of the run."""
        from carom.plot.page import new_page
        from carom.plot.panels import label_time
        from carom.plot.style import COLOURS, FAINT

        with new_page(7.0, 3.4, f"{self.name}: {self}", **page) as figure:
            axes = figure.subplots()
            axes.axhline(0.0, color=FAINT, linewidth=0.8)
            axes.axhspan(*self.interval, color=COLOURS[1], alpha=0.15, linewidth=0.0)
            axes.plot(self.t, self.running, color=COLOURS[0])
            away = 4.0 * max(self.error, 0.05 * abs(self.exponent), 1e-12)
            low, high = np.quantile(self.running[len(self.running) // 10 :], [0.0, 1.0])
            axes.set_ylim(min(low, 0.0, self.exponent - away), max(high, self.exponent + away))
            axes.set_ylabel("largest Lyapunov exponent [1/s]")
            label_time(axes)
        return figure

    def __str__(self) -> str:
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

    The run is restarted every ``interval`` [s] (default: 1/200 of it). A system that depends on time, as one that is
    driven, needs the period of its drive, or a whole number of periods. In compliant runs a restart is put between
    contacts, whose laws remember how they began. ``separation`` is the distance of the neighbour, of the size of the
    motion; ``values`` are parameters, options of the run, places of the model.

    The error is from the means of parts of the run, and not less than the change over its second half and what
    neighbours that part as t² add there: a regular motion, whose neighbours part as t, is zero within it.
    """
    one = subject(case)
    name, t_end = one.name, positive("lyapunov", "t_end", t_end)
    parameters, of_run, changes = one.divide(values)
    if "t_end" in of_run or "output" in of_run:
        raise ModelError("lyapunov: the run is cut into intervals by itself; leave out output")
    made = one.made(parameters).changed(changes)
    own = {key: value for key, value in made.options.items() if key != "t_end"}
    if of_run.get("method", own.get("method", "compliant")) != own.get("method", "compliant"):
        own = {}
    if "step" in of_run and of_run.get("method", own.get("method", "compliant")) == "compliant":
        of_run["max_step"] = of_run.pop("step")
    pair = Pair(name, made.system, {**TIGHT, **own, **of_run, "progress": False}, interval is None)
    length = t_end / INTERVALS if interval is None else positive("lyapunov", "interval", interval)
    with restored(made.system), warnings.catch_warnings():
        warnings.simplefilter("ignore", CaromWarning)
        pair.begin(length, transient)
        if separation * pair.size <= 0.0:
            raise ModelError(f"lyapunov: separation must be positive, got {shown(separation)}")
        t, growth = pair.follow(length, t_end, separation, np.random.default_rng(seed))
    for words in pair.told:
        notify(f"lyapunov: {words}")
    return concluded(name, t, growth)


class Pair:
    """A motion and its neighbour."""

    def __init__(self, name: str, system: Any, options: Mapping[str, Any], free: bool):
        self.name, self.system, self.options, self.free = name, system, options, free
        self.told: list[str] = []
        self.state = state_of(system)
        self.size, self.frequency = 1.0, 1.0

    def begin(self, length: float, transient: float) -> None:
        """Leave the transient, measure the size of the motion, and see that a restart changes nothing."""
        if transient > 0.0:
            count = max(round(transient / length), 1)
            for _ in range(count):
                self.state, _ = self.part(self.state, length)
        times = np.linspace(0.0, CHECKED * length, 8 * CHECKED + 1)
        whole = self.run(self.state, float(times[-1]), times[1:])
        rows = rows_of(whole.sample(times), self.system)
        n = self.places
        q, v = rows[:, :n], rows[:, n:]
        swing, speed = rms(q - q.mean(axis=0)), rms(v)
        self.size = swing or speed or 1.0
        self.frequency = speed / swing if swing and speed else 1.0
        for k in range(CHECKED):
            start = float(times[8 * k])
            if any(impact.t_start <= start <= impact.t_end for impact in whole.impacts):
                continue
            there, _ = self.part(rows[8 * k], length, exact=True)
            off = self.distance(there - rows[8 * k + 8]) / self.size
            if off > SAME:
                raise ModelError(
                    f"lyapunov: {self.name} goes another way when it is restarted after {start:g} s, by {off:.1g} of "
                    "its size: it depends on time. Give interval=, the period of its drive or a whole number of them"
                )

    @property
    def places(self) -> int:
        """How many of the state's numbers are places; the rest are speeds."""
        if isinstance(self.system, GeneralizedSystem):
            return self.system.freedom
        return len(self.system.bodies) * (3 if self.system.dim == 2 else 7)

    def distance(self, difference: np.ndarray) -> float:
        n = self.places
        return math.hypot(float(np.linalg.norm(difference[:n])), float(np.linalg.norm(difference[n:])) / self.frequency)

    def run(self, state: np.ndarray, length: float, output: Any) -> Result:
        set_state(self.system, state)
        result = simulate(self.system, length, **{**self.options, "output": output})
        if not result.outcome.ok:
            raise ModelError(f"lyapunov: a run of {self.name} ended before its time: {result.message}")
        return result

    def part(self, state: np.ndarray, length: float, exact: bool = False) -> tuple[np.ndarray, float]:
        """The state after ``length`` seconds, or a little earlier where a contact would be cut; and when."""
        result = self.run(state, length, [length])
        if self.free and not exact and result.settings["method"] == "compliant":
            shorter = between_contacts(result, length)
            if shorter < length:
                return rows_of(self.run(state, shorter, [shorter]), self.system)[-1], shorter
        return rows_of(result, self.system)[-1], length

    def follow(
        self, length: float, t_end: float, separation: float, random: np.random.Generator
    ) -> tuple[np.ndarray, np.ndarray]:
        """Ends of the intervals [s], and the growth of the logarithm of the distance in each."""
        direction = random.normal(size=len(self.state))
        direction[self.places :] *= self.frequency
        t, ends, growth = 0.0, [], []
        far = 0
        while t < t_end * (1.0 - 1e-9):
            after, took = self.part(self.state, length)
            away = separation * self.size / self.distance(direction) * direction
            result = self.run(self.state + away, took, [took])
            rows = rows_of(result, self.system)
            # Joints take the neighbour back onto them: its distance is where it really starts.
            first = self.distance(rows[0] - self.state)
            direction = rows[-1] - after
            last = self.distance(direction)
            if not first > 0.0 or not last > 0.0:
                raise ModelError(f"lyapunov: the neighbour falls onto the motion of {self.name}; a larger separation=")
            far += last > FAR * self.size
            growth.append(math.log(last / first))
            t += took
            ends.append(t)
            self.state = after
        if far > 0.02 * len(ends):
            self.told.append(
                f"the neighbour went far away in {far} of {len(ends)} intervals: a shorter interval=, or a smaller "
                "separation="
            )
        return np.array(ends), np.array(growth)


def concluded(name: str, t: np.ndarray, growth: np.ndarray) -> Lyapunov:
    """The mean, and its error."""
    if len(t) < 2 * BATCHES:
        wanted = f"{2 * BATCHES} at least, by a longer t_end or a shorter interval"
        raise ModelError(f"lyapunov: {len(t)} intervals; {wanted}")
    running = np.cumsum(growth) / t
    lengths = np.diff(t, prepend=0.0)
    parts = [np.sum(growth[part]) / np.sum(lengths[part]) for part in np.array_split(np.arange(len(t)), BATCHES)]
    error = quantile(0.95, BATCHES - 1) * float(np.std(parts, ddof=1)) / math.sqrt(BATCHES)
    changed = abs(float(running[-1] - running[len(running) // 2 - 1]))
    slow = 4.0 * math.log(2.0) / float(t[-1])
    return Lyapunov(name, float(running[-1]), max(error, changed + slow), t, running, growth / lengths)


def between_contacts(result: Result, length: float) -> float:
    """A time at or before ``length``, away from contacts by a share of the flight; ``length`` where there is none."""
    open_at_end = [impact for impact in result.impacts if not impact.finished]
    if not open_at_end:
        return length
    began = min(impact.t_start for impact in open_at_end)
    recent = max((i.t_end for i in result.impacts if i.finished and i.t_end < began), default=0.0)
    middle = 0.5 * (recent + began)
    return middle if middle > 0.05 * length else length


def state_of(system: Any) -> np.ndarray:
    """Places and speeds at the start, in the order of a result."""
    if isinstance(system, GeneralizedSystem):
        return np.concatenate([system.q0, system.u0]).astype(float)
    q: list[float] = []
    v: list[float] = []
    for body in system.bodies:
        q += [*body.position, *([body.angle] if system.dim == 2 else body.orientation)]
        v += [*body.velocity, *([body.angular_velocity] if system.dim == 2 else body.angular_velocity)]
    return np.array([*q, *v], float)


def set_state(system: Any, state: np.ndarray) -> None:
    """Put the system where ``state`` says."""
    if isinstance(system, GeneralizedSystem):
        system.q0, system.u0 = tuple(state[: system.freedom].tolist()), tuple(state[system.freedom :].tolist())
        return
    flat = system.dim == 2
    wide, count = (3, 3) if flat else (7, 6), len(system.bodies)
    for k, body in enumerate(system.bodies):
        q = state[k * wide[0] : (k + 1) * wide[0]]
        v = state[count * wide[0] + k * wide[1] : count * wide[0] + (k + 1) * wide[1]]
        d = system.dim
        body.position, body.velocity = q[:d].tolist(), v[:d].tolist()
        if flat:
            body.angle, body.angular_velocity = float(q[2]), float(v[2])
        else:
            body.orientation = (q[3:] / np.linalg.norm(q[3:])).tolist()
            body.angular_velocity = v[3:].tolist()


def rows_of(result: Result, system: Any) -> np.ndarray:
    """States at the nodes of a run."""
    if isinstance(system, GeneralizedSystem):
        signals = result.signals[:, : 2 * system.freedom]
        return np.concatenate([signals[:, 0::2], signals[:, 1::2]], axis=1)
    return np.concatenate([result.q, result.v], axis=1)


def rms(values: np.ndarray) -> float:
    return float(np.sqrt(np.mean(np.sum(values**2, axis=1))))


@contextmanager
def restored(system: Any) -> Iterator[None]:
    """The system is at its start again afterwards."""
    before = state_of(system)
    try:
        yield
    finally:
        set_state(system, before)
