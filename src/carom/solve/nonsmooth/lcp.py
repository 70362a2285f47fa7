"""Linear complementarity problems, y = A x + b with 0 ≤ x ⊥ y ≥ 0, and the contact problem of given matrices.

>>> from carom.solve.nonsmooth import lcp
>>> x, y = lcp.solve([[2.0, 1.0], [1.0, 2.0]], [-5.0, -6.0])
>>> x.round(12), y
(array([1.33333333, 2.33333333]), array([0., 0.]))
"""

from __future__ import annotations

import ctypes
import threading
from typing import Any

import numpy as np

from carom.argument_checks import one_of, short_repr
from carom.errors import ModelError
from carom.solve.nonsmooth import problem as at
from carom.solve.nonsmooth.enumeration import MOST
from carom.solve.nonsmooth.problem import LARGEST, LIMITED, NONE, SOLVED
from carom.solve.nonsmooth.registry import SOLVERS
from carom.solve.nonsmooth.residual import ROUNDING

AIM = 1e-12
"""The residual the solvers aim at."""

TOLERANCE = 1e-10
"""The residual an answer may have."""

ENUMERABLE = 16
"""Unknowns of the largest LCP of which all bases are looked at: 2¹⁶ of them."""

PROVABLE = 12
"""Unknowns up to which a failure is explained by looking at all bases."""


class LcpError(ArithmeticError):
    """A complementarity problem without a solution, or one to which a method found none."""


class Problem:
    """The arrays of one contact problem (see `carom.solve.nonsmooth.problem`)."""

    def __init__(self, matrix: np.ndarray, vector: np.ndarray, friction: np.ndarray, offset: np.ndarray, dim: int):
        count = len(vector) // dim
        self.impulse = np.zeros(len(vector))
        self.numbers = np.array([AIM, 0.0])
        self._kept = {
            at.MATRIX: np.ascontiguousarray(matrix, dtype=float),
            at.VECTOR: np.ascontiguousarray(vector, dtype=float),
            at.FRICTION: np.ascontiguousarray(friction, dtype=float),
            at.OFFSET: np.ascontiguousarray(offset, dtype=float),
            at.IMPULSE: self.impulse,
            at.NUMBERS: self.numbers,
            at.WORK: np.zeros(at.work_size(count, dim)),
            at.PLACES: np.zeros(at.places_size(count, dim), dtype=np.int64),
        }
        self.table = np.zeros(at.SIZE, dtype=np.int64)
        self.table[at.COUNT], self.table[at.DIM] = count, dim
        for place, array in self._kept.items():
            self.table[place] = array.ctypes.data

        self._pointer = self.table.ctypes.data_as(ctypes.POINTER(ctypes.c_int64))

    def run(self, method: str) -> int:
        """How the solver ended; `impulse` and `numbers` hold what it found."""
        return int(SOLVERS[method].compiled.ctypes(self._pointer))

    def renew(self, matrix: np.ndarray, vector: np.ndarray) -> Problem:
        """The same arrays for another problem of this size, from the start."""
        self._kept[at.MATRIX][:] = matrix
        self._kept[at.VECTOR][:] = vector
        self.impulse[:] = 0.0
        self.table[at.START] = 0
        return self

    @property
    def residual(self) -> float:
        return float(self.numbers[at.RESIDUAL])


def solve(A: Any, b: Any, method: str = "lemke") -> tuple[np.ndarray, np.ndarray]:
    """x and y = A x + b with 0 ≤ x ⊥ y ≥ 0, for a square matrix A and a vector b.

    ``method`` is "lemke" (complementary pivoting; for P-matrices and copositive ones it does not fail), "enumeration"
    (all 2ⁿ bases, n ≤ 16), "alart-curnier" (Newton's method on min(x, y) = 0) or "pgs" (projected Gauss–Seidel, for
    positive definite matrices). Raises `LcpError` where there is no solution or the method finds none.
    """
    matrix, vector = _data("lcp.solve", A, b)
    one_of("lcp.solve", "method", method, tuple(SOLVERS))
    if np.all(vector >= 0.0):
        return np.zeros(len(vector)), vector.copy()
    _check_size("lcp.solve", method, len(vector))
    problem = _plain(matrix, vector)
    status = problem.run(method)
    x = problem.impulse.copy()
    if (status == SOLVED or problem.residual <= TOLERANCE) and _error(matrix, vector, x) <= TOLERANCE:
        y = matrix @ x + vector
        return x, np.where(x > 0.0, 0.0, np.maximum(y, 0.0))
    raise LcpError(f"lcp.solve: {_reason(problem, method, status, matrix, vector)}")


