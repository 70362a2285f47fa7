"""Angles of crank and rod, from event to event: impacts, lasting contact, reversal of sliding, release.

Both corners on a side touch at once and the slider does not turn: friction, at most 0.01 × 0.025 m × the force, cannot
tip a slider that stands on corners 0.1 m apart. So one contact stands for two, at the height of the pin.
"""

from __future__ import annotations

import math

import numpy as np
from scipy.integrate import solve_ivp

from problems import GRAVITY
from problems import SliderCrankClearance as P

LEAST = 1e-8
"""Speed below which a bounce is the last one [m/s]: it would rise by 1e-18 m."""
COUPLING = (P.masses[1] / 2 + P.masses[2]) * P.crank * P.rod


def solve() -> dict[str, float]:
    state, t, side, slip = np.array([0.0, 0.0, *P.speeds[:2]]), 0.0, 0, 1.0
    while t < P.t_end:
        if side:
            t, state, ended = advance(t, state, side, slip, [lambda y, s=side, d=slip: push(y, s, d), sliding])
            if ended == 0:
                side = 0
            elif ended == 1:
                slip = -slip
            continue
        t, state, ended = advance(t, state, 0, 0.0, [lambda y, s=s: P.clearance - s * height(y) for s in (1, -1)])
        if ended is None:
            break
        struck = (1, -1)[ended]
        state = impact(state, struck)
        direction = math.copysign(1.0, sliding(state))
        if abs(up(state) @ state[2:]) < LEAST and push(state, struck, direction) > 0.0:
            side, slip = struck, direction
    return {"angle": float(state[0]), "speed": float(state[2])}


def advance(t, state, side, slip, events):
    """To the end, or to where one of ``events`` falls through zero: time, state, and which it was."""
    wrapped = []
    for event in events:

        def falls(now, y, event=event, began=t):
            return event(y) if now > began + 1e-12 else 1.0

        falls.terminal, falls.direction = True, -1
        if event is sliding and slip < 0.0:
            falls.direction = 1
        wrapped.append(falls)
    run = solve_ivp(
        lambda now, y: np.concatenate([y[2:], accelerations(y, side, slip)[0]]), (t, P.t_end), state, "DOP853",
        rtol=1e-12, atol=1e-14, events=wrapped, max_step=2e-4,
    )  # fmt: skip
    ended = next((k for k, times in enumerate(run.t_events) if len(times)), None)
    return run.t[-1], run.y[:, -1], ended


def height(y: np.ndarray) -> float:
    return P.crank * math.sin(y[0]) + P.rod * math.sin(y[1])


def up(y: np.ndarray) -> np.ndarray:
    """Return the derivatives of the pin's height with respect to the angles."""
    return np.array([P.crank * math.cos(y[0]), P.rod * math.cos(y[1])])


def along(y: np.ndarray) -> np.ndarray:
    """Return the derivatives of its position along the guide with respect to the angles."""
    return np.array([-P.crank * math.sin(y[0]), -P.rod * math.sin(y[1])])


def sliding(y: np.ndarray) -> float:
    return float(along(y) @ y[2:])


def mass(y: np.ndarray) -> np.ndarray:
    m1, m2, m3 = P.masses
    off = COUPLING * math.cos(y[0] - y[1])
    return np.array([
        [P.inertias[0] + (m1 / 4 + m2 + m3) * P.crank**2, off],
        [off, P.inertias[1] + (m2 / 4 + m3) * P.rod**2],
    ])  # fmt: skip


def accelerations(y: np.ndarray, side: int, slip: float) -> tuple[np.ndarray, float]:
    """Return the accelerations of the angles, and the force of the guide."""
    m1, m2, m3 = P.masses
    gyro = COUPLING * math.sin(y[0] - y[1])
    load = np.array([
        -gyro * y[3] ** 2 - (m1 / 2 + m2 + m3) * GRAVITY * P.crank * math.cos(y[0]),
        gyro * y[2] ** 2 - (m2 / 2 + m3) * GRAVITY * P.rod * math.cos(y[1]),
    ])  # fmt: skip
    if not side:
        return np.linalg.solve(mass(y), load), 0.0
    direction = -side * up(y) - P.friction * slip * along(y)
    free, pushed = np.linalg.solve(mass(y), np.column_stack([load, direction])).T
    curvature = -P.crank * math.sin(y[0]) * y[2] ** 2 - P.rod * math.sin(y[1]) * y[3] ** 2
    force = -(up(y) @ free + curvature) / (up(y) @ pushed)
    return free + force * pushed, float(force)


def push(y: np.ndarray, side: int, slip: float) -> float:
    return accelerations(y, side, slip)[1]


def impact(y: np.ndarray, side: int) -> np.ndarray:
    """The state after Newton's impact with sliding friction."""
    slip = math.copysign(1.0, sliding(y))
    jump = np.linalg.solve(mass(y), -side * up(y) - P.friction * slip * along(y))
    impulse = -(1.0 + P.restitution) * (up(y) @ y[2:]) / (up(y) @ jump)
    after = np.concatenate([y[:2], y[2:] + impulse * jump])
    assert slip * sliding(after) > 0.0, "sliding ends within an impact: not a case this reference covers"
    return after
