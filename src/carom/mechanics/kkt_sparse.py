"""Large systems: LDLᵀ of the permuted saddle-point matrix, its pattern fixed once, without pivoting.

Every body comes before the rows that hold it (see `carom.compiled_model.sparsity_pattern`), so every pivot exists as
long as the rows are independent. Up-looking factorisation: row k of L is computed from the rows before it.
"""

from __future__ import annotations

from carom.kernels import ADDRESS, FACTOR, SOLVE, floats, ints, jit, kernel, record
from carom.mechanics.model_record import JACOBIAN_BLOCK, MIN_PIVOT_RATIO, MODEL, OK, SETTINGS, SINGULAR, TRIPLE

SOLVER_DATA = record(
    position=ADDRESS,  # of every unknown (velocities, then rows) in the elimination order
    column_start=ADDRESS,  # upper triangle of the permuted matrix, column by column, the diagonal last
    column_index=ADDRESS,
    values=ADDRESS,
    mass_index=ADDRESS,  # of the diagonal of M in `values`
    row_index=ADDRESS,  # of the diagonal of every row
    jacobian_index=ADDRESS,  # of the three numbers of every Jacobian block
    pattern_start=ADDRESS,  # non-zeros of every row of L, in the order they are needed
    pattern_index=ADDRESS,
    l_start=ADDRESS,  # L column by column
    l_index=ADDRESS,
    l_values=ADDRESS,
    l_end=ADDRESS,
    inverse_pivot=ADDRESS,
    workspace=ADDRESS,
)


@jit
def fill_matrix(model):
    """Store M, Φ_q and the proximal term in the values of the permuted matrix."""
    solver = SOLVER_DATA(model.solver)
    mass = floats(model.mass)
    inverse_mass = floats(model.inverse_mass)
    Phi_q = floats(model.Phi_q)
    proximal = SETTINGS(model.settings).proximal
    values = floats(solver.values)
    mass_index = ints(solver.mass_index)
    row_index = ints(solver.row_index)
    jacobian_index = ints(solver.jacobian_index)
    for i in range(model.n_velocities):
        values[mass_index[i]] = mass[i]
    for r in range(model.n_constraints):
        values[row_index[r]] = 0.0
    for k in range(model.n_jacobian_blocks):
        p = JACOBIAN_BLOCK(model.jacobian_blocks, k).jacobian_offset
        for d in range(TRIPLE):
            values[jacobian_index[TRIPLE * k + d]] = Phi_q[p + d]
    if proximal != 0.0:
        for k in range(model.n_jacobian_blocks):
            block = JACOBIAN_BLOCK(model.jacobian_blocks, k)
            p = block.jacobian_offset
            c = block.velocity_index
            total = 0.0
            for d in range(TRIPLE):
                total += Phi_q[p + d] * Phi_q[p + d] * inverse_mass[c + d]
            values[row_index[block.row]] -= proximal * total


@kernel(FACTOR, MODEL)
def factorise(model):
    """Factorise the sparse matrix along its pattern; return a status."""
    solver = SOLVER_DATA(model.solver)
    fill_matrix(model)
    values = floats(solver.values)
    start = ints(solver.column_start)
    index = ints(solver.column_index)
    pattern_start = ints(solver.pattern_start)
    pattern = ints(solver.pattern_index)
    l_start = ints(solver.l_start)
    l_index = ints(solver.l_index)
    lower = floats(solver.l_values)
    filled = ints(solver.l_end)
    inverse = floats(solver.inverse_pivot)
    y = floats(solver.workspace)
    min_ratio = 1.0
    for k in range(model.n_velocities + model.n_constraints):
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
        min_ratio = min(min_ratio, abs(pivot) / size)
        inverse[k] = 1.0 / pivot
    SETTINGS(model.settings).min_pivot_ratio = min_ratio
    return OK if min_ratio > MIN_PIVOT_RATIO else SINGULAR


@kernel(SOLVE, MODEL)
def solve(model):
    """Replace the residuals by the corrections, with the sparse factors."""
    solver = SOLVER_DATA(model.solver)
    n = model.n_velocities
    m = model.n_constraints
    position = ints(solver.position)
    l_start = ints(solver.l_start)
    l_index = ints(solver.l_index)
    lower = floats(solver.l_values)
    inverse = floats(solver.inverse_pivot)
    x = floats(solver.workspace)
    residual_motion = floats(model.residual_motion)
    residual_constraint = floats(model.residual_constraint)
    for i in range(n):
        x[position[i]] = residual_motion[i]
    for r in range(m):
        x[position[n + r]] = residual_constraint[r]
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
        residual_motion[i] = x[position[i]]
    for r in range(m):
        residual_constraint[r] = x[position[n + r]]
    for k in range(n + m):
        x[k] = 0.0  # `factorise` expects a workspace of zeros.
