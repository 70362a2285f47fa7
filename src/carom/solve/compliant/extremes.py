"""Largest values of contacts over a step: force, indentation, the error of their speed, how deep they began."""

from __future__ import annotations

from carom.kernels import WATCH, call_lever, floats, ints, jit, kernel, offset
from carom.mechanics.block import (
    BODY_WIDTH,
    CONTACT_TABLE,
    CONTACTS,
    DIM,
    LEVER_KERNEL,
    LOSSES,
    OWN_STATES,
    QUADRATURES,
    RECORDS,
    SCRATCH,
    SEEN,
    VELOCITIES,
)
from carom.mechanics.contacts import (
    CONTACT_COLUMNS,
    FIRST_HOME,
    FREE,
    INDENTATION,
    LARGEST,
    LAST_FORCE,
    LAST_RATE,
    LEVER_OUT,
    LIGHTNESS,
    MODE,
    NORMAL_FORCE,
    PEAK,
    PRESSING,
    RATE,
    RECORD,
    SECOND_HOME,
    SEEN_SIZE,
    SPEED,
    TURNS,
    note,
)
from carom.solve.compliant.desk import (
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
    WHOSE,
)
from carom.solve.compliant.look import crossing, glance, view

SLOWEST, LASTING = 0.01, 0.05
"""Of the bodies' own speed, in an impact and in lasting contact: a smaller normal speed need not be known better."""


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


@jit
def find_peak(block, k, y0, f0, y1, f1, h, desk):
    """Ask for the state where the force is largest, if that is inside the step."""
    record = offset(floats(block[RECORDS]), k * RECORD)
    low = 0.0
    high = 1.0
    rises = force_slope(block, k, y0, f0, y1, f1, h, low) > 0.0
    if not rises or force_slope(block, k, y0, f0, y1, f1, h, high) > 0.0:
        return
    for _ in range(40):
        middle = 0.5 * (low + high)
        if force_slope(block, k, y0, f0, y1, f1, h, middle) > 0.0:
            low = middle
        else:
            high = middle
    if glance(block, k, y0, f0, y1, f1, h, low)[NORMAL_FORCE] > 0.999 * record[PEAK]:
        what = LARGEST_FORCE
        request(desk, low, k, what)


@jit
def may_peak(start, half, end):
    """Whether a force may have its largest value inside a step, given what it is at three places of it.

    It need not be looked at where it still rises at the end, or falls from the start, as steeply as on average.
    """
    first = half - start
    second = end - half
    rises = first > 0.0 and second > 0.5 * first
    falls = second < 0.0 and first < 0.5 * second
    return not (rises or falls)


@kernel(WATCH)
def measure(t, h, y0, f0, y1, f1, block, desk):
    """Keep the largest values of every contact up to date; the desk gets the places where they lie inside the step.

    The last evaluation was that of ``y1``.
    """
    desk[REQUESTS] = 0.0
    for k in range(block[CONTACTS]):
        record = offset(floats(block[RECORDS]), k * RECORD)
        seen = offset(floats(block[SEEN]), k * SEEN_SIZE)
        if record[MODE] == PRESSING:
            record[PEAK] = max(record[PEAK], seen[NORMAL_FORCE])
            record[LARGEST] = max(record[LARGEST], seen[INDENTATION])
            record[SPEED] = max(record[SPEED], abs(seen[RATE]))
            if record[LAST_RATE] > 0.0 and seen[RATE] <= 0.0:
                record[TURNS] += 1.0
                turning = TURN
                s = crossing(block, k, turning, y0, f0, y1, f1, h, 0.0, 1.0)
                if glance(block, k, y0, f0, y1, f1, h, s)[INDENTATION] > 0.999 * record[LARGEST]:
                    what = LARGEST_INDENTATION
                    request(desk, s, k, what)
            half = glance(block, k, y0, f0, y1, f1, h, 0.5)[NORMAL_FORCE]
            if half > 0.9 * record[PEAK] and may_peak(record[LAST_FORCE], half, seen[NORMAL_FORCE]):
                find_peak(block, k, y0, f0, y1, f1, h, desk)
        note(record, seen)
    return int(desk[REQUESTS])


@kernel(WATCH)
def read(t, h, y0, f0, y1, f1, block, desk):
    """Take the largest value that was asked for from state ``y1``."""
    k = int(desk[WHOSE])
    record = offset(floats(block[RECORDS]), k * RECORD)
    seen = view(block, k, y1)
    if desk[WHAT] == LARGEST_FORCE:
        record[PEAK] = max(record[PEAK], seen[NORMAL_FORCE])
    else:
        record[LARGEST] = max(record[LARGEST], seen[INDENTATION])
    return 0


@kernel(WATCH)
def weigh(t, h, y0, f0, y1, f1, block, desk):
    """Largest error of a contact: in its normal speed and in what it dissipates, relative to what they are.

    ``y0`` is the error of a step, ``f0`` the largest size every coordinate has had, ``t`` and ``h`` are the relative
    and the absolute tolerance; where the bodies meet is taken from the last evaluation.
    """
    lever = offset(floats(block[SCRATCH]), LEVER_OUT)
    width = block[BODY_WIDTH]
    n = block[VELOCITIES]
    losses = 2 * n + block[OWN_STATES] + QUADRATURES
    worst = 0.0
    for k in range(block[CONTACTS]):
        contact = offset(ints(block[CONTACT_TABLE]), k * CONTACT_COLUMNS)
        record = offset(floats(block[RECORDS]), k * RECORD)
        if record[MODE] == FREE:
            continue
        seen = offset(floats(block[SEEN]), k * SEEN_SIZE)
        total = 0.0
        fastest = 0.0
        for side in range(2):
            home = contact[FIRST_HOME] if side == 0 else contact[SECOND_HOME]
            if home >= 0:
                v = n + home
                call_lever(block[LEVER_KERNEL], contact, side, seen, lever, block)
                for d in range(width):
                    total += lever[d] * y0[v + d]
                for d in range(block[DIM]):
                    fastest = max(fastest, f0[v + d])
        speed = max(record[SPEED], fastest * (SLOWEST if record[TURNS] < 2.0 else LASTING))
        worst = max(worst, abs(total) / (t * speed + SLOWEST * h))
        if record[LIGHTNESS] > 0.0:
            energy = 0.5 * speed * speed / record[LIGHTNESS]
            lost = abs(y0[losses + LOSSES * k]) + abs(y0[losses + LOSSES * k + 1])
            worst = max(worst, lost / (t * energy + SLOWEST * h))
    desk[ERROR] = worst
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
