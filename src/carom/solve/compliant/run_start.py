"""Start of an integration: first evaluation, first step, and the progress from which the loop continues."""

from __future__ import annotations

import math

from carom.kernels import RUN, call_rate, floats, jit, kernel, offset
from carom.mechanics.contact import MAX_RESTING_SPEED
from carom.mechanics.contact_records import CONTACT_HISTORY, LOADED
from carom.mechanics.model_record import MODEL, SETTINGS
from carom.solve.compliant.method_switching import FIRST_WAIT
from carom.solve.compliant.records import EVENTS, FINISHED, INTEGRATION, NOT_FINITE, PROGRESS
from carom.solve.compliant.singular_positions import PIVOT_ROUNDING
from carom.solve.runge_kutta.records import RUNGE_KUTTA
from carom.solve.runge_kutta.step_control import MIN_LAST_ERROR

BALANCED_START = 0.1
"""Ratio of the accelerations with and without contacts up to which a start counts as balanced [-]."""
MAX_JOINT_OPENING = 1e-4
"""Opening of a joint relative to the size of the system above which feedback or a penalty has failed [-]."""
TINY, SHORT_STEP = 1e-5, 1e-6
"""Ratio of a state to its tolerance below which it says nothing about the first step, which is then short [s]."""


@jit
def largest(values, count):
    """Return the largest magnitude of ``count`` numbers, NaN if one is NaN."""
    result = 0.0
    for j in range(count):
        size = abs(values[j])
        if not size <= result:
            result = size
            if result != result:
                return result
    return result


@jit
def largest_ratio(values, rk):
    """Return the largest magnitude of the controlled states relative to their tolerances, NaN if one is NaN."""
    error_scale = floats(rk.error_scale)
    result = 0.0
    for j in range(rk.n_controlled):
        ratio = abs(values[j] / (rk.atol + rk.rtol * error_scale[j]))
        if not ratio <= result:
            result = ratio
            if result != result:
                return result
    return result


@jit
def first_step(rk, t, longest):
    """Return the first step [s] of Hairer, Nørsett and Wanner, II.4."""
    y = floats(rk.y)
    slope = floats(rk.stages)
    further = floats(rk.rhs_new)
    y_stage = floats(rk.y_stage)
    d0 = largest_ratio(y, rk)
    d1 = largest_ratio(slope, rk)
    h = min(SHORT_STEP if d0 < TINY or d1 < TINY else 0.01 * d0 / d1, longest)
    for j in range(rk.n_states):
        y_stage[j] = y[j] + h * slope[j]
    call_rate(rk.rhs_kernel, t + h, y_stage, further, MODEL(rk.model))
    for j in range(rk.n_controlled):
        further[j] -= slope[j]
    d2 = largest_ratio(further, rk) / h
    steepest = d2 if d2 > d1 else d1
    guess = (0.01 / steepest) ** (1.0 / rk.error_order) if steepest > 1e-15 else max(SHORT_STEP, 1e-3 * h)
    return min(100.0 * h, guess, longest)


@jit
def begins_at_rest(run, slope):
    """Return whether closed contacts, none of which approaches, balance the other forces at the start."""
    model = MODEL(run.model)
    n_loaded = 0
    for k in range(model.n_contacts):
        history = CONTACT_HISTORY(model.contact_history, k)
        if history.mode == LOADED:
            n_loaded += 1
            if history.rate_start > MAX_RESTING_SPEED:
                return False
    accelerations = offset(slope, model.n_velocities)
    return n_loaded > 0 and largest(accelerations, model.n_velocities) <= (
        BALANCED_START * EVENTS(run.events).free_acceleration
    )


@kernel(RUN, INTEGRATION)
def start_run(run):
    """Evaluate the first state, whose contacts have started, and choose the first step; return a status."""
    rk = RUNGE_KUTTA(run.rk)
    model = MODEL(run.model)
    progress = PROGRESS(run.progress)
    y = floats(rk.y)
    slope = floats(rk.stages)
    error_scale = floats(rk.error_scale)
    error_scale_max = floats(run.error_scale_max)
    duration = EVENTS(run.events).min_impact_duration
    for j in range(rk.n_controlled):
        error_scale[j] = min(abs(y[j]), error_scale_max[j])
    run.max_joint_opening = MAX_JOINT_OPENING * (1.0 + largest(y, model.n_velocities))
    call_rate(rk.rhs_kernel, progress.t, y, slope, model)
    progress.n_evaluations = 1
    is_finite = math.isfinite(largest(slope, rk.n_states))
    step = run.max_step
    if rk.is_adaptive != 0 and is_finite:
        longest = min(run.max_step, floats(run.stop_times)[0] - progress.t)
        step = min(first_step(rk, progress.t, longest), run.first_in_contact * duration)
        progress.n_evaluations = 2
    rests = begins_at_rest(run, slope)
    run.t_rest = progress.t if rests else -math.inf
    progress.steps_before_trial = 1 if rests else FIRST_WAIT
    progress.h = step
    progress.h_before_contact = step
    progress.h_before_retries = step
    progress.last_error = MIN_LAST_ERROR
    progress.t_progress = progress.t
    progress.t_last_onset = progress.t if duration < math.inf else -math.inf
    progress.pivot_is_safe = 1 if SETTINGS(model.settings).min_pivot_ratio > PIVOT_ROUNDING else 0
    return FINISHED if is_finite else NOT_FINITE
