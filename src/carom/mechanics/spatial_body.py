"""Record of a spatial body in compiled code, and the terms of the equations of motion that planar bodies do not have.

The velocities of a body are those of its centre of mass in global axes and ω in its *principal* axes, in which the
inertia is diagonal. The coordinates that belong to them are the position and φ with φ̇ = ω. φ is not an orientation: the
orientation is q ⊗ exp((φ − φ₀)/2), a unit quaternion of the principal axes. q and φ₀ follow in y behind the velocities,
seven numbers per body, with the rates ½ q ⊗ ω and ω: φ − φ₀ is zero, up to the corrections of φ by joints and by
Newton's method, which are thereby rotations about the axes of the body. `update_orientation` moves these corrections
into q. Time stepping keeps q and φ₀ in ``model.reference_orientation`` instead.

Joints, forces and contacts use global axes: (v, ω) and (force, torque). `rows_to_velocity_axes` and
`forces_to_velocity_axes` transform the second halves to the principal axes.
"""

from __future__ import annotations

import math

import numpy as np

from carom.kernels import (
    FLOAT,
    LOAD,
    ORIENTATION_RATE,
    TO_VELOCITY_AXES,
    address_of,
    floats,
    jit,
    kernel,
    offset,
    record,
)
from carom.mechanics.model_record import JACOBIAN_BLOCK, MODEL

SPATIAL_BODY = record(
    # The pose, as the kernels of shape pairs read it.
    x=FLOAT,  # centre of mass [m]
    y=FLOAT,
    z=FLOAT,
    R=(FLOAT, 9),  # rotation matrix of the body axes, by rows
    # Velocities in global axes.
    vx=FLOAT,  # of the centre of mass [m/s]
    vy=FLOAT,
    vz=FLOAT,
    wx=FLOAT,  # angular velocity [rad/s]
    wy=FLOAT,
    wz=FLOAT,
    quaternion=(FLOAT, 4),  # of the body axes
    R_principal=(FLOAT, 9),  # rotation matrix of the principal axes, by rows
    rotation_angle=(FLOAT, 3),  # ∫ ω dt along the body axes since the start, by which joints count revolutions [rad]
    omega_norm=FLOAT,  # |ω| [rad/s]
    spare=FLOAT,  # fills the cache line
)
"""Row 0 of the table of bodies is the ground."""

N_BODY = SPATIAL_BODY.size
"""Numbers in a record."""

N_VELOCITIES = 6
"""Velocities of one body."""

N_ORIENTATION = 7
"""Numbers of one body behind the velocities in y: q, φ₀."""

N_PRINCIPAL_AXES = 4
"""Numbers of one body in ``model.principal_axes``: the quaternion of the body axes relative to its principal axes."""

USER_FIELDS = (
    "x", "y", "z",
    "r11", "r12", "r13", "r21", "r22", "r23", "r31", "r32", "r33",
    "vx", "vy", "vz", "wx", "wy", "wz",
    "q0", "q1", "q2", "q3",
    "p11", "p12", "p13", "p21", "p22", "p23", "p31", "p32", "p33",
    "turned1", "turned2", "turned3", "spin", "spare",
)  # fmt: skip
"""Names of the numbers of `SPATIAL_BODY` in functions written by users."""

BODY_DTYPE = np.dtype([(name, np.float64) for name in USER_FIELDS])
"""Record of a body as functions written by users read it."""

VELOCITY_OFFSET = SPATIAL_BODY.index("vx")
"""Index of (vx, vy, vz, wx, wy, wz) in the numbers of a record."""


@jit
def body_at(bodies, body_offset):
    """Return the record of the body ``body_offset`` numbers behind the start of the table."""
    return SPATIAL_BODY(offset(bodies, body_offset))


@jit
def rotate(body, x, y, z):
    """Return the vector (x, y, z) of body axes in global axes: R s'."""
    R = body.R
    return (
        R[0] * x + R[1] * y + R[2] * z,
        R[3] * x + R[4] * y + R[5] * z,
        R[6] * x + R[7] * y + R[8] * z,
    )


@jit
def cross(ax, ay, az, bx, by, bz):
    """Return a × b."""
    return ay * bz - az * by, az * bx - ax * bz, ax * by - ay * bx


