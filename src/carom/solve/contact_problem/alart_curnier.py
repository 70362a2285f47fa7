"""Augmented Lagrangian of Alart and Curnier: Newton's method on the proximal equations of the contact problem.

    P_N = prox_{≥0}(P_N − r ξ_N),   P_T = prox_{disc}(P_T − r ξ_T),   disc of radius μ (prox_{≥0}(P_N − r ξ_N) + p)

with r = 1/G_ii, and likewise for rolling and spinning resistance. The equations are piecewise smooth, and a Newton step
uses the current piece. A step is shortened until the residual decreases; where that fails, iterations of projected
Gauss–Seidel lead to another piece, or the method restarts from other impulses. Redundant contacts make the matrix
singular: dependent equations are left out, and as many impulses stay unchanged. The factors of the last Newton step are
tried first where the elimination is expensive: bodies at rest have the same equations in every step.

Reference: P. Alart, A. Curnier, Comput. Methods Appl. Mech. Eng. 92 (1991) 353–375.
"""

from __future__ import annotations

import math

from carom.kernels import CONTACT_SOLVER, floats, jit, kernel, offset
from carom.solve.contact_problem.friction_limits import coefficient, limit_size, n_limits, n_tangents
from carom.solve.contact_problem.natural_residual import update_residual
from carom.solve.contact_problem.problem_scaling import compute_scaling
from carom.solve.contact_problem.projected_gauss_seidel import iterate, replace_not_finite, row_velocity
from carom.solve.contact_problem.records import CONTACT_PROBLEM, ITERATION_LIMIT, SOLVED
from carom.solve.contact_problem.workspaces import newton_workspace

MAX_STEPS = 300
MAX_HALVINGS = 8
FIRST_ITERATIONS, MAX_ITERATIONS = 10, 500
"""Gauss–Seidel iterations after the first failed step, half as many more after each further one; and their limit."""
MIN_RELAXATION = 0.1
"""Relaxation factor of Gauss–Seidel below which it returns to one [-]."""
FAILURES_PER_RESTART = 8
"""Failed steps after which the method restarts from other impulses."""
MIN_REUSED_ROWS, MAX_REUSES = 24, 6
"""Rows from which factors are used again, and the largest number of steps with them."""
MIN_REUSED_PIVOT = 1e-8
"""Ratio to the first pivot below which an equation counts as dependent when factors are used again [-]."""
MIN_CONVERGENCE = 0.9
"""Ratio of the residuals of two steps with old factors above which they are given up [-]."""
MIN_PIVOT = 1e-12
"""Ratio to the largest pivot below which an equation counts as dependent [-]."""


@jit
def store_scaled_row(problem, newton, row):
    """Store a row of the scaled G in the Jacobian."""
    size = newton.size
    G = floats(problem.G)
    out = offset(newton.jacobian, row * size)
    for j in range(size):
        out[j] = newton.xi_scale[row] * G[row * size + j] * newton.P_scale[j]


@jit
def evaluate_equations(problem, newton, f, with_jacobian):
    """Store the residual ``f`` of the scaled equations, and their Jacobian if requested; return |f|²."""
    dim = problem.rows_per_contact
    size = newton.size
    P_scale = newton.P_scale
    G = floats(problem.G)
    b = floats(problem.b)
    P = floats(problem.P)
    p = floats(problem.p_offset)
    tangents = n_tangents(problem)
    for k in range(size):
        f[k] = newton.xi_scale[k] * row_velocity(G, b, P, size, k)
        if with_jacobian:
            store_scaled_row(problem, newton, k)
    for i in range(problem.n_contacts):
        n = i * dim
        normal_row = offset(newton.jacobian, n * size)
        prox_argument = P[n] / P_scale[n] - f[n]
        if dim > 1:
            for limit in range(n_limits(problem)):
                t = n + 1 + limit * tangents
                slope = coefficient(problem, i, limit) * P_scale[n] / P_scale[t]
                radius = slope * (max(prox_argument, 0.0) + p[i] / P_scale[n])
                radius_slope = slope if prox_argument > 0.0 else 0.0
                if limit_size(tangents, limit) == 1:
                    interval_equation(problem, newton, f, n, t, radius, radius_slope, with_jacobian)
                else:
                    disc_equations(problem, newton, f, n, t, radius, radius_slope, with_jacobian)
        if not prox_argument > 0.0:
            f[n] = P[n] / P_scale[n]
            if with_jacobian:
                for j in range(size):
                    normal_row[j] = 0.0
                normal_row[n] = 1.0
    total = 0.0
    for k in range(size):
        total += f[k] * f[k]
    return total


