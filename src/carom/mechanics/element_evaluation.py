"""Body records, constraint rows and forces of a model, evaluated by the kernels of its elements."""

from __future__ import annotations

import math

from carom.kernels import (
    call_force,
    call_joint,
    call_load,
    call_motion,
    call_to_velocity_axes,
    floats,
    ints,
    jit,
    offset,
)
from carom.mechanics.element_output import FORCE_OUTPUT, MOTION_OUTPUT
from carom.mechanics.inputs import update_inputs
from carom.mechanics.model_record import FORCE_ELEMENT, JACOBIAN_BLOCK, JOINT_ELEMENT, TRIPLE
from carom.mechanics.planar_body import DOF, PLANAR_BODY

REVOLUTION = 2.0 * math.pi


@jit
def update_body_records(y, model):
    """Store coordinates and velocities in the body records, with the sine and cosine of every angle."""
    if model.body_kernel != 0:
        call_load(model.body_kernel, y, model)
        return
    n = model.n_velocities
    for i in range(model.n_bodies):
        body = PLANAR_BODY(model.bodies, i + 1)
        q = i * DOF
        v = n + q
        body.x = y[q]
        body.y = y[q + 1]
        body.angle = y[q + 2]
        body.vx = y[v]
        body.vy = y[v + 1]
        body.omega = y[v + 2]
        body.cos = math.cos(y[q + 2])
        body.sin = math.sin(y[q + 2])


@jit
def update_constraints(t, model):
    """Evaluate Φ, Φ_q, ν = −Φ_t and γ of every joint and driver at the current body records."""
    bodies = floats(model.bodies)
    body_offsets = ints(model.body_offsets)
    params = floats(model.params)
    Phi = floats(model.Phi)
    nu = floats(model.nu)
    gamma_c = floats(model.gamma_c)
    Phi_q = floats(model.Phi_q)
    motion = MOTION_OUTPUT(model.element_output)
    for k in range(model.n_joints):
        joint = JOINT_ELEMENT(model.joints, k)
        row = joint.first_row
        call_joint(
            joint.kernel,
            bodies,
            offset(body_offsets, joint.first_body),
            offset(params, joint.params_offset),
            offset(Phi, row),
            offset(Phi_q, joint.jacobian_offset),
            offset(gamma_c, row),
        )
        if joint.motion_kernel != 0:
            call_motion(joint.motion_kernel, t, offset(params, joint.motion_params_offset), motion)
            Phi[row] -= motion.value
            if joint.is_angle != 0:  # Angles are compared to the nearest revolution.
                Phi[row] -= REVOLUTION * math.floor(Phi[row] / REVOLUTION + 0.5)
            nu[row] = motion.rate
            gamma_c[row] += motion.acceleration
        else:
            for r in range(row, row + joint.n_rows):
                nu[r] = 0.0
    if model.rows_to_velocity_axes_kernel != 0:
        call_to_velocity_axes(model.rows_to_velocity_axes_kernel, model)


@jit
def update_forces(t, model, power):
    """Evaluate Q of gravity and all force elements in global axes [N, N m]; ``power`` gets their powers [W]."""
    bodies = floats(model.bodies)
    body_offsets = ints(model.body_offsets)
    params = floats(model.params)
    rhs_motion = floats(model.rhs_motion)
    gravity_force = floats(model.gravity_force)
    size = model.velocities_per_body
    if model.n_varying_inputs > 0:
        update_inputs(t, model)
    power.dissipated = 0.0
    power.applied = 0.0
    for i in range(model.n_velocities):
        rhs_motion[i] = gravity_force[i]
    for k in range(model.n_forces):
        force = FORCE_ELEMENT(model.forces, k)
        velocity_indices = offset(ints(model.velocity_indices), force.first_body)
        wrenches = offset(floats(model.element_output), force.output_offset)
        count = force.n_bodies
        output = FORCE_OUTPUT(offset(wrenches, size * count))
        element_body_offsets = offset(body_offsets, force.first_body)
        call_force(force.kernel, t, bodies, element_body_offsets, offset(params, force.params_offset), wrenches, output)
        for m in range(count):
            v = velocity_indices[m]
            if v >= 0:  # A force on the ground has no effect.
                for d in range(size):
                    rhs_motion[v + d] += wrenches[size * m + d]
        power.dissipated += output.dissipated_power
        power.applied += output.applied_power


@jit
def to_velocity_axes(model):
    """Transform the sum of all forces, in ``rhs_motion``, from global axes to the axes of the velocities."""
    if model.forces_to_velocity_axes_kernel != 0:
        call_to_velocity_axes(model.forces_to_velocity_axes_kernel, model)


@jit
def add_Phi_q_times(model, vector, result):
    """Add Φ_q ``vector`` to ``result``."""
    Phi_q = floats(model.Phi_q)
    for k in range(model.n_jacobian_blocks):
        block = JACOBIAN_BLOCK(model.jacobian_blocks, k)
        p = block.jacobian_offset
        c = block.velocity_index
        total = 0.0
        for d in range(TRIPLE):
            total += Phi_q[p + d] * vector[c + d]
        result[block.row] += total


@jit
def subtract_Phi_q_T(model, lam, result):
    """Subtract Φ_qᵀ λ from ``result``."""
    Phi_q = floats(model.Phi_q)
    for k in range(model.n_jacobian_blocks):
        block = JACOBIAN_BLOCK(model.jacobian_blocks, k)
        p = block.jacobian_offset
        c = block.velocity_index
        value = lam[block.row]
        for d in range(TRIPLE):
            result[c + d] -= Phi_q[p + d] * value
