"""Storage of nodes: states at the ends of steps and inside them, with the histories of the contacts."""

from __future__ import annotations

import math

from carom.kernels import call_project, floats, jit, offset
from carom.mechanics.contact_records import CONTACT_HISTORY, STORED_HISTORY, store_history
from carom.mechanics.contact_slots import store_place
from carom.mechanics.model_record import MODEL
from carom.solve.compliant.records import PROGRESS
from carom.solve.runge_kutta.records import RUNGE_KUTTA
from carom.solve.runge_kutta.stages import compute_dense_stages, interpolate


@jit
def store_histories(model, size, row):
    """Store the histories of the contacts behind the state of a node."""
    for k in range(model.n_contacts):
        stored = STORED_HISTORY(offset(row, size), k)
        store_history(CONTACT_HISTORY(model.contact_history, k), stored)
        store_place(model, k, stored)


@jit
def store_node(run, t):
    """Store the current state in the buffer of nodes."""
    rk = RUNGE_KUTTA(run.rk)
    progress = PROGRESS(run.progress)
    y = floats(rk.y)
    node = progress.n_nodes
    row = offset(floats(run.node_y), node * run.node_size)
    floats(run.node_t)[node] = t
    for j in range(rk.n_states):
        row[j] = y[j]
    store_histories(MODEL(run.model), rk.n_states, row)
    progress.n_nodes += 1


@jit
def store_inner_nodes(run, t, h):
    """Store nodes inside a long step, from the dense output of the method."""
    rk = RUNGE_KUTTA(run.rk)
    model = MODEL(run.model)
    progress = PROGRESS(run.progress)
    node_t = floats(run.node_t)
    compute_dense_stages(rk, t, h, math.inf)
    progress.n_evaluations += rk.n_dense_stages
    for i in range(run.n_inner_nodes):
        node = progress.n_nodes
        theta = (i + 1.0) / (run.n_inner_nodes + 1.0)
        row = offset(floats(run.node_y), node * run.node_size)
        interpolate(rk, theta, h, rk.n_states, row)
        node_t[node] = t + theta * h
        if run.project_kernel != 0:
            call_project(run.project_kernel, node_t[node], row, model)
        store_histories(model, rk.n_states, row)
        progress.n_nodes += 1
