"""Record of an explicit Runge–Kutta integration: equations, coefficients of the method, and the current step."""

from __future__ import annotations

from carom.kernels import ADDRESS, FLOAT, INT, record

RUNGE_KUTTA = record(
    # the equations
    rhs_kernel=ADDRESS,  # y' = f(t, y)
    rhs_data=ADDRESS,  # record that this kernel receives
    model=ADDRESS,  # MODEL
    n_states=INT,  # numbers in y
    # the method
    a=ADDRESS,
    b=ADDRESS,  # 0 where the last stage is taken at the new state
    c=ADDRESS,
    error_weights=ADDRESS,  # 0 for methods without an estimate
    error_weights_3=ADDRESS,  # 0 for methods without a second estimate
    dense_a=ADDRESS,
    dense_c=ADDRESS,
    dense_weights=ADDRESS,
    n_stages=INT,
    n_dense_stages=INT,  # further stages of the dense output
    dense_order=INT,
    error_order=INT,
    is_adaptive=INT,
    a_row_size=INT,
    dense_a_row_size=INT,
    # a step
    y=ADDRESS,  # state at its beginning
    stages=ADDRESS,  # derivatives k of the stages, row by row
    y_new=ADDRESS,  # state at its end
    y_stage=ADDRESS,  # state of a stage or inside the step
    y_probe=ADDRESS,  # error vector; state of a repeated step
    rhs_new=ADDRESS,  # derivative at the new or another state
    # its error
    rtol=FLOAT,  # [-]
    atol=FLOAT,
    n_controlled=INT,  # leading states whose error counts
    error_scale=ADDRESS,  # largest size of these states so far
    contact_error_kernel=ADDRESS,  # error of the contacts in compliant runs; 0: none
    events=ADDRESS,  # EVENTS, where that kernel stores its result
)
