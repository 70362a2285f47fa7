"""Closed contacts of a step, detected at the midpoint; sleeping bodies that a moving one touches wake up.

The rule is that of `carom.solve.timestepping.active_contacts`: contacts with g(q_M) ≤ 0 are closed, and contacts whose
gap the forces of the step can close.
"""

from __future__ import annotations

import math

from carom.compiled_model.many_body_records import BODY_PAIR_DATA, PAIR_KIND
from carom.geometry.pairs.base import PAIR_OUTPUT
from carom.kernels import floats, ints, jit
from carom.mechanics.spatial_body import cross
from carom.solve.many_body.pair_geometry import evaluate_pair, image_of, poses_of, shift_of
from carom.solve.many_body.records import MANY_BODY, NEIGHBOUR_ENTRY, WORKSPACE
from carom.solve.many_body.rigid_motion import start_body
from carom.solve.many_body.rigid_records import (
    BODY_VELOCITY,
    DETECTED_CONTACT,
    FINISHED,
    NOT_FINITE,
    PAIR_IMPULSE,
    RIGID_BODY,
)
from carom.solve.many_body.rigid_stops import add_closed_stops, open_pair
from carom.solve.many_body.warm_starts import warm_start_of


@jit(inline=True)
def sphere_geometry(one, two, sx, sy, sz):
    """Return gap, normal and lever arms of two centred spheres [m]; the contact point lies midway between them.

    The shift s [m] leads from the second body to its image.
    """
    nx = one.r[0] - two.r[0] - sx
    ny = one.r[1] - two.r[1] - sy
    nz = one.r[2] - two.r[2] - sz
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
    sx, sy, sz = shift_of(many_body, k)
    if group_or_kind >= 0:
        return sphere_geometry(one, two, sx, sy, sz)
    kind = PAIR_KIND(many_body.pair_kinds, -1 - group_or_kind)
    warm_start = warm_start_of(many_body, kind, k)
    pair = PAIR_OUTPUT(WORKSPACE(rigid.workspace).pair_output)
    pose_a, pose_b = poses_of(many_body, kind, i, j)
    pose_b = image_of(pose_b, sx, sy, sz, floats(WORKSPACE(rigid.workspace).image_pose))
    sign = evaluate_pair(kind, pose_a, pose_b, warm_start, pair)
    px = pair.force_point[0]
    py = pair.force_point[1]
    pz = pair.force_point[2]
    return (
        pair.gap, sign * pair.normal[0], sign * pair.normal[1], sign * pair.normal[2],
        px - one.r[0], py - one.r[1], pz - one.r[2],
        px - two.r[0] - sx, py - two.r[1] - sy, pz - two.r[2] - sz,
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
def detect_contacts(rigid, max_gap):
    """List the closed contacts at the midpoint; return a status, and the first sleeping body in contact or 0.

    Contacts with a gap above ``max_gap`` [m] are open.
    """
    mid = MANY_BODY(rigid.mid)
    first_entry = ints(mid.first_entry)
    count = 0
    sleeper = 0
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
                sx, sy, sz = shift_of(mid, k)
                x = one.r[0] - two.r[0] - sx
                y = one.r[1] - two.r[1] - sy
                z = one.r[2] - two.r[2] - sz
                square = x * x + y * y + z * z
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
    """List the closed contacts and stops, and wake sleeping bodies that a moving one touches; return a status."""
    while True:
        compute_max_change(rigid)
        max_gap = 2.0 * rigid.h * rigid.max_change if rigid.no_energy_gain != 0 else 0.0
        status, sleeper = detect_contacts(rigid, max_gap)
        if sleeper == 0:
            if status == FINISHED and rigid.n_stops > 0:
                status = add_closed_stops(rigid, max_gap)
            return status
        wake_bodies(rigid, sleeper)
