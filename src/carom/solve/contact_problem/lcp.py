"""Linear complementarity problems y = A x + b, 0 ≤ x ⊥ y ≥ 0, and contact problems with given matrices."""

from __future__ import annotations

import threading

import numpy as np
from numpy.typing import ArrayLike

from carom.argument_checks import one_of, short_repr
from carom.errors import ModelError
from carom.solve.contact_problem.enumeration import MAX_BASES
from carom.solve.contact_problem.natural_residual import ROUNDING
from carom.solve.contact_problem.records import (
    CONTACT_PROBLEM,
    ITERATION_LIMIT,
    MAX_LCP_UNKNOWNS,
    PROVED_UNSOLVABLE,
    SOLVED,
    index_workspace_size,
    unknowns,
    workspace_size,
)
from carom.solve.contact_problem.registry import SOLVERS

__all__ = ["LcpError", "contact", "residual", "solutions", "solve"]

Array = np.ndarray[tuple[int, ...], np.dtype[np.float64]]

SOLVER_TOLERANCE = 1e-12
"""Residual at which the solvers stop [-]."""

TOLERANCE = 1e-10
"""Largest residual of a solution that is returned [-]."""

MAX_ENUMERATED = 16
"""Unknowns of the largest LCP whose bases are all checked: 2¹⁶ of them."""

MAX_PROVED = 12
"""Unknowns up to which a failure is explained by enumeration."""


class LcpError(ArithmeticError):
    """Error of a complementarity problem without a solution, or for which the method found none.

    Examples
    --------
    >>> import carom as cm
    >>> try:
    ...     cm.lcp.solve([[-1.0]], [-1.0])
    ... except cm.lcp.LcpError as error:
    ...     print("no solution exists" in str(error))
    ...
    True
    """


class Problem:
    """Contact problem with its arrays (see `carom.solve.contact_problem.records`)."""

    def __init__(
        self, G: Array, b: Array, mu: Array, p_offset: Array, rows_per_contact: int, levers: Array | None = None
    ):
        n_contacts = len(b) // rows_per_contact
        self.P: Array = np.zeros(len(b))
        self._arrays = {
            "G": np.ascontiguousarray(G, dtype=float),
            "b": np.ascontiguousarray(b, dtype=float),
            "mu": np.ascontiguousarray(mu, dtype=float),
            "levers": np.zeros(0) if levers is None else np.ascontiguousarray(levers, dtype=float),
            "p_offset": np.ascontiguousarray(p_offset, dtype=float),
            "P": self.P,
            "workspace": np.zeros(workspace_size(n_contacts, rows_per_contact)),
            "index_workspace": np.zeros(index_workspace_size(n_contacts, rows_per_contact), dtype=np.int64),
        }
        self.record = CONTACT_PROBLEM.new(
            n_contacts=n_contacts,
            rows_per_contact=rows_per_contact,
            has_rolling=levers is not None,
            tolerance=SOLVER_TOLERANCE,
            **{name: array.ctypes.data for name, array in self._arrays.items()},
        )

    def run(self, method: str) -> int:
        """Run a solver from the current impulses and return its status."""
        return int(SOLVERS[method].call(self.record))

    def replace(self, G: Array, b: Array) -> Problem:
        """Replace G and b by those of another problem of this size, and P by zero; return the problem."""
        self._arrays["G"][:] = G
        self._arrays["b"][:] = b
        self.P[:] = 0.0
        self.record.first_basis = 0
        return self

    @property
    def residual(self) -> float:
        """Residual of the impulses relative to the largest |b| [-]."""
        return float(self.record.residual)


