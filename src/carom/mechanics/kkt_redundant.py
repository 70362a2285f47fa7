"""Redundant constraints: LDLᵀ of S = Φ_q M⁻¹ Φ_qᵀ on as many rows as are independent, the best ones first.

The number of independent rows is known; which rows they are is found by pivoting, and found again when the pivots
of the current choice become small. The other rows follow from these and get no multiplier. The accelerations are those
of the whole system; multipliers of least norm come from `carom.mechanics.kkt_schur` with its proximal term.
"""

from __future__ import annotations

from carom.kernels import ADDRESS, FACTOR, INT, SOLVE, floats, ints, jit, kernel, record
from carom.mechanics.kkt_schur import assemble, condense, expand, substitute
from carom.mechanics.model_record import MIN_PIVOT_RATIO, MODEL, OK, SETTINGS, SINGULAR

SOLVER_DATA = record(
    # The record of `carom.mechanics.kkt_schur` begins with the same fields.
    n_row_pairs=INT,
    row_pairs=ADDRESS,
    matrix=ADDRESS,
    diagonal=ADDRESS,
    rank=INT,
    row_order=ADDRESS,  # the independent rows first
    factors=ADDRESS,
    workspace=ADDRESS,
)

MIN_KEPT_RATIO = 0.02
"""Ratio of a pivot to its row below which the independent rows are chosen again [-]."""


@jit
def eliminate(matrix, row_order, a, m, rank, pivoting):
    """Store LDLᵀ of the chosen rows in ``a`` (D Lᵀ above the diagonal, 1/D on it); return the smallest pivot ratio."""
    for i in range(m):
        for j in range(m):
            r = row_order[i]
            c = row_order[j]
            a[i * m + j] = matrix[r * m + c] if r <= c else matrix[c * m + r]
    min_ratio = 1.0
    for k in range(rank):
        if pivoting:
            best = k
            max_ratio = -1.0
            for j in range(k, m):
                diagonal = matrix[row_order[j] * m + row_order[j]]
                if a[j * m + j] > max_ratio * diagonal:
                    max_ratio = a[j * m + j] / diagonal
                    best = j
            if best != k:
                row_order[k], row_order[best] = row_order[best], row_order[k]
                for j in range(m):
                    a[k * m + j], a[best * m + j] = a[best * m + j], a[k * m + j]
                for i in range(m):
                    a[i * m + k], a[i * m + best] = a[i * m + best], a[i * m + k]
        pivot = a[k * m + k]
        min_ratio = min(min_ratio, pivot / matrix[row_order[k] * m + row_order[k]])
        inverse = 1.0 / pivot
        for i in range(k + 1, m):
            f = a[k * m + i] * inverse
            if f != 0.0:
                for j in range(k + 1, m):
                    a[i * m + j] -= f * a[k * m + j]
        a[k * m + k] = inverse
    return min_ratio


@kernel(FACTOR, MODEL)
def factorise(model):
    """Factorise the Schur complement of the independent rows, chosen by pivoting; return a status."""
    solver = SOLVER_DATA(model.solver)
    matrix = floats(solver.matrix)
    row_order = ints(solver.row_order)
    a = floats(solver.factors)
    m = model.n_constraints
    rank = solver.rank
    assemble(model, matrix)
    min_ratio = eliminate(matrix, row_order, a, m, rank, False)
    if not min_ratio > MIN_KEPT_RATIO:
        min_ratio = eliminate(matrix, row_order, a, m, rank, True)
    SETTINGS(model.settings).min_pivot_ratio = min_ratio
    return OK if min_ratio > MIN_PIVOT_RATIO else SINGULAR


@kernel(SOLVE, MODEL)
def solve(model):
    """Replace the residuals by the corrections; the multipliers of redundant rows are zero."""
    solver = SOLVER_DATA(model.solver)
    row_order = ints(solver.row_order)
    x = floats(solver.workspace)
    residual_constraint = floats(model.residual_constraint)
    rank = solver.rank
    m = model.n_constraints
    condense(model)
    for k in range(rank):
        x[k] = residual_constraint[row_order[k]]
    substitute(floats(solver.factors), x, m, rank)
    for r in range(m):
        residual_constraint[r] = 0.0
    for k in range(rank):
        residual_constraint[row_order[k]] = x[k]
    expand(model)
