"""Newton's method on the proximal equations: convergence, the disc in space, singular matrices."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from carom.solve.contact_problem import records as at
from solve.contact_problem.problems import Case, dominant_case, random_case

seeds = st.integers(0, 2**32 - 1)


@given(seeds, st.integers(1, 4))
def test_tangents_may_be_turned(seed, count):
    """The disc has no preferred direction: turned tangents give turned impulses."""
    rng = np.random.default_rng(seed)
    case = dominant_case(rng, count, dim=3, offset=0.5)
    turn = np.zeros((3 * count, 3 * count))
    for i in range(count):
        angle = rng.uniform(0.0, 2.0 * np.pi)
        turn[3 * i, 3 * i] = 1.0
        turn[3 * i + 1 : 3 * i + 3, 3 * i + 1 : 3 * i + 3] = [
            [np.cos(angle), -np.sin(angle)],
            [np.sin(angle), np.cos(angle)],
        ]
    other = Case(turn @ case.matrix @ turn.T, turn @ case.vector, case.friction, case.offset, dim=3)
    here, there = case.solve("alart-curnier"), other.solve("alart-curnier")
    np.testing.assert_allclose(case.matrix @ turn.T @ there, case.matrix @ here, atol=1e-9 * np.abs(case.vector).max())


@given(seeds, st.integers(1, 3))
def test_space_with_one_tangent_at_rest_is_the_plane(seed, count):
    plane = dominant_case(np.random.default_rng(seed), count)
    rows = np.array([3 * i + d for i in range(count) for d in range(2)])
    matrix, vector = np.diag(np.repeat(np.diag(plane.matrix)[::2], 3)), np.zeros(3 * count)
    matrix[np.ix_(rows, rows)], vector[rows] = plane.matrix, plane.vector
    space = Case(matrix, vector, plane.friction, dim=3)
    there = space.solve("alart-curnier")
    np.testing.assert_allclose(there[rows], plane.solve("alart-curnier"), rtol=1e-8, atol=1e-10)
    np.testing.assert_allclose(np.delete(there, rows), 0.0, atol=1e-12)


@pytest.mark.parametrize("freedom", [None, 6])
@pytest.mark.parametrize("friction", [0.0, 0.3, 1.0])
def test_bodies_in_space(freedom, friction):
    """Four contacts of one body: twelve rows, six degrees of freedom."""
    rng = np.random.default_rng([freedom or 0, int(10 * friction)])
    for k in range(60):
        random_case(rng, 4, 3, freedom, friction, offset=k % 2).solve("alart-curnier")


def test_convergence_is_quadratic():
    """In space, where contacts slide: the number of right digits about doubles with the last step."""
    rng = np.random.default_rng(5)
    for _ in range(10):
        case = dominant_case(rng, 2, dim=3, most=0.3)
        case.vector[::3] = -np.abs(case.vector[::3])
        case.solve("alart-curnier")
        last, left = case.iterations, []
        for limit in (last - 1, last):
            if limit < 1:
                break
            case.record.max_iterations = limit
            case.run("alart-curnier")
            left.append(case.residual)
        if len(left) == 2 and left[0] < 1e-2:
            assert left[1] < max(30.0 * left[0] ** 2, 1e-13)


def test_a_guess_close_by_saves_steps():
    case = dominant_case(np.random.default_rng(6), 4)
    solution = case.solve("alart-curnier")
    case.solve("alart-curnier", guess=solution * (1.0 + 1e-6))
    assert case.iterations <= 1


def test_newton_on_an_lcp_without_a_positive_diagonal():
    """Gauss–Seidel has nothing to say here; new starts lead to the solution x = (1, 1)."""
    case = Case([[-1.0, 2.0], [2.0, -1.0]], [-1.0, -1.0], [0.0, 0.0], dim=1)
    np.testing.assert_allclose(case.solve("alart-curnier"), 1.0, rtol=1e-10)


def test_the_limit_of_steps_is_kept_and_said():
    case = random_case(np.random.default_rng(7), 4, 3, friction=0.5)
    case.vector[::3] = -1.0
    case.record.max_iterations = 1
    assert case.run("alart-curnier") == at.ITERATION_LIMIT
    assert case.iterations == 1


@pytest.mark.parametrize("freedom", [None, 20], ids=["regular", "redundant"])
def test_factors_of_the_last_problem_solve_one_close_to_it(freedom):
    """Ten contacts: a small change of b needs no further elimination; after a large one the laws hold, too."""
    rng = np.random.default_rng(3)
    case = random_case(rng, 10, dim=3, freedom=freedom)
    first = case.solve("alart-curnier")
    assert case.iterations > 0
    step = case.matrix @ rng.normal(size=len(first))  # a change that impulses can cause, also where rows depend
    vector = case.vector.copy()
    case.vector[:] = vector + 1e-9 * step / np.abs(step).max()
    near = case.solve("alart-curnier", first)
    assert case.iterations == 0
    assert np.any(near != first)
    case.vector[:] = -vector
    case.solve("alart-curnier", near)
