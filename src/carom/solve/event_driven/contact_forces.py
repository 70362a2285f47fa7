"""Forces of closed contacts in given modes, which keep contacts closed and those that stick from sliding."""

from __future__ import annotations

from carom.kernels import floats, ints, jit, offset
from carom.laws.impact_law import IMPACT_LAW_DATA
from carom.solve.contact_problem.records import CONTACT_PROBLEM
from carom.solve.event_driven.records import OPEN, SLIP_NEGATIVE, SLIP_POSITIVE, STICK
from carom.solve.timestepping.records import STEPPER

PROXIMAL = 1e-9
"""Ratio to the largest diagonal element of the regularisation, which proximal iterations remove again [-]."""

PROXIMAL_ITERATIONS = 6

DEPENDENT_PIVOT = 1e-7
"""Ratio to the largest diagonal element below which a pivot belongs to a contact that depends on others [-]."""


@jit
def friction_ratio(stepper, mode, k):
    """Return λ_T/λ_N of contact ``k`` if it slides, else 0 [-]."""
    if mode == SLIP_POSITIVE:
        return -IMPACT_LAW_DATA(stepper.impact_laws, k).mu
    if mode == SLIP_NEGATIVE:
        return IMPACT_LAW_DATA(stepper.impact_laws, k).mu
    return 0.0


@jit
def list_unknown_rows(run, normals_only):
    """List the rows of the active contacts whose forces are unknown; return their number."""
    stepper = STEPPER(run.stepper)
    modes = ints(run.modes)
    active = ints(stepper.active)
    rows = ints(run.force_rows)
    count = 0
    for i in range(stepper.n_active):
        mode = modes[active[i]]
        if mode != OPEN:
            rows[count] = i * stepper.rows_per_contact
            count += 1
            if mode == STICK and not normals_only:
                rows[count] = i * stepper.rows_per_contact + 1
                count += 1
    return count


@jit
def assemble_force_matrix(run, count, normals_only):
    """Assemble the matrix of the unknown forces; return the largest diagonal element of their Delassus matrix [1/kg].

    The friction of sliding contacts is added to the columns of their normal forces.
    """
    stepper = STEPPER(run.stepper)
    modes = ints(run.modes)
    active = ints(stepper.active)
    dim = stepper.rows_per_contact
    size = stepper.n_active * dim
    G = floats(CONTACT_PROBLEM(stepper.problem).G)
    matrix = floats(run.force_matrix)
    rows = ints(run.force_rows)
    largest = 0.0
    for c in range(count):
        column = rows[c]
        k = active[column // dim]
        ratio = 0.0
        if column % dim == 0 and not normals_only:
            ratio = friction_ratio(stepper, modes[k], k)
        for r in range(count):
            value = G[rows[r] * size + column]
            if ratio != 0.0:
                value += ratio * G[rows[r] * size + column + 1]
            matrix[r * count + c] = value
        largest = max(largest, abs(G[column * size + column]))
    return largest


@jit
def factorise(matrix, factors, order, count, shift):
    """Compute the LU factors of the matrix with ``shift`` added to its diagonal; return the smallest pivot."""
    for j in range(count * count):
        factors[j] = matrix[j]
    for j in range(count):
        factors[j * count + j] += shift
        order[j] = j
    smallest = 1e300
    for c in range(count):
        pivot = c
        for r in range(c + 1, count):
            if abs(factors[r * count + c]) > abs(factors[pivot * count + c]):
                pivot = r
        if pivot != c:
            order[c], order[pivot] = order[pivot], order[c]
            for j in range(count):
                value = factors[c * count + j]
                factors[c * count + j] = factors[pivot * count + j]
                factors[pivot * count + j] = value
        smallest = min(smallest, abs(factors[c * count + c]))
        for r in range(c + 1, count):
            ratio = factors[r * count + c] / factors[c * count + c]
            factors[r * count + c] = ratio
            for j in range(c + 1, count):
                factors[r * count + j] -= ratio * factors[c * count + j]
    return smallest


@jit
def substitute(factors, order, count, rhs, result):
    """Solve with the LU factors."""
    for r in range(count):
        value = rhs[order[r]]
        for j in range(r):
            value -= factors[r * count + j] * result[j]
        result[r] = value
    for r in range(count - 1, -1, -1):
        value = result[r]
        for j in range(r + 1, count):
            value -= factors[r * count + j] * result[j]
        result[r] = value / factors[r * count + r]


@jit
def solve_proximal(run, count, rhs, largest):
    """Solve for the unknown forces by proximal iterations, from zero; return a pointer to them.

    Where contacts depend on each other the forces are not unique, and the iterations end near the smallest ones.
    """
    rows = ints(run.force_rows)
    order = offset(rows, count)
    matrix = floats(run.force_matrix)
    factors = floats(run.force_factors)
    solution = offset(factors, count * count)
    residual = offset(solution, count)
    change = offset(residual, count)
    smallest = factorise(matrix, factors, order, count, PROXIMAL * largest)
    if smallest < DEPENDENT_PIVOT * largest:
        run.is_redundant = 1
    for r in range(count):
        solution[r] = 0.0
    for _ in range(PROXIMAL_ITERATIONS):
        max_residual = 0.0
        scale = 0.0
        for r in range(count):
            value = -rhs[rows[r]]
            size = abs(value)
            for c in range(count):
                value -= matrix[r * count + c] * solution[c]
                size += abs(matrix[r * count + c] * solution[c])
            residual[r] = value
            max_residual = max(max_residual, abs(value))
            scale = max(scale, size)
        if max_residual <= 1e-15 * scale:
            break
        substitute(factors, order, count, residual, change)
        for r in range(count):
            solution[r] += change[r]
    return solution


@jit
def solve_contact_forces(run, rhs, forces, normals_only):
    """Solve G λ + rhs = 0 in the rows of the closed contacts; ``normals_only``: their normals, without friction."""
    stepper = STEPPER(run.stepper)
    modes = ints(run.modes)
    active = ints(stepper.active)
    dim = stepper.rows_per_contact
    rows = ints(run.force_rows)
    for row in range(stepper.n_active * dim):
        forces[row] = 0.0
    run.is_redundant = 0
    count = list_unknown_rows(run, normals_only)
    if count == 0:
        return
    largest = assemble_force_matrix(run, count, normals_only)
    solution = solve_proximal(run, count, rhs, largest)
    for c in range(count):
        column = rows[c]
        k = active[column // dim]
        forces[column] = solution[c]
        if column % dim == 0 and not normals_only:
            ratio = friction_ratio(stepper, modes[k], k)
            if ratio != 0.0:
                forces[column + 1] = ratio * solution[c]
