"""The public face of the complementarity solvers: answers, refusals, and what they say."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from carom.errors import ModelError
from carom.solve.contact_problem import lcp
from carom.solve.contact_problem.registry import SOLVERS
from quick import each
from solve.contact_problem.problems import dominant_case

METHODS = tuple(SOLVERS)
seeds = st.integers(0, 2**32 - 1)
every_method = pytest.mark.parametrize("method", METHODS)


@every_method
def test_a_textbook_problem(method):
    """R. Cottle, J.-S. Pang, R. Stone: A = [2 1; 1 2], b = (−5, −6)."""
    x, y = lcp.solve([[2, 1], [1, 2]], [-5, -6], method)
    np.testing.assert_allclose(x, [4 / 3, 7 / 3], rtol=1e-11)
    np.testing.assert_array_equal(y, 0.0)


@every_method
def test_one_side_is_exactly_zero(method):
    rng = np.random.default_rng(1)
    for _ in range(20):
        root = rng.normal(size=(6, 6))
        matrix, vector = root @ root.T + 0.5 * np.eye(6), rng.normal(size=6)
        x, y = lcp.solve(matrix, vector, method)
        assert np.all((x == 0.0) | (y == 0.0))
        np.testing.assert_allclose(y, matrix @ x + vector, atol=1e-10)
        assert lcp.residual(matrix, vector, x) <= 1e-10


@every_method
def test_what_is_positive_already_is_left_alone(method):
    x, y = lcp.solve([[-1.0, 3.0], [2.0, 0.0]], [0.0, 2.0], method)
    np.testing.assert_array_equal(x, 0.0)
    np.testing.assert_array_equal(y, [0.0, 2.0])


@every_method
def test_no_solution_is_an_error_that_says_so(method):
    with pytest.raises(lcp.LcpError, match="no solution exists"):
        lcp.solve([[-1.0, 1.0], [1.0, -1.0]], [-1.0, -1.0], method)


@given(seeds, st.integers(1, 5), st.sampled_from(METHODS))
def test_never_a_wrong_answer(seed, n, method):
    """Any matrix: a solution, or an error; never an error that denies a solution there is."""
    rng = np.random.default_rng(seed)
    matrix, vector = rng.normal(size=(n, n)), rng.normal(size=n)
    existing = lcp.solutions(matrix, vector)
    said = ""
    try:
        x, _ = lcp.solve(matrix, vector, method)
    except lcp.LcpError as error:
        said = str(error)
    if said:
        assert ("no solution exists" in said) == (existing == [])
    else:
        assert lcp.residual(matrix, vector, x) <= 1e-10
        assert any(np.allclose(x, other, rtol=1e-6, atol=1e-8) for other in existing)


def test_a_ray_is_named_and_the_way_out():
    """A = [−1 1; 1 0], b = (−1, −1) has the one solution (1, 2), which no path of Lemke's reaches."""
    matrix, vector = [[-1, 1], [1, 0]], [-1, -1]
    np.testing.assert_allclose(lcp.solutions(matrix, vector), [[1.0, 2.0]])
    with pytest.raises(lcp.LcpError, match=r"ended on a ray.*use method='enumeration'"):
        lcp.solve(matrix, vector)
    np.testing.assert_allclose(lcp.solve(matrix, vector, "enumeration")[0], [1.0, 2.0])


def test_failure_to_converge_is_named():
    rng = np.random.default_rng(2)
    turn = rng.normal(size=(30, 30))
    with pytest.raises(lcp.LcpError, match=r"'pgs'.*use method='lemke'"):
        lcp.solve(np.eye(30) + turn - turn.T, rng.normal(size=30), "pgs")


@each("n", [50, 200])
def test_several_hundred_unknowns(n):
    rng = np.random.default_rng(n)
    root, turn = rng.normal(size=(n, n)), rng.normal(size=(n, n))
    matrix = root @ root.T / n + 0.01 * np.eye(n) + turn - turn.T
    x = rng.uniform(size=n) * rng.integers(0, 2, n)
    vector = rng.uniform(size=n) * (x == 0.0) - matrix @ x
    for method in ("lemke", "alart-curnier"):
        np.testing.assert_allclose(lcp.solve(matrix, vector, method)[0], x, atol=1e-8)


@given(seeds, st.integers(-12, 12), st.integers(-12, 12))
def test_units_do_not_matter(seed, row, column):
    rng = np.random.default_rng(seed)
    root = rng.normal(size=(4, 4))
    matrix, vector = root @ root.T + 0.1 * np.eye(4), rng.normal(size=4)
    x, _ = lcp.solve(matrix, vector)
    other, _ = lcp.solve(matrix * 10.0 ** (row - column), vector * 10.0**row)
    np.testing.assert_allclose(other, x * 10.0**column, rtol=1e-9, atol=1e-12 * 10.0**column)


