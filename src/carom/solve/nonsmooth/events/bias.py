"""How the velocities γ of closed contacts change where the velocities u do not: ẇ·u + dw̃/dt, by differences.

It is the change of γ(q + s u, u, t + s) with s. Directions may turn fast (a pin in a narrow bearing): the times s
are chosen anew in every evaluation.
"""

from __future__ import annotations

from carom.kernels import call_direct, call_survey, floats, ints, jit, offset
from carom.mechanics.model_record import MODEL
from carom.solve.nonsmooth.desk import (
    ACTIVE,
    ACTIVE_COUNT,
    BLOCK,
    BLOCKS,
    DIM,
    DIRECT,
    PLACES,
    ROOM,
    SURVEY,
    VELOCITIES,
    WIDTH,
)
from carom.solve.nonsmooth.events.table import BIAS, DESK, NUMBERS, SHIFT_TIME, SHIFTED
from carom.solve.nonsmooth.touching import direction, normal, velocity

LONGEST_SHIFT, SHORTEST_SHIFT = 3e-5, 1e-12
"""Time [s] over which directions are differenced at most and at least."""

TURN = 0.01
"""Part by which what u does along a direction may change in that time: then the sixth order leaves 1e-11 of it."""


@jit
def shift(table, y, s):
    """SHIFTED: q + s u, with the same velocities."""
    desk = ints(table[DESK])
    n = desk[VELOCITIES]
    shifted = floats(table[SHIFTED])
    for j in range(n):
        shifted[j] = y[j] + s * y[n + j]
        shifted[n + j] = y[n + j]
    return shifted


@jit
def find_directions(t, y, desk):
    """DIRECTIONS of the active contacts at (t, y)."""
    model = MODEL(desk[BLOCK])
    active = ints(desk[ACTIVE])
    call_survey(desk[SURVEY], t, y, model)
    for i in range(desk[ACTIVE_COUNT]):
        call_direct(desk[DIRECT], active[i], normal(desk, i), model)


@jit
def turned(desk, k, one, other, u):
    """By which part u does something else along direction ``one`` of contact ``k`` than along ``other``."""
    width = desk[WIDTH]
    last = desk[BLOCKS] * width
    places = offset(ints(desk[PLACES]), k * desk[BLOCKS])
    difference = abs(one[last] - other[last])
    size = abs(one[last]) + abs(other[last])
    for b in range(desk[BLOCKS]):
        v = places[b]
        if v >= 0:
            for j in range(width):
                difference += abs((one[b * width + j] - other[b * width + j]) * u[v + j])
                size += (abs(one[b * width + j]) + abs(other[b * width + j])) * abs(u[v + j])
    return 2.0 * difference / size if size > 0.0 else 0.0


@jit
def add_differences(t, y, delta, table):
    """BIAS, with directions ``delta`` seconds apart; by which part they turn in that time."""
    desk = ints(table[DESK])
    model = MODEL(desk[BLOCK])
    active = ints(desk[ACTIVE])
    bias = floats(table[BIAS])
    dim = desk[DIM]
    spare = desk[ROOM]
    for row in range(desk[ACTIVE_COUNT] * dim):
        bias[row] = 0.0
    worst = 0.0
    for part in range(6):
        away = part // 2 + 1
        side = 1.0 if part % 2 == 0 else -1.0
        weight = (45.0 if away == 1 else -9.0 if away == 2 else 1.0) * side / (60.0 * delta)
        s = side * away * delta
        shifted = shift(table, y, s)
        call_survey(desk[SURVEY], t + s, shifted, model)
        u = offset(shifted, desk[VELOCITIES])
        for i in range(desk[ACTIVE_COUNT]):
            call_direct(desk[DIRECT], active[i], normal(desk, spare), model)
            for d in range(dim):
                w = direction(desk, spare, d)
                bias[i * dim + d] += weight * velocity(desk, active[i], w, u)
                worst = max(worst, turned(desk, active[i], w, direction(desk, i, d), u) / away)
        if worst > TURN:
            return worst
    return worst


@jit
def find_bias(t, y, table):
    """BIAS of the rows of the active contacts; SHIFT_TIME is kept short beside the time in which directions turn."""
    numbers = floats(table[NUMBERS])
    delta = min(2.0 * numbers[SHIFT_TIME], LONGEST_SHIFT)
    for _ in range(100):
        worst = add_differences(t, y, delta, table)
        if not worst > TURN or delta < SHORTEST_SHIFT:
            break
        delta *= max(0.05, 0.7 * TURN / worst)
    numbers[SHIFT_TIME] = delta
