"""Projected Gauss–Seidel: contacts are solved one after the other while the other impulses are fixed.

    P_N ← prox_{≥0}(P_N − ξ_N/G_NN),   P_T ← prox_{disc μ (P_N + p)}(P_T − ξ_T/g)

with the latest impulses in ξ; rolling and spinning resistance are like friction. The method converges for positive
semi-definite G, slowly for many or redundant contacts.

Reference: C. Cryer, SIAM J. Control 9 (1971) 385–392; M. Jean, J.-J. Moreau, Contact Mechanics Int. Symp., 1992.
"""

from __future__ import annotations

import math

from carom.kernels import CONTACT_SOLVER, floats, jit, kernel
from carom.solve.contact_problem.friction_limits import coefficient, limit_size, n_limits, n_tangents
from carom.solve.contact_problem.natural_residual import update_residual
from carom.solve.contact_problem.records import CONTACT_PROBLEM, ITERATION_LIMIT, NOT_FOUND, SOLVED

MAX_ITERATIONS = 20000
RESIDUAL_INTERVAL = 8
"""Iterations between two evaluations of the residual."""
RELAXATION_INTERVAL = 25 * RESIDUAL_INTERVAL
"""Iterations within which the residual must be halved; otherwise the relaxation factor is halved."""
MIN_RELAXATION = 1.0 / 32.0
"""Smallest relaxation factor [-]."""


@jit
def row_velocity(G, b, P, size, row):
    """Return ξ = G P + b of one row [m/s]."""
    xi = b[row]
    for j in range(size):
        xi += G[row * size + j] * P[j]
    return xi


@jit
def largest_eigenvalue(a, b, c):
    """Return the larger eigenvalue of [a b; b c]."""
    return 0.5 * (a + c) + math.hypot(0.5 * (a - c), b)


@jit
def iterate(problem, relaxation):
    """Update the impulses of every contact once; return False where a normal velocity does not respond to its impulse.

    ``relaxation`` is the fraction of every change that is applied [-].
    """
    dim = problem.rows_per_contact
    size = problem.n_contacts * dim
    G = floats(problem.G)
    b = floats(problem.b)
    P = floats(problem.P)
    for i in range(problem.n_contacts):
        n = i * dim
        g = G[n * size + n]
        xi_N = row_velocity(G, b, P, size, n)
        if g > 0.0:
            P[n] = max(P[n] - relaxation * xi_N / g, 0.0)
        elif xi_N < 0.0 or g < 0.0:
            return False
        elif xi_N > 0.0:
            P[n] = 0.0
        if dim > 1:
            for limit in range(n_limits(problem)):
                project_limit(problem, i, limit, relaxation)
    return True


@jit
def project_limit(problem, i, limit, relaxation):
    """Update the impulses of a limit of contact ``i`` and project them onto the disc of radius c (P_N + p)."""
    dim = problem.rows_per_contact
    size = problem.n_contacts * dim
    G = floats(problem.G)
    b = floats(problem.b)
    P = floats(problem.P)
    tangents = n_tangents(problem)
    t = i * dim + 1 + limit * tangents
    radius = coefficient(problem, i, limit) * (P[i * dim] + floats(problem.p_offset)[i])
    prox_argument_1 = P[t]
    if limit_size(tangents, limit) == 1:
        g = G[t * size + t]
        if g > 0.0:
            prox_argument_1 -= relaxation * row_velocity(G, b, P, size, t) / g
        P[t] = min(max(prox_argument_1, -radius), radius)
        return
    prox_argument_2 = P[t + 1]
    g = largest_eigenvalue(G[t * size + t], G[t * size + t + 1], G[(t + 1) * size + t + 1])
    if g > 0.0:
        prox_argument_1 -= relaxation * row_velocity(G, b, P, size, t) / g
        prox_argument_2 -= relaxation * row_velocity(G, b, P, size, t + 1) / g
    length = math.hypot(prox_argument_1, prox_argument_2)
    shrink = radius / length if length > radius else 1.0
    P[t] = shrink * prox_argument_1
    P[t + 1] = shrink * prox_argument_2


@jit
def replace_not_finite(problem):
    """Replace numbers of the initial guess that are not finite by zero."""
    P = floats(problem.P)
    for k in range(problem.n_contacts * problem.rows_per_contact):
        if not math.isfinite(P[k]):
            P[k] = 0.0


@kernel(CONTACT_SOLVER, CONTACT_PROBLEM)
def projected_gauss_seidel(problem):
    """Solve a contact problem by projected Gauss–Seidel; return a status."""
    tolerance = problem.tolerance
    limit = problem.max_iterations if problem.max_iterations > 0 else MAX_ITERATIONS
    replace_not_finite(problem)
    relaxation = 1.0
    last_residual = math.inf
    for k in range(limit):
        problem.n_iterations = k
        if k % RESIDUAL_INTERVAL == 0:
            residual = update_residual(problem)
            if residual <= tolerance:
                return SOLVED
            if residual == math.inf:
                return NOT_FOUND
            if k % RELAXATION_INTERVAL == 0:
                relaxation = max(0.5 * relaxation, MIN_RELAXATION) if residual > 0.5 * last_residual else 1.0
                last_residual = residual
        if not iterate(problem, relaxation):
            update_residual(problem)
            return NOT_FOUND
    problem.n_iterations = limit
    return SOLVED if update_residual(problem) <= tolerance else ITERATION_LIMIT
