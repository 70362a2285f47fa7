"""Smooth motion with closed contacts: y' = f(t, y), and the return of a state onto joints and closed contacts.

    M u̇ = h + Φ_qᵀ λ_Φ + W λ,   Φ_q u̇ = γ_Φ,   dγ/dt = w·u̇ + (ẇ·u + dw̃/dt) = 0

in the normal rows of closed contacts and the tangential rows of those that stick; where a contact slides, λ_T = ∓μ λ_N.
The term in brackets is the change of γ(q + s u, u, t + s) with s, by differences of sixth order.
"""

from __future__ import annotations

from carom.kernels import PROJECT, RATE, call_directions, call_gaps, call_project, floats, ints, jit, kernel, offset
from carom.mechanics.kkt import solve
from carom.mechanics.model_record import FORCE_POWER, MODEL, OK
from carom.solve.event_driven.acceleration_bias import find_bias, find_directions
from carom.solve.event_driven.contact_forces import press
from carom.solve.event_driven.records import EVENT_DRIVEN, OPEN, SHARED, SLOWEST
from carom.solve.timestepping.active_contacts import along, delassus, direction, normal, push, respond, velocity
from carom.solve.timestepping.records import STEPPER

ON_CONTACT = 1e-15
"""Gap [m] that closed contacts may keep."""


