"""Natural frequencies and damping against textbook formulas."""

from __future__ import annotations

import math
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import carom as cm
from quick import examples
from solve.mechanisms import GRAVITY, FourBar, pendulum

DOWN = -math.pi / 2.0


def test_mathematical_pendulum_has_root_g_over_l():
    found = cm.linearize(pendulum(DOWN))
    np.testing.assert_allclose(found.angular_frequencies, [math.sqrt(GRAVITY)], rtol=1e-9)
    assert found.frequencies[0] == pytest.approx(math.sqrt(GRAVITY) / (2.0 * math.pi), rel=1e-9)
    assert found.stable


@examples(20)
@given(st.floats(0.1, 20.0), st.floats(1e-3, 10.0), st.floats(0.05, 3.0))
def test_compound_pendulum_has_its_frequency(mass, inertia, length):
    """ω² = m g L / (I + m L²)."""
    system = cm.System(gravity=(0.0, -GRAVITY))
    bob = system.add(cm.Body("bob", mass, inertia, position=(0.0, -length)))
    system.add(cm.Revolute(system.ground, bob, at=(0.0, 0.0)))
    expected = math.sqrt(mass * GRAVITY * length / (inertia + mass * length**2))
    assert cm.linearize(system).angular_frequencies[0] == pytest.approx(expected, rel=1e-8)


def double_pendulum(inertia: float = 0.0) -> cm.System:
    """Two bobs of 1 kg on massless rods of 1 m."""
    system = cm.System(gravity=(0.0, -GRAVITY))
    upper = system.add(cm.Body("upper", 1.0, inertia, position=(0.0, -1.0)))
    lower = system.add(cm.Body("lower", 1.0, inertia, position=(0.0, -2.0)))
    system.add(cm.Revolute(system.ground, upper, at=(0.0, 0.0)))
    system.add(cm.Revolute(upper, lower, at=(0.0, -1.0)))
    return system


def test_double_pendulum_has_the_frequencies_of_lagrange():
    """ω² = (2 ∓ √2) g/L; in the slow mode the lower bob swings √2 times as wide, in the fast one the other way."""
    found = cm.linearize(double_pendulum())
    expected = [math.sqrt((2.0 - math.sqrt(2.0)) * GRAVITY), math.sqrt((2.0 + math.sqrt(2.0)) * GRAVITY)]
    np.testing.assert_allclose(found.angular_frequencies, expected, rtol=1e-8)
    for k, ratio in enumerate((1.0 + math.sqrt(2.0), 1.0 - math.sqrt(2.0))):
        mode = found.mode(k)
        assert mode["lower"][0] / mode["upper"][0] == pytest.approx(ratio, rel=1e-6)
    assert found.stable


def test_bobs_on_cords_of_fixed_length_give_the_same_and_stay_stable():
    """Bobs held by Distance may also spin freely about themselves: two frequencies are zero."""
    system = cm.System(gravity=(0.0, -GRAVITY))
    upper = system.add(cm.Body("upper", 1.0, position=(0.0, -1.0)))
    lower = system.add(cm.Body("lower", 1.0, position=(0.0, -2.0)))
    system.add(cm.Distance(system.ground, upper))
    system.add(cm.Distance(upper, lower))
    found = cm.linearize(system)
    expected = [0.0, 0.0, math.sqrt((2.0 - math.sqrt(2.0)) * GRAVITY), math.sqrt((2.0 + math.sqrt(2.0)) * GRAVITY)]
    np.testing.assert_allclose(found.angular_frequencies, expected, rtol=1e-8, atol=1e-4)
    assert found.stable


def two_masses(damping: float = 0.0, stiffness: float = 80.0, mass: float = 2.0) -> cm.System:
    """Wall, spring, mass, spring, mass, spring, wall."""
    system = cm.System()
    left = system.add(cm.Body("left", mass, 1.0, position=(1.0, 0.0)))
    right = system.add(cm.Body("right", mass, 1.0, position=(2.0, 0.0)))
    for body in (left, right):
        system.add(cm.Prismatic(system.ground, body, axis=(1.0, 0.0)))
    ends = (system.ground, left, right, system.ground.point(3.0, 0.0))
    for a, b in pairwise(ends):
        system.add(cm.SpringDamper(a, b, stiffness, damping))
    return system


def test_two_masses_and_three_springs_have_two_modes():
    """ω² = k/m with the masses in step, 3k/m against each other."""
    found = cm.linearize(two_masses())
    np.testing.assert_allclose(found.angular_frequencies**2, [40.0, 120.0], rtol=1e-9)
    assert found.mode(0)["left"][0] / found.mode(0)["right"][0] == pytest.approx(1.0, abs=1e-8)
    assert found.mode(1)["left"][0] / found.mode(1)["right"][0] == pytest.approx(-1.0, abs=1e-8)


