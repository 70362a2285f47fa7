"""Contact state inside a step, interpolated by the quintic through both ends."""

from __future__ import annotations

from carom.kernels import call_contact_in_step, jit
from carom.mechanics.contact_records import CONTACT_HISTORY, CONTACT_WORKSPACE
from carom.solve.compliant.records import (
    FORCE_RETURN,
    FORCE_ZERO,
    ONSET,
    ROUNDING,
    SEPARATION,
    UNLOADING,
)


@jit
def contact_in_step(model, k, y0, f0, y1, f1, h, s):
    """Return the state of contact ``k`` at fraction ``s`` of the step."""
    call_contact_in_step(model.contact_in_step_kernel, k, h, s, y0, f0, y1, f1, model)
    return CONTACT_WORKSPACE(model.workspace).interpolated


@jit
def contact_at_state(model, k, y):
    """Return the state of contact ``k`` at ``y``."""
    return contact_in_step(model, k, y, y, y, y, 1e-300, 0.0)


@jit
def resolution(contact_state):
    """Return the resolution of an indentation by rounding of the coordinates [m]."""
    return ROUNDING * (abs(contact_state.x) + abs(contact_state.y) + abs(contact_state.z))


@jit
def event_value(kind, contact_state, history):
    """Return the event function, which rises through zero at the event."""
    if kind == ONSET:
        return contact_state.indentation
    if kind == SEPARATION:
        return -contact_state.indentation
    if kind == FORCE_ZERO:
        return -contact_state.force_sign
    if kind == FORCE_RETURN:
        return contact_state.force_sign
    if kind == UNLOADING:
        return -contact_state.indentation_rate
    return contact_state.indentation - history.delta_turn


@jit
def event_crossing(model, k, kind, y0, f0, y1, f1, h, low, high):
    """Return the fraction at which an event function rises through zero between ``low`` and ``high``, by bisection."""
    history = CONTACT_HISTORY(model.contact_history, k)
    for _ in range(48):
        middle = 0.5 * (low + high)
        if event_value(kind, contact_in_step(model, k, y0, f0, y1, f1, h, middle), history) < 0.0:
            low = middle
        else:
            high = middle
        if high - low < 1e-12:
            break
    return 0.5 * (low + high)
