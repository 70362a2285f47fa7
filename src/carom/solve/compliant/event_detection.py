"""Detection of the first contact event in a step.

An integrator takes a step with the contact modes fixed: a separated contact gives no force however deep the trial
states reach, a loaded one stays loaded. The step is therefore smooth. Afterwards the contacts are evaluated on the
quintic through both ends of the step; the earliest event gives a bracket, in which the integrator locates the event by
steps of its own. The history of a contact does not change before that, so that a rejected step leaves no trace.
"""

from __future__ import annotations

from carom.geometry.pairs.base import NO_CONTACT
from carom.kernels import CONTACT_EVENT, jit, kernel
from carom.mechanics.contact_records import CONTACT, CONTACT_HISTORY, CONTACT_STATE, LOADED, SEPARATED
from carom.mechanics.model_record import MODEL
from carom.solve.compliant.contact_interpolation import (
    contact_at_state,
    contact_in_step,
    event_crossing,
    event_value,
    resolution,
)
from carom.solve.compliant.records import (
    EVENTS,
    FORCE_RETURN,
    FORCE_ZERO,
    N_SAMPLES,
    ONSET,
    RELOADING,
    ROUNDING,
    SEPARATION,
    UNLOADING,
)
from carom.solve.runge_kutta.warm_start import restore_warm_start

BLURRED = 100.0
"""Resolutions of an indentation within which a negative value of a contact that goes deeper is rounding."""
MAX_ADVANCES = 8
"""Largest number of steps of Newton's method towards an onset."""
GAP_FACTOR = 4.0
"""Ratio of the largest change of a gap to the bound of speed times the time [-]; the place turns, too."""


@jit
def has_place(delta):
    """Return whether an indentation is that of a place of contact."""
    return delta > -0.5 * NO_CONTACT


@jit
def keep_earliest(model, k, kind, y0, f0, y1, f1, h, low, high, events):
    """Store an event if it is the earliest so far."""
    fraction = event_crossing(model, k, kind, y0, f0, y1, f1, h, low, high) if high > low else low
    if not fraction < events.fraction:
        return
    events.contact = k
    events.kind = kind
    events.fraction = fraction


@jit
def largest_gap(model, k, y0, f0, y1, f1, h, low, high):
    """Return the fraction of the largest gap of a contact that opens and closes again, by bisection."""
    for _ in range(48):
        middle = 0.5 * (low + high)
        if contact_in_step(model, k, y0, f0, y1, f1, h, middle).indentation_rate < 0.0:
            low = middle
        else:
            high = middle
    return low


@jit
def overlap_before_loss(model, k, y0, f0, y1, f1, h, low, high, gap, bound):
    """Return a fraction at which a contact overlaps that is apart at ``low`` and without a place at ``high``; or −1.

    Solids that overlap more than their thickness have no place of contact. ``gap`` [m] is that at ``low``, and
    ``bound`` [m/s] that of its rate: the search ends where it can no longer close.
    """
    while gap < GAP_FACTOR * bound * h * (high - low):
        middle = 0.5 * (low + high)
        if not low < middle < high:
            break
        delta = contact_in_step(model, k, y0, f0, y1, f1, h, middle).indentation
        if delta > 0.0:
            return middle
        if has_place(delta):
            low = middle
            gap = -delta
        else:
            high = middle
    return -1.0


@jit
def overlap_ahead(model, k, y0, f0, y1, f1, h, low, high, delta, rate, bound):
    """Return a fraction up to ``high`` at which a contact that approaches at ``low`` overlaps; −1 if none is found.

    Newton's method follows its gap, so that a solid that has gone through a thin part at ``high`` is found inside it.
    """
    for _ in range(MAX_ADVANCES):
        ahead = low - delta / (rate * h)
        if not low < ahead < high:
            break
        gap = -delta
        contact_state = contact_in_step(model, k, y0, f0, y1, f1, h, ahead)
        delta = contact_state.indentation
        rate = contact_state.indentation_rate
        if delta > 0.0:
            return ahead
        if not has_place(delta):
            return overlap_before_loss(model, k, y0, f0, y1, f1, h, low, ahead, gap, bound)
        if not (delta < 0.0 and rate > 0.0):
            break
        low = ahead
    return -1.0


