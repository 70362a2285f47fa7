"""Stages, new state and dense output of a step of an explicit Runge–Kutta method."""

from __future__ import annotations

from carom.kernels import call_rate, floats, jit, offset
from carom.mechanics.model_record import MODEL, OK, SETTINGS
from carom.solve.runge_kutta.warm_start import restore_warm_start


@jit
def combine(k, row_size, weights, count, h, size, result):
    """Compute result = h Σ weights[i] k[i], with the k in rows of ``row_size``."""
    for j in range(size):
        result[j] = 0.0
    for i in range(count):
        w = h * weights[i]
        if w != 0.0:
            row = offset(k, i * row_size)
            for j in range(size):
                result[j] += w * row[j]


@jit
def combine_onto_y(rk, weights, count, h, result):
    """Compute result = y + h Σ weights[i] k[i]."""
    size = rk.n_states
    y = floats(rk.y)
    combine(floats(rk.stages), size, weights, count, h, size, result)
    for j in range(size):
        result[j] += y[j]


@jit
def compute_stages(rk, rhs_kernel, t, h, t_latest, y_new):
    """Compute the stages and the new state without projection; return the worst status and the smallest pivot ratio.

    Stages are evaluated at ``t_latest`` [s] at the latest, just before a stop.
    """
    model = MODEL(rk.model)
    settings = SETTINGS(model.settings)
    y_stage = floats(rk.y_stage)
    c = floats(rk.c)
    size = rk.n_states
    restore_warm_start(model)
    status = OK
    min_pivot_ratio = 1.0
    for s in range(1, rk.n_stages):
        combine_onto_y(rk, offset(floats(rk.a), s * rk.a_row_size), s, h, y_stage)
        t_stage = min(t + c[s] * h, t_latest)
        k = offset(floats(rk.stages), s * size)
        status = max(status, call_rate(rhs_kernel, t_stage, y_stage, k, floats(rk.rhs_data)))
        min_pivot_ratio = min(min_pivot_ratio, settings.min_pivot_ratio)
    if rk.b != 0:
        combine_onto_y(rk, floats(rk.b), rk.n_stages, h, y_new)
    else:
        for j in range(size):
            y_new[j] = y_stage[j]
    return status, min_pivot_ratio


@jit
def compute_dense_stages(rk, t, h, t_latest):
    """Compute the further stages of the dense output of the last step; return the worst status."""
    y_stage = floats(rk.y_stage)
    c = floats(rk.dense_c)
    status = OK
    for s in range(rk.n_dense_stages):
        i = rk.n_stages + s
        combine_onto_y(rk, offset(floats(rk.dense_a), s * rk.dense_a_row_size), i, h, y_stage)
        t_stage = min(t + c[s] * h, t_latest)
        k = offset(floats(rk.stages), i * rk.n_states)
        status = max(status, call_rate(rk.rhs_kernel, t_stage, y_stage, k, floats(rk.rhs_data)))
    return status


@jit
def interpolate(rk, theta, h, size, result):
    """Compute the first ``size`` numbers of the state at fraction ``theta`` of the step, from the dense output."""
    y = floats(rk.y)
    weights = floats(rk.dense_weights)
    order = rk.dense_order
    for j in range(size):
        result[j] = 0.0
    for s in range(rk.n_stages + rk.n_dense_stages):
        weight = 0.0
        for p in range(order - 1, -1, -1):
            weight = (weight + weights[s * order + p]) * theta
        k = offset(floats(rk.stages), s * rk.n_states)
        for j in range(size):
            result[j] += weight * k[j]
    for j in range(size):
        result[j] = y[j] + h * result[j]
