"""Position projection of many bodies: removes the penetration that a step leaves, and accounts for its work.

The rows are those of the velocities: Δq = M⁻¹ W_N λ with 0 ≤ g(q_E) + G_NN λ ⊥ λ ≥ 0, see
`carom.solve.timestepping.position_projection`. A number of sweeps per step is enough, as the next step goes on.
"""

from __future__ import annotations

from carom.kernels import floats, ints, jit
from carom.solve.many_body.contact_sweeps import BODY_SIZE, add_impulse, relative_velocity
from carom.solve.many_body.records import MANY_BODY, NEIGHBOUR_ENTRY
from carom.solve.many_body.rigid_contacts import pair_geometry
from carom.solve.many_body.rigid_mechanism import displace_mechanism
from carom.solve.many_body.rigid_motion import rotate_body, store_configuration
from carom.solve.many_body.rigid_records import (
    BODY_VELOCITY,
    CONTACT_ROW,
    DETECTED_CONTACT,
    ISLAND,
    PAIR_IMPULSE,
    PERSISTENT,
    RIGID_BODY,
    RIGID_COUNTS,
    RIGID_ENERGY,
    ROW_DATA,
    SPHERE_ROW,
)

MAX_SWEEPS = 30
"""Sweeps of the projection per step."""

POSITION_CHANGE = 1e-3
"""Ratio of the change in a sweep to the largest penetration that ends the sweeps [-]."""


@jit
def update_end_gaps(rigid):
    """Compute the gaps of the closed contacts at the end of the step; return the deepest one of a persistent contact.

    Store the largest penetration in the statistics.
    """
    mid = MANY_BODY(rigid.mid)
    other = MANY_BODY(rigid.other)
    min_gap = 0.0
    min_persistent = 0.0
    for index in range(rigid.n_active):
        row = CONTACT_ROW(rigid.rows, index)
        data = ROW_DATA(rigid.row_data, index)
        k = DETECTED_CONTACT(rigid.contacts, data.contact).pair
        group = NEIGHBOUR_ENTRY(mid.entries, k).group_or_kind
        geometry = pair_geometry(rigid, other, k, row.body_a, row.body_b, group)
        data.gap = geometry[0]
        PAIR_IMPULSE(rigid.pairs, k).gap = data.gap
        min_gap = min(min_gap, data.gap)
        if data.status == PERSISTENT:
            min_persistent = min(min_persistent, data.gap)
    RIGID_COUNTS(rigid.counts).penetration = -min_gap
    return min_persistent


@jit
def sweep_positions(rigid, island):
    """Update the multipliers of an island once; return the largest change of a gap [m]."""
    displacements = rigid.previous_velocities
    largest = 0.0
    for index in range(island.first_row, island.end_row):
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
def clear_displacements(rigid):
    """Set all displacements and multipliers to zero; the masses of the bodies are kept."""
    for k in range(rigid.n_bodies + 1):
        source = BODY_VELOCITY(rigid.velocities, k)
        start = k * BODY_SIZE
        for d in range(BODY_SIZE):
            floats(rigid.previous_velocities)[start + d] = 0.0
        target = BODY_VELOCITY(rigid.previous_velocities, k)
        target.inverse_mass = source.inverse_mass
        target.inverse_inertia = source.inverse_inertia
    for index in range(rigid.n_active):
        ROW_DATA(rigid.row_data, index).lam = 0.0


@jit
def move_free_bodies(rigid, displacements):
    """Move the free bodies of all islands; return the work against gravity [J]."""
    g = rigid.gravity
    work = 0.0
    for index in range(ISLAND(rigid.islands, rigid.n_islands - 1).end_body):
        k = ints(rigid.island_bodies)[index]
        body = RIGID_BODY(rigid.bodies, k)
        if body.mechanism_index >= 0:
            continue
        change = BODY_VELOCITY(displacements, k)
        for d in range(3):
            body.r[d] += change.v[d]
            work -= body.mass * g[d] * change.v[d]
        w = change.omega
        if w[0] != 0.0 or w[1] != 0.0 or w[2] != 0.0:
            rotate_body(rigid, body, w[0], w[1], w[2])
        r = body.r
        q = body.quaternion
        store_configuration(MANY_BODY(rigid.other), k, body, r[0], r[1], r[2], q[0], q[1], q[2], q[3])
    return work


@jit
def remove_penetration(t, rigid):
    """Move the bodies at the end ``t`` [s] of the step out of the penetration of persistent contacts."""
    min_gap = update_end_gaps(rigid)
    if rigid.projects_positions == 0 or not min_gap < -rigid.penetration_limit:
        return
    clear_displacements(rigid)
    for i in range(rigid.n_islands):
        island = ISLAND(rigid.islands, i)
        for _ in range(MAX_SWEEPS):
            if not sweep_positions(rigid, island) > -POSITION_CHANGE * min_gap:
                break
    displacements = rigid.previous_velocities
    work = move_free_bodies(rigid, displacements)
    if rigid.stepper != 0:
        work += displace_mechanism(t, rigid, displacements)
    energy = RIGID_ENERGY(rigid.energy)
    if work > energy.lost_in_step:
        energy.projection_work += work - max(energy.lost_in_step, 0.0)
    energy.dissipated -= work
    update_end_gaps(rigid)
