"""The augmented Lagrangian of Alart and Curnier: Newton's method on the proximal equations of the contact problem.

    P_N = prox_{≥0}(P_N − r ξ_N),   P_T = prox_{disc}(P_T − r ξ_T),   disc of radius μ (prox_{≥0}(P_N − r ξ_N) + p)

with r = 1/G_ii. These are piecewise smooth, and a Newton step takes the piece at hand. A step is shortened until the
equations are better fulfilled; where that fails, sweeps of projected Gauss–Seidel lead to another piece, or a new start
does. Redundant contacts make the matrix singular: equations that follow from others are left out, and as many impulses
are kept as they are.

Reference: P. Alart, A. Curnier, Comput. Methods Appl. Mech. Eng. 92 (1991) 353–375.
"""

from __future__ import annotations

import math

from carom.kernels import CONTACT_PROBLEM, floats, ints, jit, kernel, offset
from carom.solve.nonsmooth import problem as at
from carom.solve.nonsmooth.gauss_seidel import heal, row_velocity, sweep
from carom.solve.nonsmooth.problem import LIMITED, SOLVED
from carom.solve.nonsmooth.residual import residual
from carom.solve.nonsmooth.scaling import scale

STEPS = 300
HALVINGS = 8
SWEEPS = 10
MOST_SWEEPS = 500
"""Sweeps after the first step that cannot be made, half as many more each time; and the most of them."""
LEAST_SHARE = 0.1
STALLS = 8
"""After so many of these, another start is tried."""

SMALLEST_PIVOT = 1e-12


@jit
def scaled_row(problem, left, right, row, out):
    """A row of G in scaled units."""
    size = problem[at.COUNT] * problem[at.DIM]
    matrix = floats(problem[at.MATRIX])
    for j in range(size):
        out[j] = left[row] * matrix[row * size + j] * right[j]


@jit
def equations(problem, left, right, f, jac, derive):
    """f, what the equations lack in scaled units, and their derivative if wanted; returns |f|²."""
    dim = problem[at.DIM]
    size = problem[at.COUNT] * dim
    matrix = floats(problem[at.MATRIX])
    vector = floats(problem[at.VECTOR])
    impulse = floats(problem[at.IMPULSE])
    mu = floats(problem[at.FRICTION])
    p = floats(problem[at.OFFSET])
    for k in range(size):
        f[k] = left[k] * row_velocity(matrix, vector, impulse, size, k)
        if derive:
            scaled_row(problem, left, right, k, offset(jac, k * size))
    for i in range(problem[at.COUNT]):
        n = i * dim
        normal = offset(jac, n * size)
        aim = impulse[n] / right[n] - f[n]
        slope = 0.0
        radius = 0.0
        if dim > 1:
            slope = mu[i] * right[n] / right[n + 1]
            radius = slope * (max(aim, 0.0) + p[i] / right[n])
            slide(problem, right, f, jac, n + 1, radius, slope if aim > 0.0 else 0.0, derive)
        if not aim > 0.0:
            f[n] = impulse[n] / right[n]
            if derive:
                for j in range(size):
                    normal[j] = 0.0
                normal[n] = 1.0
    total = 0.0
    for k in range(size):
        total += f[k] * f[k]
    return total


@jit
def slide(problem, right, f, jac, t, radius, slope, derive):
    """The equations of tangents from row t on, if the impulse would leave the disc: P_T = radius · direction."""
    dim = problem[at.DIM]
    size = problem[at.COUNT] * dim
    impulse = floats(problem[at.IMPULSE])
    normal = offset(jac, (t - 1) * size)
    first = offset(jac, t * size)
    own = impulse[t] / right[t]
    aim = own - f[t]
    if dim == 2:
        if radius > 0.0 and abs(aim) <= radius:
            return
        toward = math.copysign(1.0, aim)
        f[t] = own - radius * toward
        if derive:
            for j in range(size):
                first[j] = toward * slope * normal[j]
            first[t - 1] -= toward * slope
            first[t] += 1.0
        return
    second = offset(first, size)
    side = impulse[t + 1] / right[t + 1]
    other = side - f[t + 1]
    length = math.hypot(aim, other)
    if radius > 0.0 and length <= radius:
        return
    along = aim / length if length > 0.0 else 1.0
    across = other / length if length > 0.0 else 0.0
    share = radius / length if length > 0.0 else 0.0
    f[t] = own - radius * along
    f[t + 1] = side - radius * across
    if derive:
        for j in range(size):
            growth = -slope * normal[j]  # of the radius
            if j == t - 1:
                growth += slope
            # The direction turns with that part of P_T − ξ_T which is at right angles to it.
            turn = across * first[j] - along * second[j]
            if j == t:
                turn -= across
            if j == t + 1:
                turn += along
            first[j] = share * across * turn - along * growth
            second[j] = -share * along * turn - across * growth
        first[t] += 1.0
        second[t + 1] += 1.0


