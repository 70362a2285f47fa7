"""Small systems: dense LDLᵀ of the Schur complement S = Φ_q M⁻¹ Φ_qᵀ, with M diagonal."""

from __future__ import annotations

from carom.kernels import FACTOR, SOLVE, floats, ints, jit, kernel, offset
from carom.mechanics.block import (
    INVERSE_MASS,
    JAC,
    MASS,
    OK,
    REGULARISATION,
    RESIDUAL_BOTTOM,
    RESIDUAL_TOP,
    ROWS,
    SETTINGS,
    SINGULAR,
    SOLVER,
    TRIPLE,
    VELOCITIES,
    WEAKEST,
)
from carom.mechanics.rows import rows_times, subtract_transposed

# The solver's own table.
PAIRS, PAIR_TABLE, MATRIX, DIAGONAL = range(4)

SMALLEST_PIVOT = 1e-14
"""A row whose pivot falls below this part of its diagonal depends on the rows before it."""


@jit
def assemble(block, matrix):
    """Upper triangle of S, from the pairs of rows that share a body."""
    jac = floats(block[JAC])
    inverse = floats(block[INVERSE_MASS])
    solver = ints(block[SOLVER])
    pairs = ints(solver[PAIR_TABLE])
    m = block[ROWS]
    for i in range(m * m):
        matrix[i] = 0.0
    for k in range(solver[PAIRS]):
        place = pairs[4 * k]
        p = pairs[4 * k + 1]
        q = pairs[4 * k + 2]
        c = pairs[4 * k + 3]
        total = 0.0
        for d in range(TRIPLE):
            total += jac[p + d] * jac[q + d] * inverse[c + d]
        matrix[place] += total


@kernel(FACTOR)
def factor(block):
    matrix = floats(ints(block[SOLVER])[MATRIX])
    diagonal = floats(ints(block[SOLVER])[DIAGONAL])
    assemble(block, matrix)
    m = block[ROWS]
    settings = floats(block[SETTINGS])
    regularisation = settings[REGULARISATION]
    weakest = 1.0
    for k in range(m):
        matrix[k * m + k] *= 1.0 + regularisation
        diagonal[k] = matrix[k * m + k]
    for k in range(m):
        pivot = matrix[k * m + k]
        weakest = min(weakest, pivot / diagonal[k])
        inverse = 1.0 / pivot
        # D Lᵀ is kept in the upper triangle, 1/D on the diagonal.
        for i in range(k + 1, m):
            f = matrix[k * m + i] * inverse
            if f != 0.0:
                for j in range(i, m):
                    matrix[i * m + j] -= f * matrix[k * m + j]
        matrix[k * m + k] = inverse
    settings[WEAKEST] = weakest
    return OK if weakest > SMALLEST_PIVOT else SINGULAR


@jit
def condense(block):
    """M⁻¹ top in place of the top residual, and the right-hand side of S λ = Φ_q M⁻¹ top − bottom in the bottom one."""
    inverse_mass = floats(block[INVERSE_MASS])
    up = floats(block[RESIDUAL_TOP])
    down = floats(block[RESIDUAL_BOTTOM])
    for i in range(block[VELOCITIES]):
        up[i] *= inverse_mass[i]
    for r in range(block[ROWS]):
        down[r] = -down[r]
    rows_times(block, up, down)


@jit
def product(a, b, count):
    """Σ aᵢ bᵢ, in four sums that do not wait for each other."""
    s0 = 0.0
    s1 = 0.0
    s2 = 0.0
    s3 = 0.0
    i = 0
    while i + 4 <= count:
        s0 += a[i] * b[i]
        s1 += a[i + 1] * b[i + 1]
        s2 += a[i + 2] * b[i + 2]
        s3 += a[i + 3] * b[i + 3]
        i += 4
    while i < count:
        s0 += a[i] * b[i]
        i += 1
    return (s0 + s1) + (s2 + s3)


@jit
def substitute(matrix, x, m, count):
    """Solve with the first ``count`` rows of the factors: D Lᵀ above the diagonal, 1/D on it, m numbers a row."""
    for k in range(count):
        f = x[k] * matrix[k * m + k]
        for i in range(k + 1, count):
            x[i] -= matrix[k * m + i] * f
    for k in range(count - 1, -1, -1):
        total = x[k] - product(offset(matrix, k * m + k + 1), offset(x, k + 1), count - k - 1)
        x[k] = total * matrix[k * m + k]


@jit
def expand(block):
    """M⁻¹ (top − Φ_qᵀ λ) in place of M⁻¹ top, with λ in the bottom residual."""
    mass = floats(block[MASS])
    inverse_mass = floats(block[INVERSE_MASS])
    up = floats(block[RESIDUAL_TOP])
    n = block[VELOCITIES]
    for i in range(n):
        up[i] *= mass[i]
    subtract_transposed(block, floats(block[RESIDUAL_BOTTOM]), up)
    for i in range(n):
        up[i] *= inverse_mass[i]


@kernel(SOLVE)
def solve(block):
    m = block[ROWS]
    condense(block)
    substitute(floats(ints(block[SOLVER])[MATRIX]), floats(block[RESIDUAL_BOTTOM]), m, m)
    expand(block)
