"""Poincaré sections, and the bifurcation thresholds of a ball on a shaken table against their closed form."""

from __future__ import annotations

import math

import numpy as np
import pytest

import carom as cm
from carom.errors import ModelError
from carom.study.poincare import AtImpacts, Crossing, SectionPoints, Strobe, section_trigger
from study.shaken_ball import FREQUENCY, GRAVITY, ONE_BOUNCE, PERIOD, RESTITUTION, TWO_BOUNCES, shaken_ball

SPEED = GRAVITY * PERIOD / (1.0 + RESTITUTION)
"""Approach speed [m/s] of a ball that bounces once per period: 2u/(1 + ε) with u = gT/2."""


@pytest.fixture(scope="module")
def branches():
    strengths = [1.2, 0.97 * TWO_BOUNCES, 1.02 * TWO_BOUNCES, 1.03 * TWO_BOUNCES, 1.04 * TWO_BOUNCES]
    return cm.study.bifurcation(
        shaken_ball, "strength", strengths, "impacts", "impact.approach_speed", discard=90, periods=100, executor=2
    )


def test_below_the_threshold_the_ball_bounces_once_per_period(branches):
    for strength, speeds in zip(*map(branches.column, ("strength", "impact.approach_speed")), strict=True):
        if strength < TWO_BOUNCES:
            assert len(speeds) == 10
            np.testing.assert_allclose(speeds, SPEED, rtol=1e-4 if strength > 1.4 else 1e-7)


def test_period_doubles_at_the_theoretical_threshold(branches):
    """Beyond the bifurcation the squared difference of the two speeds grows linearly; its zero is the threshold."""
    strengths = np.array(branches.column("strength"))[2:]
    speeds = np.array(branches.column("impact.approach_speed")[2:])
    np.testing.assert_allclose(speeds[:, 2:], speeds[:, :-2], rtol=1e-5)  # period two
    squared_difference = np.abs(speeds[:, -1] - speeds[:, -2]) ** 2
    assert (squared_difference > 1e-4).all()
    assert np.polyfit(squared_difference, strengths, 2)[-1] == pytest.approx(TWO_BOUNCES, rel=2e-4)


def test_impact_phase_agrees_with_theory():
    section = cm.study.poincare(shaken_ball, ("table.vy", "ball.vy"), "impacts", discard=30, strength=1.3)
    amplitude_rate = 1.3 * GRAVITY / (2.0 * math.pi * FREQUENCY)
    np.testing.assert_allclose(section.points[:, 0], amplitude_rate * ONE_BOUNCE / 1.3, rtol=1e-7)
    np.testing.assert_allclose(section.points[:, 1], 0.5 * GRAVITY * PERIOD, rtol=1e-7)


def test_figures_show_the_points_of_the_sections(branches):
    (dots,) = branches.plot_bifurcation().axes[0].get_lines()
    np.testing.assert_array_equal(dots.get_ydata()[-10:], branches.column("impact.approach_speed")[-1])
    figure = branches.plot_bifurcation(marks=[TWO_BOUNCES])
    assert figure.axes[0].get_lines()[0].get_xdata()[0] == TWO_BOUNCES
    section = cm.study.poincare(shaken_ball, "impact.approach_speed", "impacts", periods=10)
    x, y = section.plot().axes[0].get_lines()[1].get_data()
    np.testing.assert_array_equal(x[1:], y[:-1])


@pytest.fixture(scope="module")
def oscillator():
    """Return the motion of a mass on a spring, x = 0.1 cos ωt with ω = 5 rad/s."""
    system = cm.System(name="oscillator")
    mass = system.add(cm.Body("mass", 2.0, 1.0, position=(0.1, 0.0)))
    system.add(cm.Prismatic(system.ground, mass, axis=(1.0, 0.0)))
    system.add(cm.PointForce(mass, lambda t, s: (-50.0 * s.mass.x, 0.0)))
    return cm.simulate(system, 10.0, rtol=1e-11, atol=1e-13)


def test_stroboscopic_section_of_a_periodic_motion_is_constant(oscillator):
    points = SectionPoints(2.0 * math.pi / 5.0, ("mass.x", "mass.vx"), discard=1)(oscillator)
    assert points.shape == (7, 2)
    np.testing.assert_allclose(points, [[0.1, 0.0]] * 7, atol=1e-8)
    assert len(Strobe(0.5).times(oscillator)) == 21  # including both ends
    np.testing.assert_allclose(Strobe(0.5, start=0.2).times(oscillator), 0.2 + 0.5 * np.arange(20))


@pytest.mark.parametrize(("direction", "first", "step"), [("up", 1.5, 2.0), ("down", 0.5, 2.0), ("both", 0.5, 1.0)])
def test_crossings_are_located_as_roots(direction, first, step, oscillator):
    times = Crossing("mass.x", 0.0, direction).times(oscillator)
    expected = np.pi / 5.0 * np.arange(first, 50.0 / np.pi, step)
    np.testing.assert_allclose(times, expected, atol=1e-9)
    points = SectionPoints(Crossing("mass.x", 0.0, direction), ("mass.x", "mass.vx"))(oscillator)
    np.testing.assert_allclose(points[:, 0], 0.0, atol=1e-9)
    np.testing.assert_allclose(np.abs(points[:, 1]), 0.5, rtol=1e-8)


def test_section_without_times_is_empty(oscillator):
    assert SectionPoints("impacts", ("mass.x",))(oscillator).shape == (0, 1)
    assert SectionPoints(("mass.x", 5.0), ("mass.x", "mass.vx"))(oscillator).shape == (0, 2)


def test_section_may_depend_on_the_values_of_the_run():
    table = cm.study.bifurcation(
        shaken_ball, "strength", [1.2, 1.3], strobe, "table.y", discard=1, periods=5, executor="serial"
    )
    for strength, points in zip(table.column("strength"), table.column("table.y"), strict=True):
        amplitude = strength * GRAVITY / (2.0 * math.pi * FREQUENCY) ** 2
        np.testing.assert_allclose(points, amplitude, rtol=1e-6)


def strobe(values):
    assert values["strength"] in (1.2, 1.3)
    return Strobe(PERIOD, start=0.25 * PERIOD)


def test_short_forms_and_invalid_sections():
    assert section_trigger("impacts") == AtImpacts()
    assert section_trigger(0.1) == Strobe(0.1)
    assert section_trigger(("table.y", 0.0, "down")) == Crossing("table.y", 0.0, "down")
    for wrong in ("often", True, None, ("table.y",)):
        with pytest.raises(ModelError, match="section: must be a period"):
            section_trigger(wrong)
    with pytest.raises(ModelError, match="period must be positive"):
        section_trigger(0.0)
