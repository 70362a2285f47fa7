"""Forces of closed contacts in given modes: what keeps them closed, and those that stick from sliding."""

from __future__ import annotations

from carom.kernels import floats, ints, jit, offset
from carom.laws.impact_law import IMPACT_LAW_DATA
from carom.solve.contact_problem.records import CONTACT_PROBLEM
from carom.solve.event_driven.records import OPEN, SLIP_NEGATIVE, SLIP_POSITIVE, STICK
from carom.solve.timestepping.records import STEPPER

PROXIMAL = 1e-9
"""Of the largest diagonal element: added to the diagonal, and taken away again by sweeps."""

SWEEPS = 6

DEPENDENT = 1e-7
"""Of the largest diagonal element: a pivot below it belongs to a contact that others do the work of."""


@jit
def slope(stepper, mode, k):
    """λ_T/λ_N of a contact that slides."""
    if mode == SLIP_POSITIVE:
        return -IMPACT_LAW_DATA(stepper.impact_laws, k).mu
    if mode == SLIP_NEGATIVE:
        return IMPACT_LAW_DATA(stepper.impact_laws, k).mu
    return 0.0


@jit
def list_rows(run, normals_only):
    """Rows of the active contacts whose forces are unknown; how many."""
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
def assemble(run, count, normals_only):
    """SYSTEM: how the unknown forces change what must vanish in their rows; friction of sliding goes with λ_N."""
    stepper = STEPPER(run.stepper)
    modes = ints(run.modes)
    active = ints(stepper.active)
    dim = stepper.rows_per_contact
    size = stepper.n_active * dim
    matrix = floats(CONTACT_PROBLEM(stepper.problem).G)
    system = floats(run.force_matrix)
    rows = ints(run.force_rows)
    largest = 0.0
    for c in range(count):
        column = rows[c]
        i = column // dim
        k = active[i]
        share = 0.0
        if column % dim == 0 and not normals_only:
            share = slope(stepper, modes[k], k)
        for r in range(count):
            value = matrix[rows[r] * size + column]
            if share != 0.0:
                value += share * matrix[rows[r] * size + column + 1]
            system[r * count + c] = value
        largest = max(largest, abs(matrix[column * size + column]))
    return largest


@jit
def factorise(system, factors, order, count, shift):
    """L and U of SYSTEM + ``shift``, rows exchanged; the smallest pivot."""
    for j in range(count * count):
        factors[j] = system[j]
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
                keep = factors[c * count + j]
                factors[c * count + j] = factors[pivot * count + j]
                factors[pivot * count + j] = keep
        smallest = min(smallest, abs(factors[c * count + c]))
        for r in range(c + 1, count):
            share = factors[r * count + c] / factors[c * count + c]
            factors[r * count + c] = share
            for j in range(c + 1, count):
                factors[r * count + j] -= share * factors[c * count + j]
    return smallest


@jit
def substitute(factors, order, count, given, result):
    for r in range(count):
        value = given[order[r]]
        for j in range(r):
            value -= factors[r * count + j] * result[j]
        result[r] = value
    for r in range(count - 1, -1, -1):
        value = result[r]
        for j in range(r + 1, count):
            value -= factors[r * count + j] * result[j]
        result[r] = value / factors[r * count + r]


@jit
def press(run, given, forces, normals_only):
    """``forces`` with G λ + ``given`` = 0 in the rows of the closed contacts (their normals alone, without friction).

    Where contacts depend on each other, λ is not unique: the sweeps, which begin with none, end near the smallest.
    """
    stepper = STEPPER(run.stepper)
    modes = ints(run.modes)
    active = ints(stepper.active)
    dim = stepper.rows_per_contact
    rows = ints(run.force_rows)
    for row in range(stepper.n_active * dim):
        forces[row] = 0.0
    run.is_redundant = 0
    count = list_rows(run, normals_only)
    if count == 0:
        return
    largest = assemble(run, count, normals_only)
    order = offset(rows, count)
    system = floats(run.force_matrix)
    factors = floats(run.force_factors)
    answer = offset(factors, count * count)
    rest = offset(answer, count)
    change = offset(rest, count)
    shift = PROXIMAL * largest
    smallest = factorise(system, factors, order, count, shift)
    if smallest < DEPENDENT * largest:
        run.is_redundant = 1
    for r in range(count):
        answer[r] = 0.0
    for _ in range(SWEEPS):
        left = 0.0
        scale = 0.0
        for r in range(count):
            value = -given[rows[r]]
            size = abs(value)
            for c in range(count):
                value -= system[r * count + c] * answer[c]
                size += abs(system[r * count + c] * answer[c])
            rest[r] = value
            left = max(left, abs(value))
            scale = max(scale, size)
        if left <= 1e-15 * scale:
            break
        substitute(factors, order, count, rest, change)
        for r in range(count):
            answer[r] += change[r]
    for c in range(count):
        column = rows[c]
        i = column // dim
        k = active[i]
        forces[column] = answer[c]
        if column % dim == 0 and not normals_only:
            share = slope(stepper, modes[k], k)
            if share != 0.0:
                forces[column + 1] = share * answer[c]
