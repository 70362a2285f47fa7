"""Involute gears in contact: transmission error against theory, energy, both physics."""

from __future__ import annotations

import math

import numpy as np
import pytest

import carom as cm
from carom.geometry.closest_points import ClosestPoints

Z1, Z2, MODULE = 17, 29, 2e-3
PINION, WHEEL = cm.profiles.SpurGear(Z1, MODULE), cm.profiles.SpurGear(Z2, MODULE, backlash=1e-4)
DISTANCE = PINION.centre_distance(WHEEL)
MESHED = math.pi + math.pi / Z2
"""Angle of the wheel at which a gap meets the tooth of the pinion on the line of centres."""


def gears(**laws) -> tuple[cm.System, cm.Body, cm.Body]:
    system = cm.System(name="gears")
    pinion = system.add(cm.Body("pinion", 0.1, 2e-5))
    wheel = system.add(cm.Body("wheel", 0.3, 1.5e-4, position=(DISTANCE, 0.0), angle=MESHED))
    system.add(cm.Revolute(system.ground, pinion, at=(0.0, 0.0)))
    system.add(cm.Revolute(system.ground, wheel, at=(DISTANCE, 0.0)))
    if laws:
        system.add(cm.Contact(cm.Curve(pinion, PINION), cm.Curve(wheel, WHEEL), **laws, name="mesh"))
    return system, pinion, wheel


CLEARANCE = 0.5 * 1e-4 * math.cos(PINION.pressure_angle)
"""Gap on both sides of a tooth in the middle of its gap: half of the backlash along the line of action [m]."""
ANGLES = np.linspace(0.0, 2.0 * math.pi / Z1, 41)


def spots_at(depth: float) -> list[list[ClosestPoints]]:
    """Spots over one pitch, with the wheel turned against the pinion by ``depth`` beyond the clearance."""
    _, pinion, wheel = gears()
    a, b = cm.Curve(pinion, PINION), cm.Curve(wheel, WHEEL)
    found = []
    for angle in ANGLES:
        pinion.angle = angle
        wheel.angle = MESHED - angle * Z1 / Z2 + (CLEARANCE + depth) / WHEEL.base_radius
        found.append(list(cm.closest(a, b).spots))
    return found


def test_rigid_gears_have_no_transmission_error():
    """Involutes touch along one line: at every angle the gap is the clearance less the turn of the base circle."""
    gaps = np.array([spots[0].gap for spots in spots_at(-1e-5)])
    np.testing.assert_allclose(gaps, 1e-5, rtol=0.0, atol=5e-10)


def test_pairs_of_teeth_share_the_load_as_the_contact_ratio_says():
    """All flanks in contact have one depth δ, so that F = n k δ; the mean of n is the contact ratio."""
    depth = 1e-7
    found = spots_at(depth)
    for spots in found:
        on_flanks = [spot for spot in spots if abs(spot.gap + depth) < 1e-9]
        assert 1 <= len(on_flanks) <= 2
        assert all(spot.gap < 0.0 for spot in spots)
        direction = np.array([math.sin(PINION.pressure_angle), math.cos(PINION.pressure_angle)])
        for spot in on_flanks:  # along the line of action
            assert abs(spot.normal @ direction) == pytest.approx(1.0, abs=1e-6)
    mean = np.mean([sum(abs(spot.gap + depth) < 1e-9 for spot in spots) for spots in found[:-1]])
    assert mean == pytest.approx(PINION.contact_ratio(WHEEL), abs=0.05)


def loaded(**laws) -> cm.System:
    """Both shafts driven against each other by torques in balance, and turning."""
    system, pinion, wheel = gears(**laws)
    pinion.angular_velocity, wheel.angular_velocity = 100.0, -100.0 * Z1 / Z2
    system.add(cm.Torque(pinion, 1.0))
    system.add(cm.Torque(wheel, Z2 / Z1))
    return system


def test_elastic_gears_keep_their_energy():
    """Teeth hammer against each other through the backlash; each has its own spot, and none gains energy."""
    result = cm.simulate(loaded(law=cm.laws.Linear(1e8)), 0.012)
    assert result["mesh"].touching.max() == 2
    assert len(result.impacts) > 5
    assert result.energy.drift < 1e-8


def test_sparse_output_has_the_same_energy():
    """The spots of a node are in the slots of the run, although teeth have moved on between two nodes."""
    result = cm.simulate(loaded(law=cm.laws.Linear(1e8)), 0.012, output=2e-3)
    assert result.energy.drift < 1e-8


def test_deflection_of_loaded_gears_is_the_force_over_the_stiffness_of_the_pairs():
    """Static: F = M / r_b, δ = F / (n k) with n = 1 or 2 pairs in contact."""
    stiffness, force = 1e8, 1.0 / PINION.base_radius
    for angle, pairs in ((0.0, 2), (1.5 * math.pi / Z1, 1)):
        system, pinion, wheel = gears(law=cm.laws.Linear(stiffness))
        pinion.angle = angle
        wheel.angle = MESHED - angle * Z1 / Z2 + (CLEARANCE + force / (pairs * stiffness)) / WHEEL.base_radius
        system.add(cm.Torque(pinion, 1.0))
        system.add(cm.Torque(wheel, Z2 / Z1))
        result = cm.simulate(system, 1e-6)
        assert result["mesh"].touching[0] == pairs
        assert result["mesh"].normal_force[0] == pytest.approx(force, rel=1e-3)
        assert abs(result["pinion"].alpha[0]) < 1e-3 * 1.0 / 2e-5


def test_rigid_gears_turn_in_the_ratio_of_their_teeth():
    system = loaded(impact=cm.ImpactLaw(0.0))
    result = cm.simulate(system, 0.012, method="nonsmooth", step=1e-5)
    driven = result.t > 0.006
    error = (result["wheel"].angle - result["wheel"].angle[0] + Z1 / Z2 * result["pinion"].angle) * WHEEL.base_radius
    np.testing.assert_allclose(error[driven], CLEARANCE, rtol=0.0, atol=5e-8)
    assert np.all(np.diff(result.energy.total - result.energy.applied_work) < 1e-3 * result.energy.scale)


def test_flanks_overlap_by_the_turn_of_the_base_circle():
    """Also by more than the clearance between tip and root, which is then the nearest place."""
    _, pinion, wheel = gears()
    for depth in (1e-4, 5e-4, 1e-3, 1.5e-3):
        wheel.angle = MESHED + (CLEARANCE + depth) / WHEEL.base_radius
        found = cm.closest(cm.Curve(pinion, PINION), cm.Curve(wheel, WHEEL))
        assert found.gap == pytest.approx(-depth, abs=2e-9)


@pytest.mark.parametrize("overlap", [2e-5, 5e-4])
def test_teeth_that_overlap_at_the_start_are_named(overlap: float):
    system, _, wheel = gears(law=cm.laws.Linear(1e8))
    wheel.angle += (CLEARANCE + overlap) / WHEEL.base_radius
    with pytest.warns(cm.CaromWarning, match=rf"Contact 'mesh \d': shapes overlap by {overlap:.3g} m at t = 0"):
        cm.simulate(system, 1e-5)
