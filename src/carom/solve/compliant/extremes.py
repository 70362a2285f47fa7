"""Largest values of contacts over a step: force, indentation, the error of their speed, how deep they began."""

from __future__ import annotations

from carom.kernels import WATCH, floats, ints, jit, kernel, offset
from carom.mechanics.block import (
    BODIES,
    CONTACT_TABLE,
    CONTACTS,
    RECORDS,
    SEEN,
    VELOCITIES,
)
from carom.mechanics.contacts import (
    APPROACH,
    CONTACT_COLUMNS,
    CONTACT_X,
    CONTACT_Y,
    FIRST_BODY,
    FREE,
    INDENTATION,
    LARGEST,
    MODE,
    NORMAL_FORCE,
    NORMAL_X,
    NORMAL_Y,
    PEAK,
    PRESSING,
    RATE,
    RECORD,
    SECOND_BODY,
    SEEN_SIZE,
    SPEED,
    TURNS,
)
from carom.mechanics.planar import DOF, STRIDE, X, Y
from carom.solve.compliant.desk import (
    CONTACT,
    DEPTH,
    ERROR,
    FIRST_REQUEST,
    GUESS,
    LARGEST_FORCE,
    LARGEST_INDENTATION,
    MOST_REQUESTS,
    NUDGE,
    REQUESTS,
    TURN,
    WHAT,
)
from carom.solve.compliant.look import crossing, glance, view

STRICTER = 10.0
"""Errors of the normal speed count this much more than others: each impact begins with those of the last."""
SLOWEST = 1e-3
"""Of the absolute tolerance: what the error of a normal speed is never asked to be below."""


@jit
def force_slope(block, k, y0, f0, y1, f1, h, s):
    """Change of the normal force over a small part of the step."""
    low = max(s - 0.5 * NUDGE, 0.0)
    high = min(low + NUDGE, 1.0)
    low = high - NUDGE
    after = glance(block, k, y0, f0, y1, f1, h, high)[NORMAL_FORCE]
    return after - glance(block, k, y0, f0, y1, f1, h, low)[NORMAL_FORCE]


@jit
def request(desk, s, k, what):
    """Ask for the state at fraction ``s``, to read a largest value there."""
    count = int(desk[REQUESTS])
    if count < MOST_REQUESTS:
        place = FIRST_REQUEST + 3 * count
        desk[place] = s
        desk[place + 1] = k
        desk[place + 2] = what
        desk[REQUESTS] = count + 1


@kernel(WATCH)
def measure(t, h, y0, f0, y1, f1, block, desk):
    """Keep the largest values of every contact up to date; the desk gets the places where they lie inside the step."""
    desk[REQUESTS] = 0.0
    for k in range(block[CONTACTS]):
        record = offset(floats(block[RECORDS]), k * RECORD)
        if record[MODE] != PRESSING:
            continue
        seen = glance(block, k, y0, f0, y1, f1, h, 0.0)
        rate0 = seen[RATE]
        seen = glance(block, k, y0, f0, y1, f1, h, 1.0)
        rate1 = seen[RATE]
        record[PEAK] = max(record[PEAK], seen[NORMAL_FORCE])
        record[LARGEST] = max(record[LARGEST], seen[INDENTATION])
        record[SPEED] = max(record[SPEED], abs(rate1))
        if rate0 > 0.0 and rate1 <= 0.0:
            record[TURNS] += 1.0
            turning = TURN
            s = crossing(block, k, turning, y0, f0, y1, f1, h, 0.0, 1.0)
            if glance(block, k, y0, f0, y1, f1, h, s)[INDENTATION] > 0.999 * record[LARGEST]:
                request(desk, s, k, LARGEST_INDENTATION)
        if force_slope(block, k, y0, f0, y1, f1, h, 0.0) > 0.0 > force_slope(block, k, y0, f0, y1, f1, h, 1.0):
            low = 0.0
            high = 1.0
            for _ in range(40):
                middle = 0.5 * (low + high)
                if force_slope(block, k, y0, f0, y1, f1, h, middle) > 0.0:
                    low = middle
                else:
                    high = middle
            if glance(block, k, y0, f0, y1, f1, h, low)[NORMAL_FORCE] > 0.999 * record[PEAK]:
                request(desk, low, k, LARGEST_FORCE)
    return int(desk[REQUESTS])


@kernel(WATCH)
def read(t, h, y0, f0, y1, f1, block, desk):
    """Take the largest value that was asked for from state ``y1``."""
    k = int(desk[CONTACT])
    record = offset(floats(block[RECORDS]), k * RECORD)
    seen = view(block, k, y1)
    if desk[WHAT] == LARGEST_FORCE:
        record[PEAK] = max(record[PEAK], seen[NORMAL_FORCE])
    else:
        record[LARGEST] = max(record[LARGEST], seen[INDENTATION])
    return 0


@kernel(WATCH)
def weigh(t, h, y0, f0, y1, f1, block, desk):
    """Largest error in the normal speed of a pressing contact, relative to the speeds it has had.

    ``y0`` is the error of a step, ``t`` and ``h`` the relative and the absolute tolerance; where the bodies meet is
    taken from the last evaluation.
    """
    bodies = floats(block[BODIES])
    n = block[VELOCITIES]
    worst = 0.0
    for k in range(block[CONTACTS]):
        contact = offset(ints(block[CONTACT_TABLE]), k * CONTACT_COLUMNS)
        record = offset(floats(block[RECORDS]), k * RECORD)
        if record[MODE] != PRESSING:
            continue
        seen = offset(floats(block[SEEN]), k * SEEN_SIZE)
        total = 0.0
        for side in range(2):
            place = contact[FIRST_BODY] if side == 0 else contact[SECOND_BODY]
            if place > 0:
                v = n + (place // STRIDE - 1) * DOF
                ex = y0[v] - y0[v + 2] * (seen[CONTACT_Y] - bodies[place + Y])
                ey = y0[v + 1] + y0[v + 2] * (seen[CONTACT_X] - bodies[place + X])
                along = ex * seen[NORMAL_X] + ey * seen[NORMAL_Y]
                total += along if side == 0 else -along
        worst = max(worst, abs(total) / (SLOWEST * h + t * max(record[SPEED], record[APPROACH])))
    desk[ERROR] = STRICTER * worst
    return 0


@kernel(WATCH)
def depth(t, h, y0, f0, y1, f1, block, desk):
    """Deepest indentation in ``y1`` of a contact that was apart, and the fraction (9) of paper T where it began."""
    desk[DEPTH] = 0.0
    desk[GUESS] = 2.0
    for k in range(block[CONTACTS]):
        record = offset(floats(block[RECORDS]), k * RECORD)
        if record[MODE] == FREE:
            after = glance(block, k, y0, f0, y1, f1, h, 1.0)[INDENTATION]
            before = glance(block, k, y0, f0, y1, f1, h, 0.0)[INDENTATION]
            if after > 0.0:
                desk[DEPTH] = max(desk[DEPTH], after)
                if before < 0.0:
                    desk[GUESS] = min(desk[GUESS], before / (before - after))
    return 0