def solutions(A: Any, b: Any) -> list[np.ndarray]:
    """All solutions x of a small LCP (n ≤ 16), by enumeration; an empty list when there is none.

    Where solutions are not isolated (b or A degenerate), the corners of the set they fill are among those returned.
    """
    matrix, vector = _data("lcp.solutions", A, b)
    _check_size("lcp.solutions", "enumeration", len(vector))
    problem = _plain(matrix, vector)
    found: list[np.ndarray] = []
    while len(vector) > 0 and problem.run("enumeration") == SOLVED:
        x = problem.impulse.copy()
        if not any(np.allclose(x, other, rtol=1e-8, atol=1e-8 * np.abs(other).max(initial=0.0)) for other in found):
            found.append(x)
        problem.table[at.START] += problem.table[at.ITERATIONS]
    return found


def residual(A: Any, b: Any, x: Any) -> float:
    """How far x is from solving the LCP: the largest |min(a x, A x + b)|, in units of the largest |b|.

    a is the largest number in the row of A, so that both sides are measured in the units of b.
    """
    matrix, vector = _data("lcp.residual", A, b)
    guess = _data("lcp.residual", matrix, x, "A", "x")[1]
    size = np.abs(vector).max(initial=0.0)
    return float(np.abs(_natural(matrix, vector, guess)).max(initial=0.0) / (size if size > 0.0 else 1.0))


