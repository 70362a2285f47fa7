"""Where in a step an event lies: contacts that close, forces that vanish, sliding that ends, friction that gives way.

What is found here comes from the dense output; the state at the event is integrated to anew.
"""

from __future__ import annotations

from carom.kernels import PROJECT, STEP, call_rate, floats, ints, jit, kernel, offset
from carom.kernels.pointers import INTS
from carom.solve.nonsmooth.desk import (
    ACTIVE,
    ACTIVE_COUNT,
    COEFFICIENT,
    CONTACTS,
    DIM,
    IMPACT,
    IMPACT_NUMBERS,
    PROBLEM,
    VELOCITIES,
)
from carom.solve.nonsmooth.events import table as at
from carom.solve.nonsmooth.events.rate import examine
from carom.solve.nonsmooth.events.step import inside
from carom.solve.nonsmooth.problem import MATRIX
from carom.solve.nonsmooth.touching import direction, velocity

# What a look over a step tells.
NOTHING, EVENT, NO_NUMBER = range(3)

LONGEST, SHORTEST = 1.0 / 8.0, 1.0 / 512.0
"""Distance of two samples of the gaps, as part of a step: half of what the nearest contact needs to close, between
these."""

SAMPLES = 8
"""Places in a step at which the forces of closed contacts are looked at."""


@jit
def sample(t, h, theta, table):
    """GAPS, SPEEDS and BOUNDS at fraction ``theta`` of a step."""
    trial = floats(table[at.TRIAL])
    inside(theta, h, 2 * ints(table[at.DESK])[VELOCITIES], table, trial)
    examine(t + theta * h, trial, table)


@jit
def memo(table, k):
    return offset(floats(table[at.MEMO]), k * at.MEMO_SIZE)


@jit
def set_out(t, table):
    """Begin a look at the state the step begins with; whether a flight begins there.

    Of a flight that begins the gap is the integral of the normal velocity: the gap itself would be rounding.
    """
    desk = ints(table[at.DESK])
    modes = ints(table[at.MODES])
    gaps = floats(table[at.GAPS])
    fresh = False
    examine(t, floats(table[at.Y]), table)
    for k in range(desk[CONTACTS]):
        own = memo(table, k)
        own[at.LAST_GAP] = max(gaps[k], 0.0)
        own[at.LAST_SPEED] = floats(table[at.SPEEDS])[k * desk[DIM]]
        own[at.LAST_BOUND] = floats(table[at.BOUNDS])[k]
        own[at.FRESH] = 1.0 if gaps[k] < at.TOUCHING else 0.0
        if modes[k] == at.OPEN and own[at.FRESH] != 0.0:
            fresh = True
    return fresh


@jit
def reach(h, table):
    """How far to the next sample, as part of the step."""
    modes = ints(table[at.MODES])
    part = LONGEST
    for k in range(ints(table[at.DESK])[CONTACTS]):
        own = memo(table, k)
        if modes[k] == at.OPEN and own[at.LAST_BOUND] > 0.0:
            part = min(part, 0.5 * own[at.LAST_GAP] / (own[at.LAST_BOUND] * h))
    return max(part, SHORTEST)


@jit
def deepest(t, h, low, high, k, table):
    """Fraction at which the gap of contact ``k`` is smallest, between one where it falls and one where it rises."""
    speeds = floats(table[at.SPEEDS])
    place = k * ints(table[at.DESK])[DIM]
    for _ in range(45):
        middle = 0.5 * (low + high)
        sample(t, h, middle, table)
        if speeds[place] < 0.0:
            low = middle
        else:
            high = middle
    return high


@jit
def dips(own, gap, speed, length):
    """Whether the tangents at two samples, ``length`` seconds apart, meet below zero: then the gap may be, too."""
    if not (own[at.LAST_SPEED] < 0.0 and speed > 0.0):
        return False
    s = (gap - own[at.LAST_GAP] - speed * length) / (own[at.LAST_SPEED] - speed)
    return own[at.LAST_GAP] + own[at.LAST_SPEED] * s < 0.0


