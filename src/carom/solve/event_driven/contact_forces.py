"""Forces of closed contacts in given modes, which keep contacts closed and those that stick from sliding.

Rolling and spinning resistance have the form of friction, with rows of relative rotation in place of tangents, and all
that is said of sliding here holds for them.

Friction opposes the sliding velocity γ_T. So that the motion can be continued smoothly beyond the end of sliding, which
is located afterwards, it opposes −γ_T where γ_T points against the reference direction, that of the start of the step:
with one tangent this is the reference direction itself.

With two tangents, the direction of sliding that begins follows the forces within |γ_T|/(μ λ_N G_TT), which is stiff. A
slow contact therefore keeps its direction during a step, by a small force across it.
"""

from __future__ import annotations

import math

from carom.kernels import floats, ints, jit, offset
from carom.mechanics.contact_friction import perpendicular
from carom.mechanics.contact_records import CONTACT_STATE
from carom.mechanics.model_record import MODEL
from carom.mechanics.spatial_body import cross
from carom.solve.contact_problem.friction_limits import FRICTION, ROLLING, limit_size
from carom.solve.contact_problem.records import CONTACT_PROBLEM
from carom.solve.event_driven.contact_limits import (
    first_row,
    is_disc,
    is_open,
    limit_mode,
    limit_of_row,
    limit_ratio,
    limit_velocity,
)
from carom.solve.event_driven.records import NOISE, SLIP, SLIP_DIRECTION, SLIP_REFERENCE, STICK
from carom.solve.timestepping.records import STEPPER

PROXIMAL = 1e-9
"""Ratio to the largest diagonal element of the regularisation, which proximal iterations remove again [-]."""

PROXIMAL_ITERATIONS = 6

ROLLING_PROXIMAL = 1e4
"""Ratio of the regularisation of other forces to that of normal forces, in models with rolling resistance whose forces
are not unique [-]. Friction is then small rather than the normal forces, which determine the resistance: large friction
is often impossible."""

RANK_SHIFT = 1e-13
"""Ratio to the largest diagonal element of the shift with which the rank of the rows is examined [-]."""

DEPENDENT_PIVOT = 1e-7
"""Ratio to the largest diagonal element below which a pivot belongs to a contact that depends on others [-]."""


@jit
def contact_tangents(model, k):
    """Return the two tangents of contact ``k`` of a spatial model, at the state of the last gaps."""
    state = CONTACT_STATE(model.contact_state, k)
    tx, ty, tz = perpendicular(state.nx, state.ny, state.nz)
    sx, sy, sz = cross(state.nx, state.ny, state.nz, tx, ty, tz)
    return tx, ty, tz, sx, sy, sz


@jit
def slip_reference(run, k, limit):
    """Return the reference direction of a limit of contact ``k``."""
    return SLIP_REFERENCE(run.slip_reference, k * run.n_limits + limit)


@jit
def slip_direction(run, i, limit):
    """Return the direction of motion of a limit of the ``i``-th active contact."""
    return SLIP_DIRECTION(run.slip, i * run.n_limits + limit)


@jit
def store_reference(run, k, limit, along_t, along_s):
    """Store the reference direction of a limit of contact ``k``, given along its rows."""
    stepper = STEPPER(run.stepper)
    reference = slip_reference(run, k, limit)
    reference.x = along_t
    reference.y = along_s
    reference.z = 0.0
    if stepper.n_orientation > 0 and is_disc(stepper, limit):
        tx, ty, tz, sx, sy, sz = contact_tangents(MODEL(stepper.model), k)
        reference.x = along_t * tx + along_s * sx
        reference.y = along_t * ty + along_s * sy
        reference.z = along_t * tz + along_s * sz


