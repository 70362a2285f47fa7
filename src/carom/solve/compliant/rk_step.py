"""One step of an explicit Runge–Kutta method: stages, error norm, node storage."""

from __future__ import annotations

import math

from carom.kernels import call_contact_event, call_project, call_rate, floats, jit, offset
from carom.mechanics.contact_records import CONTACT_HISTORY, STORED_HISTORY, store_history
from carom.mechanics.model_record import MODEL, OK, SETTINGS
from carom.solve.compliant.records import EVENTS, PROGRESS


@jit
def combine(k, width, weights, count, h, size, result):
    """Compute result = h Σ weights[i] k[i], with the k in rows of ``width``."""
    for j in range(size):
        result[j] = 0.0
    for i in range(count):
        w = h * weights[i]
        if w != 0.0:
            row = offset(k, i * width)
            for j in range(size):
                result[j] += w * row[j]


@jit
def combine_onto_y(run, weights, count, h, result):
    """Compute result = y + h Σ weights[i] k[i]."""
    size = run.n_states
    y = floats(run.y)
    combine(floats(run.stages), size, weights, count, h, size, result)
    for j in range(size):
        result[j] += y[j]


@jit
def store_histories(model, size, row):
    """Store the histories of the contacts behind the state of a node."""
    for k in range(model.n_contacts):
        store_history(CONTACT_HISTORY(model.contact_history, k), STORED_HISTORY(offset(row, size), k))


@jit
def store_inner_nodes(run, t, h):
    """Store nodes inside a long step, from the dense output of the method."""
    model = MODEL(run.model)
    y = floats(run.y)
    k = floats(run.stages)
    c = floats(run.dense_c)
    y_stage = floats(run.y_stage)
    dense = floats(run.dense_weights)
    out_t = floats(run.node_t)
    progress = PROGRESS(run.progress)
    size = run.n_states
    stages = run.n_stages
    extra = run.n_dense_stages
    order = run.dense_order
    for s in range(extra):
        combine_onto_y(run, offset(floats(run.dense_a), s * run.dense_a_row_size), stages + s, h, y_stage)
        call_rate(run.rhs_kernel, t + c[s] * h, y_stage, offset(k, (stages + s) * size), model)
    for i in range(run.n_inner_nodes):
        node = progress.n_nodes
        theta = (i + 1.0) / (run.n_inner_nodes + 1.0)
        row = offset(floats(run.node_y), node * run.node_size)
        for j in range(size):
            total = 0.0
            for s in range(stages + extra):
                weight = 0.0
                for p in range(order - 1, -1, -1):
                    weight = (weight + dense[s * order + p]) * theta
                total += weight * k[s * size + j]
            row[j] = y[j] + h * total
        out_t[node] = t + theta * h
        if run.project_kernel != 0:
            call_project(run.project_kernel, out_t[node], row, model)
        store_histories(model, size, row)
        progress.n_nodes += 1
    progress.n_evaluations += extra


@jit
def accept_warm_start(model):
    """Accept the start values of the closest-point searches with the current state."""
    memory = floats(model.warm_start)
    saved = floats(model.warm_start_accepted)
    for i in range(model.n_warm_start):
        saved[i] = memory[i]


@jit
def restore_warm_start(model):
    """Restore the start values of the closest-point searches at the last accepted state."""
    memory = floats(model.warm_start)
    saved = floats(model.warm_start_accepted)
    for i in range(model.n_warm_start):
        memory[i] = saved[i]


@jit
def compute_stages(run, function, t, step, end, new):
    """Compute the stages and the new state without projection; return the worst status and the smallest pivot ratio."""
    model = MODEL(run.model)
    settings = SETTINGS(model.settings)
    y_stage = floats(run.y_stage)
    c = floats(run.c)
    size = run.n_states
    stages = run.n_stages
    restore_warm_start(model)
    status = OK
    min_pivot_ratio = 1.0
    for s in range(1, stages):
        combine_onto_y(run, offset(floats(run.a), s * run.a_row_size), s, step, y_stage)
        when = end if c[s] == 1.0 else t + c[s] * step
        status = max(status, call_rate(function, when, y_stage, offset(floats(run.stages), s * size), model))
        min_pivot_ratio = min(min_pivot_ratio, settings.min_pivot_ratio)
    if run.b != 0:
        combine_onto_y(run, floats(run.b), stages, step, new)
    else:
        for j in range(size):
            new[j] = y_stage[j]
    PROGRESS(run.progress).n_evaluations += stages - 1
    return status, min_pivot_ratio


@jit
def projection_distance(run, new):
    """Return the distance by which a projection moved the state of the last stage, in units of the tolerance."""
    y_stage = floats(run.y_stage)
    largest = floats(run.error_scale)
    worst = 0.0
    for j in range(run.n_controlled):
        worst = max(worst, abs(new[j] - y_stage[j]) / (run.atol + run.rtol * largest[j]))
    return worst


@jit
def error_norm(run, vector, tangential, step):
    """Return an error in units of the tolerance: root mean square of the coordinates, or that of a contact if larger.

    Coordinates are scaled by their largest size so far.
    """
    model = MODEL(run.model)
    largest = floats(run.error_scale)
    events = EVENTS(run.events)
    controlled = run.n_controlled
    if tangential != 0:
        call_project(tangential, step, vector, model)
    total = 0.0
    for j in range(controlled):
        part = vector[j] / (run.atol + run.rtol * largest[j])
        total += part * part
    e = math.sqrt(total / controlled)
    if run.contact_error_kernel != 0:
        call_contact_event(run.contact_error_kernel, run.rtol, run.atol, vector, largest, vector, vector, model, events)
        e = max(e, events.contact_error)
    return e


@jit
def estimate_error(run, step, tangential):
    """Return the estimated error of the step in units of the tolerance, along the constraints if ``tangential``.

    The normal speed of a contact is controlled, too: it may be much smaller than the other velocities. A method without
    an estimate gives 0, or NaN if the new state is not finite.
    """
    new = floats(run.y_new)
    vector = floats(run.y_probe)
    k = floats(run.stages)
    size = run.n_states
    if run.error_weights == 0:
        for j in range(run.n_controlled):
            if not math.isfinite(new[j]):
                return math.nan
        return 0.0
    count = run.n_controlled if run.contact_error_kernel == 0 else size
    combine(k, size, floats(run.error_weights), run.n_stages, step, count, vector)
    e = error_norm(run, vector, tangential, step)
    if run.error_weights_3 != 0 and e > 0.0:  # the eighth-order pair blends two estimates (Hairer, II.10)
        combine(k, size, floats(run.error_weights_3), run.n_stages, step, count, vector)
        e3 = error_norm(run, vector, tangential, step)
        e = e * e / math.sqrt(e * e + 0.01 * e3 * e3)
    return e


@jit
def store_node(run, t):
    """Store the current state in the buffer of nodes."""
    progress = PROGRESS(run.progress)
    y = floats(run.y)
    node = progress.n_nodes
    row = offset(floats(run.node_y), node * run.node_size)
    floats(run.node_t)[node] = t
    for j in range(run.n_states):
        row[j] = y[j]
    store_histories(MODEL(run.model), run.n_states, row)
    progress.n_nodes += 1
