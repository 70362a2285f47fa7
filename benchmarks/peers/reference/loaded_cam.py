"""The indentation alone: the disc is driven, and the follower has one coordinate."""

from __future__ import annotations

import numpy as np
from scipy.integrate import solve_ivp

from problems import LoadedCam as P


def force(depth: float, rate: float) -> float:
    """Return the contact force [N]."""
    return P.stiffness * depth**1.5 * (1.0 + P.damping * rate)


def top(t: float) -> float:
    """Return the height of the top of the disc [m]."""
    return P.eccentricity * np.cos(P.speed * t) + P.radius


def solve() -> dict[str, float]:
    """Return position and force at all times of the comparison."""

    def rate(t, y):
        spring = P.preload + P.spring * (top(t) - y[0] - P.eccentricity - P.radius)
        lifting = -P.eccentricity * P.speed**2 * np.cos(P.speed * t)
        return y[1], lifting - (force(y[0], y[1]) - spring) / P.mass

    start = [P.eccentricity + P.radius - P.start, 0.0]
    run = solve_ivp(rate, (0.0, P.t_end), start, "DOP853", P.times, rtol=1e-12, atol=1e-18)
    found = {}
    for k, (t, depth, speed) in enumerate(zip(P.times, *run.y, strict=True)):
        found[f"position {k}"] = float(top(t) - depth)
        found[f"force {k}"] = float(force(depth, speed))
    return found
