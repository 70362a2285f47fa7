"""Revolute joints with clearance: what is refused, the journal's orbit, and the ideal joint as their limit."""

from __future__ import annotations

import math

import numpy as np
import pytest

import carom as cm
from carom.errors import ModelError
from physics.drops import GRAVITY

LAW = cm.laws.Hertz(1e7)
PLAY = {"journal_radius": 0.0095, "bearing_radius": 0.010, "law": LAW}


@pytest.fixture
def system() -> cm.System:
    system = cm.System(name="pair")
    system.add(cm.Body("a", 1.0, 0.1))
    system.add(cm.Body("b", 1.0, 0.1, position=(1.0, 0.0)))
    return system


# ---- refused


@pytest.mark.parametrize("missing", PLAY)
def test_all_of_radii_and_law_are_needed(system, missing):
    given = {name: value for name, value in PLAY.items() if name != missing}
    wanted = "law= for compliant runs" if missing == "law" else "journal_radius and bearing_radius"
    with pytest.raises(ModelError, match=f"RevoluteClearance( a–b)?: set {wanted}"):
        cm.RevoluteClearance(system["a"], system["b"], at=(0.5, 0.0), **given)


@pytest.mark.parametrize("journal", [0.01, 0.02])
def test_journal_must_fit(system, journal):
    with pytest.raises(ModelError, match=r"'pin': journal_radius must be smaller than bearing_radius, got 0\.0"):
        cm.RevoluteClearance(system["a"], system["b"], (0.5, 0.0), journal, 0.01, LAW, name="pin")


@pytest.mark.parametrize("radii", [(-0.01, 0.02), (0.0, 0.02), (math.nan, 0.02), (0.01, "wide")])
def test_radii_must_be_positive_numbers(system, radii):
    with pytest.raises(ModelError, match=r"RevoluteClearance: (journal|bearing)_radius must be"):
        cm.RevoluteClearance(system["a"], system["b"], (0.5, 0.0), *radii, LAW)


def test_place_is_needed(system):
    with pytest.raises(ModelError, match=r"RevoluteClearance: set at=\(x, y\)"):
        cm.RevoluteClearance(system["a"], system["b"], **PLAY)


def test_law_and_friction_are_those_of_a_contact(system):
    with pytest.raises(ModelError, match=r"law must be one of carom\.laws"):
        cm.RevoluteClearance(system["a"], system["b"], (0.5, 0.0), 0.0095, 0.01, 1e7)
    with pytest.raises(ModelError, match=r"friction must be one of carom\.friction"):
        cm.RevoluteClearance(system["a"], system["b"], (0.5, 0.0), 0.0095, 0.01, LAW, 0.1)


def test_bodies_must_differ(system):
    with pytest.raises(ModelError, match="on one body"):
        cm.RevoluteClearance(system["a"], system["a"], (0.5, 0.0), **PLAY)


# ---- what it is


def test_name_clearance_and_points(system):
    joint = system.add(cm.RevoluteClearance(system["a"], system["b"], at=(0.5, 0.0), **PLAY))
    assert joint.name == "revolute clearance a-b"
    assert repr(joint).startswith("<RevoluteClearance 'revolute clearance a-b': ")
    assert joint.clearance == pytest.approx(5e-4)
    assert joint.points == ((0.5, 0.0), (-0.5, 0.0))
    assert system.contacts == [joint]
    assert system.degrees_of_freedom == 6


def test_markers_give_the_centres_apart(system):
    joint = cm.RevoluteClearance(system["a"].point(0.5, 0.0), system["b"].point(-0.5, 3e-4), **PLAY)
    system.add(joint)
    result = cm.simulate(system, 1e-3)
    shown = result[joint]
    assert shown.eccentricity[0] == pytest.approx(3e-4, abs=1e-16)
    assert (shown.ex[0], shown.ey[0]) == pytest.approx((0.0, 3e-4), abs=1e-16)
    assert shown.indentation[0] == pytest.approx(3e-4 - 5e-4, abs=1e-16)
    assert shown.contact_mode[0] == 0.0


