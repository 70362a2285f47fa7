"""Contact directions of spatial models for time stepping, with the evaluations of `carom.mechanics.stepping`."""

from __future__ import annotations

from carom.kernels import DIRECTIONS, floats, jit, kernel, offset
from carom.mechanics.contact_friction import perpendicular
from carom.mechanics.contact_records import CONTACT, CONTACT_STATE
from carom.mechanics.model_record import MODEL
from carom.mechanics.spatial_body import N_VELOCITIES, body_at, cross
from carom.mechanics.spatial_contacts import store_direction
from carom.mechanics.stepping import (
    BODIES_PER_CONTACT,
    compute_gaps,
    evaluate_and_factorise,
    evaluate_constraints,
    evaluate_forces,
    evaluate_node,
    project_onto_joints,
)

__all__ = [
    "BODIES_PER_CONTACT", "DIRECTION_SIZE", "ROWS_PER_CONTACT", "compute_gaps", "contact_directions",
    "evaluate_and_factorise", "evaluate_constraints", "evaluate_forces", "evaluate_node", "project_onto_joints",
]  # fmt: skip

ROWS_PER_CONTACT = 3
"""Rows of a contact: the normal n and the tangents t and s = n × t."""

DIRECTION_SIZE = BODIES_PER_CONTACT * N_VELOCITIES + 1
"""Numbers of a row: those of both bodies, and the rheonomic term w̃ (zero: a driver moves a body)."""


@jit
def store_row(a, b, contact_state, x, y, z, row):
    """Store the generalised direction of a unit force along (x, y, z) between two bodies."""
    store_direction(a, 1.0, contact_state, x, y, z, row)
    store_direction(b, -1.0, contact_state, x, y, z, offset(row, N_VELOCITIES))
    row[DIRECTION_SIZE - 1] = 0.0


@kernel(DIRECTIONS, MODEL)
def contact_directions(k, out, model):
    """Store the generalised directions of contact ``k`` at the state of `compute_gaps`."""
    bodies = floats(model.bodies)
    contact = CONTACT(model.contacts, k)
    contact_state = CONTACT_STATE(model.contact_state, k)
    a = body_at(bodies, contact.body_a)
    b = body_at(bodies, contact.body_b)
    nx = contact_state.nx
    ny = contact_state.ny
    nz = contact_state.nz
    tx, ty, tz = perpendicular(nx, ny, nz)
    sx, sy, sz = cross(nx, ny, nz, tx, ty, tz)
    store_row(a, b, contact_state, nx, ny, nz, out)
    store_row(a, b, contact_state, tx, ty, tz, offset(out, DIRECTION_SIZE))
    store_row(a, b, contact_state, sx, sy, sz, offset(out, 2 * DIRECTION_SIZE))
