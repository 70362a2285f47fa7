"""Contacts of spatial models: bodies inside a step, and generalised directions of forces."""

from __future__ import annotations

from carom.kernels import CONTACT_IN_STEP, NORMAL_DIRECTION, floats, jit, kernel
from carom.mechanics.contact import contact_forces, evaluate_interpolated
from carom.mechanics.contact_records import CONTACT, CONTACT_STATE, CONTACT_WORKSPACE
from carom.mechanics.model_record import MODEL
from carom.mechanics.spatial_body import body_at, cross
from carom.mechanics.spatial_interpolation import interpolate_body

__all__ = ["FRICTION_STATES", "contact_forces", "contact_in_step", "normal_direction", "store_direction"]

FRICTION_STATES = 3
"""Numbers in y of a friction law with a state: z in global axes, as the tangents turn with the motion."""


@kernel(CONTACT_IN_STEP, MODEL)
def contact_in_step(k, h, s, y0, f0, y1, f1, model):
    """Evaluate contact ``k`` at fraction ``s`` of a step from y0 to y1 with slopes f0 and f1, in the workspace."""
    workspace = CONTACT_WORKSPACE(model.workspace)
    contact = CONTACT(model.contacts, k)
    n = model.n_velocities
    interpolate_body(contact.velocity_a, n, y0, f0, y1, f1, h, s, model, workspace.body_a)
    interpolate_body(contact.velocity_b, n, y0, f0, y1, f1, h, s, model, workspace.body_b)
    evaluate_interpolated(model, k)


@jit
def store_direction(body, sign, contact_state, x, y, z, out):
    """Store the generalised direction of a unit force along (x, y, z) at the contact point of a body."""
    out[0] = sign * x
    out[1] = sign * y
    out[2] = sign * z
    rx, ry, rz = cross(
        contact_state.x - body.x, contact_state.y - body.y, contact_state.z - body.z, sign * x, sign * y, sign * z
    )
    p = body.R_principal
    for d in range(3):
        out[3 + d] = p[d] * rx + p[3 + d] * ry + p[6 + d] * rz


@kernel(NORMAL_DIRECTION, CONTACT, CONTACT_STATE, MODEL)
def normal_direction(contact, side, contact_state, out, model):
    """Store the generalised direction of a unit normal force on one of the two bodies."""
    body = body_at(floats(model.bodies), contact.body_a if side == 0 else contact.body_b)
    sign = 1.0 if side == 0 else -1.0
    store_direction(body, sign, contact_state, contact_state.nx, contact_state.ny, contact_state.nz, out)
