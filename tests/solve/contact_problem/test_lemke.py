"""Lemke's method: paths, ties, rays, one contact, and the polygon in place of the disc."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from carom.solve.contact_problem import lcp
from carom.solve.contact_problem import records as at
from quick import each
from solve.contact_problem.problems import Case, block, dominant_case, random_case

seeds = st.integers(0, 2**32 - 1)


def plain(matrix, vector):
    return Case(matrix, vector, np.zeros(len(vector)), dim=1)


def polygon_lcp(case, sides):
    """The LCP of Stewart and Trinkle, unscaled: x = (P_N, β, λ) of one contact after the other; and T of P = T x."""
    angles = 2.0 * np.pi * np.arange(sides) / sides
    rays = np.vstack([np.cos(angles), np.sin(angles)])[: case.dim - 1]
    width = sides + 2
    to_impulse = np.zeros((case.count * case.dim, case.count * width))
    extra = np.zeros((case.count * width, case.count * width))
    b = np.zeros(case.count * width)
    for i in range(case.count):
        n, k = i * case.dim, i * width
        to_impulse[n, k] = 1.0
        to_impulse[n + 1 : n + case.dim, k + 1 : k + 1 + sides] = rays
        extra[k + 1 : k + 1 + sides, k + 1 + sides] = 1.0
        extra[k + 1 + sides, k] = case.friction[i]
        extra[k + 1 + sides, k + 1 : k + 1 + sides] = -1.0
        b[k + 1 + sides] = case.friction[i] * case.offset[i]
    return to_impulse.T @ case.matrix @ to_impulse + extra, to_impulse.T @ case.vector + b, to_impulse


@given(seeds, st.integers(1, 8))
def test_p_matrices_have_the_solution_they_were_made_for(seed, n):
    """Positive definite, not symmetric; some of the x and y zero together."""
    rng = np.random.default_rng(seed)
    root, turn = rng.normal(size=(n, n)), rng.normal(size=(n, n))
    matrix = root @ root.T + 0.1 * np.eye(n) + turn - turn.T
    x = rng.uniform(0.5, 2.0, n) * rng.integers(0, 2, n)
    y = rng.uniform(0.5, 2.0, n) * rng.integers(0, 2, n) * (x == 0.0)
    case = plain(matrix, y - matrix @ x)
    if np.any(case.vector):
        np.testing.assert_allclose(case.solve("lemke"), x, rtol=1e-9, atol=1e-9)


@each("n", range(2, 13))
def test_murtys_example_with_exponentially_long_paths(n):
    """A lower triangular, 1 on the diagonal and 2 below, b = −(2ⁿ, 2ⁿ + 2ⁿ⁻¹, …): x = (2ⁿ, 0, …)."""
    matrix = np.eye(n) + 2.0 * np.tril(np.ones((n, n)), -1)
    case = plain(matrix, -np.cumsum(2.0 ** np.arange(n, 0, -1)))
    np.testing.assert_allclose(case.solve("lemke"), [2.0**n, *[0.0] * (n - 1)], rtol=1e-12, atol=1e-9)


@each("n", [3, 6, 9])
def test_ties_do_not_lead_in_a_circle(n):
    """The cyclic P-matrix on which simpler pivoting goes in circles; every row of b is the same."""
    matrix = np.eye(n) + 2.0 * np.roll(np.eye(n), 1, axis=1)
    if n % 2 == 1:  # det = 1 + 2ⁿ: a P-matrix for odd n
        np.testing.assert_allclose(plain(matrix, -np.ones(n)).solve("lemke"), 1.0 / 3.0, rtol=1e-12)
    case = plain(np.ones((n, n)), -np.ones(n))
    assert case.solve("lemke").sum() == pytest.approx(1.0)
    assert case.iterations <= 2 * n


@each(
    "matrix, vector",
    [
        ([[-1.0]], [-1.0]),
        ([[0.0, -1.0], [1.0, 0.0]], [-1.0, -1.0]),
        ([[-1.0, 1.0], [1.0, -1.0]], [-1.0, -1.0]),
    ],
)
def test_a_problem_without_solution_ends_on_a_ray(matrix, vector):
    case = plain(matrix, vector)
    assert case.run("lemke") == at.NOT_FOUND
    assert case.run("enumeration") == at.PROVED_UNSOLVABLE
    assert case.residual > 0.0


def test_the_limit_of_exchanges_is_kept():
    case = plain(np.eye(6), -np.ones(6))
    case.record.max_iterations = 2
    assert case.run("lemke") == at.ITERATION_LIMIT
    case.record.max_iterations = 20
    np.testing.assert_allclose(case.solve("lemke"), 1.0)


def test_a_ray_is_not_taken_for_a_solution():
    """Any matrices with solutions: most are found, and what is found is one."""
    rng = np.random.default_rng(1)
    found = rays = 0
    for _ in range(300):
        matrix, vector = rng.normal(size=(4, 4)), rng.normal(size=4)
        case = plain(matrix, vector)
        if case.run("enumeration") == at.SOLVED and np.any(vector < 0.0):
            if case.run("lemke") == at.SOLVED:
                found += 1
                assert lcp.residual(matrix, vector, case.impulse) < 1e-11
            else:
                rays += 1
                assert case.residual > 1e-12
    assert found > 3 * rays


@given(seeds, st.sampled_from([0.0, 1.0]))
def test_one_contact_by_its_states_is_one_contact_by_pivoting(seed, offset):
    """A second contact that is open and far away sends the first one through the tableau."""
    case = dominant_case(np.random.default_rng(seed), 1, offset=offset)
    matrix = np.zeros((4, 4))
    matrix[:2, :2], matrix[2:, 2:] = case.matrix, np.eye(2)
    pair = Case(matrix, [*case.vector, 1.0, 0.0], [case.friction[0], 0.1], [case.offset[0], 0.0])
    np.testing.assert_allclose(pair.solve("lemke")[:2], case.solve("lemke"), rtol=1e-9, atol=1e-12)
    assert case.iterations == 0


def test_contacts_that_open_may_rub_still():
    """With an impulse p beforehand, P_N = 0 and P_T = −μ p: x = 0 of the LCP, found without a path."""
    case = Case(np.eye(4), [1.0, 2.0, 1.0, 2.0], 0.5, 1.0)
    np.testing.assert_allclose(case.solve("lemke"), [0.0, -0.5, 0.0, -0.5])
    assert case.iterations == 0


@given(seeds, st.integers(1, 4), st.sampled_from([0.0, 1.0]))
def test_saturations_and_polygon_pose_the_same_problem_in_the_plane(seed, count, offset):
    case = dominant_case(np.random.default_rng(seed), count, offset=offset)
    a, b, to_impulse = polygon_lcp(case, 2)
    other = to_impulse @ lcp.solve(a, b)[0] if np.any(b < 0.0) else np.zeros(2 * count)
    here = case.solve("lemke")
    np.testing.assert_allclose(case.matrix @ other, case.matrix @ here, atol=1e-9 * np.abs(case.vector).max())


@each("offset", [0.0, 1.0])
def test_in_space_the_polygon_is_solved(offset):
    """The impulses left behind are those of the octagon, and the disc's where nothing slides."""
    rng = np.random.default_rng(8)
    slid = 0
    for _ in range(50):
        case = dominant_case(rng, 2, dim=3, offset=offset)
        status = case.run("lemke")
        a, b, to_impulse = polygon_lcp(case, at.SIDES)
        octagon = to_impulse @ lcp.solve(a, b)[0] if np.any(b < 0.0) else np.zeros(6)
        np.testing.assert_allclose(
            case.matrix @ case.impulse, case.matrix @ octagon, atol=1e-9 * np.abs(case.vector).max()
        )
        assert (status == at.SOLVED) == (case.residual <= 1e-12)
        slid += status == at.ITERATION_LIMIT
    assert slid > 10


