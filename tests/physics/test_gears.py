"""Rolling and gearing: a disc on an incline, a spur gear, epicyclic trains."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import carom as cm
from quick import examples

GRAVITY = 9.81


@examples(15)
@given(st.floats(0.05, 1.2), st.floats(0.05, 2.0), st.floats(0.1, 10.0), st.sampled_from([0.5, 1.0, 0.4]))
def test_rolling_body_comes_down_an_incline_by_its_shape(slope, radius, mass, shape):
    """a = g sin β / (1 + I/(m r²)): two thirds for a disc, half for a hoop, five sevenths for a sphere."""
    system = cm.System(gravity=(0.0, -GRAVITY))
    wheel = system.add(cm.Body("wheel", mass, shape * mass * radius**2))
    down = (math.cos(slope), -math.sin(slope))
    system.add(cm.PointOnLine(system.ground, wheel, axis=down))
    system.add(cm.RackPinion(system.ground, wheel, radius, axis=down, name="track"))
    result = cm.simulate(system, 1.0, output=0.25)
    along = GRAVITY * math.sin(slope) / (1.0 + shape)
    path = result["wheel"].position @ down
    np.testing.assert_allclose(path, 0.5 * along * result.t**2, rtol=1e-9, atol=1e-12)
    np.testing.assert_allclose(result["wheel"].angle, -path / radius, rtol=1e-9, atol=1e-12)
    # Friction that makes it roll: m (g sin β − a), uphill.
    uphill = -(result["track"].fx * down[0] + result["track"].fy * down[1])
    np.testing.assert_allclose(uphill, mass * (GRAVITY * math.sin(slope) - along), rtol=1e-9)


def shaft(system: cm.System, name: str, inertia: float, at: tuple[float, float] = (0.0, 0.0)) -> cm.Body:
    body = system.add(cm.Body(name, 1.0, inertia, position=at))
    system.add(cm.Revolute(system.ground, body, at=at))
    return body


def test_spur_gears_turn_against_each_other_in_the_ratio_of_their_teeth():
    """Torque M on the first: α₁ = M / (I₁ + I₂ (z₁/z₂)²)."""
    system = cm.System()
    first, second = shaft(system, "first", 0.2), shaft(system, "second", 0.9, (1.0, 0.0))
    system.add(cm.Gear(first, second, teeth=(20, 50), name="mesh"))
    system.add(cm.Torque(first, 3.0))
    result = cm.simulate(system, 1.0)
    expected = 3.0 / (0.2 + 0.9 * 0.4**2)
    np.testing.assert_allclose(result["first"].alpha, expected, rtol=1e-12)
    np.testing.assert_allclose(result["second"].angle, -0.4 * result["first"].angle, atol=1e-12)
    # The mesh turns the second gear with I₂ α₂.
    np.testing.assert_allclose(result["mesh"].torque, -0.4 * 0.9 * expected, rtol=1e-12)


def epicyclic(sun_teeth: int, planet_teeth: int, ring: bool) -> cm.System:
    """Sun, arm and planet about the origin, and the ring gear, free or held."""
    ring_teeth = sun_teeth + 2 * planet_teeth
    radius = 0.01 * (sun_teeth + planet_teeth)
    system = cm.System(name="epicyclic")
    sun, arm = shaft(system, "sun", 0.1), shaft(system, "arm", 0.3)
    planet = system.add(cm.Body("planet", 0.5, 0.02, position=(radius, 0.0)))
    system.add(cm.Revolute(arm, planet, at=(radius, 0.0)))
    system.add(cm.Gear(sun, planet, teeth=(sun_teeth, planet_teeth), carrier=arm))
    outer = shaft(system, "ring", 0.7) if ring else system.ground
    system.add(cm.Gear(planet, outer, teeth=(planet_teeth, ring_teeth), internal=True, carrier=arm))
    return system


@pytest.mark.parametrize(("sun", "planet"), [(20, 30), (12, 24), (40, 10)])
def test_arm_of_an_epicyclic_train_follows_willis(sun, planet):
    """Ring held: ω_arm/ω_sun = z_s / (z_s + z_r), and the planet turns with ω_arm (1 − z_r/z_p)."""
    system = epicyclic(sun, planet, ring=False)
    system.add(cm.Driver((system["sun"], "angle"), cm.ConstantSpeed(10.0)))
    result = cm.kinematics(system, 1.0, points=21)
    ring = sun + 2 * planet
    arm = 10.0 * sun / (sun + ring)
    np.testing.assert_allclose(result["arm"].omega, arm, rtol=1e-12)
    np.testing.assert_allclose(result["planet"].omega, arm * (1.0 - ring / planet), rtol=1e-12)
    np.testing.assert_allclose(result["arm"].angle, arm * result.t, atol=1e-11)


def test_differential_adds_what_goes_in_at_both_ends():
    """All free: z_s ω_s + z_r ω_r = (z_s + z_r) ω_arm."""
    system = epicyclic(20, 30, ring=True)
    assert system.degrees_of_freedom == 2
    system.add(cm.Driver((system["sun"], "angle"), cm.ConstantSpeed(7.0)))
    system.add(cm.Driver((system["ring"], "angle"), cm.ConstantSpeed(-2.0)))
    result = cm.kinematics(system, 1.0, points=5)
    np.testing.assert_allclose(result["arm"].omega, (20 * 7.0 - 80 * 2.0) / 100.0, rtol=1e-12)


def test_torque_on_the_sun_accelerates_the_train_as_one_reduced_inertia():
    """J = I_s + [I_a + m r² + I_p k²] i², i = z_s/(z_s + z_r), k = 1 − z_r/z_p."""
    system = epicyclic(20, 30, ring=False)
    system.add(cm.Torque(system["sun"], 2.0))
    result = cm.simulate(system, 1.0)
    ratio, spin, radius = 20 / 100, 1.0 - 80 / 30, 0.5
    reduced = 0.1 + (0.3 + 0.5 * radius**2 + 0.02 * spin**2) * ratio**2
    np.testing.assert_allclose(result["sun"].alpha, 2.0 / reduced, rtol=1e-10)
    assert result.energy.applied_work[-1] == pytest.approx(2.0 * result["sun"].angle[-1], rel=1e-9)
    assert result.energy.drift < 1e-9


def test_fixed_pinion_drives_a_rack():
    """Rack on a slide, pinion on a shaft: x = −r φ of the rack against the pinion, inertia I/r² + m."""
    system = cm.System()
    pinion = shaft(system, "pinion", 0.05, (0.0, 0.2))
    rack = system.add(cm.Body("rack", 3.0, 1.0))
    system.add(cm.Prismatic(system.ground, rack, axis=(1.0, 0.0)))
    system.add(cm.RackPinion(rack, pinion, 0.2, axis=(1.0, 0.0)))
    system.add(cm.Torque(pinion, 1.0))
    result = cm.simulate(system, 1.0)
    np.testing.assert_allclose(result["rack"].x, 0.2 * result["pinion"].angle, atol=1e-12)
    np.testing.assert_allclose(result["pinion"].alpha, 1.0 / (0.05 + 3.0 * 0.2**2), rtol=1e-12)
