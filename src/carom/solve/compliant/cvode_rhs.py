"""Compiled right-hand side of CVODE: f(P(y)), drawn to the constraints; and its Jacobian with contact forces only."""

from __future__ import annotations

from carom.kernels import (
    ADDRESS,
    FLOAT,
    INT,
    RATE,
    RECORD,
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
from carom.mechanics.model_record import MODEL, SETTINGS
from carom.mechanics.motion_jacobian import store_motion_jacobian

RHS = record(
    # the model
    rate_kernel=ADDRESS,  # y' = f(t, y)
    project_kernel=ADDRESS,  # y is moved onto the constraints; 0 where it is not
    model=ADDRESS,  # MODEL
    n_states=INT,
    projected_y=ADDRESS,  # workspace, P(y)
    array_pointer_function=ADDRESS,  # N_VGetArrayPointer of SUNDIALS; 0 where it is not called
    matrix_data_function=ADDRESS,  # SUNDenseMatrix_Data of SUNDIALS; 0 where it is not called
    implicit_solver=ADDRESS,  # `carom.mechanics.implicit_matrix.IMPLICIT_SOLVER`; 0: CVODE takes differences
    jacobians_kernel=ADDRESS,  # derivatives of the contact forces
    # settings of the run
    t_stop=FLOAT,  # time at which something may change; evaluations are just before it [s]
    t_before_stop=FLOAT,  # last time before it [s]
    constraint_rate=FLOAT,  # rate at which the state is drawn to the constraints [1/s]
    # counted over the run
    n_evaluations=INT,
    min_pivot_ratio=FLOAT,  # smallest since it was reset [-]
    # values of the right-hand side since the last restart
    recording=INT,  # NOT_RECORDED, RECORDED or REPLAYED
    values=ADDRESS,  # n_states numbers per evaluation
    n_values=INT,  # evaluations recorded, or replayed
    capacity=INT,  # evaluations that fit, or that were recorded
    enlarge_function=ADDRESS,  # makes room for more
)

NOT_RECORDED, RECORDED, REPLAYED = range(3)
SUCCESS, UNRECOVERABLE = 0, -1
"""Status that CVODE expects: 0, or negative if the run cannot be continued."""

VECTOR_RHS = INT32(FLOAT64, INT64, INT64, RECORD)
"""(t, y, ydot, rhs) -> status: the right-hand side as CVODE calls it; y and ydot are of type N_Vector."""
VECTOR_JACOBIAN = INT32(FLOAT64, INT64, INT64, INT64, RECORD, INT64, INT64, INT64)
"""(t, y, ydot, matrix, rhs, three vectors) -> status: the Jacobian as CVODE calls it."""
ARRAY_POINTER = INT64(INT64)
"""(vector) -> address of the numbers of an N_Vector."""
ENLARGE = INT32()
"""() -> ignored: make room for more recorded values."""

call_array_pointer = through_address(ARRAY_POINTER)
call_enlarge = through_address(ENLARGE)


@jit
def evaluate(t, y, ydot, rhs):
    """Evaluate the right-hand side at the projected state."""
    rhs.n_evaluations += 1
    model = MODEL(rhs.model)
    state = floats(rhs.projected_y)
    for i in range(rhs.n_states):
        state[i] = y[i]
        ydot[i] = 0.0
    if t >= rhs.t_stop:
        t = rhs.t_before_stop  # what holds before the stop, should something change there
    if rhs.project_kernel != 0:
        call_project(rhs.project_kernel, t, state, model)
    call_rate(rhs.rate_kernel, t, state, ydot, model)
    for i in range(rhs.n_states):
        ydot[i] += rhs.constraint_rate * (state[i] - y[i])
    ratio = SETTINGS(model.settings).min_pivot_ratio
    if ratio < rhs.min_pivot_ratio:
        rhs.min_pivot_ratio = ratio


@jit
def replay(ydot, rhs):
    """Return the next recorded value; fail where none is left."""
    if rhs.n_values >= rhs.capacity:
        rhs.n_values = rhs.capacity + 1
        return UNRECOVERABLE
    values = offset(floats(rhs.values), rhs.n_values * rhs.n_states)
    for i in range(rhs.n_states):
        ydot[i] = values[i]
    rhs.n_values += 1
    return SUCCESS


@jit
def make_room(rhs):
    """Make room for one more recorded value."""
    if rhs.n_values == rhs.capacity:
        call_enlarge(rhs.enlarge_function)


@jit
def evaluate_or_replay(t, y, ydot, rhs):
    """Evaluate the right-hand side and record it, or return a recorded value."""
    if rhs.recording == REPLAYED:
        return replay(ydot, rhs)
    evaluate(t, y, ydot, rhs)
    if rhs.recording == RECORDED:
        make_room(rhs)
        values = offset(floats(rhs.values), rhs.n_values * rhs.n_states)
        for i in range(rhs.n_states):
            values[i] = ydot[i]
        rhs.n_values += 1
    return SUCCESS


@jit
def evaluate_jacobian(t, y, columns, rhs):
    """Store the Jacobian at the projected state, column by column; a record contains it as so many values."""
    model = MODEL(rhs.model)
    size = rhs.n_states
    if rhs.recording == REPLAYED:
        status = SUCCESS
        for j in range(size):
            status = min(status, replay(offset(columns, j * size), rhs))
        return status
    state = floats(rhs.projected_y)
    for i in range(size):
        state[i] = y[i]
    t = min(t, rhs.t_before_stop) if t >= rhs.t_stop else t
    if rhs.project_kernel != 0:
        call_project(rhs.project_kernel, t, state, model)
    store_motion_jacobian(t, state, rhs.implicit_solver, rhs.jacobians_kernel, model, columns, size)
    if rhs.recording == RECORDED:
        for j in range(size):
            make_room(rhs)
            values = offset(floats(rhs.values), rhs.n_values * size)
            for i in range(size):
                values[i] = columns[j * size + i]
            rhs.n_values += 1
    return SUCCESS


@kernel(VECTOR_JACOBIAN, RHS)
def vector_jacobian(t, y, ydot, matrix, rhs, first, second, third):
    """Jacobian that CVODE calls directly."""
    y_numbers = floats(call_array_pointer(rhs.array_pointer_function, y))
    return evaluate_jacobian(t, y_numbers, floats(call_array_pointer(rhs.matrix_data_function, matrix)), rhs)


@kernel(RATE, RHS)
def array_jacobian(t, y, columns, rhs):
    """Jacobian for arrays, called from Python."""
    return evaluate_jacobian(t, y, columns, rhs)


@kernel(VECTOR_RHS, RHS)
def vector_rhs(t, y, ydot, rhs):
    """Right-hand side that CVODE calls directly."""
    y_numbers = floats(call_array_pointer(rhs.array_pointer_function, y))
    ydot_numbers = floats(call_array_pointer(rhs.array_pointer_function, ydot))
    return evaluate_or_replay(t, y_numbers, ydot_numbers, rhs)


@kernel(RATE, RHS)
def array_rhs(t, y, ydot, rhs):
    """Right-hand side for arrays, called from Python."""
    return evaluate_or_replay(t, y, ydot, rhs)
