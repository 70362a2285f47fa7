"""Closed contacts of a step: detection at the midpoint, and their rows for the sweeps.

The rule is that of `carom.solve.timestepping.active_contacts`: contacts with g(q_M) ≤ 0 are closed, and contacts whose
gap the forces of the step can close. Velocities and impulses of a contact are vectors in global axes.
"""

from __future__ import annotations

import math

from carom.compiled_model.many_body_records import BODY_PAIR_DATA, PAIR_KIND
from carom.geometry.pairs.base import PAIR_OUTPUT
from carom.kernels import floats, ints, jit, offset
from carom.laws.impact_law import IMPACT_LAW_DATA
from carom.mechanics.spatial_body import cross
from carom.solve.many_body.contact_sweeps import add_impulse, relative_velocity
from carom.solve.many_body.effective_masses import store_effective_masses
from carom.solve.many_body.pair_geometry import evaluate_pair, poses_of
from carom.solve.many_body.records import MANY_BODY, NEIGHBOUR_ENTRY, WORKSPACE
from carom.solve.many_body.rigid_mechanism import store_responses
from carom.solve.many_body.rigid_motion import start_body
from carom.solve.many_body.rigid_records import (
    BODY_VELOCITY,
    CAPACITY_EXCEEDED,
    CONTACT_ROW,
    COUPLED,
    DETECTED_CONTACT,
    FINISHED,
    GENERAL_INERTIA,
    GENERAL_LEVERS,
    ISLAND,
    NOT_FINITE,
    PAIR_IMPULSE,
    RIGID_BODY,
    ROLLING,
    ROW_DATA,
    ROW_IMPULSE,
    SPHERE_ROW,
)
from carom.solve.timestepping.active_contacts import IMPACT_SPEED_RATIO

PARALLEL = 1e-26
"""Square of the sine below which a lever arm counts as parallel to the normal [-]."""


@jit(inline=True)
def sphere_geometry(one, two):
    """Return gap, normal and lever arms of two centred spheres [m]; the contact point lies midway between them."""
    nx = one.r[0] - two.r[0]
    ny = one.r[1] - two.r[1]
    nz = one.r[2] - two.r[2]
    distance = math.sqrt(nx * nx + ny * ny + nz * nz)
    gap = distance - one.bounding_radius - two.bounding_radius
    if distance > 0.0:
        scale = 1.0 / distance
        nx *= scale
        ny *= scale
        nz *= scale
    else:
        nx = 1.0
    a = -one.bounding_radius - 0.5 * gap
    b = two.bounding_radius + 0.5 * gap
    return gap, nx, ny, nz, a * nx, a * ny, a * nz, b * nx, b * ny, b * nz


@jit
def pair_geometry(rigid, many_body, k, i, j, group_or_kind):
    """Return gap, normal and lever arms of pair ``k`` of the bodies ``i`` and ``j`` in a configuration [m]."""
    one = BODY_PAIR_DATA(many_body.pair_data, i)
    two = BODY_PAIR_DATA(many_body.pair_data, j)
    if group_or_kind >= 0:
        return sphere_geometry(one, two)
    kind = PAIR_KIND(many_body.pair_kinds, -1 - group_or_kind)
    warm_start = offset(floats(many_body.warm_start), k * many_body.warm_start_size)
    pair = PAIR_OUTPUT(WORKSPACE(rigid.workspace).pair_output)
    pose_a, pose_b = poses_of(many_body, kind, i, j)
    sign = evaluate_pair(kind, pose_a, pose_b, warm_start, pair)
    px = pair.force_point[0]
    py = pair.force_point[1]
    pz = pair.force_point[2]
    return (
        pair.gap, sign * pair.normal[0], sign * pair.normal[1], sign * pair.normal[2],
        px - one.r[0], py - one.r[1], pz - one.r[2], px - two.r[0], py - two.r[1], pz - two.r[2],
    )  # fmt: skip


@jit
def normal_change_bound(rigid, k, nx, ny, nz, ax, ay, az):
    """Return the change of the normal velocity of a contact by the forces on one body, without cancellation [m/s]."""
    initial = BODY_VELOCITY(rigid.initial_velocities, k)
    free = BODY_VELOCITY(rigid.free_velocities, k)
    cx, cy, cz = cross(ax, ay, az, nx, ny, nz)
    return (
        abs(nx * (free.v[0] - initial.v[0]))
        + abs(ny * (free.v[1] - initial.v[1]))
        + abs(nz * (free.v[2] - initial.v[2]))
        + abs(cx * (free.omega[0] - initial.omega[0]))
        + abs(cy * (free.omega[1] - initial.omega[1]))
        + abs(cz * (free.omega[2] - initial.omega[2]))
    )


@jit
def compute_max_change(rigid):
    """Compute the largest change of a velocity by forces in the step [m/s]."""
    largest = 0.0
    for k in range(1, rigid.n_bodies + 1):
        body = RIGID_BODY(rigid.bodies, k)
        initial = BODY_VELOCITY(rigid.initial_velocities, k)
        free = BODY_VELOCITY(rigid.free_velocities, k)
        for d in range(3):
            largest = max(largest, abs(free.v[d] - initial.v[d]))
            largest = max(largest, body.extent * abs(free.omega[d] - initial.omega[d]))
    rigid.max_change = largest


