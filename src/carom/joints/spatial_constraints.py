"""Constraint rows of spatial joints (Haug 1989, ch. 9): Φ, Φ_q and γ of each.

For each body a row of Φ_q has three numbers that multiply the velocity of the centre of mass and three that multiply
the angular velocity, both in global axes. γ is −Φ̈ without the terms of the accelerations. ``a`` and ``b`` are body
records, and ``params`` has the fields of `SPATIAL_MARKERS` that a row uses.
"""

from __future__ import annotations

import math

from carom.joints.base import Coordinate
from carom.joints.spatial_markers import SPATIAL_MARKERS
from carom.joints.stop_gaps import HINGE_STOP, SPATIAL_STOP
from carom.kernels import JOINT, jit, kernel, offset
from carom.mechanics.spatial_body import body_at
from carom.mechanics.vector3 import (
    add,
    angular_velocity,
    centripetal,
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

ROW_SIZE = 12
"""Numbers in a row of Φ_q of two bodies."""


@jit
def dot_product_bias(wa, wb, u, w):
    """Return (u·w)'' without the angular accelerations, for u fixed in a and w fixed in b [1/s²]."""
    both = 2.0 * dot(cross(wa, u), cross(wb, w))
    return dot(centripetal(wa, u), w) + both + dot(u, centripetal(wb, w))


@jit
def dot_row(a, b, u, w, Phi, Phi_q, gamma_c):
    """Evaluate the row u·w, with u fixed in a and w fixed in b, both in global axes."""
    zero = scale(0.0, u)
    torque = cross(u, w)
    Phi[0] = dot(u, w)
    store(Phi_q, zero)
    store(offset(Phi_q, 3), torque)
    store(offset(Phi_q, 6), zero)
    store(offset(Phi_q, 9), scale(-1.0, torque))
    gamma_c[0] = -dot_product_bias(angular_velocity(a), angular_velocity(b), u, w)


@jit
def relative_point_row(a, b, n, sb, Phi_q):
    """Store the Jacobian of n·p and return n·p̈ without accelerations; p is the point of b in axes of a, n fixed in a.

    p̈ = d̈ − α_a × d − 2 ω_a × ḋ + ω_a × (ω_a × d), with d from the centre of mass of a to the point.
    """
    wa = angular_velocity(a)
    d = subtract(add(position(b), sb), position(a))
    rate = subtract(velocity_at(b, sb), velocity(a))
    store(Phi_q, scale(-1.0, n))
    store(offset(Phi_q, 3), cross(n, d))
    store(offset(Phi_q, 6), n)
    store(offset(Phi_q, 9), cross(sb, n))
    bias = add(centripetal(angular_velocity(b), sb), centripetal(wa, d))
    return dot(n, bias) - 2.0 * dot(n, cross(wa, rate))


@jit
def translation_row(a, b, params, u, Phi, Phi_q, gamma_c):
    """Evaluate the row u·(p_b − p_a) [m], with u fixed in a, in global axes."""
    sa = rotated(a, params.s_a)
    sb = rotated(b, params.s_b)
    gap = subtract(add(position(b), sb), add(position(a), sa))
    Phi[0] = dot(u, gap)
    gamma_c[0] = -relative_point_row(a, b, u, sb, Phi_q)


@jit
def point_rows(a, b, params, Phi, Phi_q, gamma_c):
    """Evaluate three rows, p_b − p_a in global axes [m]."""
    sa = rotated(a, params.s_a)
    sb = rotated(b, params.s_b)
    store(Phi, subtract(add(position(b), sb), add(position(a), sa)))
    store(gamma_c, subtract(centripetal(angular_velocity(a), sa), centripetal(angular_velocity(b), sb)))
    for k in range(3):
        row = offset(Phi_q, ROW_SIZE * k)
        for d in range(ROW_SIZE):
            row[d] = 0.0
        row[k] = -1.0
        row[6 + k] = 1.0
        i = (k + 1) % 3
        j = (k + 2) % 3
        # e_k × s_a and s_b × e_k
        row[3 + i] = -sa[j]
        row[3 + j] = sa[i]
        row[9 + i] = sb[j]
        row[9 + j] = -sb[i]


@jit
def parallel_axis_rows(a, b, params, Phi, Phi_q, gamma_c):
    """Evaluate two rows that keep z_b parallel to z_a: x_a·z_b and y_a·z_b."""
    z = rotated(b, params.z_b)
    dot_row(a, b, rotated(a, params.x_a), z, Phi, Phi_q, gamma_c)
    y = rotated(a, params.y_a)
    dot_row(a, b, y, z, offset(Phi, 1), offset(Phi_q, ROW_SIZE), offset(gamma_c, 1))


@jit
def point_on_line_rows(a, b, params, Phi, Phi_q, gamma_c):
    """Evaluate two rows that keep p_b on the line through p_a along z_a: x_a·(p_b − p_a) and y_a·(p_b − p_a) [m]."""
    x = rotated(a, params.x_a)
    y = rotated(a, params.y_a)
    translation_row(a, b, params, x, Phi, Phi_q, gamma_c)
    translation_row(a, b, params, y, offset(Phi, 1), offset(Phi_q, ROW_SIZE), offset(gamma_c, 1))


@jit
def orientation_rows(a, b, params, Phi, Phi_q, gamma_c):
    """Evaluate three rows that keep the axes of b parallel to those of a: x_a·y_b, y_a·z_b and z_a·x_b."""
    xa = rotated(a, params.x_a)
    ya = rotated(a, params.y_a)
    za = rotated(a, params.z_a)
    xb = rotated(b, params.x_b)
    yb = rotated(b, params.y_b)
    zb = rotated(b, params.z_b)
    dot_row(a, b, xa, yb, Phi, Phi_q, gamma_c)
    dot_row(a, b, ya, zb, offset(Phi, 1), offset(Phi_q, ROW_SIZE), offset(gamma_c, 1))
    dot_row(a, b, za, xb, offset(Phi, 2), offset(Phi_q, 2 * ROW_SIZE), offset(gamma_c, 2))


@jit
def distance_row(a, b, params, Phi, Phi_q, gamma_c):
    """Evaluate the row |p_b − p_a| [m]."""
    sa = rotated(a, params.s_a)
    sb = rotated(b, params.s_b)
    gap = subtract(add(position(b), sb), add(position(a), sa))
    rate = subtract(velocity_at(b, sb), velocity_at(a, sa))
    length = math.sqrt(dot(gap, gap))
    u = scale(1.0 / length, gap)
    length_rate = dot(u, rate)
    Phi[0] = length
    store(Phi_q, scale(-1.0, u))
    store(offset(Phi_q, 3), cross(u, sa))
    store(offset(Phi_q, 6), u)
    store(offset(Phi_q, 9), cross(sb, u))
    bias = subtract(centripetal(angular_velocity(b), sb), centripetal(angular_velocity(a), sa))
    gamma_c[0] = -dot(u, bias) - (dot(rate, rate) - length_rate * length_rate) / length


@jit
def angle_between(wa, wb, x, y, w):
    """Return the angle of w, fixed in b, from x towards y, fixed in a: atan2(y·w, x·w) [rad].

    Returns also its gradient with respect to the rotation of a (that of b has the opposite sign), and its second
    derivative without accelerations [rad/s²].
    """
    c = dot(x, w)
    s = dot(y, w)
    square = c * c + s * s
    x_w = cross(x, w)
    y_w = cross(y, w)
    spin = subtract(wa, wb)
    c1 = dot(spin, x_w)
    s1 = dot(spin, y_w)
    c2 = dot_product_bias(wa, wb, x, w)
    s2 = dot_product_bias(wa, wb, y, w)
    gradient = scale(1.0 / square, subtract(scale(c, y_w), scale(s, x_w)))
    bias = (c * s2 - s * c2) / square - 2.0 * (c * c1 + s * s1) * (c * s1 - s * c1) / (square * square)
    return math.atan2(s, c), gradient, bias


@jit
def angle_row(a, b, x, y, w, Phi, Phi_q, gamma_c):
    """Evaluate the row of the angle of `angle_between`, in (−π, π]."""
    Phi[0], gradient, bias = angle_between(angular_velocity(a), angular_velocity(b), x, y, w)
    zero = scale(0.0, x)
    store(Phi_q, zero)
    store(offset(Phi_q, 3), gradient)
    store(offset(Phi_q, 6), zero)
    store(offset(Phi_q, 9), scale(-1.0, gradient))
    gamma_c[0] = -bias


@jit
def axis_angle_row(a, b, params, Phi, Phi_q, gamma_c):
    """Evaluate the row of the angle of x_b about z_a, from x_a [rad]."""
    x = rotated(a, params.x_a)
    y = rotated(a, params.y_a)
    angle_row(a, b, x, y, rotated(b, params.x_b), Phi, Phi_q, gamma_c)


@kernel(JOINT, SPATIAL_MARKERS)
def angle(bodies, body_offsets, params, Phi, Phi_q, gamma_c):
    """Evaluate the angle of the marker of b about the z-axis of the marker of a [rad]."""
    a = body_at(bodies, body_offsets[0])
    b = body_at(bodies, body_offsets[1])
    axis_angle_row(a, b, params, Phi, Phi_q, gamma_c)


@kernel(JOINT, SPATIAL_MARKERS)
def displacement(bodies, body_offsets, params, Phi, Phi_q, gamma_c):
    """Evaluate the displacement of the marker of b along the z-axis of the marker of a [m]."""
    a = body_at(bodies, body_offsets[0])
    b = body_at(bodies, body_offsets[1])
    translation_row(a, b, params, rotated(a, params.z_a), Phi, Phi_q, gamma_c)


axis_angle = Coordinate(angle, "rad", "rad/s", periodic=True, stop=HINGE_STOP)
"""Angle of the marker of b about the z-axis of the marker of a."""

axis_displacement = Coordinate(displacement, "m", "m/s", stop=SPATIAL_STOP)
"""Displacement of the marker of b along the z-axis of the marker of a."""