@jit
def find_forces(t, y, run):
    """Directions, matrix, BIAS and FREE_RATES of the active contacts, their FORCES, and what those do to FREE."""
    stepper = STEPPER(run.stepper)
    active = ints(stepper.active)
    dim = stepper.rows_per_contact
    m = stepper.n_constraints
    free = floats(stepper.u_free)
    joints = floats(stepper.joint_impulses)
    rates = floats(run.gamma_dot_free)
    bias = floats(run.acceleration_bias)
    forces = floats(run.lam)
    find_directions(t, y, stepper)
    respond(stepper)
    delassus(stepper)
    find_bias(t, y, run)
    rows = stepper.n_active * dim
    for row in range(rows):
        rates[row] = along(stepper, active[row // dim], direction(stepper, row // dim, row % dim), free) + bias[row]
    normals_only = False
    press(run, rates, forces, normals_only)
    push(stepper, forces, free)
    for row in range(rows):
        if forces[row] != 0.0:
            response = offset(floats(stepper.joint_impulse_per_unit), row * m)
            for r in range(m):
                joints[r] += forces[row] * response[r]


@kernel(RATE, EVENT_DRIVEN)
def rate(t, y, slope, run):
    """``slope`` = y'; leaves u̇ in FREE, the joints' multipliers in JOINT_IMPULSES, the contacts' FORCES."""
    stepper = STEPPER(run.stepper)
    model = MODEL(stepper.model)
    n = stepper.n_velocities
    m = stepper.n_constraints
    dim = stepper.rows_per_contact
    count = stepper.n_contacts
    free = floats(stepper.u_free)
    joints = floats(stepper.joint_impulses)
    power = FORCE_POWER(model.force_power)
    nu = floats(model.nu)
    gamma = floats(model.gamma_c)
    bottom = floats(model.rhs_constraint)
    acceleration = floats(model.acceleration)
    multipliers = floats(model.lam)
    status = call_project(stepper.evaluate_kernel, t, y, model)
    for r in range(m):
        bottom[r] = gamma[r]
    solve(model)
    for i in range(n):
        free[i] = acceleration[i]
    for r in range(m):
        joints[r] = multipliers[r]
    quadrature = offset(slope, 2 * n)
    quadrature[0] = power.dissipated
    quadrature[1] = power.applied
    losses = offset(quadrature, 3)
    impulses = offset(losses, 2 * count)
    for k in range(count):
        losses[2 * k] = 0.0
        losses[2 * k + 1] = 0.0
        impulses[k] = 0.0
    if stepper.n_active > 0:
        find_forces(t, y, run)
        forces = floats(run.lam)
        active = ints(stepper.active)
        u = offset(y, n)
        for i in range(stepper.n_active):
            k = active[i]
            impulses[k] = forces[i * dim]
            for d in range(1, dim):
                losses[2 * k + 1] -= forces[i * dim + d] * velocity(stepper, k, direction(stepper, i, d), u)
    work = 0.0
    for r in range(m):
        work -= joints[r] * nu[r]
    quadrature[2] = work
    for i in range(n):
        slope[i] = y[n + i]
        slope[n + i] = free[i]
    return status


@jit
def examine(t, y, run):
    """GAPS, SPEEDS and BOUNDS of all contacts."""
    stepper = STEPPER(run.stepper)
    model = MODEL(stepper.model)
    dim = stepper.rows_per_contact
    width = stepper.velocities_per_body
    gaps = floats(run.gaps)
    speeds = floats(run.gamma)
    bounds = floats(run.gap_rate_bound)
    seen = floats(model.gaps)
    u = offset(y, stepper.n_velocities)
    spare = stepper.capacity
    call_gaps(stepper.gaps_kernel, t, y, model)
    for k in range(stepper.n_contacts):
        gaps[k] = seen[k]
        w = normal(stepper, spare)
        call_directions(stepper.directions_kernel, k, w, model)
        places = offset(ints(stepper.velocity_indices), k * stepper.bodies_per_contact)
        bound = abs(w[stepper.bodies_per_contact * width])
        for b in range(stepper.bodies_per_contact):
            v = places[b]
            if v >= 0:
                for j in range(width):
                    bound += abs(w[b * width + j] * u[v + j])
        for d in range(dim):
            speeds[k * dim + d] = velocity(stepper, k, direction(stepper, spare, d), u)
            if d > 0:
                bound += abs(speeds[k * dim + d])
        bounds[k] = bound


@kernel(PROJECT, EVENT_DRIVEN)
def look(t, y, run):
    """Find GAPS, SPEEDS and BOUNDS of all contacts, and the largest of these so far.

    Contacts act on each other: where one is fast, the rounding of its velocity is felt in all.
    """
    examine(t, y, run)
    bounds = floats(run.gap_rate_bound)
    fastest = floats(run.max_gap_rate)
    count = STEPPER(run.stepper).n_contacts
    largest = SLOWEST
    for k in range(count):
        largest = max(largest, bounds[k])
    for k in range(count):
        fastest[k] = max(fastest[k], bounds[k], SHARED * largest)
    return OK


@jit
def settle_joints(t, y, stepper):
    if stepper.project_kernel == 0:
        return OK
    return call_project(stepper.project_kernel, t, y, MODEL(stepper.model))


@jit
def add(stepper, forces, y):
    """y += M⁻¹ W λ."""
    moved = floats(stepper.delta_q)
    for j in range(stepper.n_velocities):
        moved[j] = 0.0
    push(stepper, forces, moved)
    for j in range(stepper.n_velocities):
        y[j] += moved[j]


@kernel(PROJECT, EVENT_DRIVEN)
def hold(t, y, run):
    """Move y onto joints and closed contacts, and its velocities onto what those allow, by the smallest change.

    The velocities change by the impulses that do it, with the friction of contacts that slide.
    """
    stepper = STEPPER(run.stepper)
    model = MODEL(stepper.model)
    active = ints(stepper.active)
    modes = ints(run.modes)
    dim = stepper.rows_per_contact
    given = floats(run.gamma_dot_free)
    forces = floats(run.lam)
    seen = floats(model.gaps)
    u = offset(y, stepper.n_velocities)
    status = settle_joints(t, y, stepper)
    if stepper.n_active == 0:
        return status
    before = 1e300
    normals_only = True
    for _ in range(8):
        status = max(status, call_project(stepper.evaluate_kernel, t, y, model))
        find_directions(t, y, stepper)
        worst = 0.0
        for i in range(stepper.n_active):
            given[i * dim] = seen[active[i]]
            if modes[active[i]] != OPEN:
                worst = max(worst, abs(seen[active[i]]))
        respond(stepper)
        delassus(stepper)
        if worst <= ON_CONTACT or not worst < 0.5 * before:
            break
        before = worst
        press(run, given, forces, normals_only)
        add(stepper, forces, y)
        status = max(status, settle_joints(t, y, stepper))
    for row in range(stepper.n_active * dim):
        given[row] = velocity(stepper, active[row // dim], direction(stepper, row // dim, row % dim), u)
    normals_only = False
    press(run, given, forces, normals_only)
    add(stepper, forces, u)
    return status
