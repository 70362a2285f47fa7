"""Extrema of contacts over a step: peak force, largest indentation, error norm, depth at the onset."""

from __future__ import annotations

from carom.kernels import CONTACT_EVENT, jit, kernel
from carom.mechanics.contact_duration import normal_direction
from carom.mechanics.contact_records import (
    CONTACT,
    CONTACT_HISTORY,
    CONTACT_STATE,
    LOADED,
    SEPARATED,
    store_last_state,
)
from carom.mechanics.model_record import MODEL, contact_loss
from carom.solve.compliant.contact_interpolation import contact_at_state, contact_in_step, event_crossing
from carom.solve.compliant.contact_jumps import find_jump
from carom.solve.compliant.records import (
    EVENTS,
    EXTREMUM_REQUEST,
    MAX_FORCE,
    MAX_INDENTATION,
    MAX_REQUESTS,
    NUDGE,
    UNLOADING,
)

SLOWEST, LASTING = 0.01, 0.05
"""Fractions of the speed of the bodies, in an impact and in persistent contact, below which the error of the normal
speed is not resolved further [-]."""
CONSTANT = 1e-10
"""Relative change over a step below which a force or an indentation counts as constant [-]."""


@jit
def force_slope(model, k, y0, f0, y1, f1, h, s):
    """Return the change of the normal force over a small part of the step [N]."""
    low = max(s - 0.5 * NUDGE, 0.0)
    high = min(low + NUDGE, 1.0)
    low = high - NUDGE
    after = contact_in_step(model, k, y0, f0, y1, f1, h, high).normal_force
    return after - contact_in_step(model, k, y0, f0, y1, f1, h, low).normal_force


@jit
def request_extremum(events, s, k, quantity):
    """Request the state at fraction ``s``, to read an extremum there."""
    if events.n_requests < MAX_REQUESTS:
        request = EXTREMUM_REQUEST(events.requests, events.n_requests)
        request.fraction = s
        request.contact = k
        request.quantity = quantity
        events.n_requests += 1


@jit
def request_peak(model, k, y0, f0, y1, f1, h, events):
    """Request the state where the force is largest, if it lies inside the step."""
    history = CONTACT_HISTORY(model.contact_history, k)
    low = 0.0
    high = 1.0
    rises = force_slope(model, k, y0, f0, y1, f1, h, low) > 0.0
    if not rises or force_slope(model, k, y0, f0, y1, f1, h, high) > 0.0:
        return
    for _ in range(40):
        middle = 0.5 * (low + high)
        if force_slope(model, k, y0, f0, y1, f1, h, middle) > 0.0:
            low = middle
        else:
            high = middle
    if contact_in_step(model, k, y0, f0, y1, f1, h, low).normal_force > 0.999 * history.peak_force:
        quantity = MAX_FORCE
        request_extremum(events, low, k, quantity)


@jit
def may_peak(start, half, end):
    """Return whether a force may have its maximum inside a step, given its values at the start, middle and end.

    A force that still rises at the end, or falls from the start, as steeply as on average has none. Nor has one that
    is constant up to rounding, at rest.
    """
    first = half - start
    second = end - half
    if abs(first) + abs(second) < CONSTANT * half:
        return False
    rises = first > 0.0 and second > 0.5 * first
    falls = second < 0.0 and first < 0.5 * second
    return not (rises or falls)


