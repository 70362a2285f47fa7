"""State of a body inside a step: position on a quintic, orientation by the rotation vector from the beginning."""

from __future__ import annotations

import math

from carom.kernels import address_of, floats, jit, offset
from carom.mechanics.contact_records import CONTACT_WORKSPACE
from carom.mechanics.spatial_body import (
    N_ORIENTATION,
    N_PRINCIPAL_AXES,
    N_VELOCITIES,
    cross,
    exponential,
    multiply,
    orientation,
    orientation_states,
    store_body,
    store_fixed_body,
    store_rotation_angle,
)

ROUNDING = 1e-15
"""Relative rounding of a coordinate [-]."""


@jit
def quintic(h, s, x0, v0, a0, x1, v1, a1, size):
    """Return value and rate at fraction ``s`` of a step, on the polynomial through both ends with their derivatives.

    ``size`` is that of the numbers which were rounded in x0 and x1. A difference of x1 from the integral of the rates
    is rounding if it is that small: then the rate is the cubic through the rates, whatever is left over a short step.
    """
    d0 = x1 - x0 - h * (v0 + 0.5 * h * a0)
    d1 = h * (v1 - v0 - h * a0)
    d2 = h * h * (a1 - a0)
    c3 = 10.0 * d0 - 4.0 * d1 + 0.5 * d2
    c4 = -15.0 * d0 + 7.0 * d1 - d2
    c5 = 6.0 * d0 - 3.0 * d1 + 0.5 * d2
    x = x0 + s * h * (v0 + 0.5 * s * h * a0) + s * s * s * (c3 + s * (c4 + s * c5))
    excess = d0 - 0.5 * d1 + d2 / 12.0
    if abs(excess) <= ROUNDING * size:
        c3 -= 10.0 * excess
        c4 += 15.0 * excess
        c5 -= 6.0 * excess
    return x, v0 + s * h * a0 + s * s * (3.0 * c3 + s * (4.0 * c4 + s * 5.0 * c5)) / h


@jit
def coordinate_in_step(h, s, i, n, y0, f0, y1, f1):
    """Return coordinate ``i`` of a state with ``n`` velocities and its rate at fraction ``s`` of a step."""
    size = abs(y0[i]) + abs(y1[i])
    return quintic(h, s, y0[i], y0[n + i], f0[n + i], y1[i], y1[n + i], f1[n + i], size)


@jit
def rotation_between(aw, ax, ay, az, bw, bx, by, bz):
    """Return the rotation vector from orientation ``a`` to ``b``, about axes fixed in the body."""
    w, x, y, z = multiply(aw, -ax, -ay, -az, bw, bx, by, bz)
    if w < 0.0:
        w = -w
        x = -x
        y = -y
        z = -z
    size = math.sqrt(x * x + y * y + z * z)
    factor = 2.0
    if size > 1e-8 * w:
        factor = 2.0 * math.atan2(size, w) / size
    elif w > 0.0:
        factor = 2.0 / w
    return factor * x, factor * y, factor * z


@jit
def rotation_vector_rate(x, y, z, wx, wy, wz):
    """Return the rate of the rotation vector θ for angular velocity ω in body axes: J⁻¹ω = ω + ½ θ×ω + c θ×(θ×ω)."""
    square = x * x + y * y + z * z
    c = 1.0 / 12.0 + square / 720.0 + square * square / 30240.0
    ux, uy, uz = cross(x, y, z, wx, wy, wz)
    tx, ty, tz = cross(x, y, z, ux, uy, uz)
    return wx + 0.5 * ux + c * tx, wy + 0.5 * uy + c * ty, wz + 0.5 * uz + c * tz


