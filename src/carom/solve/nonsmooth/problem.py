"""The contact problem of one time step, as compiled solvers see it.

    ξ = G P + b,   0 ≤ ξ_N ⊥ P_N ≥ 0,   −P_T ∈ μ (P_N + p) D(ξ_T)

for every contact: G = Wᵀ M⁻¹ W is the Delassus matrix, b what ξ would be without impulses, D the subdifferential of the
Euclidean norm (Sgn in the plane, the unit disc in space), p a normal impulse that is there beforehand (Poisson's law;
else zero; its effect on ξ is part of b). A contact has DIM rows: the normal, then one or two tangents.
"""

from __future__ import annotations

SIZE = 12
(
    COUNT,  # contacts
    DIM,  # rows of a contact: 2 in the plane, 3 in space
    MATRIX,  # G, row by row, (COUNT·DIM)² numbers
    VECTOR,  # b
    FRICTION,  # μ of every contact
    OFFSET,  # p of every contact [N s]
    IMPULSE,  # P: a guess before, the answer after
    NUMBERS,  # see below
    LIMIT,  # most iterations
    ITERATIONS,  # that were taken
    WORK,  # floats for the solver, `work_size(count, dim)` of them
    PLACES,  # integers for the solver, `places_size(count, dim)` of them
) = range(SIZE)

# Entries of NUMBERS: what the residual may be, relative to the size of b, and what it is.
TOLERANCE, RESIDUAL = range(2)

# How a solver ended: a solution; none found (a ray of Lemke's method, a stall); the limit of iterations; proof that
# there is none.
SOLVED, RAY, LIMITED, NONE = range(4)
