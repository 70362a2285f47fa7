"""The saddle-point system  [M Φ_qᵀ; Φ_q 0] [a; λ] = [top; bottom].

The factorisation is behind an address (dense Schur complement, sparse LDLᵀ, pivoted LU). Each may carry a small
proximal term −ε on the multipliers, removed again by sweeps of the iteration

    λ ← λ + (S + ε)⁻¹ (Φ_q a − bottom),

the augmented Lagrangian method with penalty 1/ε. With dependent rows it converges to the multipliers of least
norm, and the accelerations are exact.
"""

from __future__ import annotations

from carom.kernels import call_factor, call_solve, floats, jit
from carom.mechanics.block import (
    ACCELERATION,
    BOTTOM,
    FACTOR_ADDRESS,
    MASS,
    MULTIPLIERS,
    RESIDUAL_BOTTOM,
    RESIDUAL_TOP,
    ROWS,
    SETTINGS,
    SOLVE_ADDRESS,
    SWEEPS,
    TOP,
    VELOCITIES,
)
from carom.mechanics.rows import rows_times, subtract_transposed


@jit
def factor(block):
    return call_factor(block[FACTOR_ADDRESS], block)


@jit
def solve(block):
    """ACCELERATION and MULTIPLIERS for the right-hand sides TOP and BOTTOM, after `factor`."""
    mass = floats(block[MASS])
    top = floats(block[TOP])
    bottom = floats(block[BOTTOM])
    a = floats(block[ACCELERATION])
    multipliers = floats(block[MULTIPLIERS])
    up = floats(block[RESIDUAL_TOP])
    down = floats(block[RESIDUAL_BOTTOM])
    n = block[VELOCITIES]
    m = block[ROWS]
    sweeps = int(floats(block[SETTINGS])[SWEEPS])
    for i in range(n):
        up[i] = top[i]
    for r in range(m):
        down[r] = bottom[r]
    for sweep in range(sweeps):
        if sweep > 0:
            for i in range(n):
                up[i] = top[i] - mass[i] * a[i]
            subtract_transposed(block, multipliers, up)
            for r in range(m):
                down[r] = 0.0
            rows_times(block, a, down)
            for r in range(m):
                down[r] = bottom[r] - down[r]
        call_solve(block[SOLVE_ADDRESS], block)
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
