"""Planar parts with corners: blocks that rest, tip and stack; a Geneva drive; a ratchet."""

from __future__ import annotations

import math

import numpy as np
import pytest

import carom as cm

GRAVITY = 9.81
WIDTH, HEIGHT = 0.2, 0.1


def rectangle(body: cm.Body, shift: float = 0.0, radius: float = 0.0) -> cm.Polygon:
    x, y = 0.5 * WIDTH - radius, 0.5 * HEIGHT - radius
    return cm.Polygon(body, [(-x, -y), (x, -y), (x, y), (-x, y)], radius=radius, at=(shift, 0.0))


@pytest.mark.parametrize("shift", [0.0, 0.03])
@pytest.mark.parametrize("method", ["compliant", "nonsmooth"])
def test_a_block_rests_with_the_corner_forces_of_the_lever_rule(method: str, shift: float):
    """F = m g (1/2 ± x/w) for a centre of mass off the middle by x."""
    system = cm.System(gravity=(0.0, -GRAVITY))
    block = system.add(cm.Body("block", 2.0, 0.01, position=(0.0, 0.5 * HEIGHT)))
    law, impact = cm.laws.ExactRestitution(1e7, exponent=1.0, restitution=0.2), cm.ImpactLaw(0.0)
    system.add(cm.Contact(rectangle(block, shift), cm.Plane(system.ground), law, impact=impact, name="floor"))
    weight = 2.0 * GRAVITY
    expected = sorted([weight * (0.5 - shift / WIDTH), weight * (0.5 + shift / WIDTH)])
    if method == "compliant":
        result = cm.simulate(system, 1.0)
    else:
        result = cm.simulate(system, 0.1, method="nonsmooth", step=1e-3)
    forces = sorted(max(result[f"floor {k}"].normal_force[-1], 0.0) for k in range(1, 5))
    assert forces[:2] == [0.0, 0.0]
    assert forces[2:] == pytest.approx(expected, rel=2e-3)
    assert result["floor"].touching[-1] == 2


@pytest.mark.parametrize(("factor", "tips"), [(0.98, False), (1.02, True)])
def test_a_block_tips_on_a_slope_steeper_than_its_diagonal(factor: float, tips: bool):
    """tan β = w/h with the block on its short side; friction holds it."""
    slope = factor * math.atan(HEIGHT / WIDTH)
    system = cm.System(gravity=(GRAVITY * math.sin(slope), -GRAVITY * math.cos(slope)))
    block = system.add(cm.Body("block", 1.0, 1.0 * (WIDTH**2 + HEIGHT**2) / 12.0, position=(0.0, 0.5 * WIDTH)))
    x, y = 0.5 * HEIGHT, 0.5 * WIDTH
    shape = cm.Polygon(block, [(-x, -y), (x, -y), (x, y), (-x, y)])
    system.add(cm.Contact(shape, cm.Plane(system.ground), impact=cm.ImpactLaw(0.0, friction=2.0), name="floor"))
    result = cm.simulate(system, 0.5, method="nonsmooth", step=1e-3)
    assert (abs(result["block"].angle[-1]) > 0.05) == tips
    if not tips:
        assert abs(result["block"].angle[-1]) < 1e-8
        assert abs(result["block"].x[-1]) < 1e-8


def test_a_stack_carries_the_weight_of_what_is_above():
    system = cm.System(gravity=(0.0, -GRAVITY))
    impact = cm.ImpactLaw(0.0, friction=0.5)
    below: cm.Body = system.ground
    for k, shift in enumerate((0.0, 0.04, -0.01)):
        block = system.add(cm.Body(f"block {k}", 1.0, 0.005, position=(shift, (k + 0.5) * HEIGHT)))
        support = rectangle(below) if k else cm.Plane(below)
        system.add(cm.Contact(rectangle(block), support, impact=impact, name=f"joint {k}"))
        below = block
    result = cm.simulate(system, 0.2, method="nonsmooth", step=1e-3)
    for k in range(3):
        assert result[f"joint {k}"].normal_force[-1] == pytest.approx((3 - k) * GRAVITY, rel=1e-6)
        assert result[f"block {k}"].y[-1] == pytest.approx((k + 0.5) * HEIGHT, abs=1e-8)
        assert abs(result[f"block {k}"].angle[-1]) < 1e-8


