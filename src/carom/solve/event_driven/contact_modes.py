"""Contact modes after an event: the complementarity problem of the accelerations of closed contacts.

    0 ≤ dγ_N/dt ⊥ λ_N ≥ 0,   −λ_T ∈ μ λ_N Sgn(γ_T), and Sgn(dγ_T/dt) where γ_T = 0

for contacts with γ_N = 0, as a linear complementarity problem. With two tangents, Sgn is the unit vector of γ_T or the
unit disc, and the problem is that of a cone, as in an impact. Rolling and spinning resistance are further limits of a
contact, with rows of relative rotation in place of tangents.

Reference: F. Pfeiffer, C. Glocker, Multibody Dynamics with Unilateral Contacts, 1996, chapter 5.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from carom.errors import ModelError
from carom.solve.contact_problem import lcp
from carom.solve.contact_problem.friction_limits import limit_rows
from carom.solve.contact_problem.records import SOLVED
from carom.solve.event_driven.records import FRICTIONLESS, OPEN, SLIP, STICK, WEAK


@dataclass(frozen=True)
class ContactModes:
    """Modes of the limits of contacts, forces by contact and row [N], and directions of motion by row [-]."""

    modes: np.ndarray
    forces: np.ndarray
    slip: np.ndarray


def solve_contact_modes(
    G: np.ndarray, gamma_dot: np.ndarray, mu: np.ndarray, directions: np.ndarray, dim: int
) -> ContactModes | None:
    """Return modes and forces of contacts with γ_N = 0, or None if there is no solution.

    ``G`` is the Delassus matrix, ``gamma_dot`` dγ/dt without contact forces, with ``dim`` rows per contact, ``mu`` the
    coefficients of friction, or the ratios of all limits of a contact in columns, and ``directions`` the unit vectors
    γ_T/|γ_T| of each limit by contact, zero where γ_T = 0.
    """
    ratios = mu.reshape(len(directions), -1)
    if dim == 1:
        ratios = np.zeros_like(ratios)
    if dim > 1 + ratios.shape[1]:
        return solve_cone_modes(G, gamma_dot, ratios, directions, dim)
    return solve_line_modes(G, gamma_dot, ratios, directions, dim)


def solve_line_modes(
    G: np.ndarray, gamma_dot: np.ndarray, limits: np.ndarray, signs: np.ndarray, dim: int
) -> ContactModes | None:
    """Return modes and forces of contacts with one row per limit or none; ``signs`` are those of its velocity."""
    count, n_limits = limits.shape
    scale = float(np.diag(G).max())
    scale = scale if scale > 0.0 else 1.0
    at_rest = [(i, d) for i in range(count) for d in range(n_limits) if limits[i, d] > 0.0 and signs[i, d] == 0.0]
    ratios = np.where(limits == 0.0, 0.0, -limits * np.where(signs == 0.0, 1.0, signs))
    a, b = formulate_lcp(G, gamma_dot, limits, ratios, at_rest, dim, scale)
    solution = solve_lcp(a, b)
    if solution is None:
        return None
    x, y = solution
    small = WEAK * max(np.abs(b).max(), np.abs(x).max(), 1e-300)
    forces = np.zeros((count, 1 + n_limits))
    forces[:, 0] = x[:count] / scale
    forces[:, 1:] = ratios * forces[:, :1]
    slip = signs.copy()
    modes = np.where(limits == 0.0, FRICTIONLESS, SLIP)
    for j, (i, d) in enumerate(at_rest):
        right, left = x[count + j], y[count + len(at_rest) + j]
        slip_rate = y[count + j] - x[count + len(at_rest) + j]
        if x[i] > small:
            forces[i, 1 + d] += right / scale
            slip[i, d] = 1.0 if right <= small < slip_rate else -1.0 if left <= small < -slip_rate else 0.0
            modes[i, d] = SLIP if slip[i, d] else STICK
    is_open = x[:count] <= small
    modes[is_open] = OPEN
    forces[is_open] = 0.0
    return ContactModes(modes, forces[:, :dim], slip)


def solve_cone_modes(
    G: np.ndarray, gamma_dot: np.ndarray, limits: np.ndarray, directions: np.ndarray, dim: int
) -> ContactModes | None:
    """Return modes and forces of contacts with two tangents.

    Forces of contacts that depend on each other are not unique, accelerations are: they decide on the modes.
    """
    count, n_limits = limits.shape
    rows = limit_rows(2, n_limits)
    moves = np.array([np.any(directions[:, part.start - 1 : part.stop - 1] != 0.0, axis=1) for part in rows]).T
    slides = (limits > 0.0) & moves
    matrix = G.copy()
    for i, limit in np.argwhere(slides).tolist():  # friction is proportional to the normal force
        first, last = rows[limit].start, rows[limit].stop
        friction = G[:, dim * i + first : dim * i + last] @ directions[i, first - 1 : last - 1]
        matrix[:, dim * i] -= limits[i, limit] * friction
    held = np.where(slides, 0.0, limits)
    levers = held[:, 1:] if n_limits > 1 else None
    problem = lcp.Problem(matrix, gamma_dot, held[:, 0], np.zeros(count), dim, levers)
    if not any(problem.run(method) == SOLVED for method in ("alart-curnier", "pgs")):
        return None
    forces = problem.P.reshape(count, dim).copy()
    acceleration = (matrix @ problem.P + gamma_dot).reshape(count, dim)
    slip = np.zeros_like(directions)
    for limit, part in enumerate(rows):
        moving, columns = slides[:, limit], slice(part.start - 1, part.stop - 1)
        forces[moving, part] = -(limits[:, limit] * forces[:, 0])[moving, None] * directions[moving, columns]
        slip[moving, columns] = directions[moving, columns]
    small = WEAK * max(float(np.abs(gamma_dot).max()), float((np.diag(G) * np.abs(forces.ravel())).max()), 1e-300)
    modes = np.where(limits == 0.0, FRICTIONLESS, np.where(slides, SLIP, STICK))
    for i, limit in np.argwhere(modes == STICK).tolist():
        part = rows[limit]
        slip_rate = float(np.linalg.norm(acceleration[i, part]))
        if slip_rate > small and not acceleration[i, 0] > small:
            modes[i, limit] = SLIP
            slip[i, part.start - 1 : part.stop - 1] = acceleration[i, part] / slip_rate
    is_open = acceleration[:, 0] > small
    modes[is_open] = OPEN
    forces[is_open] = 0.0
    return ContactModes(modes, forces, slip)


def formulate_lcp(
    G: np.ndarray,
    gamma_dot: np.ndarray,
    limits: np.ndarray,
    ratios: np.ndarray,
    at_rest: list[tuple[int, int]],
    dim: int,
    scale: float,
) -> tuple[np.ndarray, np.ndarray]:
    """Return matrix and vector of the linear complementarity problem; ``ratios`` are λ_T/λ_N of limits with motion.

    Unknowns are λ_N, then λ_R = μ λ_N + λ_T and ξ_L of limits at rest, with y = ξ_N, ξ_R, λ_L = μ λ_N − λ_T and
    ξ_T = ξ_R − ξ_L. Forces are multiplied by ``scale``, which makes all of them accelerations.
    """
    count, n_rest = len(ratios), len(at_rest)
    normals = [i * dim for i in range(count)]
    tangents = [i * dim + 1 + d for i, d in at_rest]
    normal_columns = G[:, normals].copy()
    for i, d in np.argwhere(ratios != 0.0).tolist():
        normal_columns[:, i] += ratios[i, d] * G[:, i * dim + 1 + d]
    a = np.zeros((count + 2 * n_rest, count + 2 * n_rest))
    upper, last = slice(count, count + n_rest), slice(count + n_rest, count + 2 * n_rest)
    a[:count, :count] = normal_columns[normals] / scale
    a[:count, upper] = G[np.ix_(normals, tangents)] / scale
    a[upper, :count] = normal_columns[tangents] / scale
    a[upper, upper] = G[np.ix_(tangents, tangents)] / scale
    a[upper, last] = np.eye(n_rest)
    for j, (i, d) in enumerate(at_rest):
        a[count + n_rest + j, i] = 2.0 * limits[i, d]
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
