"""Record of a contact problem, as its compiled solvers read it.

    ξ = G P + b,   0 ≤ ξ_N ⊥ P_N ≥ 0,   −P_T ∈ μ (P_N + p) D(ξ_T)

for every contact: G = Wᵀ M⁻¹ W is the Delassus matrix, b the value of ξ without impulses, D the subdifferential of the
Euclidean norm (Sgn in 2D, the unit disc in 3D), and p a normal impulse that acts already (Poisson's law; otherwise
zero; its effect on ξ is part of b). Each contact has its normal row first, then one or two tangential rows. With normal
rows only (one row per contact) this is a linear complementarity problem: G is any square matrix, μ and p are not read.
With rolling resistance, rows of the relative rotation follow, with limits of their own
(`carom.solve.contact_problem.friction_limits`).

Arrays may be longer than the current problem needs, since they are allocated once for the largest problem. G is stored
without gaps.
"""

from __future__ import annotations

from carom.kernels import ADDRESS, FLOAT, INT, record

CONTACT_PROBLEM = record(
    n_contacts=INT,
    rows_per_contact=INT,  # 2 in 2D, 3 in 3D, 1 for normal rows only; with rolling resistance 3 in 2D, 6 in 3D
    has_rolling=INT,  # rows of the relative rotation follow the tangential ones
    G=ADDRESS,  # Delassus matrix, row by row, (n_contacts · rows_per_contact)² numbers [1/kg]
    b=ADDRESS,  # ξ without impulses [m/s]
    mu=ADDRESS,  # friction coefficient of every contact [-]
    levers=ADDRESS,  # levers of the rolling and spinning resistance of every contact [m]
    p_offset=ADDRESS,  # normal impulse p of every contact that acts already [N s]
    P=ADDRESS,  # impulses: initial guess before, solution after a solver has run [N s]
    tolerance=FLOAT,  # residual of a solution, relative to the largest |b| [-]
    residual=FLOAT,  # residual of P after a solver has run, relative to the largest |b| [-]
    max_iterations=INT,  # limit of pivots, bases, Newton steps or Gauss–Seidel iterations; 0: default of the solver
    n_iterations=INT,  # iterations of the last solver
    workspace=ADDRESS,  # `workspace_size` floats for the solver; layout in `workspaces`
    index_workspace=ADDRESS,  # `index_workspace_size` integers for the solver
    factor_size=INT,  # rows of the factors of Newton's method in the workspace; 0: none
    factor_rank=INT,  # independent ones of these rows
    first_basis=INT,  # first basis of an enumeration; to search behind a solution, the index of its basis plus one
)

SOLVED, NOT_FOUND, ITERATION_LIMIT, PROVED_UNSOLVABLE = range(4)
"""Status of a solver: a solution; no solution found (secondary ray of Lemke's method, divergence); the limit of
iterations or of size; proof that no solution exists."""

SIDES = 8
"""Sides of the polygon that replaces the friction disc in 3D where a problem has to be linear."""

MAX_LCP_UNKNOWNS = 1200
"""Unknowns of the largest LCP that is solved by pivoting."""


def unknowns(n_contacts: int, rows_per_contact: int) -> int:
    """Return the largest number of unknowns of the LCP: per contact a normal, one per side of the polygon, a speed."""
    return n_contacts * (1 if rows_per_contact == 1 else 4 if rows_per_contact == 2 else 2 + SIDES)


def workspace_size(n_contacts: int, rows_per_contact: int) -> int:
    """Return the number of floats for the LCP and its tableau or the matrix of Newton's method, and some vectors."""
    n = min(unknowns(n_contacts, rows_per_contact), MAX_LCP_UNKNOWNS)
    rows = n_contacts * rows_per_contact
    return max(2 * n * n + 6 * n, rows * rows + 6 * rows) + 2 * rows + 8


def index_workspace_size(n_contacts: int, rows_per_contact: int) -> int:
    """Return the number of integers for the basis of an LCP and the first unknown of every contact."""
    return 5 * min(unknowns(n_contacts, rows_per_contact), MAX_LCP_UNKNOWNS) + 3 * n_contacts * rows_per_contact + 8
