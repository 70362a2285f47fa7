"""Redundant constraints: LDLᵀ of S = Φ_q M⁻¹ Φ_qᵀ on as many rows as are independent, the best ones first.

The number of independent rows is known; which rows they are is found by pivoting, and found again when the present
choice grows weak. The other rows follow from these and get no multiplier. The accelerations are those of the whole
system; multipliers of least norm come from `carom.mechanics.schur` with its proximal term.
"""

from __future__ import annotations

from carom.kernels import FACTOR, SOLVE, floats, ints, jit, kernel
from carom.mechanics.block import OK, RESIDUAL_BOTTOM, ROWS, SETTINGS, SINGULAR, SOLVER, WEAKEST
from carom.mechanics.schur import MATRIX, assemble, condense, expand, substitute

# The solver's own table begins as that of `schur`.
RANK, CHOICE, FACTORS, SCRATCH = range(4, 8)

SMALLEST_PIVOT = 1e-14
CHOOSE_AGAIN = 0.02
"""Smallest pivot (of the row's own size) at which the rows are chosen anew."""


@jit
def eliminate(matrix, choice, a, m, rank, pivoting):
    """LDLᵀ of the chosen rows into ``a`` (D Lᵀ above the diagonal, 1/D on it); returns the smallest pivot."""
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


@kernel(FACTOR)
def factor(block):
    solver = ints(block[SOLVER])
    matrix = floats(solver[MATRIX])
    choice = ints(solver[CHOICE])
    a = floats(solver[FACTORS])
    m = block[ROWS]
    rank = solver[RANK]
    assemble(block, matrix)
    weakest = eliminate(matrix, choice, a, m, rank, False)
    if not weakest > CHOOSE_AGAIN:
        weakest = eliminate(matrix, choice, a, m, rank, True)
    floats(block[SETTINGS])[WEAKEST] = weakest
    return OK if weakest > SMALLEST_PIVOT else SINGULAR


@kernel(SOLVE)
def solve(block):
    solver = ints(block[SOLVER])
    choice = ints(solver[CHOICE])
    x = floats(solver[SCRATCH])
    down = floats(block[RESIDUAL_BOTTOM])
    rank = solver[RANK]
    m = block[ROWS]
    condense(block)
    for k in range(rank):
        x[k] = down[choice[k]]
    substitute(floats(solver[FACTORS]), x, m, rank)
    for r in range(m):
        down[r] = 0.0
    for k in range(rank):
        down[choice[k]] = x[k]
    expand(block)
