"""The θ-method of Moreau and Jean: one step from (q, u) at t to t + h, implicit in the forces.

    M (u_E − u_A) = h [θ F(q_E, u_E, t_E) + (1 − θ) F(q_A, u_A, t_A)] + W P,   q_E = q_A + h [θ u_E + (1 − θ) u_A]

M, W and the closed contacts are those of q_A + h/2 u_A. Newton's method, with the derivatives of the forces from one
difference for every velocity: stiff springs and dampers do not limit the step. θ = 1/2 keeps energy, θ = 1 damps.

M. Jean, The non-smooth contact dynamics method, Comput. Methods Appl. Mech. Eng. 177 (1999) 235–257.
"""

from __future__ import annotations

from carom.kernels import STEP, call_project, floats, jit, kernel, offset
from carom.mechanics.model_record import FORCE_POWER, MODEL
from carom.solve.nonsmooth.desk import (
    ACTIVE_COUNT,
    BLOCK,
    DONE_ALL,
    MIDDLE,
    NEW,
    NOT_SETTLED,
    PROJECTED,
    REFRESH,
    SCHEME,
    STATE,
    TOO_LONG,
    VELOCITIES,
)
from carom.solve.nonsmooth.episodes import follow
from carom.solve.nonsmooth.impulses import settle_books
from carom.solve.nonsmooth.midpoint import find_contacts, fly_free, go_to_middle, hold, keep_books, touch
from carom.solve.nonsmooth.projection import lift
from carom.solve.nonsmooth.touching import arm, crosses

ITERATIONS = 25
SETTLED, FALLEN = 1e-12, 1e-9
"""Of the largest velocity: change that ends the iteration, and what it may be at most when it stops falling."""
ROUNDING = 1e-13
"""Of the largest coordinate, or of 1: way of a step below which nothing is gained."""
NUDGE = 1e-7
"""Of a velocity (of 1 at least): difference for derivatives."""

# The scheme's own floats: θ, the largest velocity so far, powers of forces before the step, then vectors of as many
# numbers as there are velocities, and the matrix h θ dF/du_E.
POWER_BEFORE, FIRST_VECTOR = 2, 4
FORCE_BEFORE, FORCE_AFTER, GUESS, TRIAL, VECTORS = range(5)


def size(n: int) -> int:
    """Floats of the scheme."""
    return FIRST_VECTOR + (VECTORS + 1) * n + n * n


@jit
def vector(desk, k):
    return offset(floats(desk[SCHEME]), FIRST_VECTOR + k * desk[VELOCITIES])


@jit
def force_at(t, h, desk, share, u, out):
    """Forces at the coordinates that velocities ``u`` lead to by the share θ of the step, into ``out``."""
    n = desk[VELOCITIES]
    model = MODEL(desk[BLOCK])
    state = floats(desk[STATE])
    middle = floats(desk[MIDDLE])
    top = floats(model.rhs_motion)
    for i in range(n):
        middle[i] = state[i] + h * (share * u[i] + (1.0 - share) * state[n + i])
        middle[n + i] = u[i]
    call_project(desk[REFRESH], t, middle, model)
    for i in range(n):
        out[i] = top[i]


@jit
def stiffen(t, h, desk, u, force, trial, other, stiffness):
    """h θ dF/du_E, column by column: a change of u_E changes q_E, too."""
    n = desk[VELOCITIES]
    theta = floats(desk[SCHEME])[0]
    for j in range(n):
        for i in range(n):
            trial[i] = u[i]
        step = NUDGE * max(abs(u[j]), 1.0)
        trial[j] += step
        force_at(t + h, h, desk, theta, trial, other)
        for i in range(n):
            stiffness[i * n + j] = h * theta * (other[i] - force[i]) / step


