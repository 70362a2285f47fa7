"""How contacts begin, change and end, and what is written down of them."""

from __future__ import annotations

import math

from carom.kernels import WATCH, floats, ints, jit, kernel, offset
from carom.laws.normal.base import LAW_INPUT, LAW_OUTPUT
from carom.mechanics.block import (
    CONTACT_TABLE,
    CONTACTS,
    LOSSES,
    OWN_STATES,
    PAR,
    QUADRATURES,
    RECORDS,
    SCRATCH,
    VELOCITIES,
)
from carom.mechanics.contacts import (
    APPROACH,
    AT_REST,
    CLAMPED,
    CONTACT_COLUMNS,
    DEEPEST,
    DURATION,
    FIRST_DEPTH,
    FIRST_SPEED,
    FLAGS,
    FREE,
    FRICTION_LOSS,
    INDENTATION,
    LARGEST,
    LAST_RATE,
    LAW_KERNEL,
    LAW_OUT,
    LAW_PAR,
    LAW_STATE,
    MODE,
    NORMAL_FORCE,
    NORMAL_LOSS,
    OWN_STATE,
    PEAK,
    PRESSING,
    RATE,
    RECORD,
    RELEASE_SPEED,
    RELEASED,
    SPEED,
    START,
    STORED,
    TURNS,
    UNLOADING,
    UNLOADS,
    mobility,
    note,
    press,
    pull_along,
    resting_speed,
    typical_duration,
)
from carom.solve.compliant.desk import (
    CONTACT,
    ENGAGE,
    FIRST_LOG,
    KIND,
    LOG_APPROACH,
    LOG_COLUMNS,
    LOG_CONTACT,
    LOG_END,
    LOG_FIRST_DEPTH,
    LOG_FRICTION_LOSS,
    LOG_LARGEST,
    LOG_NORMAL_LOSS,
    LOG_OPEN,
    LOG_PEAK,
    LOG_SEPARATION,
    LOG_START,
    LOG_TURNS,
    LOGGED,
    ONSET,
    RELEASE,
    SEPARATION,
    SHORTEST,
    TURN,
)
from carom.solve.compliant.look import resolution, view


@jit
def note_loss(block, k, y, record):
    first = 2 * block[VELOCITIES] + block[OWN_STATES] + QUADRATURES + LOSSES * k
    record[NORMAL_LOSS] = y[first]
    record[FRICTION_LOSS] = y[first + 1]


@jit
def begin(t, block, k, y):
    """Contact ``k`` begins in state ``y``."""
    contact = offset(ints(block[CONTACT_TABLE]), k * CONTACT_COLUMNS)
    record = offset(floats(block[RECORDS]), k * RECORD)
    seen = view(block, k, y)
    record[MODE] = PRESSING
    record[APPROACH] = seen[RATE] if seen[RATE] > 0.0 else 0.0
    record[FIRST_SPEED] = record[APPROACH]
    record[DEEPEST] = 0.0
    record[UNLOADING] = 0.0
    record[START] = t
    record[FIRST_DEPTH] = seen[INDENTATION]
    record[LARGEST] = max(seen[INDENTATION], 0.0)
    record[SPEED] = abs(seen[RATE])
    record[TURNS] = 0.0
    record[RELEASED] = t
    record[RELEASE_SPEED] = 0.0
    note_loss(block, k, y, record)
    record[DURATION] = typical_duration(block, contact, record, seen)
    press(block, contact, record, seen)
    record[PEAK] = max(seen[NORMAL_FORCE], 0.0)
    note(record, seen)


@jit
def log(t, block, k, y, desk, still_open):
    """Write down a contact that ends, or is still there at the end of the run."""
    record = offset(floats(block[RECORDS]), k * RECORD)
    first = 2 * block[VELOCITIES] + block[OWN_STATES] + QUADRATURES + LOSSES * k
    seen = view(block, k, y)
    row = offset(desk, FIRST_LOG + LOG_COLUMNS * int(desk[LOGGED]))
    desk[LOGGED] += 1.0
    row[LOG_CONTACT] = k
    row[LOG_START] = record[START]
    row[LOG_END] = t
    row[LOG_APPROACH] = record[FIRST_SPEED]
    row[LOG_SEPARATION] = max(-seen[RATE], 0.0)
    if record[MODE] == CLAMPED:  # it ended when its force did
        row[LOG_END] = record[RELEASED]
        row[LOG_SEPARATION] = record[RELEASE_SPEED]
    row[LOG_PEAK] = record[PEAK]
    row[LOG_LARGEST] = record[LARGEST]
    row[LOG_NORMAL_LOSS] = y[first] - record[NORMAL_LOSS]
    if record[MODE] == CLAMPED:  # what is stored then relaxes without work
        row[LOG_NORMAL_LOSS] += seen[STORED]
    row[LOG_FRICTION_LOSS] = y[first + 1] - record[FRICTION_LOSS]
    row[LOG_TURNS] = record[TURNS]
    row[LOG_FIRST_DEPTH] = record[FIRST_DEPTH]
    row[LOG_OPEN] = still_open


@jit
def forget_slip(block, k, y):
    """A contact that lets go loses the state of its friction."""
    contact = offset(ints(block[CONTACT_TABLE]), k * CONTACT_COLUMNS)
    if contact[OWN_STATE] >= 0:
        y[2 * block[VELOCITIES] + contact[OWN_STATE]] = 0.0


