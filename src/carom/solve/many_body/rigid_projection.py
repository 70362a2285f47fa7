"""Position projection of many bodies: removes the penetration that a step leaves, and accounts for its work.

Δq = M⁻¹ W_N λ with 0 ≤ g(q_E) + G_NN λ ⊥ λ ≥ 0 for the closed contacts, and for open ones that Δq could close, with
the directions W_N at the end of the step; see `carom.solve.timestepping.position_projection`. In a large problem a
number of sweeps per step is enough, as the next step continues.
"""

from __future__ import annotations

from carom.compiled_model.many_body_records import BODY_PAIR_DATA, PAIR_KIND
from carom.kernels import floats, ints, jit
from carom.laws.impact_law import IMPACT_LAW_DATA
from carom.solve.many_body.contact_rows import kind_of_row
from carom.solve.many_body.contact_sweeps import BODY_SIZE, add_impulse, relative_velocity
from carom.solve.many_body.effective_masses import store_effective_masses
from carom.solve.many_body.records import MANY_BODY, NEIGHBOUR_ENTRY
from carom.solve.many_body.rigid_contacts import pair_geometry
from carom.solve.many_body.rigid_mechanism import displace_mechanism
from carom.solve.many_body.rigid_motion import rotate_body, store_configuration
from carom.solve.many_body.rigid_records import (
    BODY_VELOCITY,
    CONTACT_ROW,
    COUPLED,
    DETECTED_CONTACT,
    PERSISTENT,
    RIGID_BODY,
    RIGID_COUNTS,
    RIGID_ENERGY,
    ROW_DATA,
    SPHERE_ROW,
)
from carom.solve.many_body.rigid_stops import impulse_of_contact, stop_gap
from carom.solve.many_body.verlet_motion import to_local

MIN_SWEEPS, MAX_SWEEPS, SWEEP_BUDGET = 30, 1000, 10_000
"""Limits of the sweeps over a large and over a small problem in a step, and contacts times sweeps between them."""

POSITION_CHANGE, EXACT_POSITION_CHANGE = 1e-3, 1e-9
"""Ratios of the change in a sweep to the largest penetration that end the sweeps: `MIN_SWEEPS` and more of them [-]."""


@jit
def store_arms(row, n, a, b):
    """Store normal and lever arms in a row or a contact."""
    for d in range(3):
        row.n[d] = n[d]
        row.a[d] = a[d]
        row.b[d] = b[d]


@jit
def store_end_direction(rigid, row, data, n, a, b):
    """Store normal and lever arms at the end of the step in the row of a contact of free bodies."""
    if row.kind & COUPLED != 0:  # the responses of bodies with joints belong to the directions at the midpoint
        return
    store_arms(row, n, a, b)
    if row.kind != SPHERE_ROW:
        store_effective_masses(rigid, row, data, floats(rigid.scratch))


@jit
def update_end_gaps(rigid, stores_directions):
    """Compute the gaps of the closed contacts at the end of the step; return the deepest one of a persistent contact.

    Store the largest penetration in the statistics, and with ``stores_directions`` the directions in the rows.
    """
    mid = MANY_BODY(rigid.mid)
    other = MANY_BODY(rigid.other)
    min_gap = 0.0
    min_persistent = 0.0
    for index in range(rigid.n_active):
        row = CONTACT_ROW(rigid.rows, index)
        data = ROW_DATA(rigid.row_data, index)
        contact = DETECTED_CONTACT(rigid.contacts, data.contact)
        k = contact.pair
        if k < 0:
            data.gap = stop_gap(rigid, -1 - k)
        else:
            group = NEIGHBOUR_ENTRY(mid.entries, k).group_or_kind
            gap, nx, ny, nz, ax, ay, az, bx, by, bz = pair_geometry(rigid, other, k, row.body_a, row.body_b, group)
            data.gap = gap
            if stores_directions:
                store_end_direction(rigid, row, data, (nx, ny, nz), (ax, ay, az), (bx, by, bz))
        impulse_of_contact(rigid, contact).gap = data.gap
        min_gap = min(min_gap, data.gap)
        if data.status == PERSISTENT:
            min_persistent = min(min_persistent, data.gap)
    RIGID_COUNTS(rigid.counts).penetration = -min_gap
    return min_persistent