def test_damping_in_proportion_gives_the_eigenvalues_of_each_mode():
    """With c = 3 beside every k: λ² + (c/m) λ + k/m = 0 in the first mode, three times both in the second."""
    found = cm.linearize(two_masses(damping=3.0))
    expected = np.concatenate([np.roots([1.0, 1.5, 40.0]), np.roots([1.0, 4.5, 120.0])])
    np.testing.assert_allclose(np.sort_complex(found.eigenvalues), np.sort_complex(expected), rtol=1e-8)
    ratios = sorted(set(np.round(found.damping_ratios, 9)))
    np.testing.assert_allclose(ratios, [1.5 / (2.0 * math.sqrt(40.0)), 4.5 / (2.0 * math.sqrt(120.0))], rtol=1e-8)
    assert found.stable


@examples(20)
@given(st.floats(0.5, 20.0), st.floats(1.0, 1e4), st.floats(0.0, 50.0))
def test_damped_oscillator_has_the_roots_of_its_polynomial(mass, stiffness, damping):
    system = cm.System()
    body = system.add(cm.Body("body", mass, 1.0, position=(1.0, 0.0)))
    system.add(cm.Prismatic(system.ground, body, axis=(1.0, 0.0)))
    system.add(cm.SpringDamper(system.ground, body, stiffness, damping))
    found = cm.linearize(system)
    # Symmetric functions of the roots are well conditioned even where the roots meet.
    assert found.eigenvalues.sum() == pytest.approx(-damping / mass, rel=1e-7, abs=1e-7)
    assert np.prod(found.eigenvalues) == pytest.approx(stiffness / mass, rel=1e-7)
    assert found.stable


def test_inverted_pendulum_is_unstable_and_says_so():
    """φ'' = + (g/L) φ."""
    found = cm.linearize(pendulum(math.pi / 2.0))
    assert not found.stable
    assert found.eigenvalues.real.max() == pytest.approx(math.sqrt(GRAVITY), rel=1e-8)
    assert "unstable" in found.summary()


def test_spring_that_holds_an_inverted_pendulum_must_be_stiffer_than_gravity():
    """c > m g L: ω² = (c − m g L) / (m L²)."""
    for stiffness, stable in ((0.9 * GRAVITY, False), (1.5 * GRAVITY, True)):
        system = pendulum(math.pi / 2.0)
        system.add(cm.RotationalSpringDamper(system.ground, system["bob"], stiffness))
        found = cm.linearize(system)
        assert found.stable is stable
        if stable:
            assert found.angular_frequencies[0] ** 2 == pytest.approx(0.5 * GRAVITY, rel=1e-8)


def test_stretched_string_stiffens_across_by_its_tension():
    """A mass between two springs of length l under tension T: along 2k/m, across 2T/(m l)."""
    system = cm.System()
    bead = system.add(cm.Body("bead", 0.5, position=(0.0, 0.0)))
    for x in (-2.0, 2.0):
        system.add(cm.SpringDamper(system.ground.point(x, 0.0), bead, 300.0, free_length=1.9))
    squares = cm.linearize(system).angular_frequencies ** 2
    np.testing.assert_allclose(squares, [0.0, 2.0 * 30.0 / (0.5 * 2.0), 2.0 * 300.0 / 0.5], rtol=1e-8, atol=1e-5)


def test_mechanism_oscillates_as_its_linearisation_says():
    """Small swing of a four-bar about its equilibrium, timed over ten periods."""
    system = FourBar(0.5, 1.5, 1.2, 1.6).system(-1.0)
    system.set_state(cm.statics(system))
    period = 1.0 / cm.linearize(system).frequencies[0]
    rest = system["crank"].angle
    system["crank"].angle += 1e-4
    system.assemble(keep=[("crank", "angle")])
    run = cm.simulate(system, 10.0 * period, rtol=1e-10, atol=1e-13)
    swing = run["crank"].angle - rest
    # After ten whole periods it is back where it started, at rest.
    assert swing[-1] == pytest.approx(swing[0], rel=1e-5)
    assert abs(run["crank"].omega[-1]) < 1e-2 * 1e-4 * 2.0 * math.pi / period


def test_driver_holds_its_coordinate():
    system = double_pendulum(0.1)
    system.add(cm.Driver((system["upper"], "angle"), cm.ConstantSpeed(0.0)))
    found = cm.linearize(system)
    np.testing.assert_allclose(found.angular_frequencies**2, [GRAVITY / 1.1], rtol=1e-8)


def test_pose_out_of_balance_is_refused_with_force_and_body():
    with pytest.raises(cm.ModelError, match=r"'pendulum' is not in equilibrium: .* at body 'bob'; call system.set_"):
        cm.linearize(pendulum(0.3, inertia=0.1))


def test_mechanism_without_freedom_has_no_modes():
    system = pendulum(DOWN, inertia=0.1)
    system.add(cm.Driver((system["bob"], "angle"), cm.ConstantSpeed(0.0)))
    found = cm.linearize(system)
    assert found.frequencies.size == 0
    assert found.eigenvalues.size == 0
    assert found.stable
