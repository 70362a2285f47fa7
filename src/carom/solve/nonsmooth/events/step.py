"""One step of the Runge–Kutta method, and states inside it."""

from __future__ import annotations

import math

from carom.kernels import PROJECT, STEP, call_rate, call_survey, floats, ints, jit, kernel, offset
from carom.kernels.pointers import INTS
from carom.mechanics.model_record import MODEL, OK
from carom.solve.compliant.rk_step import accept_warm_start, combine, restore_warm_start
from carom.solve.nonsmooth.desk import BLOCK, SURVEY, VELOCITIES
from carom.solve.nonsmooth.events import table as at


@jit
def blend(table, weights, count, h, result):
    """result = y + h Σ weights[i] k[i]."""
    size = table[at.STATES]
    y = floats(table[at.Y])
    combine(floats(table[at.K]), size, weights, count, h, size, result)
    for j in range(size):
        result[j] += y[j]


@jit
def error_size(table, weights, h):
    """An estimate of the error of (q, u) in units of the tolerance, root mean square."""
    n = ints(table[at.DESK])[VELOCITIES]
    numbers = floats(table[at.NUMBERS])
    largest = floats(table[at.LARGEST])
    vector = floats(table[at.SLOPE])
    combine(floats(table[at.K]), table[at.STATES], weights, table[at.STAGES], h, 2 * n, vector)
    total = 0.0
    for j in range(2 * n):
        part = vector[j] / (numbers[at.ATOL] + numbers[at.RTOL] * largest[j])
        total += part * part
    return math.sqrt(total / (2 * n))


@kernel(PROJECT, INTS)
def depart(t, y, table):
    """The slope at the state that steps begin with, the first stage of all of them."""
    desk = ints(table[at.DESK])
    model = MODEL(desk[BLOCK])
    status = call_rate(table[at.RATE], t, y, floats(table[at.K]), table)
    call_survey(desk[SURVEY], t, y, model)
    accept_warm_start(model)
    return status


@kernel(STEP)
def attempt(t, h, table):
    """NEW: the state after ``h``, without projection; STEP_ERROR, and the worst status of the stages."""
    model = MODEL(ints(table[at.DESK])[BLOCK])
    numbers = floats(table[at.NUMBERS])
    trial = floats(table[at.TRIAL])
    new = floats(table[at.NEW])
    c = floats(table[at.C])
    size = table[at.STATES]
    stages = table[at.STAGES]
    restore_warm_start(model)
    status = OK
    for s in range(1, stages):
        blend(table, offset(floats(table[at.A]), s * stages), s, h, trial)
        when = min(t + c[s] * h, numbers[at.LATEST])
        status = max(status, call_rate(table[at.RATE], when, trial, offset(floats(table[at.K]), s * size), table))
    for j in range(size):
        new[j] = trial[j]  # the last stage is taken at the new state
    e = error_size(table, floats(table[at.ERROR]), h)
    if e > 0.0:  # the eighth-order pair blends two estimates (Hairer, II.10)
        e3 = error_size(table, floats(table[at.ERROR_3]), h)
        e = e * e / math.sqrt(e * e + 0.01 * e3 * e3)
    numbers[at.STEP_ERROR] = e
    return status


@kernel(STEP)
def extend(t, h, table):
    """The further stages that the dense output of the last attempt needs."""
    numbers = floats(table[at.NUMBERS])
    trial = floats(table[at.TRIAL])
    c = floats(table[at.EXTRA_C])
    size = table[at.STATES]
    stages = table[at.STAGES]
    extra = table[at.EXTRA]
    status = OK
    for s in range(extra):
        blend(table, offset(floats(table[at.EXTRA_A]), s * (stages + extra)), stages + s, h, trial)
        when = min(t + c[s] * h, numbers[at.LATEST])
        slope = offset(floats(table[at.K]), (stages + s) * size)
        status = max(status, call_rate(table[at.RATE], when, trial, slope, table))
    return status


@jit
def inside(theta, h, size, table, state):
    """``size`` numbers of the state at fraction ``theta`` of the step, from the dense output."""
    y = floats(table[at.Y])
    k = floats(table[at.K])
    dense = floats(table[at.DENSE])
    order = table[at.DENSE_ORDER]
    width = table[at.STATES]
    for j in range(size):
        state[j] = 0.0
    for s in range(table[at.STAGES] + table[at.EXTRA]):
        weight = 0.0
        for p in range(order - 1, -1, -1):
            weight = (weight + dense[s * order + p]) * theta
        for j in range(size):
            state[j] += weight * k[s * width + j]
    for j in range(size):
        state[j] = y[j] + h * state[j]


@kernel(STEP)
def interpolate(theta, h, table):
    """TRIAL: the state at fraction ``theta`` of a step of length ``h``."""
    inside(theta, h, table[at.STATES], table, floats(table[at.TRIAL]))
    return OK
