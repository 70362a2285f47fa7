"""Moreau's midpoint rule: one step from (q, u) at t to t + h.

    q_M = q_A + h/2 u_A,   M_M (u_E − u_A) = h(q_M, u, t_M) h + W P,   q_E = q_M + h/2 u_E

with the impulses P of the contacts that are closed in q_M. As published (paper N (36)–(44)) u = u_A in h, and
velocities of contacts are taken along the directions W in q_M: first order. With RENEWED, u is the mean of u_A and u_E,
found by repeating the step once; with CURVED, normal velocities are those at the ends of the step: motion without
impacts is then of second order, free or in contact. Joints hold the velocity at the end of the step,
Φ_q(q_M) u_E = ν + h/2 γ, which is what they ask for there up to h²; the rest is taken away afterwards.

J.J. Moreau, Unilateral contact and dry friction in finite freedom dynamics, 1988.
"""

from __future__ import annotations

from carom.kernels import STEP, call_project, call_survey, floats, jit, kernel, offset
from carom.mechanics.element_evaluation import rows_times
from carom.mechanics.kkt import solve
from carom.mechanics.model_record import FORCE_POWER, MODEL, OK
from carom.solve.nonsmooth.desk import (
    ACTIVE_COUNT,
    AIM,
    BLOCK,
    BOOK_APPLIED,
    BOOK_DISSIPATED,
    BOOK_DRIVERS,
    BOOKS,
    CONTACTS,
    CURVED,
    DIM,
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
    PROJECTED,
    REFRESH,
    RENEWED,
    REROW,
    ROWS,
    SETTLE,
    STATE,
    SURVEY,
    TOO_LONG,
    TOTAL,
    VELOCITIES,
)  # fmt: skip
from carom.solve.nonsmooth.episodes import follow
from carom.solve.nonsmooth.impulses import fly, settle_books, strike
from carom.solve.nonsmooth.projection import lift
from carom.solve.nonsmooth.sweeps import sweep_bodies
from carom.solve.nonsmooth.touching import (
    bend,
    candidates,
    crosses,
    delassus,
    hits,
    respond,
    velocities_before,
)


@jit
def go_to_middle(t, h, desk):
    """The model at q_M, with u_A; how that ended."""
    n = desk[VELOCITIES]
    state = floats(desk[STATE])
    middle = floats(desk[MIDDLE])
    for i in range(n):
        middle[i] = state[i] + 0.5 * h * state[n + i]
        middle[n + i] = state[n + i]
    status = call_project(desk[PREPARE], t + 0.5 * h, middle, MODEL(desk[BLOCK]))
    return DONE_ALL if status == OK else LOST_RANK


@jit
def fly_free(h, desk, aimed):
    """FREE: velocities after the step without contacts, with the forces at hand; and JOINT_IMPULSES.

    ``aimed``: the joints are to have what AIM says the NEW velocities miss at the end of the step.
    """
    model = MODEL(desk[BLOCK])
    n = desk[VELOCITIES]
    m = desk[ROWS]
    u = offset(floats(desk[STATE]), n)
    top = floats(model.rhs_motion)
    bottom = floats(model.rhs_constraint)
    nu = floats(model.nu)
    gamma = floats(model.gamma_c)
    change = floats(model.acceleration)
    multipliers = floats(model.lam)
    free = floats(desk[FREE])
    forces = floats(desk[FORCES])
    joints = floats(desk[JOINT_IMPULSES])
    for i in range(n):
        forces[i] = top[i]
        top[i] *= h
    for r in range(m):
        bottom[r] = 0.0
    rows_times(model, u, bottom)
    if aimed:
        aim = floats(desk[AIM])
        for r in range(m):
            bottom[r] = aim[r] - bottom[r]
        rows_times(model, offset(floats(desk[NEW]), n), bottom)
    else:
        for r in range(m):
            bottom[r] = nu[r] + 0.5 * h * gamma[r] - bottom[r]
    solve(model)
    for i in range(n):
        free[i] = u[i] + change[i]
    for r in range(m):
        joints[r] = multipliers[r]


@jit
def find_contacts(t, h, desk):
    """The closed contacts of the step, their velocities before it, and the matrix between them; how that ended."""
    desk[ACTIVE_COUNT] = 0
    if desk[CONTACTS] == 0:
        return DONE_ALL
    call_survey(desk[SURVEY], t + 0.5 * h, floats(desk[MIDDLE]), MODEL(desk[BLOCK]))
    status = candidates(h, desk)
    if status != DONE_ALL or desk[ACTIVE_COUNT] == 0:
        return status
    if desk[CURVED] != 0:
        bend(t, desk)
    velocities_before(desk)
    if hits(h, desk):
        return TOO_LONG
    if desk[FREE_BODIES] == 0 or desk[ACTIVE_COUNT] < desk[MANY]:
        respond(desk)
        delassus(desk)
    return DONE_ALL


