"""Time step of many rigid bodies: Moreau's midpoint rule with contacts from the neighbour list.

The scheme is that of `carom.solve.timestepping.moreau_midpoint`. The contact problem is solved island by island with
`carom.solve.many_body.island_solution`.
"""

from __future__ import annotations

import math

from carom.kernels import ints, jit, kernel
from carom.kernels.signatures import RUN
from carom.solve.many_body.contact_rows import build_rows, start_from_free_velocities
from carom.solve.many_body.contact_sweeps import relative_velocity
from carom.solve.many_body.island_solution import solve_island
from carom.solve.many_body.islands import find_islands
from carom.solve.many_body.records import MANY_BODY, NEIGHBOUR_ENTRY
from carom.solve.many_body.rigid_contacts import find_closed_contacts, pair_geometry
from carom.solve.many_body.rigid_mechanism import (
    apply_impulses,
    expect_contacts,
    finish_mechanism,
    repeat_mechanism,
    start_mechanism,
    store_current_state,
)
from carom.solve.many_body.rigid_motion import (
    REPEATED_CHANGE,
    finish_body,
    repeat_gyroscopic,
    set_velocity,
    start_body,
    store_configuration,
)
from carom.solve.many_body.rigid_projection import remove_penetration
from carom.solve.many_body.rigid_records import (
    BODY_VELOCITY,
    CHUNK_FULL,
    CLOSED,
    CONTACT_ROW,
    DETECTED_CONTACT,
    FINISHED,
    ISLAND,
    LIST_OUTDATED,
    NOT_FINITE,
    PAIR_IMPULSE,
    PERSISTENT,
    RIGID,
    RIGID_BODY,
    RIGID_COUNTS,
    RIGID_ENERGY,
    RIGID_GROUP_WORK,
    ROW_DATA,
    ROW_IMPULSE,
)
from carom.solve.many_body.rigid_stops import impulse_of_contact
from carom.solve.many_body.verlet_motion import to_local
from carom.solve.timestepping.contact_impulses import MIN_WORK, ROUNDING


@jit
def start_step(t, rigid):
    """Compute midpoints and free velocities of all bodies; return a status."""
    is_outdated = False
    for k in range(1, rigid.n_bodies + 1):
        body = RIGID_BODY(rigid.bodies, k)
        if body.mechanism_index < 0 and body.is_asleep == 0 and start_body(rigid, k, body):
            is_outdated = True
    if rigid.stepper != 0:
        status, mechanism_is_outdated = start_mechanism(t, rigid)
        if status != FINISHED:
            return status
        is_outdated = is_outdated or mechanism_is_outdated
    if is_outdated and rigid.list_is_new == 0:
        return LIST_OUTDATED
    rigid.list_is_new = 0
    return FINISHED


@jit
def solve_contacts(rigid):
    """Compute the velocities at the end of the step from the free ones, island by island."""
    start_from_free_velocities(rigid)
    for i in range(rigid.n_islands):
        solve_island(rigid, ISLAND(rigid.islands, i))


@jit
def repeat_free_bodies(rigid):
    """Update the gyroscopic torques of the free bodies; return True if the step must be repeated."""
    if rigid.has_general_inertia == 0:
        return False
    limit = REPEATED_CHANGE * rigid.tolerance
    repeats = False
    for k in range(1, rigid.n_bodies + 1):
        body = RIGID_BODY(rigid.bodies, k)
        if body.is_isotropic == 0 and body.mechanism_index < 0 and body.is_asleep == 0:
            w = BODY_VELOCITY(rigid.velocities, k).omega
            size = math.sqrt(w[0] * w[0] + w[1] * w[1] + w[2] * w[2])
            repeats = repeat_gyroscopic(rigid, k, body) > limit * size or repeats
    return repeats


@jit
def solve_step(t, rigid):
    """Solve the contact problems of the step, and again with the mean velocities if forces depend on them."""
    solve_contacts(rigid)
    has_impulse = False
    if rigid.stepper != 0:
        has_impulse = apply_impulses(rigid)
    if rigid.repeats_with_mean_velocity == 0:
        return
    repeats = repeat_free_bodies(rigid)
    if rigid.stepper != 0:
        repeats = repeat_mechanism(t, rigid, has_impulse) or repeats
    if repeats:
        solve_contacts(rigid)
        if rigid.stepper != 0:
            apply_impulses(rigid)
            expect_contacts(rigid)


@jit
def status_of_contact(rigid, data, gamma_N, gamma_N_end):
    """Return CLOSED or PERSISTENT for a contact with an impulse, as in `carom.solve.timestepping.contact_impulses`."""
    closing = max(gamma_N - data.gamma_free, 0.0)
    rounding = ROUNDING * (abs(gamma_N) + 2.0 * rigid.max_change)
    return PERSISTENT if 2.0 * gamma_N_end <= closing + rounding else CLOSED


