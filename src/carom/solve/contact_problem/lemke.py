"""Lemke's method for the contact problem.

In 2D the problem is formulated with saturations (also of rolling resistance), and a single contact is solved by
checking its states. A path can end on a ray although a solution exists: other paths are then followed, each with a new
covering vector, and after them those of the formulation with a polyhedral cone. In 3D a polygon replaces the friction
disc: where a contact slides, the resulting impulses are a good initial guess for another solver. Rolling resistance in
3D is not supported.
"""

from __future__ import annotations

from carom.kernels import CONTACT_SOLVER, floats, jit, kernel
from carom.solve.contact_problem.friction_limits import n_tangents
from carom.solve.contact_problem.lcp_formulations import (
    count_polyhedral_unknowns,
    count_saturation_unknowns,
    formulate_polyhedral,
    formulate_saturations,
    store_polyhedral_impulses,
    store_saturation_impulses,
)
from carom.solve.contact_problem.lcp_pivoting import follow_pivot_path, normalise, refine_solution, store_solution
from carom.solve.contact_problem.natural_residual import update_residual
from carom.solve.contact_problem.problem_scaling import compute_scaling
from carom.solve.contact_problem.records import (
    CONTACT_PROBLEM,
    ITERATION_LIMIT,
    MAX_LCP_UNKNOWNS,
    NOT_FOUND,
    SIDES,
    SOLVED,
)
from carom.solve.contact_problem.workspaces import lcp_workspace

N_PATHS = 8
"""Covering vectors that are tried for each formulation."""

N_REFINEMENTS = 3
PIVOTS_PER_UNKNOWN = 50
"""Limit of exchanges on a path, per unknown."""


@jit
def all_separate(problem):
    """Return whether P = 0 is a solution, since no contact closes and none has friction; store P = 0 then."""
    dim = problem.rows_per_contact
    b = floats(problem.b)
    p = floats(problem.p_offset)
    P = floats(problem.P)
    for i in range(problem.n_contacts):
        if not b[i * dim] >= 0.0:
            return False
        if dim > 1:
            if p[i] != 0.0:
                return False
    for k in range(problem.n_contacts * dim):
        P[k] = 0.0
    return True


@jit
def solve_single_contact(problem):
    """Check the states of one contact in 2D (separated, sticking, sliding); return whether one is a solution."""
    G = floats(problem.G)
    b = floats(problem.b)
    mu = floats(problem.mu)[0]
    p = floats(problem.p_offset)[0]
    P = floats(problem.P)
    P[0] = 0.0
    P[1] = min(max(-b[1] / G[3], -mu * p), mu * p) if mu * p > 0.0 else 0.0
    if b[0] + G[1] * P[1] >= 0.0:
        return True
    det = G[0] * G[3] - G[1] * G[2]
    if det > 0.0:
        P[0] = (G[1] * b[1] - G[3] * b[0]) / det
        P[1] = (G[2] * b[0] - G[0] * b[1]) / det
        if P[0] >= 0.0:
            if abs(P[1]) <= mu * (P[0] + p):
                return True
    for k in range(2):
        signed_mu = mu if k == 0 else -mu  # the impulse is opposite to the sliding direction, first to the right
        g = G[0] - signed_mu * G[1]
        if g > 0.0:
            P[0] = (signed_mu * G[1] * p - b[0]) / g
            P[1] = -signed_mu * (P[0] + p)
            if P[0] >= 0.0:
                if (b[1] + G[2] * P[0] + G[3] * P[1]) * signed_mu >= 0.0:
                    return True
    return False


@jit
def choose_covering_vector(lcp, path):
    """Store the covering vector of a path: ones, then pseudo-random numbers between 1/64 and 64 (reproducible)."""
    seed = 12345 + 6789 * path
    for k in range(lcp.n):
        lcp.cover[k] = 1.0
        if path > 0:
            seed = (1103515245 * seed + 12345) % 2147483648
            lcp.cover[k] = 2.0 ** (12.0 * seed / 2147483648.0 - 6.0)


@jit
def solution_is_accurate(problem, lcp, sides, b_max):
    """Store the impulses of the final basis, refined if necessary; return whether the residual is small enough."""
    for refinement in range(N_REFINEMENTS):
        if refinement == 0:
            store_solution(lcp)
        else:
            refine_solution(lcp)
        for k in range(lcp.n):
            lcp.x[k] *= b_max
        if sides == 0:
            store_saturation_impulses(problem, lcp)
        else:
            store_polyhedral_impulses(problem, lcp, sides)
        if update_residual(problem) <= problem.tolerance:
            return True
    return False


@jit
def solve_formulation(problem, sides):
    """Follow the paths of one formulation, with saturations (``sides`` = 0) or polygons; return the last status."""
    n = count_saturation_unknowns(problem) if sides == 0 else count_polyhedral_unknowns(problem, sides)
    if n > MAX_LCP_UNKNOWNS:
        return ITERATION_LIMIT
    lcp = lcp_workspace(problem, n)
    compute_scaling(problem, lcp.xi_scale, lcp.P_scale)
    if sides == 0:
        formulate_saturations(problem, lcp)
    else:
        formulate_polyhedral(problem, lcp, sides)
    b_max = normalise(lcp)
    limit = problem.max_iterations if problem.max_iterations > 0 else PIVOTS_PER_UNKNOWN * n
    status = NOT_FOUND
    for path in range(N_PATHS):
        choose_covering_vector(lcp, path)
        status, n_pivots = follow_pivot_path(lcp, limit)
        problem.n_iterations += n_pivots
        if status == SOLVED:
            if solution_is_accurate(problem, lcp, sides, b_max):
                return SOLVED
            if sides > 2:  # a solution for the polygon, but not for the disc
                return ITERATION_LIMIT
            status = NOT_FOUND
    return status


@kernel(CONTACT_SOLVER, CONTACT_PROBLEM)
def lemke(problem):
    """Solve a contact problem by Lemke's method; return a status."""
    problem.n_iterations = 0
    problem.factor_size = 0  # This solver uses the workspace, too.
    problem.residual = 0.0
    if all_separate(problem):
        return SOLVED
    if problem.rows_per_contact == 2 and problem.n_contacts == 1:
        if solve_single_contact(problem):
            if update_residual(problem) <= problem.tolerance:
                return SOLVED
    dim = problem.rows_per_contact
    status = solve_formulation(problem, SIDES if n_tangents(problem) == 2 else 0)
    if status != SOLVED and dim == 2:
        status = solve_formulation(problem, dim)  # a polygon in 2D has two sides
    if status != SOLVED:
        update_residual(problem)
    return status
