"""Pendulum that meets a wall at its lowest point: one angle from hanging, (J + m l²) θ'' = −m g l sin θ − F l cos θ.

The bob touches where δ = l sin θ + R − 0.05 = l sin θ > 0.
"""

from __future__ import annotations

import math

import numpy as np
from scipy.special import ellipk

from .contact_problem import PowerLaw, Problem
from .contact_run import Run
from .laws import damping_factor

MASS, RADIUS, ARM, STIFFNESS, GRAVITY = 1.0, "0.05", 1.0, "3.39e10", "9.81"


def solve(
    restitution: float = 1.0,
    law: str = "lankarani_nikravesh",
    t_end: float = 1.2,
    times=(),
    tolerance: float = 1e-15,
    columns: int = 8,
    real=np.longdouble,
) -> dict:
    """Impacts up to t_end and (θ, θ') at t_end and at `times`; approach speeds are those of δ."""
    g, radius = real(GRAVITY), real(RADIUS)
    inertia = real(2) / 5 * radius * radius + 1
    contact = Problem(
        touch=lambda t, y: [(np.sin(y[0]), np.cos(y[0]) * y[1])],
        rates=lambda t, y, forces: np.array([y[1], -(g * np.sin(y[0]) + forces[0] * np.cos(y[0])) / inertia]),
        laws=[PowerLaw(real(STIFFNESS), real(damping_factor(law, restitution)))],
        scale=np.array([1e-5, 4.0]),
        contact_time=1e-5,
        max_step=0.1,
    )
    run = Run(contact, [-2 * np.arctan(real(1)), real(0)], tolerance=tolerance, columns=columns, real=real)
    for t in (*times, t_end):
        run.to(real(repr(float(t))))
    states = np.array(run.states, float)
    angle, omega = states[-1]
    final = {"angle": angle, "omega": omega, "x": ARM * math.sin(angle), "y": -ARM * math.cos(angle)}
    return {"impacts": run.table(), "final": final, "states": states[:-1]}


def first_touch() -> dict[str, float]:
    """Time and speed at the wall in closed form: a quarter of the period from 90°, K(sin² 45°)."""
    length = 0.4 * float(RADIUS) ** 2 + 1.0
    g = float(GRAVITY)
    return {"time": math.sqrt(length / g) * float(ellipk(0.5)), "speed": math.sqrt(2.0 * g / length)}
