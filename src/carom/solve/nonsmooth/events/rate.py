"""Smooth motion with closed contacts: y' = f(t, y), and the return of a state onto joints and closed contacts.

    M u̇ = h + Φ_qᵀ λ_Φ + W λ,   Φ_q u̇ = γ_Φ,   dγ/dt = w·u̇ + (ẇ·u + dw̃/dt) = 0

in the normal rows of closed contacts and the tangential rows of those that stick; where a contact slides, λ_T = ∓μ λ_N.
The term in brackets is the change of γ(q + s u, u, t + s) with s, by differences of sixth order.
"""

from __future__ import annotations

from carom.kernels import PROJECT, RATE, call_direct, call_project, call_survey, floats, ints, jit, kernel, offset
from carom.kernels.pointers import INTS
from carom.mechanics.kkt import solve
from carom.mechanics.model_record import FORCE_POWER, MODEL, OK
from carom.solve.nonsmooth.desk import (
    ACTIVE,
    ACTIVE_COUNT,
    BLOCK,
    BLOCKS,
    CONTACTS,
    DIM,
    DIRECT,
    FREE,
    JOINT_IMPULSES,
    JOINT_RESPONSES,
    PLACES,
    PREPARE,
    ROOM,
    ROWS,
    SETTLE,
    SHIFT,
    SURVEY,
    VELOCITIES,
    WIDTH,
)
from carom.solve.nonsmooth.events.bias import find_bias, find_directions
from carom.solve.nonsmooth.events.pressing import press
from carom.solve.nonsmooth.events.table import (
    BIAS,
    BOUNDS,
    DESK,
    FASTEST,
    FORCES,
    FREE_RATES,
    GAPS,
    MODES,
    OPEN,
    SHARED,
    SLOWEST,
    SPEEDS,
)  # fmt: skip
from carom.solve.nonsmooth.touching import along, delassus, direction, normal, push, respond, velocity

ON_CONTACT = 1e-15
"""Gap [m] that closed contacts may keep."""


