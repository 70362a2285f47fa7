"""One step of the Runge–Kutta method, and states inside it."""

from __future__ import annotations

import math

from carom.kernels import PROJECT, STEP, call_gaps, call_rate, floats, jit, kernel, offset
from carom.mechanics.model_record import MODEL, OK
from carom.solve.compliant.rk_step import accept_warm_start, combine, restore_warm_start
from carom.solve.event_driven.records import EVENT_DRIVEN
from carom.solve.timestepping.records import STEPPER


@jit
def blend(run, weights, count, h, result):
    """result = y + h Σ weights[i] k[i]."""
    size = run.n_states
    y = floats(run.y)
    combine(floats(run.stages), size, weights, count, h, size, result)
    for j in range(size):
        result[j] += y[j]


@jit
def error_size(run, weights, h):
    """An estimate of the error of (q, u) in units of the tolerance, root mean square."""
    n = STEPPER(run.stepper).n_velocities
    largest = floats(run.error_scale)
    vector = floats(run.rhs_new)
    combine(floats(run.stages), run.n_states, weights, run.n_stages, h, 2 * n, vector)
    total = 0.0
    for j in range(2 * n):
        part = vector[j] / (run.atol + run.rtol * largest[j])
        total += part * part
    return math.sqrt(total / (2 * n))


@kernel(PROJECT, EVENT_DRIVEN)
def depart(t, y, run):
    """The slope at the state that steps begin with, the first stage of all of them."""
    stepper = STEPPER(run.stepper)
    model = MODEL(stepper.model)
    status = call_rate(run.rhs_kernel, t, y, floats(run.stages), run)
    call_gaps(stepper.gaps_kernel, t, y, model)
    accept_warm_start(model)
    return status


@kernel(STEP, EVENT_DRIVEN)
def attempt(t, h, run):
    """NEW: the state after ``h``, without projection; STEP_ERROR, and the worst status of the stages."""
    model = MODEL(STEPPER(run.stepper).model)
    trial = floats(run.y_stage)
    new = floats(run.y_new)
    c = floats(run.c)
    size = run.n_states
    stages = run.n_stages
    restore_warm_start(model)
    status = OK
    for s in range(1, stages):
        blend(run, offset(floats(run.a), s * stages), s, h, trial)
        when = min(t + c[s] * h, run.t_latest)
        status = max(status, call_rate(run.rhs_kernel, when, trial, offset(floats(run.stages), s * size), run))
    for j in range(size):
        new[j] = trial[j]  # the last stage is taken at the new state
    e = error_size(run, floats(run.error_weights), h)
    if e > 0.0:  # the eighth-order pair blends two estimates (Hairer, II.10)
        e3 = error_size(run, floats(run.error_weights_3), h)
        e = e * e / math.sqrt(e * e + 0.01 * e3 * e3)
    run.step_error = e
    return status


@kernel(STEP, EVENT_DRIVEN)
def extend(t, h, run):
    """The further stages that the dense output of the last attempt needs."""
    trial = floats(run.y_stage)
    c = floats(run.dense_c)
    size = run.n_states
    stages = run.n_stages
    extra = run.n_dense_stages
    status = OK
    for s in range(extra):
        blend(run, offset(floats(run.dense_a), s * (stages + extra)), stages + s, h, trial)
        when = min(t + c[s] * h, run.t_latest)
        slope = offset(floats(run.stages), (stages + s) * size)
        status = max(status, call_rate(run.rhs_kernel, when, trial, slope, run))
    return status


@jit
def inside(theta, h, size, run, state):
    """``size`` numbers of the state at fraction ``theta`` of the step, from the dense output."""
    y = floats(run.y)
    k = floats(run.stages)
    dense = floats(run.dense_weights)
    order = run.dense_order
    width = run.n_states
    for j in range(size):
        state[j] = 0.0
    for s in range(run.n_stages + run.n_dense_stages):
        weight = 0.0
        for p in range(order - 1, -1, -1):
            weight = (weight + dense[s * order + p]) * theta
        for j in range(size):
            state[j] += weight * k[s * width + j]
    for j in range(size):
        state[j] = y[j] + h * state[j]


@kernel(STEP, EVENT_DRIVEN)
def interpolate(theta, h, run):
    """TRIAL: the state at fraction ``theta`` of a step of length ``h``."""
    inside(theta, h, run.n_states, run, floats(run.y_stage))
    return OK
