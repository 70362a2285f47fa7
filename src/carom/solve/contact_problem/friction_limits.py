"""Limits of a contact: groups of rows whose impulses are bounded by the normal impulse.

The first limit is friction, with one or two tangential rows. With rolling resistance a second one follows, with as many
rows (relative rotation about z in 2D, about both tangents in 3D), and in 3D a third one of a single row: the relative
rotation about the normal. Each is an interval or a disc of radius c (P_N + p), with the friction coefficient [-] or the
lever of the resistance [m] as c.
"""

from __future__ import annotations

import math

from carom.kernels import floats, jit

FRICTION, ROLLING, SPINNING = range(3)
"""Limits of a contact in the order of their rows."""

N_LEVERS = 2
"""Levers of a contact: those of rolling and spinning."""


@jit
def n_tangents(problem):
    """Return the number of tangential rows of a contact: 1 in 2D, 2 in 3D, 0 with normal rows only."""
    if problem.has_rolling == 0:
        return problem.rows_per_contact - 1
    return problem.rows_per_contact // 3


@jit
def n_limits(problem):
    """Return the number of limits of a contact with tangential rows."""
    if problem.has_rolling == 0:
        return 1
    return 2 if problem.rows_per_contact == 3 else 3


@jit
def limit_size(tangents, limit):
    """Return the number of rows of a limit; its first row is 1 + ``limit`` · ``tangents``."""
    return 1 if limit == SPINNING else tangents


def limit_rows(tangents: int, n_limits: int) -> list[slice]:
    """Return the rows of each limit among those of a contact."""
    starts = [1 + limit * tangents for limit in range(n_limits)]
    return [slice(start, start + (1 if limit == SPINNING else tangents)) for limit, start in enumerate(starts)]


@jit
def coefficient(problem, i, limit):
    """Return the ratio of a limit of contact ``i`` to its normal impulse [-, m]."""
    if limit == FRICTION:
        return floats(problem.mu)[i]
    return floats(problem.levers)[N_LEVERS * i + limit - 1]


@jit
def row_length(problem, row):
    """Return the length that makes a row of relative rotation a velocity [m]; 1 for all other rows."""
    if problem.has_rolling == 0:
        return 1.0
    dim = problem.rows_per_contact
    if row % dim <= n_tangents(problem):
        return 1.0
    size = problem.n_contacts * dim
    G = floats(problem.G)
    n = row - row % dim
    if G[n * size + n] > 0.0 and G[row * size + row] > 0.0:
        return math.sqrt(G[n * size + n] / G[row * size + row])
    return 1.0
