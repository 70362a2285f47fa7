"""Newton's cradle whose balls touch."""

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
"""How many, how far apart [m], and the angle [rad] of the first one's release."""
BEFORE, AFTER = 1e-4, 1e-3
"""Time [s] that is compared about the blow."""


@validation_problem(
    SECOND_METHOD,
    "F. Herrmann, M. Seitz, How does the ball-chain work?, American Journal of Physics 50 (1982) 977–981; "
    "SciPy's DOP853 in the angles of the strings",
)
def hertz_cradle() -> Iterator[CheckResult]:
    """Newton's cradle with Hertz's contact.

    Five steel balls on strings hang 1 μm apart, less than they are indented, so that the blow of the first passes
    through them as a wave. Every speed and every force before, in and after it is compared with Lagrange's equations in
    the five angles.
    """
    system = newtons_cradle(balls=BALLS, gap=GAP, angle=ANGLE).system
    stiffness = system["touch 1"].law.stiffness
    quarter = 0.25 * swing_period(math.sqrt(GRAVITY / LENGTH), ANGLE)
    times = np.concatenate([np.linspace(0.0, quarter - BEFORE, 20), np.linspace(quarter, quarter + AFTER, 400)])
    result = require_finished(simulate(system, float(times[-1]), output=[float(t) for t in times[1:]]))
    angles, rates, forces = strings(times, stiffness)
    speed = LENGTH * float(np.abs(rates).max())
    velocities = np.stack([result[f"ball {k + 1}"].velocity for k in range(BALLS)], axis=1)
    along = LENGTH * rates[..., None] * np.stack([np.cos(angles), np.sin(angles)], axis=-1)
    found = np.column_stack([result[f"touch {k + 1}"].normal_force for k in range(BALLS - 1)])
    yield energy_drift(result, 1e-9)
    yield max_abs_error("velocity of every ball, relative to the blow's", velocities / speed, along / speed, 1e-7)
    yield max_abs_error(
        "force of every contact, relative to the largest", found / forces.max(), forces / forces.max(), 1e-6
    )
    parted = max(impact.t_end for impact in result.impacts)
    yield CheckResult("contacts that are closed at the end", float(not parted < times[-1]), 0.0)


def strings(times: np.ndarray, stiffness: float) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Angles of the strings from hanging, their rates, and the forces of the contacts at ``times``."""
    pitch = 2.0 * RADIUS + GAP

    def contacts(angle: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Forces, and unit vectors from each ball to the next."""
        apart = np.stack([pitch + LENGTH * np.diff(np.sin(angle)), -LENGTH * np.diff(np.cos(angle))], axis=-1)
        distance = np.hypot(apart[..., 0], apart[..., 1])
        return stiffness * np.maximum(2.0 * RADIUS - distance, 0.0) ** 1.5, apart / distance[..., None]

    def rate(t: float, y: np.ndarray) -> np.ndarray:
        angle = y[:BALLS]
        force, along = contacts(angle)
        push = force[:, None] * along
        total = np.zeros((BALLS, 2))
        total[:-1] -= push
        total[1:] += push
        turning = total[:, 0] * np.cos(angle) + total[:, 1] * np.sin(angle)
        return np.concatenate([y[BALLS:], turning / (MASS * LENGTH) - GRAVITY / LENGTH * np.sin(angle)])

    start = np.zeros(2 * BALLS)
    start[0] = -ANGLE
    states = integrate(rate, start, times)
    return states[:, :BALLS], states[:, BALLS:], contacts(states[:, :BALLS])[0]