@kernel(STEP)
def scan(t, h, table):
    """FROM and TO, between which a contact first closes; gaps are looked at often enough not to miss one."""
    desk = ints(table[at.DESK])
    numbers = floats(table[at.NUMBERS])
    modes = ints(table[at.MODES])
    gaps = floats(table[at.GAPS])
    speeds = floats(table[at.SPEEDS])
    bounds = floats(table[at.BOUNDS])
    fastest = floats(table[at.FASTEST])
    count = desk[CONTACTS]
    dim = desk[DIM]
    fresh = set_out(t, table)
    theta = 0.0
    while theta < 1.0:
        following = min(theta + reach(h, table), 1.0)
        length = (following - theta) * h
        if fresh:
            half = 0.5 * (theta + following)
            sample(t, h, half, table)
            for k in range(count):
                memo(table, k)[at.HALF_SPEED] = speeds[k * dim]
        sample(t, h, following, table)
        end = 2.0
        for k in range(count):
            own = memo(table, k)
            own[at.NEXT_GAP] = gaps[k]
            if modes[k] != at.OPEN:
                continue
            if gaps[k] != gaps[k]:
                return NO_NUMBER
            allowed = 0.0
            if own[at.FRESH] != 0.0:  # Simpson's rule
                mean = (own[at.LAST_SPEED] + 4.0 * own[at.HALF_SPEED] + speeds[k * dim]) / 6.0
                own[at.NEXT_GAP] = own[at.LAST_GAP] + length * mean
                allowed = at.NOISE * fastest[k] * following * h
            if own[at.NEXT_GAP] < -allowed:
                end = min(end, following)
        for k in range(count):
            own = memo(table, k)
            own[at.HALF_SPEED] = speeds[k * dim]  # `deepest` goes elsewhere
            own[at.LAST_BOUND] = bounds[k]
        for k in range(count):
            own = memo(table, k)
            if modes[k] == at.OPEN and own[at.FRESH] == 0.0 and own[at.NEXT_GAP] >= 0.0:
                if dips(own, own[at.NEXT_GAP], own[at.HALF_SPEED], length):
                    low = deepest(t, h, theta, following, k, table)
                    if gaps[k] < 0.0:
                        end = min(end, low)
        if end < 2.0:
            numbers[at.FROM] = theta
            numbers[at.TO] = end
            return EVENT
        for k in range(count):
            own = memo(table, k)
            own[at.LAST_GAP] = own[at.NEXT_GAP]
            own[at.LAST_SPEED] = own[at.HALF_SPEED]
        theta = following
    return NOTHING


@jit
def take_margins(y, table):
    """MARGINS of the active contacts after an evaluation at ``y``: normal force, spare friction or speed of sliding."""
    desk = ints(table[at.DESK])
    active = ints(desk[ACTIVE])
    modes = ints(table[at.MODES])
    forces = floats(table[at.FORCES])
    margins = floats(table[at.MARGINS])
    dim = desk[DIM]
    u = offset(y, desk[VELOCITIES])
    one = dim // dim
    for i in range(desk[ACTIVE_COUNT]):
        k = active[i]
        margins[2 * i] = forces[i * dim]
        margins[2 * i + 1] = 1e300
        if modes[k] == at.STICK:
            limit = floats(desk[IMPACT])[IMPACT_NUMBERS * k + COEFFICIENT] * forces[i * dim]
            margins[2 * i + 1] = limit - abs(forces[i * dim + 1])
        elif modes[k] == at.FORWARD:
            margins[2 * i + 1] = velocity(desk, k, direction(desk, i, one), u)
        elif modes[k] == at.BACKWARD:
            margins[2 * i + 1] = -velocity(desk, k, direction(desk, i, one), u)


@jit
def force_size(table):
    """Largest force in the active contacts, or what it would take to stop what happens there without forces."""
    desk = ints(table[at.DESK])
    forces = floats(table[at.FORCES])
    rates = floats(table[at.FREE_RATES])
    matrix = floats(ints(desk[PROBLEM])[MATRIX])
    size = desk[ACTIVE_COUNT] * desk[DIM]
    largest = 0.0
    for row in range(size):
        largest = max(largest, abs(forces[row]))
        if matrix[row * size + row] > 0.0:
            largest = max(largest, abs(rates[row]) / matrix[row * size + row])
    return largest


@kernel(PROJECT, INTS)
def measure(t, y, table):
    """MARGINS at a state, and (behind them) below what they are rounding."""
    desk = ints(table[at.DESK])
    active = ints(desk[ACTIVE])
    modes = ints(table[at.MODES])
    margins = floats(table[at.MARGINS])
    fastest = floats(table[at.FASTEST])
    count = desk[ACTIVE_COUNT]
    status = call_rate(table[at.RATE], t, y, floats(table[at.SLOPE]), table)
    take_margins(y, table)
    weak = at.WEAK * force_size(table)
    for i in range(count):
        k = active[i]
        rounding = offset(margins, 2 * count + 2 * i)
        rounding[0] = weak
        rounding[1] = weak if modes[k] == at.STICK else at.NOISE * fastest[k]
    return status


@kernel(STEP)
def watch(t, h, table):
    """FROM and TO, between which a margin first becomes negative beyond doubt, from SAMPLE on; after `measure`."""
    desk = ints(table[at.DESK])
    numbers = floats(table[at.NUMBERS])
    margins = floats(table[at.MARGINS])
    count = desk[ACTIVE_COUNT]
    trial = floats(table[at.TRIAL])
    rounding = offset(margins, 2 * count)
    first = int(numbers[at.SAMPLE])
    for part in range(first, SAMPLES + 1):
        theta = part / SAMPLES
        inside(theta, h, table[at.STATES], table, trial)
        call_rate(table[at.RATE], min(t + theta * h, numbers[at.LATEST]), trial, floats(table[at.SLOPE]), table)
        take_margins(trial, table)
        found = False
        for j in range(2 * count):
            if margins[j] != margins[j]:
                return NO_NUMBER
            found = found or margins[j] < -rounding[j]
        if found:
            numbers[at.FROM] = (part - 1.0) / SAMPLES
            numbers[at.TO] = theta
            numbers[at.SAMPLE] = part
            return EVENT
    return NOTHING
