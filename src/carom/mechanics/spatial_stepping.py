"""What time stepping asks of a spatial model: as `carom.mechanics.planar_stepping`, with two tangents to a contact."""

from __future__ import annotations

from carom.kernels import DIRECT, RATE, SURVEY, floats, kernel, offset
from carom.mechanics import planar_stepping
from carom.mechanics.contact_records import CONTACT, CONTACT_HISTORY, CONTACT_STATE
from carom.mechanics.element_evaluation import load_bodies
from carom.mechanics.model_record import (
    MODEL,
    OK,
)
from carom.mechanics.planar_stepping import look_at_joints, prepare, refresh, rerow, settle
from carom.mechanics.spatial_body import N_VELOCITIES, body_at, cross
from carom.mechanics.spatial_contacts import across, meet, put_direction, show_force

__all__ = ["BLOCKS", "DIM", "DIRECTION", "direct", "look", "prepare", "refresh", "rerow", "settle", "survey"]

# The directions of a spatial contact: for the normal and two tangents, the numbers of its first body, those of the
# second, and the rheonomic term w̃ (none: what a driver moves is a body).
DIM, BLOCKS, DIRECTION = 3, planar_stepping.BLOCKS, 2 * N_VELOCITIES + 1


@kernel(SURVEY, MODEL)
def survey(t, y, model):
    """Gaps of all contacts."""
    load_bodies(y, model)
    bodies = floats(model.bodies)
    found = floats(model.gaps)
    for k in range(model.n_contacts):
        contact = CONTACT(model.contacts, k)
        contact_state = CONTACT_STATE(model.contact_state, k)
        meet(model, contact, body_at(bodies, contact.body_a), body_at(bodies, contact.body_b), contact_state)
        found[k] = -contact_state.indentation


@kernel(DIRECT, MODEL)
def direct(k, out, model):
    bodies = floats(model.bodies)
    contact = CONTACT(model.contacts, k)
    contact_state = CONTACT_STATE(model.contact_state, k)
    a = body_at(bodies, contact.body_a)
    b = body_at(bodies, contact.body_b)
    nx = contact_state.nx
    ny = contact_state.ny
    nz = contact_state.nz
    tx, ty, tz = across(nx, ny, nz)
    sx, sy, sz = cross(nx, ny, nz, tx, ty, tz)
    first = 1.0
    second = -1.0
    for d in range(3):
        if d == 1:
            nx = tx
            ny = ty
            nz = tz
        elif d == 2:
            nx = sx
            ny = sy
            nz = sz
        row = offset(out, d * DIRECTION)
        put_direction(a, first, contact_state, nx, ny, nz, row)
        put_direction(b, second, contact_state, nx, ny, nz, offset(row, N_VELOCITIES))
        row[DIRECTION - 1] = 0.0


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
        tx, ty, tz = across(contact_state.nx, contact_state.ny, contact_state.nz)
        sx, sy, sz = cross(contact_state.nx, contact_state.ny, contact_state.nz, tx, ty, tz)
        one = history.mean_friction_force
        two = history.mean_friction_force_2
        contact_state.normal_force = history.mean_normal_force
        contact_state.friction_force = (one * one + two * two) ** 0.5
        contact_state.elastic_force = 0.0
        contact_state.stored_energy = 0.0
        show_force(contact, contact_state, one * tx + two * sx, one * ty + two * sy, one * tz + two * sz)
    return OK
