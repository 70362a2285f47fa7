"""Rows of the closed contacts for the sweeps: directions, effective masses, bias and start values at the midpoint.

Velocities and impulses of a contact are vectors in global axes.
"""

from __future__ import annotations

import math

from carom.kernels import floats, ints, jit
from carom.laws.impact_law import IMPACT_LAW_DATA
from carom.mechanics.spatial_body import cross
from carom.solve.many_body.contact_sweeps import add_impulse, relative_velocity
from carom.solve.many_body.effective_masses import store_effective_masses
from carom.solve.many_body.mechanism_response import store_responses
from carom.solve.many_body.records import MANY_BODY, NEIGHBOUR_ENTRY
from carom.solve.many_body.rigid_contacts import pair_geometry
from carom.solve.many_body.rigid_records import (
    ANGLE,
    BODY_VELOCITY,
    CAPACITY_EXCEEDED,
    CONTACT_ROW,
    COUPLED,
    DETECTED_CONTACT,
    FINISHED,
    GENERAL_INERTIA,
    GENERAL_LEVERS,
    ISLAND,
    JOINT_STOP,
    PAIR_IMPULSE,
    RIGID_BODY,
    ROLLING,
    ROW_DATA,
    ROW_IMPULSE,
    SPHERE_ROW,
)
from carom.solve.many_body.rigid_stops import impulse_of_contact
from carom.solve.timestepping.active_contacts import IMPACT_SPEED_RATIO

PARALLEL = 1e-26
"""Square of the sine below which a lever arm counts as parallel to the normal [-]."""


@jit
def is_general(rigid, k):
    """Return True if a body has different moments of inertia."""
    return k != 0 and RIGID_BODY(rigid.bodies, k).is_isotropic == 0


@jit
def is_along(arm, n):
    """Return True if a lever arm is parallel to the normal up to rounding."""
    x, y, z = cross(arm[0], arm[1], arm[2], n[0], n[1], n[2])
    return x * x + y * y + z * z <= PARALLEL * (arm[0] * arm[0] + arm[1] * arm[1] + arm[2] * arm[2])


@jit
def kind_of_row(rigid, contact, law):
    """Return the kind of the row of a contact."""
    a = contact.body_a
    b = contact.body_b
    kind = SPHERE_ROW
    if is_general(rigid, a) or is_general(rigid, b):
        kind |= GENERAL_INERTIA
    if RIGID_BODY(rigid.bodies, a).component >= 0 or RIGID_BODY(rigid.bodies, b).component >= 0:
        kind |= COUPLED
    if law.rolling_lever > 0.0 or law.spinning_lever > 0.0:
        kind |= ROLLING
    if not (is_along(contact.a, contact.n) and (b == 0 or is_along(contact.b, contact.n))):
        kind |= GENERAL_LEVERS
    if contact.pair < 0 and JOINT_STOP(rigid.stops, -1 - contact.pair).length > 0.0:
        kind |= ANGLE
    return kind


@jit
def rotated(ax, ay, az, bx, by, bz, x, y, z):
    """Return (x, y, z) after the smallest rotation that turns the unit vector a into b."""
    wx, wy, wz = cross(ax, ay, az, bx, by, bz)
    c = 1.0 + ax * bx + ay * by + az * bz
    if not c > 1e-6:  # opposite vectors: the rotation is not defined
        return x, y, z
    ux, uy, uz = cross(wx, wy, wz, x, y, z)
    sx, sy, sz = cross(wx, wy, wz, ux, uy, uz)
    return x + ux + sx / c, y + uy + sy / c, z + uz + sz / c


@jit
def store_curvature(rigid, contact, row, data, ux, uy, uz):
    """Store the difference of the contact velocities of u_A between midpoint and beginning of the step [m/s].

    (ux, uy, uz) is the velocity at the midpoint. See `carom.solve.timestepping.active_contacts`.
    """
    mid = MANY_BODY(rigid.mid)
    i = row.body_a
    j = row.body_b
    group = NEIGHBOUR_ENTRY(mid.entries, contact.pair).group_or_kind
    _, nx, ny, nz, ax, ay, az, bx, by, bz = pair_geometry(rigid, MANY_BODY(rigid.other), contact.pair, i, j, group)
    a = RIGID_BODY(rigid.bodies, i)
    b = RIGID_BODY(rigid.bodies, j)
    wx, wy, wz = cross(a.omega[0], a.omega[1], a.omega[2], ax, ay, az)
    sx, sy, sz = cross(b.omega[0], b.omega[1], b.omega[2], bx, by, bz)
    n = row.n
    vx, vy, vz = rotated(nx, ny, nz, n[0], n[1], n[2], a.v[0] + wx - b.v[0] - sx, a.v[1] + wy - b.v[1] - sy,
                         a.v[2] + wz - b.v[2] - sz)  # fmt: skip
    vx = ux - vx
    vy = uy - vy
    vz = uz - vz
    gamma_N = ux * n[0] + uy * n[1] + uz * n[2]
    term = vx * n[0] + vy * n[1] + vz * n[2]
    is_impact = abs(gamma_N) > IMPACT_SPEED_RATIO * abs(term)
    # A pair of shapes may have another closest point at the beginning; such a jump is no curvature.
    if (is_impact and PAIR_IMPULSE(rigid.pairs, contact.pair).status == 0) or n[0] * nx + n[1] * ny + n[2] * nz < 0.5:
        return
    data.curvature[0] = vx
    data.curvature[1] = vy
    data.curvature[2] = vz


