"""Redundant constraints: LDLᵀ of S = Φ_q M⁻¹ Φ_qᵀ on as many rows as are independent, the best ones first.

The number of independent rows is known; which rows they are is found by pivoting, and found again when the present
choice grows weak. The other rows follow from these and get no multiplier. The accelerations are those of the whole
system; multipliers of least norm come from `carom.mechanics.kkt_schur` with its proximal term.
"""

from __future__ import annotations

from carom.kernels import ADDRESS, FACTOR, INT, SOLVE, floats, ints, jit, kernel, record
from carom.mechanics.kkt_schur import assemble, condense, expand, substitute
from carom.mechanics.model_record import MODEL, OK, SETTINGS, SINGULAR

SOLVER_DATA = record(
    # begins as the record of `schur`
    n_row_pairs=INT,
    row_pairs=ADDRESS,
    matrix=ADDRESS,
    diagonal=ADDRESS,
    rank=INT,
    row_order=ADDRESS,  # the independent rows first
    factors=ADDRESS,
    workspace=ADDRESS,
)

SMALLEST_PIVOT = 1e-14
CHOOSE_AGAIN = 0.02
"""Smallest pivot (of the row's own size) at which the rows are chosen anew."""


@jit
def eliminate(matrix, choice, a, m, rank, pivoting):
    """Store LDLᵀ of the chosen rows in ``a`` (D Lᵀ above the diagonal, 1/D on it); return the smallest pivot."""
    for i in range(m):
        for j in range(m):
            r = choice[i]
            c = choice[j]
            a[i * m + j] = matrix[r * m + c] if r <= c else matrix[c * m + r]
    weakest = 1.0
    for k in range(rank):
        if pivoting:
            best = k
            most = -1.0
            for j in range(k, m):
                whole = matrix[choice[j] * m + choice[j]]
                if a[j * m + j] > most * whole:
                    most = a[j * m + j] / whole
                    best = j
            if best != k:
                choice[k], choice[best] = choice[best], choice[k]
                for j in range(m):
                    a[k * m + j], a[best * m + j] = a[best * m + j], a[k * m + j]
                for i in range(m):
                    a[i * m + k], a[i * m + best] = a[i * m + best], a[i * m + k]
        pivot = a[k * m + k]
        weakest = min(weakest, pivot / matrix[choice[k] * m + choice[k]])
        inverse = 1.0 / pivot
        for i in range(k + 1, m):
            f = a[k * m + i] * inverse
            if f != 0.0:
                for j in range(k + 1, m):
                    a[i * m + j] -= f * a[k * m + j]
        a[k * m + k] = inverse
    return weakest


@kernel(FACTOR, MODEL)
def factor(model):
    """Factorise the Schur complement of the independent rows, chosen by pivoting; return a status."""
    solver = SOLVER_DATA(model.solver)
    matrix = floats(solver.matrix)
    choice = ints(solver.row_order)
    a = floats(solver.factors)
    m = model.n_constraints
    rank = solver.rank
    assemble(model, matrix)
    weakest = eliminate(matrix, choice, a, m, rank, False)
    if not weakest > CHOOSE_AGAIN:
        weakest = eliminate(matrix, choice, a, m, rank, True)
    SETTINGS(model.settings).min_pivot_ratio = weakest
    return OK if weakest > SMALLEST_PIVOT else SINGULAR


@kernel(SOLVE, MODEL)
def solve(model):
    """Replace the residuals by the corrections; the multipliers of redundant rows are zero."""
    solver = SOLVER_DATA(model.solver)
    choice = ints(solver.row_order)
    x = floats(solver.workspace)
    down = floats(model.residual_constraint)
    rank = solver.rank
    m = model.n_constraints
    condense(model)
    for k in range(rank):
        x[k] = down[choice[k]]
    substitute(floats(solver.factors), x, m, rank)
    for r in range(m):
        down[r] = 0.0
    for k in range(rank):
        down[choice[k]] = x[k]
    expand(model)
