"""Contacts of spheres that are updated together in a sweep: one arithmetic instruction for several contacts.

Contacts of one colour have no body in common, so that the result is that of one after the other, bit for bit. Vectors
are stored by component, x of all lanes first; the compiler turns the loop over the lanes into vector instructions
only if all its numbers are in one record. Unused lanes belong to the ground and have no normal.
"""

from __future__ import annotations

import math

from carom.kernels import FLOAT, INT, floats, jit, offset, record
from carom.solve.many_body.rigid_records import BODY_VELOCITY, CONTACT_ROW, ROW_IMPULSE

LANES = 8
"""Contacts of a batch: two or one vector registers of x86-64, four of ARM."""
BODY_SIZE = BODY_VELOCITY.size
"""Numbers of a row of velocities."""
MIN_LANES = 4
"""Contacts below which they are updated one by one."""

SPHERE_BATCH = record(
    body_a=(INT, LANES),
    body_b=(INT, LANES),
    n=(FLOAT, 3 * LANES),
    bias=(FLOAT, 3 * LANES),  # [m/s]
    inverse_G_N=(FLOAT, LANES),  # [kg]
    inverse_G_T=(FLOAT, LANES),  # [kg]
    mu=(FLOAT, LANES),  # [-]
    G_N=(FLOAT, LANES),  # [1/kg]
    G_T=(FLOAT, LANES),  # [1/kg]
    arm_a=(FLOAT, LANES),  # [m]
    arm_b=(FLOAT, LANES),  # [m]
    inverse_mass_a=(FLOAT, LANES),  # [1/kg]
    inverse_mass_b=(FLOAT, LANES),  # [1/kg]
    turn_a=(FLOAT, LANES),  # lever arm times inverse inertia [1/(kg m)]
    turn_b=(FLOAT, LANES),  # [1/(kg m)]
    P=(FLOAT, 3 * LANES),  # [N s]
    before=(FLOAT, 3 * LANES),  # after the sweep before [N s]
    u_a=(FLOAT, 6 * LANES),  # velocity and angular velocity of the first body [m/s, rad/s]
    u_b=(FLOAT, 6 * LANES),  # of the second body [m/s, rad/s]
    change=(FLOAT, LANES),  # largest squared change of a contact velocity [m²/s²]
    norm=(FLOAT, LANES),  # Σ G ΔP² [J]
    along=(FLOAT, LANES),  # Σ G ΔP (P − before) [J]
)
"""Rows of `CONTACT_ROW` and `ROW_IMPULSE`, their bodies during an update, and its results, by lanes."""


@jit
def load_batch(rigid, batch, first_row, count):
    """Copy rows to a batch."""
    for lane in range(LANES):
        row = CONTACT_ROW(rigid.rows, first_row + min(lane, count - 1))
        impulse = ROW_IMPULSE(rigid.impulses, first_row + min(lane, count - 1))
        is_used = 1.0 if lane < count else 0.0
        batch.body_a[lane] = row.body_a if lane < count else 0
        batch.body_b[lane] = row.body_b if lane < count else 0
        body_a = BODY_VELOCITY(rigid.velocities, batch.body_a[lane])
        body_b = BODY_VELOCITY(rigid.velocities, batch.body_b[lane])
        batch.inverse_mass_a[lane] = body_a.inverse_mass
        batch.inverse_mass_b[lane] = body_b.inverse_mass
        batch.turn_a[lane] = row.arm_a * body_a.inverse_inertia
        batch.turn_b[lane] = row.arm_b * body_b.inverse_inertia
        batch.inverse_G_N[lane] = is_used * row.inverse_G_N
        batch.inverse_G_T[lane] = is_used * row.inverse_G_T
        batch.mu[lane] = row.mu
        batch.G_N[lane] = row.G_N
        batch.G_T[lane] = row.G_T
        batch.arm_a[lane] = row.arm_a
        batch.arm_b[lane] = row.arm_b
        for d in range(3):
            batch.n[LANES * d + lane] = is_used * row.n[d]
            batch.bias[LANES * d + lane] = is_used * row.bias[d]
            batch.P[LANES * d + lane] = is_used * impulse.P[d]
            batch.before[LANES * d + lane] = is_used * impulse.P[d]


@jit
def store_batch(rigid, batch, first_row, count):
    """Copy the impulses of a batch to their rows."""
    for lane in range(count):
        impulse = ROW_IMPULSE(rigid.impulses, first_row + lane)
        for d in range(3):
            impulse.P[d] = batch.P[LANES * d + lane]


@jit
def gather_velocities(velocities, batch):
    """Copy the velocities of the bodies to a batch."""
    for lane in range(LANES):
        a = offset(floats(velocities), batch.body_a[lane] * BODY_SIZE)
        b = offset(floats(velocities), batch.body_b[lane] * BODY_SIZE)
        for d in range(3):  # the fourth number is the inverse mass
            batch.u_a[LANES * d + lane] = a[d]
            batch.u_a[LANES * (3 + d) + lane] = a[4 + d]
            batch.u_b[LANES * d + lane] = b[d]
            batch.u_b[LANES * (3 + d) + lane] = b[4 + d]


