"""Jumps of the contact geometry: an indentation that changes by much more than the bodies have moved in a step.

The gap of two shapes changes at the relative speed of their contact points along the normal. Where a closest-point
search changes from one side of a thin part to the other, the gap jumps: the bodies would be thrown apart, or pass
through each other without a force. The largest indentation of all contact points of two shapes is compared, so that
spots may appear and disappear.
"""

from __future__ import annotations

from carom.geometry.pairs.base import NO_CONTACT
from carom.kernels import jit
from carom.mechanics.contact_records import CONTACT, CONTACT_HISTORY, CONTACT_STATE

TRAVEL_FACTOR = 10.0
"""Ratio of the change of an indentation to the speed of the contact points times the step above which it may have
jumped [-]."""
DEPTH_FACTOR = 10.0
"""Ratio of this change to the largest indentation so far above which it may have jumped [-]."""
PLACE_FACTOR = 1e-6
"""Ratio of this change to the distance of the contact point from the origin below which it is small [-]."""


@jit
def clear_jump(events):
    """Forget the last jump."""
    events.jump_contact = -1


@jit
def find_jump(model, h, events):
    """Store the first contact whose indentation jumped in a step of length ``h`` [s].

    Histories are those before the step, contact states those after it.
    """
    before = -NO_CONTACT
    after = -NO_CONTACT
    deepest = 0.0
    speed = 0.0
    place = 0.0
    for k in range(model.n_contacts):
        contact = CONTACT(model.contacts, k)
        if contact.is_rotational != 0:
            continue
        history = CONTACT_HISTORY(model.contact_history, k)
        contact_state = CONTACT_STATE(model.contact_state, k)
        before = max(before, history.last_indentation)
        after = max(after, contact_state.indentation)
        if history.mode != 0:
            deepest = max(deepest, history.max_indentation)
        speed = max(speed, max(history.last_speed_bound, contact_state.speed_bound))
        place = max(place, abs(contact_state.x) + abs(contact_state.y) + abs(contact_state.z))
        if contact.is_last_point == 0:
            continue
        change = abs(after - before)
        travel = h * speed
        small = TRAVEL_FACTOR * travel + DEPTH_FACTOR * deepest + PLACE_FACTOR * place
        if max(before, after) > 0.0 and small < change < 0.5 * NO_CONTACT:
            events.jump_contact = k
            events.jump_before = before
            events.jump_after = after
            events.jump_travel = travel
            return
        before = -NO_CONTACT
        after = -NO_CONTACT
        deepest = 0.0
        speed = 0.0
        place = 0.0
