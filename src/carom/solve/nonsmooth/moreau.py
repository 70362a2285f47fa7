"""Moreau's midpoint rule: one step from (q, u) at t to t + h.

    q_M = q_A + h/2 u_A,   M_M (u_E − u_A) = h(q_M, u_A, t_M) h + W P,   q_E = q_M + h/2 u_E

with the impulses of the contacts that are closed in q_M. Joints hold the velocity at the end of the step,
Φ_q(q_M) u_E = ν + h/2 γ, which is what they ask for there up to h²; the rest is taken away afterwards.

J.J. Moreau, Unilateral contact and dry friction in finite freedom dynamics, 1988; paper N (36)–(44).
"""

from __future__ import annotations

from carom.kernels import STEP, call_project, call_survey, floats, ints, jit, kernel, offset
from carom.mechanics.block import ACCELERATION, BOTTOM, GAMMA, MULTIPLIERS, NU, OK, POWER, TOP
from carom.mechanics.kkt import solve
from carom.mechanics.rows import rows_times
from carom.solve.nonsmooth.desk import (
    ACTIVE_COUNT,
    BLOCK,
    BOOK_APPLIED,
    BOOK_DISSIPATED,
    BOOK_DRIVERS,
    BOOKS,
    CONTACTS,
    DONE_ALL,
    FORCES,
    FREE,
    FREE_BODIES,
    JOINT_IMPULSES,
    LOST_RANK,
    MANY,
    MIDDLE,
    NEW,
    OPEN_JOINTS,
    PREPARE,
    ROWS,
    SETTLE,
    STABILISED,
    STATE,
    SURVEY,
    TOO_LONG,
    VELOCITIES,
)
from carom.solve.nonsmooth.impulses import open_all, settle_books, strike
from carom.solve.nonsmooth.projection import lift
from carom.solve.nonsmooth.sweeps import sweep_bodies
from carom.solve.nonsmooth.touching import closed_contacts, delassus, hits, respond, velocities_before


@jit
def free_flight(t, h, desk):
    """FREE: velocities after the step without contacts; JOINT_IMPULSES; the model is left at the middle of the step."""
    block = ints(desk[BLOCK])
    n = desk[VELOCITIES]
    m = desk[ROWS]
    state = floats(desk[STATE])
    middle = floats(desk[MIDDLE])
    u = offset(state, n)
    for i in range(n):
        middle[i] = state[i] + 0.5 * h * u[i]
        middle[n + i] = u[i]
    if call_project(desk[PREPARE], t + 0.5 * h, middle, block) != OK:
        return False
    top = floats(block[TOP])
    bottom = floats(block[BOTTOM])
    nu = floats(block[NU])
    gamma = floats(block[GAMMA])
    change = floats(block[ACCELERATION])
    multipliers = floats(block[MULTIPLIERS])
    free = floats(desk[FREE])
    joints = floats(desk[JOINT_IMPULSES])
    forces = floats(desk[FORCES])
    for i in range(n):
        forces[i] = top[i]
        top[i] *= h
    for r in range(m):
        bottom[r] = 0.0
    rows_times(block, u, bottom)
    for r in range(m):
        bottom[r] = nu[r] + 0.5 * h * gamma[r] - bottom[r]
    solve(block)
    for i in range(n):
        free[i] = u[i] + change[i]
    for r in range(m):
        joints[r] = multipliers[r]
    return True


@jit
def keep_books(h, desk):
    """Work of forces and drivers over the step, at its middle."""
    block = ints(desk[BLOCK])
    books = floats(desk[BOOKS])
    power = floats(block[POWER])
    nu = floats(block[NU])
    joints = floats(desk[JOINT_IMPULSES])
    books[BOOK_DISSIPATED] += h * power[0]
    books[BOOK_APPLIED] += h * power[1]
    for r in range(desk[ROWS]):
        books[BOOK_DRIVERS] -= joints[r] * nu[r]


@kernel(STEP)
def moreau(t, h, desk):
    n = desk[VELOCITIES]
    block = ints(desk[BLOCK])
    middle = floats(desk[MIDDLE])
    new = floats(desk[NEW])
    desk[ACTIVE_COUNT] = 0
    if not free_flight(t, h, desk):
        return LOST_RANK
    if desk[CONTACTS] > 0:
        call_survey(desk[SURVEY], t + 0.5 * h, middle, block)
        status = closed_contacts(h, desk)
        if status != DONE_ALL:
            return status
    if desk[ACTIVE_COUNT] == 0:
        open_all(desk)
    else:
        velocities_before(desk)
        if hits(h, desk):
            return TOO_LONG
        if desk[FREE_BODIES] != 0 and desk[ACTIVE_COUNT] >= desk[MANY]:
            status = sweep_bodies(desk)
        else:
            respond(desk)
            delassus(desk)
            status = strike(desk)
        if status != DONE_ALL:
            return status
        settle_books(desk)
    keep_books(h, desk)
    for i in range(n):
        new[i] = middle[i] + 0.5 * h * new[n + i]
    if desk[SETTLE] != 0 and call_project(desk[SETTLE], t + h, new, block) != OK:
        return OPEN_JOINTS
    if desk[STABILISED] != 0 and desk[ACTIVE_COUNT] > 0:
        lift(t + h, desk)
    return DONE_ALL