@jit
def is_network(rigid, contact):
    """Return True if an island has several bodies and more contacts than bodies.

    The curvature terms of its contacts may contradict each other, so that no velocities of the bodies satisfy them all
    and impulses would increase without bound. They are omitted; the position projection removes the drift. (Restitution
    never contradicts itself: u⁺ = −ε u⁻ satisfies it in all contacts.)
    """
    island = ISLAND(rigid.islands, contact.island)
    n_bodies = island.end_body - island.first_body
    return n_bodies > 1 and island.end_row - island.first_row > n_bodies


@jit
def store_bias(rigid, contact, row, data, law):
    """Store the bias of a contact: the curvature terms and ε γ⁻, so that bodies' velocity + bias = ξ."""
    n = row.n
    gamma = data.gamma_pre
    c = data.curvature
    gamma_N = gamma[0] * n[0] + gamma[1] * n[1] + gamma[2] * n[2]
    eps_N = 1.0 if gamma_N > 0.0 and rigid.no_energy_gain != 0 else law.eps_N
    along_n = (eps_N - law.eps_T) * gamma_N
    for d in range(3):
        row.bias[d] = c[d] + law.eps_T * gamma[d] + along_n * n[d]


@jit
def warm_start_row(row, impulse, data, pair):
    """Start with the impulses of the last step, turned to the current normal."""
    n = row.n
    P = pair.P
    P_N = P[0] * n[0] + P[1] * n[1] + P[2] * n[2]
    start = max(P_N, 0.0)
    for d in range(3):
        impulse.P[d] = P[d] + (start - P_N) * n[d]
        data.T[d] = pair.T[d]


@jit
def add_to_scale(rigid, contact, row, data):
    """Enlarge the velocity scale of the island to that of a contact."""
    x, y, z = relative_velocity(
        BODY_VELOCITY(rigid.free_velocities, row.body_a), BODY_VELOCITY(rigid.free_velocities, row.body_b), row
    )
    n = row.n
    c = data.curvature
    data.gamma_free = (x + c[0]) * n[0] + (y + c[1]) * n[1] + (z + c[2]) * n[2]
    x += row.bias[0]
    y += row.bias[1]
    z += row.bias[2]
    gamma = data.gamma_pre
    island = ISLAND(rigid.islands, contact.island)
    island.scale = max(
        island.scale, x * x + y * y + z * z, gamma[0] * gamma[0] + gamma[1] * gamma[1] + gamma[2] * gamma[2]
    )


@jit
def build_row(rigid, index, contact):
    """Build the row of a contact at the midpoint; return a status."""
    row = CONTACT_ROW(rigid.rows, index)
    data = ROW_DATA(rigid.row_data, index)
    law = IMPACT_LAW_DATA(rigid.laws, contact.group)
    data.contact = ints(rigid.order)[index]
    row.body_a = contact.body_a
    row.body_b = contact.body_b
    row.kind = kind_of_row(rigid, contact, law)
    row.mu = law.mu
    data.rolling_lever = law.rolling_lever
    data.spinning_lever = law.spinning_lever
    for d in range(3):
        row.n[d] = contact.n[d]
        row.a[d] = contact.a[d]
        row.b[d] = contact.b[d]
        data.curvature[d] = 0.0
    row.arm_a = row.a[0] * row.n[0] + row.a[1] * row.n[1] + row.a[2] * row.n[2]
    row.arm_b = row.b[0] * row.n[0] + row.b[1] * row.n[1] + row.b[2] * row.n[2]
    if row.kind & ANGLE != 0:
        row.arm_a = JOINT_STOP(rigid.stops, -1 - contact.pair).length
    if row.kind & COUPLED != 0 and not store_responses(rigid, row, data):
        return CAPACITY_EXCEEDED
    store_effective_masses(rigid, row, data, floats(rigid.scratch))
    x, y, z = relative_velocity(
        BODY_VELOCITY(rigid.initial_velocities, row.body_a), BODY_VELOCITY(rigid.initial_velocities, row.body_b), row
    )
    if rigid.curvature_correction != 0 and contact.pair >= 0 and not is_network(rigid, contact):
        store_curvature(rigid, contact, row, data, x, y, z)
    data.gamma_pre[0] = x - data.curvature[0]
    data.gamma_pre[1] = y - data.curvature[1]
    data.gamma_pre[2] = z - data.curvature[2]
    store_bias(rigid, contact, row, data, law)
    warm_start_row(row, ROW_IMPULSE(rigid.impulses, index), data, impulse_of_contact(rigid, contact))
    return FINISHED


@jit
def build_rows(rigid):
    """Build the rows of all closed contacts in the order of the sweeps; return a status."""
    rigid.response_size = 0
    status = FINISHED
    for index in range(rigid.n_active):
        result = build_row(rigid, index, DETECTED_CONTACT(rigid.contacts, ints(rigid.order)[index]))
        if result != FINISHED:
            status = result
    return status


@jit
def start_from_free_velocities(rigid):
    """Set velocities to the free ones with the current impulses, and the velocity scales of the islands."""
    for k in range(1, rigid.n_bodies + 1):
        free = BODY_VELOCITY(rigid.free_velocities, k)
        velocity = BODY_VELOCITY(rigid.velocities, k)
        for d in range(3):
            velocity.v[d] = free.v[d]
            velocity.omega[d] = free.omega[d]
    for i in range(rigid.n_islands):
        ISLAND(rigid.islands, i).scale = 0.0
    for index in range(rigid.n_active):
        row = CONTACT_ROW(rigid.rows, index)
        data = ROW_DATA(rigid.row_data, index)
        add_to_scale(rigid, DETECTED_CONTACT(rigid.contacts, data.contact), row, data)
        P = ROW_IMPULSE(rigid.impulses, index).P
        T = data.T
        add_impulse(rigid, rigid.velocities, row, data, P[0], P[1], P[2], T[0], T[1], T[2])
    for i in range(rigid.n_islands):
        island = ISLAND(rigid.islands, i)
        island.scale = math.sqrt(island.scale)