@jit
def solve_step(t, h, desk):
    """NEW velocities; how that ended."""
    n = desk[VELOCITIES]
    model = MODEL(desk[BLOCK])
    top = floats(model.rhs_motion)
    state = floats(desk[STATE])
    new = floats(desk[NEW])
    theta = floats(desk[SCHEME])[0]
    implicit = desk[REFRESH] != 0
    u = offset(state, n)
    before = vector(desk, FORCE_BEFORE)
    force = vector(desk, FORCE_AFTER)
    guess = vector(desk, GUESS)
    trial = vector(desk, TRIAL)
    other = vector(desk, VECTORS)
    stiffness = offset(floats(desk[SCHEME]), FIRST_VECTOR + (VECTORS + 1) * n)
    for i in range(n):
        guess[i] = u[i]
    if implicit:
        none = 0.0
        force_at(t, none, desk, theta, u, before)
        power = FORCE_POWER(model.force_power)
        power_before = FORCE_POWER(offset(floats(desk[SCHEME]), POWER_BEFORE))
        power_before.dissipated = power.dissipated
        power_before.applied = power.applied
        force_at(t + h, h, desk, theta, guess, force)
        stiffen(t, h, desk, guess, force, trial, other, stiffness)
    status = go_to_middle(t, h, desk)
    if status != DONE_ALL:
        return status
    last = 1e300
    longest = arm(desk)
    aimed = False
    for k in range(ITERATIONS):
        if implicit:
            if k > 0:
                force_at(t + h, h, desk, theta, guess, force)
            for i in range(n):
                top[i] = theta * force[i] + (1.0 - theta) * before[i]
                for j in range(n):
                    top[i] -= stiffness[i * n + j] * (guess[j] - u[j]) / h
        fly_free(h, desk, aimed)
        if k == 0:
            go_back(h, desk)
            status = find_contacts(t, h, desk)
            if status != DONE_ALL:
                return status
        status = touch(desk)
        if status != DONE_ALL or not implicit:
            return status
        change = 0.0
        for i in range(n):
            change = max(change, abs(new[n + i] - guess[i]))
            floats(desk[SCHEME])[1] = max(floats(desk[SCHEME])[1], abs(new[n + i]))
            guess[i] = new[n + i]
        largest = floats(desk[SCHEME])[1]
        stalled = change >= 0.5 * last and change <= FALLEN * largest + ROUNDING * longest / h
        if change <= SETTLED * largest or stalled:
            return DONE_ALL
        last = change
    return NOT_SETTLED


@jit
def go_back(h, desk):
    """MIDDLE as `find_contacts` wants it."""
    n = desk[VELOCITIES]
    state = floats(desk[STATE])
    middle = floats(desk[MIDDLE])
    for i in range(n):
        middle[i] = state[i] + 0.5 * h * state[n + i]
        middle[n + i] = state[n + i]


@kernel(STEP)
def theta_step(t, h, desk):
    n = desk[VELOCITIES]
    state = floats(desk[STATE])
    new = floats(desk[NEW])
    theta = floats(desk[SCHEME])[0]
    status = solve_step(t, h, desk)
    if status != DONE_ALL:
        return status
    for i in range(n):
        new[i] = state[i] + h * (theta * new[n + i] + (1.0 - theta) * state[n + i])
    if crosses(t, h, desk):
        return TOO_LONG
    settle_books(desk)
    if desk[REFRESH] != 0:
        power = FORCE_POWER(MODEL(desk[BLOCK]).force_power)
        power_before = FORCE_POWER(offset(floats(desk[SCHEME]), POWER_BEFORE))
        power.dissipated = theta * power.dissipated + (1.0 - theta) * power_before.dissipated
        power.applied = theta * power.applied + (1.0 - theta) * power_before.applied
    keep_books(h, desk)
    status = hold(t + h, desk)
    if status != DONE_ALL:
        return status
    follow(t, h, desk)
    if desk[PROJECTED] != 0 and desk[ACTIVE_COUNT] > 0:
        lift(t + h, desk)
    return DONE_ALL
