"""Derivatives of contact forces by positions, velocities and friction states, for implicit methods.

In the frame of a contact, (n, t) in the plane and (n, t, s) in space, the force F and the relative motion of the two
bodies have two or three components. W contains the generalised directions of unit forces along them (see
`carom.mechanics.contact_directions`), so the generalised force of the contact is Wᵀ F, the relative velocity W u, and

    ∂(Wᵀ F)/∂q ≈ Wᵀ K W,    ∂(Wᵀ F)/∂u = Wᵀ D W

with K = ∂F/∂(displacement) and D = ∂F/∂(velocity) from the laws. The change of the directions themselves is left out:
it is not stiff.
"""

from __future__ import annotations

import math

from carom.kernels import CONTACT_JACOBIANS, FLOAT, INT, address_of, floats, jit, kernel, offset, record
from carom.mechanics import planar_body, spatial_body
from carom.mechanics.contact import normal_force, pair_kinematics
from carom.mechanics.contact_directions import (
    SPATIAL_ROW_SIZE,
    SPATIAL_ROWS,
    planar_directions_of,
    spatial_directions_of,
    store_planar_rotation_row,
    store_rotation_row,
)
from carom.mechanics.contact_friction import call_friction_law, perpendicular, rolling_secant, spinning_secant
from carom.mechanics.contact_records import (
    CONTACT,
    CONTACT_HISTORY,
    CONTACT_STATE,
    CONTACT_WORKSPACE,
    LOADED,
)
from carom.mechanics.friction_state import return_rate, tangential_scale
from carom.mechanics.joint_friction import friction_along, friction_kinematics
from carom.mechanics.model_record import MODEL
from carom.mechanics.spatial_body import cross

CONTACT_ROWS = record(w=(FLOAT, SPATIAL_ROWS * SPATIAL_ROW_SIZE))
"""W by rows; two shorter rows in the plane."""

CONTACT_JACOBIAN = record(
    is_active=INT,  # a force acts
    normal_force=FLOAT,  # [N]
    indentation=FLOAT,  # [m]
    directions=CONTACT_ROWS,
    tangents=(FLOAT, 6),  # t and s in global axes
    # derivatives of the normal force, and of friction by the normal force
    stiffness=FLOAT,  # ∂N/∂δ [N/m]
    damping=FLOAT,  # ∂N/∂δ̇ [N s/m]
    friction_by_normal=(FLOAT, 2),  # ∂T/∂N [-]
    # of friction T along (t, s) by sliding velocity and friction state z, and of ż; 2×2 by rows
    friction_by_velocity=(FLOAT, 4),  # [N s/m]
    friction_by_state=(FLOAT, 4),  # [N/m]
    rate_by_velocity=(FLOAT, 4),  # [-]
    rate_by_state=(FLOAT, 4),  # [1/s]
    rate_by_normal=(FLOAT, 2),  # [m/(N s)]
    return_rate=FLOAT,  # −∂ż/∂z along the normal, in space [1/s]
    rolling=FLOAT,  # torque against rolling over the relative angular velocity [N m s]
    spinning=FLOAT,  # torque against spinning over the relative angular velocity about the normal [N m s]
    torque_directions=CONTACT_ROWS,  # of unit torques about t, s and n; in the plane one, about its normal
)


@jit
def clear_friction(jacobian):
    """Set the derivatives of friction to zero."""
    jacobian.return_rate = 0.0
    for i in range(2):
        jacobian.friction_by_normal[i] = 0.0
        jacobian.rate_by_normal[i] = 0.0
    for i in range(4):
        jacobian.friction_by_velocity[i] = 0.0
        jacobian.friction_by_state[i] = 0.0
        jacobian.rate_by_velocity[i] = 0.0
        jacobian.rate_by_state[i] = 0.0


@jit
def store_normal_derivatives(model, contact, history, contact_state, jacobian):
    """Store the normal force and its derivatives, by the law of the contact."""
    workspace = CONTACT_WORKSPACE(model.workspace)
    law_input = workspace.law_input
    law_input.needs_derivatives = 1
    normal_force(model, contact, history, contact_state)
    law_input.needs_derivatives = 0
    jacobian.normal_force = contact_state.normal_force
    jacobian.indentation = contact_state.indentation
    jacobian.stiffness = workspace.law_output.stiffness
    jacobian.damping = workspace.law_output.damping


