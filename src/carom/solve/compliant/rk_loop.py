"""Compiled loop of all Runge–Kutta methods: trial step, acceptance, contact events, nodes, next step and method.

Every ``node_stride``-th step and every stop becomes a node; a stop where a motion or a load changes its form becomes
two, unless the user chose the times of the nodes.
Contacts change at the end of a step only, and such nodes are stored twice, too: before and after the event. Without
projection, a joint that opens by more than ``max_joint_opening`` ends the run.
"""

from __future__ import annotations

import math

from carom.kernels import RUN, floats, ints, jit, kernel
from carom.mechanics.model_record import MODEL, OK
from carom.solve.compliant.event_location import (
    call_event_kernel,
    call_event_kernel_at_state,
    find_events,
    read_extrema,
)
from carom.solve.compliant.implicit_step import accept_implicit_step, takes_implicit_steps
from carom.solve.compliant.method_switching import abandon_failed_trial, choose_method
from carom.solve.compliant.node_storage import store_inner_nodes, store_node
from carom.solve.compliant.records import (
    ACCEPTED,
    CHUNK_FULL,
    CONSTRAINT_DRIFT,
    CONTACT_JUMP,
    EVENT,
    EVENTS,
    FINISHED,
    INTEGRATION,
    MAX_TRIES,
    MOMENT,
    NEEDS_IMPLICIT_STEPS,
    PROGRESS,
    REPEAT,
    STALLED,
    TAPE,
    TAPE_STEP,
    TRIAL_STEP,
    TRIES_PER_CONTACT,
)
from carom.solve.compliant.rk_step import evaluate_new_state, evaluate_rhs, try_step
from carom.solve.compliant.singular_positions import accept_pivots, assess_pivots, failure_to_advance
from carom.solve.compliant.step_control import choose_next_step, choose_step, reduce_step
from carom.solve.runge_kutta.records import RUNGE_KUTTA
from carom.solve.runge_kutta.warm_start import accept_warm_start


@jit
def assess_step(run, progress, trial):
    """Return ACCEPTED, REPEAT, or the status of a run that cannot continue."""
    is_good = trial.status == OK and math.isfinite(trial.error) and trial.error <= 1.0
    verdict = assess_pivots(run, progress, trial, is_good)
    if verdict != ACCEPTED or is_good:
        return verdict
    verdict = reduce_step(run, progress, trial)
    return REPEAT if abandon_failed_trial(run, progress) else verdict


@jit
def accept_step(run, progress, trial):
    """Advance to the new state: extrema of the contacts, nodes inside the step, contact modes, derivative."""
    rk = RUNGE_KUTTA(run.rk)
    n_requests = 0
    is_implicit = takes_implicit_steps(progress)
    if is_implicit:
        accept_implicit_step(run, progress, trial)
    if run.detect_event_kernel != 0 and trial.h > 0.0:
        n_requests = call_event_kernel(run, run.update_extrema_kernel, progress.t, trial.h)
        if run.accumulate_wear_kernel != 0:
            call_event_kernel(run, run.accumulate_wear_kernel, progress.t, trial.h)
    if run.n_inner_nodes > 0 and run.node_stride == 1 and trial.h > 0.0 and trial.error >= 0.0 and not is_implicit:
        store_inner_nodes(run, progress.t, trial.h)
    if n_requests > 0:
        read_extrema(run, progress, n_requests, trial.h)
    accept_state(run, progress, trial)
    change_contacts(run, progress, trial)
    if n_requests == 0 and run.n_inner_nodes == 0 and trial.has_event == 0:
        stages = floats(rk.stages)
        rhs_new = floats(rk.rhs_new)
        for j in range(rk.n_states):
            stages[j] = rhs_new[j]
    else:
        evaluate_rhs(run, progress, progress.t, floats(rk.y), floats(rk.stages))
    accept_warm_start(MODEL(run.model))
    accept_pivots(run, progress, trial)


@jit
def accept_state(run, progress, trial):
    """Make the new state the current one, and update the scale of the error."""
    rk = RUNGE_KUTTA(run.rk)
    y = floats(rk.y)
    y_new = floats(rk.y_new)
    error_scale = floats(rk.error_scale)
    error_scale_max = floats(run.error_scale_max)
    for j in range(rk.n_states):
        y[j] = y_new[j]
    for j in range(rk.n_controlled):
        error_scale[j] = max(error_scale[j], min(abs(y[j]), error_scale_max[j]))
    progress.t = trial.goal if trial.reaches_stop != 0 else progress.t + trial.h
    trial.was_separated = EVENTS(run.events).min_impact_duration == math.inf