@jit
def scatter_velocities(velocities, batch):
    """Copy the velocities of a batch to the bodies; that of the ground remains zero."""
    for lane in range(LANES):
        a = offset(floats(velocities), batch.body_a[lane] * BODY_SIZE)
        b = offset(floats(velocities), batch.body_b[lane] * BODY_SIZE)
        for d in range(3):
            a[d] = batch.u_a[LANES * d + lane]
            a[4 + d] = batch.u_a[LANES * (3 + d) + lane]
            b[d] = batch.u_b[LANES * d + lane]
            b[4 + d] = batch.u_b[LANES * (3 + d) + lane]


@jit
def project_lanes(batch, beta):
    """Update the impulses and velocities of a batch as `carom.solve.many_body.contact_sweeps.update_sphere_row`."""
    u_a = batch.u_a
    u_b = batch.u_b
    x_, y_, z_ = 0, LANES, 2 * LANES
    wx_, wy_, wz_ = 3 * LANES, 4 * LANES, 5 * LANES
    for k in range(LANES):
        px = batch.P[x_ + k]
        py = batch.P[y_ + k]
        pz = batch.P[z_ + k]
        bx = px
        by = py
        bz = pz
        px += beta * (px - batch.before[x_ + k])
        py += beta * (py - batch.before[y_ + k])
        pz += beta * (pz - batch.before[z_ + k])
        nx = batch.n[x_ + k]
        ny = batch.n[y_ + k]
        nz = batch.n[z_ + k]
        arm_a = batch.arm_a[k]
        arm_b = batch.arm_b[k]
        wx = arm_a * u_a[wx_ + k] - arm_b * u_b[wx_ + k]
        wy = arm_a * u_a[wy_ + k] - arm_b * u_b[wy_ + k]
        wz = arm_a * u_a[wz_ + k] - arm_b * u_b[wz_ + k]
        x = u_a[x_ + k] - u_b[x_ + k] + batch.bias[x_ + k] + wy * nz - wz * ny
        y = u_a[y_ + k] - u_b[y_ + k] + batch.bias[y_ + k] + wz * nx - wx * nz
        z = u_a[z_ + k] - u_b[z_ + k] + batch.bias[z_ + k] + wx * ny - wy * nx
        xi_N = x * nx + y * ny + z * nz
        p_N = px * nx + py * ny + pz * nz
        d_N = max(-xi_N * batch.inverse_G_N[k], -p_N)
        radius = batch.mu[k] * (p_N + d_N)
        g = batch.inverse_G_T[k]
        tx = px - p_N * nx
        ty = py - p_N * ny
        tz = pz - p_N * nz
        qx = tx - g * (x - xi_N * nx)
        qy = ty - g * (y - xi_N * ny)
        qz = tz - g * (z - xi_N * nz)
        square = qx * qx + qy * qy + qz * qz
        scale = radius / math.sqrt(square)  # before the condition, so that there is no branch
        scale = scale if square > radius * radius else 1.0
        qx = scale * qx - tx
        qy = scale * qy - ty
        qz = scale * qz - tz
        normal_change = d_N * d_N * batch.G_N[k]
        tangential_change = (qx * qx + qy * qy + qz * qz) * batch.G_T[k]
        batch.change[k] = max(normal_change * batch.G_N[k], tangential_change * batch.G_T[k])
        batch.norm[k] = normal_change + tangential_change
        dx = qx + d_N * nx
        dy = qy + d_N * ny
        dz = qz + d_N * nz
        px += dx
        py += dy
        pz += dz
        batch.along[k] = batch.G_T[k] * (dx * (px - bx) + dy * (py - by) + dz * (pz - bz))
        batch.P[x_ + k] = px
        batch.P[y_ + k] = py
        batch.P[z_ + k] = pz
        batch.before[x_ + k] = bx
        batch.before[y_ + k] = by
        batch.before[z_ + k] = bz
        tx = ny * dz - nz * dy
        ty = nz * dx - nx * dz
        tz = nx * dy - ny * dx
        m = batch.inverse_mass_a[k]
        i = batch.turn_a[k]
        u_a[x_ + k] += m * dx
        u_a[y_ + k] += m * dy
        u_a[z_ + k] += m * dz
        u_a[wx_ + k] += i * tx
        u_a[wy_ + k] += i * ty
        u_a[wz_ + k] += i * tz
        m = batch.inverse_mass_b[k]
        i = batch.turn_b[k]
        u_b[x_ + k] -= m * dx
        u_b[y_ + k] -= m * dy
        u_b[z_ + k] -= m * dz
        u_b[wx_ + k] -= i * tx
        u_b[wy_ + k] -= i * ty
        u_b[wz_ + k] -= i * tz


@jit
def update_batch(velocities, batch, beta):
    """Update the contacts of a batch after an extrapolation by ``beta``."""
    gather_velocities(velocities, batch)
    project_lanes(batch, beta)
    scatter_velocities(velocities, batch)
