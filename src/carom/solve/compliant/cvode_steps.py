"""Compiled loop over the internal steps of CVODE, without functions of the user.

It does what `carom.solve.compliant.cvode.Cvode.step_towards` does, to the same bits, without Python between two steps.
A step in which a contact changes, or has the extremum of an impact inside, is left to Python.
"""

from __future__ import annotations

import math

from carom.kernels import (
    ADDRESS,
    FLOAT,
    INT,
    RUN,
    call_contact_event,
    call_project,
    call_rate,
    floats,
    jit,
    kernel,
    offset,
    record,
)
from carom.kernels.argument_types import FLOAT64, INT32, INT64
from carom.kernels.signatures import through_address
from carom.mechanics.model_record import MODEL
from carom.solve.compliant.cvode_rhs import RHS
from carom.solve.compliant.node_storage import store_histories
from carom.solve.compliant.records import EVENTS

CONSTRAINT_RATE = 0.05
"""Rate at which the state is drawn to the constraints, in units of one over the step [-]; well inside stability."""
STOP_RESOLUTION = 1e-14
"""Distance from a stop, relative to its time, that is rounding [-]."""
ONE_STEP = 2
"""Task of CVODE: take one internal step."""

CVODE_STEPS = record(
    # CVODE
    rhs=ADDRESS,  # RHS
    solver=ADDRESS,  # memory of CVODE
    y_vector=ADDRESS,  # N_Vector of the state, and its numbers
    y=ADDRESS,
    t_reached=ADDRESS,  # time that CVODE has reached [s], one number
    step_function=ADDRESS,  # CVode
    set_stop_function=ADDRESS,  # CVodeSetStopTime
    clear_stop_function=ADDRESS,  # CVodeClearStopTime
    # contacts
    detect_event_kernel=ADDRESS,  # 0 without contacts
    update_extrema_kernel=ADDRESS,
    events=ADDRESS,  # EVENTS
    slope=ADDRESS,  # derivative at the start of a step
    new_slope=ADDRESS,  # derivative at its end
    slope_is_current=INT,  # whether ``slope`` is that of the current state
    # settings of the run
    node_size=INT,  # numbers of a node
    stores_steps=INT,  # whether every step is a node; otherwise only stops are
    min_advance=FLOAT,  # time that counts as progress [s]
    max_attempts=INT,  # attempted steps without progress
    # progress
    t=FLOAT,  # [s]
    state=ADDRESS,  # at t, on the constraints
    t_new=FLOAT,  # end of the last step [s]
    new_state=ADDRESS,  # there, on the constraints
    h=FLOAT,  # last step; with contacts, the longest one [s]
    n_steps=INT,
    t_progress=FLOAT,  # last time that counts as progress [s]
    n_attempts=INT,  # steps attempted since then
    # one chunk
    t_stop=FLOAT,  # [s]
    max_steps=INT,
    node_t=ADDRESS,  # capacity: max_steps
    node_y=ADDRESS,
    n_nodes=INT,
    n_requests=INT,  # extrema inside the last step
    stop_status=INT,  # negative if CVODE did not accept the stop
)

CHUNK_DONE, NOT_FINITE, FAILED, STALLED, EVENT_INSIDE, EXTREMA_INSIDE = range(6)
"""Status of a chunk: stop reached or as many steps as allowed, state not finite, no step possible, no progress; a
contact changes inside the last step, or has extrema there."""

call_cvode = through_address(INT32(INT64, FLOAT64, INT64, INT64, INT32))
call_set_stop = through_address(INT32(INT64, FLOAT64))
call_clear_stop = through_address(INT32(INT64))


@jit
def is_finite(y, size):
    """Return whether all numbers are finite."""
    finite = True
    for i in range(size):
        finite = finite and math.isfinite(y[i])
    return finite


@jit
def makes_progress(run):
    """Return False if too many steps have been attempted without progress in time."""
    run.n_attempts += 1
    if run.t > run.t_progress + run.min_advance:
        run.t_progress = run.t
        run.n_attempts = 0
    return run.n_attempts <= run.max_attempts


