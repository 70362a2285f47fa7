"""Elastic–plastic friction: no creep, Prandtl's hysteresis, the same in all directions, never a source of energy."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.integrate import quad, solve_ivp

from carom.errors import ModelError
from carom.laws.friction import ElastoPlastic
from quick import examples

MU, STIFFNESS, LOAD = 0.2, 1e5, 10.0
LIMIT = MU * LOAD
Z_SS = LIMIT / STIFFNESS
WORK = LIMIT * Z_SS
LAW = ElastoPlastic(MU, STIFFNESS, breakaway=0.6)
ALONG = np.array([0.6, -0.8])


def slide(law, velocity, time, load=LOAD, z=(0.0, 0.0), step=math.inf):
    """Return state and work against friction after sliding with velocity(t), implicitly with the law's derivatives."""

    def rate(t, y):
        v = np.asarray(velocity(t), float)
        out = law.outputs(load, v, Z_SS * y[:2])
        return [*(out[2:] / Z_SS), -out[:2] @ v / WORK]

    def jacobian(t, y):
        v = np.asarray(velocity(t), float)
        table = law.evaluate(load, v, Z_SS * y[:2], derivatives=True)
        matrix = np.zeros((3, 3))
        matrix[:2, :2] = table["rate_by_state"].reshape(2, 2)
        matrix[2, :2] = -v @ table["force_by_state"].reshape(2, 2) * Z_SS / WORK
        return matrix

    y0 = (*(np.asarray(z) / Z_SS), 0.0)
    run = solve_ivp(rate, (0.0, time), y0, method="Radau", jac=jacobian, rtol=1e-9, atol=1e-11, max_step=step)
    return Z_SS * run.y[:2, -1], WORK * float(run.y[2, -1])


def stored(z) -> float:
    """Elastic energy of a state [J]."""
    return 0.5 * STIFFNESS * float(np.dot(z, z))


def test_a_stuck_contact_is_a_spring_and_a_damper_whatever_the_load():
    law = ElastoPlastic(MU, STIFFNESS, damping=50.0)
    z, v = np.array([2e-6, -1e-6]), np.array([1e-3, 2e-3])
    for load in (10.0, 100.0):
        out = law.outputs(load, v, z)
        np.testing.assert_allclose(out[:2], -(STIFFNESS * z + 50.0 * v), rtol=1e-14)
        np.testing.assert_array_equal(out[2:], v)


def test_below_breakaway_nothing_is_lost_and_nothing_drifts():
    """Five cycles below b μ N bring the contact back to where it was."""
    size = 0.99 * 0.6 * Z_SS
    assert LAW.outputs(LOAD, (1.0, 0.0), (size, 0.0))[2] == 1.0
    z, work = slide(LAW, lambda t: size * math.pi * np.cos(math.pi * t) * ALONG, 10.0, step=0.1)
    np.testing.assert_allclose(z, 0.0, atol=1e-8 * Z_SS)
    assert abs(work) < 1e-8 * LIMIT * size


@pytest.mark.parametrize("breakaway", [0.0, 0.5, 0.9])
def test_the_first_loading_follows_its_curve(breakaway: float):
    """The way to σ₀ z = x μ N is z_ss ∫ dx/(1 − α), from dz = (1 − α) ds."""

    def slope(x: float) -> float:
        s = max((x - breakaway) / (1.0 - breakaway), 0.0)
        return 1.0 / (1.0 - x * s * s * (3.0 - 2.0 * s))

    law = ElastoPlastic(MU, STIFFNESS, breakaway=breakaway)
    for x in (0.3, 0.8, 0.95, 0.99):
        way = Z_SS * quad(slope, 0.0, x, epsabs=1e-13, points=[min(breakaway, x)])[0]
        z, work = slide(law, lambda t: 1e-3 * ALONG, way / 1e-3, step=way / 30e-3)
        np.testing.assert_allclose(z, x * Z_SS * ALONG, rtol=1e-7)
        assert work >= stored(z) * (1.0 - 1e-9)