@jit
def store_friction_derivatives(model, contact, contact_state, v_t, v_s, z_t, z_s, jacobian):
    """Store the derivatives of friction for the sliding velocity and the friction state along (t, s)."""
    clear_friction(jacobian)
    if contact.friction_kernel == 0 or not contact_state.normal_force > 0.0:
        return
    workspace = CONTACT_WORKSPACE(model.workspace)
    law_input = workspace.friction_input
    law_output = workspace.friction_output
    law_input.needs_derivatives = 1
    call_friction_law(
        contact.friction_kernel, offset(floats(model.params), contact.friction_params), law_input, law_output,
        contact_state.normal_force, v_t, v_s, z_t, z_s,
    )  # fmt: skip
    law_input.needs_derivatives = 0
    for i in range(2):
        jacobian.friction_by_normal[i] = law_output.force_by_normal[i]
        if contact.friction_state_offset >= 0:
            jacobian.rate_by_normal[i] = law_output.rate_by_normal[i]
    for i in range(4):
        jacobian.friction_by_velocity[i] = law_output.force_by_velocity[i]
        if contact.friction_state_offset >= 0:
            jacobian.friction_by_state[i] = law_output.force_by_state[i]
            jacobian.rate_by_velocity[i] = law_output.rate_by_velocity[i]
            jacobian.rate_by_state[i] = law_output.rate_by_state[i]


@jit
def store_joint_friction(model, contact, contact_state, jacobian):
    """Store the damping of friction in a joint along its direction, for the last reaction of the joint."""
    workspace = CONTACT_WORKSPACE(model.workspace)
    clear_friction(jacobian)
    friction_kinematics(model, contact, contact_state)
    workspace.friction_input.needs_derivatives = 1
    velocity = -contact_state.indentation_rate
    force = friction_along(model, contact, contact_state.normal_force, velocity)
    workspace.friction_input.needs_derivatives = 0
    slope = -contact.radius * contact.radius * workspace.friction_output.force_by_velocity[0]
    jacobian.is_active = 1
    jacobian.normal_force = contact_state.normal_force
    jacobian.indentation = 0.0
    jacobian.stiffness = 0.0
    jacobian.damping = slope
    jacobian.rolling = 0.0
    jacobian.spinning = 0.0
    if contact.is_ball:  # about all three axes
        jacobian.damping = 0.0
        jacobian.spinning = slope
        jacobian.rolling = slope if velocity == 0.0 else -force / velocity


@jit
def store_ball_directions(model, contact, contact_state, jacobian):
    """Store the directions of torques about t, s and n between the bodies of a ball joint with friction."""
    bodies = floats(model.bodies)
    a = spatial_body.body_at(bodies, contact.body_a)
    b = spatial_body.body_at(bodies, contact.body_b)
    nx = contact_state.nx
    ny = contact_state.ny
    nz = contact_state.nz
    tx, ty, tz = perpendicular(nx, ny, nz)
    sx, sy, sz = cross(nx, ny, nz, tx, ty, tz)
    rows = floats(address_of(jacobian.torque_directions))
    store_rotation_row(a, b, tx, ty, tz, rows)
    store_rotation_row(a, b, sx, sy, sz, offset(rows, SPATIAL_ROW_SIZE))
    store_rotation_row(a, b, nx, ny, nz, offset(rows, 2 * SPATIAL_ROW_SIZE))


@jit
def is_loaded(contact, history):
    """Return whether a force of the contact acts."""
    return contact.law_kernel != 0 and history.mode == LOADED


@kernel(CONTACT_JACOBIANS, CONTACT_JACOBIAN, MODEL)
def planar_contact_jacobians(z, jacobians, model):
    """Store the derivatives of all contacts of a planar model at the last body records; ``z`` are friction states."""
    bodies = floats(model.bodies)
    workspace = CONTACT_WORKSPACE(model.workspace)
    a = workspace.body_a
    b = workspace.body_b
    for k in range(model.n_contacts):
        contact = CONTACT(model.contacts, k)
        history = CONTACT_HISTORY(model.contact_history, k)
        contact_state = CONTACT_STATE(model.contact_state, k)
        jacobian = CONTACT_JACOBIAN(jacobians, k)
        jacobian.is_active = 0
        if k >= model.n_contacts - model.n_joint_frictions:
            store_joint_friction(model, contact, contact_state, jacobian)
            planar_directions_of(model, contact, contact_state, floats(address_of(jacobian.directions)))
            continue
        if not is_loaded(contact, history):
            continue
        jacobian.is_active = 1
        planar_body.embed_body(planar_body.body_at(bodies, contact.body_a), a)
        planar_body.embed_body(planar_body.body_at(bodies, contact.body_b), b)
        pair_kinematics(model, contact, a, b, contact_state)
        store_normal_derivatives(model, contact, history, contact_state, jacobian)
        state = contact.friction_state_offset
        z_t = z[state] if state >= 0 else 0.0
        zero = 0.0
        store_friction_derivatives(
            model, contact, contact_state, contact_state.sliding_speed, zero, z_t, zero, jacobian
        )
        jacobian.rolling = rolling_secant(model, contact, a, b, contact_state)
        planar_directions_of(model, contact, contact_state, floats(address_of(jacobian.directions)))
        jacobian.spinning = 0.0
        if jacobian.rolling != 0.0:
            store_planar_rotation_row(floats(address_of(jacobian.torque_directions)), 1.0)


