"""Spatial bodies in compiled code: their record, and what differs from planar ones in the equations of motion.

The velocities of a body are those of its centre of mass in global axes and ω in its *principal* axes, in which the
inertia is diagonal. The coordinates that belong to them are the position and φ with φ̇ = ω, which is no orientation, but
moves with one: the orientation is q ⊗ exp((φ − φ₀)/2), a unit quaternion of the principal axes. q and φ₀ follow in y
behind the velocities, seven numbers a body, with the rates ½ q ⊗ ω and ω: φ − φ₀ is zero, up to corrections that joints
and Newton's method make to φ, which are thereby rotations about the body's own axes. `absorb` takes them into q.
Time stepping keeps q and φ₀ in REFERENCE instead.

Joints, forces and contacts speak of global axes: (v, ω) and (force, torque); `turn_rows` and `turn_forces` turn the
second halves into the principal axes.
"""

from __future__ import annotations

import math

import numpy as np

from carom.kernels import FINISH, LOAD, SPIN, floats, jit, kernel, offset
from carom.mechanics.model_record import JACOBIAN_BLOCK, MODEL

# The record begins with the pose that the kernels of pairs read: position, rotation matrix of the body's axes by rows.
# Then velocity and angular velocity in global axes, the quaternion of the body's axes, the rotation matrix of the
# principal axes, ∫ ω dt along the body's axes since the start, by which hinges count turns, and the size of ω.
X, Y, Z, R, VX, VY, VZ, WX, WY, WZ, Q, P, TURNED, SPIN_SPEED = 0, 1, 2, 3, 12, 13, 14, 15, 16, 17, 18, 22, 31, 34
FIELDS = (
    "x", "y", "z",
    "r11", "r12", "r13", "r21", "r22", "r23", "r31", "r32", "r33",
    "vx", "vy", "vz", "wx", "wy", "wz",
    "q0", "q1", "q2", "q3",
    "p11", "p12", "p13", "p21", "p22", "p23", "p31", "p32", "p33",
    "turned1", "turned2", "turned3", "spin", "spare",
)  # fmt: skip
STRIDE = 36
"""Numbers in one body record. Record 0 is the ground."""

WIDTH = 6
"""Velocities of one body."""

OWN = 7
"""Numbers of one body behind the velocities in y: q, φ₀."""

AXES = 4
"""Numbers of one body in PRINCIPAL: the quaternion of the body's axes as seen from its principal axes."""

BODY = np.dtype([(name, np.float64) for name in FIELDS])


@jit
def turn(bodies, b, x, y, z):
    """Vector (x, y, z) of body ``b`` in global axes: R s'."""
    r = b + R
    return (
        bodies[r] * x + bodies[r + 1] * y + bodies[r + 2] * z,
        bodies[r + 3] * x + bodies[r + 4] * y + bodies[r + 5] * z,
        bodies[r + 6] * x + bodies[r + 7] * y + bodies[r + 8] * z,
    )


@jit
def cross(ax, ay, az, bx, by, bz):
    return ay * bz - az * by, az * bx - ax * bz, ax * by - ay * bx


@jit
def exponential(x, y, z):
    """The quaternion of the rotation vector (x, y, z)."""
    square = x * x + y * y + z * z
    if square < 1e-6:  # sin(½a)/a and cos(½a) by their series, to rounding
        share = 0.5 - square / 48.0 + square * square / 3840.0
        return 1.0 - square / 8.0 + square * square / 384.0, share * x, share * y, share * z
    angle = math.sqrt(square)
    share = math.sin(0.5 * angle) / angle
    return math.cos(0.5 * angle), share * x, share * y, share * z


@jit
def multiply(aw, ax, ay, az, bw, bx, by, bz):
    """The rotation ``b``, then ``a``; seen from the body: first a, then b about the axes it has turned."""
    return (
        aw * bw - ax * bx - ay * by - az * bz,
        aw * bx + ax * bw + ay * bz - az * by,
        aw * by - ax * bz + ay * bw + az * bx,
        aw * bz + ax * by - ay * bx + az * bw,
    )


@jit
def put_matrix(w, x, y, z, out):
    """The rotation matrix of a quaternion, row by row; it is scaled to unit length first."""
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
def put_body(place, velocity, w, x, y, z, axes, body):
    """A record from position, velocities, quaternion of the principal axes; ``axes``: the body's, seen from them."""
    p = offset(body, P)
    r = offset(body, R)
    put_matrix(w, x, y, z, p)
    w, x, y, z = multiply(w, x, y, z, axes[0], axes[1], axes[2], axes[3])
    put_matrix(w, x, y, z, r)
    length = math.sqrt(w * w + x * x + y * y + z * z)
    body[Q] = w / length
    body[Q + 1] = x / length
    body[Q + 2] = y / length
    body[Q + 3] = z / length
    for d in range(3):
        body[X + d] = place[d]
        body[VX + d] = velocity[d]
        body[WX + d] = p[3 * d] * velocity[3] + p[3 * d + 1] * velocity[4] + p[3 * d + 2] * velocity[5]
    body[SPIN_SPEED] = math.sqrt(velocity[3] ** 2 + velocity[4] ** 2 + velocity[5] ** 2)


