"""Independent solutions for the checks of the cases: closed forms and equations in minimal coordinates.

Nothing here uses carom's own mechanics. Angles of rods are measured from the x-axis; gravity acts along −y.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

Array = np.ndarray


def swing(t: Array, frequency: float, amplitude: float) -> tuple[Array, Array]:
    """Return the angle from the vertical and its rate, for φ'' = −frequency² sin φ from rest at ``amplitude`` [rad].

    sin(φ/2) = k cd(frequency t, k), k = sin(amplitude/2) (Lawden, Elliptic Functions and Applications, §5.1).
    """
    from scipy.special import ellipj

    k = math.sin(amplitude / 2.0)
    sn, cn, dn, _ = ellipj(frequency * t, k * k)
    angle = 2.0 * np.arcsin(k * cn / dn)
    # With (cd)' = −(1 − k²) sn / dn² and cos(φ/2) = √(1 − k² cd²) = √(1 − k²) / dn.
    rate = -2.0 * k * math.sqrt(1.0 - k * k) * frequency * sn / dn
    return angle, rate


def swing_period(frequency: float, amplitude: float) -> float:
    """Return the period of `swing`, 4 K(k) / frequency [s]."""
    from scipy.special import ellipk

    return float(4.0 * ellipk(math.sin(amplitude / 2.0) ** 2) / frequency)


def integrate(rhs: Callable[[float, Array], Any], start: Sequence[float] | Array, t: Array) -> Array:
    """Return the states (n, len(start)) of y' = rhs(t, y) at the times ``t`` [s].

    SciPy's DOP853 integrates with its tightest tolerance.
    """
    from scipy.integrate import solve_ivp

    solution = solve_ivp(rhs, (0.0, float(t[-1])), start, method="DOP853", t_eval=t, rtol=3e-14, atol=1e-14)
    if not solution.success:
        raise ArithmeticError(f"the second method failed: {solution.message}")
    return np.asarray(solution.y.T)


def hanging_rods(lengths: Sequence[float], masses: Sequence[float], gravity: float) -> Callable[[float, Array], Array]:
    """Return the equations of motion of a chain of uniform rods, for y = (angles, rates).

    Lagrange: Σ_j C_ij [cos(θ_i − θ_j) θ_j'' + sin(θ_i − θ_j) θ_j'²] + G_i cos θ_i = 0.
    """
    length, mass = np.asarray(lengths, float), np.asarray(masses, float)
    n = len(length)
    mass_below = np.array([mass[i + 1 :].sum() for i in range(n)])
    first_moment = length * (0.5 * mass + mass_below)
    coupling = np.zeros((n, n))
    for i in range(n):
        coupling[i, i] = length[i] ** 2 * (mass[i] / 3.0 + mass_below[i])
        coupling[i, i + 1 :] = length[i] * first_moment[i + 1 :]
        coupling[i + 1 :, i] = coupling[i, i + 1 :]

    def rhs(t: float, y: Array) -> Array:
        angle, rate = y[:n], y[n:]
        difference = angle[:, None] - angle[None, :]
        moment = -(coupling * np.sin(difference)) @ rate**2 - gravity * first_moment * np.cos(angle)
        return np.concatenate([rate, np.linalg.solve(coupling * np.cos(difference), moment)])

    return rhs
