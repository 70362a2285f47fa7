"""Updates of single contacts in projected Gauss–Seidel sweeps.

A contact changes the velocities of its bodies only. Its normal impulse is projected onto P_N ≥ 0, then its tangential
impulse onto the disc of radius μ P_N (prox). See `carom.solve.many_body.island_solution` for the sweeps.
"""

from __future__ import annotations

import math

from carom.kernels import floats, ints, jit, offset
from carom.solve.many_body.rigid_records import (
    ANGLE,
    BODY_VELOCITY,
    INVERSE_INERTIA,
    RIGID_BODY,
    ROLLING,
)

BODY_SIZE = BODY_VELOCITY.size
"""Numbers of a row of velocities."""


@jit(inline=True)
def relative_velocity(body_a, body_b, row):
    """Return the velocity of the first body relative to the second one at the contact point [m/s].

    That of an `ANGLE` is the relative angular velocity times its length.
    """
    a = row.a
    b = row.b
    v = body_a.v
    w = body_a.omega
    x = v[0] + w[1] * a[2] - w[2] * a[1]
    y = v[1] + w[2] * a[0] - w[0] * a[2]
    z = v[2] + w[0] * a[1] - w[1] * a[0]
    v = body_b.v
    w = body_b.omega
    x -= v[0] + w[1] * b[2] - w[2] * b[1]
    y -= v[1] + w[2] * b[0] - w[0] * b[2]
    z -= v[2] + w[0] * b[1] - w[1] * b[0]
    if row.kind & ANGLE != 0:
        x = row.arm_a * (body_a.omega[0] - w[0])
        y = row.arm_a * (body_a.omega[1] - w[1])
        z = row.arm_a * (body_a.omega[2] - w[2])
    return x, y, z


@jit(inline=True)
def project_impulse(row, cx, cy, cz, x, y, z, px, py, pz):
    """Return the change of the impulse p for the velocity ξ = (x, y, z), and the squared change of ξ_N and ξ_T.

    (cx, cy, cz) is the tangential velocity per normal impulse [1/kg]. The last number is Σ G ΔP², the contribution to
    the norm of the sweep.
    """
    nx = row.n[0]
    ny = row.n[1]
    nz = row.n[2]
    xi_N = x * nx + y * ny + z * nz
    p_N = px * nx + py * ny + pz * nz
    d_N = max(-xi_N * row.inverse_G_N, -p_N)
    radius = row.mu * (p_N + d_N)
    # Tangential part of P − ξ_T/G_T, with the tangential velocity after the change of the normal impulse.
    g = row.inverse_G_T
    tx = px - p_N * nx
    ty = py - p_N * ny
    tz = pz - p_N * nz
    qx = tx - g * (x - xi_N * nx + d_N * cx)
    qy = ty - g * (y - xi_N * ny + d_N * cy)
    qz = tz - g * (z - xi_N * nz + d_N * cz)
    square = qx * qx + qy * qy + qz * qz
    if square > radius * radius:
        scale = radius / math.sqrt(square)
        qx *= scale
        qy *= scale
        qz *= scale
    qx -= tx
    qy -= ty
    qz -= tz
    square = qx * qx + qy * qy + qz * qz
    normal_change = d_N * d_N * row.G_N
    tangential_change = square * row.G_T
    largest = max(normal_change * row.G_N, tangential_change * row.G_T)
    return qx + d_N * nx, qy + d_N * ny, qz + d_N * nz, largest, normal_change + tangential_change


@jit(inline=True)
def extrapolate(values, previous, beta):
    """Add the fraction ``beta`` of the last change to a vector, and store its previous values."""
    for d in range(3):
        value = values[d]
        values[d] = value + beta * (value - previous[d])
        previous[d] = value


@jit
def add_torque(rigid, velocities, k, sign, tx, ty, tz):
    """Add the torque impulse ``sign`` T to the angular velocity of a body without joints."""
    body = BODY_VELOCITY(velocities, k)
    if RIGID_BODY(rigid.bodies, k).is_isotropic != 0:
        i = sign * body.inverse_inertia
        body.omega[0] += i * tx
        body.omega[1] += i * ty
        body.omega[2] += i * tz
        return
    inverse = INVERSE_INERTIA(rigid.inverse_inertias, k)
    body.omega[0] += sign * (inverse.xx * tx + inverse.xy * ty + inverse.xz * tz)
    body.omega[1] += sign * (inverse.xy * tx + inverse.yy * ty + inverse.yz * tz)
    body.omega[2] += sign * (inverse.xz * tx + inverse.yz * ty + inverse.zz * tz)


