"""The three solvers of the saddle-point system give what NumPy's dense algebra gives."""

from __future__ import annotations

import numpy as np

import carom as cm
from carom.mechanics import kkt_lu, kkt_schur, kkt_sparse
from carom.mechanics import model_record as slot
from carom.solve.model_evaluator import ModelEvaluator
from mechanics.random_mechanisms import FAMILIES, SOLVERS, bodies, dense, relative_error, tree, using
from quick import each
from solve.mechanisms import chain, parallelogram

ROUNDING = 2e-16


def solved(system: cm.System, solver: str) -> tuple[ModelEvaluator, np.ndarray]:
    with using(solver):
        mechanism = ModelEvaluator(system)
    return mechanism, mechanism.tables.y0.copy()


@each("solver", SOLVERS)
@each("family", FAMILIES)
@each("count", [2, 5, 14])
@each("seed", [1, 2, 3, 4])
def test_accelerations_and_multipliers_are_those_of_dense_algebra(family, count, solver, seed):
    system = FAMILIES[family](np.random.default_rng([seed, count]), count)
    mechanism, y = solved(system, solver)
    acceleration, multipliers, condition = dense(mechanism, 0.3, y)
    assert condition < 1e7  # of these mechanisms; a worse one would tell nothing
    rate, status = mechanism.rate(0.3, y)
    # Elimination without pivoting may lose some digits more than the condition number takes.
    allowed = 1e3 * ROUNDING * condition
    assert status == slot.OK
    assert relative_error(rate[mechanism.n : 2 * mechanism.n], acceleration) < allowed
    assert relative_error(mechanism.multipliers(), multipliers) < allowed


@each("solver", SOLVERS)
@each("family", FAMILIES)
def test_rate_of_the_coordinates_is_the_velocities(family, solver):
    mechanism, y = solved(FAMILIES[family](np.random.default_rng(5), 6), solver)
    rate, _ = mechanism.rate(0.0, y)
    np.testing.assert_array_equal(rate[: mechanism.n], y[mechanism.n : 2 * mechanism.n])


@each("solver", SOLVERS)
def test_same_state_gives_the_same_answer_again(solver):
    """Factors and scratch of one evaluation leave nothing behind for the next."""
    rng = np.random.default_rng(8)
    mechanism, y = solved(tree(rng, 9), solver)
    first, _ = mechanism.rate(0.0, y)
    for _ in range(3):
        mechanism.rate(0.1, y + rng.uniform(-0.1, 0.1, len(y)))
    np.testing.assert_array_equal(mechanism.rate(0.0, y)[0], first)


@each("solver", SOLVERS)
def test_bodies_without_joints_fall_freely(solver):
    mechanism, y = solved(bodies(np.random.default_rng(3), 4), solver)
    rate, status = mechanism.rate(0.0, y)
    assert status == slot.OK
    np.testing.assert_allclose(rate[mechanism.n : 2 * mechanism.n].reshape(-1, 3), [[1.0, -9.81, 0.0]] * 4, rtol=1e-15)


@each("solver", SOLVERS)
def test_dependent_rows_are_noticed(solver):
    mechanism, y = solved(parallelogram(0.8, bars=3), solver)
    _, status = mechanism.rate(0.0, y)
    assert status == slot.SINGULAR
    assert mechanism.tables.settings.min_pivot_ratio < 1e-13


@each("solver", SOLVERS)
def test_weakest_pivot_of_independent_rows_is_far_from_zero(solver):
    mechanism, y = solved(parallelogram(0.8, bars=2), solver)
    mechanism.rate(0.0, y)
    assert 1e-3 < mechanism.tables.settings.min_pivot_ratio <= 1.0


