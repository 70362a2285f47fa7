"""Location of contact events and extrema: repeat a step with other lengths from the same start, or cut it."""

from __future__ import annotations

import math

from carom.kernels import call_contact_event, call_project, floats, jit
from carom.mechanics.model_record import MODEL, OK
from carom.solve.compliant.implicit_step import takes_implicit_steps
from carom.solve.compliant.records import (
    ACCEPTED,
    EVENT,
    EVENTS,
    EXTREMUM_REQUEST,
    INTERPOLATE,
    NONE,
    ONSET,
    REPEAT,
    SEPARATION,
    STALLED,
    TIME_RESOLUTION,
)
from carom.solve.compliant.rk_step import evaluate_rhs, repeat_step
from carom.solve.radau.records import RADAU
from carom.solve.runge_kutta.records import RUNGE_KUTTA

MAX_ITERATIONS = 16
"""Steps to locate an event."""
TOUCHED = 1e-6
"""Fraction of a step below which a contact begins at the start of the step [-]."""


@jit
def call_event_kernel(run, kernel, t, h):
    """Call an event kernel for the step that has been taken."""
    rk = RUNGE_KUTTA(run.rk)
    return call_contact_event(
        kernel, t, h, floats(rk.y), floats(rk.stages), floats(rk.y_new), floats(rk.rhs_new), MODEL(run.model),
        EVENTS(run.events),
    )  # fmt: skip


@jit
def call_event_kernel_at_state(run, kernel, t, y):
    """Call an event kernel for one state."""
    return call_contact_event(kernel, t, 1.0, y, y, y, y, MODEL(run.model), EVENTS(run.events))


@jit
def find_events(run, progress, trial):
    """Shorten the step to its first contact event; return ACCEPTED, REPEAT or STALLED."""
    trial.has_event = 0
    if run.detect_event_kernel == 0:
        return ACCEPTED
    if run.onset_method == EVENT:
        if call_event_kernel(run, run.detect_event_kernel, progress.t, trial.h) == 0:
            return ACCEPTED
        return shorten_to_event(run, progress, trial)
    if run.onset_method != NONE and detect_late_onset(run, progress.t, trial.h):
        return handle_late_onset(run, progress, trial)
    return ACCEPTED


# ---- runs with event location


@jit
def shorten_to_event(run, progress, trial):
    """Let the step end at the detected event; return ACCEPTED, REPEAT or STALLED."""
    rk = RUNGE_KUTTA(run.rk)
    events = EVENTS(run.events)
    length = events.fraction * trial.h
    duration = events.min_impact_duration
    if events.kind == SEPARATION and rk.is_adaptive != 0:
        if duration < math.inf and length > run.last_in_contact * duration:
            progress.h = 0.7 * length
            return REPEAT
    trial.reaches_stop = 0  # also if there is no event after all: the step is shorter then, and the next one detects it
    length = locate_event(run, progress, trial.h)
    if math.isnan(length):
        progress.h = 0.25 * trial.h
        return REPEAT
    trial.h = length
    trial.has_event = events.is_located
    progress.events_at_same_time = 0 if length > 0.0 else progress.events_at_same_time + 1
    if progress.events_at_same_time > 4 * (MODEL(run.model).n_contacts + 1):
        return STALLED
    y_new = floats(rk.y_new)
    if progress.events_at_same_time > 0:
        y = floats(rk.y)
        for j in range(rk.n_states):
            y_new[j] = y[j]
    evaluate_rhs(run, progress, progress.t + length, y_new, floats(rk.rhs_new))
    return ACCEPTED