@jit
def add_to_body(rigid, velocities, k, sign, arm, px, py, pz, tx, ty, tz):
    """Add the impulse ``sign`` p at the lever ``arm`` and the torque impulse ``sign`` T to a body without joints."""
    body = BODY_VELOCITY(velocities, k)
    m = sign * body.inverse_mass
    body.v[0] += m * px
    body.v[1] += m * py
    body.v[2] += m * pz
    add_torque(rigid, velocities, k, sign, tx + arm[1] * pz - arm[2] * py, ty + arm[2] * px - arm[0] * pz,
               tz + arm[0] * py - arm[1] * px)  # fmt: skip


@jit
def add_to_component(rigid, velocities, component, response, n_columns, p0, p1, p2, t0, t1, t2):
    """Add the response of the bodies of a component to impulse p and torque impulse T; return the next response."""
    first = ints(rigid.component_first)
    bodies = ints(rigid.component_bodies)
    for index in range(first[component], first[component + 1]):
        numbers = offset(floats(velocities), bodies[index] * BODY_SIZE)
        for d in range(6):
            total = response[d] * p0 + response[6 + d] * p1 + response[12 + d] * p2
            if n_columns == 6:
                total += response[18 + d] * t0 + response[24 + d] * t1 + response[30 + d] * t2
            numbers[d if d < 3 else d + 1] += total
        response = offset(response, 6 * n_columns)
    return response


@jit
def add_impulse(rigid, velocities, row, data, px, py, pz, tx, ty, tz):
    """Add the impulse p and the torque impulse T of a contact to the velocities of its bodies, of any kind.

    The impulse of an `ANGLE` is a torque impulse divided by its length.
    """
    if row.kind & ANGLE != 0:
        tx = row.arm_a * px
        ty = row.arm_a * py
        tz = row.arm_a * pz
        px = 0.0
        py = 0.0
        pz = 0.0
    a = row.body_a
    b = row.body_b
    component_a = RIGID_BODY(rigid.bodies, a).component
    component_b = RIGID_BODY(rigid.bodies, b).component
    response = offset(floats(rigid.responses), data.response)
    if component_a >= 0:
        response = add_to_component(rigid, velocities, component_a, response, data.n_columns, px, py, pz, tx, ty, tz)
    elif a != 0:
        add_to_body(rigid, velocities, a, 1.0, row.a, px, py, pz, tx, ty, tz)
    if component_b >= 0:
        if component_b != component_a:
            add_to_component(rigid, velocities, component_b, response, data.n_columns, px, py, pz, tx, ty, tz)
    elif b != 0:
        add_to_body(rigid, velocities, b, -1.0, row.b, px, py, pz, tx, ty, tz)


@jit
def project_torque(rigid, velocities, row, data, p_N):
    """Update the torque impulses of rolling and spinning resistance; return the three numbers of `sweep`."""
    body_a = BODY_VELOCITY(velocities, row.body_a)
    body_b = BODY_VELOCITY(velocities, row.body_b)
    n = row.n
    T = data.T
    x = body_a.omega[0] - body_b.omega[0]
    y = body_a.omega[1] - body_b.omega[1]
    z = body_a.omega[2] - body_b.omega[2]
    omega_N = x * n[0] + y * n[1] + z * n[2]
    t_N = T[0] * n[0] + T[1] * n[1] + T[2] * n[2]
    limit = data.spinning_lever * p_N
    d_N = 0.0
    if limit > 0.0 or t_N != 0.0:
        d_N = min(max(t_N - omega_N * data.inverse_G_spinning, -limit), limit) - t_N
    limit = data.rolling_lever * p_N
    sx = T[0] - t_N * n[0]
    sy = T[1] - t_N * n[1]
    sz = T[2] - t_N * n[2]
    g = data.inverse_G_rolling
    qx = sx - g * (x - omega_N * n[0])
    qy = sy - g * (y - omega_N * n[1])
    qz = sz - g * (z - omega_N * n[2])
    square = qx * qx + qy * qy + qz * qz
    if square > limit * limit:
        scale = limit / math.sqrt(square)
        qx *= scale
        qy *= scale
        qz *= scale
    qx -= sx
    qy -= sy
    qz -= sz
    rolling_change = (qx * qx + qy * qy + qz * qz) / g
    spinning_change = d_N * d_N / data.inverse_G_spinning
    qx += d_N * n[0]
    qy += d_N * n[1]
    qz += d_N * n[2]
    T[0] += qx
    T[1] += qy
    T[2] += qz
    before = data.T_before
    along = (qx * (T[0] - before[0]) + qy * (T[1] - before[1]) + qz * (T[2] - before[2])) / g
    add_impulse(rigid, velocities, row, data, 0.0, 0.0, 0.0, qx, qy, qz)
    # As velocities at the contact: |Δω|² times the squared radius of gyration G_N/G_rot.
    return row.G_N * max(rolling_change, spinning_change), rolling_change + spinning_change, along