@kernel(CONTACT_JACOBIANS, CONTACT_JACOBIAN, MODEL)
def spatial_contact_jacobians(z, jacobians, model):
    """Store the derivatives of all contacts of a spatial model at the last body records; ``z`` are friction states."""
    bodies = floats(model.bodies)
    for k in range(model.n_contacts):
        contact = CONTACT(model.contacts, k)
        history = CONTACT_HISTORY(model.contact_history, k)
        contact_state = CONTACT_STATE(model.contact_state, k)
        jacobian = CONTACT_JACOBIAN(jacobians, k)
        jacobian.is_active = 0
        if k >= model.n_contacts - model.n_joint_frictions:
            store_joint_friction(model, contact, contact_state, jacobian)
            spatial_directions_of(model, contact, contact_state, floats(address_of(jacobian.directions)))
            if contact.is_ball:
                store_ball_directions(model, contact, contact_state, jacobian)
            continue
        if not is_loaded(contact, history):
            continue
        jacobian.is_active = 1
        a = spatial_body.body_at(bodies, contact.body_a)
        b = spatial_body.body_at(bodies, contact.body_b)
        pair_kinematics(model, contact, a, b, contact_state)
        store_normal_derivatives(model, contact, history, contact_state, jacobian)
        tangents = jacobian.tangents
        nx = contact_state.nx
        ny = contact_state.ny
        nz = contact_state.nz
        tx, ty, tz = perpendicular(nx, ny, nz)
        sx, sy, sz = cross(nx, ny, nz, tx, ty, tz)
        tangents[0] = tx
        tangents[1] = ty
        tangents[2] = tz
        tangents[3] = sx
        tangents[4] = sy
        tangents[5] = sz
        gx = contact_state.sliding_x
        gy = contact_state.sliding_y
        gz = contact_state.sliding_z
        state = contact.friction_state_offset
        z_t = 0.0
        z_s = 0.0
        if state >= 0:
            scale = tangential_scale(offset(z, state), nx, ny, nz)
            z_t = scale * (z[state] * tx + z[state + 1] * ty + z[state + 2] * tz)
            z_s = scale * (z[state] * sx + z[state + 1] * sy + z[state + 2] * sz)
        v_t = gx * tx + gy * ty + gz * tz
        v_s = gx * sx + gy * sy + gz * sz
        store_friction_derivatives(model, contact, contact_state, v_t, v_s, z_t, z_s, jacobian)
        if state >= 0 and contact_state.normal_force > 0.0:
            output = CONTACT_WORKSPACE(model.workspace).friction_output
            squared = z_t * z_t + z_s * z_s
            jacobian.return_rate = return_rate(a, b, nx, ny, nz, contact_state.sliding_speed, math.sqrt(squared))
            if squared > 0.0:
                jacobian.return_rate -= (output.z_dot_t * z_t + output.z_dot_s * z_s) / squared
        jacobian.rolling = rolling_secant(model, contact, a, b, contact_state)
        spatial_directions_of(model, contact, contact_state, floats(address_of(jacobian.directions)))
        jacobian.spinning = spinning_secant(model, contact, a, b, contact_state)
        if jacobian.rolling != 0.0 or jacobian.spinning != 0.0:
            rows = floats(address_of(jacobian.torque_directions))
            store_rotation_row(a, b, tx, ty, tz, rows)
            store_rotation_row(a, b, sx, sy, sz, offset(rows, SPATIAL_ROW_SIZE))
            store_rotation_row(a, b, nx, ny, nz, offset(rows, 2 * SPATIAL_ROW_SIZE))
