"""What touching contacts do next: the complementarity problem of their accelerations.

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

NO_FRICTION, EITHER = 2, 0
"""In the place of the sign of γ_T: no friction; γ_T = 0, so that friction may have any direction."""


@dataclass(frozen=True)
class Outlook:
    """Modes of the contacts, and their forces, normal and tangential by contact [N]."""

    modes: list[int]
    forces: np.ndarray


def outlook(matrix: np.ndarray, rates: np.ndarray, friction: np.ndarray, ways: list[int], dim: int) -> Outlook | None:
    """Modes and forces of contacts with Delassus matrix ``matrix`` and ``rates`` dγ/dt without forces, DIM rows each.

    ``ways`` are the signs of γ_T, EITHER or NO_FRICTION. None where there is no solution.
    """
    count = len(ways)
    scale = float(np.diag(matrix).max())
    scale = scale if scale > 0.0 else 1.0
    normals = [i * dim for i in range(count)]
    tangents = [i * dim + 1 for i in range(count) if ways[i] == EITHER]
    either = [i for i in range(count) if ways[i] == EITHER]
    shares = np.array([0.0 if way == NO_FRICTION else -mu * (way or 1) for way, mu in zip(ways, friction)])
    # Unknowns λ_N, then λ_R = μ λ_N + λ_T and ξ_L where friction is open, with y = ξ_N, ξ_R, λ_L = μ λ_N − λ_T;
    # ξ_T = ξ_R − ξ_L. Forces are multiplied by ``scale``, which makes all of them accelerations.
    from_normals = matrix[:, normals].copy()
    for i in range(count):
        if shares[i] != 0.0:
            from_normals[:, i] += shares[i] * matrix[:, i * dim + 1]
    loose = len(either)
    a = np.zeros((count + 2 * loose, count + 2 * loose))
    upper, last = slice(count, count + loose), slice(count + loose, count + 2 * loose)
    a[:count, :count] = from_normals[normals] / scale
    a[:count, upper] = matrix[np.ix_(normals, tangents)] / scale
    a[upper, :count] = from_normals[tangents] / scale
    a[upper, upper] = matrix[np.ix_(tangents, tangents)] / scale
    a[upper, last] = np.eye(loose)
    for j, i in enumerate(either):
        a[count + loose + j, i] = 2.0 * friction[i]
        a[count + loose + j, count + j] = -1.0
    b = np.concatenate([rates[normals], rates[tangents], np.zeros(loose)])
    solution = solve(a, b)
    if solution is None:
        return None
    x, y = solution
    small = WEAK * max(np.abs(b).max(), np.abs(x).max(), 1e-300)
    forces = np.zeros((count, 2))
    forces[:, 0] = x[:count] / scale
    forces[:, 1] = shares * forces[:, 0]
    modes = []
    for i, way in enumerate(ways):
        if x[i] <= small:
            modes.append(OPEN)
            forces[i] = 0.0
        elif way == EITHER:
            j = either.index(i)
            right, left, slip = x[count + j], y[count + loose + j], y[count + j] - x[count + loose + j]
            forces[i, 1] += right / scale
            modes.append(SLIP_POSITIVE if right <= small < slip else SLIP_NEGATIVE if left <= small < -slip else STICK)
        else:
            modes.append(FRICTIONLESS if way == NO_FRICTION else SLIP_POSITIVE if way > 0 else SLIP_NEGATIVE)
    return Outlook(modes, forces)


def solve(a: np.ndarray, b: np.ndarray) -> tuple[np.ndarray, np.ndarray] | None:
    """A solution of the linear complementarity problem, or None."""
    for method in ("lemke", "enumeration"):
        try:
            return lcp.solve(a, b, method)
        except lcp.LcpError:
            continue
        except ModelError:  # too many unknowns for this method
            return None
    return None