@jit
def omega_from_rate(x, y, z, rx, ry, rz):
    """Return the angular velocity in body axes for the rate (rx, ry, rz) of the rotation vector: J r."""
    square = x * x + y * y + z * z
    if square < 1e-4:
        b = 0.5 - square / 24.0
        c = 1.0 / 6.0 - square / 120.0
    else:
        angle = math.sqrt(square)
        b = (1.0 - math.cos(angle)) / square
        c = (angle - math.sin(angle)) / (square * angle)
    ux, uy, uz = cross(x, y, z, rx, ry, rz)
    tx, ty, tz = cross(x, y, z, ux, uy, uz)
    return rx - b * ux + c * tx, ry - b * uy + c * ty, rz - b * uz + c * tz


@jit
def interpolate_body(velocity_index, n, y0, f0, y1, f1, h, s, model, body):
    """Store the record of a body at fraction ``s`` of a step.

    Its position is on the quintic through positions, velocities and accelerations at both ends, its orientation on that
    of the rotation vector from the beginning. ``velocity_index`` is −1 for the ground.
    """
    if velocity_index < 0:
        store_fixed_body(body)
        return
    index = velocity_index // N_VELOCITIES
    axes = offset(floats(model.principal_axes), index * N_PRINCIPAL_AXES)
    start = offset(y0, velocity_index)
    moving = offset(y0, n + velocity_index)
    w, x, y, z = orientation(offset(start, 3), offset(orientation_states(y0, model), index * N_ORIENTATION))
    if s == 0.0:
        store_body(start, moving, w, x, y, z, axes, body)
        store_rotation_angle(offset(start, 3), body)
        return
    end = offset(y1, velocity_index)
    a0 = offset(f0, n + velocity_index)
    a1 = offset(f1, n + velocity_index)
    v1 = offset(y1, n + velocity_index)
    position = floats(address_of(CONTACT_WORKSPACE(model.workspace).body_state))
    velocity = offset(position, N_VELOCITIES)
    for d in range(3):
        position[d], velocity[d] = coordinate_in_step(h, s, velocity_index + d, n, y0, f0, y1, f1)
    ew, ex, ey, ez = orientation(offset(end, 3), offset(orientation_states(y1, model), index * N_ORIENTATION))
    tx, ty, tz = rotation_between(w, x, y, z, ew, ex, ey, ez)
    rx, ry, rz = rotation_vector_rate(tx, ty, tz, v1[3], v1[4], v1[5])
    # Its second derivative at the end, J⁻¹α + (J⁻¹)˙ω, with the terms of second order in θ.
    bx, by, bz = rotation_vector_rate(tx, ty, tz, a1[3], a1[4], a1[5])
    ux, uy, uz = cross(rx, ry, rz, v1[3], v1[4], v1[5])
    px, py, pz = cross(tx, ty, tz, v1[3], v1[4], v1[5])
    px, py, pz = cross(rx, ry, rz, px, py, pz)
    qx, qy, qz = cross(tx, ty, tz, ux, uy, uz)
    bx += 0.5 * ux + (px + qx) / 12.0
    by += 0.5 * uy + (py + qy) / 12.0
    bz += 0.5 * uz + (pz + qz) / 12.0
    zero = 0.0
    one = 1.0  # size of the components of a quaternion
    tx, rx = quintic(h, s, zero, moving[3], a0[3], tx, rx, bx, one)
    ty, ry = quintic(h, s, zero, moving[4], a0[4], ty, ry, by, one)
    tz, rz = quintic(h, s, zero, moving[5], a0[5], tz, rz, bz, one)
    ew, ex, ey, ez = exponential(tx, ty, tz)
    w, x, y, z = multiply(w, x, y, z, ew, ex, ey, ez)
    velocity[3], velocity[4], velocity[5] = omega_from_rate(tx, ty, tz, rx, ry, rz)
    store_body(position, velocity, w, x, y, z, axes, body)
    position[3] = start[3] + tx  # ∫ω dt up to less than a revolution, which is what joints need of it
    position[4] = start[4] + ty
    position[5] = start[5] + tz
    store_rotation_angle(offset(position, 3), body)
