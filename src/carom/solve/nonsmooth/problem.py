"""The contact problem of one time step, as compiled solvers see it.

    ξ = G P + b,   0 ≤ ξ_N ⊥ P_N ≥ 0,   −P_T ∈ μ (P_N + p) D(ξ_T)

for every contact: G = Wᵀ M⁻¹ W is the Delassus matrix, b what ξ would be without impulses, D the subdifferential of the
Euclidean norm (Sgn in the plane, the unit disc in space), p a normal impulse that is there beforehand (Poisson's law;
else zero; its effect on ξ is part of b). A contact has DIM rows: the normal, then one or two tangents. With the normals
alone (DIM = 1) this is a linear complementarity problem, G any square matrix; FRICTION and OFFSET are not looked at.

Arrays may be longer than the present COUNT needs: they are made once, for the largest. G has no gaps.
"""

from __future__ import annotations

SIZE = 13
(
    COUNT,  # contacts
    DIM,  # rows of a contact: 2 in the plane, 3 in space, 1 for normals alone
    MATRIX,  # G, row by row, (COUNT·DIM)² numbers
    VECTOR,  # b
    FRICTION,  # μ of every contact
    OFFSET,  # p of every contact [N s]
    IMPULSE,  # P: a guess before, the answer after
    NUMBERS,  # see below
    LIMIT,  # most iterations (pivots, bases, sweeps); 0: what the solver thinks fit
    ITERATIONS,  # that were taken
    WORK,  # floats for the solver, `work_size(count, dim)` of them
    PLACES,  # integers for the solver, `places_size(count, dim)` of them
    START,  # the basis an enumeration begins with: 0; to go on behind a solution, its number plus one
) = range(SIZE)

# Entries of NUMBERS: what the residual may be, relative to the size of b, and what it is.
TOLERANCE, RESIDUAL = range(2)

# How a solver ended: a solution; none found (a ray of Lemke's method, a stall); the limit of iterations; proof that
# there is none.
SOLVED, RAY, LIMITED, NONE = range(4)

SIDES = 8
"""Sides of the polygon that stands for the disc of friction in space where a problem has to be linear."""

LARGEST = 1200
"""Unknowns of the largest LCP that is solved by pivoting."""


def unknowns(count: int, dim: int) -> int:
    """Most unknowns of the LCP of ``count`` contacts: a normal, one for each side of the polygon, a sliding speed."""
    return count * (1 if dim == 1 else 4 if dim == 2 else 2 + SIDES)


def work_size(count: int, dim: int) -> int:
    """Numbers in WORK: the LCP and its tableau, or the matrix of Newton's method; and some vectors."""
    n = min(unknowns(count, dim), LARGEST)
    rows = count * dim
    return max(2 * n * n + 6 * n, rows * rows + 6 * rows) + 2 * rows + 8


def places_size(count: int, dim: int) -> int:
    """Integers in PLACES: where the variables of an LCP stand, and where contacts begin in it."""
    return 4 * min(unknowns(count, dim), LARGEST) + 3 * count * dim + 8
