"""Position projection: what a step leaves of an overlap is taken back, and paid for.

The coordinates move by the mass-weighted smallest change that opens the gaps of the closed contacts:

    Δq = M⁻¹ W_N λ,   0 ≤ g(q_E) + G_NN λ ⊥ λ ≥ 0.

To be lifted out of an overlap takes energy that the motion got by falling into it: it is taken from the speed with
which the contact opens, as far as there is one. (Paper N, 6.4: "special attention should be paid to the conservation of
the system's energy".)
"""

from __future__ import annotations

import math

from carom.kernels import call_survey, floats, ints, jit, offset
from carom.mechanics.block import GAPS, INVERSE_MASS
from carom.solve.nonsmooth import problem as of
from carom.solve.nonsmooth.desk import (
    ACTIVE,
    ACTIVE_COUNT,
    BLOCK,
    BLOCKS,
    BOOKS,
    DIM,
    DONE_ALL,
    FORCES,
    FREE_BODIES,
    LIFTED,
    MANY,
    NEW,
    PAID,
    PLACES,
    PROBLEM,
    RESPONSES,
    SHIFT,
    SURVEY,
    VELOCITIES,
    WIDTH,
)
from carom.solve.nonsmooth.impulses import attempt
from carom.solve.nonsmooth.sweeps import sweep_positions
from carom.solve.nonsmooth.touching import normal, velocity


@jit
def lift(t, desk):
    """Move NEW out of the overlap of the active contacts."""
    block = ints(desk[BLOCK])
    gaps = floats(block[GAPS])
    active = ints(desk[ACTIVE])
    new = floats(desk[NEW])
    call_survey(desk[SURVEY], t, new, block)
    deepest = 0.0
    for i in range(desk[ACTIVE_COUNT]):
        deepest = min(deepest, gaps[active[i]])
    if not deepest < 0.0:
        return
    if desk[FREE_BODIES] != 0 and desk[ACTIVE_COUNT] >= desk[MANY]:
        sweep_positions(desk)
        lift_bodies(desk)
    else:
        lift_together(desk)


@jit
def lift_together(desk):
    """Through the Delassus matrix of the step."""
    n = desk[VELOCITIES]
    dim = desk[DIM]
    count = desk[ACTIVE_COUNT]
    size = count * dim
    gaps = floats(ints(desk[BLOCK])[GAPS])
    active = ints(desk[ACTIVE])
    problem = ints(desk[PROBLEM])
    matrix = floats(problem[of.MATRIX])
    impulse = floats(problem[of.IMPULSE])
    forces = floats(desk[FORCES])
    new = floats(desk[NEW])
    for i in range(count):
        floats(problem[of.FRICTION])[i] = 0.0
        floats(problem[of.OFFSET])[i] = 0.0
        for d in range(dim):
            floats(problem[of.VECTOR])[i * dim + d] = gaps[active[i]] if d == 0 else 0.0
    if attempt(desk) != DONE_ALL:
        return
    for i in range(count):
        share = impulse[i * dim]
        if share > 0.0:
            x = offset(floats(desk[RESPONSES]), i * dim * n)
            cost = 0.0
            for j in range(n):
                new[j] += share * x[j]
                cost -= forces[j] * share * x[j]
            w = normal(desk, i)
            speed = velocity(desk, active[i], w, offset(new, n))
            taken = price(desk, cost, speed, matrix[i * dim * size + i * dim])
            for j in range(n):
                new[n + j] -= taken * x[j]


@jit
def lift_bodies(desk):
    """The same for many contacts of free bodies: the shift is known, each contact pays its part."""
    n = desk[VELOCITIES]
    width = desk[WIDTH]
    active = ints(desk[ACTIVE])
    inverse = floats(ints(desk[BLOCK])[INVERSE_MASS])
    lengths = floats(ints(desk[PROBLEM])[of.IMPULSE])
    forces = floats(desk[FORCES])
    shift = floats(desk[SHIFT])
    new = floats(desk[NEW])
    for j in range(n):
        new[j] += shift[j]
    for i in range(desk[ACTIVE_COUNT]):
        share = lengths[i]
        if share > 0.0:
            w = normal(desk, i)
            places = offset(ints(desk[PLACES]), active[i] * desk[BLOCKS])
            own = 0.0
            cost = 0.0
            for b in range(desk[BLOCKS]):
                if places[b] >= 0:
                    for j in range(width):
                        x = w[b * width + j] * inverse[places[b] + j]
                        own += w[b * width + j] * x
                        cost -= forces[places[b] + j] * share * x
            taken = price(desk, cost, velocity(desk, active[i], w, offset(new, n)), own)
            for b in range(desk[BLOCKS]):
                if places[b] >= 0:
                    for j in range(width):
                        new[n + places[b] + j] -= taken * w[b * width + j] * inverse[places[b] + j]


@jit
def price(desk, cost, speed, mobility):
    """Impulse that takes ``cost`` [J] from a contact that opens with ``speed``, or all there is."""
    books = floats(desk[BOOKS])
    books[LIFTED] += max(cost, 0.0)
    if not cost > 0.0 or not speed > 0.0 or not mobility > 0.0:
        return 0.0
    there = 0.5 * speed * speed / mobility
    books[PAID] += min(cost, there)
    if cost >= there:
        return speed / mobility
    return (speed - math.sqrt(speed * speed - 2.0 * mobility * cost)) / mobility
