"""Lemke's method for the contact problem.

In the plane the problem is posed with saturations (`carom.solve.nonsmooth.saturations`), and a single contact is solved
by looking at its states. A path can end on a ray although there is a solution: then others are followed, with another
covering vector each, and with the problem posed the other way (`carom.solve.nonsmooth.polyhedral`). In space a polygon
stands for the disc of friction: where a contact slides, the impulses left behind are a good start for another solver.
"""

from __future__ import annotations

from carom.kernels import CONTACT_PROBLEM, floats, ints, jit, kernel, offset
from carom.solve.nonsmooth import polyhedral, saturations
from carom.solve.nonsmooth import problem as at
from carom.solve.nonsmooth.pivoting import follow, normalise, refine, solution
from carom.solve.nonsmooth.problem import LARGEST, LIMITED, RAY, SIDES, SOLVED
from carom.solve.nonsmooth.residual import residual
from carom.solve.nonsmooth.scaling import scale

PATHS = 8
"""Covering vectors that are tried for each way to pose the problem."""

REFINEMENTS = 3
PIVOTS = 50
"""Most exchanges on a path, for each unknown."""


@jit
def stays_open(problem):
    """Whether no contact closes and nothing rubs: P = 0 is a solution, and is set."""
    dim = problem[at.DIM]
    vector = floats(problem[at.VECTOR])
    p = floats(problem[at.OFFSET])
    impulse = floats(problem[at.IMPULSE])
    for i in range(problem[at.COUNT]):
        if not vector[i * dim] >= 0.0:
            return False
        if dim > 1:
            if p[i] != 0.0:
                return False
    for k in range(problem[at.COUNT] * dim):
        impulse[k] = 0.0
    return True


@jit
def one_contact(problem):
    """The states of one contact in the plane, open, sticking, sliding; whether one of them is a solution."""
    g = floats(problem[at.MATRIX])
    b = floats(problem[at.VECTOR])
    mu = floats(problem[at.FRICTION])[0]
    p = floats(problem[at.OFFSET])[0]
    impulse = floats(problem[at.IMPULSE])
    impulse[0] = 0.0
    impulse[1] = min(max(-b[1] / g[3], -mu * p), mu * p) if mu * p > 0.0 else 0.0
    if b[0] + g[1] * impulse[1] >= 0.0:
        return True
    det = g[0] * g[3] - g[1] * g[2]
    if det > 0.0:
        impulse[0] = (g[1] * b[1] - g[3] * b[0]) / det
        impulse[1] = (g[2] * b[0] - g[0] * b[1]) / det
        if impulse[0] >= 0.0:
            if abs(impulse[1]) <= mu * (impulse[0] + p):
                return True
    for k in range(2):
        slope = mu if k == 0 else -mu  # the impulse points to the left while the contact slides to the right
        effect = g[0] - slope * g[1]
        if effect > 0.0:
            impulse[0] = (slope * g[1] * p - b[0]) / effect
            impulse[1] = -slope * (impulse[0] + p)
            if impulse[0] >= 0.0:
                if (b[1] + g[2] * impulse[0] + g[3] * impulse[1]) * slope >= 0.0:
                    return True
    return False


@jit
def cover_with(n, path, cover):
    """Covering vectors: ones; then numbers scattered between 1/64 and 64, always the same."""
    seed = 12345 + 6789 * path
    for k in range(n):
        cover[k] = 1.0
        if path > 0:
            seed = (1103515245 * seed + 12345) % 2147483648
            cover[k] = 2.0 ** (12.0 * seed / 2147483648.0 - 6.0)


@jit
def paths(problem, sides):
    """Follow Lemke's paths, posed with saturations (``sides`` 0) or with a polygon; returns how the last ended."""
    count = problem[at.COUNT]
    size = count * problem[at.DIM]
    tolerance = floats(problem[at.NUMBERS])[at.TOLERANCE]
    starts = ints(problem[at.PLACES])
    n = saturations.places(problem, starts) if sides == 0 else polyhedral.places(problem, sides, starts)
    if n > LARGEST:
        return LIMITED
    basis = offset(starts, count + 1)
    column = offset(basis, n)
    where = offset(column, n + 1)
    left = floats(problem[at.WORK])
    right = offset(left, size)
    b = offset(right, size)
    x = offset(b, n)
    cover = offset(x, n)
    error = offset(cover, n)
    a = offset(error, n)
    tableau = offset(a, n * n)
    scale(problem, left, right)
    if sides == 0:
        saturations.build(problem, left, right, starts, n, a, b)
    else:
        polyhedral.build(problem, left, right, sides, starts, n, a, b)
    unit = normalise(n, b)
    limit = problem[at.LIMIT] if problem[at.LIMIT] > 0 else PIVOTS * n
    status = RAY
    for path in range(PATHS):
        cover_with(n, path, cover)
        status, taken = follow(n, a, b, cover, tableau, basis, column, where, limit)
        problem[at.ITERATIONS] += taken
        if status == SOLVED:
            for again in range(REFINEMENTS):
                if again == 0:
                    solution(n, tableau, where, x)
                else:
                    refine(n, a, b, tableau, basis, where, x, error)
                for k in range(n):
                    x[k] *= unit
                if sides == 0:
                    saturations.read(problem, right, starts, x)
                else:
                    polyhedral.read(problem, right, sides, starts, x)
                if residual(problem) <= tolerance:
                    return SOLVED
            if sides > 2:  # solved, but for a polygon
                return LIMITED
            status = RAY
    return status


@kernel(CONTACT_PROBLEM)
def lemke(problem):
    problem[at.ITERATIONS] = 0
    numbers = floats(problem[at.NUMBERS])
    numbers[at.RESIDUAL] = 0.0
    if stays_open(problem):
        return SOLVED
    if problem[at.DIM] == 2 and problem[at.COUNT] == 1:
        if one_contact(problem):
            if residual(problem) <= numbers[at.TOLERANCE]:
                return SOLVED
    dim = problem[at.DIM]
    status = paths(problem, dim // 3 * SIDES)
    if status != SOLVED and dim == 2:
        status = paths(problem, dim)  # a polygon in the plane has two sides
    if status != SOLVED:
        residual(problem)
    return status
