"""Projected Gauss–Seidel: exact projections, warm starts, and what it cannot do."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from carom.solve.contact_problem import records as at
from solve.contact_problem.problems import Case, dominant_case, random_case

seeds = st.integers(0, 2**32 - 1)


@given(seeds, st.integers(1, 4), st.sampled_from([0.0, 1.0]))
def test_the_disc_in_space_is_that_of_newtons_method(seed, count, offset):
    case = dominant_case(np.random.default_rng(seed), count, dim=3, offset=offset)
    here, there = case.solve("pgs"), case.solve("alart-curnier")
    atol = 1e-10 * np.abs(case.vector).max()
    np.testing.assert_allclose(case.matrix @ here, case.matrix @ there, atol=atol)


def test_sliding_in_space_is_against_the_velocity():
    """One contact of a point mass m: P_N = −m v_N and P_T = −μ P_N along the velocity, in any direction."""
    mass, mu = 2.0, 0.3
    for angle in np.linspace(0.0, 2.0 * np.pi, 13):
        along = np.array([np.cos(angle), np.sin(angle)])
        case = Case(np.eye(3) / mass, np.r_[-1.0, 3.0 * along], mu, dim=3)
        np.testing.assert_allclose(case.solve("pgs"), np.r_[mass, -mu * mass * along], atol=1e-11)


def test_the_solution_as_a_guess_needs_no_sweep():
    case = dominant_case(np.random.default_rng(1), 3)
    solution = case.solve("pgs")
    cold = case.iterations
    assert cold > 0
    np.testing.assert_array_equal(case.solve("pgs", guess=solution), solution)
    assert case.iterations == 0
    case.solve("pgs", guess=solution * (1.0 + 1e-6))
    assert 0 < case.iterations < cold


def test_a_guess_that_is_no_number_does_no_harm():
    case = dominant_case(np.random.default_rng(2), 2)
    solution = case.solve("pgs")
    np.testing.assert_allclose(case.solve("pgs", guess=np.nan), solution, rtol=1e-9, atol=1e-12)


def test_the_limit_of_sweeps_is_kept_and_said():
    case = random_case(np.random.default_rng(3), 4)
    case.vector[::2] = -1.0
    case.record.max_iterations = 3
    assert case.run("pgs") == at.ITERATION_LIMIT
    assert case.iterations == 3
    assert case.residual > 1e-12


def test_it_stops_at_the_tolerance():
    sweeps = []
    for tolerance in (1e-3, 1e-7, 1e-12):
        case = random_case(np.random.default_rng(4), 3, tolerance=tolerance, friction=0.2)
        case.vector[::2] = -np.abs(case.vector[::2])
        assert case.run("pgs") == at.SOLVED
        assert case.residual <= tolerance
        sweeps.append(case.iterations)
    assert sweeps[0] < sweeps[1] < sweeps[2]


def test_a_diagonal_that_is_not_positive_is_not_for_it():
    case = Case([[-1.0, 2.0], [2.0, -1.0]], [-1.0, -1.0], [0.0, 0.0], dim=1)
    assert case.run("pgs") == at.NOT_FOUND
