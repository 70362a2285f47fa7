"""Compiled loop over the internal steps of CVODE, for motion without contacts and without functions of the user.

It does what `carom.solve.compliant.cvode.Cvode.step_towards` does, to the same bits, without Python between two steps.
"""

from __future__ import annotations

import math

from carom.kernels import ADDRESS, FLOAT, INT, RUN, call_project, floats, jit, kernel, offset, record
from carom.kernels.argument_types import FLOAT64, INT32, INT64
from carom.kernels.signatures import through_address
from carom.mechanics.model_record import MODEL
from carom.solve.compliant.cvode_rhs import RHS

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
    # settings of the run
    stores_steps=INT,  # whether every step is a node; otherwise only stops are
    min_advance=FLOAT,  # time that counts as progress [s]
    max_attempts=INT,  # attempted steps without progress
    # progress
    t=FLOAT,  # [s]
    state=ADDRESS,  # at t, on the constraints
    h=FLOAT,  # last step [s]
    n_steps=INT,
    t_progress=FLOAT,  # last time that counts as progress [s]
    n_attempts=INT,  # steps attempted since then
    # one chunk
    t_stop=FLOAT,  # [s]
    max_steps=INT,
    node_t=ADDRESS,  # capacity: max_steps
    node_y=ADDRESS,
    n_nodes=INT,
    stop_status=INT,  # negative if CVODE did not accept the stop
)

CHUNK_DONE, NOT_FINITE, FAILED, STALLED = range(4)
"""Status of a chunk: stop reached or as many steps as allowed, state not finite, no step possible, no progress."""

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
def move_to(t, run, rhs):
    """Move to the end of a step: projected state, node, attraction to the constraints."""
    y, state = floats(run.y), floats(run.state)
    for i in range(rhs.n_states):
        state[i] = y[i]
    run.h = t - run.t
    rhs.constraint_rate = CONSTRAINT_RATE / run.h
    rhs.min_pivot_ratio = 1.0
    if rhs.project_kernel != 0:
        call_project(rhs.project_kernel, t, state, MODEL(rhs.model))
    run.t = t
    run.n_steps += 1
    if run.stores_steps != 0 or t == run.t_stop:
        row = offset(floats(run.node_y), run.n_nodes * rhs.n_states)
        for i in range(rhs.n_states):
            row[i] = state[i]
        floats(run.node_t)[run.n_nodes] = t
        run.n_nodes += 1


@kernel(RUN, CVODE_STEPS)
def take_steps(run):
    """Take internal steps until the stop, or as many as allowed; return the status of the chunk."""
    rhs = RHS(run.rhs)
    run.n_nodes = 0
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
            move_to(t, run, rhs)
        if run.t == run.t_stop:
            break
    return CHUNK_DONE
