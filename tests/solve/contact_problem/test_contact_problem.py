"""The contact problem: all solvers give the same answer, and it obeys the laws of contact and friction."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from carom.solve.contact_problem import records as at
from carom.solve.contact_problem.registry import FALLBACKS, SOLVERS
from quick import each
from solve.contact_problem.problems import Case, block, dominant_case, random_case

METHODS = tuple(SOLVERS)
EXACT = ("lemke", "enumeration", "alart-curnier")

seeds = st.integers(0, 2**32 - 1)
counts = st.integers(1, 4)


def assert_same(impulse, other, case, tolerance=1e-10):
    """Impulses are compared by the velocities they give."""
    assert np.abs(case.matrix @ (impulse - other)).max() <= tolerance * np.abs(case.vector).max()


@each("offset", [0.0, 1.0])
@each("count", [1, 2, 3, 4])
def test_all_solvers_agree_where_there_is_one_solution(count, offset):
    rng = np.random.default_rng([count, int(offset)])
    for _ in range(300 if count < 4 else 50):
        case = dominant_case(rng, count, offset=offset)
        reference = case.solve("lemke")
        for method in METHODS[1:]:
            assert_same(case.solve(method), reference, case)


@each("friction", [0.0, 0.1, 0.5, 1.0])
@each("freedom", [None, 3, 2])
@each("count", [1, 2, 3, 4, 6])
def test_pivoting_solves_what_bodies_do(count, freedom, friction):
    """Redundant contacts too: 2·count rows, but two or three degrees of freedom."""
    rng = np.random.default_rng([count, freedom or 0, int(10 * friction)])
    for k in range(200):
        random_case(rng, count, 2, freedom, friction, offset=k % 2).solve("lemke")


@each("freedom", [None, 3])
@each("count", [1, 2, 3])
def test_enumeration_and_newton_solve_what_bodies_do(count, freedom):
    rng = np.random.default_rng([count, freedom or 0])
    for k in range(150):
        case = random_case(rng, count, 2, freedom, 0.4, offset=k % 2)
        case.solve("enumeration")
        case.solve("alart-curnier")


@given(seeds, counts)
def test_small_whole_numbers_make_degenerate_problems(seed, count):
    """Ties everywhere: contacts that just touch, just stick, or repeat each other."""
    rng = np.random.default_rng(seed)
    directions = rng.integers(-1, 2, (2 * count, 3)).astype(float)
    vector = directions @ rng.integers(-1, 2, 3)
    friction = rng.choice([0.0, 0.5, 1.0], count)
    case = Case(directions @ directions.T, vector, friction)
    if np.any(vector):
        case.solve("lemke")
        if count < 4:
            case.solve("enumeration")


@given(seeds, counts, st.sampled_from(METHODS))
def test_order_of_contacts_does_not_matter(seed, count, method):
    rng = np.random.default_rng(seed)
    case = dominant_case(rng, count)
    order = rng.permutation(count)
    rows = (2 * order[:, None] + np.arange(2)).ravel()
    other = Case(case.matrix[np.ix_(rows, rows)], case.vector[rows], case.friction[order])
    assert_same(other.solve(method), case.solve(method)[rows], other)


@given(seeds, counts, st.sampled_from(METHODS))
def test_mirrored_tangents_mirror_the_tangential_impulses(seed, count, method):
    case = dominant_case(np.random.default_rng(seed), count, offset=0.5)
    mirror = np.tile([1.0, -1.0], count)
    other = Case(mirror[:, None] * case.matrix * mirror, mirror * case.vector, case.friction, case.offset)
    assert_same(other.solve(method), mirror * case.solve(method), other)


@given(seeds, counts, st.sampled_from(EXACT), st.integers(-8, 8), st.integers(-8, 8))
def test_units_of_mass_and_speed_do_not_matter(seed, count, method, mass, speed):
    case = random_case(np.random.default_rng(seed), count, friction=0.2)
    other = Case(case.matrix * 10.0**-mass, case.vector * 10.0**speed, case.friction)
    here, there = case.solve(method), other.solve(method)
    assert_same(there * 10.0 ** (-mass - speed), here, case)


@given(seeds, counts)
def test_an_impulse_beforehand_adds_to_the_radius_of_friction(seed, count):
    """Sliding contacts with p have P_T = −μ (P_N + p) sign(ξ_T)."""
    case = dominant_case(np.random.default_rng(seed), count, offset=1.0)
    impulse = case.solve("lemke").reshape(-1, 2)
    slip = case.velocity().reshape(-1, 2)[:, 1]
    sliding = np.abs(slip) > 1e-9 * np.abs(case.vector).max()
    expected = -case.friction * (impulse[:, 0] + case.offset) * np.sign(slip)
    np.testing.assert_allclose(impulse[sliding, 1], expected[sliding], rtol=1e-9, atol=1e-12)


@each("method", METHODS)
@each("places", [[-1.0, 1.0], [-1.0, -0.4, 0.3, 1.0]])
def test_flat_block_falls_flat_and_slides_on(places, method):
    """Four contacts of one block are one too many, and more: the velocities are those of m Δv = ΣP all the same."""
    u, v, mu, mass = 3.0, -1.5, 0.3, 2.0
    case = block(places, 0.4, (u, v, 0.0), mass=mass, friction=mu)
    impulse = case.solve(method).reshape(-1, 2)
    after = case.velocity().reshape(-1, 2)
    np.testing.assert_allclose(after[:, 0], 0.0, atol=1e-11)
    np.testing.assert_allclose(after[:, 1], u + mu * v, rtol=1e-10)
    np.testing.assert_allclose(impulse.sum(axis=0), [-mass * v, mu * mass * v], rtol=1e-10)


@each("method", METHODS)
def test_flat_block_stops_where_friction_suffices(method):
    case = block([-1.0, -0.4, 0.3, 1.0], 0.2, (0.3, -1.5, 0.0), friction=0.5)
    case.solve(method)
    np.testing.assert_allclose(case.velocity(), 0.0, atol=1e-11)


@each("method", METHODS)
def test_a_repeated_contact_changes_nothing_but_the_share(method):
    rng = np.random.default_rng(11)
    for _ in range(20):
        case = dominant_case(rng, 2)
        rows = [0, 1, 2, 3, 2, 3]
        twice = Case(case.matrix[np.ix_(rows, rows)], case.vector[rows], case.friction[[0, 1, 1]])
        single, double = case.solve(method), twice.solve(method)
        assert_same(np.r_[double[:2], double[2:4] + double[4:]], single, case)


def painleve_rod(angle, friction, velocity):
    """A slender rod of unit mass and length whose tip touches the ground at ``angle``; velocity (u, v) of the tip."""
    c, s = 0.5 * np.cos(angle), 0.5 * np.sin(angle)
    matrix = np.array([[1.0 + 12.0 * c * c, -12.0 * s * c], [-12.0 * s * c, 1.0 + 12.0 * s * s]])
    return Case(matrix, np.array([velocity[1], velocity[0]]), friction)


@each("method", EXACT)
def test_a_rod_that_cannot_slide_jams(method):
    """Painlevé: μ G_NT > G_NN, so that friction presses the tip down; the only answer is to stop it at once."""
    case = painleve_rod(1.2, 2.0, (-1.0, -0.1))
    assert case.friction[0] * -case.matrix[0, 1] > case.matrix[0, 0]
    impulse = case.solve(method)
    np.testing.assert_allclose(impulse, -np.linalg.solve(case.matrix, case.vector), rtol=1e-12)
    assert abs(impulse[1]) <= 2.0 * impulse[0]


@each("method", METHODS)
def test_memory_for_more_contacts_serves_fewer(method):
    """Arrays are made for the largest number of contacts; what is left in them from before is not looked at."""
    rng = np.random.default_rng(3)
    for count in (3, 1, 2):
        seed = int(rng.integers(2**32))
        roomy = dominant_case(np.random.default_rng(seed), count, room=7)
        exact = dominant_case(np.random.default_rng(seed), count)
        np.testing.assert_array_equal(roomy.solve(method), exact.solve(method))
        np.testing.assert_array_equal(roomy.solve(method), exact.impulse)


@each("method", METHODS)
def test_no_contact_no_work(method):
    assert Case(np.zeros((0, 0)), np.zeros(0), np.zeros(0)).run(method) == at.SOLVED


@each("method", METHODS)
@each("dim", [2, 3])
def test_what_opens_gets_no_impulse(method, dim):
    rng = np.random.default_rng(4)
    case = random_case(rng, 2, dim, friction=0.0 if method == "enumeration" and dim == 3 else 0.5)
    case.vector[::dim] = np.abs(case.vector[::dim])
    np.testing.assert_array_equal(case.solve(method), 0.0)


@each("method", METHODS)
def test_what_is_no_number_is_no_solution(method):
    case = dominant_case(np.random.default_rng(5), 2)
    case.vector[0] = np.nan
    assert case.run(method) != at.SOLVED
    assert case.residual == np.inf


def test_contacts_that_contradict_each_other_have_no_solution():
    """A wedge that has no play is driven into by both sides: G P = 0 for P = (1, 1), while b·P < 0."""
    case = Case(np.array([[1.0, 0, -1, 0], [0, 0, 0, 0], [-1, 0, 1, 0], [0, 0, 0, 0]]), [-1.0, 0, -1, 0], 0.3)
    assert case.run("enumeration") == at.PROVED_UNSOLVABLE
    for method in ("lemke", "alart-curnier", "pgs"):
        assert case.run(method) in (at.NOT_FOUND, at.ITERATION_LIMIT)
        assert case.residual > 1e-3


def test_every_solver_has_others_behind_it():
    for name, others in FALLBACKS.items():
        assert sorted([name, *others]) == sorted(SOLVERS)
