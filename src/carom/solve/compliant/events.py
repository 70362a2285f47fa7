"""Contacts over one step: the events inside it.


An integrator takes a step with the contacts as they are: one that is apart gives no force however deep the trial states
reach, one that presses goes on pressing. So the step is smooth, and what the contacts should have done inside it is
found afterwards, on the polynomial of degree five through both ends: the earliest event is a bracket, which the
integrator narrows with steps of its own. Nothing a contact remembers changes before that, so that a rejected step
leaves no trace.
"""

from __future__ import annotations

from carom.kernels import WATCH, jit, kernel
from carom.mechanics.contact_records import CONTACT, CONTACT_HISTORY, CONTACT_STATE, LOADED, SEPARATED
from carom.mechanics.model_record import MODEL
from carom.solve.compliant.desk import (
    CONTACT as EVENT_CONTACT,
)
from carom.solve.compliant.desk import (
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
def propose(model, k, kind, y0, f0, y1, f1, h, low, high, desk):
    """Lay an event on the desk if it is the earliest so far."""
    guess = crossing(model, k, kind, y0, f0, y1, f1, h, low, high) if high > low else low
    if not guess < desk[GUESS]:
        return
    desk[EVENT_CONTACT] = k
    desk[KIND] = kind
    desk[GUESS] = guess


@jit
def farthest(model, k, y0, f0, y1, f1, h, low, high):
    """Fraction at which a contact that opens begins to close, by bisection."""
    for _ in range(48):
        middle = 0.5 * (low + high)
        if glance(model, k, y0, f0, y1, f1, h, middle).indentation_rate < 0.0:
            low = middle
        else:
            high = middle
    return low


@jit
def approach(model, k, y0, f0, y1, f1, h):
    """Whether a contact that is apart begins inside the step, even when it is over at the end of it."""
    history = CONTACT_HISTORY(model.contact_history, k)
    contact_state = CONTACT_STATE(model.contact_state, k)
    delta1 = contact_state.indentation
    rate1 = contact_state.indentation_rate
    delta = history.last_indentation
    rate = history.last_rate
    bound = max(history.last_speed_bound, contact_state.speed_bound)
    left = 0.0
    if max(delta, delta1) < -4.0 * h * bound:
        return 0, left, left
    begins = 1 << ONSET
    for part in range(1, QUARTERS + 1):
        right = part / QUARTERS
        if part < QUARTERS:
            contact_state = glance(model, k, y0, f0, y1, f1, h, right)
            next_delta = contact_state.indentation
            next_rate = contact_state.indentation_rate
        else:
            next_delta = delta1
            next_rate = rate1
        if next_delta > 0.0 and delta <= 0.0:
            return begins, left, right
        if next_delta > 0.0 and rate > 0.0 and part == 1:  # it began where the step does
            return begins, left, left
        if next_delta > 0.0 and next_rate > 0.0:  # it was leaving and has come back
            bottom = farthest(model, k, y0, f0, y1, f1, h, left, right)
            return begins, bottom, right
        if rate > 0.0 and next_rate < 0.0:
            # Where the tangents at both ends meet is above a smooth maximum between them.
            width = (right - left) * h
            meeting = (next_delta - delta - next_rate * width) / (rate - next_rate)
            if delta + rate * min(max(meeting, 0.0), width) > 0.0:
                turning = TURN
                top = crossing(model, k, turning, y0, f0, y1, f1, h, left, right)
                contact_state = glance(model, k, y0, f0, y1, f1, h, top)
                if contact_state.indentation > ROUNDING:
                    return begins, left, top
        delta = next_delta
        rate = next_rate
        left = right
    return 0, left, left


@jit
def progress(model, k, y0, f0, y1, f1, h):
    """What a contact that presses comes to inside the step: its end, the end of its force, a turning point."""
    contact = CONTACT(model.contacts, k)
    history = CONTACT_HISTORY(model.contact_history, k)
    unloads = contact.has_unloading_curve
    pulls = contact.is_adhesive
    last_rate = history.last_rate
    left = 0.0
    for part in range(1, 3):
        right = 0.5 * part
        contact_state = CONTACT_STATE(model.contact_state, k)
        if part == 1:
            contact_state = glance(model, k, y0, f0, y1, f1, h, right)
        delta = contact_state.indentation
        rate = contact_state.indentation_rate
        pressure = contact_state.force_sign
        kinds = 0
        if last_rate < 0.0 < rate and delta >= 0.0:  # it may have left and come back
            bottom = farthest(model, k, y0, f0, y1, f1, h, left, right)
            if glance(model, k, y0, f0, y1, f1, h, bottom).indentation < 0.0:
                return 1 << SEPARATION, left, bottom
        # A contact that begins is located to rounding: just after it, while it goes deeper, it does not end.
        deepens = last_rate > 0.0 and rate > 0.0 and delta > -BLURRED * resolution(contact_state)
        last_rate = rate
        if delta < 0.0 and not deepens:
            kinds |= 1 << SEPARATION
        if pressure < 0.0 and not pulls:
            kinds |= 1 << RELEASE
        if unloads and history.is_unloading == 0.0 and rate < 0.0:
            kinds |= 1 << TURN
        if unloads and history.is_unloading != 0.0 and delta > history.delta_turn and rate > 0.0:
            kinds |= 1 << RELOAD
        if kinds:
            return kinds, left, right
        left = right
    return 0, left, left


@jit
def coast(model, k, y0, f0, y1, f1, h):
    """Whether the force of a contact that overlaps without pressing comes back, or the contact ends.

    Some laws push again only just before the end, so the time before it is looked at ever more closely.
    """
    separating = SEPARATION
    ends = 1 << SEPARATION
    engages = 1 << ENGAGE
    rate = CONTACT_HISTORY(model.contact_history, k).last_rate
    left = 0.0
    for part in range(1, QUARTERS + 1):
        right = part / QUARTERS
        contact_state = glance(model, k, y0, f0, y1, f1, h, right)
        delta = contact_state.indentation
        pressure = contact_state.force_sign
        next_rate = contact_state.indentation_rate
        if rate < 0.0 < next_rate and delta >= 0.0:  # it may have left and come back
            bottom = farthest(model, k, y0, f0, y1, f1, h, left, right)
            delta = glance(model, k, y0, f0, y1, f1, h, bottom).indentation
            if delta < 0.0:
                right = bottom
        rate = next_rate
        if delta < 0.0:
            end = crossing(model, k, separating, y0, f0, y1, f1, h, left, right)
            before = left
            share = 0.5
            for _ in range(40):
                s = end - share * (end - left)
                if not before < s < end:
                    break
                contact_state = glance(model, k, y0, f0, y1, f1, h, s)
                if contact_state.force_sign > 0.0 and contact_state.indentation > 0.0:
                    return engages, before, s
                before = s
                share *= 0.5
            return ends, left, right
        if pressure > 0.0:
            return engages, left, right
        left = right
    return 0, left, left


@kernel(WATCH, MODEL)
def watch(t, h, y0, f0, y1, f1, model, desk):
    """1 when a contact changes inside the step: which, how, and where is laid on the desk.

    The last evaluation was that of ``y1``.
    """
    desk[GUESS] = 2.0
    for k in range(model.n_contacts):
        history = CONTACT_HISTORY(model.contact_history, k)
        if history.mode == SEPARATED:
            kinds, low, high = approach(model, k, y0, f0, y1, f1, h)
        elif history.mode == LOADED:
            kinds, low, high = progress(model, k, y0, f0, y1, f1, h)
        else:
            kinds, low, high = coast(model, k, y0, f0, y1, f1, h)
        for kind in range(KINDS):
            if kinds & (1 << kind):
                propose(model, k, kind, y0, f0, y1, f1, h, low, high, desk)
    if desk[GUESS] > 1.0:
        return 0
    k = int(desk[EVENT_CONTACT])
    kind = int(desk[KIND])
    history = CONTACT_HISTORY(model.contact_history, k)
    s = desk[GUESS]
    low = max(s - 1e-4, 0.0)
    high = min(s + 1e-4, 1.0)
    rise = value(kind, glance(model, k, y0, f0, y1, f1, h, high), history)
    rise -= value(kind, glance(model, k, y0, f0, y1, f1, h, low), history)
    desk[SLOPE] = rise / ((high - low) * h)
    return 1


@kernel(WATCH, MODEL)
def aim(t, h, y0, f0, y1, f1, model, desk):
    """The function of the event on the desk, in state ``y1``, and how well it can be known."""
    k = int(desk[EVENT_CONTACT])
    kind = int(desk[KIND])
    history = CONTACT_HISTORY(model.contact_history, k)
    contact_state = view(model, k, y1)
    desk[VALUE] = value(kind, contact_state, history)
    desk[RESOLUTION] = 0.0
    if kind in (ONSET, SEPARATION):
        desk[RESOLUTION] = resolution(contact_state)
        desk[SLOPE] = contact_state.indentation_rate if kind == ONSET else -contact_state.indentation_rate
    return 0
