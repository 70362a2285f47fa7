"""Crank angle and place of the block, from one beginning or end of a contact to the next."""

from __future__ import annotations

import numpy as np
from scipy.integrate import solve_ivp

from problems import GRAVITY
from problems import SliderCrankBlock as P


def slider(angle: float) -> tuple[float, ...]:
    """Place of the slider and its two derivatives by the crank angle; rod angle's; those of the rod's centre."""
    s, c = np.sin(angle), np.cos(angle)
    sin = -P.crank * s / P.rod
    cos = np.sqrt(1.0 - sin**2)
    turn = -P.crank * c / (P.rod * cos)
    turn2 = (P.crank * s + P.rod * sin * turn**2) / (P.rod * cos)
    x2, y2 = cos * turn**2 + sin * turn2, -sin * turn**2 + cos * turn2
    return (
        P.crank * c + P.rod * cos, -P.crank * s - P.rod * sin * turn, -P.crank * c - P.rod * x2, turn, turn2,
        -P.crank * s - P.rod / 2 * sin * turn, -P.crank * c - P.rod / 2 * x2,
        P.crank * c + P.rod / 2 * cos * turn, -P.crank * s + P.rod / 2 * y2,
    )  # fmt: skip


def acceleration(angle: float, omega: float, force: float) -> float:
    """Return the angular acceleration of the crank if ``force`` pushes the slider back."""
    _, x1, x2, turn, turn2, rx1, rx2, ry1, ry2 = slider(angle)
    crank, rod, piston, _ = P.masses
    inertia = P.inertias[0] + crank * P.crank**2 / 4 + rod * (rx1**2 + ry1**2) + P.inertias[1] * turn**2
    inertia += piston * x1**2
    slope = 2.0 * (rod * (rx1 * rx2 + ry1 * ry2) + P.inertias[1] * turn * turn2 + piston * x1 * x2)
    torque = -GRAVITY * (crank * P.crank / 2 * np.cos(angle) + rod * ry1) - force * x1
    return (torque - 0.5 * slope * omega**2) / inertia


def indentation(y: np.ndarray) -> tuple[float, float]:
    """And its rate."""
    x, x1 = slider(y[0])[:2]
    return x + P.reach - y[2], x1 * y[1] - y[3]


def solve() -> dict[str, float]:
    y, t, damping, touching = np.array([0.0, P.omega, P.block, P.block_speed]), 0.0, 0.0, False
    speeds = []
    while t < P.t_end:

        def rate(t, y):
            force = 0.0
            if touching:  # noqa: B023
                depth, approach = indentation(y)
                force = P.stiffness * max(depth, 0.0) ** 1.5 * (1.0 + damping * approach)  # noqa: B023
            return y[1], acceleration(y[0], y[1], force), y[3], force / P.masses[3]

        def changed(now, y):
            if now < t + 1e-8:  # noqa: B023
                return 1.0 if touching else -1.0  # noqa: B023
            return indentation(y)[0]

        changed.terminal, changed.direction = True, (-1 if touching else 1)
        run = solve_ivp(
            rate, (t, P.t_end), y, "DOP853", rtol=1e-12, atol=1e-15, events=changed,
            max_step=2e-6 if touching else 2e-4,
        )  # fmt: skip
        y, t = run.y[:, -1], run.t[-1]
        if len(run.t_events[0]):
            if touching:
                speeds.append(float(y[3]))
            else:
                damping = P.damping / indentation(y)[1]
            touching = not touching
    return {"first": speeds[0], "last": speeds[1]}