@jit
def locate_event(run, progress, h):
    """Locate the detected event by repeating the step; return the step length up to it [s], or NaN on failure.

    A chord iteration with the slope of the event function at the last guess, kept inside a bracket. The field
    ``is_located`` of the events is 0 if the event turns out not to lie in the step.
    """
    events = EVENTS(run.events)
    y_new = floats(RUNGE_KUTTA(run.rk).y_new)
    t = progress.t
    low = 0.0
    high = h
    guess = events.fraction * h
    finest = TIME_RESOLUTION * max(t + h, floats(run.stop_times)[progress.next_stop])
    x = 0.0
    for _ in range(MAX_ITERATIONS):
        if not guess > finest:
            events.is_located = 1
            return 0.0
        x = guess
        if repeat_step(run, progress, x, y_new) != OK:
            return math.nan
        call_event_kernel_at_state(run, run.evaluate_event_kernel, t + x, y_new)
        f = events.value
        if not math.isfinite(f):
            return math.nan
        if f < 0.0:
            low = x
        else:
            high = x
        slope = events.slope
        guess = x - f / slope if slope > 0.0 else math.nan
        events.is_located = 0 if f < 0.0 and high == h and guess > h + finest else 1
        if abs(f) <= events.resolution or high - low <= finest or abs(guess - x) <= finest:
            break
        if not low < guess < high:
            guess = 0.5 * (low + high)
    return x


@jit
def read_extrema(run, progress, n_requests, h):
    """Read the requested extrema from steps that end there; where one fails, those at the ends of the step remain."""
    events = EVENTS(run.events)
    y_probe = floats(RUNGE_KUTTA(run.rk).y_probe)
    is_implicit = takes_implicit_steps(progress)
    needs_jacobian = RADAU(run.radau).memory.needs_jacobian if is_implicit else 0
    for i in range(n_requests):
        request = EXTREMUM_REQUEST(events.requests, i)
        if repeat_step(run, progress, request.fraction * h, y_probe) != OK:
            continue
        events.request_contact = request.contact
        events.request_quantity = request.quantity
        call_event_kernel_at_state(run, run.read_extremum_kernel, progress.t, y_probe)
    if is_implicit:
        memory = RADAU(run.radau).memory
        memory.needs_jacobian = needs_jacobian
        memory.has_fresh_jacobian = 0  # the next step begins elsewhere


# ---- runs without event location


@jit
def detect_late_onset(run, t, h):
    """Return whether a contact has begun too deep inside the step.

    Contacts that have ended at the end of the step count, too; such a step can only be rejected.
    """
    events = EVENTS(run.events)
    call_event_kernel(run, run.onset_depth_kernel, t, h)
    if events.onset_depth > 0.0:
        return events.onset_depth > run.max_onset_depth
    if call_event_kernel(run, run.detect_event_kernel, t, h) != 0 and events.kind == ONSET:
        events.fraction = 2.0
        return True
    return False


@jit
def handle_late_onset(run, progress, trial):
    """Reject or cut a step in which a contact has begun too deep; return ACCEPTED or REPEAT.

    Procedure 2 of paper T rejects the step; procedure 1, (11) and (12), cuts it linearly. A step that is as short as it
    may be is accepted.
    """
    ratio = EVENTS(run.events).fraction
    # A contact that begins at the start of the step cannot be stepped to: it would be found there again and again.
    if run.onset_method == INTERPOLATE and TOUCHED < ratio < 1.0:
        cut_step(run, progress, trial, ratio)
        return ACCEPTED
    if trial.h > run.min_step:
        progress.n_rejected += 1
        progress.h = max(0.5 * trial.h, run.min_step)
        return REPEAT
    progress.n_late_onsets += 1
    return ACCEPTED


@jit
def cut_step(run, progress, trial, ratio):
    """Replace the new state by the linear interpolation at fraction ``ratio`` of the step."""
    rk = RUNGE_KUTTA(run.rk)
    events = EVENTS(run.events)
    y = floats(rk.y)
    y_new = floats(rk.y_new)
    t_new = progress.t + ratio * trial.h
    events.onset_speed = 2.0 * events.onset_depth / ((1.0 - ratio) * trial.h)
    for j in range(rk.n_states):
        y_new[j] = y[j] + ratio * (y_new[j] - y[j])
    if run.project_kernel != 0:
        call_project(run.project_kernel, t_new, y_new, MODEL(run.model))
    evaluate_rhs(run, progress, t_new, y_new, floats(rk.rhs_new))
    trial.reaches_stop = 0
    progress.h = max(run.max_onset_depth / events.onset_speed, run.min_step)
    trial.h *= ratio
    trial.error = -1.0  # its length does not control the next step
