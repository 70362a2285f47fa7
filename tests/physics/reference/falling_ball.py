"""Ball falling on a plane: one coordinate, δ = R − y; δ'' = g − F/m. Horizontal motion is free."""

from __future__ import annotations

import math

import numpy as np
from scipy.optimize import brentq

from .contact_problem import PowerLaw, Problem
from .contact_run import Run
from .laws import damping_factor
from .materials import STEEL, hertz_stiffness

MASS, RADIUS, START, SPEED, GRAVITY = 1.0, 0.1, "1.0", 1.0, "9.81"
STIFFNESS = hertz_stiffness(RADIUS, math.inf, *STEEL)  # 4.7955e10


def solve(
    restitution: float = 1.0,
    law: str = "lankarani_nikravesh",
    t_end: float = 1.0,
    times=(),
    stiffness: float = STIFFNESS,
    tolerance: float = 1e-15,
    columns: int = 8,
    real=np.longdouble,
) -> dict:
    """Impacts up to t_end and (y, vy) at t_end and at `times`."""
    g, radius = real(GRAVITY), real(repr(RADIUS))
    contact = Problem(
        touch=lambda t, y: [(y[0], y[1])],
        rates=lambda t, y, forces: np.array([y[1], g - forces[0] / real(MASS)]),
        laws=[PowerLaw(real(stiffness), real(damping_factor(law, restitution)))],
        scale=np.array([1e-5, 4.0]),
        contact_time=1e-5,
        max_step=0.5,
    )
    run = Run(contact, [radius - real(START), real(0)], tolerance=tolerance, columns=columns, real=real)
    for t in (*times, t_end):
        run.to(real(repr(float(t))))
    states = np.array([[radius - y[0], -y[1]] for y in run.states], float)
    return {
        "impacts": run.table(),
        "final": {"x": SPEED * t_end, "y": states[-1, 0], "vy": states[-1, 1]},
        "states": states[:-1],
    }


def elastic_bounces(count: int = 2, stiffness: float = STIFFNESS) -> dict:
    """Return equal bounces for restitution 1, by quadrature of δ'²/2 = v²/2 + g δ − 2K δ^2.5/(5m)."""
    g, height = float(GRAVITY), float(START) - RADIUS
    v = math.sqrt(2.0 * g * height)
    k = 0.4 * stiffness / MASS

    def energy(depth: float) -> float:
        return 0.5 * v * v + g * depth - k * depth**2.5

    guess = (0.5 * v * v / k) ** 0.4
    depth = brentq(energy, guess, 1.1 * guess, xtol=1e-300, rtol=8.9e-16)
    nodes, weights = np.polynomial.legendre.leggauss(160)
    r, w = 0.5 * (nodes + 1.0), 0.5 * weights
    near = (1.0 - r * r) ** 2  # 1 − δ/δmax
    left = -g * depth * near - k * depth**2.5 * np.expm1(2.5 * np.log1p(-near))  # energy left, from the turning point
    half = float(np.sum(w * depth * 4.0 * r * (1.0 - r * r) / np.sqrt(2.0 * left)))
    first = math.sqrt(2.0 * height / g)
    period = 2.0 * half + 2.0 * v / g
    return {
        "times": first + period * np.arange(count),
        "approach_speed": v,
        "duration": 2.0 * half,
        "max_indentation": depth,
        "peak_force": stiffness * depth**1.5,
    }
