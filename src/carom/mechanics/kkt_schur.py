"""Small systems: dense LDLᵀ of the Schur complement S = Φ_q M⁻¹ Φ_qᵀ, with M diagonal."""

from __future__ import annotations

from carom.kernels import ADDRESS, FACTOR, INT, SOLVE, floats, jit, kernel, offset, record
from carom.mechanics.element_evaluation import add_Phi_q_times, subtract_Phi_q_T
from carom.mechanics.linear_algebra import dot, multiply, negate
from carom.mechanics.model_record import MIN_PIVOT_RATIO, MODEL, OK, SETTINGS, SINGULAR, TRIPLE

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


@jit
def assemble(model, matrix):
    """Assemble the upper triangle of S from the pairs of rows that share a body."""
    Phi_q = floats(model.Phi_q)
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
            total += Phi_q[p + d] * Phi_q[q + d] * inverse[c + d]
        matrix[pair.entry] += total


@kernel(FACTOR, MODEL)
def factorise(model):
    """Factorise the Schur complement S = Φ_q M⁻¹ Φ_qᵀ; return a status."""
    matrix = floats(SOLVER_DATA(model.solver).matrix)
    diagonal = floats(SOLVER_DATA(model.solver).diagonal)
    assemble(model, matrix)
    m = model.n_constraints
    settings = SETTINGS(model.settings)
    min_ratio = 1.0
    proximal_factor = 1.0 + settings.proximal
    for k in range(m):
        matrix[k * m + k] *= proximal_factor
        diagonal[k] = matrix[k * m + k]
    for k in range(m):
        pivot = matrix[k * m + k]
        min_ratio = min(min_ratio, pivot / diagonal[k])
        inverse = 1.0 / pivot
        # The upper triangle keeps D Lᵀ, the diagonal 1/D.
        for i in range(k + 1, m):
            f = matrix[k * m + i] * inverse
            if f != 0.0:
                for j in range(i, m):
                    matrix[i * m + j] -= f * matrix[k * m + j]
        matrix[k * m + k] = inverse
    settings.min_pivot_ratio = min_ratio
    return OK if min_ratio > MIN_PIVOT_RATIO else SINGULAR


@jit
def condense(model):
    """Replace the residual r of motion by M⁻¹ r, and c of the constraints by the right side of S λ = Φ_q M⁻¹ r − c."""
    residual_motion = floats(model.residual_motion)
    residual_constraint = floats(model.residual_constraint)
    multiply(floats(model.inverse_mass), model.n_velocities, residual_motion)
    negate(residual_constraint, model.n_constraints)
    add_Phi_q_times(model, residual_motion, residual_constraint)


@jit
def substitute(matrix, x, m, count):
    """Solve with the first ``count`` rows of the factors: D Lᵀ above the diagonal, 1/D on it, m numbers per row."""
    for k in range(count):
        f = x[k] * matrix[k * m + k]
        for i in range(k + 1, count):
            x[i] -= matrix[k * m + i] * f
    for k in range(count - 1, -1, -1):
        total = x[k] - dot(offset(matrix, k * m + k + 1), offset(x, k + 1), count - k - 1)
        x[k] = total * matrix[k * m + k]


@jit
def expand(model):
    """Replace M⁻¹ r by M⁻¹ (r − Φ_qᵀ λ), with λ in the residual of the constraints."""
    residual_motion = floats(model.residual_motion)
    n = model.n_velocities
    multiply(floats(model.mass), n, residual_motion)
    subtract_Phi_q_T(model, floats(model.residual_constraint), residual_motion)
    multiply(floats(model.inverse_mass), n, residual_motion)


@kernel(SOLVE, MODEL)
def solve(model):
    """Replace the residuals by the corrections, with the factors of S."""
    m = model.n_constraints
    condense(model)
    substitute(floats(SOLVER_DATA(model.solver).matrix), floats(model.residual_constraint), m, m)
    expand(model)
