"""Kernels of a Runge–Kutta step between two events: first stage, trial step, dense output."""

from __future__ import annotations

from carom.kernels import PROJECT, STEP, call_gaps, call_rate, floats, kernel
from carom.mechanics.model_record import MODEL, OK
from carom.solve.event_driven.records import EVENT_DRIVEN
from carom.solve.event_driven.slip_references import direction_error
from carom.solve.runge_kutta import stages
from carom.solve.runge_kutta.error_estimate import estimate_error
from carom.solve.runge_kutta.records import RUNGE_KUTTA
from carom.solve.runge_kutta.step_control import growth_factor, shrink_factor
from carom.solve.runge_kutta.warm_start import accept_warm_start
from carom.solve.timestepping.records import STEPPER


@kernel(PROJECT, EVENT_DRIVEN)
def evaluate_first_stage(t, y, run):
    """Compute the derivative at the state that steps start from, their first stage; return a `Status`."""
    rk = RUNGE_KUTTA(run.rk)
    stepper = STEPPER(run.stepper)
    model = MODEL(stepper.model)
    status = call_rate(rk.rhs_kernel, t, y, floats(rk.stages), run)
    call_gaps(stepper.gaps_kernel, t, y, model)
    accept_warm_start(model)
    return status


@kernel(STEP, EVENT_DRIVEN)
def try_step(t, h, run):
    """Compute stages, new state without projection, error and next step length; return the worst `Status`."""
    rk = RUNGE_KUTTA(run.rk)
    status, _ = stages.compute_stages(rk, rk.rhs_kernel, t, h, run.t_latest, floats(rk.y_new))
    error = estimate_error(rk, h, 0)
    if status == OK and error <= 1.0:
        error = max(error, direction_error(min(t + h, run.t_latest), floats(rk.y_new), run))
    run.step_error = error
    if status == OK and error <= 1.0:
        run.step_factor = growth_factor(error, 1.0, rk.error_order, 0.0)
    else:
        run.step_factor = shrink_factor(status, error, rk.error_order)
    return status


@kernel(STEP, EVENT_DRIVEN)
def compute_dense_stages(t, h, run):
    """Compute the further stages of the dense output of the last step; return the worst `Status`."""
    return stages.compute_dense_stages(RUNGE_KUTTA(run.rk), t, h, run.t_latest)


@kernel(STEP, EVENT_DRIVEN)
def interpolate(theta, h, run):
    """Compute the state at fraction ``theta`` of the last step, of length ``h``, in ``y_stage``."""
    rk = RUNGE_KUTTA(run.rk)
    stages.interpolate(rk, theta, h, rk.n_states, floats(rk.y_stage))
    return OK
