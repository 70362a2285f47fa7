"""Compiled loop of time stepping: equal steps in chunks, between which Python reports progress."""

from __future__ import annotations

from carom.kernels import RUN, call_load, call_step, floats, jit, kernel, offset
from carom.mechanics.contact_log import CONTACT_LOG_ENTRY
from carom.mechanics.contact_records import N_STORED, N_STORED_FORCES, STORED_FORCE
from carom.mechanics.contact_slots import store_place
from carom.mechanics.linear_algebra import copy
from carom.mechanics.model_record import MODEL, QUADRATURES, QUADRATURES_SIZE
from carom.solve.timestepping.contact_log import log_contact
from carom.solve.timestepping.records import (
    CHUNK_FULL,
    ENERGY_BALANCE,
    FINISHED,
    NOT_FINITE,
    STEP_CLOCK,
    STEP_COUNTS,
    STEP_TOO_LONG,
    STEPPER,
)


@jit
def store_node(t, h, stepper):
    """Store a node: state, energies, joint reactions, and contact forces (impulses divided by ``h``)."""
    n = stepper.n_velocities
    m = stepper.n_constraints
    n_contacts = stepper.n_contacts
    dim = stepper.rows_per_contact
    energy = ENERGY_BALANCE(stepper.energy)
    joint_impulses = floats(stepper.joint_impulses)
    last_P = floats(stepper.last_P)
    floats(stepper.node_t)[stepper.n_nodes] = t
    node = offset(floats(stepper.node_y), stepper.n_nodes * stepper.node_size)
    copy(floats(stepper.y), 2 * n, node)
    orientations = offset(node, 2 * n)
    copy(floats(stepper.reference_orientation), stepper.n_orientation, orientations)
    quadratures = offset(orientations, stepper.n_orientation)
    totals = QUADRATURES(quadratures)
    totals.dissipated = energy.dissipated
    totals.applied_work = energy.applied_work
    totals.driver_work = energy.driver_work
    losses = offset(quadratures, QUADRATURES_SIZE)
    copy(floats(stepper.contact_losses), 2 * n_contacts, losses)
    reactions = offset(losses, 2 * n_contacts)
    for r in range(m):
        reactions[r] = joint_impulses[r] / h
    forces = offset(reactions, m)
    for k in range(n_contacts):
        for d in range(N_STORED_FORCES):
            forces[k * N_STORED + d] = last_P[k * dim + d] / h if d <= stepper.tangents_per_contact else 0.0
        if stepper.has_slots != 0:
            store_place(MODEL(stepper.model), k, STORED_FORCE(forces, k))
    stepper.n_nodes += 1


@jit(inline=True)
def accept_step(stepper):
    """Make ``y_new`` the current state; return False if it is not finite."""
    y = floats(stepper.y)
    y_new = floats(stepper.y_new)
    zero_or_nan = 0.0
    for i in range(2 * stepper.n_velocities):
        zero_or_nan += y_new[i] * 0.0
        y[i] = y_new[i]
    if stepper.update_orientation_kernel != 0:
        call_load(stepper.update_orientation_kernel, y, MODEL(stepper.model))
    return zero_or_nan == 0.0


@jit(inline=True)
def has_capacity(stepper):
    """Return True if another node and another log row can be stored."""
    return stepper.n_nodes < stepper.node_capacity and stepper.n_logged < stepper.log_capacity


@jit(inline=True)
def node_is_due(counts):
    """Return True if the step that was just made is a node."""
    is_stop = counts.n_done == counts.n_planned
    return is_stop or (counts.node_stride > 0 and counts.n_steps % counts.node_stride == 0)


@jit(inline=True)
def current_time(clock, counts):
    """Return the time reached in the current segment [s]."""
    return clock.t_begin + (counts.n_done + clock.step_done) * clock.h


@kernel(RUN, STEPPER)
def run_chunk(stepper):
    """Step until the planned steps are done, a chunk is full, or a step fails; return a status."""
    clock = STEP_CLOCK(stepper.clock)
    counts = STEP_COUNTS(stepper.counts)
    n_steps = 0
    while counts.n_done < counts.n_planned:
        if n_steps >= counts.step_budget or not has_capacity(stepper):
            return CHUNK_FULL
        h = clock.h * clock.step_fraction
        status = call_step(stepper.step_kernel, current_time(clock, counts), h, stepper)
        if status == STEP_TOO_LONG:
            clock.step_fraction *= 0.5
            counts.n_halved += 1
            continue
        if status != FINISHED:
            return status
        if not accept_step(stepper):
            return NOT_FINITE
        stepper.dense_limit = stepper.dense_limit_next
        stepper.accept_inexact = 0
        n_steps += 1
        counts.n_steps += 1
        advance_clock(stepper)
        clock.t = clock.t_end if counts.n_done == counts.n_planned else current_time(clock, counts)
        if node_is_due(counts):
            store_node(clock.t, h, stepper)
    return FINISHED


@jit(inline=True)
def advance_clock(stepper):
    """Advance by one step; a shortened step is doubled as soon as the double step fits."""
    clock = STEP_CLOCK(stepper.clock)
    counts = STEP_COUNTS(stepper.counts)
    if counts.is_adaptive == 0:
        counts.n_done += 1
        return
    clock.step_done += clock.step_fraction
    if clock.step_done >= 1.0:
        clock.step_done = 0.0
        counts.n_done += 1
    double_fraction = 2.0 * clock.step_fraction
    if double_fraction <= 1.0 and clock.step_done % double_fraction == 0.0:
        clock.step_fraction = double_fraction


@kernel(RUN, STEPPER)
def log_open_contacts(stepper):
    """Log the contacts that are not separated at the end."""
    open_at_end = 1.0
    for k in range(stepper.n_contacts):
        if CONTACT_LOG_ENTRY(stepper.log_entries, k).is_open != 0.0:
            log_contact(stepper, k, open_at_end)
    return FINISHED