def test_steady_sliding_has_the_limit_force_and_stores_the_elastic_energy_once():
    way = 40.0 * Z_SS
    z, work = slide(LAW, lambda t: 1e-3 * ALONG, way / 1e-3)
    np.testing.assert_allclose(LAW.force(LOAD, 1e-3 * ALONG, z), -LIMIT * ALONG, rtol=1e-10)
    assert work - stored(z) < LIMIT * way
    more = slide(LAW, lambda t: 1e-3 * ALONG, 1.0, z=z)[1]
    assert more == pytest.approx(LIMIT * 1e-3, rel=1e-9)


@pytest.mark.parametrize("amplitude", [0.5, 2.0, 5.0])
def test_reversal_loops_dissipate_the_energy_of_the_prandtl_element_as_breakaway_tends_to_one(amplitude: float):
    """An elastic, ideally plastic element with amplitude A loses 4 μ N (A − z_ss) per cycle, 0 for A < z_ss."""
    a = amplitude * Z_SS
    exact = 4.0 * LIMIT * max(a - Z_SS, 0.0)
    errors = []
    for breakaway in (0.9, 0.99, 0.999):
        law = ElastoPlastic(MU, STIFFNESS, breakaway=breakaway)
        z, _ = slide(law, lambda t: a * np.cos(t) * ALONG, 1.5 * math.pi, step=1e-2)
        after, work = slide(law, lambda t: a * np.sin(t) * ALONG, 2.0 * math.pi, z=z, step=1e-2)
        errors.append(abs(work - (stored(after) - stored(z)) - exact) / (LIMIT * a))
    assert errors[0] < 0.1
    assert errors[1] < 0.02
    assert errors[2] < 2e-3


def test_on_a_circle_the_force_lags_by_the_deflection():
    """The deflection turns with the motion: |z| = z_ss lags by ψ, sin ψ = z_ss/R, and 2π R μ N cos ψ is lost."""
    radius = 5.0 * Z_SS

    def velocity(t):
        return radius * np.array([-math.sin(t), math.cos(t)])

    z, _ = slide(LAW, velocity, 6.0 * math.pi)
    assert np.hypot(*z) == pytest.approx(Z_SS, rel=1e-7)
    psi = math.asin(Z_SS / radius)
    np.testing.assert_allclose(z, Z_SS * np.array([math.sin(psi), math.cos(psi)]), atol=1e-6 * Z_SS)
    after, work = slide(LAW, velocity, 2.0 * math.pi, z=z)
    np.testing.assert_allclose(after, z, atol=1e-6 * Z_SS)
    assert work == pytest.approx(2.0 * math.pi * radius * LIMIT * math.cos(psi), rel=1e-6)


def test_a_small_circle_is_elastic():
    radius = 0.25 * Z_SS  # up to 0.5 z_ss from the stick point
    z, work = slide(LAW, lambda t: radius * np.array([-math.sin(t), math.cos(t)]), 20.0 * math.pi)
    np.testing.assert_allclose(z, 0.0, atol=1e-7 * Z_SS)
    assert abs(work) < 1e-7 * LIMIT * Z_SS


def test_an_overloaded_spring_keeps_the_limit_and_becomes_shorter_while_it_slides():
    """N falls to a tenth: the force is μ N at once, and z reaches its new length on the way."""
    z = Z_SS * ALONG
    np.testing.assert_allclose(LAW.force(0.1 * LOAD, 0.0 * ALONG, z), -0.1 * LIMIT * ALONG, rtol=1e-14)
    assert np.all(LAW.outputs(0.1 * LOAD, (0.0, 0.0), z)[2:] == 0.0)  # it stays as it is at rest
    after, work = slide(LAW, lambda t: 1e-3 * ALONG, 10.0 * Z_SS / 1e-3, load=0.1 * LOAD, z=z, step=1e-4)
    np.testing.assert_allclose(after, 0.1 * z, rtol=1e-4)
    assert work == pytest.approx(0.1 * LIMIT * 10.0 * Z_SS, rel=1e-3)


