"""Diagonal blocks of the Delassus matrix: effective masses of a contact along its normal and tangents."""

from __future__ import annotations

import math

from carom.kernels import jit, offset
from carom.mechanics.contact_friction import perpendicular
from carom.mechanics.spatial_body import cross
from carom.solve.many_body.mechanism_response import add_component_mass
from carom.solve.many_body.rigid_records import (
    ANGLE,
    BODY_VELOCITY,
    COUPLED,
    INVERSE_INERTIA,
    RIGID_BODY,
    ROLLING,
)


@jit
def add_free_mass(rigid, k, arm, K):
    """Add the inverse effective mass of a body without joints at ``arm`` to the symmetric matrix K [1/kg]."""
    if k == 0:
        return
    m = BODY_VELOCITY(rigid.velocities, k).inverse_mass
    x = arm[0]
    y = arm[1]
    z = arm[2]
    if RIGID_BODY(rigid.bodies, k).is_isotropic != 0:
        i = BODY_VELOCITY(rigid.velocities, k).inverse_inertia
        K[0] += m + i * (y * y + z * z)
        K[1] -= i * x * y
        K[2] -= i * x * z
        K[3] += m + i * (x * x + z * z)
        K[4] -= i * y * z
        K[5] += m + i * (x * x + y * y)
        return
    J = INVERSE_INERTIA(rigid.inverse_inertias, k)
    # K = 1/m − [a] J [a] with the rows of [a] J.
    p0 = y * J.xz - z * J.xy
    p1 = y * J.yz - z * J.yy
    p2 = y * J.zz - z * J.yz
    q0 = z * J.xx - x * J.xz
    q1 = z * J.xy - x * J.yz
    q2 = z * J.xz - x * J.zz
    r0 = x * J.xy - y * J.xx
    r1 = x * J.yy - y * J.xy
    K[0] += m + p2 * y - p1 * z
    K[1] += p0 * z - p2 * x
    K[2] += p1 * x - p0 * y
    K[3] += m + q0 * z - q2 * x
    K[4] += q1 * x - q0 * y
    K[5] += m + r1 * x - r0 * y


@jit
def quadratic_form(K, ax, ay, az, bx, by, bz):
    """Return a · K b for the symmetric matrix K = (xx, xy, xz, yy, yz, zz)."""
    return (
        ax * (K[0] * bx + K[1] * by + K[2] * bz)
        + ay * (K[1] * bx + K[3] * by + K[4] * bz)
        + az * (K[2] * bx + K[4] * by + K[5] * bz)
    )


@jit
def largest_in_plane(K, nx, ny, nz):
    """Return the largest eigenvalue of the symmetric matrix K in the plane with the normal n."""
    tx, ty, tz = perpendicular(nx, ny, nz)
    sx, sy, sz = cross(nx, ny, nz, tx, ty, tz)
    a = quadratic_form(K, tx, ty, tz, tx, ty, tz)
    b = quadratic_form(K, sx, sy, sz, sx, sy, sz)
    c = quadratic_form(K, tx, ty, tz, sx, sy, sz)
    return 0.5 * (a + b) + math.sqrt(0.25 * (a - b) ** 2 + c * c)


@jit
def add_free_inertia(rigid, k, J):
    """Add the inverse inertia of a body without joints to the symmetric matrix J [1/(kg m²)]."""
    if k == 0:
        return
    if RIGID_BODY(rigid.bodies, k).is_isotropic != 0:
        i = BODY_VELOCITY(rigid.velocities, k).inverse_inertia
        J[0] += i
        J[3] += i
        J[5] += i
        return
    inverse = INVERSE_INERTIA(rigid.inverse_inertias, k)
    J[0] += inverse.xx
    J[1] += inverse.xy
    J[2] += inverse.xz
    J[3] += inverse.yy
    J[4] += inverse.yz
    J[5] += inverse.zz


@jit
def store_effective_masses(rigid, row, data, K):
    """Store the diagonal blocks of the Delassus matrix of a contact."""
    for d in range(12):
        K[d] = 0.0
    J = offset(K, 6)
    if row.kind & COUPLED != 0:
        add_component_mass(rigid, row, data, K, J)
    if RIGID_BODY(rigid.bodies, row.body_a).component < 0:
        add_free_mass(rigid, row.body_a, row.a, K)
        add_free_inertia(rigid, row.body_a, J)
    if RIGID_BODY(rigid.bodies, row.body_b).component < 0:
        add_free_mass(rigid, row.body_b, row.b, K)
        add_free_inertia(rigid, row.body_b, J)
    nx = row.n[0]
    ny = row.n[1]
    nz = row.n[2]
    if row.kind & ANGLE != 0:  # Its velocity is that of a point at the length ℓ, in every direction.
        for d in range(6):
            K[d] = row.arm_a * row.arm_a * J[d]
    kx = K[0] * nx + K[1] * ny + K[2] * nz
    ky = K[1] * nx + K[3] * ny + K[4] * nz
    kz = K[2] * nx + K[4] * ny + K[5] * nz
    row.G_N = nx * kx + ny * ky + nz * kz
    data.coupling[0] = kx - row.G_N * nx
    data.coupling[1] = ky - row.G_N * ny
    data.coupling[2] = kz - row.G_N * nz
    row.G_T = largest_in_plane(K, nx, ny, nz)
    row.inverse_G_N = inverse_or_zero(row.G_N)
    row.inverse_G_T = inverse_or_zero(row.G_T)
    if row.kind & ROLLING != 0:
        data.inverse_G_rolling = inverse_or_zero(largest_in_plane(J, nx, ny, nz))
        data.inverse_G_spinning = inverse_or_zero(quadratic_form(J, nx, ny, nz, nx, ny, nz))


@jit
def inverse_or_zero(value):
    """Return 1/x, or 0 for a direction in which nothing moves."""
    return 1.0 / value if value > 0.0 else 0.0
