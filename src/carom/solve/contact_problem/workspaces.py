"""Arrays of the solvers in the workspace of a contact problem, by name."""

from __future__ import annotations

from typing import NamedTuple

from carom.kernels import floats, ints, jit, offset
from carom.kernels.interpreted import Pointer


class Lcp(NamedTuple):
    """Linear complementarity problem y = A x + b, 0 ≤ x ⊥ y ≥ 0 with its tableau, in scaled units.

    Variables have the indices x: 0 … n − 1, y: n … 2n − 1, and 2n for the artificial variable z.
    """

    n: int  # unknowns
    first_unknown: Pointer  # index in x of the first unknown of every contact; n behind the last contact
    is_positive: Pointer  # by unknown, for enumeration: 1 where x may be positive and y is zero
    basic: Pointer  # basic variable of every row of the tableau
    nonbasic: Pointer  # nonbasic variable of every column of the tableau
    position: Pointer  # by variable: its column, or −1 − row if it is basic
    xi_scale: Pointer  # see `carom.solve.contact_problem.problem_scaling`
    P_scale: Pointer
    b: Pointer
    x: Pointer
    cover: Pointer  # covering vector d of the artificial variable
    error: Pointer  # residual of the equations, for the refinement
    A: Pointer  # row by row
    tableau: Pointer  # rows of n + 2 numbers: coefficients of the nonbasic variables, then the value


@jit
def first_unknowns(problem):
    """Return where the index of the first unknown of every contact is stored."""
    return ints(problem.index_workspace)


@jit
def lcp_workspace(problem, n):
    """Return the arrays of an LCP of ``n`` unknowns."""
    size = problem.n_contacts * problem.rows_per_contact
    first_unknown = first_unknowns(problem)
    is_positive = offset(first_unknown, problem.n_contacts + 1)
    basic = offset(is_positive, n)
    nonbasic = offset(basic, n)
    position = offset(nonbasic, n + 1)
    xi_scale = floats(problem.workspace)
    P_scale = offset(xi_scale, size)
    b = offset(P_scale, size)
    x = offset(b, n)
    cover = offset(x, n)
    error = offset(cover, n)
    A = offset(error, n)
    tableau = offset(A, n * n)
    return Lcp(
        n, first_unknown, is_positive, basic, nonbasic, position, xi_scale, P_scale, b, x, cover, error, A, tableau
    )


class Newton(NamedTuple):
    """Proximal equations f(P) = 0 of a contact problem and their Jacobian, in scaled units."""

    size: int  # equations
    xi_scale: Pointer  # see `carom.solve.contact_problem.problem_scaling`
    P_scale: Pointer
    f: Pointer
    step: Pointer  # Newton step of the scaled impulses
    P_old: Pointer  # impulses before the step [N s]
    jacobian: Pointer  # row by row; its factors after the elimination
    order: Pointer  # unknown of every column after the pivoting
    rows: Pointer  # equation of every row after the pivoting


@jit
def newton_workspace(problem):
    """Return the arrays of Newton's method."""
    size = problem.n_contacts * problem.rows_per_contact
    xi_scale = floats(problem.workspace)
    P_scale = offset(xi_scale, size)
    f = offset(P_scale, size)
    step = offset(f, size)
    P_old = offset(step, size)
    jacobian = offset(P_old, size)
    order = ints(problem.index_workspace)
    return Newton(size, xi_scale, P_scale, f, step, P_old, jacobian, order, offset(order, size))
