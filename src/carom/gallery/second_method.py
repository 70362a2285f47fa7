"""The same motions by other means: closed forms and equations in minimal coordinates, for the checks of the cases.

Nothing here uses carom's own mechanics. Angles are those of a rod from the x-axis, with gravity along −y.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

Array = np.ndarray


def swing(t: Array, frequency: float, amplitude: float) -> tuple[Array, Array]:
    """Angle from hanging straight down and its rate, for φ'' = −frequency² sin φ from rest at ``amplitude`` [rad].

    sin(φ/2) = k cd(frequency t, k), k = sin(amplitude/2) (Lawden, Elliptic Functions and Applications, §5.1).
    """
    from scipy.special import ellipj

    k = math.sin(amplitude / 2.0)
    sn, cn, dn, _ = ellipj(frequency * t, k * k)
    angle = 2.0 * np.arcsin(k * cn / dn)
    # (cd)' = −(1 − k²) sn / dn², and cos(φ/2) = √(1 − k² cd²) = √(1 − k²) / dn
    rate = -2.0 * k * math.sqrt(1.0 - k * k) * frequency * sn / dn
    return angle, rate


def swing_period(frequency: float, amplitude: float) -> float:
    """Period [s] of that swing: 4 K(k) / frequency."""
    from scipy.special import ellipk

    return float(4.0 * ellipk(math.sin(amplitude / 2.0) ** 2) / frequency)


def integrate(rate: Callable[[float, Array], Any], start: Sequence[float] | Array, t: Array) -> Array:
    """States (n, len(start)) at the times ``t`` of y' = rate(t, y), by SciPy's DOP853 at its tightest."""
    from scipy.integrate import solve_ivp

    answer = solve_ivp(rate, (0.0, float(t[-1])), start, method="DOP853", t_eval=t, rtol=3e-14, atol=1e-14)
    if not answer.success:
        raise ArithmeticError(f"the second method failed: {answer.message}")
    return np.asarray(answer.y.T)


def hanging_rods(lengths: Sequence[float], masses: Sequence[float], gravity: float) -> Callable[[float, Array], Array]:
    """Equations of uniform rods hung one on the next, for y = (angles, rates).

    Lagrange: Σ_j C_ij [cos(θ_i − θ_j) θ_j'' + sin(θ_i − θ_j) θ_j'²] + G_i cos θ_i = 0.
    """
    length, mass = np.asarray(lengths, float), np.asarray(masses, float)
    n = len(length)
    below = np.array([mass[i + 1 :].sum() for i in range(n)])
    first_moment = length * (0.5 * mass + below)
    couple = np.zeros((n, n))
    for i in range(n):
        couple[i, i] = length[i] ** 2 * (mass[i] / 3.0 + below[i])
        couple[i, i + 1 :] = length[i] * first_moment[i + 1 :]
        couple[i + 1 :, i] = couple[i, i + 1 :]

    def rate(t: float, y: Array) -> Array:
        angle, speed = y[:n], y[n:]
        between = angle[:, None] - angle[None, :]
        pull = -(couple * np.sin(between)) @ speed**2 - gravity * first_moment * np.cos(angle)
        return np.concatenate([speed, np.linalg.solve(couple * np.cos(between), pull)])

    return rate