@jit(inline=True)
def product_of_changes(row, impulse, dx, dy, dz):
    """Return the product of the changes of an impulse in this sweep and since the last one, in the norm of sweeps."""
    P = impulse.P
    before = impulse.before
    return row.G_T * (dx * (P[0] - before[0]) + dy * (P[1] - before[1]) + dz * (P[2] - before[2]))


@jit
def update_general_row(rigid, row, impulse, data, beta):
    """Update a contact of any kind; return the three numbers of `sweep`."""
    velocities = rigid.velocities
    if row.kind & ROLLING != 0:
        extrapolate(data.T, data.T_before, beta)
    x, y, z = relative_velocity(BODY_VELOCITY(velocities, row.body_a), BODY_VELOCITY(velocities, row.body_b), row)
    P = impulse.P
    c = data.coupling
    dx, dy, dz, largest, norm = project_impulse(
        row, c[0], c[1], c[2], x + row.bias[0], y + row.bias[1], z + row.bias[2], P[0], P[1], P[2]
    )
    P[0] += dx
    P[1] += dy
    P[2] += dz
    along = product_of_changes(row, impulse, dx, dy, dz)
    add_impulse(rigid, velocities, row, data, dx, dy, dz, 0.0, 0.0, 0.0)
    if row.kind & ROLLING != 0:
        p_N = P[0] * row.n[0] + P[1] * row.n[1] + P[2] * row.n[2]
        largest_torque, norm_torque, along_torque = project_torque(rigid, velocities, row, data, max(p_N, 0.0))
        largest = max(largest, largest_torque)
        norm += norm_torque
        along += along_torque
    return largest, norm, along


@jit(inline=True)
def update_sphere_row(velocities, row, impulse):
    """Update a contact whose lever arms are parallel to its normal; return the three numbers of `sweep`."""
    body_a = BODY_VELOCITY(velocities, row.body_a)
    body_b = BODY_VELOCITY(velocities, row.body_b)
    arm_a = row.arm_a
    arm_b = row.arm_b
    n = row.n
    # The velocity of the contact point is v + ω × a with a = arm n.
    wx = arm_a * body_a.omega[0] - arm_b * body_b.omega[0]
    wy = arm_a * body_a.omega[1] - arm_b * body_b.omega[1]
    wz = arm_a * body_a.omega[2] - arm_b * body_b.omega[2]
    x = body_a.v[0] - body_b.v[0] + row.bias[0] + wy * n[2] - wz * n[1]
    y = body_a.v[1] - body_b.v[1] + row.bias[1] + wz * n[0] - wx * n[2]
    z = body_a.v[2] - body_b.v[2] + row.bias[2] + wx * n[1] - wy * n[0]
    P = impulse.P
    dx, dy, dz, change, part = project_impulse(row, 0.0, 0.0, 0.0, x, y, z, P[0], P[1], P[2])
    P[0] += dx
    P[1] += dy
    P[2] += dz
    along = product_of_changes(row, impulse, dx, dy, dz)
    tx = n[1] * dz - n[2] * dy
    ty = n[2] * dx - n[0] * dz
    tz = n[0] * dy - n[1] * dx
    m = body_a.inverse_mass
    i = arm_a * body_a.inverse_inertia
    body_a.v[0] += m * dx
    body_a.v[1] += m * dy
    body_a.v[2] += m * dz
    body_a.omega[0] += i * tx
    body_a.omega[1] += i * ty
    body_a.omega[2] += i * tz
    if row.body_b != 0:  # A write to the ground would make independent contacts wait for each other.
        m = body_b.inverse_mass
        i = arm_b * body_b.inverse_inertia
        body_b.v[0] -= m * dx
        body_b.v[1] -= m * dy
        body_b.v[2] -= m * dz
        body_b.omega[0] -= i * tx
        body_b.omega[1] -= i * ty
        body_b.omega[2] -= i * tz
    return change, part, along
