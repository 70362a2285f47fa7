"""The saddle-point system  [M Φ_qᵀ; Φ_q 0] [a; λ] = [top; bottom].

The factorisation is behind an address (dense Schur complement, sparse LDLᵀ, pivoted LU). Each may carry a small
proximal term −ε on the multipliers, removed again by sweeps of the iteration

    λ ← λ + (S + ε)⁻¹ (Φ_q a − bottom),

the augmented Lagrangian method with penalty 1/ε. With dependent rows it converges to the multipliers of least
norm, and the accelerations are exact.
"""

from __future__ import annotations

from carom.kernels import call_factor, call_solve, floats, jit
from carom.mechanics.element_evaluation import rows_times, subtract_transposed
from carom.mechanics.model_record import (
    SETTINGS,
)


@jit
def factor(model):
    """Factorise the matrix of the equations of motion; return a status."""
    return call_factor(model.factorise_kernel, model)


@jit
def solve(model):
    """Compute accelerations and multipliers from the right-hand sides of motion and constraints, after `factor`."""
    mass = floats(model.mass)
    top = floats(model.rhs_motion)
    bottom = floats(model.rhs_constraint)
    a = floats(model.acceleration)
    multipliers = floats(model.lam)
    up = floats(model.residual_motion)
    down = floats(model.residual_constraint)
    n = model.n_velocities
    m = model.n_constraints
    sweeps = SETTINGS(model.settings).proximal_iterations
    for i in range(n):
        up[i] = top[i]
    for r in range(m):
        down[r] = bottom[r]
    for sweep in range(sweeps):
        if sweep > 0:
            for i in range(n):
                up[i] = top[i] - mass[i] * a[i]
            subtract_transposed(model, multipliers, up)
            for r in range(m):
                down[r] = 0.0
            rows_times(model, a, down)
            for r in range(m):
                down[r] = bottom[r] - down[r]
        call_solve(model.solve_kernel, model)
        if sweep == 0:
            for i in range(n):
                a[i] = up[i]
            for r in range(m):
                multipliers[r] = down[r]
        else:
            for i in range(n):
                a[i] += up[i]
            for r in range(m):
                multipliers[r] += down[r]
