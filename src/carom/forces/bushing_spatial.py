"""Kernel of `Bushing` in 3D."""

from __future__ import annotations

import math

from carom.joints.spatial_markers import VECTOR
from carom.kernels import FLOAT, FORCE, jit, kernel, offset, record
from carom.mechanics.element_output import force_output, signals_of
from carom.mechanics.spatial_body import body_at, multiply
from carom.mechanics.vector3 import (
    add,
    angular_velocity,
    cross,
    dot,
    position,
    rotated,
    scale,
    store,
    subtract,
    velocity,
    velocity_at,
)

SPATIAL_BUSHING = record(
    s_a=VECTOR,  # point of a in its body axes [m]
    s_b=VECTOR,  # point of b in its body axes [m]
    quaternion_a=(FLOAT, 4),  # axes of the marker of a in its body
    quaternion_b=(FLOAT, 4),  # axes of the marker of b in its body
    stiffness=VECTOR,  # in axes of the marker of a [N/m]
    rotational_stiffness=VECTOR,  # [N m/rad]
    damping=VECTOR,  # [N s/m]
    rotational_damping=VECTOR,  # [N m s/rad]
)
SPATIAL_OUTPUT = force_output("dx dy dz rx ry rz fx fy fz tx ty tz")


@jit
def marker_quaternion(body, marker):
    """Return the quaternion of a marker in global axes."""
    q = body.quaternion
    return multiply(q[0], q[1], q[2], q[3], marker[0], marker[1], marker[2], marker[3])


@jit
def rotate_by(q, v, sign):
    """Return v rotated by the quaternion, or by its inverse for sign = −1."""
    u = (sign * q[1], sign * q[2], sign * q[3])
    half = cross(u, v)
    return add(v, scale(2.0, add(scale(q[0], half), cross(u, half))))


@jit
def rotation_vector(a, b):
    """Return the rotation vector from the axes ``a`` to the axes ``b``, in axes of a [rad]."""
    w, x, y, z = multiply(a[0], -a[1], -a[2], -a[3], b[0], b[1], b[2], b[3])
    if w < 0.0:  # The shorter of the two rotations is used.
        w = -w
        x = -x
        y = -y
        z = -z
    size = math.sqrt(x * x + y * y + z * z)
    factor = 2.0
    if size > 0.0:
        factor = 2.0 * math.atan2(size, w) / size
    return factor * x, factor * y, factor * z


@jit
def multiply_components(k, v):
    """Return the vector of the products k_i v_i."""
    return k[0] * v[0], k[1] * v[1], k[2] * v[2]


@jit
def conjugate_torque(phi, m):
    """Return the torque whose power is m·φ̇ [N m]: m + ½ φ × m + c φ × (φ × m), for the rotation vector φ."""
    square = dot(phi, phi)
    c = 1.0 / 12.0 + square / 720.0
    if square > 1e-4:
        half = 0.5 * math.sqrt(square)
        c = (1.0 - half / math.tan(half)) / square
    phi_m = cross(phi, m)
    return add(m, add(scale(0.5, phi_m), scale(c, cross(phi, phi_m))))


@kernel(FORCE, SPATIAL_BUSHING, SPATIAL_OUTPUT)
def spatial(t, bodies, body_offsets, params, wrenches, output):
    """Evaluate a bushing in 3D."""
    a = body_at(bodies, body_offsets[0])
    b = body_at(bodies, body_offsets[1])
    wa = angular_velocity(a)
    sa = rotated(a, params.s_a)
    sb = rotated(b, params.s_b)
    axes = marker_quaternion(a, params.quaternion_a)
    inverse = -1.0
    forward = 1.0
    arm = subtract(add(position(b), sb), position(a))
    relative_velocity = subtract(velocity_at(b, sb), add(velocity(a), cross(wa, arm)))
    displacement = rotate_by(axes, subtract(arm, sa), inverse)
    rate = rotate_by(axes, relative_velocity, inverse)
    phi = rotation_vector(axes, marker_quaternion(b, params.quaternion_b))
    spin = rotate_by(axes, subtract(angular_velocity(b), wa), inverse)
    spring_force = multiply_components(params.stiffness, displacement)
    spring_moment = multiply_components(params.rotational_stiffness, phi)
    damping_force = multiply_components(params.damping, rate)
    damping_torque = multiply_components(params.rotational_damping, spin)
    force = rotate_by(axes, scale(-1.0, add(spring_force, damping_force)), forward)
    torque = rotate_by(axes, scale(-1.0, add(conjugate_torque(phi, spring_moment), damping_torque)), forward)
    # Both forces act at the point of b, so that the pair conserves angular momentum.
    store(wrenches, scale(-1.0, force))
    store(offset(wrenches, 3), scale(-1.0, add(cross(arm, force), torque)))
    store(offset(wrenches, 6), force)
    store(offset(wrenches, 9), add(cross(sb, force), torque))
    output.potential = 0.5 * (dot(spring_force, displacement) + dot(spring_moment, phi))
    output.dissipated_power = dot(damping_force, rate) + dot(damping_torque, spin)
    output.applied_power = 0.0
    signals = signals_of(output)
    store(signals, displacement)
    store(offset(signals, 3), phi)
    store(offset(signals, 6), force)
    store(offset(signals, 9), torque)
