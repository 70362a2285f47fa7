"""Contacts over one step: the events inside it.


An integrator takes a step with the contacts as they are: one that is apart gives no force however deep the trial states
reach, one that presses goes on pressing. So the step is smooth, and what the contacts should have done inside it is
found afterwards, on the polynomial of degree five through both ends: the earliest event is a bracket, which the
integrator narrows with steps of its own. Nothing a contact remembers changes before that, so that a rejected step
leaves no trace.
"""

from __future__ import annotations

from carom.kernels import WATCH, floats, ints, jit, kernel, offset
from carom.mechanics.block import (
    CONTACT_TABLE,
    CONTACTS,
    RECORDS,
    SEEN,
)
from carom.mechanics.contacts import (
    CONTACT_COLUMNS,
    DEEPEST,
    FLAGS,
    FREE,
    INDENTATION,
    LAST_BOUND,
    LAST_INDENTATION,
    LAST_RATE,
    MODE,
    PRESSING,
    PRESSURE,
    PULLS,
    RATE,
    RECORD,
    SEEN_SIZE,
    SPEED_BOUND,
    UNLOADING,
    UNLOADS,
)
from carom.solve.compliant.desk import (
    CONTACT,
    ENGAGE,
    GUESS,
    KIND,
    KINDS,
    ONSET,
    QUARTERS,
    RELEASE,
    RELOAD,
    RESOLUTION,
    ROUNDING,
    SEPARATION,
    SLOPE,
    TURN,
    VALUE,
)
from carom.solve.compliant.look import crossing, glance, resolution, value, view

BLURRED = 100.0
"""Resolutions of an indentation within which a negative value of a contact that goes deeper is rounding."""


@jit
def propose(block, k, kind, y0, f0, y1, f1, h, low, high, desk):
    """Lay an event on the desk if it is the earliest so far."""
    guess = crossing(block, k, kind, y0, f0, y1, f1, h, low, high) if high > low else low
    if not guess < desk[GUESS]:
        return
    desk[CONTACT] = k
    desk[KIND] = kind
    desk[GUESS] = guess


@jit
def farthest(block, k, y0, f0, y1, f1, h, low, high):
    """Fraction at which a contact that opens begins to close, by bisection."""
    for _ in range(48):
        middle = 0.5 * (low + high)
        if glance(block, k, y0, f0, y1, f1, h, middle)[RATE] < 0.0:
            low = middle
        else:
            high = middle
    return low


@jit
def approach(block, k, y0, f0, y1, f1, h):
    """Whether a contact that is apart begins inside the step, even when it is over at the end of it."""
    record = offset(floats(block[RECORDS]), k * RECORD)
    seen = offset(floats(block[SEEN]), k * SEEN_SIZE)
    delta1 = seen[INDENTATION]
    rate1 = seen[RATE]
    delta = record[LAST_INDENTATION]
    rate = record[LAST_RATE]
    bound = max(record[LAST_BOUND], seen[SPEED_BOUND])
    left = 0.0
    if max(delta, delta1) < -4.0 * h * bound:
        return 0, left, left
    begins = 1 << ONSET
    for part in range(1, QUARTERS + 1):
        right = part / QUARTERS
        if part < QUARTERS:
            seen = glance(block, k, y0, f0, y1, f1, h, right)
            next_delta = seen[INDENTATION]
            next_rate = seen[RATE]
        else:
            next_delta = delta1
            next_rate = rate1
        if next_delta > 0.0 and delta <= 0.0:
            return begins, left, right
        if next_delta > 0.0 and rate > 0.0 and part == 1:  # it began where the step does
            return begins, left, left
        if next_delta > 0.0 and next_rate > 0.0:  # it was leaving and has come back
            bottom = farthest(block, k, y0, f0, y1, f1, h, left, right)
            return begins, bottom, right
        if rate > 0.0 and next_rate < 0.0:
            # Where the tangents at both ends meet is above a smooth maximum between them.
            width = (right - left) * h
            meeting = (next_delta - delta - next_rate * width) / (rate - next_rate)
            if delta + rate * min(max(meeting, 0.0), width) > 0.0:
                turning = TURN
                top = crossing(block, k, turning, y0, f0, y1, f1, h, left, right)
                seen = glance(block, k, y0, f0, y1, f1, h, top)
                if seen[INDENTATION] > ROUNDING:
                    return begins, left, top
        delta = next_delta
        rate = next_rate
        left = right
    return 0, left, left


