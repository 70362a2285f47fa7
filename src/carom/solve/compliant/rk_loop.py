"""Compiled loop of every explicit Runge–Kutta method: trial step, acceptance, contact events, nodes, next step.

Near a singular position of the joints, steps are taken on the constraint manifold: with stages projected onto the
constraints (``projected_rhs_kernel``), the error measured along them (``tangential_kernel``), and no stage at a pivot
that rounding spoils. Without projection, a joint that opens by more than ``max_joint_opening`` ends the run.

Every ``node_stride``-th step and every stop becomes a node; a stop where a motion changes its form becomes two.
Contacts change at the end of a step only, and such nodes are stored twice, too: before and after the event.
"""

from __future__ import annotations

import math

import numpy as np

from carom.kernels import RUN, call_project, call_rate, floats, ints, jit, kernel, offset
from carom.mechanics.contact_records import CONTACT
from carom.mechanics.model_record import MODEL, OK, SETTINGS
from carom.solve.compliant.event_location import (
    call_event_kernel,
    call_event_kernel_at_state,
    detect_late_onset,
    locate_event,
    read_extrema,
)
from carom.solve.compliant.records import (
    CHUNK_FULL,
    CONSTRAINT_DRIFT,
    EVENT,
    EVENTS,
    FINISHED,
    INTEGRATION,
    INTERPOLATE,
    MAX_TRIES,
    MOMENT,
    NEEDS_PROJECTED_STAGES,
    NONE,
    NOT_FINITE,
    ONSET,
    PROGRESS,
    RANK_LOSS,
    SEPARATION,
    STALLED,
    TIME_RESOLUTION,
    TRIAL_STEP,
    TRIES_PER_CONTACT,
    UNDERFLOW,
)
from carom.solve.compliant.rk_step import (
    accept_warm_start,
    compute_stages,
    estimate_error,
    projection_distance,
    store_inner_nodes,
    store_node,
)

ACCEPTED, REPEAT = -1, -2
"""Verdicts on a trial step beside the failures of a run: it is accepted; another one is tried from the same state."""

SAFETY, MAX_SHRINK, MAX_GROWTH = 0.9, 0.2, 5.0
CONTROL = 0.04
"""Weight of the last error in the step control (Hairer & Wanner, IV.2)."""
NEAR_SINGULAR, CLOSE = 1e-2, 1e-4
"""Pivot ratios below which a failed step is repeated on the manifold, and below which every step is [-]."""
LOCKED = 1e-6
"""Pivot ratio below which a run that cannot continue has lost rank [-]."""
PIVOT_ROUNDING, MAX_SHORTER, MAX_LONGER = 1e-7, 8, 12
"""Pivot ratio that rounding spoils [-]; numbers of shorter and longer steps tried to avoid it."""
UNMOVED = 0.01
"""Distance of a projection, in units of the tolerance, below which the slope is unchanged."""
# A force like δ^1.5 is not smooth at the onset, and no error estimate notices that: the first steps of a contact are
# short, and none is longer than the contact has lasted. Lengths are relative to the duration of an impact.
FIRST_IN_CONTACT = 2e-4
YOUNG = 0.1
"""Age up to which a contact counts as just begun."""
LAST_IN_CONTACT = 5e-4
"""Longest step that ends at a separation, for the same reason."""
FIXED_IN_CONTACT = 0.01
"""Longest step of a method without error control."""
MAX_ROTATION = 1.0
"""Rotation of a body in one step, so that none of its contacts is missed [rad]."""
TOUCHED = 1e-6
"""Fraction of a step below which a contact begins at the start of the step [-]."""


# ---- length of the trial step


@jit
def max_rotation_speed(run):
    """Return the largest angular speed of bodies whose rotation moves their contacts [rad/s]."""
    model = MODEL(run.model)
    y = floats(run.y)
    n = model.n_velocities
    fastest = 0.0
    for k in range(model.n_contacts):
        contact = CONTACT(model.contacts, k)
        if contact.gap_depends_on_rotation:
            for side in range(2):
                v = contact.velocity_a if side == 0 else contact.velocity_b
                if v >= 0:
                    for d in range(model.dim, model.velocities_per_body):
                        fastest = max(fastest, abs(y[n + v + d]))
    return fastest


