"""Body records, constraint rows and forces of a model, evaluated through its tables."""

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
from carom.mechanics.model_record import FORCE_ELEMENT, JACOBIAN_BLOCK, JOINT_ELEMENT, TRIPLE
from carom.mechanics.planar_body import DOF, PLANAR_BODY

REVOLUTION = 2.0 * math.pi


@jit
def load_bodies(y, model):
    """Copy coordinates and velocities into the body records, with the sine and cosine of every angle."""
    if model.body_kernel != 0:
        call_load(model.body_kernel, y, model)
        return
    count = model.n_bodies
    velocities = model.n_velocities
    for i in range(count):
        body = PLANAR_BODY(model.bodies, i + 1)
        q = i * DOF
        v = velocities + q
        body.x = y[q]
        body.y = y[q + 1]
        body.angle = y[q + 2]
        body.vx = y[v]
        body.vy = y[v + 1]
        body.omega = y[v + 2]
        body.cos = math.cos(y[q + 2])
        body.sin = math.sin(y[q + 2])


@jit
def load_rows(t, model):
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
            if joint.is_angle != 0:  # to the nearest revolution
                Phi[row] -= REVOLUTION * math.floor(Phi[row] / REVOLUTION + 0.5)
            nu[row] = motion.rate
            gamma_c[row] += motion.acceleration
        else:
            for r in range(row, row + joint.n_rows):
                nu[r] = 0.0
    if model.rows_to_velocity_axes_kernel != 0:
        call_to_velocity_axes(model.rows_to_velocity_axes_kernel, model)


@jit
def load_forces(t, model, power):
    """Evaluate Q of gravity and all force elements in global axes [N, N m]; ``power`` gets their powers [W]."""
    bodies = floats(model.bodies)
    body_offsets = ints(model.body_offsets)
    params = floats(model.params)
    top = floats(model.rhs_motion)
    weight = floats(model.gravity_force)
    width = model.velocities_per_body
    power.dissipated = 0.0
    power.applied = 0.0
    for i in range(model.n_velocities):
        top[i] = weight[i]
    for k in range(model.n_forces):
        force = FORCE_ELEMENT(model.forces, k)
        velocity_indices = offset(ints(model.velocity_indices), force.first_body)
        wrenches = offset(floats(model.element_output), force.output_offset)
        count = force.n_bodies
        output = FORCE_OUTPUT(offset(wrenches, width * count))
        own_offsets = offset(body_offsets, force.first_body)
        call_force(force.kernel, t, bodies, own_offsets, offset(params, force.params_offset), wrenches, output)
        for m in range(count):
            v = velocity_indices[m]
            if v >= 0:  # A force on the ground has no effect.
                for d in range(width):
                    top[v + d] += wrenches[width * m + d]
        power.dissipated += output.dissipated_power
        power.applied += output.applied_power


@jit
def finish_forces(model):
    """After the last force has been added to TOP: from global axes to those of the velocities."""
    if model.forces_to_velocity_axes_kernel != 0:
        call_to_velocity_axes(model.forces_to_velocity_axes_kernel, model)


@jit
def rows_times(model, vector, result):
    """Add Φ_q ``vector`` to ``result``."""
    jac = floats(model.Phi_q)
    for k in range(model.n_jacobian_blocks):
        block = JACOBIAN_BLOCK(model.jacobian_blocks, k)
        p = block.jacobian_offset
        c = block.velocity_index
        total = 0.0
        for d in range(TRIPLE):
            total += jac[p + d] * vector[c + d]
        result[block.row] += total


@jit
def subtract_transposed(model, multipliers, result):
    """Subtract Φ_qᵀ ``multipliers`` from ``result``."""
    jac = floats(model.Phi_q)
    for k in range(model.n_jacobian_blocks):
        block = JACOBIAN_BLOCK(model.jacobian_blocks, k)
        p = block.jacobian_offset
        c = block.velocity_index
        value = multipliers[block.row]
        for d in range(TRIPLE):
            result[c + d] -= jac[p + d] * value