@jit
def eliminate(size, matrix, vector, order):
    """matrix · x = −vector by elimination with full pivoting, x in ``vector``; dependent equations are left out."""
    for k in range(size):
        order[k] = k
        vector[k] = -vector[k]
    rank = size
    largest = 0.0
    for k in range(size):
        most = -1.0
        r = k
        c = k
        for i in range(k, size):
            for j in range(k, size):
                if abs(matrix[i * size + j]) > most:
                    most = abs(matrix[i * size + j])
                    r = i
                    c = j
        largest = max(largest, most)
        if not most > SMALLEST_PIVOT * largest:
            rank = k
            break
        if r != k:
            vector[k], vector[r] = vector[r], vector[k]
            for j in range(size):
                matrix[k * size + j], matrix[r * size + j] = matrix[r * size + j], matrix[k * size + j]
        if c != k:
            order[k], order[c] = order[c], order[k]
            for i in range(size):
                matrix[i * size + k], matrix[i * size + c] = matrix[i * size + c], matrix[i * size + k]
        for i in range(k + 1, size):
            factor = matrix[i * size + k] / matrix[k * size + k]
            if factor != 0.0:
                vector[i] -= factor * vector[k]
                for j in range(k + 1, size):
                    matrix[i * size + j] -= factor * matrix[k * size + j]
    for k in range(rank, size):
        vector[k] = 0.0
    for k in range(rank - 1, -1, -1):
        for j in range(k + 1, rank):
            vector[k] -= matrix[k * size + j] * vector[j]
        vector[k] /= matrix[k * size + k]
    # Unknowns back in their order; the first row of the matrix is free now.
    for k in range(size):
        matrix[order[k]] = vector[k]
    for k in range(size):
        vector[k] = matrix[k]


@jit
def advance(problem, left, right, f, step, old, jac, merit):
    """Along the Newton step, shortened until |f|² has become less; whether that went well."""
    size = problem[at.COUNT] * problem[at.DIM]
    impulse = floats(problem[at.IMPULSE])
    for k in range(size):
        old[k] = impulse[k]
    length = 1.0
    for _ in range(HALVINGS):
        for k in range(size):
            impulse[k] = old[k] + length * right[k] * step[k]
        if equations(problem, left, right, f, jac, False) < (1.0 - 0.01 * length) * merit:
            return True
        length *= 0.5
    for k in range(size):
        impulse[k] = old[k]
    return False


@jit
def scatter(problem, left, right, turn):
    """A new start; the same in every run."""
    size = problem[at.COUNT] * problem[at.DIM]
    vector = floats(problem[at.VECTOR])
    impulse = floats(problem[at.IMPULSE])
    largest = 0.0
    for k in range(size):
        largest = max(largest, abs(left[k] * vector[k]))
    seed = 54321 + 9876 * turn
    for k in range(size):
        seed = (1103515245 * seed + 12345) % 2147483648
        impulse[k] = right[k] * largest * max(4.0 * seed / 2147483648.0 - 2.0, 0.0)


@kernel(CONTACT_PROBLEM)
def alart_curnier(problem):
    size = problem[at.COUNT] * problem[at.DIM]
    tolerance = floats(problem[at.NUMBERS])[at.TOLERANCE]
    limit = problem[at.LIMIT] if problem[at.LIMIT] > 0 else STEPS
    left = floats(problem[at.WORK])
    right = offset(left, size)
    f = offset(right, size)
    step = offset(f, size)
    old = offset(step, size)
    jac = offset(old, size)
    order = ints(problem[at.PLACES])
    heal(problem)
    scale(problem, left, right)
    stalls = 0
    share = 1.0
    sweeps = SWEEPS
    for k in range(limit):
        problem[at.ITERATIONS] = k
        if residual(problem) <= tolerance:
            return SOLVED
        merit = equations(problem, left, right, step, jac, True)
        eliminate(size, jac, step, order)
        if not advance(problem, left, right, f, step, old, jac, merit):
            stalls += 1
            if stalls % STALLS == 0:
                scatter(problem, left, right, k)
            for _ in range(sweeps):
                if not sweep(problem, share):
                    scatter(problem, left, right, k)
                    break
            share = 0.5 * share if share > LEAST_SHARE else 1.0
            sweeps = min(sweeps + sweeps // 2, MOST_SWEEPS)
    problem[at.ITERATIONS] = limit
    return SOLVED if residual(problem) <= tolerance else LIMITED
