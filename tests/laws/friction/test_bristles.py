"""Dahl and LuGre: friction with a state of its own."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.integrate import solve_ivp

from carom.errors import ModelError
from carom.laws.friction import Dahl, LuGre
from laws.cases import friction_example, friction_out

LUGRE = friction_example("lugre")


def slide(law, velocity, time: float, z=(0.0, 0.0)) -> np.ndarray:
    """State after sliding with velocity(t) for ``time``."""

    def rate(t, z):
        return law.outputs(1.0, velocity(t), z)[2:]

    return solve_ivp(rate, (0.0, time), z, method="LSODA", rtol=1e-10, atol=1e-16).y[:, -1]


@pytest.mark.parametrize("speed", [1e-4, 3e-3, 0.01, 0.05, 2.0])
@pytest.mark.parametrize("name", ["dahl", "lugre"])
def test_in_steady_sliding_the_force_is_the_coefficient_times_the_load(name: str, speed: float):
    law = friction_example(name)
    direction = np.array([0.6, -0.8])
    z = slide(law, lambda t: speed * direction, 60.0 * 1e-4 / speed)
    out = friction_out(law, 50.0, speed * direction, z)
    np.testing.assert_allclose(out[:2], -50.0 * law.coefficient(speed) * direction, rtol=1e-8)
    np.testing.assert_allclose(out[2:], 0.0, atol=1e-8 * speed)
    np.testing.assert_allclose(law.force(50.0, speed * direction), out[:2], rtol=1e-8)


def test_the_stribeck_curve_of_lugre():
    assert LUGRE.coefficient(1e-9) == pytest.approx(0.3, rel=1e-6)
    assert LUGRE.coefficient(0.01) == pytest.approx(0.2 + 0.1 / math.e + 0.1 * 0.01, rel=1e-14)
    assert LUGRE.coefficient(10.0) == pytest.approx(0.2 + 0.1 * 10.0, rel=1e-14)


def test_lugre_at_rest_is_a_spring_and_a_damper():
    out = friction_out(LUGRE, 10.0, (1e-12, 0.0), (1e-7, 0.0))
    assert out[0] == pytest.approx(-10.0 * 1e5 * 1e-7, rel=1e-6)
    struck = friction_out(LUGRE, 10.0, (0.02, 0.0))
    assert struck[0] == pytest.approx(-10.0 * (1.0 + 0.1) * 0.02, rel=1e-14)
    assert struck[2] == 0.02


@pytest.mark.parametrize("shape", [1.0, 1.5, 2.0])
def test_dahl_follows_its_curve_of_force_over_displacement(shape: float):
    """d(σz/μ)/dx = (σ/μ) (1 − σz/μ)ⁱ: 1 − exp(−σx/μ) for i = 1, else 1 − (1 + (i − 1) σx/μ)^(−1/(i − 1))."""
    law = Dahl(0.2, 1e4, shape)
    x = 3e-5
    strain = 1e4 * x / 0.2
    share = 1 - math.exp(-strain) if shape == 1.0 else 1 - (1 + (shape - 1) * strain) ** (-1 / (shape - 1))
    z = slide(law, lambda t: np.array([0.01, 0.0]), x / 0.01)
    assert friction_out(law, 5.0, (0.01, 0.0), z)[0] == pytest.approx(-5.0 * 0.2 * share, rel=1e-8)


@pytest.mark.parametrize("shape", [1.0, 2.0])
def test_dahl_makes_a_hysteresis_loop_that_dissipates_whatever_the_speed(shape: float):
    law, amplitude = Dahl(0.2, 1e4, shape), 2e-5

    def loss(frequency: float) -> float:
        """Work done against friction in the second cycle."""
        omega = 2 * math.pi * frequency

        def rate(t, y):
            v = amplitude * omega * math.cos(omega * t)
            out = law.outputs(1.0, (v, 0.0), (y[0], 0.0))
            return out[2], -out[0] * v

        times = (1 / frequency, 2 / frequency)
        y = solve_ivp(
            rate, (0.0, times[1]), (0.0, 0.0), rtol=1e-10, atol=1e-18, t_eval=times, max_step=0.01 / frequency
        )
        return float(y.y[1, 1] - y.y[1, 0])

    slow, fast = loss(1.0), loss(1000.0)
    assert 0.0 < slow < 4 * 0.2 * amplitude  # the rectangle of Coulomb friction
    assert fast == pytest.approx(slow, rel=1e-6)


@given(
    z=st.tuples(*[st.floats(-1e-5, 1e-5)] * 2),
    v=st.tuples(*[st.floats(-0.5, 0.5)] * 2),
    name=st.sampled_from(["dahl", "lugre"]),
)
def test_bristles_dissipate_what_they_do_not_store(z, v, name: str):
    """−F·v is the rate of σ z²/2 plus something that is never negative (σ₁ |v| < 4 g)."""
    law = friction_example(name)
    out = friction_out(law, 1.0, v, z)
    lost = -out[:2] @ np.array(v) - law.stiffness * np.array(z) @ out[2:]
    assert lost >= -1e-15


@given(angle=st.floats(-math.pi, math.pi), shape=st.floats(1.0, 3.0))
def test_dahl_never_holds_more_than_it_can(angle: float, shape: float):
    """On the circle |σ z| = μ the deflection does not grow, in whatever direction it slides."""
    law = Dahl(0.2, 1e4, shape)
    z = np.array([0.2 / 1e4, 0.0])
    rate = friction_out(law, 1.0, (math.cos(angle), math.sin(angle)), z)[2:]
    assert rate @ z <= 1e-18


def test_dahl_across_the_sliding_fades():
    law = Dahl(0.2, 1e4, 2.0)
    out = friction_out(law, 1.0, (0.3, 0.0), (0.0, 1e-6))
    assert out[2] == pytest.approx(0.3, rel=1e-14)
    assert out[3] == pytest.approx(-1e4 * 0.3 * 1e-6 / 0.2, rel=1e-14)


def test_a_state_can_be_given_as_a_number():
    law = Dahl(0.2, 1e4)
    assert law.force(5.0, 0.1, state=1e-6) == pytest.approx(-5.0 * 1e4 * 1e-6, rel=1e-14)
    assert law.force(5.0, 0.1) == pytest.approx(-1.0, rel=1e-14)


def test_shapes_below_one_raise():
    with pytest.raises(ModelError, match=r"Dahl: shape must be at least 1, got 0\.5"):
        Dahl(0.2, 1e4, 0.5)


def test_lugre_needs_no_damping():
    assert LuGre(0.3, 0.2, 0.01, 1e5).parameters[4:] == (0.0, 0.0)