@jit
def exponential(x, y, z):
    """Return the quaternion of the rotation vector (x, y, z) [rad]."""
    square = x * x + y * y + z * z
    if square < 1e-6:  # The series of sin(½a)/a and cos(½a) are exact to rounding here.
        factor = 0.5 - square / 48.0 + square * square / 3840.0
        return 1.0 - square / 8.0 + square * square / 384.0, factor * x, factor * y, factor * z
    angle = math.sqrt(square)
    factor = math.sin(0.5 * angle) / angle
    return math.cos(0.5 * angle), factor * x, factor * y, factor * z


@jit
def multiply(aw, ax, ay, az, bw, bx, by, bz):
    """Return a ⊗ b: rotation ``b``, then ``a`` about global axes; or ``a``, then ``b`` about the rotated axes."""
    return (
        aw * bw - ax * bx - ay * by - az * bz,
        aw * bx + ax * bw + ay * bz - az * by,
        aw * by - ax * bz + ay * bw + az * bx,
        aw * bz + ax * by - ay * bx + az * bw,
    )


@jit
def store_rotation_matrix(w, x, y, z, out):
    """Store the rotation matrix of a quaternion of any length, by rows."""
    scale = 2.0 / (w * w + x * x + y * y + z * z)
    out[0] = 1.0 - scale * (y * y + z * z)
    out[1] = scale * (x * y - w * z)
    out[2] = scale * (x * z + w * y)
    out[3] = scale * (x * y + w * z)
    out[4] = 1.0 - scale * (x * x + z * z)
    out[5] = scale * (y * z - w * x)
    out[6] = scale * (x * z - w * y)
    out[7] = scale * (y * z + w * x)
    out[8] = 1.0 - scale * (x * x + y * y)


@jit
def store_body(position, velocity, w, x, y, z, axes, body):
    """Store the record of a body from position, velocities and the quaternion of the principal axes.

    ``axes`` is the quaternion of the body axes relative to the principal axes.
    """
    p = body.R_principal
    store_rotation_matrix(w, x, y, z, p)
    w, x, y, z = multiply(w, x, y, z, axes[0], axes[1], axes[2], axes[3])
    store_rotation_matrix(w, x, y, z, body.R)
    length = math.sqrt(w * w + x * x + y * y + z * z)
    q = body.quaternion
    q[0] = w / length
    q[1] = x / length
    q[2] = y / length
    q[3] = z / length
    body.x = position[0]
    body.y = position[1]
    body.z = position[2]
    body.vx = velocity[0]
    body.vy = velocity[1]
    body.vz = velocity[2]
    body.wx = p[0] * velocity[3] + p[1] * velocity[4] + p[2] * velocity[5]
    body.wy = p[3] * velocity[3] + p[4] * velocity[4] + p[5] * velocity[5]
    body.wz = p[6] * velocity[3] + p[7] * velocity[4] + p[8] * velocity[5]
    body.omega_norm = math.sqrt(velocity[3] ** 2 + velocity[4] ** 2 + velocity[5] ** 2)


@jit
def store_rotation_angle(phi, body):
    """Store φ along the body axes, Rᵀ P φ [rad]."""
    p = body.R_principal
    R = body.R
    x = p[0] * phi[0] + p[1] * phi[1] + p[2] * phi[2]
    y = p[3] * phi[0] + p[4] * phi[1] + p[5] * phi[2]
    z = p[6] * phi[0] + p[7] * phi[1] + p[8] * phi[2]
    for d in range(3):
        body.rotation_angle[d] = R[d] * x + R[3 + d] * y + R[6 + d] * z


@jit
def store_fixed_body(body):
    """Store the record of a body at rest at the origin, in the global axes: the ground."""
    numbers = floats(address_of(body))
    for i in range(N_BODY):
        numbers[i] = 0.0
    body.quaternion[0] = 1.0
    for d in range(3):
        body.R[4 * d] = 1.0
        body.R_principal[4 * d] = 1.0


@jit
def orientation_states(y, model):
    """Return a pointer to q and φ₀ of the bodies."""
    if model.reference_orientation != 0:
        return floats(model.reference_orientation)
    return offset(y, 2 * model.n_velocities)


