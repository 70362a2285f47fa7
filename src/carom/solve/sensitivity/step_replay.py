"""Compiled loop of a neighbouring run: it repeats the recorded steps of another run with other parameters.

Steps have the recorded lengths. A step that ends at a contact event has the length at which the event function is zero
in the neighbouring run, and a step that ends at a stop absorbs the shift in time. No step is rejected and no event is
searched for, so that the state at every recorded step is a smooth function of the parameters (internal numerical
differentiation, Bock 1981).
"""

from __future__ import annotations

import math

from carom.kernels import RUN, call_project, floats, jit, kernel
from carom.mechanics.model_record import MODEL, OK
from carom.solve.compliant.event_location import call_event_kernel_at_state
from carom.solve.compliant.records import (
    CHUNK_FULL,
    EVENTS,
    FINISHED,
    INTEGRATION,
    NEEDS_IMPLICIT_STEPS,
    NEEDS_PROJECTED_STAGES,
    NOT_FINITE,
    ONSET,
    PROGRESS,
    SEPARATION,
    TAPE,
    TAPE_STEP,
    TRIAL_STEP,
)
from carom.solve.compliant.rk_loop import accept_step, has_capacity, record_step
from carom.solve.compliant.rk_step import evaluate_new_state, evaluate_rhs, repeat_step, try_step
from carom.solve.runge_kutta.records import RUNGE_KUTTA

MAX_CORRECTIONS = 12
"""Corrections of the length of a step that ends at an event."""
CLOSE = 1e-9
"""Ratio of a correction to the length of the step below which the next one is rounding [-]."""


@jit
def replay_regular_step(run, progress, trial):
    """Take a step of the recorded length, or up to the next stop; return a `Status`."""
    try_step(run, progress, trial)
    # The error of a neighbouring step may exceed the tolerance a little; it is projected all the same.
    if trial.error > 1.0 and trial.status == OK and run.project_kernel != 0 and progress.on_manifold == 0:
        y_new = floats(RUNGE_KUTTA(run.rk).y_new)
        trial.status = call_project(run.project_kernel, progress.t + trial.h, y_new, MODEL(run.model))
    evaluate_new_state(run, progress, trial)
    return trial.status


@jit
def replay_step_to_event(run, progress, trial, step):
    """Take a step up to the recorded event, from a guess of its length; return a `Status`.

    Newton's method for onset and separation, whose slopes are exact, and the secant method for other events. One more
    correction follows the first small one, so that the rest is rounding.
    """
    events = EVENTS(run.events)
    y_new = floats(RUNGE_KUTTA(run.rk).y_new)
    t = progress.t
    events.contact = step.contact
    events.kind = step.kind
    is_exact = step.kind == ONSET or step.kind == SEPARATION
    slope = step.slope
    h = step.h
    last_h = h
    last_f = math.nan
    is_close = False
    status = OK
    for _ in range(MAX_CORRECTIONS):
        status = repeat_step(run, progress, h, y_new)
        call_event_kernel_at_state(run, run.evaluate_event_kernel, t + h, y_new)
        f = events.value
        if status != OK or not math.isfinite(f):
            break
        if is_exact:
            slope = events.slope
        elif h != last_h and f != last_f:
            slope = (f - last_f) / (h - last_h)
        if is_close or not slope > 0.0:
            break
        last_h = h
        last_f = f
        h -= f / slope
        is_close = abs(h - last_h) <= CLOSE * max(abs(h), abs(last_h))
    trial.h = h
    trial.error = 0.0
    trial.min_pivot_ratio = 1.0
    evaluate_rhs(run, progress, t + h, y_new, floats(RUNGE_KUTTA(run.rk).rhs_new))
    return status


@jit
def replay_step(run, progress, trial, step):
    """Take one recorded step; return a `Status`."""
    progress.is_implicit = step.is_implicit
    progress.on_manifold = step.on_manifold
    trial.goal = floats(run.stop_times)[progress.next_stop]
    trial.reaches_stop = step.reaches_stop
    trial.has_event = step.has_event
    if step.has_event != 0:
        return replay_step_to_event(run, progress, trial, step)
    trial.h = trial.goal - progress.t if step.reaches_stop != 0 else step.h
    return replay_regular_step(run, progress, trial)


@kernel(RUN, INTEGRATION)
def replay_chunk(run):
    """Repeat recorded steps until the end of the tape, the end of the chunk, or a failure; return the status."""
    progress = PROGRESS(run.progress)
    trial = TRIAL_STEP(run.trial_step)
    tape = TAPE(run.tape)
    progress.n_nodes = 0
    while tape.position < tape.n_steps:
        if not has_capacity(run, progress):
            return CHUNK_FULL
        step = TAPE_STEP(tape.steps, tape.position)
        if step.is_implicit != 0 and run.radau == 0:
            return NEEDS_IMPLICIT_STEPS
        if step.on_manifold != 0 and run.projected_rhs_kernel == 0:
            return NEEDS_PROJECTED_STAGES
        if replay_step(run, progress, trial, step) != OK:
            return NOT_FINITE
        accept_step(run, progress, trial)
        record_step(run, progress, trial)
        step.t_end = progress.t
        tape.position += 1
    return FINISHED