@jit
def complete_contacts(rigid):
    """Store impulses and status of the closed contacts, and the work of the impulses."""
    energy = RIGID_ENERGY(rigid.energy)
    work = 0.0
    scale = 0.0
    for index in range(rigid.n_active):
        row = CONTACT_ROW(rigid.rows, index)
        data = ROW_DATA(rigid.row_data, index)
        P = ROW_IMPULSE(rigid.impulses, index).P
        contact = DETECTED_CONTACT(rigid.contacts, data.contact)
        pair = impulse_of_contact(rigid, contact)
        n = row.n
        a = BODY_VELOCITY(rigid.velocities, row.body_a)
        b = BODY_VELOCITY(rigid.velocities, row.body_b)
        x, y, z = relative_velocity(a, b, row)
        c = data.curvature
        x += c[0]
        y += c[1]
        z += c[2]
        gamma = data.gamma_pre
        P_N = P[0] * n[0] + P[1] * n[1] + P[2] * n[2]
        gamma_N = gamma[0] * n[0] + gamma[1] * n[1] + gamma[2] * n[2]
        gamma_N_end = x * n[0] + y * n[1] + z * n[2]
        data.status = 0
        if P_N > 0.0:
            data.status = status_of_contact(rigid, data, gamma_N, gamma_N_end)
        pair.status = data.status
        pair.P_N = P_N
        pair.group = contact.group
        normal_work = 0.5 * P_N * (gamma_N + gamma_N_end)
        total_work = 0.5 * (P[0] * (gamma[0] + x) + P[1] * (gamma[1] + y) + P[2] * (gamma[2] + z))
        initial_a = BODY_VELOCITY(rigid.initial_velocities, row.body_a)
        initial_b = BODY_VELOCITY(rigid.initial_velocities, row.body_b)
        for d in range(3):
            pair.P[d] = P[d]
            pair.T[d] = data.T[d]
            pair.b[d] = contact.b[d]
            mean = 0.5 * (initial_a.omega[d] - initial_b.omega[d] + a.omega[d] - b.omega[d])
            total_work += data.T[d] * mean
        energy.dissipated -= normal_work
        energy.friction -= total_work - normal_work
        group = RIGID_GROUP_WORK(rigid.group_work, contact.group)
        group.friction -= total_work - normal_work
        if row.mu > 0.0:
            mean_N = 0.5 * (gamma_N + gamma_N_end)
            sx = 0.5 * (gamma[0] + x) - mean_N * n[0]
            sy = 0.5 * (gamma[1] + y) - mean_N * n[1]
            sz = 0.5 * (gamma[2] + z) - mean_N * n[2]
            group.sliding += P_N * math.sqrt(sx * sx + sy * sy + sz * sz)
        work += total_work
        scale += abs(P_N) * (abs(gamma_N) + abs(data.gamma_free))
    energy.lost_in_step = -work
    # The residual of the sweeps may create energy of its own order.
    counts = RIGID_COUNTS(rigid.counts)
    if work > (ROUNDING + 10.0 * max(rigid.tolerance, counts.step_residual)) * scale + MIN_WORK:
        counts.n_energy_gains += 1
        energy.created += work


@jit
def finish_step(t, rigid):
    """Move all bodies to the end of the step; return a status."""
    other = MANY_BODY(rigid.other)
    zero_or_nan = 0.0
    for k in range(1, rigid.n_bodies + 1):
        body = RIGID_BODY(rigid.bodies, k)
        if body.mechanism_index < 0 and body.is_asleep == 0:
            zero_or_nan += finish_body(rigid, k, body)
            r = body.r
            q = body.quaternion
            store_configuration(other, k, body, r[0], r[1], r[2], q[0], q[1], q[2], q[3])
    if rigid.stepper != 0:
        status = finish_mechanism(t, rigid)
        if status != FINISHED:
            return status
        for index in range(rigid.n_mechanism_bodies):
            body = RIGID_BODY(rigid.bodies, ints(rigid.mechanism_bodies)[index])
            for d in range(3):
                zero_or_nan += (body.r[d] + body.v[d] + body.omega[d]) * 0.0
    return FINISHED if zero_or_nan == 0.0 else NOT_FINITE


# ---- sleeping


@jit
def count_quiet_steps(rigid):
    """Count for each body the consecutive steps in which its speed is below the limit."""
    square = rigid.quiet_speed * rigid.quiet_speed
    for k in range(1, rigid.n_bodies + 1):
        body = RIGID_BODY(rigid.bodies, k)
        v = body.v
        w = body.omega
        speed = v[0] * v[0] + v[1] * v[1] + v[2] * v[2]
        rotation = w[0] * w[0] + w[1] * w[1] + w[2] * w[2]
        if speed < square and rotation * body.extent * body.extent < square:
            body.n_quiet_steps += 1
        else:
            body.n_quiet_steps = 0


