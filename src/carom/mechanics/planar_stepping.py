"""What time stepping asks of a planar model: forces and joints at a state, gaps, and the directions of contacts."""

from __future__ import annotations

from carom.kernels import DIRECT, PROJECT, RATE, SURVEY, floats, jit, kernel, offset
from carom.mechanics.contact_records import CONTACT, CONTACT_HISTORY, CONTACT_STATE
from carom.mechanics.element_evaluation import finish_forces, load_bodies, load_forces, load_rows, subtract_transposed
from carom.mechanics.equations_of_motion import ITERATIONS, correct_positions, correct_velocities
from carom.mechanics.kkt import factor, solve
from carom.mechanics.model_record import (
    FORCE_POWER,
    MODEL,
    NOT_CONVERGED,
    OK,
    SETTINGS,
)
from carom.mechanics.planar_body import DOF, body_at
from carom.mechanics.planar_contacts import (
    meet,
    show_force,
)

# The directions of a planar contact: for the normal and the tangent (−n_y, n_x), the numbers of its first body, those
# of the second, and the rheonomic term w̃ (none: what a driver moves is a body).
DIM, BLOCKS, DIRECTION = 2, 2, 2 * DOF + 1


@kernel(PROJECT, MODEL)
def prepare(t, y, model):
    """Forces in TOP, their powers, constraint rows, and the factorised matrix, at (t, y)."""
    load_bodies(y, model)
    load_forces(t, model, FORCE_POWER(model.force_power))
    finish_forces(model)
    load_rows(t, model)
    return factor(model)


@kernel(PROJECT, MODEL)
def refresh(t, y, model):
    """The forces alone, at other velocities."""
    load_bodies(y, model)
    load_forces(t, model, FORCE_POWER(model.force_power))
    finish_forces(model)
    return OK


@kernel(PROJECT, MODEL)
def rerow(t, y, model):
    """The joints alone, at other velocities."""
    load_bodies(y, model)
    load_rows(t, model)
    return OK


@kernel(PROJECT, MODEL)
def settle(t, y, model):
    """Move y onto the joints with the factors of `prepare`, from half a step away; renew them where that fails."""
    if model.n_constraints == 0:
        return OK
    load_bodies(y, model)
    load_rows(t, model)
    iterations = ITERATIONS
    if correct_positions(t, y, model, False, iterations) == NOT_CONVERGED:
        factor(model)
        if correct_positions(t, y, model, True, iterations) == NOT_CONVERGED:
            return NOT_CONVERGED
    correct_velocities(y, model)
    return OK


@kernel(SURVEY, MODEL)
def survey(t, y, model):
    """Gaps of all contacts."""
    load_bodies(y, model)
    bodies = floats(model.bodies)
    gaps = floats(model.gaps)
    for k in range(model.n_contacts):
        contact = CONTACT(model.contacts, k)
        contact_state = CONTACT_STATE(model.contact_state, k)
        meet(model, contact, body_at(bodies, contact.body_a), body_at(bodies, contact.body_b), contact_state)
        gaps[k] = -contact_state.indentation


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


@kernel(DIRECT, MODEL)
def direct(k, out, model):
    bodies = floats(model.bodies)
    contact = CONTACT(model.contacts, k)
    contact_state = CONTACT_STATE(model.contact_state, k)
    a = body_at(bodies, contact.body_a)
    b = body_at(bodies, contact.body_b)
    nx = contact_state.nx
    ny = contact_state.ny
    px = contact_state.x
    py = contact_state.y
    first = 1.0
    second = -1.0
    put_direction(out, first, nx, ny, px - a.x, py - a.y)
    put_direction(offset(out, DOF), second, nx, ny, px - b.x, py - b.y)
    out[DIRECTION - 1] = 0.0
    out[2 * DIRECTION - 1] = 0.0


@jit
def least_norm(model):
    """Of all multipliers with the same effect, Φ_qᵀ λ, the smallest; for redundant joints, with the proximal term."""
    top = floats(model.rhs_motion)
    bottom = floats(model.rhs_constraint)
    for i in range(model.n_velocities):
        top[i] = 0.0
    subtract_transposed(model, floats(model.lam), top)
    for i in range(model.n_velocities):
        top[i] = -top[i]
    for r in range(model.n_constraints):
        bottom[r] = 0.0
    factor(model)
    solve(model)


@jit
def look_at_joints(t, y, ydot, model):
    """Forces, rows and multipliers of a node of time stepping; it has no rates."""
    for i in range(2 * model.n_velocities):
        ydot[i] = 0.0
    load_bodies(y, model)
    load_forces(t, model, FORCE_POWER(model.force_power))
    finish_forces(model)
    load_rows(t, model)
    multipliers = floats(model.lam)
    kept = offset(y, model.n_states - model.n_constraints)
    for r in range(model.n_constraints):
        multipliers[r] = kept[r]
    if SETTINGS(model.settings).proximal != 0.0:
        least_norm(model)


@kernel(RATE, MODEL)
def look(t, y, ydot, model):
    """A node of time stepping as `observe` sees it: multipliers stand behind the state, forces in the records."""
    look_at_joints(t, y, ydot, model)
    bodies = floats(model.bodies)
    for k in range(model.n_contacts):
        contact = CONTACT(model.contacts, k)
        history = CONTACT_HISTORY(model.contact_history, k)
        contact_state = CONTACT_STATE(model.contact_state, k)
        meet(model, contact, body_at(bodies, contact.body_a), body_at(bodies, contact.body_b), contact_state)
        contact_state.normal_force = history.mean_normal_force
        contact_state.friction_force = history.mean_friction_force
        contact_state.elastic_force = 0.0
        contact_state.stored_energy = 0.0
        show_force(contact, contact_state)
    return OK
