"""Validation problem: Newton's cradle with simultaneous Hertz contacts."""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np

from carom.gallery.case import CheckResult, energy_drift, max_abs_error
from carom.gallery.cases.newtons_cradle import GRAVITY, LENGTH, MASS, RADIUS, newtons_cradle
from carom.gallery.reference_solutions import integrate, swing_period
from carom.gallery.validation.problem import SECOND_METHOD, require_finished, validation_problem
from carom.solve.simulate import simulate

BALLS, GAP, ANGLE = 5, 1e-6, 0.5
"""Number of balls, gap between them [m], release angle of the first one [rad]."""
BEFORE, AFTER = 1e-4, 1e-3
"""Compared time before and after the impact [s]."""


@validation_problem(
    SECOND_METHOD,
    "F. Herrmann, M. Seitz, How does the ball-chain work?, American Journal of Physics 50 (1982) 977–981; "
    "SciPy's DOP853 in the angles of the strings",
)
def hertz_cradle() -> Iterator[CheckResult]:
    """Newton's cradle with Hertz's contact.

    Five steel balls on strings hang 1 μm apart, which is less than their indentation, so that the impact of the first
    one passes through them as a wave. All speeds and forces before, during and after the impact are compared with
    Lagrange's equations in the five angles.
    """
    system = newtons_cradle(balls=BALLS, gap=GAP, angle=ANGLE).system
    stiffness = system["touch 1"].law.stiffness
    quarter = 0.25 * swing_period(math.sqrt(GRAVITY / LENGTH), ANGLE)
    times = np.concatenate([np.linspace(0.0, quarter - BEFORE, 20), np.linspace(quarter, quarter + AFTER, 400)])
    result = require_finished(simulate(system, float(times[-1]), output=[float(t) for t in times[1:]]))
    angles, rates, forces = reference_solution(times, stiffness)
    speed = LENGTH * float(np.abs(rates).max())
    velocities = np.stack([result[f"ball {k + 1}"].velocity for k in range(BALLS)], axis=1)
    expected_velocities = LENGTH * rates[..., None] * np.stack([np.cos(angles), np.sin(angles)], axis=-1)
    contact_forces = np.column_stack([result[f"touch {k + 1}"].normal_force for k in range(BALLS - 1)])
    yield energy_drift(result, 1e-9)
    yield max_abs_error(
        "velocity of every ball, relative to the impact speed", velocities / speed, expected_velocities / speed, 1e-7
    )
    yield max_abs_error(
        "force of every contact, relative to the largest", contact_forces / forces.max(), forces / forces.max(), 1e-6
    )
    t_separation = max(impact.t_end for impact in result.impacts)
    yield CheckResult("contacts closed at the end", float(not t_separation < times[-1]), 0.0)


def reference_solution(times: np.ndarray, stiffness: float) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return the angles of the strings from the vertical, their rates, and the contact forces at ``times``."""
    pitch = 2.0 * RADIUS + GAP

    def contacts(angle: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Return the contact forces [N] and the unit vectors from each ball to the next."""
        centre_distance = np.stack([pitch + LENGTH * np.diff(np.sin(angle)), -LENGTH * np.diff(np.cos(angle))], axis=-1)
        distance = np.hypot(centre_distance[..., 0], centre_distance[..., 1])
        return stiffness * np.maximum(2.0 * RADIUS - distance, 0.0) ** 1.5, centre_distance / distance[..., None]

    def rhs(t: float, y: np.ndarray) -> np.ndarray:
        angle = y[:BALLS]
        force, direction = contacts(angle)
        force_vectors = force[:, None] * direction
        total = np.zeros((BALLS, 2))
        total[:-1] -= force_vectors
        total[1:] += force_vectors
        tangential = total[:, 0] * np.cos(angle) + total[:, 1] * np.sin(angle)
        return np.concatenate([y[BALLS:], tangential / (MASS * LENGTH) - GRAVITY / LENGTH * np.sin(angle)])

    start = np.zeros(2 * BALLS)
    start[0] = -ANGLE
    states = integrate(rhs, start, times)
    return states[:, :BALLS], states[:, BALLS:], contacts(states[:, :BALLS])[0]