@jit
def orientation(phi, state):
    """Return the quaternion of the principal axes, q ⊗ exp((φ − φ₀)/2)."""
    w, x, y, z = exponential(phi[0] - state[4], phi[1] - state[5], phi[2] - state[6])
    return multiply(state[0], state[1], state[2], state[3], w, x, y, z)


@kernel(LOAD, MODEL)
def update_bodies(y, model):
    """Compute the body records at a state."""
    states = orientation_states(y, model)
    n = model.n_velocities
    for i in range(model.n_bodies):
        position = offset(y, i * N_VELOCITIES)
        w, qx, qy, qz = orientation(offset(position, 3), offset(states, i * N_ORIENTATION))
        axes = offset(floats(model.principal_axes), i * N_PRINCIPAL_AXES)
        body = SPATIAL_BODY(model.bodies, i + 1)
        store_body(position, offset(y, n + i * N_VELOCITIES), w, qx, qy, qz, axes, body)
        store_rotation_angle(offset(position, 3), body)


@kernel(ORIENTATION_RATE, MODEL)
def orientation_rate(y, ydot, model):
    """Compute the rates of q and φ₀."""
    n = model.n_velocities
    for i in range(model.n_bodies):
        state = offset(y, 2 * n + i * N_ORIENTATION)
        rate = offset(ydot, 2 * n + i * N_ORIENTATION)
        omega = offset(y, n + i * N_VELOCITIES + 3)
        w, qx, qy, qz = multiply(state[0], state[1], state[2], state[3], 0.0, omega[0], omega[1], omega[2])
        rate[0] = 0.5 * w
        rate[1] = 0.5 * qx
        rate[2] = 0.5 * qy
        rate[3] = 0.5 * qz
        for d in range(3):
            rate[4 + d] = omega[d]


@kernel(LOAD, MODEL)
def update_orientation(y, model):
    """Move the corrections of φ into q, and scale q to unit length."""
    states = orientation_states(y, model)
    for i in range(model.n_bodies):
        phi = offset(y, i * N_VELOCITIES + 3)
        state = offset(states, i * N_ORIENTATION)
        w, qx, qy, qz = orientation(phi, state)
        length = math.sqrt(w * w + qx * qx + qy * qy + qz * qz)
        state[0] = w / length
        state[1] = qx / length
        state[2] = qy / length
        state[3] = qz / length
        for d in range(3):
            state[4 + d] = phi[d]


@kernel(TO_VELOCITY_AXES, MODEL)
def rows_to_velocity_axes(model):
    """Transform the second halves of Φ_q from global axes to principal axes."""
    for k in range(model.n_jacobian_blocks):
        block = JACOBIAN_BLOCK(model.jacobian_blocks, k)
        c = block.velocity_index
        if c % N_VELOCITIES == 3:
            jac = offset(floats(model.Phi_q), block.jacobian_offset)
            p = SPATIAL_BODY(model.bodies, c // N_VELOCITIES + 1).R_principal
            x = jac[0]
            y = jac[1]
            z = jac[2]
            for d in range(3):
                jac[d] = p[d] * x + p[3 + d] * y + p[6 + d] * z


@kernel(TO_VELOCITY_AXES, MODEL)
def forces_to_velocity_axes(model):
    """Transform the torques from global to principal axes and add the gyroscopic ones, −ω × I ω [N m]."""
    mass = floats(model.mass)
    top = floats(model.rhs_motion)
    for i in range(model.n_bodies):
        body = SPATIAL_BODY(model.bodies, i + 1)
        p = body.R_principal
        torque = offset(top, i * N_VELOCITIES + 3)
        inertia = offset(mass, i * N_VELOCITIES + 3)
        tx = torque[0]
        ty = torque[1]
        tz = torque[2]
        wx = p[0] * body.wx + p[3] * body.wy + p[6] * body.wz
        wy = p[1] * body.wx + p[4] * body.wy + p[7] * body.wz
        wz = p[2] * body.wx + p[5] * body.wy + p[8] * body.wz
        torque[0] = p[0] * tx + p[3] * ty + p[6] * tz + (inertia[1] - inertia[2]) * wy * wz
        torque[1] = p[1] * tx + p[4] * ty + p[7] * tz + (inertia[2] - inertia[0]) * wz * wx
        torque[2] = p[2] * tx + p[5] * ty + p[8] * tz + (inertia[0] - inertia[1]) * wx * wy