@jit
def progress(block, k, y0, f0, y1, f1, h):
    """What a contact that presses comes to inside the step: its end, the end of its force, a turning point."""
    contact = offset(ints(block[CONTACT_TABLE]), k * CONTACT_COLUMNS)
    record = offset(floats(block[RECORDS]), k * RECORD)
    unloads = contact[FLAGS] & UNLOADS
    pulls = contact[FLAGS] & PULLS
    last_rate = record[LAST_RATE]
    left = 0.0
    for part in range(1, 3):
        right = 0.5 * part
        seen = offset(floats(block[SEEN]), k * SEEN_SIZE)
        if part == 1:
            seen = glance(block, k, y0, f0, y1, f1, h, right)
        delta = seen[INDENTATION]
        rate = seen[RATE]
        pressure = seen[PRESSURE]
        kinds = 0
        if last_rate < 0.0 < rate and delta >= 0.0:  # it may have left and come back
            bottom = farthest(block, k, y0, f0, y1, f1, h, left, right)
            if glance(block, k, y0, f0, y1, f1, h, bottom)[INDENTATION] < 0.0:
                return 1 << SEPARATION, left, bottom
        # A contact that begins is located to rounding: just after it, while it goes deeper, it does not end.
        deepens = last_rate > 0.0 and rate > 0.0 and delta > -BLURRED * resolution(seen)
        last_rate = rate
        if delta < 0.0 and not deepens:
            kinds |= 1 << SEPARATION
        if pressure < 0.0 and not pulls:
            kinds |= 1 << RELEASE
        if unloads and record[UNLOADING] == 0.0 and rate < 0.0:
            kinds |= 1 << TURN
        if unloads and record[UNLOADING] != 0.0 and delta > record[DEEPEST] and rate > 0.0:
            kinds |= 1 << RELOAD
        if kinds:
            return kinds, left, right
        left = right
    return 0, left, left


@jit
def coast(block, k, y0, f0, y1, f1, h):
    """Whether the force of a contact that overlaps without pressing comes back, or the contact ends.

    Some laws push again only just before the end, so the time before it is looked at ever more closely.
    """
    separating = SEPARATION
    ends = 1 << SEPARATION
    engages = 1 << ENGAGE
    rate = offset(floats(block[RECORDS]), k * RECORD)[LAST_RATE]
    left = 0.0
    for part in range(1, QUARTERS + 1):
        right = part / QUARTERS
        seen = glance(block, k, y0, f0, y1, f1, h, right)
        delta = seen[INDENTATION]
        pressure = seen[PRESSURE]
        next_rate = seen[RATE]
        if rate < 0.0 < next_rate and delta >= 0.0:  # it may have left and come back
            bottom = farthest(block, k, y0, f0, y1, f1, h, left, right)
            delta = glance(block, k, y0, f0, y1, f1, h, bottom)[INDENTATION]
            if delta < 0.0:
                right = bottom
        rate = next_rate
        if delta < 0.0:
            end = crossing(block, k, separating, y0, f0, y1, f1, h, left, right)
            before = left
            share = 0.5
            for _ in range(40):
                s = end - share * (end - left)
                if not before < s < end:
                    break
                seen = glance(block, k, y0, f0, y1, f1, h, s)
                if seen[PRESSURE] > 0.0 and seen[INDENTATION] > 0.0:
                    return engages, before, s
                before = s
                share *= 0.5
            return ends, left, right
        if pressure > 0.0:
            return engages, left, right
        left = right
    return 0, left, left


@kernel(WATCH)
def watch(t, h, y0, f0, y1, f1, block, desk):
    """1 when a contact changes inside the step: which, how, and where is laid on the desk.

    The last evaluation was that of ``y1``.
    """
    desk[GUESS] = 2.0
    for k in range(block[CONTACTS]):
        record = offset(floats(block[RECORDS]), k * RECORD)
        if record[MODE] == FREE:
            kinds, low, high = approach(block, k, y0, f0, y1, f1, h)
        elif record[MODE] == PRESSING:
            kinds, low, high = progress(block, k, y0, f0, y1, f1, h)
        else:
            kinds, low, high = coast(block, k, y0, f0, y1, f1, h)
        for kind in range(KINDS):
            if kinds & (1 << kind):
                propose(block, k, kind, y0, f0, y1, f1, h, low, high, desk)
    if desk[GUESS] > 1.0:
        return 0
    k = int(desk[CONTACT])
    kind = int(desk[KIND])
    record = offset(floats(block[RECORDS]), k * RECORD)
    s = desk[GUESS]
    low = max(s - 1e-4, 0.0)
    high = min(s + 1e-4, 1.0)
    rise = value(kind, glance(block, k, y0, f0, y1, f1, h, high), record)
    rise -= value(kind, glance(block, k, y0, f0, y1, f1, h, low), record)
    desk[SLOPE] = rise / ((high - low) * h)
    return 1


@kernel(WATCH)
def aim(t, h, y0, f0, y1, f1, block, desk):
    """The function of the event on the desk, in state ``y1``, and how well it can be known."""
    k = int(desk[CONTACT])
    kind = int(desk[KIND])
    record = offset(floats(block[RECORDS]), k * RECORD)
    seen = view(block, k, y1)
    desk[VALUE] = value(kind, seen, record)
    desk[RESOLUTION] = 0.0
    if kind in (ONSET, SEPARATION):
        desk[RESOLUTION] = resolution(seen)
        desk[SLOPE] = seen[RATE] if kind == ONSET else -seen[RATE]
    return 0