def solve(A: ArrayLike, b: ArrayLike, method: str = "lemke") -> tuple[Array, Array]:
    """Return x and y = A x + b with 0 ≤ x ⊥ y ≥ 0, for a square matrix A and a vector b.

    ``method`` is "lemke" (complementary pivoting; always successful for P-matrices and strictly copositive matrices),
    "enumeration" (all 2ⁿ bases, n ≤ 16), "alart-curnier" (Newton's method on min(x, y) = 0) or "pgs" (projected
    Gauss–Seidel, for positive definite matrices). Raises `LcpError` if no solution exists or the method finds none.

    Examples
    --------
    >>> import carom as cm
    >>> x, y = cm.lcp.solve([[2.0, 0.0], [0.0, 1.0]], [-4.0, 3.0])
    >>> x, y
    (array([2., 0.]), array([0., 3.]))
    """
    matrix, vector = _matrix_and_vector("lcp.solve", A, b)
    one_of("lcp.solve", "method", method, tuple(SOLVERS))
    if np.all(vector >= 0.0):
        return np.zeros(len(vector)), vector.copy()
    _check_size("lcp.solve", method, len(vector))
    problem = _problem_without_friction(matrix, vector)
    status = problem.run(method)
    x = problem.P.copy()
    if (status == SOLVED or problem.residual <= TOLERANCE) and _residual_above_rounding(matrix, vector, x) <= TOLERANCE:
        y = matrix @ x + vector
        return x, np.where(x > 0.0, 0.0, np.maximum(y, 0.0))
    raise LcpError(f"lcp.solve: {_explain_failure(problem, method, status, matrix, vector)}")


def solutions(A: ArrayLike, b: ArrayLike) -> list[Array]:
    """Return all solutions x of a small LCP (n ≤ 16) by enumeration; the list is empty if none exists.

    If solutions are not isolated (b or A degenerate), the corners of the solution set are among those returned.

    Examples
    --------
    >>> import carom as cm
    >>> [x.tolist() for x in cm.lcp.solutions([[-1.0]], [1.0])]
    [[0.0], [1.0]]
    """
    matrix, vector = _matrix_and_vector("lcp.solutions", A, b)
    _check_size("lcp.solutions", "enumeration", len(vector))
    problem = _problem_without_friction(matrix, vector)
    distinct: list[Array] = []
    while len(vector) > 0 and problem.run("enumeration") == SOLVED:
        x = problem.P.copy()
        if not any(np.allclose(x, other, rtol=1e-8, atol=1e-8 * np.abs(other).max(initial=0.0)) for other in distinct):
            distinct.append(x)
        problem.record.first_basis += problem.record.n_iterations
    return distinct


def residual(A: ArrayLike, b: ArrayLike, x: ArrayLike) -> float:
    """Return the residual of x: the largest |min(a x, A x + b)| relative to the largest |b| [-].

    a is the largest absolute value of the row of A, so that both arguments of min have the units of b.

    Examples
    --------
    >>> import carom as cm
    >>> cm.lcp.residual([[2.0]], [-4.0], [1.0])
    0.5
    """
    matrix, vector = _matrix_and_vector("lcp.residual", A, b)
    point = _matrix_and_vector("lcp.residual", matrix, x, "A", "x")[1]
    max_b = np.abs(vector).max(initial=0.0)
    return float(np.abs(_natural_map(matrix, vector, point)).max(initial=0.0) / (max_b if max_b > 0.0 else 1.0))


