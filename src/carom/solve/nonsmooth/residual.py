"""How far impulses are from solving a contact problem: the natural map, in units of velocity."""

from __future__ import annotations

import math

from carom.kernels import floats, jit, offset
from carom.solve.nonsmooth import problem as at

ROUNDING = 1e-15
"""What a sum may be wrong by, relative to the sum of its absolute terms."""


@jit
def velocity(problem, row):
    """ξ = G P + b of one row, and how much of it may be rounding: of the terms, of P_T as part of μ (P_N + p) ± P_T."""
    count = problem[at.COUNT]
    dim = problem[at.DIM]
    size = count * dim
    line = offset(floats(problem[at.MATRIX]), row * size)
    impulse = floats(problem[at.IMPULSE])
    total = floats(problem[at.VECTOR])[row]
    terms = 0.0
    for j in range(size):
        term = line[j] * impulse[j]
        total += term
        terms += abs(term)
    if dim > 1:
        mu = floats(problem[at.FRICTION])
        p = floats(problem[at.OFFSET])
        for i in range(count):
            terms += abs(line[i * dim + 1]) * mu[i] * (abs(impulse[i * dim]) + p[i])
    return total, ROUNDING * terms


@jit
def response(matrix, size, dim, row):
    """g [1/kg], the change of velocity with the impulse: the diagonal of G, or the row of a general matrix."""
    g = 0.0
    if dim == 1:
        for j in range(size):
            g = max(g, abs(matrix[row * size + j]))
    elif row % dim == 0:
        g = matrix[row * size + row]
    else:
        first = row - row % dim + 1
        for k in range(first, first + dim - 1):  # the same for both tangents: the disc stays a disc
            g = max(g, matrix[k * size + k])
    return g if g > 0.0 else 1.0


@jit
def violation(problem, i):
    """Of contact i: |min(ξ_N, g P_N)|, or |g (P_T − prox(P_T − ξ_T/g))|, prox to the disc μ (P_N + p); the larger."""
    dim = problem[at.DIM]
    size = problem[at.COUNT] * dim
    matrix = floats(problem[at.MATRIX])
    impulse = floats(problem[at.IMPULSE])
    n = i * dim
    xi, noise = velocity(problem, n)
    worst = max(abs(min(xi, response(matrix, size, dim, n) * impulse[n])) - noise, 0.0)
    if dim == 1:
        return worst
    radius = floats(problem[at.FRICTION])[i] * max(impulse[n] + floats(problem[at.OFFSET])[i], 0.0)
    t = n + 1
    g = response(matrix, size, dim, t)
    u, noise = velocity(problem, t)
    if dim == 2:
        aim = impulse[t] - u / g
        return max(worst, g * abs(impulse[t] - min(max(aim, -radius), radius)) - noise)
    w, more = velocity(problem, t + 1)
    aim = impulse[t] - u / g
    other = impulse[t + 1] - w / g
    length = math.hypot(aim, other)
    shrink = radius / length if length > radius else 1.0
    return max(worst, g * math.hypot(impulse[t] - shrink * aim, impulse[t + 1] - shrink * other) - noise - more)


@jit
def residual(problem):
    """The largest violation, relative to the largest number in b; left in NUMBERS too. Infinite if P is no number."""
    vector = floats(problem[at.VECTOR])
    impulse = floats(problem[at.IMPULSE])
    size = problem[at.COUNT] * problem[at.DIM]
    scale = 0.0
    worst = 0.0
    for k in range(size):
        scale = max(scale, abs(vector[k]))
        if not math.isfinite(impulse[k]):
            worst = math.inf
    for i in range(problem[at.COUNT]):
        value = violation(problem, i)
        if not value <= worst:
            worst = value if value > worst else math.inf
    if scale > 0.0:
        worst /= scale
    floats(problem[at.NUMBERS])[at.RESIDUAL] = worst
    return worst