@jit
def end_step(t, run, rhs):
    """Project the state at the end of a step, and set the attraction to the constraints."""
    y, new_state = floats(run.y), floats(run.new_state)
    for i in range(rhs.n_states):
        new_state[i] = y[i]
    run.t_new = t
    # The short steps of an impact would draw so strongly that the forces show it.
    run.h = max(run.h, t - run.t) if run.detect_event_kernel != 0 else t - run.t
    rhs.constraint_rate = CONSTRAINT_RATE / run.h
    rhs.min_pivot_ratio = 1.0
    if rhs.project_kernel != 0:
        call_project(rhs.project_kernel, t, new_state, MODEL(rhs.model))


@jit
def evaluate(t, y, ydot, rhs):
    """Compute the derivative at a state."""
    for i in range(rhs.n_states):
        ydot[i] = 0.0
    call_rate(rhs.rate_kernel, t, y, ydot, MODEL(rhs.model))


@jit
def assess_contacts(run, rhs):
    """Return CHUNK_DONE, or the status of a step that is left to Python."""
    model, events = MODEL(rhs.model), EVENTS(run.events)
    state, slope = floats(run.state), floats(run.slope)
    new_state, new_slope = floats(run.new_state), floats(run.new_slope)
    t, t_new = run.t, run.t_new
    if run.slope_is_current == 0:
        evaluate(t, state, slope, rhs)
    run.slope_is_current = 0
    evaluate(t_new, new_state, new_slope, rhs)
    detect = run.detect_event_kernel
    if call_contact_event(detect, t, t_new - t, state, slope, new_state, new_slope, model, events) != 0:
        return EVENT_INSIDE
    evaluate(t_new, new_state, new_slope, rhs)
    update = run.update_extrema_kernel
    run.n_requests = call_contact_event(update, t_new, t_new - t, state, slope, new_state, new_slope, model, events)
    if run.n_requests > 0 or events.jump_contact >= 0:
        return EXTREMA_INSIDE
    for i in range(rhs.n_states):
        slope[i] = new_slope[i]
    run.slope_is_current = 1
    return CHUNK_DONE


@jit
def move_node(run, rhs):
    """Move the node to the end of a step, and store it."""
    state, new_state = floats(run.state), floats(run.new_state)
    for i in range(rhs.n_states):
        state[i] = new_state[i]
    run.t = run.t_new
    run.n_steps += 1
    if run.stores_steps != 0 or run.t == run.t_stop:
        row = offset(floats(run.node_y), run.n_nodes * run.node_size)
        for i in range(rhs.n_states):
            row[i] = state[i]
        store_histories(MODEL(rhs.model), rhs.n_states, row)
        floats(run.node_t)[run.n_nodes] = run.t
        run.n_nodes += 1


@kernel(RUN, CVODE_STEPS)
def take_steps(run):
    """Take internal steps until the stop, or as many as allowed; return the status of the chunk."""
    rhs = RHS(run.rhs)
    run.n_nodes = 0
    run.slope_is_current = 0
    for _ in range(run.max_steps):
        if not makes_progress(run):
            return STALLED
        run.stop_status = call_set_stop(run.set_stop_function, run.solver, run.t_stop)
        if run.stop_status < 0:
            return FAILED
        status = call_cvode(run.step_function, run.solver, run.t_stop, run.y_vector, run.t_reached, ONE_STEP)
        call_clear_stop(run.clear_stop_function, run.solver)
        if not is_finite(floats(run.y), rhs.n_states):
            return NOT_FINITE
        if status < 0:
            return FAILED
        t = floats(run.t_reached)[0]
        if run.t_stop - t <= STOP_RESOLUTION * abs(run.t_stop):
            t = run.t_stop
        if t > run.t:
            end_step(t, run, rhs)
            status = assess_contacts(run, rhs) if run.detect_event_kernel != 0 else CHUNK_DONE
            if status != CHUNK_DONE:
                return status
            move_node(run, rhs)
        if run.t == run.t_stop:
            break
    return CHUNK_DONE