@jit
def is_movable(rigid, k):
    """Return True for the ground and for awake bodies without joints."""
    body = RIGID_BODY(rigid.bodies, k)
    return k == 0 or (body.is_asleep == 0 and body.mechanism_index < 0)


@jit
def add_near_row(rigid, index, pair, i, entry, geometry):
    """Add the row of an open contact behind those of the closed ones."""
    gap, nx, ny, nz, ax, ay, az, bx, by, bz = geometry
    kind = entry.group_or_kind
    contact = DETECTED_CONTACT(rigid.contacts, index)
    contact.pair = pair
    contact.body_a = i
    contact.body_b = entry.body_b
    contact.group = kind if kind >= 0 else PAIR_KIND(MANY_BODY(rigid.mid).pair_kinds, -1 - kind).group
    row = CONTACT_ROW(rigid.rows, index)
    data = ROW_DATA(rigid.row_data, index)
    row.body_a = contact.body_a
    row.body_b = contact.body_b
    store_arms(contact, (nx, ny, nz), (ax, ay, az), (bx, by, bz))
    store_arms(row, (nx, ny, nz), (ax, ay, az), (bx, by, bz))
    row.kind = kind_of_row(rigid, contact, IMPACT_LAW_DATA(rigid.laws, contact.group))
    store_effective_masses(rigid, row, data, floats(rigid.scratch))
    data.gap = gap
    data.status = 0


@jit
def add_near_rows(rigid, max_gap):
    """Add rows of the open contacts whose gap at the end is less than ``max_gap`` [m]; return the number of all rows.

    The displacements must not close them. Contacts of sleeping bodies and of bodies with joints are not among them.
    """
    mid = MANY_BODY(rigid.mid)
    other = MANY_BODY(rigid.other)
    first_entry = ints(mid.first_entry)
    next_closed = 0
    count = rigid.n_active
    for i in range(1, rigid.n_bodies + 1):
        one = BODY_PAIR_DATA(other.pair_data, i)
        for k in range(first_entry[i], first_entry[i + 1]):
            if next_closed < rigid.n_active and DETECTED_CONTACT(rigid.contacts, next_closed).pair == k:
                next_closed += 1
                continue
            entry = NEIGHBOUR_ENTRY(mid.entries, k)
            j = entry.body_b
            if not (is_movable(rigid, i) and is_movable(rigid, j)):
                continue
            if entry.group_or_kind >= 0:
                two = BODY_PAIR_DATA(other.pair_data, j)
                limit = one.bounding_radius + two.bounding_radius + max_gap
                square = (one.r[0] - two.r[0]) ** 2 + (one.r[1] - two.r[1]) ** 2 + (one.r[2] - two.r[2]) ** 2
                if square >= limit * limit:
                    continue
            geometry = pair_geometry(rigid, other, k, i, j, entry.group_or_kind)
            if geometry[0] < max_gap:
                add_near_row(rigid, count, k, i, entry, geometry)
                count += 1
    return count


