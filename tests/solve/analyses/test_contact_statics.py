"""Equilibrium on contacts, and small motion about it."""

from __future__ import annotations

import math

import numpy as np
import pytest

import carom as cm
from physics.drops import GRAVITY, drop, resting_depth
from quick import each


@each("height", [-1e-4, 0.0, 0.005, 0.1])
@each("stiffness", [1e3, 1e5, 1e7, 1e9, 4.8e10])
def test_ball_settles_on_the_floor(stiffness, height):
    """K δ^1.5 = m g, from inside the floor, from its surface, from above."""
    result = cm.statics(drop(cm.laws.Hertz(stiffness), height))
    assert result.outcome.ok
    depth = resting_depth(stiffness)
    assert result["floor"].indentation[0] == pytest.approx(depth, rel=1e-10)
    assert result["floor"].normal_force[0] == pytest.approx(GRAVITY, rel=1e-10)
    assert result["ball"].y[0] == pytest.approx(0.1 - depth, rel=1e-12)
    assert result["floor"].contact_mode[0] == 1.0
    assert not result.impacts


def test_damping_and_restitution_do_not_matter_at_rest():
    for law in (cm.laws.Flores(1e7, 0.3), cm.laws.PenaltyStep(1e7, damping=100.0, depth=1e-4)):
        assert cm.statics(drop(law))["floor"].indentation[0] == pytest.approx(resting_depth(1e7), rel=1e-9)
    spring = cm.statics(drop(cm.laws.KelvinVoigt(1e5, damping=50.0)))
    assert spring["floor"].indentation[0] == pytest.approx(GRAVITY / 1e5, rel=1e-10)


def test_ball_between_a_floor_and_a_spring():
    system = drop(cm.laws.Hertz(1e6))
    system.add(cm.SpringDamper(system.ground.point(0.0, 1.0), system["ball"].point(0.0, 0.0), 50.0, 0.0, 0.8))
    result = cm.statics(system)
    # Spring force 50 (L − 0.8) upwards shares the weight with the floor.
    y = float(result["ball"].y[0])
    pull = 50.0 * (1.0 - y - 0.8)
    assert result["floor"].normal_force[0] == pytest.approx(GRAVITY - pull, rel=1e-9)


def test_three_balls_stack():
    system = cm.System(gravity=(0.0, -GRAVITY))
    below = cm.Plane(system.ground)
    for k in range(3):
        ball = system.add(cm.Body(f"ball{k}", 1.0, 0.01, position=(0.0, 0.1 + 0.2 * k)))
        for coordinate in ("x", "angle"):
            system.add(cm.Driver((ball, coordinate), cm.ConstantSpeed(0.0)))
        shape = cm.Sphere(ball, 0.1)
        system.add(cm.Contact(shape, below, cm.laws.Hertz(1e6), name=f"c{k}"))
        below = shape
    result = cm.statics(system)
    assert result.outcome.ok
    forces = [float(result[f"c{k}"].normal_force[0]) for k in range(3)]
    assert forces == pytest.approx([3.0 * GRAVITY, 2.0 * GRAVITY, GRAVITY], rel=1e-9)


@pytest.mark.filterwarnings("ignore:.*overlap by:carom.CaromWarning")
def test_ball_put_where_it_rests_stays_there():
    system = drop(cm.laws.Flores(1e7, 0.5))
    system.set_state(cm.statics(system))
    result = cm.simulate(system, 0.1)
    np.testing.assert_allclose(result["ball"].y, 0.1 - resting_depth(1e7), atol=1e-13)
    assert np.abs(result["ball"].vy).max() < 1e-10


@each("stiffness", [1e3, 1e5, 1e7, 1e9, 4.8e10])
def test_frequency_of_a_ball_on_the_floor(stiffness):
    """√(1.5 K δ^0.5/m): the tangent of Hertz's law at the static indentation."""
    system = drop(cm.laws.Hertz(stiffness))
    system.set_state(cm.statics(system))
    frequency = math.sqrt(1.5 * stiffness * math.sqrt(resting_depth(stiffness))) / (2.0 * math.pi)
    found = cm.linearize(system).frequencies
    assert found.max() == pytest.approx(frequency, rel=1e-7)
    assert np.sum(found > 1e-6) == 1  # along the floor and in rotation the ball is free


@pytest.mark.filterwarnings("ignore:.*overlap by:carom.CaromWarning")
def test_frequency_is_that_of_a_small_bounce():
    system = drop(cm.laws.Hertz(1e5))
    system.set_state(cm.statics(system))
    frequency = cm.linearize(system).frequencies.max()
    system["ball"].velocity = (0.0, 1e-4)
    y = cm.simulate(system, 10.25 / frequency)["ball"]
    crossings = np.flatnonzero(np.diff(np.sign(y.vy)) != 0)
    turns = [y.t[k] - y.vy[k] * (y.t[k + 1] - y.t[k]) / (y.vy[k + 1] - y.vy[k]) for k in crossings]
    period = 2.0 * (turns[-1] - turns[0]) / (len(turns) - 1)
    assert 1.0 / period == pytest.approx(frequency, rel=1e-4)


def test_damping_shows_in_the_eigenvalues():
    """KelvinVoigt: s² + (D/m) s + K/m = 0."""
    system = drop(cm.laws.KelvinVoigt(1e4, damping=20.0))
    system.set_state(cm.statics(system))
    values = cm.linearize(system).eigenvalues
    expected = np.roots([1.0, 20.0, 1e4])
    for root in expected:
        assert np.abs(values - root).min() < 1e-5 * abs(root)
