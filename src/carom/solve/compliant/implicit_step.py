"""Implicit steps in the loop of a compliant run: trial step, repeated step, acceptance."""

from __future__ import annotations

import math

import numpy as np

from carom.kernels import address_of, call_project, call_step, floats, jit
from carom.mechanics.model_record import MODEL, NOT_CONVERGED, OK
from carom.solve.radau.records import RADAU
from carom.solve.radau.step_memory import forget_steps, keep_step
from carom.solve.runge_kutta.records import RUNGE_KUTTA

NEWTON_TOLERANCE, NEWTON_TOLERANCE_AT_EVENTS = 0.005, 0.003
"""Error of the stages in units of the tolerance, and where steps are repeated to locate events.

Errors of the iterations have the same sign in many steps and add up, most of all where the Jacobian lacks a stiff
spring; those of the method are far below its estimate, which is of lower order.
"""


@jit
def takes_implicit_steps(progress):
    """Return whether the next step is implicit; near singular positions it is explicit, on the constraint manifold."""
    return progress.is_implicit != 0 and progress.on_manifold == 0


@jit
def step_implicitly(run, progress, h, t_latest, newton_tolerance, y_out):
    """Take an implicit step of length ``h`` [s] from the current state to ``y_out``; return a `Status`."""
    radau = RADAU(run.radau)
    radau.y_out = address_of(y_out)
    radau.t_latest = t_latest
    radau.newton_tolerance = newton_tolerance
    evaluations = radau.memory.n_evaluations
    status = call_step(run.implicit_step_kernel, progress.t, h, radau)
    progress.n_evaluations += radau.memory.n_evaluations - evaluations
    return status


@jit
def try_implicit_step(run, progress, trial):
    """Compute new state, projection and error of an implicit trial step."""
    rk = RUNGE_KUTTA(run.rk)
    y_new = floats(rk.y_new)
    t_latest = np.nextafter(trial.goal, progress.t) if trial.reaches_stop != 0 else math.inf
    status = step_implicitly(run, progress, trial.h, t_latest, NEWTON_TOLERANCE, y_new)
    radau = RADAU(run.radau)
    if run.project_kernel != 0 and status == OK and radau.error <= 1.0:
        status = call_project(run.project_kernel, progress.t + trial.h, y_new, MODEL(run.model))
    trial.status = OK if status == NOT_CONVERGED else status  # the error tells it
    trial.min_pivot_ratio = radau.min_pivot_ratio
    trial.error = radau.error


@jit
def repeat_implicit_step(run, progress, h, y_new):
    """Repeat a step from the same start with another length; return a `Status`."""
    status = step_implicitly(run, progress, h, math.inf, NEWTON_TOLERANCE_AT_EVENTS, y_new)
    if run.project_kernel != 0 and status == OK:
        status = call_project(run.project_kernel, progress.t + h, y_new, MODEL(run.model))
    return status


@jit
def accept_implicit_step(run, progress, trial):
    """Keep what the next implicit step needs, and count this one."""
    radau = RADAU(run.radau)
    if trial.h > 0.0:
        progress.n_implicit_steps += 1
    progress.t_implicit += trial.h
    if trial.has_event != 0:
        forget_steps(radau)
    else:
        keep_step(radau, trial.h)
