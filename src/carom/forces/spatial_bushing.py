"""The kernel of a bushing in space."""

from __future__ import annotations

import math

from carom.kernels import FORCE, jit, kernel, offset
from carom.mechanics.spatial import Q, multiply
from carom.mechanics.vectors import centre, cross, dot, minus, omega, plus, put, speed_at, times, turned, velocity

# Parameters: points, quaternions of the markers of a and of b, stiffness and damping along and about the axes.
SB, AXES_A, AXES_B, STIFFNESS, DAMPING = 3, 6, 10, 14, 20


@jit
def frame(bodies, b, marker):
    """The quaternion of a marker in global axes."""
    q = b + Q
    return multiply(
        bodies[q], bodies[q + 1], bodies[q + 2], bodies[q + 3], marker[0], marker[1], marker[2], marker[3]
    )  # fmt: skip


@jit
def rotated(q, v, way):
    """v turned by the quaternion, or back with way = −1."""
    u = (way * q[1], way * q[2], way * q[3])
    half = cross(u, v)
    return plus(v, times(2.0, plus(times(q[0], half), cross(u, half))))


@jit
def rotation_vector(a, b):
    """That turns the axes ``a`` into ``b``, in axes of a."""
    w, x, y, z = multiply(a[0], -a[1], -a[2], -a[3], b[0], b[1], b[2], b[3])
    if w < 0.0:  # the shorter way
        w = -w
        x = -x
        y = -y
        z = -z
    size = math.sqrt(x * x + y * y + z * z)
    share = 2.0
    if size > 0.0:
        share = 2.0 * math.atan2(size, w) / size
    return share * x, share * y, share * z


@jit
def scaled(numbers, v):
    """Component by component."""
    return numbers[0] * v[0], numbers[1] * v[1], numbers[2] * v[2]


@jit
def moment(phi, m):
    """Torque whose power is m·φ̇: m + ½ φ × m + c φ × (φ × m), from the derivative of the rotation vector φ."""
    square = dot(phi, phi)
    c = 1.0 / 12.0 + square / 720.0
    if square > 1e-4:
        half = 0.5 * math.sqrt(square)
        c = (1.0 - half / math.tan(half)) / square
    across = cross(phi, m)
    return plus(m, plus(times(0.5, across), times(c, cross(phi, across))))


@kernel(FORCE)
def spatial(t, bodies, members, par, out):
    a = members[0]
    b = members[1]
    wa = omega(bodies, a)
    sa = turned(bodies, a, par)
    sb = turned(bodies, b, offset(par, SB))
    axes = frame(bodies, a, offset(par, AXES_A))
    back = -1.0
    forth = 1.0
    arm = minus(plus(centre(bodies, b), sb), centre(bodies, a))
    drift = minus(speed_at(bodies, b, sb), plus(velocity(bodies, a), cross(wa, arm)))
    shift = rotated(axes, minus(arm, sa), back)
    rate = rotated(axes, drift, back)
    phi = rotation_vector(axes, frame(bodies, b, offset(par, AXES_B)))
    spin = rotated(axes, minus(omega(bodies, b), wa), back)
    pull = scaled(offset(par, STIFFNESS), shift)
    twist = scaled(offset(par, STIFFNESS + 3), phi)
    drag = scaled(offset(par, DAMPING), rate)
    brake = scaled(offset(par, DAMPING + 3), spin)
    force = rotated(axes, times(-1.0, plus(pull, drag)), forth)
    torque = rotated(axes, times(-1.0, plus(moment(phi, twist), brake)), forth)
    # Both forces act at the point of b, so that the pair keeps angular momentum.
    put(out, times(-1.0, force))
    put(offset(out, 3), times(-1.0, plus(cross(arm, force), torque)))
    put(offset(out, 6), force)
    put(offset(out, 9), plus(cross(sb, force), torque))
    out[12] = 0.5 * (dot(pull, shift) + dot(twist, phi))
    out[13] = dot(drag, rate) + dot(brake, spin)
    out[14] = 0.0
    put(offset(out, 15), shift)
    put(offset(out, 18), phi)
    put(offset(out, 21), force)
    put(offset(out, 24), torque)