@jit
def open_pair(pair):
    """Clear the impulses of a pair that is not closed any more."""
    if pair.status != 0 or pair.P_N != 0.0:
        pair.status = 0
        pair.P_N = 0.0
        for d in range(3):
            pair.P[d] = 0.0
            pair.T[d] = 0.0


@jit
def detect_contacts(rigid):
    """List the closed contacts at the midpoint; return a status, and the first sleeping body in contact or 0."""
    mid = MANY_BODY(rigid.mid)
    first_entry = ints(mid.first_entry)
    count = 0
    sleeper = 0
    max_gap = 2.0 * rigid.h * rigid.max_change if rigid.no_energy_gain != 0 else 0.0
    for i in range(1, rigid.n_bodies + 1):
        one = BODY_PAIR_DATA(mid.pair_data, i)
        is_asleep = RIGID_BODY(rigid.bodies, i).is_asleep != 0
        for k in range(first_entry[i], first_entry[i + 1]):
            entry = NEIGHBOUR_ENTRY(mid.entries, k)
            j = entry.body_b
            group = entry.group_or_kind
            other_is_asleep = RIGID_BODY(rigid.bodies, j).is_asleep != 0
            if is_asleep and (other_is_asleep or j == 0):
                continue
            pair = PAIR_IMPULSE(rigid.pairs, k)
            if group >= 0:
                two = BODY_PAIR_DATA(mid.pair_data, j)
                limit = one.bounding_radius + two.bounding_radius + max_gap
                square = (one.r[0] - two.r[0]) ** 2 + (one.r[1] - two.r[1]) ** 2 + (one.r[2] - two.r[2]) ** 2
                if square > limit * limit:
                    open_pair(pair)
                    continue
            gap, nx, ny, nz, ax, ay, az, bx, by, bz = pair_geometry(rigid, mid, k, i, j, group)
            if gap > max_gap:
                open_pair(pair)
                continue
            if gap != gap:
                return NOT_FINITE, 0
            if gap > 0.0 and pair.status == 0:
                change = normal_change_bound(rigid, i, nx, ny, nz, ax, ay, az)
                change += normal_change_bound(rigid, j, nx, ny, nz, bx, by, bz)
                if gap > 0.5 * rigid.h * change:
                    open_pair(pair)
                    continue
            if is_asleep or (other_is_asleep and j != 0):
                sleeper = i if is_asleep else j
                rigid.n_active = 0
                return FINISHED, sleeper
            contact = DETECTED_CONTACT(rigid.contacts, count)
            contact.pair = k
            contact.body_a = i
            contact.body_b = j
            contact.group = group if group >= 0 else PAIR_KIND(mid.pair_kinds, -1 - group).group
            contact.gap = gap
            contact.n[0] = nx
            contact.n[1] = ny
            contact.n[2] = nz
            contact.a[0] = ax
            contact.a[1] = ay
            contact.a[2] = az
            contact.b[0] = bx
            contact.b[1] = by
            contact.b[2] = bz
            count += 1
    rigid.n_active = count
    return FINISHED, sleeper


@jit
def wake_bodies(rigid, sleeper):
    """Wake the bodies that fell asleep together with ``sleeper``."""
    group = RIGID_BODY(rigid.bodies, sleeper).sleep_group
    for k in range(1, rigid.n_bodies + 1):
        body = RIGID_BODY(rigid.bodies, k)
        if body.is_asleep != 0 and body.sleep_group == group:
            body.is_asleep = 0
            body.n_quiet_steps = 0
            start_body(rigid, k, body)


@jit
def find_closed_contacts(rigid):
    """List the closed contacts, and wake sleeping bodies that a moving one touches; return a status."""
    while True:
        compute_max_change(rigid)
        status, sleeper = detect_contacts(rigid)
        if sleeper == 0:
            return status
        wake_bodies(rigid, sleeper)


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
    """Return True if an island has more contacts than bodies.

    Corrections of slow velocities may then contradict each other, and impulses would increase
    without bound. Such contacts have no corrections; the position projection removes the drift.
    """
    island = ISLAND(rigid.islands, contact.island)
    return island.end_row - island.first_row > island.end_body - island.first_body


@jit
def store_bias(rigid, contact, row, data, law):
    """Store the bias of a contact: the curvature terms and ε γ⁻, so that bodies' velocity + bias = ξ."""
    n = row.n
    gamma = data.gamma_pre
    c = data.curvature
    gamma_N = gamma[0] * n[0] + gamma[1] * n[1] + gamma[2] * n[2]
    if abs(gamma_N) <= rigid.max_change and is_network(rigid, contact):
        for d in range(3):
            row.bias[d] = 0.0
        return
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
    if row.kind & COUPLED != 0 and not store_responses(rigid, row, data):
        return CAPACITY_EXCEEDED
    store_effective_masses(rigid, row, data, floats(rigid.scratch))
    x, y, z = relative_velocity(
        BODY_VELOCITY(rigid.initial_velocities, row.body_a), BODY_VELOCITY(rigid.initial_velocities, row.body_b), row
    )
    if rigid.curvature_correction != 0 and not is_network(rigid, contact):
        store_curvature(rigid, contact, row, data, x, y, z)
    data.gamma_pre[0] = x - data.curvature[0]
    data.gamma_pre[1] = y - data.curvature[1]
    data.gamma_pre[2] = z - data.curvature[2]
    store_bias(rigid, contact, row, data, law)
    warm_start_row(row, ROW_IMPULSE(rigid.impulses, index), data, PAIR_IMPULSE(rigid.pairs, contact.pair))
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