@jit
def interval_equation(problem, newton, f, n, t, radius, radius_slope, with_jacobian):
    """Replace the equation of row ``t`` by P_T = ± radius if the impulse would leave the interval; ``n``: normal."""
    size = newton.size
    normal_row = offset(newton.jacobian, n * size)
    row = offset(newton.jacobian, t * size)
    P_T = floats(problem.P)[t] / newton.P_scale[t]
    prox_argument = P_T - f[t]
    if radius > 0.0 and abs(prox_argument) <= radius:
        return
    sign = math.copysign(1.0, prox_argument)
    f[t] = P_T - radius * sign
    if with_jacobian:
        for j in range(size):
            row[j] = sign * radius_slope * normal_row[j]
        row[n] -= sign * radius_slope
        row[t] += 1.0


@jit
def disc_equations(problem, newton, f, n, t, radius, radius_slope, with_jacobian):
    """Replace the equations of rows ``t``, t + 1 by P_T = radius · direction if P_T would leave the disc."""
    size = newton.size
    P = floats(problem.P)
    normal_row = offset(newton.jacobian, n * size)
    row_1 = offset(newton.jacobian, t * size)
    row_2 = offset(row_1, size)
    P_1 = P[t] / newton.P_scale[t]
    P_2 = P[t + 1] / newton.P_scale[t + 1]
    prox_argument_1 = P_1 - f[t]
    prox_argument_2 = P_2 - f[t + 1]
    length = math.hypot(prox_argument_1, prox_argument_2)
    if radius > 0.0 and length <= radius:
        return
    direction_1 = prox_argument_1 / length if length > 0.0 else 1.0
    direction_2 = prox_argument_2 / length if length > 0.0 else 0.0
    fraction = radius / length if length > 0.0 else 0.0
    f[t] = P_1 - radius * direction_1
    f[t + 1] = P_2 - radius * direction_2
    if with_jacobian:
        for j in range(size):
            radius_change = -radius_slope * normal_row[j]
            if j == n:
                radius_change += radius_slope
            # The direction rotates with the part of P_T − ξ_T that is perpendicular to it.
            rotation = direction_2 * row_1[j] - direction_1 * row_2[j]
            if j == t:
                rotation -= direction_2
            if j == t + 1:
                rotation += direction_1
            row_1[j] = fraction * direction_2 * rotation - direction_1 * radius_change
            row_2[j] = -fraction * direction_1 * rotation - direction_2 * radius_change
        row_1[t] += 1.0
        row_2[t + 1] += 1.0


@jit
def eliminate(size, matrix, vector, order, rows):
    """Reduce matrix · x = vector to triangular form with full pivoting; return the rank.

    The factors of the elimination are stored below the diagonal.
    """
    max_pivot = 0.0
    for k in range(size):
        max_abs = -1.0
        r = k
        c = k
        for i in range(k, size):
            for j in range(k, size):
                if abs(matrix[i * size + j]) > max_abs:
                    max_abs = abs(matrix[i * size + j])
                    r = i
                    c = j
        max_pivot = max(max_pivot, max_abs)
        if not max_abs > MIN_PIVOT * max_pivot:
            return k
        if r != k:
            vector[k], vector[r] = vector[r], vector[k]
            rows[k], rows[r] = rows[r], rows[k]
            for j in range(size):
                matrix[k * size + j], matrix[r * size + j] = matrix[r * size + j], matrix[k * size + j]
        if c != k:
            order[k], order[c] = order[c], order[k]
            for i in range(size):
                matrix[i * size + k], matrix[i * size + c] = matrix[i * size + c], matrix[i * size + k]
        for i in range(k + 1, size):
            factor = matrix[i * size + k] / matrix[k * size + k]
            matrix[i * size + k] = factor
            if factor != 0.0:
                vector[i] -= factor * vector[k]
                for j in range(k + 1, size):
                    matrix[i * size + j] -= factor * matrix[k * size + j]
    return size


@jit
def solve_newton_step(newton):
    """Replace f in ``step`` by the Newton step −J⁻¹ f; leave out dependent equations. Return the rank of J."""
    size = newton.size
    for k in range(size):
        newton.order[k] = k
        newton.rows[k] = k
        newton.step[k] = -newton.step[k]
    rank = eliminate(size, newton.jacobian, newton.step, newton.order, newton.rows)
    substitute_back(newton, rank)
    return rank


@jit
def n_large_pivots(newton, rank):
    """Return the number of pivots that are far from rounding: with smaller ones, factors do not suit other problems."""
    count = 0
    for k in range(rank):
        if abs(newton.jacobian[k * newton.size + k]) > MIN_REUSED_PIVOT * abs(newton.jacobian[0]):
            count += 1
        else:
            break
    return count


