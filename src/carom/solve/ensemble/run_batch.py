"""Compiled loop over runs: restore the start, write the numbers of the run, integrate, collect."""

from __future__ import annotations

import math

import numpy as np

from carom.kernels import (
    RUN,
    call_contact_event,
    call_evaluation,
    call_run,
    floats,
    ints,
    jit,
    kernel,
    offset,
)
from carom.mechanics.contact_log import CONTACT_LOG_ROW
from carom.mechanics.contact_records import CONTACT_HISTORY, SEPARATED
from carom.mechanics.model_record import MODEL
from carom.mechanics.output_kernels import NODES
from carom.solve.compliant.node_storage import store_node
from carom.solve.compliant.records import (
    CHUNK_FULL,
    EVENTS,
    FINISHED,
    INTEGRATION,
    NEEDS_IMPLICIT_STEPS,
    NEEDS_PROJECTED_STAGES,
    PROGRESS,
)
from carom.solve.ensemble.records import (
    ENSEMBLE,
    FINAL,
    FIRST,
    INTERRUPTED,
    MAX,
    MIN,
    OVERFLOW,
    PEAK,
    RANGE,
    RATE,
    REDUCTION,
    RUN_RESULT,
    SAVED_ARRAY,
    STATE,
    TIME_OF_MAX,
)
from carom.solve.runge_kutta.records import RUNGE_KUTTA

NUMBER_BYTES = 8
LOG_ROW_SIZE = CONTACT_LOG_ROW.size
LOG_ROOM = 2
"""A run begins if this fraction of the log is free: 1/2."""


@jit
def set_start(ensemble):
    """Restore what the run before has changed, and write the numbers of this run."""
    for k in range(ensemble.n_saved):
        saved = SAVED_ARRAY(ensemble.saved, k)
        array = ints(saved.array)
        contents = ints(saved.contents)
        for j in range(saved.count):
            array[j] = contents[j]
    written = ints(ensemble.written)
    values = offset(floats(ensemble.values), ensemble.n_done * ensemble.n_written)
    for k in range(ensemble.n_written):
        floats(written[k])[0] = values[k]


@jit
def begin_run(ensemble, run, progress):
    """Start the contacts, store the first node, choose the first step; return a status."""
    rk = RUNGE_KUTTA(run.rk)
    RUN_RESULT(ensemble.results, ensemble.n_done).n_log_rows = 0
    if run.detect_event_kernel != 0:
        y = floats(rk.y)
        call_contact_event(
            run.start_contacts_kernel, progress.t, 1.0, floats(rk.y_stage), floats(rk.y_new), y, floats(rk.rhs_new),
            MODEL(run.model), EVENTS(run.events),
        )  # fmt: skip
    if ensemble.evaluates_nodes != 0:
        run.node_t = ensemble.node_t
        run.node_y = ensemble.node_y
        run.node_capacity = ensemble.node_capacity
        progress.n_nodes = 0
        store_node(run, progress.t)
        advance_nodes(run, progress)
    return call_run(ensemble.start_kernel, run)


@jit
def advance_nodes(run, progress):
    """Let the nodes that follow be stored behind those of the last chunk."""
    run.node_t += NUMBER_BYTES * progress.n_nodes
    run.node_y += NUMBER_BYTES * progress.n_nodes * run.node_size
    run.node_capacity -= progress.n_nodes
    progress.n_nodes = 0


@jit
def collect_log(ensemble, events):
    """Move the rows of the contact log of the run to that of the batch; return False if they do not fit."""
    if ensemble.n_logged + events.n_logged > ensemble.log_capacity:
        return False
    source = floats(events.log)
    target = offset(floats(ensemble.log), LOG_ROW_SIZE * ensemble.n_logged)
    for j in range(LOG_ROW_SIZE * events.n_logged):
        target[j] = source[j]
    ensemble.n_logged += events.n_logged
    RUN_RESULT(ensemble.results, ensemble.n_done).n_log_rows += events.n_logged
    events.n_logged = 0
    return True


@jit
def advance_run(ensemble, run, progress):
    """Integrate to the end of the run, or until Python has to prepare something; return a status."""
    events = EVENTS(run.events)
    status = CHUNK_FULL
    while status == CHUNK_FULL:
        if ensemble.is_interrupted != 0:
            return INTERRUPTED
        status = call_run(ensemble.chunk_kernel, run)
        if run.detect_event_kernel != 0 and not collect_log(ensemble, events):
            return OVERFLOW
        if ensemble.evaluates_nodes != 0:
            advance_nodes(run, progress)
            if status == CHUNK_FULL and run.node_capacity < run.n_inner_nodes + 4:
                return OVERFLOW
    return status


@jit
def log_open_contacts(ensemble, run, progress):
    """Log the contacts that are open at the end of the run; return False if there is no room."""
    model = MODEL(run.model)
    n_open = 0
    for k in range(model.n_contacts):
        if CONTACT_HISTORY(model.contact_history, k).mode != SEPARATED:
            n_open += 1
    if n_open == 0:
        return True
    y = floats(RUNGE_KUTTA(run.rk).y)
    call_contact_event(ensemble.log_open_kernel, progress.t, 1.0, y, y, y, y, model, EVENTS(run.events))
    return collect_log(ensemble, EVENTS(run.events))


