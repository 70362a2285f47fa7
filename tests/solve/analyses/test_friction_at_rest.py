"""Equilibrium and small motion of bodies that friction with a state holds."""

from __future__ import annotations

import math

import numpy as np
import pytest

import carom as cm

GRAVITY, MASS, ANGLE, STIFFNESS = 9.81, 2.0, 0.3, 1e6
DOWN, PRESS = MASS * GRAVITY * math.sin(ANGLE), MASS * GRAVITY * math.cos(ANGLE)
"""Weight along and across the slope [N]."""
DAMPING = 10.0


def on_slope(friction: cm.friction.FrictionLaw, depth: float = PRESS / STIFFNESS) -> cm.System:
    """A ball that cannot turn, pressed into a slope, as deep as it rests; x points downhill."""
    system = cm.System(gravity=(GRAVITY * math.sin(ANGLE), -GRAVITY * math.cos(ANGLE)), name="slope")
    ball = system.add(cm.Body("ball", MASS, 0.01, position=(0.0, 0.1 - depth)))
    system.add(cm.Driver((ball, "angle"), cm.ConstantSpeed(0.0)))
    law = cm.laws.KelvinVoigt(STIFFNESS, DAMPING)
    system.add(cm.Contact(cm.Sphere(ball, 0.1), cm.Plane(system.ground), law, friction, name="touch"))
    return system


def stuck(law: str, k: float) -> tuple[cm.friction.FrictionLaw, float]:
    """A law whose tangential stiffness at rest is ``k`` [N/m], and how far the ball sinks downhill [m]."""
    if law == "elasto_plastic":  # breakaway above tan α/μ
        return cm.friction.ElastoPlastic(0.5, stiffness=k, damping=50.0), DOWN / k
    if law == "lugre":  # F = N σ z, dz/dx = 1 − σ z/μ_s
        law_ = cm.friction.LuGre(0.5, 0.4, stribeck_speed=1e-2, stiffness=k / PRESS)
        return law_, -0.5 * PRESS / k * math.log(1.0 - DOWN / PRESS / 0.5)
    return cm.friction.Dahl(0.5, stiffness=k / PRESS), -0.5 * PRESS / k * math.log(1.0 - DOWN / PRESS / 0.5)


@pytest.mark.parametrize("law", ["elasto_plastic", "lugre", "dahl"])
@pytest.mark.parametrize("stiffness", [1e4, 1e6])
def test_block_on_a_slope_rests_on_the_deflection_of_its_friction(law, stiffness):
    """σ₀ z = m g sin α; bristles of LuGre and Dahl yield on the way there."""
    friction, way = stuck(law, stiffness)
    result = cm.statics(on_slope(friction))
    assert result.outcome.ok
    assert abs(result["touch"].friction_force[0]) == pytest.approx(DOWN, rel=1e-9)
    assert result["touch"].normal_force[0] == pytest.approx(PRESS, rel=1e-9)
    assert result["ball"].x[0] == pytest.approx(way, rel=1e-4)


def test_block_that_touches_or_hangs_above_the_slope_sticks_where_it_lands():
    for depth in (0.0, -1e-3):
        result = cm.statics(on_slope(stuck("elasto_plastic", 1e6)[0], depth=depth))
        assert result.outcome.ok
        assert abs(result["touch"].friction_force[0]) == pytest.approx(DOWN, rel=1e-9)
        assert result["ball"].x[0] <= 1.1 * (DOWN / 1e6 - depth * math.tan(ANGLE))


def test_too_steep_a_slope_has_no_equilibrium():
    with pytest.warns(cm.CaromWarning, match="No equilibrium found"):
        assert not cm.statics(on_slope(cm.friction.ElastoPlastic(0.2, stiffness=1e6))).outcome.ok


def test_friction_without_force_at_rest_is_named():
    with pytest.warns(cm.CaromWarning, match="'touch': Coulomb has no force at rest; friction.ElastoPlastic holds"):
        cm.statics(on_slope(cm.friction.Coulomb(0.5)))


def test_spring_pulls_a_block_until_friction_is_left():
    """The block slides 0.1 m, until the spring pulls with μ N only: k (x₀ − x) = μ m g."""
    system = cm.System(gravity=(0.0, -GRAVITY))
    block = system.add(cm.Body("block", MASS, 0.01, position=(0.0, 0.1 - MASS * GRAVITY / STIFFNESS)))
    system.add(cm.Driver((block, "angle"), cm.ConstantSpeed(0.0)))
    system.add(cm.SpringDamper(system.ground.point(1.0, 0.1), block, stiffness=100.0, free_length=0.8))
    friction = cm.friction.ElastoPlastic(0.5, stiffness=1e6)
    law = cm.laws.KelvinVoigt(STIFFNESS, 0.0)
    system.add(cm.Contact(cm.Sphere(block, 0.1), cm.Plane(system.ground), law, friction, name="floor"))
    result = cm.statics(system)
    assert result.outcome.ok
    assert result["block"].x[0] == pytest.approx(0.2 - 0.5 * MASS * GRAVITY / 100.0, abs=1e-4)


@pytest.mark.parametrize("law", ["elasto_plastic", "lugre", "dahl"])
def test_frequency_of_a_stuck_block(law):
    """√(k/m) along the slope, √(K/m) across it; in the mean of both directions LuGre and Dahl do not yield."""
    system = on_slope(stuck(law, 2.5e5)[0])
    system.set_state(cm.statics(system))
    found = cm.linearize(system)
    expected = np.sqrt(np.array([2.5e5, STIFFNESS]) / MASS)
    if law == "elasto_plastic":  # the force of LuGre and Dahl grows with N, which couples the two directions
        np.testing.assert_allclose(found.angular_frequencies, expected, rtol=1e-6)
    assert found.stable
    along = abs(found.basis[0])
    k = found.stiffness * MASS
    assert k[np.argmax(along), np.argmax(along)] == pytest.approx(2.5e5, rel=1e-6)


def test_damping_of_a_stuck_block_shows_in_the_eigenvalues():
    """s² + (σ₁/m) s + σ₀/m = 0."""
    system = on_slope(stuck("elasto_plastic", 2.5e5)[0])
    system.set_state(cm.statics(system))
    values = cm.linearize(system).eigenvalues
    for root in np.roots([1.0, 50.0 / MASS, 2.5e5 / MASS]):
        assert np.abs(values - root).min() < 1e-5 * abs(root)


def test_block_on_four_corners_in_space():
    """The frequency along the slope and about its normal of a box on four stick springs."""
    half, k = (0.1, 0.1, 0.05), 1e5
    system = cm.System(dim=3, gravity=(GRAVITY * math.sin(ANGLE), 0.0, -GRAVITY * math.cos(ANGLE)))
    box = system.add(cm.Body("box", MASS, (0.01, 0.01, 0.02), position=(0.0, 0.0, half[2])))
    law, friction = cm.laws.KelvinVoigt(STIFFNESS, 0.0), cm.friction.ElastoPlastic(0.6, stiffness=k, breakaway=0.95)
    system.add(cm.Contact(cm.Box(box, half), cm.Plane(system.ground), law=law, friction=friction, name="touch"))
    result = cm.statics(system)
    assert result.outcome.ok
    system.set_state(result)
    found = cm.linearize(system).angular_frequencies
    spin = math.sqrt(4.0 * k * (half[0] ** 2 + half[1] ** 2) / 0.02)
    assert np.abs(found - spin).min() < 1e-3 * spin
    assert result["box"].y[0] == pytest.approx(0.0, abs=1e-12)
