"""Lemke's complementary pivoting for y = A x + b, 0 ≤ x ⊥ y ≥ 0.

The equations y = A x + d z + b are kept as a tableau: the variables of the basis, row by row, as linear functions of
the others, column by column, and last the values they have while the others are zero. Variables are numbered x, y, z.
The artificial z, with the covering vector d > 0, is large enough for y ≥ 0 at first; variables are exchanged until it
leaves. Ties are broken as if b were b + (ε, ε², …), so that no basis can come again.

Reference: R. Cottle, J.-S. Pang, R. Stone, The Linear Complementarity Problem, 1992, sections 4.4 and 4.9.
"""

from __future__ import annotations

from carom.kernels import jit, offset
from carom.solve.nonsmooth.problem import LIMITED, RAY, SOLVED

SMALLEST = 1e-11
"""A number in the tableau that counts as zero, relative to the largest of its column."""

TIE = 1e-13
"""Two rows that reach zero within this (of the largest |b|) reach it together."""


@jit
def normalise(n, b):
    """b in units of its largest number, which is returned."""
    largest = 0.0
    for k in range(n):
        largest = max(largest, abs(b[k]))
    if largest == 0.0:
        return 1.0
    for k in range(n):
        b[k] /= largest
    return largest


@jit
def begin(n, a, b, cover, tableau, basis, column, where):
    """The tableau with all of y in the basis."""
    width = n + 2
    for r in range(n):
        row = offset(tableau, r * width)
        for s in range(n):
            row[s] = a[r * n + s]
        row[n] = cover[r]
        row[n + 1] = b[r]
        basis[r] = n + r
        column[r] = r
        where[r] = r
        where[n + r] = -1 - r  # variables in the basis: their row, counted down from −1
    column[n] = 2 * n
    where[2 * n] = n


@jit
def exchange(n, tableau, basis, column, where, r, s):
    """The variable of row r leaves the basis, that of column s enters."""
    width = n + 2
    pivot = offset(tableau, r * width)
    inverse = 1.0 / pivot[s]
    for k in range(width):
        pivot[k] *= -inverse
    pivot[s] = inverse
    for i in range(n):
        if i != r:
            row = offset(tableau, i * width)
            f = row[s]
            if f != 0.0:
                row[s] = 0.0
                for k in range(width):
                    row[k] += f * pivot[k]
    entering = column[s]
    column[s] = basis[r]
    basis[r] = entering
    where[entering] = -1 - r
    where[column[s]] = s


@jit
def inverse_entry(n, tableau, where, r, j):
    """Change of the variable of row r with b_j."""
    place = where[n + j]
    if place >= 0:
        return -tableau[r * (n + 2) + place]
    return 1.0 if place == -1 - r else 0.0


@jit
def earlier(n, tableau, where, s, r, other):
    """Whether row r reaches zero before the other one, by the powers of ε, as the variable of column s grows."""
    width = n + 2
    for j in range(n):
        mine = -inverse_entry(n, tableau, where, r, j) / tableau[r * width + s]
        its = -inverse_entry(n, tableau, where, other, j) / tableau[other * width + s]
        if abs(mine - its) > TIE * max(abs(mine), abs(its)):
            return mine < its
    return False


@jit
def leaving(n, tableau, basis, where, s):
    """The row that reaches zero first as the variable of column s grows; −1 when it can grow for ever."""
    width = n + 2
    largest = 0.0
    for r in range(n):
        largest = max(largest, abs(tableau[r * width + s]))
    limit = -SMALLEST * largest
    least = -1.0
    for r in range(n):
        slope = tableau[r * width + s]
        if slope < limit:
            ratio = max(tableau[r * width + n + 1], 0.0) / -slope
            if least < 0.0 or ratio < least:
                least = ratio
    if least < 0.0:
        return -1
    best = -n
    for r in range(n):
        slope = tableau[r * width + s]
        if slope < limit:
            if tableau[r * width + n + 1] + slope * least <= TIE:
                if basis[r] == 2 * n:
                    return r
                if best < 0 or earlier(n, tableau, where, s, r, best):
                    best = r
    return best


@jit
def follow(n, a, b, cover, tableau, basis, column, where, limit):
    """Lemke's path; returns how it ended and the number of exchanges."""
    begin(n, a, b, cover, tableau, basis, column, where)
    r = n - 1
    for i in range(n - 2, -1, -1):
        if b[i] * cover[r] < b[r] * cover[i]:
            r = i
    if b[r] >= 0.0:  # x = 0
        return SOLVED, 0
    s = n
    for k in range(limit):
        out = basis[r]
        exchange(n, tableau, basis, column, where, r, s)
        if out == 2 * n:
            return SOLVED, k + 1
        s = where[out - n if out >= n else out + n]
        r = leaving(n, tableau, basis, where, s)
        if r < 0:
            return RAY, k + 1
    return LIMITED, limit


@jit
def solution(n, tableau, where, x):
    """x of the present basis."""
    for j in range(n):
        x[j] = tableau[(-1 - where[j]) * (n + 2) + n + 1] if where[j] < 0 else 0.0


@jit
def refine(n, a, b, tableau, basis, where, x, error):
    """What the equations lack at the present basis is added to its variables: rounding of the exchanges goes away."""
    width = n + 2
    solution(n, tableau, where, x)
    for i in range(n):
        error[i] = b[i]
        for j in range(n):
            error[i] += a[i * n + j] * x[j]
        if where[n + i] < 0:
            error[i] -= tableau[(-1 - where[n + i]) * width + n + 1]
    for r in range(n):
        total = 0.0
        for j in range(n):
            total += inverse_entry(n, tableau, where, r, j) * error[j]
        tableau[r * width + n + 1] += total
    solution(n, tableau, where, x)
