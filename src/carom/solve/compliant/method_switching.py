"""Choice between explicit and implicit steps, by trial.

Flight and impacts are integrated explicitly. Where contact lasts, implicit steps are tried; they stay if they are much
longer than the explicit ones, which cost less each. They end when no contact is loaded any more, or when they have been
too short for a while, as where a stiff force begins that their Jacobian lacks. Friction in a joint acts always.
"""

from __future__ import annotations

import math

from carom.kernels import jit
from carom.mechanics.contact_records import CONTACT_HISTORY, LOADED
from carom.mechanics.model_record import MODEL
from carom.solve.compliant.records import EVENTS
from carom.solve.radau.records import RADAU
from carom.solve.radau.step_memory import forget_steps
from carom.solve.runge_kutta.step_control import MIN_LAST_ERROR

FIRST_WAIT, MAX_WAIT = 30, 200
"""Explicit steps without an event before implicit ones are tried, at first and after many failed trials."""
TRIAL_STEPS = 20
"""Implicit steps of a trial."""
MAX_SHORT_STEPS = 500
"""Implicit steps in a row, after a trial, without gain over the explicit ones before it."""
MIN_GAIN, FIRST_GAIN = 3.0, 4.0
"""Ratio of implicit to explicit steps from which implicit ones are cheaper, and at the start of a trial [-]."""
LASTING = 2.0
"""Duration of a contact, relative to an impact like it, from which it counts as lasting [-]."""
STIFF_IMPACT = 20
"""Factor on the waiting time where a contact does not last: the steps of a smooth impact are fewer."""


@jit
def contacts_last(run, t):
    """Return whether all loaded contacts have lasted longer than an impact, or have been at rest from the start."""
    model = MODEL(run.model)
    for k in range(model.n_contacts):
        history = CONTACT_HISTORY(model.contact_history, k)
        is_young = t - history.t_start < LASTING * history.impact_duration
        if history.mode == LOADED and is_young and history.t_start > run.t_rest:
            return False
    return True


@jit
def start_implicit_steps(run, progress):
    """Begin a trial of implicit steps."""
    progress.is_implicit = 1
    progress.h_explicit = progress.h
    progress.last_error_explicit = progress.last_error
    progress.h *= FIRST_GAIN
    progress.trial_steps_left = TRIAL_STEPS
    progress.n_short_steps = 0
    progress.last_error = MIN_LAST_ERROR
    if run.radau != 0:
        forget_steps(RADAU(run.radau))


@jit
def start_explicit_steps(progress, h):
    """Return to explicit steps of length ``h`` [s]."""
    progress.is_implicit = 0
    progress.h = h
    progress.steps_since_event = 0
    progress.last_error = MIN_LAST_ERROR


@jit
def abandon_failed_trial(run, progress):
    """Return to explicit steps if a trial needs implicit ones that are not much longer; return whether it does."""
    if progress.trial_steps_left == 0 or progress.h >= MIN_GAIN * progress.h_explicit or run.may_switch == 0:
        return False
    progress.steps_before_trial = min(2 * progress.steps_before_trial, MAX_WAIT)
    progress.trial_steps_left = 0
    start_explicit_steps(progress, progress.h_explicit)
    progress.last_error = progress.last_error_explicit  # the next step is that without a trial
    return True


@jit
def assess_steps_after_trial(progress):
    """Return to explicit steps when implicit ones have been short for long."""
    progress.n_short_steps = progress.n_short_steps + 1 if progress.h < MIN_GAIN * progress.h_explicit else 0
    if progress.n_short_steps == MAX_SHORT_STEPS:
        progress.steps_before_trial = min(2 * progress.steps_before_trial, MAX_WAIT)
        start_explicit_steps(progress, progress.h)


@jit
def assess_implicit_steps(run, progress, trial):
    """Compare implicit steps with the explicit ones before them in a trial; events make single steps short."""
    if progress.trial_steps_left == 0:
        assess_steps_after_trial(progress)
        return
    if trial.has_event == 0 and abandon_failed_trial(run, progress):
        return
    progress.trial_steps_left -= 1
    if progress.trial_steps_left == 0:
        progress.steps_before_trial = FIRST_WAIT


@jit
def choose_method(run, progress, trial):
    """Switch between explicit and implicit steps after an accepted step."""
    if run.may_switch == 0:
        return
    has_friction = MODEL(run.model).n_joint_frictions > 0
    is_loaded = has_friction or EVENTS(run.events).min_impact_duration < math.inf
    if progress.is_implicit != 0:
        if not is_loaded:
            start_explicit_steps(progress, progress.h)
        else:
            assess_implicit_steps(run, progress, trial)
        return
    if not is_loaded or trial.has_event != 0:
        progress.steps_since_event = 0
        return
    progress.steps_since_event += 1
    if progress.steps_since_event < progress.steps_before_trial:
        return
    if progress.steps_since_event >= STIFF_IMPACT * progress.steps_before_trial or contacts_last(run, progress.t):
        start_implicit_steps(run, progress)