@jit
def detect_onset(model, k, y0, f0, y1, f1, h):
    """Detect the onset of a separated contact inside the step, even if it has ended at the end of the step."""
    history = CONTACT_HISTORY(model.contact_history, k)
    contact_state = CONTACT_STATE(model.contact_state, k)
    delta1 = contact_state.indentation
    rate1 = contact_state.indentation_rate
    delta = history.last_indentation
    rate = history.last_rate
    bound = max(history.last_speed_bound, contact_state.speed_bound)
    left = 0.0
    if max(delta, delta1) < -GAP_FACTOR * h * bound:
        return 0, left, left
    begins = 1 << ONSET
    for part in range(1, N_SAMPLES + 1):
        right = part / N_SAMPLES
        if part < N_SAMPLES:
            contact_state = contact_in_step(model, k, y0, f0, y1, f1, h, right)
            next_delta = contact_state.indentation
            next_rate = contact_state.indentation_rate
        else:
            next_delta = delta1
            next_rate = rate1
        if has_place(delta) and delta < 0.0 < rate:
            inside = overlap_ahead(model, k, y0, f0, y1, f1, h, left, right, delta, rate, bound)
            if inside >= 0.0:
                return begins, left, inside
        if next_delta > 0.0 and delta <= 0.0:
            return begins, left, right
        if next_delta > 0.0 and rate > 0.0 and part == 1:  # it began at the start of the step
            return begins, left, left
        if next_delta > 0.0 and next_rate > 0.0:  # it separated and came back
            bottom = largest_gap(model, k, y0, f0, y1, f1, h, left, right)
            return begins, bottom, right
        if rate > 0.0 and next_rate < 0.0:
            # Where the tangents at both ends meet is above a smooth maximum between them.
            width = (right - left) * h
            meeting = (next_delta - delta - next_rate * width) / (rate - next_rate)
            if delta + rate * min(max(meeting, 0.0), width) > 0.0:
                unloading = UNLOADING
                top = event_crossing(model, k, unloading, y0, f0, y1, f1, h, left, right)
                contact_state = contact_in_step(model, k, y0, f0, y1, f1, h, top)
                if contact_state.indentation > ROUNDING:
                    return begins, left, top
        if has_place(delta) and not has_place(next_delta):
            inside = overlap_before_loss(model, k, y0, f0, y1, f1, h, left, right, -delta, bound)
            if inside >= 0.0:
                return begins, left, inside
        delta = next_delta
        rate = next_rate
        left = right
    return 0, left, left


@jit
def detect_while_loaded(model, k, y0, f0, y1, f1, h):
    """Detect separation, zero force, unloading and reloading of a loaded contact."""
    contact = CONTACT(model.contacts, k)
    history = CONTACT_HISTORY(model.contact_history, k)
    has_unloading_curve = contact.has_unloading_curve
    is_adhesive = contact.is_adhesive
    last_rate = history.last_rate
    left = 0.0
    for part in range(1, 3):
        right = 0.5 * part
        contact_state = CONTACT_STATE(model.contact_state, k)
        if part == 1:
            contact_state = contact_in_step(model, k, y0, f0, y1, f1, h, right)
        delta = contact_state.indentation
        rate = contact_state.indentation_rate
        force_sign = contact_state.force_sign
        kinds = 0
        if last_rate < 0.0 < rate and delta >= 0.0:  # it may have separated and come back
            bottom = largest_gap(model, k, y0, f0, y1, f1, h, left, right)
            if contact_in_step(model, k, y0, f0, y1, f1, h, bottom).indentation < 0.0:
                return 1 << SEPARATION, left, bottom
        # A contact that begins is located to rounding: just after it, while it goes deeper, it does not end.
        deepens = last_rate > 0.0 and rate > 0.0 and delta > -BLURRED * resolution(contact_state)
        last_rate = rate
        if delta < 0.0 and not deepens:
            kinds |= 1 << SEPARATION
        if force_sign < 0.0 and not is_adhesive:
            kinds |= 1 << FORCE_ZERO
        if has_unloading_curve and history.is_unloading == 0 and rate < 0.0:
            kinds |= 1 << UNLOADING
        if has_unloading_curve and history.is_unloading != 0 and delta > history.delta_turn and rate > 0.0:
            kinds |= 1 << RELOADING
        if kinds:
            return kinds, left, right
        left = right
    return 0, left, left


