"""Large systems: LDLᵀ of the permuted saddle-point matrix, its pattern fixed once, without pivoting.

Every body comes before the rows that hold it (see `carom.tables.pattern`), so every pivot exists as long as the rows
are independent. Up-looking factorisation: row k of L is found from the rows before it.
"""

from __future__ import annotations

from carom.kernels import FACTOR, SOLVE, floats, ints, kernel
from carom.mechanics.block import (
    INVERSE_MASS,
    JAC,
    LINK_TABLE,
    LINKS,
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

# The solver's own table.
SLOTS = 15
(
    ORDER,  # place of every unknown (velocities, then rows) in the elimination
    COLUMN_START,  # upper triangle of the permuted matrix, column by column, the diagonal last
    COLUMN_INDEX,
    VALUES,
    MASS_PLACE,  # where the diagonal of M goes in VALUES
    ROW_PLACE,  # where the diagonal of every row goes
    LINK_PLACE,  # where the three numbers of every link go
    PATTERN_START,  # non-zeros of every row of L, in the order they are needed
    PATTERN_INDEX,
    L_START,  # L column by column
    L_INDEX,
    L_VALUES,
    L_FILLED,
    INVERSE_PIVOT,
    SCRATCH,
) = range(SLOTS)

SMALLEST_PIVOT = 1e-14


@kernel(FACTOR)
def factor(block):
    solver = ints(block[SOLVER])
    n = block[VELOCITIES]
    m = block[ROWS]
    mass = floats(block[MASS])
    inverse_mass = floats(block[INVERSE_MASS])
    jac = floats(block[JAC])
    links = ints(block[LINK_TABLE])
    settings = floats(block[SETTINGS])
    regularisation = settings[REGULARISATION]
    values = floats(solver[VALUES])
    mass_place = ints(solver[MASS_PLACE])
    row_place = ints(solver[ROW_PLACE])
    link_place = ints(solver[LINK_PLACE])
    for i in range(n):
        values[mass_place[i]] = mass[i]
    for r in range(m):
        values[row_place[r]] = 0.0
    for k in range(block[LINKS]):
        p = links[3 * k + 1]
        for d in range(TRIPLE):
            values[link_place[TRIPLE * k + d]] = jac[p + d]
    if regularisation != 0.0:
        for k in range(block[LINKS]):
            p = links[3 * k + 1]
            c = links[3 * k + 2]
            total = 0.0
            for d in range(TRIPLE):
                total += jac[p + d] * jac[p + d] * inverse_mass[c + d]
            values[row_place[links[3 * k]]] -= regularisation * total
    start = ints(solver[COLUMN_START])
    index = ints(solver[COLUMN_INDEX])
    pattern_start = ints(solver[PATTERN_START])
    pattern = ints(solver[PATTERN_INDEX])
    l_start = ints(solver[L_START])
    l_index = ints(solver[L_INDEX])
    lower = floats(solver[L_VALUES])
    filled = ints(solver[L_FILLED])
    inverse = floats(solver[INVERSE_PIVOT])
    y = floats(solver[SCRATCH])
    weakest = 1.0
    for k in range(n + m):
        filled[k] = l_start[k]
        for p in range(start[k], start[k + 1]):
            y[index[p]] = values[p]
        pivot = y[k]
        size = abs(pivot)
        y[k] = 0.0
        for p in range(pattern_start[k], pattern_start[k + 1]):
            i = pattern[p]
            yi = y[i]
            y[i] = 0.0
            end = filled[i]
            for s in range(l_start[i], end):
                y[l_index[s]] -= lower[s] * yi
            entry = yi * inverse[i]
            pivot -= entry * yi
            size += abs(entry * yi)
            lower[end] = entry
            filled[i] = end + 1
        weakest = min(weakest, abs(pivot) / size)
        inverse[k] = 1.0 / pivot
    settings[WEAKEST] = weakest
    return OK if weakest > SMALLEST_PIVOT else SINGULAR


@kernel(SOLVE)
def solve(block):
    solver = ints(block[SOLVER])
    n = block[VELOCITIES]
    m = block[ROWS]
    order = ints(solver[ORDER])
    l_start = ints(solver[L_START])
    l_index = ints(solver[L_INDEX])
    lower = floats(solver[L_VALUES])
    inverse = floats(solver[INVERSE_PIVOT])
    x = floats(solver[SCRATCH])
    up = floats(block[RESIDUAL_TOP])
    down = floats(block[RESIDUAL_BOTTOM])
    for i in range(n):
        x[order[i]] = up[i]
    for r in range(m):
        x[order[n + r]] = down[r]
    for k in range(n + m):
        xk = x[k]
        for p in range(l_start[k], l_start[k + 1]):
            x[l_index[p]] -= lower[p] * xk
    for k in range(n + m - 1, -1, -1):
        total = x[k] * inverse[k]
        for p in range(l_start[k], l_start[k + 1]):
            total -= lower[p] * x[l_index[p]]
        x[k] = total
    for i in range(n):
        up[i] = x[order[i]]
    for r in range(m):
        down[r] = x[order[n + r]]
    for k in range(n + m):
        x[k] = 0.0  # `factor` expects a clean scratch