@jit
def choose_step(run, progress, trial):
    """Choose the length of the next step towards the next stop, not past it."""
    t = progress.t
    duration = EVENTS(run.events).min_impact_duration
    trial.goal = floats(run.stop_times)[progress.next_stop]
    trial.reaches_stop = 0
    h = min(progress.h, run.max_step)
    if run.detect_event_kernel != 0:
        h = min(h, MAX_ROTATION / max(max_rotation_speed(run), 1e-300))
    if duration < math.inf:
        age = t - progress.t_last_onset
        if run.is_adaptive == 0:
            h = min(h, FIXED_IN_CONTACT * duration)
        if 0.0 < age < YOUNG * duration:
            h = min(h, age)
    if t + 1.0001 * h >= trial.goal:
        trial.reaches_stop = 1
        h = trial.goal - t
    elif run.is_adaptive != 0 and t + 2.0 * h > trial.goal:
        h = 0.5 * (trial.goal - t)
    trial.h = h


# ---- the trial step


@jit
def stage_kernel(run, progress):
    """Return the right-hand side of the stages."""
    return run.projected_rhs_kernel if progress.on_manifold != 0 else run.rhs_kernel


@jit
def try_step(run, progress, trial):
    """Compute stages, new state, projection and error of the trial step."""
    model = MODEL(run.model)
    settings = SETTINGS(model.settings)
    y_new = floats(run.y_new)
    on_manifold = progress.on_manifold != 0
    t_new = progress.t + trial.h
    # A stop is evaluated as it is before it, should something change there.
    end = np.nextafter(trial.goal, progress.t) if trial.reaches_stop != 0 else t_new
    status, pivot_ratio = compute_stages(run, stage_kernel(run, progress), progress.t, trial.h, end, y_new)
    if on_manifold and status == OK:
        status = call_project(run.project_kernel, t_new, y_new, model)
        pivot_ratio = min(pivot_ratio, settings.min_pivot_ratio)
    error = estimate_error(run, trial.h, run.tangential_kernel if on_manifold else 0)
    if run.project_kernel != 0 and not on_manifold and status == OK and error <= 1.0:
        settings.rows_are_current = 1 if run.b == 0 else 0
        status = call_project(run.project_kernel, t_new, y_new, model)
    trial.status = status
    trial.min_pivot_ratio = pivot_ratio
    trial.error = error


@jit
def assess_step(run, progress, trial):
    """Return ACCEPTED, REPEAT, or the status of a run that cannot continue."""
    healthy = math.isfinite(trial.error) and trial.status == OK
    good = healthy and trial.error <= 1.0
    if run.project_kernel != 0 and trial.min_pivot_ratio < NEAR_SINGULAR:
        if progress.on_manifold == 0 and (trial.min_pivot_ratio < CLOSE or not (run.is_adaptive != 0 and good)):
            progress.on_manifold = 1
            return NEEDS_PROJECTED_STAGES if run.projected_rhs_kernel == 0 else REPEAT
        if progress.on_manifold != 0 and trial.min_pivot_ratio < PIVOT_ROUNDING and avoid_pivot(progress, trial.h):
            return REPEAT
    if good:
        return ACCEPTED
    return reduce_step(run, progress, trial)


@jit
def avoid_pivot(progress, h):
    """Choose another step length that may avoid a tiny pivot; return False if there is none left to try."""
    if progress.pivot_is_safe == 0 or progress.pivot_retries >= MAX_SHORTER + MAX_LONGER:
        return False
    if progress.pivot_retries == 0:
        progress.h_before_retries = h
    progress.pivot_retries += 1
    tries = progress.pivot_retries
    progress.h = 0.83 * h if tries <= MAX_SHORTER else progress.h_before_retries * 1.2 ** (tries - MAX_SHORTER)
    return True


@jit
def reduce_step(run, progress, trial):
    """Choose a shorter step after a rejected one; return REPEAT, or the status of a run that cannot continue."""
    progress.n_rejected += 1
    shrink = 0.25
    if math.isfinite(trial.error) and trial.status == OK:
        shrink = max(MAX_SHRINK, SAFETY * trial.error ** (-1.0 / run.error_order))
    h = trial.h * shrink
    progress.h = h
    t_scale = max(abs(floats(run.stop_times)[run.n_stops - 1]), abs(progress.t))
    if run.is_adaptive != 0 and h > max(TIME_RESOLUTION * t_scale, 1e-15 * run.max_step):  # not if h is NaN
        return REPEAT
    if trial.status != OK or trial.min_pivot_ratio < LOCKED:
        return RANK_LOSS
    return UNDERFLOW if math.isfinite(trial.error) else NOT_FINITE


@jit
def evaluate_new_state(run, progress, trial):
    """Compute the slope at the new state; the last stage is that slope if the projection did not move the state."""
    rhs_new = floats(run.rhs_new)
    y_new = floats(run.y_new)
    is_last_stage = run.b == 0 and trial.reaches_stop == 0 and progress.on_manifold == 0
    if is_last_stage and projection_distance(run, y_new) < UNMOVED:
        last_stage = offset(floats(run.stages), (run.n_stages - 1) * run.n_states)
        for j in range(run.n_states):
            rhs_new[j] = last_stage[j]
    else:
        t_new = trial.goal if trial.reaches_stop != 0 else progress.t + trial.h
        call_rate(run.rhs_kernel, t_new, y_new, rhs_new, MODEL(run.model))
        progress.n_evaluations += 1


