"""What a contact looks like inside a step, on the polynomial of degree five through both ends."""

from __future__ import annotations

from carom.kernels import call_glance, floats, jit, offset
from carom.mechanics.contact_records import CONTACT_HISTORY, CONTACT_STATE
from carom.mechanics.contacts import (
    LOOK,
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
def glance(model, k, y0, f0, y1, f1, h, s):
    """What contact ``k`` looks like at fraction ``s`` of the step; returns what is seen."""
    call_glance(model.contact_in_step_kernel, k, h, s, y0, f0, y1, f1, model)
    return CONTACT_STATE(offset(floats(model.workspace), LOOK))


@jit
def view(model, k, y):
    """What contact ``k`` looks like in state ``y``."""
    return glance(model, k, y, y, y, y, 1e-300, 0.0)


@jit
def resolution(contact_state):
    """Return what the indentation of a contact can be known to [m], from the size of its coordinates."""
    return ROUNDING * (abs(contact_state.x) + abs(contact_state.y) + abs(contact_state.z))


@jit
def value(kind, contact_state, history):
    """The function that rises through zero at an event."""
    if kind == ONSET:
        return contact_state.indentation
    if kind == SEPARATION:
        return -contact_state.indentation
    if kind == RELEASE:
        return -contact_state.force_sign
    if kind == ENGAGE:
        return contact_state.force_sign
    if kind == TURN:
        return -contact_state.indentation_rate
    return contact_state.indentation - history.delta_turn


@jit
def crossing(model, k, kind, y0, f0, y1, f1, h, low, high):
    """Fraction at which an event's function rises through zero between ``low`` and ``high``, by bisection."""
    history = CONTACT_HISTORY(model.contact_history, k)
    for _ in range(48):
        middle = 0.5 * (low + high)
        if value(kind, glance(model, k, y0, f0, y1, f1, h, middle), history) < 0.0:
            low = middle
        else:
            high = middle
        if high - low < 1e-12:
            break
    return 0.5 * (low + high)
