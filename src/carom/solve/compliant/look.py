"""What a contact looks like inside a step, on the polynomial of degree five through both ends."""

from __future__ import annotations

from carom.kernels import call_glance, floats, jit, offset
from carom.mechanics.block import (
    GLANCE_KERNEL,
    RECORDS,
    SCRATCH,
)
from carom.mechanics.contacts import (
    CONTACT_X,
    CONTACT_Y,
    CONTACT_Z,
    DEEPEST,
    INDENTATION,
    LOOK,
    PRESSURE,
    RATE,
    RECORD,
)
from carom.solve.compliant.desk import (
    ENGAGE,
    ONSET,
    RELEASE,
    ROUNDING,
    SEPARATION,
    TURN,
)


@jit
def glance(block, k, y0, f0, y1, f1, h, s):
    """What contact ``k`` looks like at fraction ``s`` of the step; returns what is seen."""
    call_glance(block[GLANCE_KERNEL], k, h, s, y0, f0, y1, f1, block)
    return offset(floats(block[SCRATCH]), LOOK)


@jit
def view(block, k, y):
    """What contact ``k`` looks like in state ``y``."""
    return glance(block, k, y, y, y, y, 1e-300, 0.0)


@jit
def resolution(seen):
    """Return what the indentation of a contact can be known to [m], from the size of its coordinates."""
    return ROUNDING * (abs(seen[CONTACT_X]) + abs(seen[CONTACT_Y]) + abs(seen[CONTACT_Z]))


@jit
def value(kind, seen, record):
    """The function that rises through zero at an event."""
    if kind == ONSET:
        return seen[INDENTATION]
    if kind == SEPARATION:
        return -seen[INDENTATION]
    if kind == RELEASE:
        return -seen[PRESSURE]
    if kind == ENGAGE:
        return seen[PRESSURE]
    if kind == TURN:
        return -seen[RATE]
    return seen[INDENTATION] - record[DEEPEST]


@jit
def crossing(block, k, kind, y0, f0, y1, f1, h, low, high):
    """Fraction at which an event's function rises through zero between ``low`` and ``high``, by bisection."""
    record = offset(floats(block[RECORDS]), k * RECORD)
    for _ in range(48):
        middle = 0.5 * (low + high)
        if value(kind, glance(block, k, y0, f0, y1, f1, h, middle), record) < 0.0:
            low = middle
        else:
            high = middle
        if high - low < 1e-12:
            break
    return 0.5 * (low + high)