@jit
def sweep_positions(rigid, n_rows):
    """Update the multipliers of all rows once; return the largest change of a gap [m]."""
    displacements = rigid.previous_velocities
    largest = 0.0
    for index in range(n_rows):
        row = CONTACT_ROW(rigid.rows, index)
        data = ROW_DATA(rigid.row_data, index)
        n = row.n
        body_a = BODY_VELOCITY(displacements, row.body_a)
        body_b = BODY_VELOCITY(displacements, row.body_b)
        gap = data.gap if data.status == PERSISTENT else max(data.gap, 0.0)
        if row.kind == SPHERE_ROW:  # A normal impulse does not rotate the bodies.
            x = body_a.v[0] - body_b.v[0]
            y = body_a.v[1] - body_b.v[1]
            z = body_a.v[2] - body_b.v[2]
        else:
            x, y, z = relative_velocity(body_a, body_b, row)
        lam = max(data.lam - (gap + x * n[0] + y * n[1] + z * n[2]) * row.inverse_G_N, 0.0)
        change = lam - data.lam
        if change == 0.0:
            continue
        data.lam = lam
        largest = max(largest, abs(change) * row.G_N)
        if row.kind == SPHERE_ROW:
            for d in range(3):
                body_a.v[d] += body_a.inverse_mass * change * n[d]
                if row.body_b != 0:
                    body_b.v[d] -= body_b.inverse_mass * change * n[d]
        else:
            add_impulse(rigid, displacements, row, data, change * n[0], change * n[1], change * n[2], 0.0, 0.0, 0.0)
    return largest


@jit
def clear_displacements(rigid, n_rows):
    """Set all displacements and multipliers to zero; the masses of the bodies are kept."""
    for k in range(rigid.n_bodies + 1):
        source = BODY_VELOCITY(rigid.velocities, k)
        start = k * BODY_SIZE
        for d in range(BODY_SIZE):
            floats(rigid.previous_velocities)[start + d] = 0.0
        target = BODY_VELOCITY(rigid.previous_velocities, k)
        target.inverse_mass = source.inverse_mass
        target.inverse_inertia = source.inverse_inertia
    for index in range(n_rows):
        ROW_DATA(rigid.row_data, index).lam = 0.0


@jit
def turn_body(rigid, body, w):
    """Rotate a body by the rotation vector w, and its angular velocity with it, so that no kinetic energy is added."""
    q = body.quaternion
    omega = body.omega
    x, y, z = to_local(q[0], q[1], q[2], q[3], omega[0], omega[1], omega[2])
    rotate_body(rigid, body, w[0], w[1], w[2])
    omega[0], omega[1], omega[2] = to_local(q[0], -q[1], -q[2], -q[3], x, y, z)


@jit
def move_free_bodies(rigid, displacements):
    """Move the free bodies; return the work against gravity [J]."""
    g = rigid.gravity
    work = 0.0
    for k in range(1, rigid.n_bodies + 1):
        body = RIGID_BODY(rigid.bodies, k)
        if not is_movable(rigid, k):
            continue
        change = BODY_VELOCITY(displacements, k)
        for d in range(3):
            body.r[d] += change.v[d]
            work -= body.mass * g[d] * change.v[d]
        w = change.omega
        if w[0] != 0.0 or w[1] != 0.0 or w[2] != 0.0:
            turn_body(rigid, body, w)
        r = body.r
        q = body.quaternion
        store_configuration(MANY_BODY(rigid.other), k, body, r[0], r[1], r[2], q[0], q[1], q[2], q[3])
    return work


@jit
def remove_penetration(t, rigid):
    """Move the bodies at the end ``t`` [s] of the step out of the penetration of persistent contacts."""
    min_gap = update_end_gaps(rigid, rigid.projects_positions != 0)
    if rigid.projects_positions == 0 or not min_gap < -rigid.penetration_limit:
        return
    n_rows = add_near_rows(rigid, -min_gap)
    clear_displacements(rigid, n_rows)
    max_sweeps = min(max(SWEEP_BUDGET // n_rows, MIN_SWEEPS), MAX_SWEEPS)
    ratio = EXACT_POSITION_CHANGE if max_sweeps > MIN_SWEEPS else POSITION_CHANGE
    for _ in range(max_sweeps):
        if not sweep_positions(rigid, n_rows) > -ratio * min_gap:
            break
    displacements = rigid.previous_velocities
    work = move_free_bodies(rigid, displacements)
    if rigid.stepper != 0:
        work += displace_mechanism(t, rigid, displacements)
    energy = RIGID_ENERGY(rigid.energy)
    if work > energy.lost_in_step:
        energy.projection_work += work - max(energy.lost_in_step, 0.0)
    energy.dissipated -= work
    update_end_gaps(rigid, False)
