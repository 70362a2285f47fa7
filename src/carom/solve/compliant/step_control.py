"""Length of the steps of an integration with compliant contact: towards stops, in contact, after events and errors."""

from __future__ import annotations

import math

from carom.kernels import floats, jit
from carom.mechanics.contact_records import CONTACT
from carom.mechanics.model_record import MODEL
from carom.solve.compliant.method_switching import LASTING
from carom.solve.compliant.records import EVENT, EVENTS, ONSET, REPEAT, TIME_RESOLUTION
from carom.solve.compliant.singular_positions import failure_of_step
from carom.solve.radau.coefficients import ERROR_ORDER
from carom.solve.runge_kutta.records import RUNGE_KUTTA
from carom.solve.runge_kutta.step_control import MIN_LAST_ERROR, PI_WEIGHT, growth_factor, shrink_factor

# A force like δ^1.5 is not smooth at the onset, and no error estimate notices that: the first steps of a contact are
# short, and none is longer than the contact has lasted; so is the last one. Lengths are relative to the duration of an
# impact.
YOUNG = 0.1
"""Age up to which a contact counts as just begun."""
FIXED_IN_CONTACT = 0.01
"""Longest step of a method without error control."""
FEW_IMPACTS = 4
"""Impacts, or contacts of the model, from which errors add up as the tolerance of a step allows for."""
MIN_GROWTH = 1.3
"""Factor of the next implicit step below which its length is kept."""
MAX_ROTATION = 1.0
"""Rotation of a body in one step, so that none of its contacts is missed [rad]."""
MAX_DRIVEN_ROTATION = 0.05
"""Limit for implicit steps longer than those for unknown loads, where motions are prescribed [rad]."""


@jit
def max_rotation_speed(run):
    """Return the largest angular speed of bodies whose rotation moves their contacts [rad/s]."""
    model = MODEL(run.model)
    y = floats(RUNGE_KUTTA(run.rk).y)
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
def longest_implicit_step(run):
    """Return the longest implicit step [s], in which driven bodies turn little: none passes over a bump on them."""
    if run.max_unseen_step >= run.max_implicit_step:
        return run.max_implicit_step
    by_rotation = MAX_DRIVEN_ROTATION / max(max_rotation_speed(run), 1e-300)
    return min(run.max_implicit_step, max(run.max_unseen_step, by_rotation))


@jit
def choose_step(run, progress, trial):
    """Choose the length of the next step towards the next stop, not past it."""
    is_adaptive = RUNGE_KUTTA(run.rk).is_adaptive != 0
    t = progress.t
    duration = EVENTS(run.events).min_impact_duration
    trial.goal = floats(run.stop_times)[progress.next_stop]
    trial.reaches_stop = 0
    h = min(progress.h, run.max_step)
    if progress.is_implicit != 0:
        h = min(h, longest_implicit_step(run))
    if run.detect_event_kernel != 0:
        h = min(h, MAX_ROTATION / max(max_rotation_speed(run), 1e-300))
    if duration < math.inf:
        age = t - progress.t_last_onset
        if not is_adaptive:
            h = min(h, FIXED_IN_CONTACT * duration)
        if 0.0 < age < YOUNG * duration:
            h = min(h, age)
    if t + 1.0001 * h >= trial.goal:
        trial.reaches_stop = 1
        h = trial.goal - t
    elif is_adaptive and t + 2.0 * h > trial.goal:
        h = 0.5 * (trial.goal - t)
    trial.h = h


@jit
def error_weight(run, progress):
    """Return the factor on the error of an explicit step [-]: less than 1 in the first impacts of few contacts."""
    if run.impact_weight == 1.0 or run.detect_event_kernel == 0:
        return 1.0
    duration = EVENTS(run.events).min_impact_duration
    is_impact = duration < math.inf and progress.t - progress.t_last_onset < LASTING * duration
    if not is_impact:
        return 1.0
    n_impacts = (progress.n_events + 1) // 2  # an onset and a separation each
    part = max(MODEL(run.model).n_contacts, n_impacts) / FEW_IMPACTS
    return min(1.0, max(run.impact_weight, part * part))


@jit
def error_order(run, progress):
    """Return the power of the step by which the error estimate falls."""
    return ERROR_ORDER if progress.is_implicit != 0 else RUNGE_KUTTA(run.rk).error_order


@jit
def reduce_step(run, progress, trial):
    """Choose a shorter step after a rejected one; return REPEAT, or the status of a run that cannot continue."""
    rk = RUNGE_KUTTA(run.rk)
    progress.n_rejected += 1
    progress.h = trial.h * shrink_factor(trial.status, trial.error, error_order(run, progress))
    goal = abs(floats(run.stop_times)[progress.next_stop])
    shortest = max(TIME_RESOLUTION * max(goal, abs(progress.t)), 1e-15 * min(run.max_step, goal))
    if rk.is_adaptive != 0 and progress.h > shortest:  # not if the length is NaN
        return REPEAT
    return failure_of_step(trial)


@jit
def choose_next_step(run, progress, trial):
    """Choose the length of the next step after an accepted one."""
    rk = RUNGE_KUTTA(run.rk)
    if trial.has_event != 0:
        if rk.is_adaptive != 0:
            progress.h = step_after_event(run, progress, trial)
            progress.last_error = MIN_LAST_ERROR
    elif rk.is_adaptive == 0:
        progress.h = min(2.0 * progress.h, run.max_step)
    elif trial.error >= 0.0:
        factor = growth_factor(trial.error, progress.last_error, error_order(run, progress), PI_WEIGHT)
        if progress.is_implicit != 0 and 1.0 <= factor < MIN_GROWTH:  # not worth new factors of the matrices
            factor = 1.0
        longer = trial.h * factor
        progress.h = max(progress.h, longer) if trial.h < 0.999 * progress.h else longer
        progress.last_error = max(trial.error, MIN_LAST_ERROR)


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
    return min(progress.h, run.first_in_contact * events.min_impact_duration)