def test_without_load_there_is_no_force():
    for load in (0.0, 5e-324, 1e-200):
        table = LAW.evaluate(load, (0.3, 0.1), (1e-5, 2e-5), derivatives=True)
        assert np.hypot(table["force_t"], table["force_s"]) <= MU * load
        assert all(np.isfinite(table[name]).all() for name in table.dtype.names)
    still = LAW.evaluate(0.0, (0.3, 0.1), (0.0, 0.0), derivatives=True)
    assert all(np.isfinite(still[name]).all() for name in still.dtype.names)


sizes = st.floats(-3.0, 1.0).map(lambda x: 10.0**x)
angles = st.floats(0.0, 2.0 * math.pi)


@examples(300)
@given(
    x=st.just(0.0) | st.floats(0.0, 2.0), angle=angles, speed=st.floats(-6.0, 1.0).map(lambda x: 10.0**x), turn=angles,
    damping=st.just(0.0) | sizes.map(lambda x: 1e4 * x), breakaway=st.floats(0.0, 0.99),
)  # fmt: skip
def test_every_state_dissipates_and_keeps_the_limit(x, angle, speed, turn, damping, breakaway):
    """−F·v − d(½ σ₀ z²)/dt ≥ 0, overloaded or not, with and without damping, and |F| ≤ μ N."""
    law = ElastoPlastic(MU, STIFFNESS, damping, breakaway)
    z = x * Z_SS * np.array([math.cos(angle), math.sin(angle)])
    v = speed * np.array([math.cos(turn), math.sin(turn)])
    table = law.evaluate(LOAD, v, z)
    force, rate = np.array([table["force_t"], table["force_s"]]), np.array([table["z_dot_t"], table["z_dot_s"]])
    scale = STIFFNESS * Z_SS * speed
    assert table["stored_energy"] == pytest.approx(stored(z), rel=1e-14)
    assert table["stored_power"] == pytest.approx(STIFFNESS * (z @ rate), rel=1e-12, abs=1e-12 * scale)
    assert -force @ v - table["stored_power"] >= -1e-12 * scale
    assert np.hypot(*force) <= LIMIT * (1.0 + 1e-14)


def test_damping_does_not_push_an_overloaded_spring():
    """While z becomes shorter, the force is still μ N against the sliding, however large the damping."""
    law = ElastoPlastic(MU, STIFFNESS, damping=1e6)
    np.testing.assert_allclose(law.force(LOAD, ALONG, 1.5 * Z_SS * ALONG), -LIMIT * ALONG, rtol=1e-14)


@examples(60)
@given(
    history=st.lists(
        st.tuples(st.floats(-1.0, 1.0), st.floats(-1.0, 1.0), st.floats(0.05, 2.0)), min_size=1, max_size=8
    )
)
def test_random_histories_dissipate(history):
    """Ways of up to three z_ss in any direction, under loads that jump: the work exceeds the energy gained."""
    z, work = np.zeros(2), 0.0
    for x, y, load in history:
        way = 3.0 * Z_SS * np.array([x, y])
        if not way.any():
            continue
        before = stored(z)
        z, done = slide(LAW, lambda t, way=way: way, 1.0, load=LOAD * load, z=z, step=0.05)
        assert done - (stored(z) - before) >= -1e-7 * LIMIT * Z_SS
        work += done
    assert work >= stored(z) - 1e-6 * LIMIT * Z_SS


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ({"breakaway": 1.0}, r"ElastoPlastic: breakaway must lie in \[0, 1\), got 1"),
        ({"breakaway": -0.1}, r"ElastoPlastic: breakaway must lie in \[0, 1\), got -0.1"),
        ({"stiffness": 0.0}, "ElastoPlastic: stiffness must be positive, got 0"),
        ({"damping": -1.0}, "ElastoPlastic: damping must"),
        ({"coefficient": -1.0}, "ElastoPlastic: coefficient must"),
    ],
)
def test_invalid_parameters_raise(values, message):
    with pytest.raises(ModelError, match=message):
        ElastoPlastic(**{"coefficient": MU, "stiffness": STIFFNESS, **values})
