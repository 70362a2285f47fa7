"""Trial step of an integration with compliant contact: stages, projection onto the constraints, error, derivative."""

from __future__ import annotations

import math

import numpy as np

from carom.kernels import call_project, call_rate, floats, jit, offset
from carom.mechanics.model_record import MODEL, OK, SETTINGS
from carom.solve.compliant.implicit_step import repeat_implicit_step, takes_implicit_steps, try_implicit_step
from carom.solve.compliant.step_control import error_weight
from carom.solve.runge_kutta.error_estimate import estimate_error
from carom.solve.runge_kutta.records import RUNGE_KUTTA
from carom.solve.runge_kutta.stages import compute_stages

UNMOVED = 0.01
"""Distance of a projection, in units of the tolerance, below which the derivative is unchanged."""


@jit
def stage_kernel(run, progress):
    """Return the right-hand side of the stages."""
    return run.projected_rhs_kernel if progress.on_manifold != 0 else RUNGE_KUTTA(run.rk).rhs_kernel


@jit
def try_step(run, progress, trial):
    """Compute stages, new state, projection and error of the trial step."""
    if takes_implicit_steps(progress):
        try_implicit_step(run, progress, trial)
        return
    rk = RUNGE_KUTTA(run.rk)
    model = MODEL(run.model)
    settings = SETTINGS(model.settings)
    y_new = floats(rk.y_new)
    on_manifold = progress.on_manifold != 0
    t_new = progress.t + trial.h
    # A stop is evaluated as it is before it, should something change there.
    t_latest = np.nextafter(trial.goal, progress.t) if trial.reaches_stop != 0 else math.inf
    status, pivot_ratio = compute_stages(rk, stage_kernel(run, progress), progress.t, trial.h, t_latest, y_new)
    progress.n_evaluations += rk.n_stages - 1
    if on_manifold and status == OK:
        status = call_project(run.project_kernel, t_new, y_new, model)
        pivot_ratio = min(pivot_ratio, settings.min_pivot_ratio)
    error = error_weight(run, progress) * estimate_error(rk, trial.h, run.tangential_kernel if on_manifold else 0)
    if run.project_kernel != 0 and not on_manifold and status == OK and error <= 1.0:
        settings.rows_are_current = 1 if rk.b == 0 else 0
        status = call_project(run.project_kernel, t_new, y_new, model)
    trial.status = status
    trial.min_pivot_ratio = pivot_ratio
    trial.error = error


@jit
def repeat_step(run, progress, h, y_new):
    """Repeat a step from the same start with another length; return a `Status`."""
    if takes_implicit_steps(progress):
        return repeat_implicit_step(run, progress, h, y_new)
    rk = RUNGE_KUTTA(run.rk)
    t = progress.t
    status, _ = compute_stages(rk, stage_kernel(run, progress), t, h, math.inf, y_new)
    progress.n_evaluations += rk.n_stages - 1
    if run.project_kernel != 0:
        status = max(status, call_project(run.project_kernel, t + h, y_new, MODEL(run.model)))
    return status


@jit
def evaluate_rhs(run, progress, t, y, derivative):
    """Compute the derivative at a state."""
    call_rate(RUNGE_KUTTA(run.rk).rhs_kernel, t, y, derivative, MODEL(run.model))
    progress.n_evaluations += 1


@jit
def projection_distance(rk):
    """Return the distance by which the projection moved the state of the last stage, in units of the tolerance."""
    y_new = floats(rk.y_new)
    y_stage = floats(rk.y_stage)
    error_scale = floats(rk.error_scale)
    worst = 0.0
    for j in range(rk.n_controlled):
        worst = max(worst, abs(y_new[j] - y_stage[j]) / (rk.atol + rk.rtol * error_scale[j]))
    return worst


@jit
def evaluate_new_state(run, progress, trial):
    """Compute the derivative at the new state: the last stage if the projection did not move the state."""
    rk = RUNGE_KUTTA(run.rk)
    is_last_stage = rk.b == 0 and trial.reaches_stop == 0 and progress.on_manifold == 0
    if is_last_stage and progress.is_implicit == 0 and projection_distance(rk) < UNMOVED:
        rhs_new = floats(rk.rhs_new)
        last_stage = offset(floats(rk.stages), (rk.n_stages - 1) * rk.n_states)
        for j in range(rk.n_states):
            rhs_new[j] = last_stage[j]
    else:
        t_new = trial.goal if trial.reaches_stop != 0 else progress.t + trial.h
        evaluate_rhs(run, progress, t_new, floats(rk.y_new), floats(rk.rhs_new))
