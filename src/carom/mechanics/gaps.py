"""What time stepping asks of a planar model: forces and joints at a state, gaps, and the directions of contacts."""

from __future__ import annotations

from carom.kernels import DIRECT, PROJECT, RATE, SURVEY, floats, ints, jit, kernel, offset
from carom.mechanics.block import (
    BODIES,
    BOTTOM,
    CONTACT_TABLE,
    CONTACTS,
    GAPS,
    MULTIPLIERS,
    NOT_CONVERGED,
    OK,
    POWER,
    RECORDS,
    REGULARISATION,
    ROWS,
    SEEN,
    SETTINGS,
    STATE_SIZE,
    TOP,
    VELOCITIES,
)
from carom.mechanics.contacts import (
    CONTACT_COLUMNS,
    CONTACT_X,
    CONTACT_Y,
    ELASTIC_FORCE,
    FIRST_BODY,
    FRICTION_FORCE,
    INDENTATION,
    NORMAL_FORCE,
    NORMAL_X,
    NORMAL_Y,
    RECORD,
    SECOND_BODY,
    SEEN_SIZE,
    STORED,
    meet,
    show_force,
)
from carom.mechanics.kkt import factor, solve
from carom.mechanics.motion import ITERATIONS, correct_positions, correct_velocities
from carom.mechanics.planar_body import DOF, body_at
from carom.mechanics.rows import finish_forces, load_bodies, load_forces, load_rows, subtract_transposed

# The directions of a planar contact: for the normal and the tangent (−n_y, n_x), the numbers of its first body, those
# of the second, and the rheonomic term w̃ (none: what a driver moves is a body).
DIM, BLOCKS, DIRECTION = 2, 2, 2 * DOF + 1

# What a contact keeps of a time step, at the front of its record: normal and tangential impulse over the step's length.
STEP_FORCE, STEP_FRICTION = range(2)


@kernel(PROJECT)
def prepare(t, y, block):
    """Forces in TOP, their powers, constraint rows, and the factorised matrix, at (t, y)."""
    load_bodies(y, block)
    load_forces(t, block, floats(block[POWER]))
    finish_forces(block)
    load_rows(t, block)
    return factor(block)


@kernel(PROJECT)
def refresh(t, y, block):
    """The forces alone, at other velocities."""
    load_bodies(y, block)
    load_forces(t, block, floats(block[POWER]))
    finish_forces(block)
    return OK


@kernel(PROJECT)
def rerow(t, y, block):
    """The joints alone, at other velocities."""
    load_bodies(y, block)
    load_rows(t, block)
    return OK


@kernel(PROJECT)
def settle(t, y, block):
    """Move y onto the joints with the factors of `prepare`, from half a step away; renew them where that fails."""
    if block[ROWS] == 0:
        return OK
    load_bodies(y, block)
    load_rows(t, block)
    iterations = ITERATIONS
    if correct_positions(t, y, block, False, iterations) == NOT_CONVERGED:
        factor(block)
        if correct_positions(t, y, block, True, iterations) == NOT_CONVERGED:
            return NOT_CONVERGED
    correct_velocities(y, block)
    return OK


@kernel(SURVEY)
def survey(t, y, block):
    """Gaps of all contacts."""
    load_bodies(y, block)
    bodies = floats(block[BODIES])
    gaps = floats(block[GAPS])
    for k in range(block[CONTACTS]):
        contact = offset(ints(block[CONTACT_TABLE]), k * CONTACT_COLUMNS)
        seen = offset(floats(block[SEEN]), k * SEEN_SIZE)
        meet(block, contact, body_at(bodies, contact[FIRST_BODY]), body_at(bodies, contact[SECOND_BODY]), seen)
        gaps[k] = -seen[INDENTATION]


@jit
def put_direction(out, sign, nx, ny, rx, ry):
    """Generalised directions of a unit normal and tangential force at lever (rx, ry) of one body."""
    out[0] = sign * nx
    out[1] = sign * ny
    out[2] = sign * (rx * ny - ry * nx)
    tangent = offset(out, DIRECTION)
    tangent[0] = -sign * ny
    tangent[1] = sign * nx
    tangent[2] = sign * (rx * nx + ry * ny)


@kernel(DIRECT)
def direct(k, out, block):
    bodies = floats(block[BODIES])
    contact = offset(ints(block[CONTACT_TABLE]), k * CONTACT_COLUMNS)
    seen = offset(floats(block[SEEN]), k * SEEN_SIZE)
    a = body_at(bodies, contact[FIRST_BODY])
    b = body_at(bodies, contact[SECOND_BODY])
    nx = seen[NORMAL_X]
    ny = seen[NORMAL_Y]
    px = seen[CONTACT_X]
    py = seen[CONTACT_Y]
    first = 1.0
    second = -1.0
    put_direction(out, first, nx, ny, px - a.x, py - a.y)
    put_direction(offset(out, DOF), second, nx, ny, px - b.x, py - b.y)
    out[DIRECTION - 1] = 0.0
    out[2 * DIRECTION - 1] = 0.0


@jit
def least_norm(block):
    """Of all multipliers with the same effect, Φ_qᵀ λ, the smallest; for redundant joints, with the proximal term."""
    top = floats(block[TOP])
    bottom = floats(block[BOTTOM])
    for i in range(block[VELOCITIES]):
        top[i] = 0.0
    subtract_transposed(block, floats(block[MULTIPLIERS]), top)
    for i in range(block[VELOCITIES]):
        top[i] = -top[i]
    for r in range(block[ROWS]):
        bottom[r] = 0.0
    factor(block)
    solve(block)


@jit
def look_at_joints(t, y, ydot, block):
    """Forces, rows and multipliers of a node of time stepping; it has no rates."""
    for i in range(2 * block[VELOCITIES]):
        ydot[i] = 0.0
    load_bodies(y, block)
    load_forces(t, block, floats(block[POWER]))
    finish_forces(block)
    load_rows(t, block)
    multipliers = floats(block[MULTIPLIERS])
    kept = offset(y, block[STATE_SIZE] - block[ROWS])
    for r in range(block[ROWS]):
        multipliers[r] = kept[r]
    if floats(block[SETTINGS])[REGULARISATION] != 0.0:
        least_norm(block)


@kernel(RATE)
def look(t, y, ydot, block):
    """A node of time stepping as `observe` sees it: multipliers stand behind the state, forces in the records."""
    look_at_joints(t, y, ydot, block)
    bodies = floats(block[BODIES])
    for k in range(block[CONTACTS]):
        contact = offset(ints(block[CONTACT_TABLE]), k * CONTACT_COLUMNS)
        record = offset(floats(block[RECORDS]), k * RECORD)
        seen = offset(floats(block[SEEN]), k * SEEN_SIZE)
        meet(block, contact, body_at(bodies, contact[FIRST_BODY]), body_at(bodies, contact[SECOND_BODY]), seen)
        seen[NORMAL_FORCE] = record[STEP_FORCE]
        seen[FRICTION_FORCE] = record[STEP_FRICTION]
        seen[ELASTIC_FORCE] = 0.0
        seen[STORED] = 0.0
        show_force(contact, seen)
    return OK