@jit
def put_to_sleep(rigid, island):
    """Stop the bodies of an island; their kinetic energy is dissipated."""
    bodies = ints(rigid.island_bodies)
    energy = RIGID_ENERGY(rigid.energy)
    group = bodies[island.first_body]
    for index in range(island.first_body, island.end_body):
        k = bodies[index]
        body = RIGID_BODY(rigid.bodies, k)
        v = body.v
        w = body.omega
        q = body.quaternion
        kinetic = body.mass * (v[0] * v[0] + v[1] * v[1] + v[2] * v[2])
        if body.is_isotropic != 0:
            kinetic += body.inertia[0] * (w[0] * w[0] + w[1] * w[1] + w[2] * w[2])
        else:
            x, y, z = to_local(q[0], q[1], q[2], q[3], w[0], w[1], w[2])
            kinetic += body.inertia[0] * x * x + body.inertia[1] * y * y + body.inertia[2] * z * z
        energy.dissipated += 0.5 * kinetic
        body.is_asleep = 1
        body.sleep_group = group
        for d in range(3):
            v[d] = 0.0
            w[d] = 0.0
        set_velocity(BODY_VELOCITY(rigid.velocities, k), 0.0, 0.0, 0.0, 0.0, 0.0, 0.0)
        set_velocity(BODY_VELOCITY(rigid.initial_velocities, k), 0.0, 0.0, 0.0, 0.0, 0.0, 0.0)
        set_velocity(BODY_VELOCITY(rigid.free_velocities, k), 0.0, 0.0, 0.0, 0.0, 0.0, 0.0)
        r = body.r
        store_configuration(MANY_BODY(rigid.mid), k, body, r[0], r[1], r[2], q[0], q[1], q[2], q[3])


@jit
def update_sleep(rigid):
    """Put islands to sleep that rest on the ground and whose bodies have all been quiet for a while."""
    count_quiet_steps(rigid)
    for i in range(rigid.n_islands):
        island = ISLAND(rigid.islands, i)
        if island.has_ground == 0 or island.has_mechanism != 0:
            continue
        n_quiet = rigid.n_quiet_steps
        for index in range(island.first_body, island.end_body):
            n_quiet = min(n_quiet, RIGID_BODY(rigid.bodies, ints(rigid.island_bodies)[index]).n_quiet_steps)
        if n_quiet >= rigid.n_quiet_steps:
            put_to_sleep(rigid, island)


@jit
def update_counts(rigid):
    """Update the statistics after a step."""
    counts = RIGID_COUNTS(rigid.counts)
    counts.n_steps += 1
    counts.sum_of_residuals += counts.step_residual
    counts.step_residual = 0.0
    counts.n_active = rigid.n_active
    counts.n_islands = rigid.n_islands
    counts.max_islands = max(counts.max_islands, rigid.n_islands)
    counts.max_penetration = max(counts.max_penetration, counts.penetration)
    n_asleep = 0
    for k in range(1, rigid.n_bodies + 1):
        n_asleep += RIGID_BODY(rigid.bodies, k).is_asleep
    counts.n_asleep = n_asleep


@jit
def make_step(t, rigid):
    """Make one step from ``t`` [s]; return a status. A step that is not finished may be repeated."""
    status = start_step(t, rigid)
    if status != FINISHED:
        return status
    status = find_closed_contacts(rigid)
    if status != FINISHED:
        return status
    find_islands(rigid)
    status = build_rows(rigid)
    if status != FINISHED:
        return status
    solve_step(t, rigid)
    complete_contacts(rigid)
    status = finish_step(t, rigid)
    if status != FINISHED:
        return status
    if rigid.n_active > 0:
        remove_penetration(t + rigid.h, rigid)
    else:
        RIGID_COUNTS(rigid.counts).penetration = 0.0
    if rigid.quiet_speed > 0.0:
        update_sleep(rigid)
    update_counts(rigid)
    return FINISHED


@kernel(RUN, RIGID)
def run_rigid_steps(rigid):
    """Step until the planned steps are done, the step budget is used, or Python has to help; return a status."""
    n_steps = 0
    while rigid.n_done < rigid.n_planned:
        if n_steps >= rigid.step_budget:
            return CHUNK_FULL
        status = make_step(rigid.t_begin + rigid.n_done * rigid.h, rigid)
        if status != FINISHED:
            return status
        rigid.n_done += 1
        n_steps += 1
    return FINISHED


@kernel(RUN, RIGID)
def load_mechanism(rigid):
    """Copy the state of the mechanism to the bodies before the first step; return a status."""
    store_current_state(rigid)
    return FINISHED


@kernel(RUN, RIGID)
def measure_start_gaps(rigid):
    """Store the gaps of all pairs of the list at the start in the pairs; return a status."""
    mid = MANY_BODY(rigid.mid)
    for i in range(1, rigid.n_bodies + 1):
        for k in range(ints(mid.first_entry)[i], ints(mid.first_entry)[i + 1]):
            entry = NEIGHBOUR_ENTRY(mid.entries, k)
            geometry = pair_geometry(rigid, MANY_BODY(rigid.other), k, i, entry.body_b, entry.group_or_kind)
            PAIR_IMPULSE(rigid.pairs, k).gap = geometry[0]
    return FINISHED


@kernel(RUN, RIGID)
def store_start(rigid):
    """Store the midpoint configuration of the first step, for the first neighbour list; return a status."""
    rigid.list_is_new = 1
    return start_step(rigid.t_begin, rigid)