def test_a_dropped_block_keeps_its_energy_on_elastic_ground():
    """It tumbles: corners, rounded or not, touch one after the other."""
    system = cm.System(gravity=(0.0, -GRAVITY))
    block = system.add(cm.Body("block", 1.0, 0.004, position=(0.0, 0.3), angle=0.4, angular_velocity=3.0))
    system.add(cm.Contact(rectangle(block, radius=0.01), cm.Plane(system.ground), cm.laws.Linear(1e6), name="floor"))
    result = cm.simulate(system, 1.0)
    assert len(result.impacts) >= 3
    assert result.energy.drift < 1e-8


def test_a_geneva_drive_indexes_its_wheel_as_theory_says():
    """ψ = atan2(sin φ, a/r − cos φ) while the pin is in the slot; at rest between."""
    distance, clearance = 0.1, 2e-5
    profile = cm.profiles.GenevaWheel(4, distance, pin_radius=0.005, clearance=clearance)
    system = cm.System(name="Geneva drive")
    start = math.pi / 4.0 - 0.2  # before the pin enters at φ = −45°
    driver = system.add(cm.Body("driver", 1.0, 1e-3, angle=-start - 0.4, angular_velocity=5.0))
    rest = math.pi - math.pi / 4.0  # a locked wheel: the arc between two slots faces the driver
    wheel = system.add(cm.Body("wheel", 0.5, 2e-4, position=(distance, 0.0), angle=rest))
    system.add(cm.Revolute(system.ground, driver, at=(0.0, 0.0)))
    system.add(cm.Revolute(system.ground, wheel, at=(distance, 0.0)))
    system.add(cm.Driver((driver, "angle"), cm.ConstantSpeed(5.0)))
    law = cm.laws.ExactRestitution(1e6, exponent=1.0, restitution=0.3)
    part = cm.Curve(wheel, profile)
    pin = cm.Sphere(driver, profile.pin_radius, at=(profile.crank_radius, 0.0))
    system.add(cm.Contact(pin, part, law, name="pin"))
    system.add(cm.Contact(cm.Curve(driver, cm.profiles.GenevaDriver(profile)), part, law, name="lock"))
    result = cm.simulate(system, 0.5, output=2e-3)
    phi = result["driver"].angle
    ratio = distance / profile.crank_radius
    inside = np.abs(phi) < 0.7
    assert inside.sum() > 50
    expected = 0.5 * math.pi - np.arctan2(np.sin(phi), ratio - np.cos(phi))
    lever = np.hypot(distance - profile.crank_radius * np.cos(phi), profile.crank_radius * np.sin(phi))
    off = np.abs(result["wheel"].angle - expected) * lever
    assert off[inside].max() < 4.0 * clearance + 2e-5
    assert phi[-1] > 1.2
    after = phi > 0.9
    assert np.ptp(result["wheel"].angle[after]) < 5e-3  # locked again, one slot further
    assert result["wheel"].angle[-1] == pytest.approx(rest - math.pi / 2.0, abs=5e-3)


@pytest.mark.parametrize(("torque", "turns"), [(0.2, True), (-0.2, False)])
def test_a_ratchet_holds_in_one_direction(torque: float, turns: bool):
    system = cm.System(name="ratchet")
    wheel = system.add(cm.Body("wheel", 0.5, 5e-4))
    profile = cm.profiles.Ratchet(12, 0.04, 0.05)
    # The pawl lies below the wheel: its tip is at the bottom, its steep side against a tooth.
    length = 0.06
    pawl = system.add(cm.Body("pawl", 0.05, 2e-5, position=(-length, -0.047)))
    system.add(cm.Revolute(system.ground, wheel, at=(0.0, 0.0)))
    system.add(cm.Revolute(system.ground, pawl, at=(-length, -0.047)))
    impact = cm.ImpactLaw(0.0, friction=0.0)
    nose = cm.Curve(pawl, cm.profiles.Pawl(length, 0.008))
    system.add(cm.Contact(nose, cm.Curve(wheel, profile), impact=impact, name="teeth"))
    system.add(cm.Torque(pawl, 0.02))
    system.add(cm.Torque(wheel, torque))
    pawl.angle = -0.12
    result = cm.simulate(system, 0.3, method="nonsmooth", step=1e-4)
    turned = float(result["wheel"].angle[-1] - result["wheel"].angle[0])
    if turns:
        assert abs(turned) > 4.0 * math.pi / 12.0
    else:
        assert abs(turned) < 2.0 * math.pi / 12.0
        assert abs(result["wheel"].omega[-1]) < 1e-6
