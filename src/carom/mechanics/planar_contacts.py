"""Contacts of planar models: bodies embedded in space, and forces added to the right-hand side."""

from __future__ import annotations

import math

from carom.kernels import CONTACT_FORCES, CONTACT_IN_STEP, NORMAL_DIRECTION, floats, jit, kernel, offset
from carom.mechanics.contact import finish_evaluation, normal_force, pair_kinematics
from carom.mechanics.contact_friction import planar_friction
from carom.mechanics.contact_records import CONTACT, CONTACT_HISTORY, CONTACT_STATE, CONTACT_WORKSPACE
from carom.mechanics.model_record import CONTACT_LOSS, MODEL
from carom.mechanics.planar_body import body_at, embed_body, store_in_space
from carom.mechanics.spatial_interpolation import coordinate_in_step

FRICTION_STATES = 1
"""Numbers in y of a friction law with a state: z along the tangent."""


@jit
def add_force(model, contact, velocity_index, body, contact_state, sign):
    """Add the contact force, and the torque against rolling, to the generalised forces of one body."""
    workspace = CONTACT_WORKSPACE(model.workspace)
    rhs = offset(floats(model.rhs_motion), velocity_index)
    if contact.is_rotational:
        rhs[2] += sign * workspace.force[2]
        return
    fx = workspace.force[0]
    fy = workspace.force[1]
    rhs[0] += sign * fx
    rhs[1] += sign * fy
    rhs[2] += sign * ((contact_state.x - body.x) * fy - (contact_state.y - body.y) * fx)
    if contact.rolling_params >= 0 and contact_state.normal_force > 0.0:
        rhs[2] += sign * workspace.rolling_torque[2]


@kernel(CONTACT_FORCES, CONTACT_LOSS, MODEL)
def contact_forces(z, z_rate, losses, model):
    """Add the forces of all contacts to Q; store the rates of friction states and of the dissipated energies."""
    bodies = floats(model.bodies)
    workspace = CONTACT_WORKSPACE(model.workspace)
    a = workspace.body_a
    b = workspace.body_b
    for k in range(model.n_contacts - model.n_joint_frictions):
        contact = CONTACT(model.contacts, k)
        contact_state = CONTACT_STATE(model.contact_state, k)
        embed_body(body_at(bodies, contact.body_a), a)
        embed_body(body_at(bodies, contact.body_b), b)
        pair_kinematics(model, contact, a, b, contact_state)
        normal_force(model, contact, CONTACT_HISTORY(model.contact_history, k), contact_state)
        friction_power = planar_friction(model, contact, contact_state, z, z_rate)
        finish_evaluation(model, contact, a, b, contact_state, friction_power, CONTACT_LOSS(losses, k))
        if contact_state.normal_force != 0.0:
            if contact.velocity_a >= 0:
                add_force(model, contact, contact.velocity_a, a, contact_state, 1.0)
            if contact.velocity_b >= 0:
                add_force(model, contact, contact.velocity_b, b, contact_state, -1.0)


@jit
def interpolate_body(velocity_index, n, y0, f0, y1, f1, h, s, body):
    """Store the record of a body at fraction ``s`` of a step, on the quintic through both ends of it.

    The quintic has position, velocity and acceleration of both ends. ``velocity_index`` is −1 for the ground.
    """
    i = velocity_index
    if i < 0:
        zero = 0.0
        store_in_space(zero, zero, zero, 1.0, zero, zero, zero, zero, body)
        return
    x = y0[i]
    y = y0[i + 1]
    angle = y0[i + 2]
    vx = y0[n + i]
    vy = y0[n + i + 1]
    omega = y0[n + i + 2]
    if s != 0.0:
        x, vx = coordinate_in_step(h, s, i, n, y0, f0, y1, f1)
        y, vy = coordinate_in_step(h, s, i + 1, n, y0, f0, y1, f1)
        angle, omega = coordinate_in_step(h, s, i + 2, n, y0, f0, y1, f1)
    store_in_space(x, y, angle, math.cos(angle), math.sin(angle), vx, vy, omega, body)


@kernel(CONTACT_IN_STEP, MODEL)
def contact_in_step(k, h, s, y0, f0, y1, f1, model):
    """Evaluate contact ``k`` at fraction ``s`` of a step from y0 to y1 with slopes f0 and f1, in the workspace."""
    workspace = CONTACT_WORKSPACE(model.workspace)
    contact = CONTACT(model.contacts, k)
    a = workspace.body_a
    b = workspace.body_b
    n = model.n_velocities
    interpolate_body(contact.velocity_a, n, y0, f0, y1, f1, h, s, a)
    interpolate_body(contact.velocity_b, n, y0, f0, y1, f1, h, s, b)
    pair_kinematics(model, contact, a, b, workspace.interpolated)
    normal_force(model, contact, CONTACT_HISTORY(model.contact_history, k), workspace.interpolated)


@kernel(NORMAL_DIRECTION, CONTACT, CONTACT_STATE, MODEL)
def normal_direction(contact, side, contact_state, out, model):
    """Store the generalised direction of a unit normal force on one of the two bodies."""
    body = body_at(floats(model.bodies), contact.body_a if side == 0 else contact.body_b)
    sign = 1.0 if side == 0 else -1.0
    nx = sign * contact_state.nx
    ny = sign * contact_state.ny
    out[0] = nx
    out[1] = ny
    if contact.is_rotational:
        out[2] = sign * contact_state.nz
        return
    out[2] = (contact_state.x - body.x) * ny - (contact_state.y - body.y) * nx
