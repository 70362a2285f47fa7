"""Enumeration of all complementary bases: finds a solution if one exists, otherwise proves that none exists.

For small problems: each contact without friction doubles the number of bases, each contact with friction multiplies it
by five (separated or sliding, each with ξ_T in one or the other direction, and sticking; by six with an impulse p that
acts already, since a contact can then stick without P_N). In 3D without friction only.

A basis is a set of indices: x in the set and y outside of it may be positive, all other variables are zero. It is
reached by exchanging x for y. With redundant contacts some exchanges may be impossible: the remaining variables are
then free, and Bland's rule of least indices leads to values for which all others are nonnegative, if there are any.

Reference: K. Murty, Linear Complementarity, Linear and Nonlinear Programming, 1988, section 1.3; R. Bland, Math. of
Operations Research 2 (1977) 103–107.
"""

from __future__ import annotations

from carom.kernels import CONTACT_SOLVER, floats, jit, kernel
from carom.solve.contact_problem.lcp_formulations import (
    count_saturation_unknowns,
    formulate_saturations,
    store_saturation_impulses,
)
from carom.solve.contact_problem.lcp_pivoting import exchange, initialise_tableau, normalise, refine_solution
from carom.solve.contact_problem.natural_residual import update_residual
from carom.solve.contact_problem.problem_scaling import compute_scaling
from carom.solve.contact_problem.records import (
    CONTACT_PROBLEM,
    ITERATION_LIMIT,
    NOT_FOUND,
    PROVED_UNSOLVABLE,
    SOLVED,
)
from carom.solve.contact_problem.workspaces import first_unknowns, lcp_workspace

MAX_BASES = 70000
"""Bases that are checked in one call."""

MIN_PIVOT = 1e-11
"""Absolute value below which a pivot counts as zero; numbers of the scaled matrix are near one [-]."""

NEGATIVE = -1e-9
"""Value below which a scaled variable is certainly negative; the residual decides about the others [-]."""

EXCHANGES_PER_UNKNOWN = 50
"""Limit of exchanges per unknown to make dependent variables nonnegative."""


@jit
def n_states(problem, i):
    """Return the number of states of contact ``i``."""
    first = first_unknowns(problem)
    if first[i + 1] - first[i] == 1:
        return 2
    return 6 if floats(problem.p_offset)[i] > 0.0 else 5


@jit
def n_bases(problem):
    """Return the number of bases, or −1 if there are more than `MAX_BASES`."""
    total = 1
    for i in range(problem.n_contacts):
        total *= n_states(problem, i)
        if total > MAX_BASES:
            return -1
    return total


@jit
def select_basis(problem, lcp, index):
    """Mark the x of basis ``index``; its digits are the states of the contacts."""
    is_positive = lcp.is_positive
    for i in range(problem.n_contacts):
        k = lcp.first_unknown[i]
        states = n_states(problem, i)
        state = index % states
        index //= states
        if states == 2:
            is_positive[k] = state
            continue
        # P_N > 0 in the last three states; then sliding right (0), sliding left (P_R, ξ_L) or sticking (P_R).
        is_closed = state >= states - 3
        friction_state = state - (states - 3) if is_closed else state
        is_positive[k] = 1 if is_closed else 0
        is_positive[k + 1] = 1 if friction_state > 0 else 0
        is_positive[k + 2] = 1 if friction_state == 1 else 0


@jit
def enter_basis(lcp):
    """Exchange the x of the set for the y, largest pivots first, as far as they are independent."""
    n = lcp.n
    tableau = lcp.tableau
    is_positive = lcp.is_positive
    row_size = n + 2
    while True:
        max_abs = MIN_PIVOT
        r = n
        s = n
        for i in range(n):
            if lcp.basic[i] >= n:
                if is_positive[lcp.basic[i] - n] == 1:
                    for j in range(n):
                        if lcp.nonbasic[j] < n:
                            if is_positive[lcp.nonbasic[j]] == 1:
                                if abs(tableau[i * row_size + j]) > max_abs:
                                    max_abs = abs(tableau[i * row_size + j])
                                    r = i
                                    s = j
        if r == n:
            return
        exchange(lcp, r, s)


@jit
def is_fixed(lcp, variable):
    """Return whether a variable must be zero in the selected basis."""
    if variable < lcp.n:
        return lcp.is_positive[variable] == 0
    return lcp.is_positive[variable - lcp.n] == 1


@jit
def make_feasible(lcp, limit):
    """Exchange dependent variables until all variables are nonnegative; return whether that is possible."""
    n = lcp.n
    tableau = lcp.tableau
    row_size = n + 2
    for _ in range(limit):
        r = n
        for i in range(n):
            value = tableau[i * row_size + n + 1]
            if is_fixed(lcp, lcp.basic[i]):
                if abs(value) > -NEGATIVE:
                    return False
            elif value < NEGATIVE:
                if r == n or lcp.basic[i] < lcp.basic[r]:
                    r = i
        if r == n:
            return True
        s = n
        for j in range(n):
            if not is_fixed(lcp, lcp.nonbasic[j]):
                if tableau[r * row_size + j] > MIN_PIVOT:
                    if s == n or lcp.nonbasic[j] < lcp.nonbasic[s]:
                        s = j
        if s == n:
            return False
        exchange(lcp, r, s)
    return False


@jit
def solution_is_accurate(problem, lcp, b_max):
    """Store the impulses of the basis; return whether the residual is small enough."""
    refine_solution(lcp)
    for k in range(lcp.n):
        lcp.x[k] *= b_max
    store_saturation_impulses(problem, lcp)
    return update_residual(problem) <= problem.tolerance


@jit
def has_spatial_friction(problem):
    """Return whether a contact has friction in 3D, which no LCP describes exactly."""
    if problem.rows_per_contact == 3:
        mu = floats(problem.mu)
        for i in range(problem.n_contacts):
            if mu[i] > 0.0:
                return True
    return False


@kernel(CONTACT_SOLVER, CONTACT_PROBLEM)
def enumeration(problem):
    """Solve a contact problem by enumeration, starting with ``first_basis``; return a status."""
    problem.n_iterations = 0
    problem.factor_size = 0  # This solver uses the workspace, too.
    if has_spatial_friction(problem):
        update_residual(problem)
        return ITERATION_LIMIT
    n = count_saturation_unknowns(problem)
    end = n_bases(problem)
    if end < 0:
        update_residual(problem)
        return ITERATION_LIMIT
    lcp = lcp_workspace(problem, n)
    compute_scaling(problem, lcp.xi_scale, lcp.P_scale)
    formulate_saturations(problem, lcp)
    b_max = normalise(lcp)
    for k in range(n):
        lcp.cover[k] = 0.0
    has_inaccurate_solution = False
    for index in range(problem.first_basis, end):
        problem.n_iterations += 1
        select_basis(problem, lcp, index)
        initialise_tableau(lcp)
        enter_basis(lcp)
        if make_feasible(lcp, EXCHANGES_PER_UNKNOWN * (n + 1)):
            if solution_is_accurate(problem, lcp, b_max):
                return SOLVED
            has_inaccurate_solution = True
    update_residual(problem)
    return NOT_FOUND if has_inaccurate_solution else PROVED_UNSOLVABLE
