"""Motion of the free bodies in a step of Moreau's midpoint rule.

    q_M = q_A + h/2 u_A,   u_free = u_A + h M⁻¹ f(q_M, u),   q_E = q_M + h/2 u_E

A body with different moments of inertia has ω in principal axes, with the gyroscopic torque −ω × I ω; if the step is
repeated, its ω is the mean of those before and after the step. A body with equal moments has ω in global axes.
"""

from __future__ import annotations

import math

from carom.compiled_model.many_body_records import BODY_PAIR_DATA
from carom.kernels import address_of, floats, jit, offset
from carom.mechanics.spatial_body import exponential, multiply, store_rotation_matrix
from carom.solve.many_body.records import BODY_POSE, MANY_BODY
from carom.solve.many_body.rigid_records import BODY_VELOCITY, INVERSE_INERTIA, RIGID_BODY
from carom.solve.many_body.verlet_motion import to_local

REPEATED_CHANGE = 1e-3
"""Ratio of a change of the free velocities by the gyroscopic torque to the tolerance above which a step is repeated."""


@jit
def store_orientation(w, x, y, z, axes, pose):
    """Store the rotation matrix of the body axes, from the quaternion of the principal axes."""
    w, x, y, z = multiply(w, x, y, z, axes[0], axes[1], axes[2], axes[3])
    store_rotation_matrix(w, x, y, z, offset(floats(address_of(pose)), 3))


@jit
def store_configuration(many_body, k, body, x, y, z, w, qx, qy, qz):
    """Store position and orientation of a free body for pair kernels."""
    data = BODY_PAIR_DATA(many_body.pair_data, k)
    data.r[0] = x
    data.r[1] = y
    data.r[2] = z
    if body.needs_pose != 0:
        pose = BODY_POSE(many_body.poses, k)
        pose.r[0] = x
        pose.r[1] = y
        pose.r[2] = z
        store_orientation(w, qx, qy, qz, body.axes, pose)


@jit
def gyroscopic_rate(body, x, y, z):
    """Return I⁻¹ (−ω × I ω) in principal axes for ω = (x, y, z) [rad/s²]."""
    inertia = body.inertia
    ax = (inertia[1] - inertia[2]) * y * z / inertia[0] if inertia[0] > 0.0 else 0.0
    ay = (inertia[2] - inertia[0]) * z * x / inertia[1] if inertia[1] > 0.0 else 0.0
    az = (inertia[0] - inertia[1]) * x * y / inertia[2] if inertia[2] > 0.0 else 0.0
    return ax, ay, az


@jit
def to_global(R, x, y, z):
    """Return R (x, y, z)."""
    return (
        R[0] * x + R[1] * y + R[2] * z,
        R[3] * x + R[4] * y + R[5] * z,
        R[6] * x + R[7] * y + R[8] * z,
    )


@jit
def to_principal(R, x, y, z):
    """Return Rᵀ (x, y, z)."""
    return (
        R[0] * x + R[3] * y + R[6] * z,
        R[1] * x + R[4] * y + R[7] * z,
        R[2] * x + R[5] * y + R[8] * z,
    )


@jit
def store_inverse_inertia(rigid, k, R, inertia):
    """Store R I⁻¹ Rᵀ of a body; a vanishing moment of inertia counts as infinite."""
    a = 1.0 / inertia[0] if inertia[0] > 0.0 else 0.0
    b = 1.0 / inertia[1] if inertia[1] > 0.0 else 0.0
    c = 1.0 / inertia[2] if inertia[2] > 0.0 else 0.0
    inverse = INVERSE_INERTIA(rigid.inverse_inertias, k)
    inverse.xx = a * R[0] * R[0] + b * R[1] * R[1] + c * R[2] * R[2]
    inverse.xy = a * R[0] * R[3] + b * R[1] * R[4] + c * R[2] * R[5]
    inverse.xz = a * R[0] * R[6] + b * R[1] * R[7] + c * R[2] * R[8]
    inverse.yy = a * R[3] * R[3] + b * R[4] * R[4] + c * R[5] * R[5]
    inverse.yz = a * R[3] * R[6] + b * R[4] * R[7] + c * R[5] * R[8]
    inverse.zz = a * R[6] * R[6] + b * R[7] * R[7] + c * R[8] * R[8]


@jit
def set_velocity(velocity, vx, vy, vz, wx, wy, wz):
    """Store the velocities of a body."""
    velocity.v[0] = vx
    velocity.v[1] = vy
    velocity.v[2] = vz
    velocity.omega[0] = wx
    velocity.omega[1] = wy
    velocity.omega[2] = wz