@jit
def store_result(ensemble, run, progress, status):
    """Store the last state of the run, its counts and the reductions of its series."""
    rk = RUNGE_KUTTA(run.rk)
    result = RUN_RESULT(ensemble.results, ensemble.n_done)
    y = floats(rk.y)
    states = offset(floats(ensemble.states), ensemble.n_done * rk.n_states)
    for j in range(rk.n_states):
        states[j] = y[j]
    if status == FINISHED and run.detect_event_kernel != 0 and not log_open_contacts(ensemble, run, progress):
        status = OVERFLOW
    result.status = status
    result.n_steps = progress.n_steps
    result.n_rejected = progress.n_rejected
    result.n_events = progress.n_events
    result.t = progress.t
    if status == FINISHED and ensemble.evaluates_nodes != 0:
        reduce_series(ensemble, run)


@jit
def evaluate_series(ensemble, run):
    """Evaluate the nodes of the run, as `carom.solve.postprocessing` does."""
    nodes = NODES(ensemble.nodes)
    nodes.n_nodes = (run.node_t - ensemble.node_t) // NUMBER_BYTES
    t = floats(ensemble.node_t)
    times = floats(nodes.t)
    for node in range(nodes.n_nodes):
        is_before_jump = node + 1 < nodes.n_nodes and t[node] == t[node + 1]
        times[node] = np.nextafter(t[node], -math.inf) if is_before_jump else t[node]
        row = offset(floats(ensemble.node_y), node * run.node_size)
        y = offset(floats(nodes.y), node * nodes.n_states)
        stored = offset(floats(nodes.stored), node * nodes.stored_size)
        for j in range(nodes.n_states):
            y[j] = row[j]
        for j in range(nodes.stored_size):
            stored[j] = row[nodes.n_states + j]
    call_evaluation(ensemble.evaluation_kernel, nodes)


@jit
def reduce_series(ensemble, run):
    """Evaluate the nodes and reduce the series that measures name."""
    evaluate_series(ensemble, run)
    nodes = NODES(ensemble.nodes)
    reduced = offset(floats(ensemble.reduced), ensemble.n_done * ensemble.n_reductions)
    for k in range(ensemble.n_reductions):
        reduction = REDUCTION(ensemble.reductions, k)
        if reduction.table == STATE:
            reduced[k] = reduce_column(floats(nodes.y), nodes.n_states, reduction, ensemble, nodes)
        elif reduction.table == RATE:
            reduced[k] = reduce_column(floats(nodes.ydot), nodes.n_states, reduction, ensemble, nodes)
        else:
            reduced[k] = reduce_column(floats(nodes.signals), nodes.n_signals, reduction, ensemble, nodes)


@jit
def reduce_column(table, width, reduction, ensemble, nodes):
    """Return the reduction of one column of a table with a row per node."""
    column = reduction.column
    kind = reduction.kind
    if kind == FINAL:
        return table[(nodes.n_nodes - 1) * width + column]
    if kind == FIRST:
        return table[column]
    highest = extreme(table, width, column, nodes.n_nodes, 1.0)
    if kind == MAX:
        return table[highest * width + column]
    if kind == TIME_OF_MAX:
        return floats(ensemble.node_t)[highest]
    lowest = extreme(table, width, column, nodes.n_nodes, -1.0)
    if kind == MIN:
        return table[lowest * width + column]
    if kind == PEAK:
        return max(abs(table[highest * width + column]), abs(table[lowest * width + column]))
    if kind == RANGE:
        return table[highest * width + column] - table[lowest * width + column]
    return floats(ensemble.node_t)[lowest]


@jit
def extreme(table, width, column, count, sign):
    """Return the first index of the largest number of a column, or of the smallest for a negative sign; or of a NaN."""
    best = 0
    for node in range(count):
        value = table[node * width + column]
        if value != value:
            return node
        if sign * value > sign * table[best * width + column]:
            best = node
    return best


@kernel(RUN, ENSEMBLE)
def run_batch(ensemble):
    """Run the batch to its end, or until Python has to prepare something; return a status."""
    run = INTEGRATION(ensemble.run)
    progress = PROGRESS(run.progress)
    while ensemble.n_done < ensemble.n_runs:
        if ensemble.is_begun == 0:
            if LOG_ROOM * ensemble.n_logged > ensemble.log_capacity:
                return CHUNK_FULL
            set_start(ensemble)
            status = begin_run(ensemble, run, progress)
        else:
            status = FINISHED
        if status == FINISHED:
            status = advance_run(ensemble, run, progress)
        ensemble.is_begun = 1
        if status in (INTERRUPTED, NEEDS_IMPLICIT_STEPS, NEEDS_PROJECTED_STAGES):
            return status
        store_result(ensemble, run, progress, status)
        ensemble.is_begun = 0
        ensemble.n_done += 1
    return FINISHED
