"""Reference solutions compared with closed forms."""

import math

import numpy as np
import pytest

from carom.gallery.reference_solutions import hanging_rods, integrate, swing, swing_period

GRAVITY = 9.81


def test_period_from_the_horizontal_is_that_of_gauss():
    # 4 K(1/√2) √(l/g) = Γ(1/4)² / √(π g / l), by K(1/√2) = Γ(1/4)² / (4 √π)
    assert swing_period(math.sqrt(GRAVITY), math.pi / 2) == pytest.approx(
        math.gamma(0.25) ** 2 / math.sqrt(math.pi * GRAVITY), rel=1e-14
    )


def test_small_swings_have_the_harmonic_period():
    assert swing_period(3.0, 1e-5) == pytest.approx(2.0 * math.pi / 3.0, rel=1e-10)


@pytest.mark.parametrize("amplitude", [0.3, math.pi / 2, 3.0, -1.0])
def test_swing_obeys_its_equation(amplitude):
    t = np.linspace(0.0, 5.0, 400)
    angle, rate = swing(t, 2.0, amplitude)
    expected = integrate(lambda _, y: [y[1], -4.0 * math.sin(y[0])], [amplitude, 0.0], t)
    assert np.allclose(np.column_stack([angle, rate]), expected, atol=1e-10, rtol=0.0)


def test_one_hanging_rod_is_a_physical_pendulum():
    # frequency² = m g (l/2) / (m l²/3)
    t = np.linspace(0.0, 3.0, 50)
    expected, _ = swing(t, math.sqrt(1.5 * GRAVITY / 0.7), math.pi / 2)
    angle = integrate(hanging_rods([0.7], [2.0], GRAVITY), [0.0, 0.0], t)[:, 0]
    assert np.allclose(angle, expected - math.pi / 2, atol=1e-10, rtol=0.0)


def test_two_equal_rods_have_the_textbook_frequencies():
    # Small swings: ω² = (3 ± 6/√7) g/l.
    length, n, step = 0.8, 2, 1e-6
    rate = hanging_rods([length] * n, [1.3] * n, GRAVITY)
    hanging = np.full(n, -math.pi / 2)
    stiffness = np.zeros((n, n))
    for k in range(n):
        moved = np.zeros(2 * n)
        moved[:n] = hanging
        moved[k] += step
        ahead = rate(0.0, moved)[n:]
        moved[k] -= 2 * step
        stiffness[:, k] = -(ahead - rate(0.0, moved)[n:]) / (2 * step)
    expected = [(3.0 - 6.0 / math.sqrt(7.0)) * GRAVITY / length, (3.0 + 6.0 / math.sqrt(7.0)) * GRAVITY / length]
    assert np.sort(np.linalg.eigvals(stiffness).real) == pytest.approx(expected, rel=1e-8)


def test_hanging_rods_conserve_energy():
    lengths, masses = np.array([0.5, 0.4, 0.7]), np.array([1.0, 2.0, 0.5])
    t = np.linspace(0.0, 1.0, 30)
    y = integrate(hanging_rods(lengths, masses, GRAVITY), [0.0, 0.3, -0.4, 0.0, 0.0, 1.0], t)
    angles, speeds = y[:, :3], y[:, 3:]
    energy = np.zeros(len(t))
    end, velocity = np.zeros(len(t)), np.zeros((len(t), 2))
    for k in range(3):  # from the pin outwards, rod by rod
        arm = lengths[k] * np.column_stack([-np.sin(angles[:, k]), np.cos(angles[:, k])]) * speeds[:, [k]]
        centre = velocity + arm / 2
        energy += masses[k] * (np.sum(centre**2, axis=1) / 2 + GRAVITY * (end + lengths[k] * np.sin(angles[:, k]) / 2))
        energy += masses[k] * lengths[k] ** 2 / 24 * speeds[:, k] ** 2
        velocity = velocity + arm
        end = end + lengths[k] * np.sin(angles[:, k])
    assert np.ptp(energy) < 1e-10
