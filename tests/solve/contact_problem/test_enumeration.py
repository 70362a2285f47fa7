"""Enumeration: it finds what there is, all of it, and proves that there is nothing."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from carom.solve.contact_problem import lcp
from carom.solve.contact_problem import records as at
from solve.contact_problem.problems import Case, block, dominant_case, random_case

seeds = st.integers(0, 2**32 - 1)


def plain(matrix, vector):
    return Case(matrix, vector, np.zeros(len(vector)), dim=1)


def feasible(matrix, vector):
    """Return True if some complementary cone contains −b, by linear programming with SciPy."""
    from scipy.optimize import linprog

    n = len(vector)
    for chosen in itertools.product([False, True], repeat=n):
        columns = np.where(chosen, -matrix, np.eye(n))
        if linprog(np.zeros(n), A_eq=columns, b_eq=vector, bounds=(0, None)).status == 0:
            return True
    return False


@given(seeds, st.integers(1, 3))
def test_existence_is_that_of_linear_programming(seed, n):
    """Small whole numbers: singular bases, ties, solutions that lie in singular bases alone."""
    rng = np.random.default_rng(seed)
    matrix, vector = rng.integers(-1, 2, (n, n)).astype(float), rng.integers(-1, 2, n).astype(float)
    case = plain(matrix, vector)
    assert (case.run("enumeration") == at.SOLVED) == feasible(matrix, vector)


@pytest.mark.parametrize(
    ("matrix", "vector"),
    [
        ([[0.0, 0.0], [1.0, -1.0]], [0.0, -1.0]),
        ([[-1.0, 1.0], [0.0, 0.0]], [-2.0, 0.0]),
        ([[-1.0, 1.0, 0.0], [0.0, -1.0, 1.0], [0.0, 0.0, 0.0]], [-1.0, -2.0, 0.0]),
    ],
)
def test_a_solution_in_singular_bases_alone_is_found(matrix, vector):
    """y = 0, and of x more than one choice can be positive: x = (1 + s, s), (s, 2 + s), (s, 1 + s, 3 + s)."""
    case = plain(matrix, vector)
    impulse = case.solve("enumeration")
    np.testing.assert_allclose(case.velocity(), 0.0, atol=1e-12)
    assert np.all(impulse >= 0.0)


@pytest.mark.parametrize("n", [1, 2, 3, 4])
def test_minus_the_unit_matrix_has_all_solutions(n):
    """y = 1 − x: every x_i is 0 or 1."""
    found = lcp.solutions(-np.eye(n), np.ones(n))
    assert sorted(tuple(x) for x in found) == sorted(itertools.product([0.0, 1.0], repeat=n))


def test_the_search_goes_on_behind_a_solution():
    case = plain(-np.eye(2), np.ones(2))
    found = []
    while case.run("enumeration") == at.SOLVED:
        found.append(tuple(case.impulse))
        case.record.first_basis += case.iterations
    assert found == [(0.0, 0.0), (1.0, 0.0), (0.0, 1.0), (1.0, 1.0)]


@given(seeds, st.integers(1, 5))
def test_p_matrices_have_one_solution(seed, n):
    rng = np.random.default_rng(seed)
    root, turn = rng.normal(size=(n, n)), rng.normal(size=(n, n))
    matrix = root @ root.T + 0.1 * np.eye(n) + turn - turn.T
    vector = rng.normal(size=n)
    found = lcp.solutions(matrix, vector)
    assert len(found) == 1
    np.testing.assert_allclose(lcp.solve(matrix, vector)[0], found[0], rtol=1e-8, atol=1e-9)


@pytest.mark.parametrize("offset", [0.0, 1.0])
def test_six_contacts_with_friction_are_within_reach(offset):
    case = dominant_case(np.random.default_rng(6), 6, offset=offset)
    np.testing.assert_allclose(case.solve("enumeration"), case.solve("lemke"), rtol=1e-8, atol=1e-10)


def test_too_many_bases_are_refused():
    for case in (plain(np.eye(17), -np.ones(17)), Case(np.eye(16), -np.ones(16), 0.5)):
        assert case.run("enumeration") == at.ITERATION_LIMIT


def test_in_space_only_without_friction():
    case = random_case(np.random.default_rng(7), 2, dim=3, friction=0.3)
    assert case.run("enumeration") == at.ITERATION_LIMIT
    smooth = random_case(np.random.default_rng(7), 2, dim=3, friction=0.0)
    np.testing.assert_allclose(smooth.solve("enumeration"), smooth.solve("alart-curnier"), atol=1e-12)


def test_redundant_corners_of_a_block():
    case = block([-1.0, -1.0, 1.0, 1.0], 0.4, (1.0, -1.0, 0.2), friction=0.3)
    reference = case.solve("lemke")
    here = case.solve("enumeration")
    np.testing.assert_allclose(case.matrix @ here, case.matrix @ reference, atol=1e-10)