@jit
def change_contacts(run, progress, trial):
    """Apply the located event, or update the modes in runs without event location, after a node with the old modes."""
    y = floats(RUNGE_KUTTA(run.rk).y)
    if trial.has_event != 0:
        store_node(run, progress.t)
        call_event_kernel_at_state(run, run.apply_event_kernel, progress.t, y)
    elif run.detect_event_kernel != 0 and run.onset_method != EVENT:
        store_node(run, progress.t)
        if call_event_kernel_at_state(run, run.update_modes_kernel, progress.t, y) != 0:
            trial.has_event = 1
        else:
            progress.n_nodes -= 1


@jit
def has_open_joint(run):
    """Return whether a joint has opened too far, where nothing projects onto the constraints."""
    model = MODEL(run.model)
    if run.project_kernel != 0:
        return False
    Phi = floats(model.Phi)
    largest = 0.0
    for r in range(model.n_constraints):
        largest = max(largest, abs(Phi[r]))
    return largest > run.max_joint_opening


@jit
def has_jumped(run):
    """Return whether the indentation of a contact jumped in the last step."""
    return run.detect_event_kernel != 0 and EVENTS(run.events).jump_contact >= 0


@jit
def record_step(run, progress, trial):
    """Count the step and store its node."""
    if trial.h > 0.0:
        progress.n_steps += 1
    if trial.has_event != 0:
        progress.n_events += 1
    if trial.reaches_stop != 0:
        progress.next_stop += 1
    is_regular = run.node_stride > 0 and progress.n_steps % run.node_stride == 0
    if trial.has_event != 0 or trial.reaches_stop != 0 or is_regular:
        store_node(run, progress.t)
    ends_smooth_part = trial.reaches_stop != 0 and ints(run.is_discontinuity)[progress.next_stop - 1] != 0
    if ends_smooth_part and run.node_stride > 0:
        store_node(run, progress.t)  # one node for the state before, one for the state after


@jit
def makes_progress(run, progress):
    """Return False if too many steps have been tried without progress in time."""
    n_contacts = MODEL(run.model).n_contacts
    progress.steps_without_progress += 1
    if progress.t > progress.t_progress + MOMENT * floats(run.stop_times)[progress.next_stop]:
        progress.t_progress = progress.t
        progress.steps_without_progress = 0
    return progress.steps_without_progress <= MAX_TRIES + TRIES_PER_CONTACT * n_contacts


@jit
def has_capacity(run, progress):
    """Return whether the buffers hold what one more step may add."""
    if run.tape != 0 and TAPE(run.tape).n_steps == TAPE(run.tape).capacity:
        return False
    has_nodes = progress.n_nodes + run.n_inner_nodes + 4 <= run.node_capacity
    return has_nodes and EVENTS(run.events).n_logged <= run.log_capacity


@jit
def record_on_tape(run, progress, trial):
    """Append the step, before it is accepted, to the tape of the run."""
    if run.tape == 0:
        return
    tape = TAPE(run.tape)
    events = EVENTS(run.events)
    step = TAPE_STEP(tape.steps, tape.n_steps)
    step.h = trial.h
    step.t_end = trial.goal if trial.reaches_stop != 0 else progress.t + trial.h
    step.reaches_stop = trial.reaches_stop
    step.has_event = trial.has_event
    step.contact = events.contact
    step.kind = events.kind
    step.slope = events.slope
    step.is_implicit = progress.is_implicit
    step.on_manifold = progress.on_manifold
    tape.n_steps += 1


@kernel(RUN, INTEGRATION)
def run_chunk(run):
    """Integrate until the last stop, the end of the chunk, or a failure; return the status of the chunk."""
    progress = PROGRESS(run.progress)
    trial = TRIAL_STEP(run.trial_step)
    last_evaluation = progress.n_evaluations + run.evaluation_budget
    while progress.next_stop < run.n_stops:
        if not has_capacity(run, progress) or progress.n_evaluations > last_evaluation:
            return CHUNK_FULL
        if not makes_progress(run, progress):
            return STALLED
        if progress.is_implicit != 0 and run.radau == 0:
            return NEEDS_IMPLICIT_STEPS
        choose_step(run, progress, trial)
        if trial.reaches_stop == 0 and not progress.t + trial.h > progress.t:
            return failure_to_advance(run)
        try_step(run, progress, trial)
        verdict = assess_step(run, progress, trial)
        if verdict == ACCEPTED:
            evaluate_new_state(run, progress, trial)
            verdict = find_events(run, progress, trial)
        if verdict == REPEAT:
            continue
        if verdict != ACCEPTED:
            return verdict
        record_on_tape(run, progress, trial)
        accept_step(run, progress, trial)
        if has_open_joint(run):
            return CONSTRAINT_DRIFT
        record_step(run, progress, trial)
        if has_jumped(run):
            store_node(run, progress.t)
            return CONTACT_JUMP
        choose_next_step(run, progress, trial)
        choose_method(run, progress, trial)
    return FINISHED
