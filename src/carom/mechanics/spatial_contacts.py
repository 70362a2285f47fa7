"""Contacts of spatial models: bodies inside a step, and forces added to the right-hand side."""

from __future__ import annotations

from carom.kernels import CONTACT_FORCES, CONTACT_IN_STEP, NORMAL_DIRECTION, floats, jit, kernel, offset
from carom.mechanics.contact import (
    evaluate_kinematics,
    finish_evaluation,
    is_far_apart,
    normal_force,
    pair_kinematics,
)
from carom.mechanics.contact_friction import spatial_friction
from carom.mechanics.contact_records import CONTACT, CONTACT_HISTORY, CONTACT_STATE, CONTACT_WORKSPACE, LOADED
from carom.mechanics.model_record import CONTACT_LOSS, MODEL
from carom.mechanics.spatial_body import body_at, cross
from carom.mechanics.spatial_interpolation import interpolate_body

FRICTION_STATES = 3
"""Numbers in y of a friction law with a state: z in global axes, as the tangents turn with the motion."""


@jit
def store_no_force(contact, contact_state, z_rate, loss):
    """Store the state of a contact whose bodies are far apart."""
    loss.normal = 0.0
    loss.friction = 0.0
    contact_state.normal_force = 0.0
    contact_state.friction_force = 0.0
    contact_state.elastic_force = 0.0
    contact_state.stored_energy = 0.0
    contact_state.friction_energy = 0.0
    contact_state.force_sign = 1.0
    if contact.friction_state_offset >= 0:
        for d in range(FRICTION_STATES):
            z_rate[contact.friction_state_offset + d] = 0.0


@jit
def add_force(model, contact, velocity_index, body, contact_state, sign):
    """Add the contact force, and the torque against rolling, to the generalised forces of one body, in global axes."""
    workspace = CONTACT_WORKSPACE(model.workspace)
    rhs = offset(floats(model.rhs_motion), velocity_index)
    fx = workspace.force[0]
    fy = workspace.force[1]
    fz = workspace.force[2]
    if contact.is_rotational:
        rhs[3] += sign * fx
        rhs[4] += sign * fy
        rhs[5] += sign * fz
        return
    tx, ty, tz = cross(contact_state.x - body.x, contact_state.y - body.y, contact_state.z - body.z, fx, fy, fz)
    rhs[0] += sign * fx
    rhs[1] += sign * fy
    rhs[2] += sign * fz
    rhs[3] += sign * tx
    rhs[4] += sign * ty
    rhs[5] += sign * tz
    if contact.is_distributed:
        for d in range(3):
            rhs[3 + d] += sign * workspace.moment[d]
    if contact.rolling_params >= 0 and contact_state.normal_force > 0.0:
        for d in range(3):
            rhs[3 + d] += sign * workspace.rolling_torque[d]


@kernel(CONTACT_FORCES, CONTACT_LOSS, MODEL)
def contact_forces(z, z_rate, losses, model):
    """Add the forces of all contacts to Q; store the rates of friction states and of the dissipated energies."""
    bodies = floats(model.bodies)
    for k in range(model.n_contacts - model.n_joint_frictions):
        contact = CONTACT(model.contacts, k)
        contact_state = CONTACT_STATE(model.contact_state, k)
        history = CONTACT_HISTORY(model.contact_history, k)
        loss = CONTACT_LOSS(losses, k)
        a = body_at(bodies, contact.body_a)
        b = body_at(bodies, contact.body_b)
        if not is_far_apart(model, contact, a, b, contact_state):
            pair_kinematics(model, contact, a, b, contact_state)
        elif history.mode != LOADED:
            store_no_force(contact, contact_state, z_rate, loss)
            continue
        normal_force(model, contact, history, contact_state)
        friction_power = spatial_friction(model, contact, a, b, contact_state, z, z_rate)
        finish_evaluation(model, contact, a, b, contact_state, friction_power, loss)
        if contact_state.normal_force != 0.0:
            if contact.velocity_a >= 0:
                add_force(model, contact, contact.velocity_a, a, contact_state, 1.0)
            if contact.velocity_b >= 0:
                add_force(model, contact, contact.velocity_b, b, contact_state, -1.0)


@kernel(CONTACT_IN_STEP, MODEL)
def contact_in_step(k, h, s, y0, f0, y1, f1, model):
    """Evaluate contact ``k`` at fraction ``s`` of a step from y0 to y1 with slopes f0 and f1, in the workspace."""
    workspace = CONTACT_WORKSPACE(model.workspace)
    contact = CONTACT(model.contacts, k)
    a = workspace.body_a
    b = workspace.body_b
    n = model.n_velocities
    interpolate_body(contact.velocity_a, n, y0, f0, y1, f1, h, s, model, a)
    interpolate_body(contact.velocity_b, n, y0, f0, y1, f1, h, s, model, b)
    evaluate_kinematics(model, contact, a, b, workspace.interpolated)
    normal_force(model, contact, CONTACT_HISTORY(model.contact_history, k), workspace.interpolated)


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


@jit
def store_rotation(body, sign, x, y, z, out):
    """Store the generalised direction of a unit torque about (x, y, z) on one body."""
    p = body.R_principal
    for d in range(3):
        out[d] = 0.0
        out[3 + d] = sign * (p[d] * x + p[3 + d] * y + p[6 + d] * z)


@jit
def add_moment(body, sign, contact_state, out):
    """Add the moment of a unit force of a distributed contact to its generalised direction on one body."""
    p = body.R_principal
    for d in range(3):
        out[3 + d] += sign * (
            p[d] * contact_state.moment_x + p[3 + d] * contact_state.moment_y + p[6 + d] * contact_state.moment_z
        )


@kernel(NORMAL_DIRECTION, CONTACT, CONTACT_STATE, MODEL)
def normal_direction(contact, side, contact_state, out, model):
    """Store the generalised direction of a unit normal force on one of the two bodies."""
    body = body_at(floats(model.bodies), contact.body_a if side == 0 else contact.body_b)
    sign = 1.0 if side == 0 else -1.0
    if contact.is_rotational:
        store_rotation(body, sign, contact_state.nx, contact_state.ny, contact_state.nz, out)
        return
    store_direction(body, sign, contact_state, contact_state.nx, contact_state.ny, contact_state.nz, out)
    if contact.is_distributed:
        add_moment(body, sign, contact_state, out)