@each("solver", SOLVERS)
def test_proximal_term_makes_dependent_rows_solvable(solver):
    """Accelerations of the redundant parallelogram: 2 θ'' = −2.5 g cos θ for three bars of 1 kg and their coupler."""
    mechanism, y = solved(parallelogram(0.8, bars=3), solver)
    mechanism.tables.regularise(1e-8, 4)
    rate, status = mechanism.rate(0.0, y)
    acceleration = rate[mechanism.n : 2 * mechanism.n].reshape(-1, 3)
    assert status == slot.OK
    np.testing.assert_allclose(acceleration[1:, 2], -1.25 * 9.81 * np.cos(0.8), rtol=1e-9)
    assert abs(acceleration[0, 2]) < 1e-8


@each("solver", SOLVERS)
@each("mass", [1e-6, 1.0, 1e7])
def test_units_do_not_matter(solver, mass):
    """A parallelogram of micrograms and one of ships have one angular acceleration, and no row is called dependent."""
    system = parallelogram(0.8, bars=2)
    for body in system.bodies:
        body.mass, body.inertia = mass * body.mass, mass * body.inertia
    mechanism, y = solved(system, solver)
    rate, status = mechanism.rate(0.0, y)
    acceleration = rate[mechanism.n : 2 * mechanism.n].reshape(-1, 3)
    assert status == slot.OK
    assert mechanism.tables.settings.min_pivot_ratio > 1e-6
    # Two bars and the coupler: (2/3 + 1) θ'' = −(2/2 + 1) g cos θ.
    np.testing.assert_allclose(acceleration[1:, 2], -1.2 * 9.81 * np.cos(0.8), rtol=1e-9)


@each("solver", SOLVERS)
@each("mass", [1.0, 1e5])
def test_proximal_term_is_taken_away_again_in_any_units(solver, mass):
    system = parallelogram(0.8, bars=2)
    for body in system.bodies:
        body.mass, body.inertia = mass * body.mass, mass * body.inertia
    mechanism, y = solved(system, solver)
    mechanism.tables.regularise(1e-6, 3)
    rate, _ = mechanism.rate(0.0, y)
    acceleration = rate[mechanism.n : 2 * mechanism.n].reshape(-1, 3)
    np.testing.assert_allclose(acceleration[1:, 2], -1.2 * 9.81 * np.cos(0.8), rtol=1e-8)


def test_solver_follows_from_the_size_and_from_massless_bodies():
    def addresses(module):
        return module.factorise.address, module.solve.address

    def chosen(system):
        block = ModelEvaluator(system).tables.model
        return int(block.factorise_kernel), int(block.solve_kernel)

    assert chosen(chain(3)) == addresses(kkt_schur)
    assert chosen(chain(60)) == addresses(kkt_sparse)
    light = chain(3)
    light["link 1"].mass = light["link 1"].inertia = 0.0
    assert chosen(light) == addresses(kkt_lu)


@each("links", [17, 18, 19, 60])
def test_motion_does_not_depend_on_the_solver(links):
    runs = []
    for solver in ("schur", "sparse"):
        with using(solver):
            runs.append(cm.simulate(chain(links, length=1.0 / links), 0.05, output=0.01))
    np.testing.assert_allclose(runs[0].q, runs[1].q, atol=1e-9)


def test_projection_moves_by_least_change_in_the_mass_metric():
    """From an integration step away. The change is M⁻¹ Φ_qᵀ times something: none along what joints leave free."""
    rng = np.random.default_rng(11)
    for solver in SOLVERS:
        mechanism, y = solved(chain(4, angle=-0.7), solver)
        n = mechanism.n
        moved = y.copy()
        moved[: 2 * n] += 1e-8 * rng.standard_normal(2 * n)
        projected = moved.copy()
        assert mechanism.project(0.0, projected) == slot.OK
        assert np.abs(mechanism.rows(0.0, projected)[0]).max() < 1e-14
        jacobian = mechanism.jacobian(0.0, projected).toarray()
        assert np.abs(jacobian @ projected[n : 2 * n]).max() < 1e-13
        free = np.linalg.svd(jacobian)[2][mechanism.m :]
        change = projected[n : 2 * n] - moved[n : 2 * n]
        assert np.abs(free @ (mechanism.mass * change)).max() < 1e-14
