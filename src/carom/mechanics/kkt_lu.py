"""LU with row pivoting of the whole dense saddle-point matrix.

For bodies without mass or with next to no inertia, and for steps that are implicit in the forces: their derivatives are
then subtracted from the mass matrix, which may be a full one.
Velocities are scaled by the masses and rows to unit length, so that units do not matter to the pivoting.
"""

from __future__ import annotations

import math

from carom.kernels import ADDRESS, FACTOR, SOLVE, floats, ints, jit, kernel, record
from carom.mechanics.model_record import JACOBIAN_BLOCK, MIN_PIVOT_RATIO, MODEL, OK, SETTINGS, SINGULAR, TRIPLE

SOLVER_DATA = record(
    matrix=ADDRESS,
    pivots=ADDRESS,
    workspace=ADDRESS,
    scale=ADDRESS,  # of the velocities, then of the rows
    full_mass=ADDRESS,  # 0 where M is diagonal
    stiffness=ADDRESS,  # subtracted from M; 0 without
)


@jit
def fill_matrix(model):
    """Store the scaled matrix, and the scales of its rows of constraints."""
    solver = SOLVER_DATA(model.solver)
    matrix = floats(solver.matrix)
    mass = floats(model.mass)
    Phi_q = floats(model.Phi_q)
    scale = floats(solver.scale)
    n = model.n_velocities
    size = n + model.n_constraints
    for i in range(size * size):
        matrix[i] = 0.0
    if solver.full_mass == 0:
        for i in range(n):
            matrix[i * size + i] = mass[i] * scale[i] * scale[i]
    else:
        full = floats(solver.full_mass)
        for i in range(n):
            for j in range(n):
                matrix[i * size + j] = full[i * n + j] * scale[i] * scale[j]
    if solver.stiffness != 0:
        stiffness = floats(solver.stiffness)
        for i in range(n):
            for j in range(n):
                matrix[i * size + j] -= stiffness[i * n + j] * scale[i] * scale[j]
    for r in range(n, size):
        scale[r] = 0.0
    for k in range(model.n_jacobian_blocks):
        block = JACOBIAN_BLOCK(model.jacobian_blocks, k)
        p = block.jacobian_offset
        c = block.velocity_index
        for d in range(TRIPLE):
            scale[n + block.row] += (Phi_q[p + d] * scale[c + d]) ** 2
    for r in range(n, size):
        scale[r] = 1.0 / math.sqrt(scale[r]) if scale[r] > 0.0 else 1.0
    for r in range(n, size):
        matrix[r * size + r] = -SETTINGS(model.settings).proximal
    for k in range(model.n_jacobian_blocks):
        block = JACOBIAN_BLOCK(model.jacobian_blocks, k)
        row = n + block.row
        p = block.jacobian_offset
        c = block.velocity_index
        for d in range(TRIPLE):
            value = Phi_q[p + d] * scale[c + d] * scale[row]
            matrix[row * size + c + d] = value
            matrix[(c + d) * size + row] = value


@kernel(FACTOR, MODEL)
def factorise(model):
    """Factorise the whole matrix by LU decomposition with partial pivoting; return a status."""
    solver = SOLVER_DATA(model.solver)
    matrix = floats(solver.matrix)
    pivots = ints(solver.pivots)
    size = model.n_velocities + model.n_constraints
    fill_matrix(model)
    min_ratio = 1.0
    largest = 0.0
    for k in range(size):
        best = k
        for i in range(k + 1, size):
            if abs(matrix[i * size + k]) > abs(matrix[best * size + k]):
                best = i
        pivots[k] = best
        if best != k:
            for j in range(size):
                matrix[k * size + j], matrix[best * size + j] = matrix[best * size + j], matrix[k * size + j]
        pivot = matrix[k * size + k]
        largest = max(largest, abs(pivot))
        min_ratio = min(min_ratio, abs(pivot) / largest)
        for i in range(k + 1, size):
            f = matrix[i * size + k] / pivot
            matrix[i * size + k] = f
            if f != 0.0:
                for j in range(k + 1, size):
                    matrix[i * size + j] -= f * matrix[k * size + j]
    SETTINGS(model.settings).min_pivot_ratio = min_ratio
    return OK if min_ratio > MIN_PIVOT_RATIO else SINGULAR


@kernel(SOLVE, MODEL)
def solve(model):
    """Replace the residuals by the corrections, with the LU factors."""
    solver = SOLVER_DATA(model.solver)
    matrix = floats(solver.matrix)
    pivots = ints(solver.pivots)
    x = floats(solver.workspace)
    scale = floats(solver.scale)
    residual_motion = floats(model.residual_motion)
    residual_constraint = floats(model.residual_constraint)
    n = model.n_velocities
    size = n + model.n_constraints
    for i in range(size):
        x[i] = scale[i] * (residual_motion[i] if i < n else residual_constraint[i - n])
    for k in range(size):
        x[k], x[pivots[k]] = x[pivots[k]], x[k]
    for k in range(size):
        for i in range(k + 1, size):
            x[i] -= matrix[i * size + k] * x[k]
    for k in range(size - 1, -1, -1):
        for j in range(k + 1, size):
            x[k] -= matrix[k * size + j] * x[j]
        x[k] /= matrix[k * size + k]
    for i in range(n):
        residual_motion[i] = scale[i] * x[i]
    for r in range(size - n):
        residual_constraint[r] = scale[n + r] * x[n + r]
