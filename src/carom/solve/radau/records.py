"""Records of the implicit method: tolerances, stages of the current step, and what is kept from step to step."""

from __future__ import annotations

from carom.kernels import ADDRESS, FLOAT, INT, record

RADAU_MEMORY = record(
    # kept from step to step, and counted
    h_factored=FLOAT,  # length of the step that the factors belong to; 0 without [s]
    h_last=FLOAT,  # length of the last step; 0 if the next one begins without a past [s]
    contraction=FLOAT,  # of the last iteration [-]
    convergence=FLOAT,  # factor from the last change to the error of an iteration [-]
    needs_jacobian=INT,
    has_fresh_jacobian=INT,  # evaluated at the beginning of this step
    n_evaluations=INT,
    n_jacobians=INT,
    n_factorisations=INT,
)

RADAU = record(
    rk=ADDRESS,  # RUNGE_KUTTA: equations, state at the beginning of the step and its derivative
    solver=ADDRESS,  # `carom.mechanics.implicit_matrix.IMPLICIT_SOLVER`
    jacobians_kernel=ADDRESS,  # derivatives of the contact forces
    # tolerances
    rtol=FLOAT,  # of the states [-]
    atol=FLOAT,
    indentation_rtol=FLOAT,  # of the indentation of loaded contacts [-]
    newton_tolerance=FLOAT,  # in units of these
    # the step
    y_out=ADDRESS,  # state at its end
    t_latest=FLOAT,  # last time at which the equations are evaluated [s]
    error=FLOAT,  # in units of the tolerance
    min_pivot_ratio=FLOAT,  # of its evaluations [-]
    transformed=ADDRESS,  # W = T⁻¹ Z, row by row
    increments=ADDRESS,  # Z: states of the stages less the state at the beginning, row by row
    stage_rhs=ADDRESS,  # derivatives at the stages, row by row
    y_stage=ADDRESS,
    real_residual=ADDRESS,
    complex_residual=ADDRESS,
    change=ADDRESS,  # of the last stage in an iteration; error vector
    memory=RADAU_MEMORY,
    last_increments=ADDRESS,  # Z of the last step
)
