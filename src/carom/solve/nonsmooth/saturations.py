"""The contact problem in the plane as a linear complementarity problem y = A x + b, 0 ≤ x ⊥ y ≥ 0.

Friction is written with its saturations P_R = μ (P_N + p) + P_T and P_L = μ (P_N + p) − P_T and with ξ_T = ξ_R − ξ_L:
x = (P_N, P_R, ξ_L) and y = (ξ_N, ξ_R, P_L), three of each for a contact. One without friction has P_N and ξ_N alone.

Reference: P. Flores, R. Leine, C. Glocker, Multibody System Dynamics 23 (2010) 165–190, eqs (71)–(85); P_T has the sign
of eq. (68). In the scaled units of `carom.solve.nonsmooth.scaling`.
"""

from __future__ import annotations

from carom.kernels import floats, jit
from carom.solve.nonsmooth import problem as at

ROWS = 3
"""Unknowns of a contact with friction."""


@jit
def places(problem, starts):
    """Where each contact begins in x; returns the number of unknowns."""
    mu = floats(problem[at.FRICTION])
    n = 0
    for i in range(problem[at.COUNT]):
        starts[i] = n
        n += 1
        if problem[at.DIM] == 2:
            if mu[i] > 0.0:
                n += ROWS - 1
    starts[problem[at.COUNT]] = n
    return n


@jit
def build(problem, left, right, starts, n, a, b):
    """A, row by row, and b of the LCP of ``n`` unknowns: eq. (85)."""
    count = problem[at.COUNT]
    dim = problem[at.DIM]
    size = count * dim
    matrix = floats(problem[at.MATRIX])
    vector = floats(problem[at.VECTOR])
    mu = floats(problem[at.FRICTION])
    p = floats(problem[at.OFFSET])
    for k in range(n * n):
        a[k] = 0.0
    for i in range(count):
        row = starts[i]
        for d in range(min(starts[i + 1] - row, 2)):  # ξ_N, and ξ_R
            line = i * dim + d
            total = vector[line]
            entry = row * n
            for j in range(count):
                column = starts[j]
                g = line * size + j * dim
                value = matrix[g] * right[j * dim]
                if starts[j + 1] - column == ROWS:
                    a[entry + column + 1] = left[line] * matrix[g + 1] * right[j * dim + 1]
                    value -= mu[j] * matrix[g + 1] * right[j * dim]
                    total -= mu[j] * matrix[g + 1] * p[j]
                a[entry + column] = left[line] * value
            b[row] = left[line] * total
            row += 1
        if starts[i + 1] - starts[i] == ROWS:
            ratio = right[i * dim] / right[i * dim + 1]
            a[(row - 1) * n + row] = 1.0
            a[row * n + row - 2] = 2.0 * mu[i] * ratio
            a[row * n + row - 1] = -1.0
            b[row] = 2.0 * mu[i] * p[i] / right[i * dim + 1]


@jit
def read(problem, right, starts, x):
    """The impulses of a solution x."""
    dim = problem[at.DIM]
    mu = floats(problem[at.FRICTION])
    p = floats(problem[at.OFFSET])
    impulse = floats(problem[at.IMPULSE])
    for i in range(problem[at.COUNT]):
        row = starts[i]
        k = i * dim
        impulse[k] = right[k] * max(x[row], 0.0)
        for d in range(1, dim):
            impulse[k + d] = 0.0
        if starts[i + 1] - row == ROWS:
            radius = mu[i] * (impulse[k] + p[i])
            impulse[k + 1] = min(max(right[k + 1] * x[row + 1] - radius, -radius), radius)