@kernel(CONTACT_EVENT, MODEL, EVENTS)
def update_extrema(t, h, y0, f0, y1, f1, model, events):
    """Update the extrema of every contact, and request those inside the step; return the number of requests.

    The last evaluation must be that of ``y1``.
    """
    events.n_requests = 0
    find_jump(model, h, events)
    for k in range(model.n_contacts):
        history = CONTACT_HISTORY(model.contact_history, k)
        contact_state = CONTACT_STATE(model.contact_state, k)
        if history.mode == LOADED:
            history.peak_force = max(history.peak_force, contact_state.normal_force)
            history.max_indentation = max(history.max_indentation, contact_state.indentation)
            history.max_indentation_rate = max(history.max_indentation_rate, abs(contact_state.indentation_rate))
            travel = (abs(history.last_rate) + abs(contact_state.indentation_rate)) * h
            turns = history.last_rate > 0.0 and contact_state.indentation_rate <= 0.0
            if turns:
                history.n_compressions += 1
            if turns and travel > CONSTANT * contact_state.indentation:
                turning = UNLOADING
                s = event_crossing(model, k, turning, y0, f0, y1, f1, h, 0.0, 1.0)
                if contact_in_step(model, k, y0, f0, y1, f1, h, s).indentation > 0.999 * history.max_indentation:
                    quantity = MAX_INDENTATION
                    request_extremum(events, s, k, quantity)
            half = contact_in_step(model, k, y0, f0, y1, f1, h, 0.5).normal_force
            if half > 0.9 * history.peak_force and may_peak(history.last_force, half, contact_state.normal_force):
                request_peak(model, k, y0, f0, y1, f1, h, events)
        store_last_state(history, contact_state)
    return events.n_requests


@kernel(CONTACT_EVENT, MODEL, EVENTS)
def read_extremum(t, h, y0, f0, y1, f1, model, events):
    """Read the requested extremum from state ``y1``."""
    k = events.request_contact
    history = CONTACT_HISTORY(model.contact_history, k)
    contact_state = contact_at_state(model, k, y1)
    if events.request_quantity == MAX_FORCE:
        history.peak_force = max(history.peak_force, contact_state.normal_force)
    else:
        history.max_indentation = max(history.max_indentation, contact_state.indentation)
    return 0


@kernel(CONTACT_EVENT, MODEL, EVENTS)
def contact_error_norm(t, h, y0, f0, y1, f1, model, events):
    """Compute the largest error of a contact, in its normal speed and its dissipated energy, relative to their sizes.

    ``y0`` is the error of a step, ``f0`` the scale of every coordinate, ``t`` and ``h`` are the relative and the
    absolute tolerance; the contact points are those of the last evaluation.
    """
    width = model.velocities_per_body
    n = model.n_velocities
    worst = 0.0
    for k in range(model.n_contacts):
        contact = CONTACT(model.contacts, k)
        history = CONTACT_HISTORY(model.contact_history, k)
        if history.mode == SEPARATED:
            continue
        contact_state = CONTACT_STATE(model.contact_state, k)
        total = 0.0
        fastest = 0.0
        for side in range(2):
            velocity_index = contact.velocity_a if side == 0 else contact.velocity_b
            if velocity_index >= 0:
                v = n + velocity_index
                direction = normal_direction(model, contact, side, contact_state)
                for d in range(width):
                    total += direction[d] * y0[v + d]
                for d in range(model.dim):
                    fastest = max(fastest, f0[v + d])
        speed = max(history.max_indentation_rate, fastest * (SLOWEST if history.n_compressions < 2 else LASTING))
        worst = max(worst, abs(total) / (t * speed + SLOWEST * h))
        if history.inverse_effective_mass > 0.0:
            energy = 0.5 * speed * speed / history.inverse_effective_mass
            loss = contact_loss(model, k, y0)
            lost = abs(loss.normal) + abs(loss.friction)
            worst = max(worst, lost / (t * energy + SLOWEST * h))
    events.contact_error = worst
    return 0


@kernel(CONTACT_EVENT, MODEL, EVENTS)
def onset_depth(t, h, y0, f0, y1, f1, model, events):
    """Compute the largest indentation in ``y1`` of separated contacts, and the fraction (9) of paper T of the onset."""
    events.onset_depth = 0.0
    events.fraction = 2.0
    for k in range(model.n_contacts):
        history = CONTACT_HISTORY(model.contact_history, k)
        if history.mode == SEPARATED:
            after = contact_in_step(model, k, y0, f0, y1, f1, h, 1.0).indentation
            before = contact_in_step(model, k, y0, f0, y1, f1, h, 0.0).indentation
            if after > 0.0:
                events.onset_depth = max(events.onset_depth, after)
                if before < 0.0:
                    events.fraction = min(events.fraction, before / (before - after))
    return 0