@each("sides", [8, 16, 32, 64])
def test_the_polygon_errs_by_the_angle_to_its_nearest_corner(sides):
    """A point mass that slides off a corner's direction by 0.9 of half the corners' angle: 2 μ P_N sin(0.45 π/m)."""
    mass, mu = 2.0, 0.3
    angle = 0.9 * np.pi / sides
    case = Case(np.eye(3) / mass, [-1.0, -3.0 * np.cos(angle), -3.0 * np.sin(angle)], mu, dim=3)
    a, b, to_impulse = polygon_lcp(case, sides)
    error = np.linalg.norm(to_impulse @ lcp.solve(a, b)[0] - case.solve("alart-curnier"))
    assert error == pytest.approx(2.0 * mu * mass * np.sin(0.5 * angle), rel=1e-9)


def test_polygons_with_more_sides_come_nearer_to_the_disc():
    rng = np.random.default_rng(9)
    errors = np.zeros(3)
    for _ in range(10):
        case = dominant_case(rng, 2, dim=3)
        case.vector[::3] = -np.abs(case.vector[::3])
        disc = case.matrix @ case.solve("alart-curnier")
        for k, sides in enumerate([8, 32, 128]):
            a, b, to_impulse = polygon_lcp(case, sides)
            polygon = case.matrix @ to_impulse @ lcp.solve(a, b)[0]
            errors[k] += np.abs(polygon - disc).max() / np.abs(case.vector).max()
    assert errors[0] > 0.1
    assert errors[1] < errors[0] / 2.0
    assert errors[2] < errors[0] / 8.0


def test_too_many_contacts_are_refused():
    count = at.MAX_LCP_UNKNOWNS // 3 + 1
    case = Case(np.eye(2 * count), -np.ones(2 * count), 0.5)
    assert case.run("lemke") == at.ITERATION_LIMIT


@each("count", [10, 40])
def test_many_contacts(count):
    case = random_case(np.random.default_rng(count), count, friction=0.3)
    case.solve("lemke")
    row = block(np.linspace(-1.0, 1.0, count), 0.4, (3.0, -1.5, 0.2))
    row.solve("lemke")
