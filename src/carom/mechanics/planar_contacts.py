"""Contacts of planar models: bodies inside a step, embedded in space, and generalised directions of forces."""

from __future__ import annotations

import math

from carom.kernels import CONTACT_IN_STEP, NORMAL_DIRECTION, floats, jit, kernel
from carom.mechanics.contact import contact_forces, evaluate_interpolated
from carom.mechanics.contact_records import CONTACT, CONTACT_STATE, CONTACT_WORKSPACE
from carom.mechanics.model_record import MODEL
from carom.mechanics.planar_body import body_at, store_in_space
from carom.mechanics.spatial_interpolation import quintic

__all__ = ["FRICTION_STATES", "contact_forces", "contact_in_step", "normal_direction"]

FRICTION_STATES = 1
"""Numbers in y of a friction law with a state: z along the tangent."""


@jit
def interpolate_body(velocity_index, n, y0, f0, y1, f1, h, s, body):
    """Store the record of a body at fraction ``s`` of a step, on the quintic through both ends of it.

    The quintic has position, velocity and acceleration of both ends. ``velocity_index`` is −1 for the ground.
    """
    i = velocity_index
    if i < 0:
        zero = 0.0
        store_in_space(zero, zero, 1.0, zero, zero, zero, zero, body)
        return
    x = y0[i]
    y = y0[i + 1]
    angle = y0[i + 2]
    vx = y0[n + i]
    vy = y0[n + i + 1]
    omega = y0[n + i + 2]
    if s != 0.0:
        x, vx = quintic(h, s, x, vx, f0[n + i], y1[i], y1[n + i], f1[n + i])
        y, vy = quintic(h, s, y, vy, f0[n + i + 1], y1[i + 1], y1[n + i + 1], f1[n + i + 1])
        angle, omega = quintic(h, s, angle, omega, f0[n + i + 2], y1[i + 2], y1[n + i + 2], f1[n + i + 2])
    store_in_space(x, y, math.cos(angle), math.sin(angle), vx, vy, omega, body)


@kernel(CONTACT_IN_STEP, MODEL)
def contact_in_step(k, h, s, y0, f0, y1, f1, model):
    """Evaluate contact ``k`` at fraction ``s`` of a step from y0 to y1 with slopes f0 and f1, in the workspace."""
    workspace = CONTACT_WORKSPACE(model.workspace)
    contact = CONTACT(model.contacts, k)
    n = model.n_velocities
    interpolate_body(contact.velocity_a, n, y0, f0, y1, f1, h, s, workspace.body_a)
    interpolate_body(contact.velocity_b, n, y0, f0, y1, f1, h, s, workspace.body_b)
    evaluate_interpolated(model, k)


@kernel(NORMAL_DIRECTION, CONTACT, CONTACT_STATE, MODEL)
def normal_direction(contact, side, contact_state, out, model):
    """Store the generalised direction of a unit normal force on one of the two bodies."""
    body = body_at(floats(model.bodies), contact.body_a if side == 0 else contact.body_b)
    sign = 1.0 if side == 0 else -1.0
    nx = sign * contact_state.nx
    ny = sign * contact_state.ny
    out[0] = nx
    out[1] = ny
    out[2] = (contact_state.x - body.x) * ny - (contact_state.y - body.y) * nx
