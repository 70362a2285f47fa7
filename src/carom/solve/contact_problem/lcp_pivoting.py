"""Lemke's complementary pivoting for y = A x + b, 0 ≤ x ⊥ y ≥ 0.

The equations y = A x + d z + b are stored as a tableau: each row is a basic variable as a linear function of the
nonbasic variables, one per column; the last column is its value while the nonbasic variables are zero. The artificial
variable z with the covering vector d > 0 makes y ≥ 0 at the start; variables are exchanged until z leaves the basis.
Ties are broken as if b were b + (ε, ε², …), so that no basis is repeated.

Reference: R. Cottle, J.-S. Pang, R. Stone, The Linear Complementarity Problem, 1992, sections 4.4 and 4.9.
"""

from __future__ import annotations

from carom.kernels import jit, offset
from carom.solve.contact_problem.records import ITERATION_LIMIT, NOT_FOUND, SOLVED

MIN_PIVOT = 1e-11
"""Ratio to the largest number of its column below which a number of the tableau counts as zero [-]."""

TIE = 1e-13
"""Ratio to the largest |b| below which two rows reach zero at the same time [-]."""


@jit
def normalise(lcp):
    """Divide b by its largest absolute value; return that value."""
    b = lcp.b
    max_abs = 0.0
    for k in range(lcp.n):
        max_abs = max(max_abs, abs(b[k]))
    if max_abs == 0.0:
        return 1.0
    for k in range(lcp.n):
        b[k] /= max_abs
    return max_abs


@jit
def initialise_tableau(lcp):
    """Build the tableau whose basic variables are all of y."""
    n = lcp.n
    row_size = n + 2
    for r in range(n):
        row = offset(lcp.tableau, r * row_size)
        for s in range(n):
            row[s] = lcp.A[r * n + s]
        row[n] = lcp.cover[r]
        row[n + 1] = lcp.b[r]
        lcp.basic[r] = n + r
        lcp.nonbasic[r] = r
        lcp.position[r] = r
        lcp.position[n + r] = -1 - r
    lcp.nonbasic[n] = 2 * n
    lcp.position[2 * n] = n


@jit
def exchange(lcp, r, s):
    """Remove the variable of row ``r`` from the basis and enter the variable of column ``s``."""
    row_size = lcp.n + 2
    pivot = offset(lcp.tableau, r * row_size)
    inverse = 1.0 / pivot[s]
    for k in range(row_size):
        pivot[k] *= -inverse
    pivot[s] = inverse
    for i in range(lcp.n):
        if i != r:
            row = offset(lcp.tableau, i * row_size)
            f = row[s]
            if f != 0.0:
                row[s] = 0.0
                for k in range(row_size):
                    row[k] += f * pivot[k]
    entering = lcp.nonbasic[s]
    lcp.nonbasic[s] = lcp.basic[r]
    lcp.basic[r] = entering
    lcp.position[entering] = -1 - r
    lcp.position[lcp.nonbasic[s]] = s


@jit
def inverse_entry(lcp, r, j):
    """Return the derivative of the variable of row ``r`` with respect to b_j."""
    column = lcp.position[lcp.n + j]
    if column >= 0:
        return -lcp.tableau[r * (lcp.n + 2) + column]
    return 1.0 if column == -1 - r else 0.0


@jit
def reaches_zero_first(lcp, s, r, other):
    """Return whether row ``r`` reaches zero before row ``other`` as the variable of column ``s`` grows.

    Both do so at the same time without the perturbation of b; its powers of ε decide.
    """
    n = lcp.n
    row_size = n + 2
    for j in range(n):
        ratio = -inverse_entry(lcp, r, j) / lcp.tableau[r * row_size + s]
        other_ratio = -inverse_entry(lcp, other, j) / lcp.tableau[other * row_size + s]
        if abs(ratio - other_ratio) > TIE * max(abs(ratio), abs(other_ratio)):
            return ratio < other_ratio
    return False


@jit
def leaving_row(lcp, s):
    """Return the row that reaches zero first as the variable of column ``s`` grows; −1 if no row does (a ray)."""
    n = lcp.n
    tableau = lcp.tableau
    row_size = n + 2
    max_abs = 0.0
    for r in range(n):
        max_abs = max(max_abs, abs(tableau[r * row_size + s]))
    limit = -MIN_PIVOT * max_abs
    min_ratio = -1.0
    for r in range(n):
        slope = tableau[r * row_size + s]
        if slope < limit:
            ratio = max(tableau[r * row_size + n + 1], 0.0) / -slope
            if min_ratio < 0.0 or ratio < min_ratio:
                min_ratio = ratio
    if min_ratio < 0.0:
        return -1
    first = -n
    for r in range(n):
        slope = tableau[r * row_size + s]
        if slope < limit:
            if tableau[r * row_size + n + 1] + slope * min_ratio <= TIE:
                if lcp.basic[r] == 2 * n:
                    return r
                if first < 0 or reaches_zero_first(lcp, s, r, first):
                    first = r
    return first


@jit
def follow_pivot_path(lcp, limit):
    """Follow the path of Lemke's method; return its status and the number of exchanges."""
    n = lcp.n
    b = lcp.b
    cover = lcp.cover
    initialise_tableau(lcp)
    r = n - 1
    for i in range(n - 2, -1, -1):
        if b[i] * cover[r] < b[r] * cover[i]:
            r = i
    if b[r] >= 0.0:  # x = 0 is the solution
        return SOLVED, 0
    s = n
    for k in range(limit):
        leaving = lcp.basic[r]
        exchange(lcp, r, s)
        if leaving == 2 * n:
            return SOLVED, k + 1
        s = lcp.position[leaving - n if leaving >= n else leaving + n]
        r = leaving_row(lcp, s)
        if r < 0:
            return NOT_FOUND, k + 1
    return ITERATION_LIMIT, limit


@jit
def store_solution(lcp):
    """Store x of the current basis."""
    n = lcp.n
    for j in range(n):
        lcp.x[j] = lcp.tableau[(-1 - lcp.position[j]) * (n + 2) + n + 1] if lcp.position[j] < 0 else 0.0


@jit
def refine_solution(lcp):
    """Correct the basic variables by the residual of the equations, which removes the rounding of the exchanges."""
    n = lcp.n
    row_size = n + 2
    tableau = lcp.tableau
    error = lcp.error
    store_solution(lcp)
    for i in range(n):
        error[i] = lcp.b[i]
        for j in range(n):
            error[i] += lcp.A[i * n + j] * lcp.x[j]
        if lcp.position[n + i] < 0:
            error[i] -= tableau[(-1 - lcp.position[n + i]) * row_size + n + 1]
    for r in range(n):
        correction = 0.0
        for j in range(n):
            correction += inverse_entry(lcp, r, j) * error[j]
        tableau[r * row_size + n + 1] += correction
    store_solution(lcp)
