"""Location of contact events and extrema: repeat a step with other lengths from the same start."""

from __future__ import annotations

import math

from carom.kernels import call_contact_event, call_project, floats, jit
from carom.mechanics.model_record import MODEL, OK
from carom.solve.compliant.records import EVENTS, EXTREMUM_REQUEST, ONSET, TIME_RESOLUTION
from carom.solve.compliant.rk_step import compute_stages

MAX_ITERATIONS = 16
"""Steps to locate an event."""


@jit
def call_event_kernel(run, kernel, t, h):
    """Call an event kernel for the step that has been taken."""
    return call_contact_event(
        kernel, t, h, floats(run.y), floats(run.stages), floats(run.y_new), floats(run.rhs_new), MODEL(run.model),
        EVENTS(run.events),
    )  # fmt: skip


@jit
def call_event_kernel_at_state(run, kernel, t, y):
    """Call an event kernel for one state."""
    return call_contact_event(kernel, t, 1.0, y, y, y, y, MODEL(run.model), EVENTS(run.events))


@jit
def repeat_step(run, rhs_kernel, t, h, y_new):
    """Repeat a step from the same start with another length; return a `Status`."""
    status, _ = compute_stages(run, rhs_kernel, t, h, t + h, y_new)
    if run.project_kernel != 0:
        status = max(status, call_project(run.project_kernel, t + h, y_new, MODEL(run.model)))
    return status


@jit
def locate_event(run, rhs_kernel, t, h):
    """Locate the detected event by repeating the step; return the step length up to it [s], or NaN on failure.

    A chord iteration with the slope of the event function at the last guess, kept inside a bracket. The field
    ``is_located`` of the events is 0 if the event turns out not to lie in the step.
    """
    events = EVENTS(run.events)
    y_new = floats(run.y_new)
    low = 0.0
    high = h
    guess = events.fraction * h
    finest = TIME_RESOLUTION * max(t + h, floats(run.stop_times)[run.n_stops - 1])
    x = 0.0
    for _ in range(MAX_ITERATIONS):
        if not guess > finest:
            events.is_located = 1
            return 0.0
        x = guess
        if repeat_step(run, rhs_kernel, t, x, y_new) != OK:
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
def read_extrema(run, n_requests, rhs_kernel, t, h):
    """Read the requested extrema from steps that end there."""
    events = EVENTS(run.events)
    y_probe = floats(run.y_probe)
    for i in range(n_requests):
        request = EXTREMUM_REQUEST(events.requests, i)
        repeat_step(run, rhs_kernel, t, request.fraction * h, y_probe)
        events.request_contact = request.contact
        events.request_quantity = request.quantity
        call_event_kernel_at_state(run, run.read_extremum_kernel, t, y_probe)


@jit
def detect_late_onset(run, t, h):
    """Return whether a contact has begun too deep inside the step, in runs without event location.

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