# ---- contact events


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


@jit
def shorten_to_event(run, progress, trial):
    """Let the step end at the detected event; return ACCEPTED, REPEAT or STALLED."""
    model = MODEL(run.model)
    events = EVENTS(run.events)
    length = events.fraction * trial.h
    duration = events.min_impact_duration
    if events.kind == SEPARATION and run.is_adaptive != 0:
        if duration < math.inf and length > LAST_IN_CONTACT * duration:
            progress.h = 0.7 * length
            return REPEAT
    trial.reaches_stop = 0  # also if there is no event after all: the step is shorter then, and the next one detects it
    length = locate_event(run, stage_kernel(run, progress), progress.t, trial.h)
    if math.isnan(length):
        progress.h = 0.25 * trial.h
        return REPEAT
    trial.h = length
    trial.has_event = events.is_located
    progress.events_at_same_time = 0 if length > 0.0 else progress.events_at_same_time + 1
    if progress.events_at_same_time > 4 * (model.n_contacts + 1):
        return STALLED
    y_new = floats(run.y_new)
    if progress.events_at_same_time > 0:
        y = floats(run.y)
        for j in range(run.n_states):
            y_new[j] = y[j]
    call_rate(run.rhs_kernel, progress.t + length, y_new, floats(run.rhs_new), model)
    progress.n_evaluations += 1
    return ACCEPTED


@jit
def handle_late_onset(run, progress, trial):
    """Reject or cut a step in which a contact has begun too deep, in runs without event location.

    Procedure 2 of paper T rejects the step; procedure 1, (11) and (12), cuts it linearly. A step that is as short as it
    may be is accepted.
    """
    events = EVENTS(run.events)
    ratio = events.fraction
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
    model = MODEL(run.model)
    events = EVENTS(run.events)
    y = floats(run.y)
    y_new = floats(run.y_new)
    events.onset_speed = 2.0 * events.onset_depth / ((1.0 - ratio) * trial.h)
    for j in range(run.n_states):
        y_new[j] = y[j] + ratio * (y_new[j] - y[j])
    if run.project_kernel != 0:
        call_project(run.project_kernel, progress.t + ratio * trial.h, y_new, model)
    call_rate(run.rhs_kernel, progress.t + ratio * trial.h, y_new, floats(run.rhs_new), model)
    progress.n_evaluations += 1
    trial.reaches_stop = 0
    progress.h = max(run.max_onset_depth / events.onset_speed, run.min_step)
    trial.h *= ratio
    trial.error = -1.0  # its length does not control the next step


# ---- the accepted step


@jit
def accept_step(run, progress, trial):
    """Advance to the new state: extrema of the contacts, nodes inside the step, state and slope, contact modes."""
    model = MODEL(run.model)
    y = floats(run.y)
    y_new = floats(run.y_new)
    stages = floats(run.stages)
    error_scale = floats(run.error_scale)
    error_scale_max = floats(run.error_scale_max)
    t = progress.t
    n_requests = 0
    if run.detect_event_kernel != 0 and trial.h > 0.0:
        n_requests = call_event_kernel(run, run.update_extrema_kernel, t, trial.h)
    if run.n_inner_nodes > 0 and run.node_stride == 1 and trial.h > 0.0 and trial.error >= 0.0:
        store_inner_nodes(run, t, trial.h)
    if n_requests > 0:
        read_extrema(run, n_requests, stage_kernel(run, progress), t, trial.h)
    for j in range(run.n_states):
        y[j] = y_new[j]
    for j in range(run.n_controlled):
        error_scale[j] = max(error_scale[j], min(abs(y[j]), error_scale_max[j]))
    progress.t = trial.goal if trial.reaches_stop != 0 else t + trial.h
    trial.was_separated = EVENTS(run.events).min_impact_duration == math.inf
    change_contacts(run, progress, trial)
    if n_requests == 0 and run.n_inner_nodes == 0 and trial.has_event == 0:
        rhs_new = floats(run.rhs_new)
        for j in range(run.n_states):
            stages[j] = rhs_new[j]
    else:
        call_rate(run.rhs_kernel, progress.t, y, stages, model)
        progress.n_evaluations += 1
    accept_warm_start(model)
    progress.pivot_is_safe = 1 if SETTINGS(model.settings).min_pivot_ratio > PIVOT_ROUNDING else 0
    progress.pivot_retries = 0