@jit
def touch(desk):
    """NEW velocities: the free ones, and what contacts make of them; how that ended."""
    if desk[ACTIVE_COUNT] == 0:
        fly(desk)
        return DONE_ALL
    if desk[FREE_BODIES] != 0 and desk[ACTIVE_COUNT] >= desk[MANY]:
        return sweep_bodies(desk)
    return strike(desk)


@jit
def pressed(desk):
    """Whether an impulse acted."""
    found = False
    for row in range(desk[ACTIVE_COUNT] * desk[DIM]):
        found = found or floats(desk[TOTAL])[row] != 0.0
    return found


@jit
def take_aim(t, h, desk):
    """AIM: ν − Φ_q u at the end of the step that the NEW velocities lead to; the joints are left in its middle."""
    model = MODEL(desk[BLOCK])
    n = desk[VELOCITIES]
    m = desk[ROWS]
    middle = floats(desk[MIDDLE])
    new = floats(desk[NEW])
    aim = floats(desk[AIM])
    nu = floats(model.nu)
    for i in range(n):
        new[i] = middle[i] + 0.5 * h * new[n + i]
    call_project(desk[REROW], t + h, new, model)
    for r in range(m):
        aim[r] = 0.0
    rows_times(model, offset(new, n), aim)
    for r in range(m):
        aim[r] = nu[r] - aim[r]
    call_project(desk[REROW], t + 0.5 * h, middle, model)


@jit
def renew(t, h, desk):
    """Repeat the step with what it has shown; how that ended.

    Forces are those at the mean of the velocities before and after; in contact, joints hold the velocities at the end
    of the step, which an impact may have changed.
    """
    model = MODEL(desk[BLOCK])
    n = desk[VELOCITIES]
    state = floats(desk[STATE])
    middle = floats(desk[MIDDLE])
    forces = floats(desk[FORCES])
    top = floats(model.rhs_motion)
    new = floats(desk[NEW])
    aimed = desk[REROW] != 0 and pressed(desk)
    if aimed:
        take_aim(t, h, desk)
    if desk[REFRESH] != 0:
        for i in range(n):
            middle[n + i] = 0.5 * (state[n + i] + new[n + i])
        call_project(desk[REFRESH], t + 0.5 * h, middle, model)
    else:
        for i in range(n):
            top[i] = forces[i]
    fly_free(h, desk, aimed)
    return touch(desk)


@jit
def hold(t, desk):
    """NEW onto the joints at time ``t``, with the impulses it takes; how that ended."""
    if desk[SETTLE] == 0:
        return DONE_ALL
    model = MODEL(desk[BLOCK])
    books = floats(desk[BOOKS])
    joints = floats(desk[JOINT_IMPULSES])
    if call_project(desk[SETTLE], t, floats(desk[NEW]), model) != OK:
        return OPEN_JOINTS
    nu = floats(model.nu)
    reactions = floats(model.projection_impulses)
    for r in range(desk[ROWS]):
        joints[r] += reactions[r]
        books[BOOK_DRIVERS] -= reactions[r] * nu[r]
    return DONE_ALL


@jit
def keep_books(h, desk):
    """Work of forces and drivers over the step, at its middle."""
    model = MODEL(desk[BLOCK])
    books = floats(desk[BOOKS])
    power = FORCE_POWER(model.force_power)
    nu = floats(model.nu)
    joints = floats(desk[JOINT_IMPULSES])
    books[BOOK_DISSIPATED] += h * power.dissipated
    books[BOOK_APPLIED] += h * power.applied
    for r in range(desk[ROWS]):
        books[BOOK_DRIVERS] -= joints[r] * nu[r]


@kernel(STEP)
def midpoint(t, h, desk):
    n = desk[VELOCITIES]
    middle = floats(desk[MIDDLE])
    new = floats(desk[NEW])
    status = go_to_middle(t, h, desk)
    if status != DONE_ALL:
        return status
    aimed = False
    fly_free(h, desk, aimed)
    status = find_contacts(t, h, desk)
    if status != DONE_ALL:
        return status
    status = touch(desk)
    again = desk[REFRESH] != 0 or (desk[REROW] != 0 and pressed(desk))
    if status == DONE_ALL and desk[RENEWED] != 0 and again:
        status = renew(t, h, desk)
    if status != DONE_ALL:
        return status
    for i in range(n):
        new[i] = middle[i] + 0.5 * h * new[n + i]
    if crosses(t, h, desk):
        return TOO_LONG
    settle_books(desk)
    keep_books(h, desk)
    status = hold(t + h, desk)
    if status != DONE_ALL:
        return status
    follow(t, h, desk)
    if desk[PROJECTED] != 0 and desk[ACTIVE_COUNT] > 0:
        lift(t + h, desk)
    return DONE_ALL
