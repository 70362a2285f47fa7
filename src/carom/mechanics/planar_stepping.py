"""Contact directions of planar models for time stepping, with the evaluations of `carom.mechanics.stepping`."""

from __future__ import annotations

from carom.kernels import DIRECTIONS, floats, jit, kernel, offset
from carom.mechanics.contact_records import CONTACT, CONTACT_STATE
from carom.mechanics.model_record import MODEL
from carom.mechanics.planar_body import DOF, body_at
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

ROWS_PER_CONTACT = 2
"""Rows of a contact: the normal and the tangent (−n_y, n_x)."""

DIRECTION_SIZE = BODIES_PER_CONTACT * DOF + 1
"""Numbers of a row: those of both bodies, and the rheonomic term w̃ (zero: a driver moves a body)."""


@jit
def store_directions(out, sign, nx, ny, rx, ry):
    """Store the generalised directions of a unit normal and tangential force at lever arm (rx, ry) of one body."""
    out[0] = sign * nx
    out[1] = sign * ny
    out[2] = sign * (rx * ny - ry * nx)
    tangent = offset(out, DIRECTION_SIZE)
    tangent[0] = -sign * ny
    tangent[1] = sign * nx
    tangent[2] = sign * (rx * nx + ry * ny)


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
    px = contact_state.x
    py = contact_state.y
    store_directions(out, 1.0, nx, ny, px - a.x, py - a.y)
    store_directions(offset(out, DOF), -1.0, nx, ny, px - b.x, py - b.y)
    out[DIRECTION_SIZE - 1] = 0.0
    out[2 * DIRECTION_SIZE - 1] = 0.0