@jit
def change_contacts(run, progress, trial):
    """Apply the located event, or update the modes in runs without event location, after a node with the old modes."""
    y = floats(run.y)
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
def record_step(run, progress, trial):
    """Count the step and store its node."""
    if trial.min_pivot_ratio > 2.0 * NEAR_SINGULAR:
        progress.on_manifold = 0
    if trial.h > 0.0:
        progress.n_steps += 1
    if trial.has_event != 0:
        progress.n_events += 1
    if trial.reaches_stop != 0:
        progress.next_stop += 1
    is_regular = run.node_stride > 0 and progress.n_steps % run.node_stride == 0
    if trial.has_event != 0 or trial.reaches_stop != 0 or is_regular:
        store_node(run, progress.t)
    if trial.reaches_stop != 0 and ints(run.is_discontinuity)[progress.next_stop - 1] != 0:
        store_node(run, progress.t)  # one node for the state before, one for the state after


# ---- length of the next step


@jit
def growth(error, last_error, order):
    """Return the factor of the next step length from the errors of this step and the last (Hairer & Wanner, IV.2)."""
    if error == 0.0:
        return MAX_GROWTH
    factor = SAFETY * error ** (0.75 * CONTROL - 1.0 / order) * last_error**CONTROL
    return min(MAX_GROWTH, max(MAX_SHRINK, factor))


@jit
def choose_next_step(run, progress, trial):
    """Choose the length of the next step."""
    if trial.has_event != 0:
        if run.is_adaptive != 0:
            progress.h = step_after_event(run, progress, trial)
            progress.last_error = 1e-4
    elif run.is_adaptive == 0:
        progress.h = min(2.0 * progress.h, run.max_step)
    elif trial.error >= 0.0:
        longer = trial.h * growth(trial.error, progress.last_error, run.error_order)
        progress.h = max(progress.h, longer) if trial.h < 0.999 * progress.h else longer
        progress.last_error = max(trial.error, 1e-4)


@jit
def step_after_event(run, progress, trial):
    """Return the step after an event [s]: short after an onset, the step before contact after the last separation."""
    events = EVENTS(run.events)
    if trial.was_separated != 0:
        progress.h_before_contact = max(progress.h, trial.h)
    if events.kind == ONSET or run.onset_method != EVENT:
        progress.t_last_onset = progress.t
    if events.min_impact_duration == math.inf and trial.was_separated == 0:
        return progress.h_before_contact
    return min(progress.h, FIRST_IN_CONTACT * events.min_impact_duration)


# ---- the loop


@jit
def makes_progress(run, progress):
    """Return False if too many steps have been tried without progress in time."""
    n_contacts = MODEL(run.model).n_contacts
    progress.steps_without_progress += 1
    if progress.t > progress.t_progress + MOMENT * floats(run.stop_times)[run.n_stops - 1]:
        progress.t_progress = progress.t
        progress.steps_without_progress = 0
    return progress.steps_without_progress <= MAX_TRIES + TRIES_PER_CONTACT * n_contacts


@jit
def has_capacity(run, progress):
    """Return whether the buffers hold what one more step may add."""
    has_nodes = progress.n_nodes + run.n_inner_nodes + 4 <= run.node_capacity
    return has_nodes and EVENTS(run.events).n_logged <= run.log_capacity


@kernel(RUN, INTEGRATION)
def run_chunk(run):
    """Integrate until the last stop, the end of the chunk, or a failure; return the status of the chunk."""
    progress = PROGRESS(run.progress)
    trial = TRIAL_STEP(run.trial_step)
    progress.n_nodes = 0
    last_evaluation = progress.n_evaluations + run.evaluation_budget
    while progress.next_stop < run.n_stops:
        if not has_capacity(run, progress) or progress.n_evaluations > last_evaluation:
            return CHUNK_FULL
        if not makes_progress(run, progress):
            return STALLED
        choose_step(run, progress, trial)
        if trial.reaches_stop == 0 and not progress.t + trial.h > progress.t:
            is_locked = SETTINGS(MODEL(run.model).settings).min_pivot_ratio < LOCKED
            return RANK_LOSS if is_locked else UNDERFLOW
        try_step(run, progress, trial)
        verdict = assess_step(run, progress, trial)
        if verdict == ACCEPTED:
            evaluate_new_state(run, progress, trial)
            verdict = find_events(run, progress, trial)
        if verdict == REPEAT:
            continue
        if verdict != ACCEPTED:
            return verdict
        accept_step(run, progress, trial)
        if has_open_joint(run):
            return CONSTRAINT_DRIFT
        record_step(run, progress, trial)
        choose_next_step(run, progress, trial)
    return FINISHED
