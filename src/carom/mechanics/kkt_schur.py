"""Small systems: dense LDLᵀ of the Schur complement S = Φ_q M⁻¹ Φ_qᵀ, with M diagonal."""

from __future__ import annotations

from carom.kernels import ADDRESS, FACTOR, INT, SOLVE, floats, jit, kernel, offset, record
from carom.mechanics.element_evaluation import rows_times, subtract_transposed
from carom.mechanics.model_record import (
    MODEL,
    OK,
    SETTINGS,
    SINGULAR,
    TRIPLE,
)

SOLVER_DATA = record(
    # The record of `carom.mechanics.kkt_redundant` begins with the same fields.
    n_row_pairs=INT,
    row_pairs=ADDRESS,  # table of ROW_PAIR
    matrix=ADDRESS,
    diagonal=ADDRESS,
)

ROW_PAIR = record(
    # Two rows that share a body.
    entry=INT,  # index in the matrix
    jacobian_offset_a=INT,
    jacobian_offset_b=INT,
    velocity_index=INT,
)

SMALLEST_PIVOT = 1e-14
"""A row whose pivot falls below this part of its diagonal depends on the rows before it."""


@jit
def assemble(model, matrix):
    """Assemble the upper triangle of S from the pairs of rows that share a body."""
    jac = floats(model.Phi_q)
    inverse = floats(model.inverse_mass)
    solver = SOLVER_DATA(model.solver)
    m = model.n_constraints
    for i in range(m * m):
        matrix[i] = 0.0
    for k in range(solver.n_row_pairs):
        pair = ROW_PAIR(solver.row_pairs, k)
        p = pair.jacobian_offset_a
        q = pair.jacobian_offset_b
        c = pair.velocity_index
        total = 0.0
        for d in range(TRIPLE):
            total += jac[p + d] * jac[q + d] * inverse[c + d]
        matrix[pair.entry] += total


@kernel(FACTOR, MODEL)
def factor(model):
    """Factorise the Schur complement S = Φ_q M⁻¹ Φ_qᵀ; return a status."""
    matrix = floats(SOLVER_DATA(model.solver).matrix)
    diagonal = floats(SOLVER_DATA(model.solver).diagonal)
    assemble(model, matrix)
    m = model.n_constraints
    settings = SETTINGS(model.settings)
    regularisation = settings.proximal
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
    settings.min_pivot_ratio = weakest
    return OK if weakest > SMALLEST_PIVOT else SINGULAR


@jit
def condense(model):
    """Replace the top residual by M⁻¹ top and the bottom one by the right-hand side of S λ = Φ_q M⁻¹ top − bottom."""
    inverse_mass = floats(model.inverse_mass)
    up = floats(model.residual_motion)
    down = floats(model.residual_constraint)
    for i in range(model.n_velocities):
        up[i] *= inverse_mass[i]
    for r in range(model.n_constraints):
        down[r] = -down[r]
    rows_times(model, up, down)


@jit
def product(a, b, count):
    """Return Σ aᵢ bᵢ, in four independent sums."""
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
def expand(model):
    """Replace M⁻¹ top by M⁻¹ (top − Φ_qᵀ λ), with λ in the bottom residual."""
    mass = floats(model.mass)
    inverse_mass = floats(model.inverse_mass)
    up = floats(model.residual_motion)
    n = model.n_velocities
    for i in range(n):
        up[i] *= mass[i]
    subtract_transposed(model, floats(model.residual_constraint), up)
    for i in range(n):
        up[i] *= inverse_mass[i]


@kernel(SOLVE, MODEL)
def solve(model):
    """Replace the residuals by the corrections, with the factors of S."""
    m = model.n_constraints
    condense(model)
    substitute(floats(SOLVER_DATA(model.solver).matrix), floats(model.residual_constraint), m, m)
    expand(model)