# ---- the orbit of the journal


def turning_bearing(speed: float = 7.0) -> tuple[cm.System, cm.RevoluteClearance]:
    """A bearing off the centre of a disc that a motor turns, and a pendulum whose journal lies in it."""
    system = cm.System(gravity=(0.0, -GRAVITY))
    disc = system.add(cm.Body("disc", 1.0, 0.1, angle=0.4))
    pin = system.add(cm.Revolute(system.ground, disc, at=(0.0, 0.0)))
    system.add(cm.Driver(pin, cm.ConstantSpeed(speed)))
    at = disc.to_global((0.05, 0.02))
    bob = system.add(cm.Body("bob", 0.2, 1e-3, position=(at[0], at[1] - 0.1)))
    system.assemble(keep=[(disc, "angle")])
    law = cm.laws.Flores(1e7, 0.5)
    return system, system.add(cm.RevoluteClearance(disc, bob, at, 0.0095, 0.010, law, name="pin"))


def test_orbit_is_seen_in_the_axes_of_the_bearing():
    system, joint = turning_bearing()
    result = cm.simulate(system, 0.3)
    disc, bob, pin = result["disc"], result["bob"], result["pin"]
    bearing, journal = disc.point(*joint.points[0]), bob.point(*joint.points[1])
    away = journal - bearing
    c, s = np.cos(disc.angle), np.sin(disc.angle)
    np.testing.assert_allclose(pin.ex, c * away[:, 0] + s * away[:, 1], atol=1e-15)
    np.testing.assert_allclose(pin.ey, c * away[:, 1] - s * away[:, 0], atol=1e-15)
    np.testing.assert_allclose(pin.eccentricity, np.hypot(*away.T), atol=1e-15)
    np.testing.assert_allclose(pin.indentation, pin.eccentricity - 5e-4, atol=1e-15)
    assert np.ptp(disc.angle) > 2.0
    assert pin.eccentricity.max() > 5e-4


def test_force_pushes_the_bearing_the_way_the_journal_lies():
    system, _ = turning_bearing()
    result = cm.simulate(system, 0.3)
    pin, disc = result["pin"], result["disc"]
    pressed = pin.normal_force > 1e-3
    assert pressed.any()
    c, s = np.cos(disc.angle), np.sin(disc.angle)
    outward = np.column_stack([c * pin.ex - s * pin.ey, s * pin.ex + c * pin.ey]) / pin.eccentricity[:, None]
    force = np.column_stack([pin.fx, pin.fy])
    np.testing.assert_allclose(force[pressed], (outward * pin.normal_force[:, None])[pressed], rtol=1e-9)
    np.testing.assert_allclose(np.column_stack([pin.nx, pin.ny])[pressed], outward[pressed], atol=1e-10)


def test_mode_tells_flight_impact_and_lasting_contact():
    """A journal dropped in its bearing: free flight, impacts, and rest at the bottom."""
    system = cm.System(gravity=(0.0, -GRAVITY))
    bob = system.add(cm.Body("bob", 0.2, 1e-3))
    law = cm.laws.Flores(1e7, 0.4)
    joint = system.add(cm.RevoluteClearance(system.ground, bob, (0.0, 0.0), 0.0095, 0.010, law, name="pin"))
    result = cm.simulate(system, 0.5)
    pin = result[joint]
    assert set(pin.contact_mode) == {0.0, 1.0, 2.0}
    assert pin.contact_mode[0] == 0.0
    assert pin.contact_mode[-1] == 2.0
    first, last = result.impacts[0], result.impacts[-1]
    assert first.t_start == pytest.approx(math.sqrt(2.0 * 5e-4 / GRAVITY), rel=1e-10)
    inside = (result.t > first.t_start) & (result.t < first.t_end)
    assert np.all(pin.contact_mode[inside] == 1.0)
    assert np.all(pin.contact_mode[result.t < first.t_start] == 0.0)
    assert np.all(pin.contact_mode[result.t > last.t_start] == 2.0)
    assert (pin.ex[-1], pin.ey[-1]) == pytest.approx((0.0, -5e-4 - (0.2 * GRAVITY / 1e7) ** (2.0 / 3.0)), abs=1e-10)


