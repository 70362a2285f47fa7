"""Sections of motions, and the thresholds of a ball on a shaken table, which are known in closed form."""

from __future__ import annotations

import math

import numpy as np
import pytest

import carom as cm
from carom.errors import ModelError
from carom.study.section import AtImpacts, Crossing, Observe, Strobe, when
from study.shaken import FREQUENCY, GRAVITY, ONE_BOUNCE, PERIOD, RESTITUTION, TWO_BOUNCES, shaken_ball

SPEED = GRAVITY * PERIOD / (1.0 + RESTITUTION)
"""Of approach, of a ball that bounces once a period: 2u/(1 + ε) with u = gT/2."""


@pytest.fixture(scope="module")
def branches():
    strengths = [1.2, 0.97 * TWO_BOUNCES, 1.02 * TWO_BOUNCES, 1.03 * TWO_BOUNCES, 1.04 * TWO_BOUNCES]
    return cm.study.bifurcation(
        shaken_ball, "strength", strengths, "impacts", "impact.approach_speed", discard=90, periods=100, executor=2
    )


def test_below_the_threshold_the_ball_bounces_once_a_period(branches):
    for strength, speeds in zip(*map(branches.column, ("strength", "impact.approach_speed")), strict=True):
        if strength < TWO_BOUNCES:
            assert len(speeds) == 10
            np.testing.assert_allclose(speeds, SPEED, rtol=1e-4 if strength > 1.4 else 1e-7)


def test_the_period_doubles_where_theory_says(branches):
    """Beyond a doubling the square of the split grows linearly: its zero is the threshold."""
    strengths = np.array(branches.column("strength"))[2:]
    speeds = np.array(branches.column("impact.approach_speed")[2:])
    np.testing.assert_allclose(speeds[:, 2:], speeds[:, :-2], rtol=1e-5)  # every second one the same
    split = np.abs(speeds[:, -1] - speeds[:, -2]) ** 2
    assert (split > 1e-4).all()
    assert np.polyfit(split, strengths, 2)[-1] == pytest.approx(TWO_BOUNCES, rel=2e-4)


def test_the_phase_of_the_bounce_is_that_of_theory():
    seen = cm.study.poincare(shaken_ball, ("table.vy", "ball.vy"), "impacts", discard=30, strength=1.3)
    amplitude_rate = 1.3 * GRAVITY / (2.0 * math.pi * FREQUENCY)
    np.testing.assert_allclose(seen.points[:, 0], amplitude_rate * ONE_BOUNCE / 1.3, rtol=1e-7)
    np.testing.assert_allclose(seen.points[:, 1], 0.5 * GRAVITY * PERIOD, rtol=1e-7)


def test_a_diagram_and_a_section_show_their_points(branches):
    (dots,) = branches.plot_bifurcation().axes[0].get_lines()
    np.testing.assert_array_equal(dots.get_ydata()[-10:], branches.column("impact.approach_speed")[-1])
    figure = branches.plot_bifurcation(marks=[TWO_BOUNCES])
    assert figure.axes[0].get_lines()[0].get_xdata()[0] == TWO_BOUNCES
    seen = cm.study.poincare(shaken_ball, "impact.approach_speed", "impacts", periods=10)
    x, y = seen.plot().axes[0].get_lines()[1].get_data()
    np.testing.assert_array_equal(x[1:], y[:-1])


@pytest.fixture(scope="module")
def swinging():
    """A mass on a spring, x = 0.1 cos ωt with ω = 5 rad/s."""
    system = cm.System(name="oscillator")
    mass = system.add(cm.Body("mass", 2.0, 1.0, position=(0.1, 0.0)))
    system.add(cm.Prismatic(system.ground, mass, axis=(1.0, 0.0)))
    system.add(cm.PointForce(mass, lambda t, s: (-50.0 * s.mass.x, 0.0)))
    return cm.simulate(system, 10.0, rtol=1e-11, atol=1e-13)


def test_once_a_period_everything_is_as_before(swinging):
    seen = Observe(2.0 * math.pi / 5.0, ("mass.x", "mass.vx"), discard=1)(swinging)
    assert seen.shape == (7, 2)
    np.testing.assert_allclose(seen, [[0.1, 0.0]] * 7, atol=1e-8)
    assert len(Strobe(0.5).times(swinging)) == 21  # both ends
    np.testing.assert_allclose(Strobe(0.5, start=0.2).times(swinging), 0.2 + 0.5 * np.arange(20))


@pytest.mark.parametrize(("direction", "first", "step"), [("up", 1.5, 2.0), ("down", 0.5, 2.0), ("both", 0.5, 1.0)])
def test_crossings_are_found_as_roots(direction, first, step, swinging):
    times = Crossing("mass.x", 0.0, direction).times(swinging)
    expected = np.pi / 5.0 * np.arange(first, 50.0 / np.pi, step)
    np.testing.assert_allclose(times, expected, atol=1e-9)
    seen = Observe(Crossing("mass.x", 0.0, direction), ("mass.x", "mass.vx"))(swinging)
    np.testing.assert_allclose(seen[:, 0], 0.0, atol=1e-9)
    np.testing.assert_allclose(np.abs(seen[:, 1]), 0.5, rtol=1e-8)


def test_a_section_of_nothing_is_empty(swinging):
    assert Observe("impacts", ("mass.x",))(swinging).shape == (0, 1)
    assert Observe(("mass.x", 5.0), ("mass.x", "mass.vx"))(swinging).shape == (0, 2)


def test_a_section_may_follow_from_the_values():
    table = cm.study.bifurcation(
        shaken_ball, "strength", [1.2, 1.3], strobe, "table.y", discard=1, periods=5, executor="serial"
    )
    for strength, seen in zip(table.column("strength"), table.column("table.y"), strict=True):
        amplitude = strength * GRAVITY / (2.0 * math.pi * FREQUENCY) ** 2
        np.testing.assert_allclose(seen, amplitude, rtol=1e-6)


def strobe(values):
    assert values["strength"] in (1.2, 1.3)
    return Strobe(PERIOD, start=0.25 * PERIOD)


def test_what_is_no_section_is_refused():
    assert when("impacts") == AtImpacts()
    assert when(0.1) == Strobe(0.1)
    assert when(("table.y", 0.0, "down")) == Crossing("table.y", 0.0, "down")
    for wrong in ("often", True, None, ("table.y",)):
        with pytest.raises(ModelError, match="a section is a period"):
            when(wrong)
    with pytest.raises(ModelError, match="period must be positive"):
        when(0.0)
