"""The unconstrained impact of one mass, integrated: m δ̈ = −F from δ = 0 until no force acts any more."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from carom.errors import ModelError
from carom.laws.normal.base import (
    APPROACH,
    DEEPEST,
    FORCE,
    INDENTATION,
    OUT,
    PRESSING,
    RATE,
    STATE,
    UNLOADING,
    FreeImpact,
    NormalLaw,
)
from carom.laws.numerics import root

RTOL, ATOL = 1e-12, 1e-14
"""Of the integration; ATOL in units of the depth and speed of the impact."""

LONGEST = 1e4
"""A contact that lasts longer, in units of depth over speed, is taken to last for ever."""

SAMPLES = 200
"""Points of the curve in compression, and in every stretch of restitution."""


@dataclass(frozen=True)
class Loop:
    """Time [s], indentation [m], its rate [m/s] and force [N] along an impact, and what it comes to."""

    t: np.ndarray
    indentation: np.ndarray
    rate: np.ndarray
    force: np.ndarray
    summary: FreeImpact


def free_impact(law: NormalLaw, mass: float, speed: float) -> Loop:
    """The impact of ``mass`` [kg] at ``speed`` [m/s] under ``law``."""
    return _Impact(law, mass, speed).run()


class _Impact:
    def __init__(self, law: NormalLaw, mass: float, speed: float):
        self.law, self.mass, self.speed = law, mass, speed
        self.probe = law.probe()
        self.states, self.outs = np.zeros((1, STATE)), np.zeros((1, OUT))
        self.states[0, APPROACH] = speed
        self.depth = self._depth()
        self.time = self.depth / speed
        self.pieces: list[tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]] = []
        self.peak = 0.0

    def run(self) -> Loop:
        t, delta, rate = self._stretch(0.0, 0.0, self.speed, [_event(lambda y: y[1])])
        deepest = delta
        if math.isfinite(t):
            self.states[0, DEEPEST], self.states[0, UNLOADING] = deepest, 1.0
            t, rate = self._restitution(t, deepest)
        summary = FreeImpact(self.peak, deepest, t, max(-rate, 0.0) / self.speed)
        t_, delta_, rate_, force_ = (np.concatenate(column) for column in zip(*self.pieces, strict=True))
        return Loop(t_, delta_, rate_, force_, summary)

    def _restitution(self, t: float, delta: float) -> tuple[float, float]:
        """From the turning point to the end of contact, through every stretch in which the force does not pull."""
        rate = 0.0
        while delta > 0.0 and self._out(delta, rate)[FORCE] > 0.0:
            surface = _event(lambda y: y[0])
            slack = _event(lambda y: self._out(y[0], y[1])[PRESSING])
            t, delta, rate = self._stretch(t, delta, rate, [surface] if self.law.tension else [surface, slack])
            if math.isinf(t):
                return t, 0.0
            back = self._touch_again(delta, rate) if delta > 1e-12 * self.depth else 0.0
            if back == 0.0:
                break
            t += (delta - back) / -rate
            delta = back
        return t, rate

    def _touch_again(self, delta: float, rate: float) -> float:
        """The next indentation at which a force that would pull no longer does; zero when there is none."""
        depths = np.geomspace(delta * (1.0 - 1e-9), delta * 1e-9, 4000)
        states = np.repeat(self.states, len(depths), axis=0)
        states[:, INDENTATION], states[:, RATE] = depths, rate
        pushes = np.flatnonzero(self.probe(states, np.zeros((len(depths), OUT)))[:, FORCE] > 0.0)
        if pushes.size == 0 or depths[pushes[0]] <= self.law.release(self.states[0, DEEPEST]):
            return 0.0
        if pushes[0] == 0:
            return float(depths[0])
        low, high = depths[pushes[0]], depths[pushes[0] - 1]
        edge = root(lambda x: self._out(x, rate)[FORCE], low, high)
        return float(edge) if self._out(edge, rate)[FORCE] > 0.0 else float(low)

    def _stretch(self, t: float, delta: float, rate: float, events: list[Any]) -> tuple[float, float, float]:
        """One smooth piece of the motion; its end is at infinite time when no event comes."""
        from scipy.integrate import solve_ivp
        from scipy.optimize import minimize_scalar

        def motion(t: float, y: np.ndarray) -> tuple[float, float]:
            return y[1], -self._out(y[0], y[1])[FORCE] / self.mass

        found = solve_ivp(
            motion,
            (t, t + LONGEST * self.time),
            (delta, rate),
            method="DOP853",
            rtol=RTOL,
            atol=(ATOL * self.depth, ATOL * self.speed),
            events=events,
            dense_output=True,
        )
        if found.status < 0:
            raise ModelError(f"law {self.law.name!r}: the impact cannot be integrated: {found.message}")
        end = float(found.t[-1])
        times = np.linspace(t, end, SAMPLES)
        path = found.sol(times)
        force = np.array([self._out(*y)[FORCE] for y in path.T])
        self.pieces.append((times, path[0], path[1], force))
        top = int(force.argmax())
        before, after = times[max(top - 1, 0)], times[min(top + 1, SAMPLES - 1)]
        best = minimize_scalar(
            lambda s: -self._out(*found.sol(before + s * (after - before)))[FORCE],
            bounds=(0.0, 1.0),
            method="bounded",
            options={"xatol": 1e-6},
        )
        self.peak = max(self.peak, float(force[top]), -float(best.fun))
        return (end if found.status == 1 else math.inf), float(found.y[0, -1]), float(found.y[1, -1])

    def _out(self, delta: float, rate: float) -> np.ndarray:
        self.states[0, INDENTATION], self.states[0, RATE] = delta, rate
        return np.asarray(self.probe(self.states, self.outs)[0])

    def _depth(self) -> float:
        """About how deep an elastic impact would go: where F δ = m v²."""
        depths = np.geomspace(1e-16, 1e4, 401)
        states = np.repeat(self.states, len(depths), axis=0)
        states[:, INDENTATION] = depths
        work = self.probe(states, np.zeros((len(depths), OUT)))[:, FORCE] * depths
        enough = np.flatnonzero(work >= self.mass * self.speed**2)
        if enough.size == 0:
            raise ModelError(
                f"law {self.law.name!r}: its elastic force does not stop {self.mass:g} kg at {self.speed:g} m/s"
            )
        return float(depths[enough[0]])


def _event(value: Callable[[np.ndarray], float]) -> Any:
    """Ends a stretch where ``value`` falls through zero."""

    def event(t: float, y: np.ndarray) -> float:
        return float(value(y))

    event.terminal, event.direction = True, -1.0  # type: ignore[attr-defined]
    return event