@jit
def start_body(rigid, k, body):
    """Compute the midpoint and the free velocities of a free body; return True if the neighbour list is outdated."""
    h = rigid.h
    half = 0.5 * h
    v = body.v
    w = body.omega
    q = body.quaternion
    x = body.r[0] + half * v[0]
    y = body.r[1] + half * v[1]
    z = body.r[2] + half * v[2]
    wx = w[0]
    wy = w[1]
    wz = w[2]
    mid = MANY_BODY(rigid.mid)
    turn = 0.0
    qw = 1.0
    qx = 0.0
    qy = 0.0
    qz = 0.0
    if body.needs_pose != 0 or body.is_isotropic == 0:
        qw, qx, qy, qz = exponential(half * wx, half * wy, half * wz)
        qw, qx, qy, qz = multiply(qw, qx, qy, qz, q[0], q[1], q[2], q[3])
        turn = body.rotation_since_list + half * math.sqrt(wx * wx + wy * wy + wz * wz)
    store_configuration(mid, k, body, x, y, z, qw, qx, qy, qz)
    r = body.r
    store_configuration(MANY_BODY(rigid.other), k, body, r[0], r[1], r[2], q[0], q[1], q[2], q[3])
    initial = BODY_VELOCITY(rigid.initial_velocities, k)
    free = BODY_VELOCITY(rigid.free_velocities, k)
    g = rigid.gravity
    fx = wx
    fy = wy
    fz = wz
    if body.is_isotropic == 0:
        R = body.R_mid
        store_rotation_matrix(qw, qx, qy, qz, R)
        store_inverse_inertia(rigid, k, R, body.inertia)
        px, py, pz = to_local(q[0], q[1], q[2], q[3], wx, wy, wz)
        body.omega_principal[0] = px
        body.omega_principal[1] = py
        body.omega_principal[2] = pz
        wx, wy, wz = to_global(R, px, py, pz)
        ax, ay, az = gyroscopic_rate(body, px, py, pz)
        fx, fy, fz = to_global(R, px + h * ax, py + h * ay, pz + h * az)
    set_velocity(initial, v[0], v[1], v[2], wx, wy, wz)
    set_velocity(free, v[0] + h * g[0], v[1] + h * g[1], v[2] + h * g[2], fx, fy, fz)
    x -= body.r_at_list[0]
    y -= body.r_at_list[1]
    z -= body.r_at_list[2]
    # The negated comparison is True for NaN as well.
    return not math.sqrt(x * x + y * y + z * z) + body.extent * turn < rigid.list_displacement_limit


@jit
def repeat_gyroscopic(rigid, k, body):
    """Update the free ω of a body with the mean ω of the step; return the change of ω [rad/s]."""
    h = rigid.h
    w = BODY_VELOCITY(rigid.velocities, k).omega
    free = BODY_VELOCITY(rigid.free_velocities, k)
    p = body.omega_principal
    ex, ey, ez = to_principal(body.R_mid, w[0], w[1], w[2])
    ax, ay, az = gyroscopic_rate(body, 0.5 * (p[0] + ex), 0.5 * (p[1] + ey), 0.5 * (p[2] + ez))
    fx, fy, fz = to_global(body.R_mid, p[0] + h * ax, p[1] + h * ay, p[2] + h * az)
    change = math.sqrt((fx - free.omega[0]) ** 2 + (fy - free.omega[1]) ** 2 + (fz - free.omega[2]) ** 2)
    free.omega[0] = fx
    free.omega[1] = fy
    free.omega[2] = fz
    return change


@jit
def rotate_body(rigid, body, x, y, z):
    """Rotate a body by the rotation vector (x, y, z) about global axes [rad]."""
    q = body.quaternion
    if rigid.is_planar != 0:
        body.angle += z
        q[0] = math.cos(0.5 * body.angle)
        q[3] = math.sin(0.5 * body.angle)
        return
    w, x, y, z = exponential(x, y, z)
    w, x, y, z = multiply(w, x, y, z, q[0], q[1], q[2], q[3])
    # Rounding changes the length only slightly in one step, so one Newton iteration for 1/√ is enough.
    scale = 1.5 - 0.5 * (w * w + x * x + y * y + z * z)
    q[0] = scale * w
    q[1] = scale * x
    q[2] = scale * y
    q[3] = scale * z


@jit
def finish_body(rigid, k, body):
    """Move a free body to the end of the step with the velocities there; return 0, or NaN if they are not finite."""
    half = 0.5 * rigid.h
    end = BODY_VELOCITY(rigid.velocities, k)
    r = BODY_PAIR_DATA(MANY_BODY(rigid.mid).pair_data, k).r
    q = body.quaternion
    zero_or_nan = 0.0
    for d in range(3):
        body.r[d] = r[d] + half * end.v[d]
        body.v[d] = end.v[d]
        zero_or_nan += (end.v[d] + end.omega[d]) * 0.0
    w = body.omega
    if body.is_isotropic != 0:
        x = half * (w[0] + end.omega[0])
        y = half * (w[1] + end.omega[1])
        z = half * (w[2] + end.omega[2])
        rotate_body(rigid, body, x, y, z)
        for d in range(3):
            w[d] = end.omega[d]
    else:
        p = body.omega_principal
        ex, ey, ez = to_principal(body.R_mid, end.omega[0], end.omega[1], end.omega[2])
        x, y, z = to_local(q[0], -q[1], -q[2], -q[3], half * (p[0] + ex), half * (p[1] + ey), half * (p[2] + ez))
        rotate_body(rigid, body, x, y, z)
        w[0], w[1], w[2] = to_local(q[0], -q[1], -q[2], -q[3], ex, ey, ez)
    if body.needs_pose != 0:
        body.rotation_since_list += math.sqrt(x * x + y * y + z * z)
    return zero_or_nan


@jit
def store_begin_configuration(rigid, many_body):
    """Store positions and orientations of the free bodies at the beginning of the step, which are the current ones."""
    for k in range(1, rigid.n_bodies + 1):
        body = RIGID_BODY(rigid.bodies, k)
        if body.mechanism_index < 0:
            r = body.r
            q = body.quaternion
            store_configuration(many_body, k, body, r[0], r[1], r[2], q[0], q[1], q[2], q[3])
