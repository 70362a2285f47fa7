"""Body records, constraint rows and forces of a model, evaluated through its tables."""

from __future__ import annotations

import math

from carom.kernels import call_finish, call_force, call_joint, call_load, call_motion, floats, ints, jit, offset
from carom.mechanics.model_record import APPLIED, DISSIPATED, FORCE_ELEMENT, JACOBIAN_BLOCK, JOINT_ELEMENT, TRIPLE
from carom.mechanics.planar import ANGLE, COS, DOF, OMEGA, SIN, STRIDE, VX, VY, X, Y

TURN = 2.0 * math.pi


@jit
def load_bodies(y, model):
    """Copy coordinates and velocities into the body records, with the sine and cosine of every angle."""
    if model.body_kernel != 0:
        call_load(model.body_kernel, y, model)
        return
    bodies = floats(model.bodies)
    count = model.n_bodies
    velocities = model.n_velocities
    for i in range(count):
        b = (i + 1) * STRIDE
        q = i * DOF
        v = velocities + q
        bodies[b + X] = y[q]
        bodies[b + Y] = y[q + 1]
        bodies[b + ANGLE] = y[q + 2]
        bodies[b + VX] = y[v]
        bodies[b + VY] = y[v + 1]
        bodies[b + OMEGA] = y[v + 2]
        bodies[b + COS] = math.cos(y[q + 2])
        bodies[b + SIN] = math.sin(y[q + 2])


@jit
def load_rows(t, model):
    """Φ, Φ_q, ν = −Φ_t and γ of every joint and driver at the present body records."""
    bodies = floats(model.bodies)
    members = ints(model.body_offsets)
    par = floats(model.params)
    phi = floats(model.Phi)
    nu = floats(model.nu)
    gamma = floats(model.gamma_c)
    jac = floats(model.Phi_q)
    out = floats(model.element_output)
    for k in range(model.n_joints):
        joint = JOINT_ELEMENT(model.joints, k)
        row = joint.first_row
        call_joint(
            joint.kernel,
            bodies,
            offset(members, joint.first_body),
            offset(par, joint.params_offset),
            offset(phi, row),
            offset(jac, joint.jacobian_offset),
            offset(gamma, row),
        )
        if joint.motion_kernel != 0:
            call_motion(joint.motion_kernel, t, offset(par, joint.motion_params_offset), out)
            phi[row] -= out[0]
            if joint.is_angle != 0:  # to the nearest turn
                phi[row] -= TURN * math.floor(phi[row] / TURN + 0.5)
            nu[row] = out[1]
            gamma[row] += out[2]
        else:
            for r in range(row, row + joint.n_rows):
                nu[r] = 0.0
    if model.rows_to_velocity_axes_kernel != 0:
        call_finish(model.rows_to_velocity_axes_kernel, model)


@jit
def load_forces(t, model, power):
    """Q of gravity and all force elements in global axes; ``power`` gets the rates of dissipation and applied work."""
    bodies = floats(model.bodies)
    members = ints(model.body_offsets)
    par = floats(model.params)
    top = floats(model.rhs_motion)
    weight = floats(model.gravity_force)
    width = model.velocities_per_body
    power.dissipated = 0.0
    power.applied = 0.0
    for i in range(model.n_velocities):
        top[i] = weight[i]
    for k in range(model.n_forces):
        force = FORCE_ELEMENT(model.forces, k)
        who = offset(members, force.first_body)
        homes = offset(ints(model.velocity_indices), force.first_body)
        out = offset(floats(model.element_output), force.output_offset)
        call_force(force.kernel, t, bodies, who, offset(par, force.params_offset), out)
        count = force.n_bodies
        for m in range(count):
            v = homes[m]
            if v >= 0:  # the ground takes whatever comes
                for d in range(width):
                    top[v + d] += out[width * m + d]
        power.dissipated += out[width * count + DISSIPATED]
        power.applied += out[width * count + APPLIED]


@jit
def finish_forces(model):
    """After the last force has been added to TOP: from global axes to those of the velocities."""
    if model.forces_to_velocity_axes_kernel != 0:
        call_finish(model.forces_to_velocity_axes_kernel, model)


@jit
def rows_times(model, vector, result):
    """result += Φ_q vector."""
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
    """result −= Φ_qᵀ multipliers."""
    jac = floats(model.Phi_q)
    for k in range(model.n_jacobian_blocks):
        block = JACOBIAN_BLOCK(model.jacobian_blocks, k)
        p = block.jacobian_offset
        c = block.velocity_index
        value = multipliers[block.row]
        for d in range(TRIPLE):
            result[c + d] -= jac[p + d] * value
