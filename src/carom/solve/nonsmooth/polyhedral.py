"""The contact problem as an LCP with a polygon in place of the disc of friction; exact in the plane.

P_T = Σ β_k d_k over the directions d_k of the corners, Σ β_k ≤ μ (P_N + p), and λ, the sliding speed: x = (P_N, β, λ),
y = (ξ_N, d_k·ξ_T + λ, μ (P_N + p) − Σ β_k). Its matrix is copositive when G is positive semi-definite, so that Lemke's
method finds a solution wherever impulses that cancel each other do no work on b.

Reference: D. Stewart, J. Trinkle, Int. J. Numer. Methods Eng. 39 (1996) 2673–2691; M. Anitescu, F. Potra, Nonlinear
Dynamics 14 (1997) 231–247. In the scaled units of `carom.solve.nonsmooth.scaling`.
"""

from __future__ import annotations

import math

from carom.kernels import floats, jit
from carom.solve.nonsmooth import problem as at


@jit
def places(problem, sides, starts):
    """Where each contact begins in x; returns the number of unknowns."""
    mu = floats(problem[at.FRICTION])
    n = 0
    for i in range(problem[at.COUNT]):
        starts[i] = n
        n += 2 + sides if mu[i] > 0.0 else 1
    starts[problem[at.COUNT]] = n
    return n


@jit
def part(sides, k, d):
    """Component d = 1, 2 of the direction d_k; ±1 in the plane."""
    turn = 2.0 * math.pi * k / sides
    if sides == 2:
        return 1.0 - 2.0 * k
    return math.cos(turn) if d == 1 else math.sin(turn)


@jit
def build(problem, left, right, sides, starts, n, a, b):
    """A, row by row, and b of the LCP of ``n`` unknowns."""
    count = problem[at.COUNT]
    dim = problem[at.DIM]
    size = count * dim
    matrix = floats(problem[at.MATRIX])
    vector = floats(problem[at.VECTOR])
    mu = floats(problem[at.FRICTION])
    p = floats(problem[at.OFFSET])
    for k in range(n * n):
        a[k] = 0.0
    for k in range(n):
        b[k] = 0.0
    for i in range(count):
        for d in range(dim):
            line = i * dim + d
            # A row of ξ is part of one row of y (the normal) or of all those with a direction (a tangent).
            first = starts[i] if d == 0 else starts[i] + 1
            last = first + 1 if d == 0 else starts[i + 1] - 1
            for row in range(first, last):
                own = 1.0 if d == 0 else part(sides, row - first, d)
                b[row] += own * left[line] * vector[line]
                for j in range(count):
                    column = starts[j]
                    g = line * size + j * dim
                    a[row * n + column] += own * left[line] * matrix[g] * right[j * dim]
                    for k in range(starts[j + 1] - column - 2):
                        for e in range(1, dim):
                            other = matrix[g + e] * right[j * dim + e] * part(sides, k, e)
                            a[row * n + column + 1 + k] += own * left[line] * other
        if starts[i + 1] - starts[i] > 1:
            end = starts[i + 1] - 1
            a[end * n + starts[i]] = mu[i] * right[i * dim] / right[i * dim + 1]
            b[end] = mu[i] * p[i] / right[i * dim + 1]
            for k in range(starts[i] + 1, end):
                a[end * n + k] = -1.0
                a[k * n + end] = 1.0


@jit
def read(problem, right, sides, starts, x):
    """The impulses of a solution x."""
    dim = problem[at.DIM]
    impulse = floats(problem[at.IMPULSE])
    for i in range(problem[at.COUNT]):
        row = starts[i]
        k = i * dim
        impulse[k] = right[k] * max(x[row], 0.0)
        for d in range(1, dim):
            total = 0.0
            for c in range(starts[i + 1] - row - 2):
                total += max(x[row + 1 + c], 0.0) * part(sides, c, d)
            impulse[k + d] = right[k + d] * total