@jit
def detect_while_force_free(model, k, y0, f0, y1, f1, h):
    """Detect the return of the force, or the separation, of a contact that overlaps without force.

    Some laws push again only just before the separation, so the time before it is sampled ever more finely.
    """
    separating = SEPARATION
    ends = 1 << SEPARATION
    engages = 1 << FORCE_RETURN
    rate = CONTACT_HISTORY(model.contact_history, k).last_rate
    left = 0.0
    for part in range(1, N_SAMPLES + 1):
        right = part / N_SAMPLES
        contact_state = contact_in_step(model, k, y0, f0, y1, f1, h, right)
        delta = contact_state.indentation
        force_sign = contact_state.force_sign
        next_rate = contact_state.indentation_rate
        if rate < 0.0 < next_rate and delta >= 0.0:  # it may have separated and come back
            bottom = largest_gap(model, k, y0, f0, y1, f1, h, left, right)
            delta = contact_in_step(model, k, y0, f0, y1, f1, h, bottom).indentation
            if delta < 0.0:
                right = bottom
        rate = next_rate
        if delta < 0.0:
            end = event_crossing(model, k, separating, y0, f0, y1, f1, h, left, right)
            before = left
            part_left = 0.5
            for _ in range(40):
                s = end - part_left * (end - left)
                if not before < s < end:
                    break
                contact_state = contact_in_step(model, k, y0, f0, y1, f1, h, s)
                if contact_state.force_sign > 0.0 and contact_state.indentation > 0.0:
                    return engages, before, s
                before = s
                part_left *= 0.5
            return ends, left, right
        if force_sign > 0.0:
            return engages, left, right
        left = right
    return 0, left, left


@kernel(CONTACT_EVENT, MODEL, EVENTS)
def detect_events(t, h, y0, f0, y1, f1, model, events):
    """Return 1 if a contact changes inside the step, and store the contact, kind and fraction of the first event.

    The last evaluation must be that of ``y1``.
    """
    events.fraction = 2.0
    for k in range(model.n_contacts):
        history = CONTACT_HISTORY(model.contact_history, k)
        if CONTACT(model.contacts, k).slot_offset >= 0:  # its spot moves from where it is at the start of the step
            restore_warm_start(model)
        if history.mode == SEPARATED:
            kinds, low, high = detect_onset(model, k, y0, f0, y1, f1, h)
        elif history.mode == LOADED:
            kinds, low, high = detect_while_loaded(model, k, y0, f0, y1, f1, h)
        else:
            kinds, low, high = detect_while_force_free(model, k, y0, f0, y1, f1, h)
        for kind in range(RELOADING + 1):
            if kinds & (1 << kind):
                keep_earliest(model, k, kind, y0, f0, y1, f1, h, low, high, events)
    if events.fraction > 1.0:
        return 0
    k = events.contact
    kind = events.kind
    history = CONTACT_HISTORY(model.contact_history, k)
    s = events.fraction
    low = max(s - 1e-4, 0.0)
    high = min(s + 1e-4, 1.0)
    rise = event_value(kind, contact_in_step(model, k, y0, f0, y1, f1, h, high), history)
    rise -= event_value(kind, contact_in_step(model, k, y0, f0, y1, f1, h, low), history)
    events.slope = rise / ((high - low) * h)
    return 1


@kernel(CONTACT_EVENT, MODEL, EVENTS)
def evaluate_event(t, h, y0, f0, y1, f1, model, events):
    """Evaluate the function of the stored event in state ``y1``, and its resolution by rounding."""
    k = events.contact
    kind = events.kind
    history = CONTACT_HISTORY(model.contact_history, k)
    contact_state = contact_at_state(model, k, y1)
    events.value = event_value(kind, contact_state, history)
    events.resolution = 0.0
    if kind in (ONSET, SEPARATION):
        events.resolution = resolution(contact_state)
        events.slope = contact_state.indentation_rate if kind == ONSET else -contact_state.indentation_rate
    return 0