def contact(
    delassus: Any, velocity: Any, friction: Any, dim: int = 2, method: str = "lemke", offset: Any = None
) -> np.ndarray:
    """Impulses P [N s] of contacts with dry friction: ξ = G P + b, 0 ≤ ξ_N ⊥ P_N ≥ 0, −P_T ∈ μ (P_N + p) D(ξ_T).

    ``delassus`` is G = Wᵀ M⁻¹ W [1/kg] and ``velocity`` b [m/s], with ``dim`` rows for each contact: the normal, then
    one tangent (dim = 2) or two (dim = 3, where D is the unit disc). ``friction`` μ is one number or one for each
    contact, ``offset`` p a normal impulse [N s] that is there beforehand (zero). ``method`` as in `solve`; in space
    Lemke's method works with a polygon for the disc, and Newton's method goes on from there.
    """
    matrix, vector = _data("lcp.contact", delassus, velocity, "delassus", "velocity")
    one_of("lcp.contact", "method", method, tuple(SOLVERS))
    if dim not in (2, 3):
        raise ModelError(f"lcp.contact: dim must be 2 (plane) or 3 (space), got {short_repr(dim)}")
    if len(vector) % dim != 0:
        raise ModelError(f"lcp.contact: delassus must have {dim} rows for each contact, got {len(vector)}")
    if np.any(np.diag(matrix) < 0.0):
        k = int(np.argmin(np.diag(matrix)))
        raise ModelError(f"lcp.contact: delassus[{k}, {k}] must be positive or zero, got {matrix[k, k]:g}")
    count = len(vector) // dim
    mu = _per_contact("friction", friction, count)
    p = _per_contact("offset", 0.0 if offset is None else offset, count)
    if method == "lemke":
        _check_size("lcp.contact", method, at.unknowns(count, dim))
    problem = Problem(matrix, vector, mu, p, dim)
    status = problem.run(method)
    if method == "lemke" and dim == 3 and status != SOLVED:
        status = problem.run("alart-curnier")
    if status == SOLVED or problem.residual <= TOLERANCE:
        return problem.impulse.copy()
    if status == LIMITED and method == "enumeration":
        raise ModelError(
            f"lcp.contact: enumeration is for at most {MOST} bases, and in space without friction only; "
            f"{count} contacts are too many, take method='lemke'"
        )
    proved = status == NONE or (dim == 2 and count <= PROVABLE // 3 and problem.run("enumeration") == NONE)
    if proved:
        raise LcpError("lcp.contact: no solution exists: none of the states of the contacts has one")
    raise LcpError(f"lcp.contact: {_complaint(problem, method, status)}")


class _Kept(threading.local):
    """The problem of each size that was asked for last, in every thread: small ones come in large numbers."""

    def __init__(self) -> None:
        self.problems: dict[int, Problem] = {}


_KEPT = _Kept()


def _plain(matrix: np.ndarray, vector: np.ndarray) -> Problem:
    size = len(vector)
    if size > ENUMERABLE:
        return Problem(matrix, vector, np.zeros(0), np.zeros(0), 1)
    if size not in _KEPT.problems:
        _KEPT.problems[size] = Problem(np.zeros((size, size)), np.zeros(size), np.zeros(0), np.zeros(0), 1)
    return _KEPT.problems[size].renew(matrix, vector)


def _natural(matrix: np.ndarray, vector: np.ndarray, x: np.ndarray) -> np.ndarray:
    largest = np.abs(matrix).max(axis=1, initial=0.0)
    return np.minimum(np.where(largest > 0.0, largest, 1.0) * x, matrix @ x + vector)


def _error(matrix: np.ndarray, vector: np.ndarray, x: np.ndarray) -> float:
    """The residual without what is rounding of A x."""
    rounding = ROUNDING * (np.abs(matrix) @ np.abs(x))
    lack = np.abs(_natural(matrix, vector, x)) - rounding
    return float(lack.max(initial=0.0) / np.abs(vector).max()) if np.all(np.isfinite(x)) else float("inf")


def _reason(problem: Problem, method: str, status: int, matrix: np.ndarray, vector: np.ndarray) -> str:
    """Why there is no answer to a plain LCP; a small one is looked at in full."""
    if status == NONE:
        return f"no solution exists: none of the 2^{len(vector)} complementary bases has one"
    complaint = _complaint(problem, method, status)
    if len(vector) <= PROVABLE and method != "enumeration":
        other = _plain(matrix, vector).run("enumeration")
        if other == NONE:
            return f"no solution exists (enumeration proved it); {complaint.split(';')[0]}"
        if other == SOLVED:
            return f"{complaint.split(';')[0]}; a solution exists all the same: take method='enumeration'"
    return complaint


def _complaint(problem: Problem, method: str, status: int) -> str:
    turns = int(problem.table[at.ITERATIONS])
    if method == "lemke":
        what = "found no solution within its limit of exchanges" if status == LIMITED else "ended on a ray"
        return (
            f"Lemke's method {what} with every covering vector it tried; there may be no solution, "
            "or method='alart-curnier' finds it"
        )
    if method == "enumeration":
        return "enumeration found only solutions spoilt by rounding; A is nearly singular, scale it or take 'lemke'"
    if status == LIMITED:
        return (
            f"{method!r} did not converge in {turns} iterations, what is left is {problem.residual:.2g} of b; "
            "take method='lemke'"
        )
    return f"{method!r} diverged or met a diagonal that is not positive; take method='lemke'"


def _check_size(owner: str, method: str, size: int) -> None:
    if method == "enumeration" and size > ENUMERABLE:
        raise ModelError(f"{owner}: enumeration is for at most {ENUMERABLE} unknowns, got {size}; take method='lemke'")
    if method == "lemke" and size > LARGEST:
        raise ModelError(f"{owner}: 'lemke' is for at most {LARGEST} unknowns, got {size}; take method='pgs'")


def _array(owner: str, what: str, value: Any) -> np.ndarray:
    try:
        array = np.array(value, dtype=float)
    except (TypeError, ValueError, OverflowError):
        raise ModelError(f"{owner}: {what} must be made of numbers, got {short_repr(value)}") from None
    if not np.all(np.isfinite(array)):
        place = tuple(int(k) for k in np.argwhere(~np.isfinite(array))[0])
        raise ModelError(f"{owner}: {what} must be finite, got {array[place]} at {list(place)}")
    return array


def _data(owner: str, A: Any, b: Any, matrix: str = "A", vector: str = "b") -> tuple[np.ndarray, np.ndarray]:
    """A square matrix and a vector that fit together, made of finite numbers."""
    rows, column = _array(owner, matrix, A), _array(owner, vector, b)
    if rows.ndim != 2 or rows.shape[0] != rows.shape[1]:
        raise ModelError(f"{owner}: {matrix} must be a square matrix, got shape {rows.shape}")
    if column.shape != rows.shape[:1]:
        raise ModelError(
            f"{owner}: {vector} must have one number for each of the {len(rows)} rows of {matrix}, "
            f"got shape {column.shape}"
        )
    return rows, column


def _per_contact(what: str, value: Any, count: int) -> np.ndarray:
    array = _array("lcp.contact", what, value)
    if array.shape not in ((), (count,)):
        raise ModelError(f"lcp.contact: {what} must be one number or {count}, one for each contact, got {array.shape}")
    if np.any(array < 0.0):
        raise ModelError(f"lcp.contact: {what} must be positive or zero, got {array.min():g}")
    return np.broadcast_to(array, (count,)).copy()
