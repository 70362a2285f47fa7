"""Residual of a contact problem by its natural map, in units of velocity."""

from __future__ import annotations

import math

from carom.kernels import floats, jit, offset
from carom.solve.contact_problem.friction_limits import coefficient, limit_size, n_limits, n_tangents, row_length

ROUNDING = 1e-15
"""Rounding error of a sum relative to the sum of its absolute terms [-]."""


@jit
def velocity(problem, row):
    """Return ξ = G P + b of one row and a bound of its rounding error [m/s].

    The bound counts the terms of the sum, and P_T as part of μ (P_N + p) ± P_T.
    """
    n_contacts = problem.n_contacts
    dim = problem.rows_per_contact
    size = n_contacts * dim
    G_row = offset(floats(problem.G), row * size)
    P = floats(problem.P)
    xi = floats(problem.b)[row]
    terms = 0.0
    for j in range(size):
        term = G_row[j] * P[j]
        xi += term
        terms += abs(term)
    if dim > 1:
        mu = floats(problem.mu)
        p = floats(problem.p_offset)
        for i in range(n_contacts):
            terms += abs(G_row[i * dim + 1]) * mu[i] * (abs(P[i * dim]) + p[i])
        if problem.has_rolling != 0:
            terms += rotation_terms(problem, G_row)
    return xi, ROUNDING * terms


@jit
def rotation_terms(problem, G_row):
    """Return the sum of the absolute terms of a row of ξ by the limits of rolling and spinning [m/s]."""
    dim = problem.rows_per_contact
    P = floats(problem.P)
    p = floats(problem.p_offset)
    terms = 0.0
    for limit in range(1, n_limits(problem)):
        first = 1 + limit * n_tangents(problem)
        for i in range(problem.n_contacts):
            terms += abs(G_row[i * dim + first]) * coefficient(problem, i, limit) * (abs(P[i * dim]) + p[i])
    return terms


@jit
def response(problem, row):
    """Return the velocity change per impulse [1/kg]: the diagonal of G, or the largest number of a general row."""
    dim = problem.rows_per_contact
    size = problem.n_contacts * dim
    G = floats(problem.G)
    g = 0.0
    if dim == 1:
        for j in range(size):
            g = max(g, abs(G[row * size + j]))
    elif row % dim == 0:
        g = G[row * size + row]
    else:
        tangents = n_tangents(problem)
        limit = (row % dim - 1) // tangents
        first = row - row % dim + 1 + limit * tangents
        for k in range(first, first + limit_size(tangents, limit)):  # equal in both rows, so that the disc stays a disc
            g = max(g, G[k * size + k])
    return g if g > 0.0 else 1.0


@jit
def violation(problem, i):
    """Return the violation of the laws of contact ``i`` [m/s].

    It is the largest of |min(ξ_N, g P_N)| and the violations of its limits.
    """
    dim = problem.rows_per_contact
    P = floats(problem.P)
    n = i * dim
    xi_N, rounding = velocity(problem, n)
    worst = max(abs(min(xi_N, response(problem, n) * P[n])) - rounding, 0.0)
    if dim == 1:
        return worst
    worst = max(worst, limit_violation(problem, i, 0))
    if problem.has_rolling != 0:
        for limit in range(1, n_limits(problem)):
            length = row_length(problem, n + 1 + limit * n_tangents(problem))
            worst = max(worst, length * limit_violation(problem, i, limit))
    return worst


@jit
def limit_violation(problem, i, limit):
    """Return |g (P_T − prox(P_T − ξ_T/g))| of a limit of contact ``i`` [m/s, rad/s].

    prox projects onto the disc of radius c (P_N + p).
    """
    P = floats(problem.P)
    tangents = n_tangents(problem)
    n = i * problem.rows_per_contact
    radius = coefficient(problem, i, limit) * max(P[n] + floats(problem.p_offset)[i], 0.0)
    t = n + 1 + limit * tangents
    g = response(problem, t)
    xi_1, rounding = velocity(problem, t)
    prox_argument_1 = P[t] - xi_1 / g
    if limit_size(tangents, limit) == 1:
        return g * abs(P[t] - min(max(prox_argument_1, -radius), radius)) - rounding
    xi_2, rounding_2 = velocity(problem, t + 1)
    prox_argument_2 = P[t + 1] - xi_2 / g
    length = math.hypot(prox_argument_1, prox_argument_2)
    shrink = radius / length if length > radius else 1.0
    distance = math.hypot(P[t] - shrink * prox_argument_1, P[t + 1] - shrink * prox_argument_2)
    return g * distance - rounding - rounding_2


@jit
def update_residual(problem):
    """Store and return the largest violation relative to the largest |b| [-]; inf if P is not finite."""
    b = floats(problem.b)
    P = floats(problem.P)
    size = problem.n_contacts * problem.rows_per_contact
    scale = 0.0
    worst = 0.0
    for k in range(size):
        length = row_length(problem, k) if problem.has_rolling != 0 else 1.0
        scale = max(scale, length * abs(b[k]))
        if not math.isfinite(P[k]):
            worst = math.inf
    for i in range(problem.n_contacts):
        value = violation(problem, i)
        if not value <= worst:
            worst = value if value > worst else math.inf
    if scale > 0.0:
        worst /= scale
    problem.residual = worst
    return worst
