"""Every complementary basis is looked at: a solution is found if there is one; if there is none, that is proved.

For small problems: a normal doubles the number of bases, a contact with friction multiplies it by five (open and
sliding either way, sticking, sliding either way; by six with an impulse p beforehand). In space, without friction only.

A basis is a set of indices, with x in it and y outside of it positive or zero and the others zero. It is brought about
by exchanging x for y. Where contacts are redundant that may not be possible to the end: the variables left over are
then free, and the rule of least indices leads to values for which all others are positive or zero, if there are any.

Reference: K. Murty, Linear Complementarity, Linear and Nonlinear Programming, 1988, section 1.3; R. Bland, Math. of
Operations Research 2 (1977) 103–107.
"""

from __future__ import annotations

from carom.kernels import CONTACT_PROBLEM, floats, ints, jit, kernel, offset
from carom.solve.nonsmooth import problem as at
from carom.solve.nonsmooth import saturations
from carom.solve.nonsmooth.pivoting import begin, exchange, normalise, refine
from carom.solve.nonsmooth.problem import LIMITED, NONE, RAY, SOLVED
from carom.solve.nonsmooth.residual import residual
from carom.solve.nonsmooth.scaling import scale

MOST = 70000
"""Bases that are looked at in one call."""

SMALLEST = 1e-11
"""A pivot that counts as zero; numbers of the scaled matrix are near one."""

NEGATIVE = -1e-9
"""A variable that is negative beyond doubt; the residual decides about the others."""

EXCHANGES = 50
"""Most exchanges, for each unknown, to make dependent variables positive."""


@jit
def states(problem, starts, i):
    """How many states contact i has."""
    if starts[i + 1] - starts[i] == 1:
        return 2
    return 6 if floats(problem[at.OFFSET])[i] > 0.0 else 5


@jit
def choose(problem, starts, number, positive):
    """Mark which x are in basis ``number``: the digits are the states of the contacts."""
    for i in range(problem[at.COUNT]):
        k = starts[i]
        base = states(problem, starts, i)
        digit = number % base
        number //= base
        if base == 2:
            positive[k] = digit
            continue
        # P_N in the last three; then sliding to the right (0), to the left (P_R, ξ_L) or sticking (P_R).
        closed = digit >= base - 3
        way = digit - (base - 3) if closed else digit
        positive[k] = 1 if closed else 0
        positive[k + 1] = 1 if way > 0 else 0
        positive[k + 2] = 1 if way == 1 else 0


@jit
def enter(n, positive, tableau, basis, column, where):
    """Exchange the x of the set for the y, largest pivots first, as far as they are independent."""
    width = n + 2
    while True:
        most = SMALLEST
        r = n
        s = n
        for i in range(n):
            if basis[i] >= n:
                if positive[basis[i] - n] == 1:
                    for j in range(n):
                        if column[j] < n:
                            if positive[column[j]] == 1:
                                if abs(tableau[i * width + j]) > most:
                                    most = abs(tableau[i * width + j])
                                    r = i
                                    s = j
        if r == n:
            return
        exchange(n, tableau, basis, column, where, r, s)


@jit
def held(n, positive, variable):
    """Whether a variable has to be zero in the basis of this set."""
    if variable < n:
        return positive[variable] == 0
    return positive[variable - n] == 1


@jit
def feasible(n, positive, tableau, basis, column, where, limit):
    """Whether all variables can be positive or zero, the dependent ones as they like; the basis is moved there."""
    width = n + 2
    for _ in range(limit):
        r = n
        for i in range(n):
            value = tableau[i * width + n + 1]
            if held(n, positive, basis[i]):
                if abs(value) > -NEGATIVE:
                    return False
            elif value < NEGATIVE:
                if r == n or basis[i] < basis[r]:
                    r = i
        if r == n:
            return True
        s = n
        for j in range(n):
            if not held(n, positive, column[j]):
                if tableau[r * width + j] > SMALLEST:
                    if s == n or column[j] < column[s]:
                        s = j
        if s == n:
            return False
        exchange(n, tableau, basis, column, where, r, s)
    return False


@jit
def accept(problem, n, unit, right, starts, a, b, tableau, basis, where, x, error):
    """Whether the basis is a solution, which is then left in IMPULSE."""
    tolerance = floats(problem[at.NUMBERS])[at.TOLERANCE]
    refine(n, a, b, tableau, basis, where, x, error)
    for k in range(n):
        x[k] *= unit
    saturations.read(problem, right, starts, x)
    return residual(problem) <= tolerance


@kernel(CONTACT_PROBLEM)
def enumeration(problem):
    count = problem[at.COUNT]
    size = count * problem[at.DIM]
    starts = ints(problem[at.PLACES])
    problem[at.ITERATIONS] = 0
    if problem[at.DIM] == 3:
        mu = floats(problem[at.FRICTION])
        for i in range(count):
            if mu[i] > 0.0:
                residual(problem)
                return LIMITED
    n = saturations.places(problem, starts)
    total = 1
    for i in range(count):
        total *= states(problem, starts, i)
        if total > MOST:
            residual(problem)
            return LIMITED
    positive = offset(starts, count + 1)
    basis = offset(positive, n)
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
    saturations.build(problem, left, right, starts, n, a, b)
    unit = normalise(n, b)
    for k in range(n):
        cover[k] = 0.0
    doubt = False
    for number in range(problem[at.START], total):
        problem[at.ITERATIONS] += 1
        choose(problem, starts, number, positive)
        begin(n, a, b, cover, tableau, basis, column, where)
        enter(n, positive, tableau, basis, column, where)
        if feasible(n, positive, tableau, basis, column, where, EXCHANGES * (n + 1)):
            if accept(problem, n, unit, right, starts, a, b, tableau, basis, where, x, error):
                return SOLVED
            doubt = True
    residual(problem)
    return RAY if doubt else NONE
