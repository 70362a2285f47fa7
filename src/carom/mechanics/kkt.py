"""The saddle-point system  [M Φ_qᵀ; Φ_q 0] [a; λ] = [rhs_motion; rhs_constraint].

The factorisation is behind an address (dense Schur complement, sparse LDLᵀ, pivoted LU). Each may carry a small
proximal term −ε on the multipliers, which the iteration

    λ ← λ + (S + ε)⁻¹ (Φ_q a − rhs_constraint),

removes again: the augmented Lagrangian method with penalty 1/ε. With dependent rows it converges to the multipliers of
least norm, and the accelerations are exact.
"""

from __future__ import annotations

from carom.kernels import call_factor, call_solve, floats, jit
from carom.mechanics.element_evaluation import add_Phi_q_times, subtract_Phi_q_T
from carom.mechanics.linear_algebra import add, copy, set_zero, subtract_from
from carom.mechanics.model_record import SETTINGS


@jit
def factorise(model):
    """Factorise the matrix of the equations of motion; return a status."""
    return call_factor(model.factorise_kernel, model)


@jit
def solve(model):
    """Compute accelerations and multipliers from the right-hand sides of motion and constraints, after `factorise`."""
    mass = floats(model.mass)
    rhs_motion = floats(model.rhs_motion)
    rhs_constraint = floats(model.rhs_constraint)
    a = floats(model.acceleration)
    lam = floats(model.lam)
    residual_motion = floats(model.residual_motion)
    residual_constraint = floats(model.residual_constraint)
    n = model.n_velocities
    m = model.n_constraints
    copy(rhs_motion, n, residual_motion)
    copy(rhs_constraint, m, residual_constraint)
    for iteration in range(SETTINGS(model.settings).proximal_iterations):
        if iteration > 0:
            for i in range(n):
                residual_motion[i] = rhs_motion[i] - mass[i] * a[i]
            subtract_Phi_q_T(model, lam, residual_motion)
            set_zero(residual_constraint, m)
            add_Phi_q_times(model, a, residual_constraint)
            subtract_from(rhs_constraint, m, residual_constraint)
        call_solve(model.solve_kernel, model)
        if iteration == 0:
            copy(residual_motion, n, a)
            copy(residual_constraint, m, lam)
        else:
            add(residual_motion, n, a)
            add(residual_constraint, m, lam)
