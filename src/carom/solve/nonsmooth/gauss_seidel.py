"""Projected Gauss–Seidel: contact by contact, each is solved with the others held as they are.

    P_N ← prox_{≥0}(P_N − ξ_N/G_NN),   P_T ← prox_{disc μ (P_N + p)}(P_T − ξ_T/g)

with the newest impulses in ξ. Converges for positive semi-definite G, slowly where contacts are many or redundant.

Reference: C. Cryer, SIAM J. Control 9 (1971) 385–392; M. Jean, J.-J. Moreau, Contact Mechanics Int. Symp., 1992.
"""

from __future__ import annotations

import math

from carom.kernels import CONTACT_PROBLEM, floats, jit, kernel
from carom.solve.nonsmooth import problem as at
from carom.solve.nonsmooth.problem import LIMITED, RAY, SOLVED
from carom.solve.nonsmooth.residual import residual

SWEEPS = 20000
LOOK = 8
"""Sweeps between two looks at the residual."""
PATIENCE = 25 * LOOK
"""Sweeps that have to halve the residual; else the changes are made smaller by half,"""
LEAST_SHARE = 1.0 / 32.0
"""but not smaller than this."""


@jit
def row_velocity(matrix, vector, impulse, size, row):
    """ξ of one row."""
    total = vector[row]
    for j in range(size):
        total += matrix[row * size + j] * impulse[j]
    return total


@jit
def widest(a, b, c):
    """The larger eigenvalue of [a b; b c]."""
    return 0.5 * (a + c) + math.hypot(0.5 * (a - c), b)


@jit
def sweep(problem, share):
    """Once over all contacts, ``share`` of every change; False where a normal does not respond to its own impulse."""
    dim = problem[at.DIM]
    size = problem[at.COUNT] * dim
    matrix = floats(problem[at.MATRIX])
    vector = floats(problem[at.VECTOR])
    mu = floats(problem[at.FRICTION])
    p = floats(problem[at.OFFSET])
    impulse = floats(problem[at.IMPULSE])
    for i in range(problem[at.COUNT]):
        n = i * dim
        g = matrix[n * size + n]
        xi = row_velocity(matrix, vector, impulse, size, n)
        if g > 0.0:
            impulse[n] = max(impulse[n] - share * xi / g, 0.0)
        elif xi < 0.0 or g < 0.0:
            return False
        elif xi > 0.0:
            impulse[n] = 0.0
        if dim == 1:
            continue
        radius = mu[i] * (impulse[n] + p[i])
        t = n + 1
        if dim == 2:
            g = matrix[t * size + t]
            aim = impulse[t]
            if g > 0.0:
                aim -= share * row_velocity(matrix, vector, impulse, size, t) / g
            impulse[t] = min(max(aim, -radius), radius)
            continue
        g = widest(matrix[t * size + t], matrix[t * size + t + 1], matrix[(t + 1) * size + t + 1])
        aim = impulse[t]
        other = impulse[t + 1]
        if g > 0.0:
            aim -= share * row_velocity(matrix, vector, impulse, size, t) / g
            other -= share * row_velocity(matrix, vector, impulse, size, t + 1) / g
        length = math.hypot(aim, other)
        shrink = radius / length if length > radius else 1.0
        impulse[t] = shrink * aim
        impulse[t + 1] = shrink * other
    return True


@jit
def heal(problem):
    """A guess that is no number becomes zero."""
    impulse = floats(problem[at.IMPULSE])
    for k in range(problem[at.COUNT] * problem[at.DIM]):
        if not math.isfinite(impulse[k]):
            impulse[k] = 0.0


@kernel(CONTACT_PROBLEM)
def gauss_seidel(problem):
    tolerance = floats(problem[at.NUMBERS])[at.TOLERANCE]
    limit = problem[at.LIMIT] if problem[at.LIMIT] > 0 else SWEEPS
    heal(problem)
    share = 1.0
    before = math.inf
    for k in range(limit):
        problem[at.ITERATIONS] = k
        if k % LOOK == 0:
            left = residual(problem)
            if left <= tolerance:
                return SOLVED
            if left == math.inf:
                return RAY
            if k % PATIENCE == 0:
                share = max(0.5 * share, LEAST_SHARE) if left > 0.5 * before else 1.0
                before = left
        if not sweep(problem, share):
            residual(problem)
            return RAY
    problem[at.ITERATIONS] = limit
    return SOLVED if residual(problem) <= tolerance else LIMITED
