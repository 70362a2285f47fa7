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
from carom.laws.root_finding import root

RTOL, ATOL = 1e-12, 1e-14
"""Of the integration."""

LONGEST = 1e4
"""A contact that lasts longer, in units of depth over speed, is taken to last for ever."""

MOST_STRETCHES = 100
"""Of restitution with force, between flights without."""

SAMPLES = 200
"""Points of the curve in compression, and in every stretch of restitution."""


@dataclass(frozen=True)
class HysteresisLoop:
    """Time [s], indentation [m], its rate [m/s] and force [N] along an impact, and what it comes to."""

    t: np.ndarray
    indentation: np.ndarray
    rate: np.ndarray
    force: np.ndarray
    summary: FreeImpact


def free_impact(law: NormalLaw, mass: float, speed: float) -> HysteresisLoop:
    """The impact of ``mass`` [kg] at ``speed`` [m/s] under ``law``."""
    return _FreeImpactSolver(law, mass, speed).run()


class _FreeImpactSolver:
    """Integrates in units of depth and speed: x = δ/depth, w = δ̇/speed, s = t speed/depth."""

    def __init__(self, law: NormalLaw, mass: float, speed: float):
        self.law, self.mass, self.speed = law, mass, speed
        self.probe = law.probe()
        self.states, self.outs = np.zeros((1, STATE)), np.zeros((1, OUT))
        self.states[0, APPROACH] = speed
        self.depth = self._depth()
        self.pieces: list[np.ndarray] = []
        self.peak = 0.0

    def run(self) -> HysteresisLoop:
        s, x, w, _ = self._stretch(0.0, 0.0, 1.0, [_event(lambda y: y[1])])
        deepest = x * self.depth
        if math.isfinite(s):
            self.states[0, DEEPEST], self.states[0, UNLOADING] = deepest, 1.0
            s, w = self._restitution(s, x)
        time = self.depth / self.speed
        summary = FreeImpact(self.peak, deepest, s * time, max(-w, 0.0))
        times, depths, rates, force = np.concatenate(self.pieces, axis=1)
        return HysteresisLoop(times * time, depths * self.depth, rates * self.speed, force, summary)

    def _restitution(self, s: float, x: float) -> tuple[float, float]:
        """From the turning point to the end of contact, through every stretch in which the force does not pull."""
        w = 0.0
        surface, slack = _event(lambda y: y[0]), _event(lambda y: self._out(y[0], y[1])[PRESSING])
        for _ in range(MOST_STRETCHES):
            if self._out(x, w)[FORCE] > 0.0:
                s, x, w, slackened = self._stretch(s, x, w, [surface] if self.law.tension else [surface, slack])
                back = self._touch_again(x, w) if slackened else 0.0
            else:
                back = 0.0
            if back == 0.0:
                return s, (w if math.isfinite(s) else 0.0)
            s += (x - back) / -w
            x = back
        raise ModelError(f"law {self.law.name!r}: the force vanishes and comes back more than {MOST_STRETCHES} times")

    def _touch_again(self, x: float, w: float) -> float:
        """The next depth at which a force that would pull no longer does; zero when there is none."""
        depths = np.geomspace(x * (1.0 - 1e-6), x * 1e-9, 4000)
        states = np.repeat(self.states, len(depths), axis=0)
        states[:, INDENTATION], states[:, RATE] = depths * self.depth, w * self.speed
        pushes = np.flatnonzero(self.probe(states, np.zeros((len(depths), OUT)))[:, FORCE] > 0.0)
        if pushes.size == 0:
            return 0.0
        low = float(depths[pushes[0]])
        edge = root(lambda x: self._out(x, w)[FORCE], low, float(depths[pushes[0] - 1])) if pushes[0] else low
        return edge if self._out(edge, w)[FORCE] > 0.0 else edge * (1.0 - 1e-12)

    def _stretch(self, s: float, x: float, w: float, events: list[Any]) -> tuple[float, float, float, bool]:
        """One smooth piece of the motion: its end, at infinite time when no event comes, and whether the force
        slackened there."""
        from scipy.integrate import solve_ivp
        from scipy.optimize import minimize_scalar

        scale = self.depth / (self.mass * self.speed**2)

        def motion(s: float, y: np.ndarray) -> tuple[float, float]:
            return y[1], -self._out(y[0], y[1])[FORCE] * scale

        span = (s, s + LONGEST)
        settings = {"method": "DOP853", "rtol": RTOL, "atol": ATOL, "dense_output": True}
        found = solve_ivp(motion, span, (x, w), events=events, **settings)
        if found.status < 0:
            raise ModelError(f"law {self.law.name!r}: the impact cannot be integrated: {found.message}")
        end = float(found.t[-1])
        times = np.linspace(s, end, SAMPLES)
        path = found.sol(times)
        force = np.array([self._out(*y)[FORCE] for y in path.T])
        self.pieces.append(np.vstack([times, path, force]))
        top = int(force.argmax())
        around = (times[max(top - 1, 0)], times[min(top + 1, SAMPLES - 1)])
        best = minimize_scalar(lambda s: -self._out(*found.sol(s))[FORCE], bounds=around, method="bounded")
        self.peak = max(self.peak, float(force[top]), -float(best.fun))
        slackened = len(events) == 2 and found.t_events[1].size > 0
        return (end if found.status == 1 else math.inf), float(found.y[0, -1]), float(found.y[1, -1]), slackened

    def _out(self, x: float, w: float) -> np.ndarray:
        self.states[0, INDENTATION], self.states[0, RATE] = x * self.depth, w * self.speed
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