def test_orbit_goes_round_in_a_fixed_bearing():
    """A journal that runs round its bearing without friction keeps its speed; the force is that of the circle."""
    system = cm.System()
    radius, speed, mass, stiffness = 5e-4, 0.1, 0.2, 1e7
    depth = 0.0
    for _ in range(50):  # K δ^1.5 = m v²/(c + δ)
        depth = (mass * speed**2 / (radius + depth) / stiffness) ** (2.0 / 3.0)
    journal = system.add(cm.Body("journal", mass, 1e-3, (radius + depth, 0.0), velocity=(0.0, speed)))
    centres = system.ground.point(0.0, 0.0), journal.point(0.0, 0.0)
    pin = system.add(cm.RevoluteClearance(*centres, None, 0.0095, 0.010, cm.laws.Hertz(stiffness), name="pin"))
    with pytest.warns(cm.CaromWarning, match="overlap"):
        result = cm.simulate(system, 4.0 * math.pi * radius / speed)
    shown = result[pin]
    np.testing.assert_allclose(shown.eccentricity, radius + depth, rtol=1e-7)
    np.testing.assert_allclose(shown.normal_force, mass * speed**2 / (radius + depth), rtol=1e-4)
    turned = np.unwrap(np.arctan2(shown.ey, shown.ex))
    assert turned[-1] == pytest.approx(speed * result.t[-1] / (radius + depth), rel=1e-7)


# ---- the ideal joint


def pendulum(joint: str, clearance: float = 0.0) -> cm.System:
    """A rod of 0.5 m that swings from the horizontal, on an ideal pivot or on one with play."""
    system = cm.System(gravity=(0.0, -GRAVITY))
    rod = system.add(cm.Body("rod", 1.0, 1.0 / 48.0, position=(0.25, 0.0)))
    if joint == "ideal":
        system.add(cm.Revolute(system.ground, rod, at=(0.0, 0.0), name="pivot"))
    else:
        law = cm.laws.KelvinVoigt(1e6, damping=2e3)
        system.add(cm.RevoluteClearance(system.ground, rod, (0.0, 0.0), 0.01 - clearance, 0.01, law, name="pivot"))
    return system


def test_small_clearance_moves_as_the_ideal_joint():
    """The journal lies within c + F/K of the centre; so does the rod, and its reaction settles on the ideal."""
    ideal = cm.simulate(pendulum("ideal"), 0.5)
    distances = []
    for clearance in (1e-3, 1e-4, 1e-5):
        result = cm.simulate(pendulum("clearance", clearance), 0.5)
        same = ideal.sample(result.t)
        distances.append(np.abs(result["rod"].angle - same["rod"].angle).max())
        assert distances[-1] < 10.0 * (clearance + 2.0 * GRAVITY / 1e6)
        assert result.energy.drift < 1e-8
    assert distances[0] > 3.0 * distances[1] > 3.0 * distances[2]
    settled = result.t > 0.2
    force = np.hypot(result["pivot"].fx, result["pivot"].fy)[settled]
    expected = np.hypot(same["pivot"].fx, same["pivot"].fy)[settled]
    np.testing.assert_allclose(force, expected, rtol=2e-2)


def test_friction_in_the_bearing_slows_the_pendulum():
    rough = pendulum("clearance", 1e-4)
    joint = rough.contacts[0]
    joint.friction = cm.friction.Coulomb(0.5, 1e-2)
    result, smooth = cm.simulate(rough, 1.5), cm.simulate(pendulum("clearance", 1e-4), 1.5)
    assert result.energy.friction[-1] > 0.01
    assert not smooth.energy.friction.any()
    assert np.abs(result["rod"].angle[result.t > 0.6]).max() < np.abs(smooth["rod"].angle[smooth.t > 0.6]).max()
    assert result.energy.drift < 1e-8
