"""Integration of the unconstrained impact of one mass: m δ̈ = −F from δ = 0 until the force ends."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from carom.errors import ModelError
from carom.laws.normal.base import LAW_INPUT, LAW_OUTPUT, FreeImpact, NormalLaw
from carom.laws.root_finding import root

RTOL, ATOL = 1e-12, 1e-14
"""Tolerances of the integration."""

MAX_DURATION = 1e4
"""Duration in units of depth over speed after which a contact counts as permanent [-]."""

MAX_PHASES = 100
"""Largest number of phases of restitution with force, separated by phases without force."""

N_SAMPLES = 200
"""Points of the curve in compression, and in every phase of restitution."""


@dataclass(frozen=True)
class HysteresisLoop:
    """Time [s], indentation [m], its rate [m/s] and force [N] during an impact, and the summary of it."""

    t: np.ndarray
    indentation: np.ndarray
    rate: np.ndarray
    force: np.ndarray
    summary: FreeImpact


def free_impact(law: NormalLaw, mass: float, speed: float) -> HysteresisLoop:
    """Return the impact of ``mass`` [kg] with ``speed`` [m/s] under ``law``."""
    return _FreeImpactSolver(law, mass, speed).run()


class _FreeImpactSolver:
    """Integration in units of depth and speed: x = δ/depth, w = δ̇/speed, s = t speed/depth."""

    def __init__(self, law: NormalLaw, mass: float, speed: float):
        self.law, self.mass, self.speed = law, mass, speed
        self.evaluate = law.evaluator()
        self.law_input, self.law_output = LAW_INPUT.zeros(), LAW_OUTPUT.zeros()
        self.law_input["v_in"] = speed
        self.depth = self._depth_scale()
        self.phases: list[np.ndarray] = []
        self.peak_force = 0.0

    def run(self) -> HysteresisLoop:
        s, x, w, _ = self._integrate_phase(0.0, 0.0, 1.0, [_falling_zero(lambda y: y[1])])
        delta_max = x * self.depth
        if math.isfinite(s):
            self.law_input["delta_turn"], self.law_input["is_unloading"] = delta_max, 1
            s, w = self._integrate_restitution(s, x)
        time = self.depth / self.speed
        summary = FreeImpact(self.peak_force, delta_max, s * time, max(-w, 0.0))
        times, depths, rates, force = np.concatenate(self.phases, axis=1)
        return HysteresisLoop(times * time, depths * self.depth, rates * self.speed, force, summary)

    def _integrate_restitution(self, s: float, x: float) -> tuple[float, float]:
        """Integrate from the turning point to the end of contact, through all phases with compressive force."""
        w = 0.0
        surface = _falling_zero(lambda y: y[0])
        force_zero = _falling_zero(lambda y: self._output(y[0], y[1], "force_sign"))
        for _ in range(MAX_PHASES):
            if self._force(x, w) > 0.0:
                events = [surface] if self.law.tension else [surface, force_zero]
                s, x, w, force_vanished = self._integrate_phase(s, x, w, events)
                x_next = self._next_force(x, w) if force_vanished else 0.0
            else:
                x_next = 0.0
            if x_next == 0.0:
                return s, (w if math.isfinite(s) else 0.0)
            s += (x - x_next) / -w
            x = x_next
        raise ModelError(f"law {self.law.name!r}: the force vanishes and returns more than {MAX_PHASES} times")

    def _next_force(self, x: float, w: float) -> float:
        """Return the next depth at which a tensile force becomes compressive again; zero if there is none."""
        depths = np.geomspace(x * (1.0 - 1e-6), x * 1e-9, 4000)
        inputs = np.repeat(self.law_input, len(depths))
        inputs["delta"], inputs["delta_dot"] = depths * self.depth, w * self.speed
        force = self.evaluate(inputs, LAW_OUTPUT.zeros(len(depths)))["force"]
        compressive = np.flatnonzero(force > 0.0)
        if compressive.size == 0:
            return 0.0
        first = int(compressive[0])
        low = float(depths[first])
        edge = root(lambda x: self._force(x, w), low, float(depths[first - 1])) if first else low
        return edge if self._force(edge, w) > 0.0 else edge * (1.0 - 1e-12)

    def _integrate_phase(self, s: float, x: float, w: float, events: list[Any]) -> tuple[float, float, float, bool]:
        """Integrate one smooth phase of the motion; return its end s, x, w and True if the force vanishes there.

        The end is at infinite time if no event occurs.
        """
        from scipy.integrate import solve_ivp
        from scipy.optimize import minimize_scalar

        scale = self.depth / (self.mass * self.speed**2)

        def motion(s: float, y: np.ndarray) -> tuple[float, float]:
            return y[1], -self._force(*y) * scale

        span = (s, s + MAX_DURATION)
        settings = {"method": "DOP853", "rtol": RTOL, "atol": ATOL, "dense_output": True}
        solution = solve_ivp(motion, span, (x, w), events=events, **settings)
        if solution.status < 0:
            raise ModelError(f"law {self.law.name!r}: the impact cannot be integrated: {solution.message}")
        end = float(solution.t[-1])
        times = np.linspace(s, end, N_SAMPLES)
        path = solution.sol(times)
        force = np.array([self._force(*y) for y in path.T])
        self.phases.append(np.vstack([times, path, force]))
        top = int(force.argmax())
        bounds = (times[max(top - 1, 0)], times[min(top + 1, N_SAMPLES - 1)])
        peak = minimize_scalar(lambda s: -self._force(*solution.sol(s)), bounds=bounds, method="bounded")
        self.peak_force = max(self.peak_force, float(force[top]), -float(peak.fun))
        force_vanished = len(events) == 2 and solution.t_events[1].size > 0
        x, w = solution.y[:, -1]
        return (end if solution.status == 1 else math.inf), float(x), float(w), force_vanished

    def _output(self, x: float, w: float, field: str) -> float:
        """Return an output of the kernel."""
        self.law_input["delta"], self.law_input["delta_dot"] = x * self.depth, w * self.speed
        return float(self.evaluate(self.law_input, self.law_output)[field][0])

    def _force(self, x: float, w: float) -> float:
        return self._output(x, w, "force")

    def _depth_scale(self) -> float:
        """Return the approximate depth of an elastic impact [m], where F δ = m v²."""
        depths = np.geomspace(1e-16, 1e4, 401)
        inputs = np.repeat(self.law_input, len(depths))
        inputs["delta"] = depths
        work = self.evaluate(inputs, LAW_OUTPUT.zeros(len(depths)))["force"] * depths
        sufficient = np.flatnonzero(work >= self.mass * self.speed**2)
        if sufficient.size == 0:
            raise ModelError(
                f"law {self.law.name!r}: the elastic force does not stop a mass of {self.mass:g} kg at "
                f"{self.speed:g} m/s; increase the stiffness"
            )
        return float(depths[sufficient[0]])


def _falling_zero(value: Callable[[np.ndarray], float]) -> Any:
    """Return an event that ends a phase where ``value`` falls through zero."""

    def event(t: float, y: np.ndarray) -> float:
        return float(value(y))

    event.terminal, event.direction = True, -1.0  # type: ignore[attr-defined]
    return event