@jit
def find_forces(t, y, table):
    """Directions, matrix, BIAS and FREE_RATES of the active contacts, their FORCES, and what those do to FREE."""
    desk = ints(table[DESK])
    active = ints(desk[ACTIVE])
    dim = desk[DIM]
    m = desk[ROWS]
    free = floats(desk[FREE])
    joints = floats(desk[JOINT_IMPULSES])
    rates = floats(table[FREE_RATES])
    bias = floats(table[BIAS])
    forces = floats(table[FORCES])
    find_directions(t, y, desk)
    respond(desk)
    delassus(desk)
    find_bias(t, y, table)
    rows = desk[ACTIVE_COUNT] * dim
    for row in range(rows):
        rates[row] = along(desk, active[row // dim], direction(desk, row // dim, row % dim), free) + bias[row]
    normals_only = False
    press(table, rates, forces, normals_only)
    push(desk, forces, free)
    for row in range(rows):
        if forces[row] != 0.0:
            response = offset(floats(desk[JOINT_RESPONSES]), row * m)
            for r in range(m):
                joints[r] += forces[row] * response[r]


@kernel(RATE, INTS)
def rate(t, y, slope, table):
    """``slope`` = y'; leaves u̇ in FREE, the joints' multipliers in JOINT_IMPULSES, the contacts' FORCES."""
    desk = ints(table[DESK])
    model = MODEL(desk[BLOCK])
    n = desk[VELOCITIES]
    m = desk[ROWS]
    dim = desk[DIM]
    count = desk[CONTACTS]
    free = floats(desk[FREE])
    joints = floats(desk[JOINT_IMPULSES])
    power = FORCE_POWER(model.force_power)
    nu = floats(model.nu)
    gamma = floats(model.gamma_c)
    bottom = floats(model.rhs_constraint)
    acceleration = floats(model.acceleration)
    multipliers = floats(model.lam)
    status = call_project(desk[PREPARE], t, y, model)
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
    if desk[ACTIVE_COUNT] > 0:
        find_forces(t, y, table)
        forces = floats(table[FORCES])
        active = ints(desk[ACTIVE])
        u = offset(y, n)
        for i in range(desk[ACTIVE_COUNT]):
            k = active[i]
            impulses[k] = forces[i * dim]
            for d in range(1, dim):
                losses[2 * k + 1] -= forces[i * dim + d] * velocity(desk, k, direction(desk, i, d), u)
    work = 0.0
    for r in range(m):
        work -= joints[r] * nu[r]
    quadrature[2] = work
    for i in range(n):
        slope[i] = y[n + i]
        slope[n + i] = free[i]
    return status


@jit
def examine(t, y, table):
    """GAPS, SPEEDS and BOUNDS of all contacts."""
    desk = ints(table[DESK])
    model = MODEL(desk[BLOCK])
    dim = desk[DIM]
    width = desk[WIDTH]
    gaps = floats(table[GAPS])
    speeds = floats(table[SPEEDS])
    bounds = floats(table[BOUNDS])
    seen = floats(model.gaps)
    u = offset(y, desk[VELOCITIES])
    spare = desk[ROOM]
    call_survey(desk[SURVEY], t, y, model)
    for k in range(desk[CONTACTS]):
        gaps[k] = seen[k]
        w = normal(desk, spare)
        call_direct(desk[DIRECT], k, w, model)
        places = offset(ints(desk[PLACES]), k * desk[BLOCKS])
        bound = abs(w[desk[BLOCKS] * width])
        for b in range(desk[BLOCKS]):
            v = places[b]
            if v >= 0:
                for j in range(width):
                    bound += abs(w[b * width + j] * u[v + j])
        for d in range(dim):
            speeds[k * dim + d] = velocity(desk, k, direction(desk, spare, d), u)
            if d > 0:
                bound += abs(speeds[k * dim + d])
        bounds[k] = bound


@kernel(PROJECT, INTS)
def look(t, y, table):
    """Find GAPS, SPEEDS and BOUNDS of all contacts, and the largest of these so far.

    Contacts act on each other: where one is fast, the rounding of its velocity is felt in all.
    """
    examine(t, y, table)
    bounds = floats(table[BOUNDS])
    fastest = floats(table[FASTEST])
    count = ints(table[DESK])[CONTACTS]
    largest = SLOWEST
    for k in range(count):
        largest = max(largest, bounds[k])
    for k in range(count):
        fastest[k] = max(fastest[k], bounds[k], SHARED * largest)
    return OK


@jit
def settle_joints(t, y, desk):
    if desk[SETTLE] == 0:
        return OK
    return call_project(desk[SETTLE], t, y, MODEL(desk[BLOCK]))


@jit
def add(desk, forces, y):
    """y += M⁻¹ W λ."""
    moved = floats(desk[SHIFT])
    for j in range(desk[VELOCITIES]):
        moved[j] = 0.0
    push(desk, forces, moved)
    for j in range(desk[VELOCITIES]):
        y[j] += moved[j]


@kernel(PROJECT, INTS)
def hold(t, y, table):
    """Move y onto joints and closed contacts, and its velocities onto what those allow, by the smallest change.

    The velocities change by the impulses that do it, with the friction of contacts that slide.
    """
    desk = ints(table[DESK])
    model = MODEL(desk[BLOCK])
    active = ints(desk[ACTIVE])
    modes = ints(table[MODES])
    dim = desk[DIM]
    given = floats(table[FREE_RATES])
    forces = floats(table[FORCES])
    seen = floats(model.gaps)
    u = offset(y, desk[VELOCITIES])
    status = settle_joints(t, y, desk)
    if desk[ACTIVE_COUNT] == 0:
        return status
    before = 1e300
    normals_only = True
    for _ in range(8):
        status = max(status, call_project(desk[PREPARE], t, y, model))
        find_directions(t, y, desk)
        worst = 0.0
        for i in range(desk[ACTIVE_COUNT]):
            given[i * dim] = seen[active[i]]
            if modes[active[i]] != OPEN:
                worst = max(worst, abs(seen[active[i]]))
        respond(desk)
        delassus(desk)
        if worst <= ON_CONTACT or not worst < 0.5 * before:
            break
        before = worst
        press(table, given, forces, normals_only)
        add(desk, forces, y)
        status = max(status, settle_joints(t, y, desk))
    for row in range(desk[ACTIVE_COUNT] * dim):
        given[row] = velocity(desk, active[row // dim], direction(desk, row // dim, row % dim), u)
    normals_only = False
    press(table, given, forces, normals_only)
    add(desk, forces, u)
    return status
