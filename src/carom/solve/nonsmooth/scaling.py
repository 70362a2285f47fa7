"""Units in which a contact problem has numbers near one: ξ' = left ξ, P = right P', G' = left G right.

With left = right = 1/√G_ii the Delassus matrix gets a diagonal of ones, whatever the masses. A general matrix is scaled
by its largest numbers, rows first.
"""

from __future__ import annotations

import math

from carom.kernels import floats, jit
from carom.solve.nonsmooth import problem as at
from carom.solve.nonsmooth.residual import response


@jit
def scale(problem, left, right):
    dim = problem[at.DIM]
    size = problem[at.COUNT] * dim
    matrix = floats(problem[at.MATRIX])
    if dim > 1:
        for k in range(size):
            left[k] = 1.0 / math.sqrt(response(matrix, size, dim, k))
            right[k] = left[k]
        return
    for k in range(size):
        left[k] = 1.0 / response(matrix, size, dim, k)
    for j in range(size):
        largest = 0.0
        for k in range(size):
            largest = max(largest, abs(left[k] * matrix[k * size + j]))
        right[j] = 1.0 / largest if largest > 0.0 else 1.0