@jit
def put_turned(phi, body):
    """φ along the body's axes: Rᵀ P φ."""
    p = offset(body, P)
    r = offset(body, R)
    x = p[0] * phi[0] + p[1] * phi[1] + p[2] * phi[2]
    y = p[3] * phi[0] + p[4] * phi[1] + p[5] * phi[2]
    z = p[6] * phi[0] + p[7] * phi[1] + p[8] * phi[2]
    for d in range(3):
        body[TURNED + d] = r[d] * x + r[3 + d] * y + r[6 + d] * z


@jit
def references(y, model):
    """Where q and φ₀ of the bodies are."""
    if model.reference_orientation != 0:
        return floats(model.reference_orientation)
    return offset(y, 2 * model.n_velocities)


@jit
def orientation(phi, own):
    """q ⊗ exp((φ − φ₀)/2)."""
    w, x, y, z = exponential(phi[0] - own[4], phi[1] - own[5], phi[2] - own[6])
    return multiply(own[0], own[1], own[2], own[3], w, x, y, z)


@kernel(LOAD, MODEL)
def load(y, model):
    """Body records from the state."""
    bodies = floats(model.bodies)
    own = references(y, model)
    n = model.n_velocities
    for i in range(model.n_bodies):
        place = offset(y, i * WIDTH)
        w, qx, qy, qz = orientation(offset(place, 3), offset(own, i * OWN))
        axes = offset(floats(model.principal_axes), i * AXES)
        body = offset(bodies, (i + 1) * STRIDE)
        put_body(place, offset(y, n + i * WIDTH), w, qx, qy, qz, axes, body)
        put_turned(offset(place, 3), body)


@kernel(SPIN, MODEL)
def spin(y, ydot, model):
    """Rates of q and φ₀."""
    n = model.n_velocities
    for i in range(model.n_bodies):
        own = offset(y, 2 * n + i * OWN)
        rate = offset(ydot, 2 * n + i * OWN)
        omega = offset(y, n + i * WIDTH + 3)
        w, qx, qy, qz = multiply(own[0], own[1], own[2], own[3], 0.0, omega[0], omega[1], omega[2])
        rate[0] = 0.5 * w
        rate[1] = 0.5 * qx
        rate[2] = 0.5 * qy
        rate[3] = 0.5 * qz
        for d in range(3):
            rate[4 + d] = omega[d]


@kernel(LOAD, MODEL)
def absorb(y, model):
    """Take what corrections have made of φ into q, and give it unit length."""
    own = references(y, model)
    for i in range(model.n_bodies):
        phi = offset(y, i * WIDTH + 3)
        mine = offset(own, i * OWN)
        w, qx, qy, qz = orientation(phi, mine)
        length = math.sqrt(w * w + qx * qx + qy * qy + qz * qz)
        mine[0] = w / length
        mine[1] = qx / length
        mine[2] = qy / length
        mine[3] = qz / length
        for d in range(3):
            mine[4 + d] = phi[d]


@kernel(FINISH, MODEL)
def turn_rows(model):
    """Second halves of Φ_q: from angular velocities in global axes to those in principal axes."""
    bodies = floats(model.bodies)
    for k in range(model.n_jacobian_blocks):
        block = JACOBIAN_BLOCK(model.jacobian_blocks, k)
        c = block.velocity_index
        if c % WIDTH == 3:
            jac = offset(floats(model.Phi_q), block.jacobian_offset)
            p = offset(bodies, (c // WIDTH + 1) * STRIDE + P)
            x = jac[0]
            y = jac[1]
            z = jac[2]
            for d in range(3):
                jac[d] = p[d] * x + p[3 + d] * y + p[6 + d] * z


@kernel(FINISH, MODEL)
def turn_forces(model):
    """Torques from global to principal axes, and the gyroscopic ones, −ω × I ω."""
    bodies = floats(model.bodies)
    mass = floats(model.mass)
    top = floats(model.rhs_motion)
    for i in range(model.n_bodies):
        b = offset(bodies, (i + 1) * STRIDE)
        p = offset(b, P)
        torque = offset(top, i * WIDTH + 3)
        inertia = offset(mass, i * WIDTH + 3)
        tx = torque[0]
        ty = torque[1]
        tz = torque[2]
        wx = p[0] * b[WX] + p[3] * b[WY] + p[6] * b[WZ]
        wy = p[1] * b[WX] + p[4] * b[WY] + p[7] * b[WZ]
        wz = p[2] * b[WX] + p[5] * b[WY] + p[8] * b[WZ]
        torque[0] = p[0] * tx + p[3] * ty + p[6] * tz + (inertia[1] - inertia[2]) * wy * wz
        torque[1] = p[1] * tx + p[4] * ty + p[7] * tz + (inertia[2] - inertia[0]) * wz * wx
        torque[2] = p[2] * tx + p[5] * ty + p[8] * tz + (inertia[0] - inertia[1]) * wx * wy
