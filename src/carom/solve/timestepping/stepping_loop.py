"""Compiled time stepping loop: equal steps in chunks, between which Python reports progress."""

from __future__ import annotations

from carom.kernels import RUN, call_load, call_step, floats, jit, kernel, offset
from carom.mechanics.contact_log import CONTACT_LOG_ENTRY
from carom.mechanics.contact_records import N_STORED
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
def keep_node(t, h, stepper):
    """Store a node: state, energies, joint reactions, and contact forces (impulses divided by ``h``)."""
    n = stepper.n_velocities
    m = stepper.n_constraints
    count = stepper.n_contacts
    dim = stepper.rows_per_contact
    place = stepper.n_nodes
    floats(stepper.node_t)[place] = t
    row = offset(floats(stepper.node_y), place * stepper.node_size)
    state = floats(stepper.y)
    energy = ENERGY_BALANCE(stepper.energy)
    losses = floats(stepper.contact_losses)
    joints = floats(stepper.joint_impulses)
    impulses = floats(stepper.last_P)
    for i in range(2 * n):
        row[i] = state[i]
    at = 2 * n
    for i in range(stepper.n_orientation):
        row[at + i] = floats(stepper.reference_orientation)[i]
    at += stepper.n_orientation
    quadratures = QUADRATURES(offset(row, at))
    quadratures.dissipated = energy.dissipated
    quadratures.applied_work = energy.applied_work
    quadratures.driver_work = energy.driver_work
    at += QUADRATURES_SIZE
    for i in range(2 * count):
        row[at + i] = losses[i]
    at += 2 * count
    for r in range(m):
        row[at + r] = joints[r] / h
    at += m
    for k in range(count):
        for d in range(N_STORED):
            row[at + k * N_STORED + d] = impulses[k * dim + d] / h if d < dim else 0.0
    stepper.n_nodes = place + 1


@jit
def accept(stepper):
    """Accept the state at the end of the step; return False if it is not finite."""
    state = floats(stepper.y)
    new = floats(stepper.y_new)
    healthy = 0.0
    for i in range(2 * stepper.n_velocities):
        healthy += new[i] * 0.0
        state[i] = new[i]
    if stepper.update_orientation_kernel != 0:
        call_load(stepper.update_orientation_kernel, state, MODEL(stepper.model))
    return healthy == 0.0


@kernel(RUN, STEPPER)
def run(stepper):
    """Step until the planned steps are done, a chunk is full, or a step fails; return a status."""
    clock = STEP_CLOCK(stepper.clock)
    counts = STEP_COUNTS(stepper.counts)
    steps = 0
    while counts.n_done < counts.n_planned:
        if (
            steps >= counts.step_budget
            or stepper.n_nodes >= stepper.node_capacity
            or stepper.n_logged >= stepper.log_capacity
        ):
            return CHUNK_FULL
        t = clock.t_begin + (counts.n_done + clock.step_done) * clock.h
        h = clock.h * clock.step_fraction
        status = call_step(stepper.step_kernel, t, h, stepper)
        if status == STEP_TOO_LONG:
            clock.step_fraction *= 0.5
            counts.n_halved += 1
            continue
        if status != FINISHED:
            return status
        if not accept(stepper):
            return NOT_FINITE
        stepper.dense_limit = stepper.dense_limit_next
        stepper.accept_inexact = 0
        steps += 1
        counts.n_steps += 1
        advance(stepper)
        clock.t = clock.t_begin + (counts.n_done + clock.step_done) * clock.h
        if counts.n_done == counts.n_planned:
            clock.t = clock.t_end
        if (counts.node_stride > 0 and counts.n_steps % counts.node_stride == 0) or counts.n_done == counts.n_planned:
            keep_node(clock.t, h, stepper)
    return FINISHED


@jit
def advance(stepper):
    """Advance by one step; shortened steps grow again as soon as they fit."""
    clock = STEP_CLOCK(stepper.clock)
    counts = STEP_COUNTS(stepper.counts)
    if counts.is_adaptive == 0:
        counts.n_done += 1
        return
    clock.step_done += clock.step_fraction
    if clock.step_done >= 1.0:
        clock.step_done = 0.0
        counts.n_done += 1
    twice = 2.0 * clock.step_fraction
    if twice <= 1.0 and clock.step_done % twice == 0.0:
        clock.step_fraction = twice


@kernel(RUN, STEPPER)
def finish(stepper):
    """Log the contacts that are not separated at the end."""
    open_at_end = 1.0
    for k in range(stepper.n_contacts):
        if CONTACT_LOG_ENTRY(stepper.log_entries, k).is_open != 0.0:
            log_contact(stepper, k, open_at_end)
    return FINISHED
