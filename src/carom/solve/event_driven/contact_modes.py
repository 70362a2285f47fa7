"""Contact modes after an event: the complementarity problem of the accelerations of closed contacts.

    0 ≤ dγ_N/dt ⊥ λ_N ≥ 0,   −λ_T ∈ μ λ_N Sgn(γ_T), and Sgn(dγ_T/dt) where γ_T = 0

for contacts with γ_N = 0, as a linear complementarity problem. With two tangents, Sgn is the unit vector of γ_T or the
unit disc, and the problem is that of a cone, as in an impact.

Reference: F. Pfeiffer, C. Glocker, Multibody Dynamics with Unilateral Contacts, 1996, chapter 5.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from carom.errors import ModelError
from carom.solve.contact_problem import lcp
from carom.solve.contact_problem.records import SOLVED
from carom.solve.event_driven.records import FRICTIONLESS, OPEN, SLIP, STICK, WEAK


@dataclass(frozen=True)
class ContactModes:
    """Modes of contacts, their forces, normal and tangential by contact [N], and their sliding directions [-]."""

    modes: list[int]
    forces: np.ndarray
    slip: np.ndarray


def solve_contact_modes(
    G: np.ndarray, gamma_dot: np.ndarray, mu: np.ndarray, directions: np.ndarray, dim: int
) -> ContactModes | None:
    """Return modes and forces of contacts with γ_N = 0, or None if there is no solution.

    ``G`` is the Delassus matrix, ``gamma_dot`` dγ/dt without contact forces, with ``dim`` rows per contact, ``mu`` the
    coefficients of friction, and ``directions`` the unit vectors γ_T/|γ_T| by contact, zero where γ_T = 0.
    """
    if dim == 3:
        return solve_cone_modes(G, gamma_dot, mu, directions)
    return solve_line_modes(G, gamma_dot, mu if dim == 2 else np.zeros(len(mu)), directions[:, 0], dim)


def solve_line_modes(
    G: np.ndarray, gamma_dot: np.ndarray, mu: np.ndarray, signs: np.ndarray, dim: int
) -> ContactModes | None:
    """Return modes and forces of contacts with one tangent or none; ``signs`` are those of γ_T."""
    count = len(signs)
    scale = float(np.diag(G).max())
    scale = scale if scale > 0.0 else 1.0
    at_rest = [i for i in range(count) if mu[i] > 0.0 and signs[i] == 0.0]
    ratios = np.array([0.0 if mu_i == 0.0 else -mu_i * (sign or 1.0) for sign, mu_i in zip(signs, mu)])
    a, b = formulate_lcp(G, gamma_dot, mu, ratios, at_rest, dim, scale)
    solution = solve_lcp(a, b)
    if solution is None:
        return None
    x, y = solution
    small = WEAK * max(np.abs(b).max(), np.abs(x).max(), 1e-300)
    forces = np.zeros((count, 2))
    forces[:, 0] = x[:count] / scale
    forces[:, 1] = ratios * forces[:, 0]
    slip = signs.copy()
    modes = []
    for i in range(count):
        if x[i] <= small:
            modes.append(OPEN)
            forces[i] = 0.0
        elif i in at_rest:
            j = at_rest.index(i)
            right, left = x[count + j], y[count + len(at_rest) + j]
            slip_rate = y[count + j] - x[count + len(at_rest) + j]
            forces[i, 1] += right / scale
            slip[i] = 1.0 if right <= small < slip_rate else -1.0 if left <= small < -slip_rate else 0.0
            modes.append(SLIP if slip[i] else STICK)
        else:
            modes.append(FRICTIONLESS if mu[i] == 0.0 else SLIP)
    return ContactModes(modes, forces[:, :dim], slip[:, None])


def solve_cone_modes(
    G: np.ndarray, gamma_dot: np.ndarray, mu: np.ndarray, directions: np.ndarray
) -> ContactModes | None:
    """Return modes and forces of contacts with two tangents.

    Forces of contacts that depend on each other are not unique, accelerations are: they decide on the modes.
    """
    count = len(mu)
    slides = (mu > 0.0) & np.any(directions != 0.0, axis=1)
    matrix = G.copy()
    for i in np.flatnonzero(slides).tolist():  # friction is proportional to the normal force
        matrix[:, 3 * i] -= mu[i] * (G[:, 3 * i + 1 : 3 * i + 3] @ directions[i])
    problem = lcp.Problem(matrix, gamma_dot, np.where(slides, 0.0, mu), np.zeros(count), 3)
    if not any(problem.run(method) == SOLVED for method in ("alart-curnier", "pgs")):
        return None
    forces = problem.P.reshape(count, 3).copy()
    acceleration = (matrix @ problem.P + gamma_dot).reshape(count, 3)
    forces[slides, 1:] = -(mu * forces[:, 0])[slides, None] * directions[slides]
    small = WEAK * max(float(np.abs(gamma_dot).max()), float((np.diag(G) * np.abs(forces.ravel())).max()), 1e-300)
    slip = np.where(slides[:, None], directions, 0.0)
    modes = []
    for i in range(count):
        slip_rate = float(np.linalg.norm(acceleration[i, 1:]))
        if acceleration[i, 0] > small:
            modes.append(OPEN)
            forces[i] = 0.0
        elif mu[i] == 0.0:
            modes.append(FRICTIONLESS)
        elif not slides[i] and slip_rate > small:
            modes.append(SLIP)
            slip[i] = acceleration[i, 1:] / slip_rate
        else:
            modes.append(SLIP if slides[i] else STICK)
    return ContactModes(modes, forces, slip)


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