@jit
def load_reference(run, k, limit, slip):
    """Compute the reference direction of a limit of contact ``k`` along its rows, as a unit vector."""
    stepper = STEPPER(run.stepper)
    reference = slip_reference(run, k, limit)
    slip.reference_t = reference.x
    slip.reference_s = reference.y
    if stepper.n_orientation > 0 and is_disc(stepper, limit):
        tx, ty, tz, sx, sy, sz = contact_tangents(MODEL(stepper.model), k)
        slip.reference_t = reference.x * tx + reference.y * ty + reference.z * tz
        slip.reference_s = reference.x * sx + reference.y * sy + reference.z * sz
    if is_disc(stepper, limit):
        length = math.hypot(slip.reference_t, slip.reference_s)
        if length > 0.0:
            slip.reference_t /= length
            slip.reference_s /= length


@jit
def update_slip_directions(run, u):
    """Compute the directions that friction opposes, for velocities ``u`` and the current directions W."""
    stepper = STEPPER(run.stepper)
    active = ints(stepper.active)
    for i in range(stepper.n_active):
        k = active[i]
        for limit in range(run.n_limits):
            if limit_mode(run, k, limit) != SLIP:
                continue
            slip = slip_direction(run, i, limit)
            load_reference(run, k, limit, slip)
            slip.t = slip.reference_t
            slip.s = slip.reference_s
            if is_disc(stepper, limit) and slip_reference(run, k, limit).is_slow == 0.0:
                gamma_t, gamma_s = limit_velocity(run, i, limit, u)
                speed = math.hypot(gamma_t, gamma_s)
                if speed > NOISE * floats(run.max_gap_rate)[k]:
                    along_reference = gamma_t * slip.reference_t + gamma_s * slip.reference_s
                    signed_speed = speed if along_reference >= 0.0 else -speed
                    slip.t = gamma_t / signed_speed
                    slip.s = gamma_s / signed_speed


@jit
def friction_ratio(run, i, d):
    """Return λ_d/λ_N of the ``i``-th active contact if it moves within the limit of row ``d``, else 0 [-]."""
    stepper = STEPPER(run.stepper)
    k = ints(stepper.active)[i]
    limit = limit_of_row(stepper, d)
    if limit_mode(run, k, limit) != SLIP:
        return 0.0
    slip = slip_direction(run, i, limit)
    return -limit_ratio(stepper, k, limit) * (slip.t if d == first_row(stepper, limit) else slip.s)


@jit
def slides_slowly(run, i, limit):
    """Return whether the motion of the ``i``-th active contact in a limit keeps its direction."""
    stepper = STEPPER(run.stepper)
    k = ints(stepper.active)[i]
    is_slow = slip_reference(run, k, limit).is_slow != 0.0
    return is_disc(stepper, limit) and limit_mode(run, k, limit) == SLIP and is_slow