@jit
def solve_with_factors(newton, rank):
    """Replace f in ``step`` by the step −J⁻¹ f with the factors of an earlier J."""
    size = newton.size
    matrix = newton.jacobian
    for k in range(size):
        newton.f[k] = -newton.step[newton.rows[k]]
    for k in range(size):
        value = newton.f[k]
        for j in range(min(k, rank)):
            value -= matrix[k * size + j] * newton.step[j]
        newton.step[k] = value
    substitute_back(newton, rank)


@jit
def substitute_back(newton, rank):
    """Solve the triangular equations of the first ``rank`` rows; the other unknowns are zero."""
    size = newton.size
    matrix = newton.jacobian
    vector = newton.step
    for k in range(rank, size):
        vector[k] = 0.0
    for k in range(rank - 1, -1, -1):
        for j in range(k + 1, rank):
            vector[k] -= matrix[k * size + j] * vector[j]
        vector[k] /= matrix[k * size + k]
    # The unknowns return to their order by way of f, which is not needed any more.
    for k in range(size):
        newton.f[newton.order[k]] = vector[k]
    for k in range(size):
        vector[k] = newton.f[k]


@jit
def line_search(problem, newton, merit):
    """Apply the Newton step, halved until |f|² is less than ``merit``; return False if no length is accepted."""
    size = newton.size
    P = floats(problem.P)
    for k in range(size):
        newton.P_old[k] = P[k]
    length = 1.0
    for _ in range(MAX_HALVINGS):
        for k in range(size):
            P[k] = newton.P_old[k] + length * newton.P_scale[k] * newton.step[k]
        if evaluate_equations(problem, newton, newton.f, False) < (1.0 - 0.01 * length) * merit:
            return True
        length *= 0.5
    for k in range(size):
        P[k] = newton.P_old[k]
    return False


@jit
def restart(problem, newton, iteration):
    """Replace the impulses by pseudo-random ones (reproducible)."""
    b = floats(problem.b)
    P = floats(problem.P)
    max_abs = 0.0
    for k in range(newton.size):
        max_abs = max(max_abs, abs(newton.xi_scale[k] * b[k]))
    seed = 54321 + 9876 * iteration
    for k in range(newton.size):
        seed = (1103515245 * seed + 12345) % 2147483648
        P[k] = newton.P_scale[k] * max_abs * max(4.0 * seed / 2147483648.0 - 2.0, 0.0)


@jit
def solve_with_last_factors(problem, newton):
    """Try Newton steps with the factors of the last problem; return whether they lead to a solution."""
    size = newton.size
    P = floats(problem.P)
    if size < MIN_REUSED_ROWS or problem.factor_size != size:
        return False
    for k in range(size):
        newton.P_old[k] = P[k]
    last_residual = problem.residual
    for _ in range(MAX_REUSES):
        evaluate_equations(problem, newton, newton.step, False)
        solve_with_factors(newton, problem.factor_rank)
        for k in range(size):
            P[k] += newton.P_scale[k] * newton.step[k]
        residual = update_residual(problem)
        if residual <= problem.tolerance:
            return True
        if not residual < MIN_CONVERGENCE * last_residual:
            break
        last_residual = residual
    for k in range(size):
        P[k] = newton.P_old[k]
    return False


@kernel(CONTACT_SOLVER, CONTACT_PROBLEM)
def alart_curnier(problem):
    """Solve a contact problem by Newton's method of Alart and Curnier; return a status."""
    tolerance = problem.tolerance
    limit = problem.max_iterations if problem.max_iterations > 0 else MAX_STEPS
    newton = newton_workspace(problem)
    replace_not_finite(problem)
    compute_scaling(problem, newton.xi_scale, newton.P_scale)
    n_failures = 0
    relaxation = 1.0
    n_iterations = FIRST_ITERATIONS
    for k in range(limit):
        problem.n_iterations = k
        if update_residual(problem) <= tolerance:
            return SOLVED
        if k == 0 and solve_with_last_factors(problem, newton):
            return SOLVED
        merit = evaluate_equations(problem, newton, newton.step, True)
        problem.factor_rank = n_large_pivots(newton, solve_newton_step(newton))
        problem.factor_size = newton.size
        if not line_search(problem, newton, merit):
            n_failures += 1
            if n_failures % FAILURES_PER_RESTART == 0:
                restart(problem, newton, k)
            for _ in range(n_iterations):
                if not iterate(problem, relaxation):
                    restart(problem, newton, k)
                    break
            relaxation = 0.5 * relaxation if relaxation > MIN_RELAXATION else 1.0
            n_iterations = min(n_iterations + n_iterations // 2, MAX_ITERATIONS)
    problem.n_iterations = limit
    return SOLVED if update_residual(problem) <= tolerance else ITERATION_LIMIT