def contact(
    delassus: ArrayLike,
    velocity: ArrayLike,
    friction: ArrayLike,
    dim: int = 2,
    method: str = "lemke",
    offset: ArrayLike | None = None,
) -> Array:
    """Return the impulses P [N s] of contacts with dry friction.

    They fulfil ξ = G P + b, 0 ≤ ξ_N ⊥ P_N ≥ 0, −P_T ∈ μ (P_N + p) D(ξ_T). ``delassus`` is G = Wᵀ M⁻¹ W [1/kg] and
    ``velocity`` is b [m/s], with ``dim`` rows per contact: the normal, then one tangent (dim = 2) or two (dim = 3,
    where D is the unit disc). ``friction`` μ [-] is one number or one per contact, ``offset`` p [N s] a normal impulse
    that acts already (default 0). ``method`` as in `solve`; in 3D Lemke's method replaces the disc by a polygon, and
    Newton's method continues from its result.

    Examples
    --------
    >>> import carom as cm
    >>> cm.lcp.contact([[0.5, 0.0], [0.0, 0.5]], [-1.0, 3.0], friction=0.3).round(12)
    array([ 2. , -0.6])
    """
    G, b = _matrix_and_vector("lcp.contact", delassus, velocity, "delassus", "velocity")
    one_of("lcp.contact", "method", method, tuple(SOLVERS))
    if dim not in (2, 3):
        raise ModelError(f"lcp.contact: dim must be 2 (2D) or 3 (3D), got {short_repr(dim)}")
    if len(b) % dim != 0:
        raise ModelError(f"lcp.contact: delassus must have {dim} rows per contact, got {len(b)} rows")
    if np.any(np.diag(G) < 0.0):
        k = int(np.argmin(np.diag(G)))
        raise ModelError(f"lcp.contact: delassus[{k}, {k}] must be positive or zero, got {G[k, k]:g} 1/kg")
    n_contacts = len(b) // dim
    mu = _per_contact("friction", friction, n_contacts)
    p_offset = _per_contact("offset", 0.0 if offset is None else offset, n_contacts)
    if method == "lemke":
        _check_size("lcp.contact", method, unknowns(n_contacts, dim))
    problem = Problem(G, b, mu, p_offset, dim)
    status = problem.run(method)
    if method == "lemke" and dim == 3 and status != SOLVED:
        status = problem.run("alart-curnier")
    if status == SOLVED or problem.residual <= TOLERANCE:
        return problem.P.copy()
    if status == ITERATION_LIMIT and method == "enumeration":
        raise ModelError(
            f"lcp.contact: method 'enumeration' supports at most {MAX_BASES} bases, and in 3D no friction, "
            f"got {n_contacts} contacts with dim={dim}; use method='lemke'"
        )
    message = _describe_failure(problem, method, status)
    if status != PROVED_UNSOLVABLE and dim == 2 and n_contacts <= MAX_PROVED // 3:
        status = problem.run("enumeration")
    if status == PROVED_UNSOLVABLE:
        raise LcpError("lcp.contact: no solution exists; no combination of contact states fulfils the contact laws")
    raise LcpError(f"lcp.contact: {message}")


class _ProblemsBySize(threading.local):
    """Problems of every size, per thread, to be used again: small problems are solved in large numbers."""

    def __init__(self) -> None:
        self.problems: dict[int, Problem] = {}


_small_problems = _ProblemsBySize()


def _problem_without_friction(matrix: Array, vector: Array) -> Problem:
    """Return a contact problem with normal rows only, which is an LCP."""
    size = len(vector)
    if size > MAX_ENUMERATED:
        return Problem(matrix, vector, np.zeros(0), np.zeros(0), 1)
    problems = _small_problems.problems
    if size not in problems:
        problems[size] = Problem(np.zeros((size, size)), np.zeros(size), np.zeros(0), np.zeros(0), 1)
    return problems[size].replace(matrix, vector)


def _natural_map(matrix: Array, vector: Array, x: Array) -> Array:
    """Return min(a x, A x + b), where a is the largest absolute value of each row of A."""
    max_abs = np.abs(matrix).max(axis=1, initial=0.0)
    return np.minimum(np.where(max_abs > 0.0, max_abs, 1.0) * x, matrix @ x + vector)


def _residual_above_rounding(matrix: Array, vector: Array, x: Array) -> float:
    """Return the residual without the rounding error of A x [-]; inf if x is not finite."""
    rounding = ROUNDING * (np.abs(matrix) @ np.abs(x))
    excess = np.abs(_natural_map(matrix, vector, x)) - rounding
    return float(excess.max(initial=0.0) / np.abs(vector).max()) if np.all(np.isfinite(x)) else float("inf")