@jit
def is_transverse(run, row):
    """Return whether the unknown of a row is a force across the slow motion in a limit."""
    stepper = STEPPER(run.stepper)
    d = row % stepper.rows_per_contact
    if d != 2 and d != 4:  # second row of friction or rolling resistance
        return False
    return slides_slowly(run, row // stepper.rows_per_contact, FRICTION if d == 2 else ROLLING)


@jit
def transverse_direction(run, row):
    """Return the direction of motion in the limit of a transverse row."""
    stepper = STEPPER(run.stepper)
    dim = stepper.rows_per_contact
    return slip_direction(run, row // dim, limit_of_row(stepper, row % dim))


@jit
def row_entry(run, values, stride, row):
    """Return the number of a row, or, for a transverse one, the numbers of both rows across the direction."""
    if is_transverse(run, row):
        slip = transverse_direction(run, row)
        return slip.t * values[row * stride] - slip.s * values[(row - 1) * stride]
    return values[row * stride]


@jit
def list_unknown_rows(run, normals_only):
    """List the rows of the active contacts whose forces are unknown; return their number."""
    stepper = STEPPER(run.stepper)
    active = ints(stepper.active)
    rows = ints(run.force_rows)
    count = 0
    for i in range(stepper.n_active):
        if is_open(run, active[i]):
            continue
        normal = i * stepper.rows_per_contact
        rows[count] = normal
        count += 1
        for limit in range(0 if normals_only else run.n_limits):
            row = normal + first_row(stepper, limit)
            if limit_mode(run, active[i], limit) == STICK:
                for d in range(limit_size(stepper.tangents_per_contact, limit)):
                    rows[count] = row + d
                    count += 1
            elif slides_slowly(run, i, limit):
                rows[count] = row + 1
                count += 1
    return count


@jit
def assemble_force_matrix(run, count, normals_only):
    """Assemble the matrix of the unknown forces; return the largest diagonal element of their Delassus matrix [1/kg].

    The friction of sliding contacts is added to the columns of their normal forces.
    """
    stepper = STEPPER(run.stepper)
    dim = stepper.rows_per_contact
    size = stepper.n_active * dim
    G = floats(CONTACT_PROBLEM(stepper.problem).G)
    matrix = floats(run.force_matrix)
    rows = ints(run.force_rows)
    largest = 0.0
    for c in range(count):
        column = rows[c]
        for r in range(count):
            matrix[r * count + c] = row_entry(run, offset(G, column), size, rows[r])
        if is_transverse(run, column):
            slip = transverse_direction(run, column)
            for r in range(count):
                other = row_entry(run, offset(G, column - 1), size, rows[r])
                matrix[r * count + c] = slip.t * matrix[r * count + c] - slip.s * other
        if column % dim == 0 and not normals_only:
            for d in range(1, dim):
                ratio = friction_ratio(run, column // dim, d)
                if ratio != 0.0:
                    for r in range(count):
                        matrix[r * count + c] += ratio * row_entry(run, offset(G, column + d), size, rows[r])
        largest = max(largest, abs(G[column * size + column]))
    return largest


@jit
def factorise(run, count, shift, other_shift):
    """Compute the LU factors of the matrix, with a shift added to its diagonal; return the smallest pivot.

    ``shift`` is added in the normal rows, ``other_shift`` in all others.
    """
    rows = ints(run.force_rows)
    order = offset(rows, count)
    matrix = floats(run.force_matrix)
    factors = floats(run.force_factors)
    for j in range(count * count):
        factors[j] = matrix[j]
    for j in range(count):
        factors[j * count + j] += shift
        order[j] = j
    if other_shift != shift:
        for j in range(count):
            if rows[j] % STEPPER(run.stepper).rows_per_contact != 0:
                factors[j * count + j] += other_shift - shift
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
def mark_redundant(run, smallest, largest):
    """Mark contacts that depend on each other, by the smallest pivot and the largest diagonal element."""
    run.is_redundant = 1 if smallest < DEPENDENT_PIVOT * largest else 0


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
    shift = PROXIMAL * largest
    if run.n_limits == 1:
        mark_redundant(run, factorise(run, count, shift, shift), largest)
    else:
        factorise(run, count, shift, ROLLING_PROXIMAL * shift if run.is_redundant != 0 else shift)
    for r in range(count):
        solution[r] = 0.0
    for _ in range(PROXIMAL_ITERATIONS):
        max_residual = 0.0
        scale = 0.0
        for r in range(count):
            value = -row_entry(run, rhs, 1, rows[r])
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
    dim = stepper.rows_per_contact
    rows = ints(run.force_rows)
    for row in range(stepper.n_active * dim):
        forces[row] = 0.0
    run.is_redundant = 0
    count = list_unknown_rows(run, normals_only)
    if count == 0:
        return
    if run.n_limits > 1:  # small levers in the columns of normal forces would hide a small pivot
        largest = assemble_force_matrix(run, count, True)
        mark_redundant(run, factorise(run, count, RANK_SHIFT * largest, RANK_SHIFT * largest), largest)
    largest = assemble_force_matrix(run, count, normals_only)
    solution = solve_proximal(run, count, rhs, largest)
    for c in range(count):
        column = rows[c]
        if is_transverse(run, column):
            slip = transverse_direction(run, column)
            forces[column - 1] -= slip.s * solution[c]
            forces[column] += slip.t * solution[c]
        else:
            forces[column] = solution[c]
        if column % dim == 0 and not normals_only:
            for d in range(1, dim):
                ratio = friction_ratio(run, column // dim, d)
                if ratio != 0.0:
                    forces[column + d] = ratio * solution[c]
