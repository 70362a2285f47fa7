"""Contact modes after an event: the complementarity problem of the accelerations of closed contacts.

    0 ≤ dγ_N/dt ⊥ λ_N ≥ 0,   −λ_T ∈ μ λ_N Sgn(γ_T), and Sgn(dγ_T/dt) where γ_T = 0

for contacts with γ_N = 0, as a linear complementarity problem.

Reference: F. Pfeiffer, C. Glocker, Multibody Dynamics with Unilateral Contacts, 1996, chapter 5.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from carom.errors import ModelError
from carom.solve.contact_problem import lcp
from carom.solve.event_driven.records import FRICTIONLESS, OPEN, SLIP_NEGATIVE, SLIP_POSITIVE, STICK, WEAK

NO_FRICTION, AT_REST = 2, 0
"""Sliding directions beside the signs of γ_T: no friction; γ_T = 0, so that friction may have any direction."""


@dataclass(frozen=True)
class ContactModes:
    """Modes of contacts, and their forces, normal and tangential by contact [N]."""

    modes: list[int]
    forces: np.ndarray


def solve_contact_modes(
    G: np.ndarray, gamma_dot: np.ndarray, mu: np.ndarray, directions: list[int], dim: int
) -> ContactModes | None:
    """Return modes and forces of contacts with γ_N = 0, or None if there is no solution.

    ``G`` is the Delassus matrix, ``gamma_dot`` dγ/dt without contact forces, with ``dim`` rows per contact, ``mu`` the
    coefficients of friction, and ``directions`` the signs of γ_T, AT_REST or NO_FRICTION.
    """
    count = len(directions)
    scale = float(np.diag(G).max())
    scale = scale if scale > 0.0 else 1.0
    at_rest = [i for i in range(count) if directions[i] == AT_REST]
    ratios = np.array([0.0 if sign == NO_FRICTION else -mu_i * (sign or 1) for sign, mu_i in zip(directions, mu)])
    a, b = formulate_lcp(G, gamma_dot, mu, ratios, at_rest, dim, scale)
    solution = solve_lcp(a, b)
    if solution is None:
        return None
    x, y = solution
    small = WEAK * max(np.abs(b).max(), np.abs(x).max(), 1e-300)
    forces = np.zeros((count, 2))
    forces[:, 0] = x[:count] / scale
    forces[:, 1] = ratios * forces[:, 0]
    modes = []
    for i, sign in enumerate(directions):
        if x[i] <= small:
            modes.append(OPEN)
            forces[i] = 0.0
        elif sign == AT_REST:
            j = at_rest.index(i)
            right, left = x[count + j], y[count + len(at_rest) + j]
            slip = y[count + j] - x[count + len(at_rest) + j]
            forces[i, 1] += right / scale
            modes.append(SLIP_POSITIVE if right <= small < slip else SLIP_NEGATIVE if left <= small < -slip else STICK)
        else:
            modes.append(FRICTIONLESS if sign == NO_FRICTION else SLIP_POSITIVE if sign > 0 else SLIP_NEGATIVE)
    return ContactModes(modes, forces)


def formulate_lcp(
    G: np.ndarray, gamma_dot: np.ndarray, mu: np.ndarray, ratios: np.ndarray, at_rest: list[int], dim: int, scale: float
) -> tuple[np.ndarray, np.ndarray]:
    """Return matrix and vector of the linear complementarity problem; ``ratios`` are λ_T/λ_N of contacts that slide.

    Unknowns are λ_N, then λ_R = μ λ_N + λ_T and ξ_L of contacts at rest, with y = ξ_N, ξ_R, λ_L = μ λ_N − λ_T and
    ξ_T = ξ_R − ξ_L. Forces are multiplied by ``scale``, which makes all of them accelerations.
    """
    count, n_rest = len(ratios), len(at_rest)
    normals = [i * dim for i in range(count)]
    tangents = [i * dim + 1 for i in at_rest]
    normal_columns = G[:, normals].copy()
    for i in range(count):
        if ratios[i] != 0.0:
            normal_columns[:, i] += ratios[i] * G[:, i * dim + 1]
    a = np.zeros((count + 2 * n_rest, count + 2 * n_rest))
    upper, last = slice(count, count + n_rest), slice(count + n_rest, count + 2 * n_rest)
    a[:count, :count] = normal_columns[normals] / scale
    a[:count, upper] = G[np.ix_(normals, tangents)] / scale
    a[upper, :count] = normal_columns[tangents] / scale
    a[upper, upper] = G[np.ix_(tangents, tangents)] / scale
    a[upper, last] = np.eye(n_rest)
    for j, i in enumerate(at_rest):
        a[count + n_rest + j, i] = 2.0 * mu[i]
        a[count + n_rest + j, count + j] = -1.0
    b = np.concatenate([gamma_dot[normals], gamma_dot[tangents], np.zeros(n_rest)])
    return a, b


def solve_lcp(a: np.ndarray, b: np.ndarray) -> tuple[np.ndarray, np.ndarray] | None:
    """Return a solution of the linear complementarity problem, or None."""
    for method in ("lemke", "enumeration"):
        try:
            return lcp.solve(a, b, method)
        except lcp.LcpError:
            continue
        except ModelError:  # too many unknowns for this method
            return None
    return None