def _explain_failure(problem: Problem, method: str, status: int, matrix: Array, vector: Array) -> str:
    """Return why an LCP was not solved; a small one is enumerated to find out whether a solution exists."""
    if status == PROVED_UNSOLVABLE:
        return f"no solution exists; none of the 2^{len(vector)} complementary bases is feasible"
    message = _describe_failure(problem, method, status)
    if len(vector) <= MAX_PROVED and method != "enumeration":
        status_of_enumeration = _problem_without_friction(matrix, vector).run("enumeration")
        if status_of_enumeration == PROVED_UNSOLVABLE:
            return f"no solution exists (proved by enumeration); {message.split(';')[0]}"
        if status_of_enumeration == SOLVED:
            return f"{message.split(';')[0]}, but a solution exists; use method='enumeration'"
    return message


def _describe_failure(problem: Problem, method: str, status: int) -> str:
    """Return how a solver failed and what to do."""
    if method == "lemke":
        reason = "reached its limit of exchanges" if status == ITERATION_LIMIT else "ended on a ray"
        return (
            f"Lemke's method {reason} with every covering vector; "
            "use method='alart-curnier', or check that a solution exists"
        )
    if method == "enumeration":
        return "enumeration found only solutions with large rounding errors; scale A or use method='lemke'"
    if status == ITERATION_LIMIT:
        return (
            f"method {method!r} did not converge in {int(problem.record.n_iterations)} iterations, "
            f"the residual is {problem.residual:.2g} of the largest |b|; use method='lemke'"
        )
    return f"method {method!r} diverged or found a diagonal element that is not positive; use method='lemke'"


def _check_size(owner: str, method: str, size: int) -> None:
    """Raise if a method cannot solve an LCP of this size."""
    if method == "enumeration" and size > MAX_ENUMERATED:
        raise ModelError(
            f"{owner}: method 'enumeration' supports at most {MAX_ENUMERATED} unknowns, got {size}; use method='lemke'"
        )
    if method == "lemke" and size > MAX_LCP_UNKNOWNS:
        raise ModelError(
            f"{owner}: method 'lemke' supports at most {MAX_LCP_UNKNOWNS} unknowns, got {size}; use method='pgs'"
        )


def _finite_array(owner: str, name: str, value: ArrayLike) -> Array:
    """Return an argument as an array of finite numbers."""
    try:
        array: Array = np.array(value, dtype=float)
    except (TypeError, ValueError, OverflowError):
        raise ModelError(f"{owner}: {name} must be an array of numbers, got {short_repr(value)}") from None
    if not np.all(np.isfinite(array)):
        index = tuple(int(k) for k in np.argwhere(~np.isfinite(array))[0])
        raise ModelError(f"{owner}: {name} must be finite, got {array[index]} at {list(index)}")
    return array


def _matrix_and_vector(
    owner: str, A: ArrayLike, b: ArrayLike, matrix_name: str = "A", vector_name: str = "b"
) -> tuple[Array, Array]:
    """Return a square matrix and a vector of the same size, both finite."""
    matrix, vector = _finite_array(owner, matrix_name, A), _finite_array(owner, vector_name, b)
    if matrix.ndim != 2 or matrix.shape[0] != matrix.shape[1]:
        raise ModelError(f"{owner}: {matrix_name} must be a square matrix, got shape {matrix.shape}")
    if vector.shape != matrix.shape[:1]:
        raise ModelError(
            f"{owner}: {vector_name} must have one number per row of {matrix_name} ({len(matrix)} rows), "
            f"got shape {vector.shape}"
        )
    return matrix, vector


def _per_contact(name: str, value: ArrayLike, n_contacts: int) -> Array:
    """Return an argument of `contact` as one nonnegative number per contact."""
    array = _finite_array("lcp.contact", name, value)
    if array.shape not in ((), (n_contacts,)):
        raise ModelError(
            f"lcp.contact: {name} must be one number or {n_contacts} (one per contact), got shape {array.shape}"
        )
    if np.any(array < 0.0):
        raise ModelError(f"lcp.contact: {name} must be positive or zero, got {array.min():g}")
    return np.broadcast_to(array, (n_contacts,)).copy()