@jit
def end(t, block, k, y, desk):
    """Contact ``k`` is over."""
    record = offset(floats(block[RECORDS]), k * RECORD)
    closed = 0.0
    log(t, block, k, y, desk, closed)
    record[MODE] = FREE
    forget_slip(block, k, y)


@jit
def shortest_contact(block):
    """Shortest duration of the contacts that press [s]."""
    shortest = math.inf
    for k in range(block[CONTACTS]):
        record = offset(floats(block[RECORDS]), k * RECORD)
        if record[MODE] == PRESSING:
            shortest = min(shortest, record[DURATION])
    return shortest


@kernel(WATCH)
def switch(t, h, y0, f0, y1, f1, block, desk):
    """Carry out the event on the desk in state ``y1``; others at the same time follow, each on its own."""
    k = int(desk[CONTACT])
    kind = int(desk[KIND])
    record = offset(floats(block[RECORDS]), k * RECORD)
    seen = view(block, k, y1)
    if kind == ONSET:
        begin(t, block, k, y1)
    elif kind == SEPARATION:
        end(t, block, k, y1, desk)
    elif kind == RELEASE:
        record[RELEASED] = t
        record[RELEASE_SPEED] = -seen[RATE]
        record[MODE] = CLAMPED
        forget_slip(block, k, y1)
    elif kind == ENGAGE:
        record[MODE] = PRESSING
    elif kind == TURN:
        record[DEEPEST] = seen[INDENTATION]
        record[UNLOADING] = 1.0
    else:
        record[UNLOADING] = 0.0
    desk[SHORTEST] = shortest_contact(block)
    return 0


@kernel(WATCH)
def start(t, h, y0, f0, y1, f1, block, desk):
    """Modes of all contacts in the first state: those that overlap, or touch and approach, press. Answers how many."""
    count = 0
    for k in range(block[CONTACTS]):
        record = offset(floats(block[RECORDS]), k * RECORD)
        record[MODE] = FREE
        seen = view(block, k, y1)
        note(record, seen)
        known = resolution(seen)
        delta = seen[INDENTATION]
        rate = seen[RATE]
        if delta > known or (delta >= -known and rate > 0.0) or (delta >= 0.0 and rate == 0.0):
            begin(t, block, k, y1)
            count += 1
    desk[SHORTEST] = shortest_contact(block)
    desk[LOGGED] = 0.0
    return count


@kernel(WATCH)
def rest(t, h, y0, f0, y1, f1, block, desk):
    """Give the contacts that began at rest the damping of the bodies that settle on them.

    ``f1`` has the accelerations without contacts. Without it such a contact is elastic, and a body that is put on its
    floor bounces for ever.
    """
    scratch = floats(block[SCRATCH])
    for k in range(block[CONTACTS]):
        contact = offset(ints(block[CONTACT_TABLE]), k * CONTACT_COLUMNS)
        record = offset(floats(block[RECORDS]), k * RECORD)
        if record[MODE] == PRESSING and abs(record[LAST_RATE]) <= AT_REST:
            seen = view(block, k, y1)
            record[APPROACH] = resting_speed(
                contact[LAW_KERNEL], offset(floats(block[PAR]), contact[LAW_PAR]),
                LAW_INPUT(offset(scratch, LAW_STATE)), LAW_OUTPUT(offset(scratch, LAW_OUT)), seen[INDENTATION],
                pull_along(block, contact, seen, offset(f1, block[VELOCITIES])), mobility(block, contact, seen),
            )  # fmt: skip
            record[DURATION] = typical_duration(block, contact, record, seen)
    desk[SHORTEST] = shortest_contact(block)
    return 0


@kernel(WATCH)
def finish(t, h, y0, f0, y1, f1, block, desk):
    """Write down the contacts that are still there at the end of the run."""
    for k in range(block[CONTACTS]):
        record = offset(floats(block[RECORDS]), k * RECORD)
        if record[MODE] != FREE:
            still = 0.0 if record[MODE] == CLAMPED else 1.0  # overlapping without force: it has ended
            log(t, block, k, y1, desk, still)
    return 0


@kernel(WATCH)
def settle(t, h, y0, f0, y1, f1, block, desk):
    """Contacts by their indentation at the end of a step, for runs that do not locate events; answers what changed."""
    changes = 0
    for k in range(block[CONTACTS]):
        contact = offset(ints(block[CONTACT_TABLE]), k * CONTACT_COLUMNS)
        record = offset(floats(block[RECORDS]), k * RECORD)
        seen = view(block, k, y1)
        delta = seen[INDENTATION]
        rate = seen[RATE]
        if record[MODE] == FREE and delta > 0.0:
            begin(t, block, k, y1)
            changes += 1
        elif record[MODE] == PRESSING and delta <= 0.0 and rate <= 0.0:
            end(t, block, k, y1, desk)
            changes += 1
        elif record[MODE] == PRESSING and contact[FLAGS] & UNLOADS:
            if record[UNLOADING] == 0.0 and rate < 0.0:
                record[DEEPEST] = max(delta, record[LARGEST])
                record[UNLOADING] = 1.0
                changes += 1
            elif record[UNLOADING] != 0.0 and delta > record[DEEPEST]:
                record[UNLOADING] = 0.0
                changes += 1
    desk[SHORTEST] = shortest_contact(block)
    return changes
