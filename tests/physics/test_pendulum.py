"""Simple and physical pendulums: period, energy, the force at the pin."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.special import ellipj, ellipk

import carom as cm
from quick import examples
from solve.mechanisms import GRAVITY, pendulum, violations


def test_period_from_the_horizontal_is_that_of_the_elliptic_integral():
    """T = 4 K(1/√2) √(L/g) = 2.36784194757… s for L = 1 m, g = 9.81 m/s²."""
    period = 4.0 * ellipk(0.5) / math.sqrt(GRAVITY)
    assert period == pytest.approx(2.36784194757, abs=1e-11)
    result = cm.simulate(pendulum(), 4.0 * period, output=period)
    # At the turning point the angle is flat in time: the rate shows the error of the period, ω = −g (t − T).
    np.testing.assert_allclose(result["bob"].omega / GRAVITY, 0.0, atol=1e-8)
    np.testing.assert_allclose(result["bob"].angle, 0.0, atol=1e-8)
    half = cm.simulate(pendulum(), 0.5 * period)
    assert half["bob"].angle[-1] == pytest.approx(-math.pi, abs=1e-8)


def test_energy_is_kept_to_nine_digits_over_ten_seconds():
    system = pendulum()
    result = cm.simulate(system, 10.0)
    total = result.energy.total
    assert np.abs(total - total[0]).max() < 1e-9 * GRAVITY
    position, speed = violations(system, result)
    assert position <= 1e-12
    assert speed <= 1e-11


def test_angle_follows_the_elliptic_function():
    """sin(ψ/2) = k sn(K + √(g/L) t, k) with ψ from hanging and k = sin(ψ₀/2)."""
    result = cm.simulate(pendulum(-math.pi / 2.0 + 2.0), 10.0)
    k = math.sin(1.0)
    sn, _, _, _ = ellipj(ellipk(k * k) + math.sqrt(GRAVITY) * result.t, k * k)
    expected = 2.0 * np.arcsin(k * sn) - math.pi / 2.0
    np.testing.assert_allclose(result["bob"].angle, expected, atol=1e-7)


@examples(12)
@given(st.floats(0.2, 5.0), st.floats(0.01, 5.0), st.floats(0.2, 3.0), st.floats(0.3, 2.8))
def test_physical_pendulum_has_the_period_of_its_reduced_length(mass, inertia, arm, amplitude):
    """T = 4 K(sin ψ₀/2) √(l/g) with l = (I + m a²) / (m a)."""
    reduced = (inertia + mass * arm**2) / (mass * arm)
    period = 4.0 * ellipk(math.sin(0.5 * amplitude) ** 2) * math.sqrt(reduced / GRAVITY)
    system = cm.System(gravity=(0.0, -GRAVITY))
    start = -math.pi / 2.0 + amplitude
    body = system.add(
        cm.Body("body", mass, inertia, position=(arm * math.cos(start), arm * math.sin(start)), angle=start)
    )
    system.add(cm.Revolute(system.ground, body, at=(0.0, 0.0)))
    result = cm.simulate(system, period, output=period)
    assert result["body"].angle[-1] == pytest.approx(start, abs=1e-8)
    assert result["body"].omega[-1] * period == pytest.approx(0.0, abs=1e-6)


def test_pin_force_is_weight_and_centripetal_force():
    """On the bob: along the rod m (ω² L + g sin θ) towards the pivot, across it only what turns the bob's inertia."""
    mass, inertia = 2.0, 0.3
    result = cm.simulate(pendulum(0.4, mass, inertia), 3.0)
    bob, pin = result["bob"], result["pivot"]
    along = pin.fx * np.cos(bob.angle) + pin.fy * np.sin(bob.angle)
    across = -pin.fx * np.sin(bob.angle) + pin.fy * np.cos(bob.angle)
    # The sine of θ from the horizontal is the cosine of the angle from the vertical, upwards.
    np.testing.assert_allclose(along, mass * (GRAVITY * np.sin(bob.angle) - bob.omega**2), atol=1e-10)
    turned = -mass * GRAVITY * np.cos(bob.angle) / (inertia + mass)
    np.testing.assert_allclose(across, mass * (turned + GRAVITY * np.cos(bob.angle)), atol=1e-10)
    np.testing.assert_allclose(pin.torque, 0.0, atol=1e-12)


def test_pin_force_at_the_bottom_is_three_weights():
    """From the horizontal: m g + m ω² L with ω² L = 2 g."""
    period = 4.0 * ellipk(0.5) / math.sqrt(GRAVITY)
    result = cm.simulate(pendulum(mass=5.0), 0.25 * period, output=0.25 * period)
    assert result["pivot"].fy[-1] == pytest.approx(3.0 * 5.0 * GRAVITY, rel=1e-9)
    assert result["pivot"].force[-1] == pytest.approx(3.0 * 5.0 * GRAVITY, rel=1e-9)


def test_start_just_short_of_upright_takes_the_time_of_the_elliptic_integral():
    """The period grows like the logarithm of the distance from the unstable point."""
    amplitude = math.pi - 1e-3
    period = 4.0 * ellipk(math.sin(0.5 * amplitude) ** 2) / math.sqrt(GRAVITY)
    result = cm.simulate(pendulum(-math.pi / 2.0 + amplitude), 0.5 * period, rtol=1e-10, atol=1e-12)
    assert result["bob"].angle[-1] == pytest.approx(-math.pi / 2.0 - amplitude, abs=1e-6)
