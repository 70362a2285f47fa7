"""LU with row pivoting of the whole dense saddle-point matrix.

For bodies without mass or with next to no inertia, and for steps that are implicit in the forces: their derivatives are
then subtracted from the mass matrix, which may be a full one.
Velocities are scaled by the masses and rows to unit length, so that units do not matter to the pivoting.
"""

from __future__ import annotations

import math

from carom.kernels import FACTOR, SOLVE, floats, ints, kernel
from carom.mechanics.block import (
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
SLOTS = 6
MATRIX, PIVOTS, SCRATCH, SCALE, FULL_MASS, STIFFNESS = range(SLOTS)  # the last two: 0 where there is none

SMALLEST_PIVOT = 1e-14


@kernel(FACTOR)
def factor(block):
    solver = ints(block[SOLVER])
    matrix = floats(solver[MATRIX])
    pivots = ints(solver[PIVOTS])
    mass = floats(block[MASS])
    jac = floats(block[JAC])
    links = ints(block[LINK_TABLE])
    settings = floats(block[SETTINGS])
    scale = floats(solver[SCALE])
    n = block[VELOCITIES]
    size = n + block[ROWS]
    for i in range(size * size):
        matrix[i] = 0.0
    if solver[FULL_MASS] == 0:
        for i in range(n):
            matrix[i * size + i] = mass[i] * scale[i] * scale[i]
    else:
        full = floats(solver[FULL_MASS])
        for i in range(n):
            for j in range(n):
                matrix[i * size + j] = full[i * n + j] * scale[i] * scale[j]
    if solver[STIFFNESS] != 0:
        stiffness = floats(solver[STIFFNESS])
        for i in range(n):
            for j in range(n):
                matrix[i * size + j] -= stiffness[i * n + j] * scale[i] * scale[j]
    for r in range(n, size):
        scale[r] = 0.0
    for k in range(block[LINKS]):
        p = links[3 * k + 1]
        c = links[3 * k + 2]
        for d in range(TRIPLE):
            scale[n + links[3 * k]] += (jac[p + d] * scale[c + d]) ** 2
    for r in range(n, size):
        scale[r] = 1.0 / math.sqrt(scale[r]) if scale[r] > 0.0 else 1.0
    for r in range(n, size):
        matrix[r * size + r] = -settings[REGULARISATION]
    for k in range(block[LINKS]):
        row = n + links[3 * k]
        p = links[3 * k + 1]
        c = links[3 * k + 2]
        for d in range(TRIPLE):
            value = jac[p + d] * scale[c + d] * scale[row]
            matrix[row * size + c + d] = value
            matrix[(c + d) * size + row] = value
    weakest = 1.0
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
        weakest = min(weakest, abs(pivot) / largest)
        for i in range(k + 1, size):
            f = matrix[i * size + k] / pivot
            matrix[i * size + k] = f
            if f != 0.0:
                for j in range(k + 1, size):
                    matrix[i * size + j] -= f * matrix[k * size + j]
    settings[WEAKEST] = weakest
    return OK if weakest > SMALLEST_PIVOT else SINGULAR


@kernel(SOLVE)
def solve(block):
    solver = ints(block[SOLVER])
    matrix = floats(solver[MATRIX])
    pivots = ints(solver[PIVOTS])
    x = floats(solver[SCRATCH])
    scale = floats(solver[SCALE])
    up = floats(block[RESIDUAL_TOP])
    down = floats(block[RESIDUAL_BOTTOM])
    n = block[VELOCITIES]
    size = n + block[ROWS]
    for i in range(size):
        x[i] = scale[i] * (up[i] if i < n else down[i - n])
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
        up[i] = scale[i] * x[i]
    for r in range(size - n):
        down[r] = scale[n + r] * x[n + r]