def test_residual_by_hand():
    assert lcp.residual([[2.0]], [-4.0], [2.0]) == 0.0
    assert lcp.residual([[2.0]], [-4.0], [1.0]) == pytest.approx(0.5)  # y = −2, of 4
    assert lcp.residual([[2.0]], [4.0], [1.0]) == pytest.approx(0.5)  # x = 1 makes 2, of 4
    assert lcp.residual([[2.0]], [0.0], [0.0]) == 0.0


def test_no_unknowns():
    x, y = lcp.solve(np.zeros((0, 0)), [])
    assert x.shape == y.shape == (0,)


@each(
    "call, message",
    [
        (lambda: lcp.solve([[1.0, 2.0]], [1.0]), r"A must be a square matrix, got shape \(1, 2\)"),
        (
            lambda: lcp.solve([[1.0]], [[1.0]]),
            r"b must have one number per row of A \(1 rows\), got shape \(1, 1\)",
        ),
        (lambda: lcp.solve(np.eye(2), [1.0]), r"b must have one number per row of A \(2 rows\), got shape \(1,\)"),
        (lambda: lcp.solve([[np.inf]], [1.0]), r"A must be finite, got inf at \[0, 0\]"),
        (lambda: lcp.solve(np.eye(2), [1.0, np.nan]), r"b must be finite, got nan at \[1\]"),
        (lambda: lcp.solve("A", [1.0]), "A must be an array of numbers"),
        (lambda: lcp.solve(np.eye(1), [1.0], "simplex"), "method must be one of 'lemke'.*'simplex'"),
        (lambda: lcp.solve(np.eye(17), -np.ones(17), "enumeration"), "at most 16 unknowns, got 17"),
        (lambda: lcp.solutions(np.eye(17), -np.ones(17)), "at most 16 unknowns, got 17"),
        (lambda: lcp.solve(np.eye(1201), -np.ones(1201)), "at most 1200 unknowns, got 1201"),
        (
            lambda: lcp.residual(np.eye(2), [1.0, 1.0], [1.0]),
            r"x must have one number per row of A \(2 rows\), got shape \(1,\)",
        ),
        (lambda: lcp.contact(np.eye(3), np.ones(3), 0.3), "2 rows per contact, got 3 rows"),
        (lambda: lcp.contact(np.eye(2), np.ones(2), 0.3, dim=4), "dim must be 2 .* got 4"),
        (lambda: lcp.contact(np.eye(2), np.ones(2), -0.3), "friction must be positive or zero, got -0.3"),
        (lambda: lcp.contact(np.eye(2), np.ones(2), [0.3, 0.3]), "friction must be one number or 1"),
        (lambda: lcp.contact(np.eye(2), np.ones(2), 0.3, offset=-1.0), "offset must be positive or zero, got -1"),
        (lambda: lcp.contact(-np.eye(2), np.ones(2), 0.3), r"delassus\[0, 0\] must be positive or zero, got -1"),
        (
            lambda: lcp.contact(np.eye(24), -np.ones(24), 0.3, method="enumeration"),
            "70000 bases.*got 12 contacts",
        ),
        (lambda: lcp.contact(np.eye(3), -np.ones(3), 0.3, dim=3, method="enumeration"), "in 3D no friction"),
    ],
)
def test_invalid_arguments_are_rejected(call, message):
    with pytest.raises(ModelError, match=message):
        call()


@every_method
def test_contact_of_a_point_mass(method):
    """m = 2 kg meets the ground at 1 m/s, sliding at 3 m/s with μ = 0.3: P = (2, −0.6) N s."""
    np.testing.assert_allclose(lcp.contact(np.eye(2) / 2.0, [-1.0, 3.0], 0.3, method=method), [2.0, -0.6], rtol=1e-11)
    np.testing.assert_allclose(
        lcp.contact(np.eye(2) / 2.0, [-1.0, 3.0], 0.3, method=method, offset=1.0), [2.0, -0.9], rtol=1e-11
    )


@each("method", ["lemke", "alart-curnier", "pgs"])
def test_contact_in_space(method):
    impulse = lcp.contact(np.eye(3) / 2.0, [-1.0, 3.0, 4.0], 0.3, dim=3, method=method)
    np.testing.assert_allclose(impulse, [2.0, -0.36, -0.48], rtol=1e-10)


@given(seeds, st.integers(1, 4), st.sampled_from([2, 3]))
def test_contact_is_the_compiled_problem(seed, count, dim):
    case = dominant_case(np.random.default_rng(seed), count, dim, offset=0.5)
    expected = case.solve("alart-curnier")
    for method in ("lemke", "alart-curnier"):
        impulse = lcp.contact(case.matrix, case.vector, case.friction, dim, method, case.offset)
        np.testing.assert_allclose(case.matrix @ impulse, case.matrix @ expected, atol=1e-9 * np.abs(case.vector).max())


@every_method
def test_contacts_without_solution(method):
    wedge = np.array([[1.0, 0, -1, 0], [0, 0, 0, 0], [-1, 0, 1, 0], [0, 0, 0, 0]])
    with pytest.raises(lcp.LcpError, match="no solution exists"):
        lcp.contact(wedge, [-1.0, 0.0, -1.0, 0.0], 0.3, method=method)
