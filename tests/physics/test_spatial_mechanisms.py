"""Mechanisms in space against closed forms: kinematics, redundancy, gears, screws."""

import math
from typing import Any

import numpy as np
import pytest

import carom as cm
from carom.gallery.validation.bricard import bricard

TIGHT: dict[str, Any] = {"rtol": 1e-10, "atol": 1e-11}


# ---- Bricard's mechanism


def test_bricards_mechanism_moves_though_counting_says_it_cannot():
    system = bricard()
    assert sum(joint.rows for joint in system.joints) == 6 * len(system.bodies)
    assert system.degrees_of_freedom == 1
    with pytest.warns(cm.CaromWarning, match="1 constraint equation is redundant"):
        result = cm.simulate(system, 10.0, rtol=1e-9, atol=1e-10)
    assert result.outcome is cm.Outcome.FINISHED
    assert np.ptp(result.energy.total) < 1e-8
    # Three-fold symmetry: opposite hinges turn alike; all links come down to the other side and back.
    angles = np.column_stack([result[f"hinge {k + 1}"].angle for k in range(6)])
    np.testing.assert_allclose(angles[:, 0], angles[:, 2], atol=1e-8)
    np.testing.assert_allclose(angles[:, 0], angles[:, 4], atol=1e-8)
    np.testing.assert_allclose(angles[:, 1], angles[:, 3], atol=1e-8)
    # Closure of the trihedral linkage with unit links: cos θ₁ + cos θ₂ + cos θ₁ cos θ₂ = 0 for the angles between rods.
    first, second = np.cos(angles[:, 0] + 0.5 * math.pi), np.cos(angles[:, 1] + 0.5 * math.pi)
    np.testing.assert_allclose(first + second + first * second, 0.0, atol=1e-8)
    assert np.ptp(angles[:, 0]) > 3.0


def test_the_reactions_of_a_redundant_linkage_move_its_links():
    """Newton's and Euler's equations of the third rod, from the forces and torques in the hinges at its ends."""
    with pytest.warns(cm.CaromWarning, match="redundant"):
        result = cm.simulate(bricard(), 2.0)
    rod = result["rod 3"]
    forces, torques = (
        [np.column_stack([getattr(result[f"hinge {k}"], f"{kind}{axis}") for axis in "xyz"]) for k in (3, 4)]
        for kind in "ft"
    )
    np.testing.assert_allclose(forces[0] - forces[1], rod.acceleration - (0.0, -9.81, 0.0), rtol=0.0, atol=1e-8)
    arms = [rod.point(0.0, 0.0, end) - rod.position for end in (-0.5, 0.5)]
    moment = torques[0] + np.cross(arms[0], forces[0]) - torques[1] - np.cross(arms[1], forces[1])
    inertia = np.array([1.0, 1.0, 1e-4]) / 12.0
    spin = rod.alpha * inertia + np.cross(rod.omega, rod.omega * inertia)
    np.testing.assert_allclose(np.einsum("nji,nj->ni", rod.rotation, moment), spin, rtol=0.0, atol=1e-8)
    assert np.abs(torques[0]).max() > 1.0


# ---- slider-crank in space


RADIUS, ROD, RAIL = 0.08, 0.3, (0.1, 0.12)


def slider_crank(start: float = 0.4) -> cm.System:
    """A crank in the yz-plane about x through (0, 0.1, 0.12), a slider along the x-axis (after Haug, 1989)."""
    system = cm.System(dim=3, gravity=(0.0, 0.0, -9.81))
    pin = crank_pin(np.array(start))
    slide = np.array([slider_place(np.array(start)), 0.0, 0.0])
    crank = system.add(cm.Body("crank", 0.12, (1e-4, 1e-5, 1e-4), position=(0.0, *RAIL)))
    rod = system.add(cm.Body("rod", 0.5, (4e-3, 4e-4, 4e-3), position=0.5 * (pin + slide)))
    block = system.add(cm.Body("block", 2.0, 1e-4, position=slide))
    bearing = system.add(cm.Revolute(system.ground, crank, at=(0.0, *RAIL), axis=(1.0, 0.0, 0.0), name="bearing"))
    system.add(cm.Spherical(crank, rod, at=pin, name="ball"))
    along = (slide - pin) / ROD
    across = np.cross(along, (0.0, 1.0, 0.0))
    across /= np.linalg.norm(across)
    system.add(cm.Universal(rod, block, slide, across, np.cross(across, along), name="cross"))
    system.add(cm.Prismatic(system.ground, block, axis=(1.0, 0.0, 0.0), name="rail"))
    system.add(cm.Driver(bearing, cm.ConstantSpeed(6.0), name="motor"))
    return system


def crank_pin(angle: np.ndarray) -> np.ndarray:
    """The pin starts above the bearing at angle zero and turns from y to z."""
    return np.stack([0.0 * angle, RAIL[0] - RADIUS * np.sin(angle), RAIL[1] + RADIUS * np.cos(angle)], axis=-1)


def slider_place(angle: np.ndarray) -> Any:
    pin = crank_pin(angle)
    return np.sqrt(ROD**2 - pin[..., 1] ** 2 - pin[..., 2] ** 2)


def test_a_spatial_slider_crank_keeps_its_rod_long():
    result = cm.kinematics(slider_crank(), 3.0, points=301)
    assert result.outcome is cm.Outcome.FINISHED
    angle = 0.4 + 6.0 * result.t
    pin, place = crank_pin(angle), slider_place(angle)
    pin_rate = 6.0 * RADIUS * np.column_stack([-np.cos(angle), -np.sin(angle)])
    speed = -np.einsum("ni,ni->n", pin[:, 1:], pin_rate) / place
    pull = 36.0 * RADIUS * np.column_stack([np.sin(angle), -np.cos(angle)])  # of the pin
    turned = np.einsum("ni,ni->n", pin_rate, pin_rate) + np.einsum("ni,ni->n", pin[:, 1:], pull)
    acceleration = -(speed**2 + turned) / place
    np.testing.assert_allclose(result["block"].x, place, rtol=0.0, atol=1e-12)
    np.testing.assert_allclose(result["block"].vx, speed, rtol=0.0, atol=1e-11)
    np.testing.assert_allclose(result["block"].ax, acceleration, rtol=0.0, atol=1e-9)
    np.testing.assert_allclose(result["motor"].angle, 6.0 * result.t, rtol=0.0, atol=1e-12)
    np.testing.assert_allclose(result["bearing"].angle, 6.0 * result.t, rtol=0.0, atol=1e-12)
    np.testing.assert_allclose(result["rail"].displacement, place - place[0], rtol=0.0, atol=1e-12)


def test_the_motor_of_a_slider_crank_does_the_work_its_energy_shows():
    """Inverse dynamics (kinematics) and a run with the same driver agree, and close the books of energy."""
    times = np.linspace(0.0, 1.0, 41)
    run = cm.simulate(slider_crank(), 1.0, output=times, **TIGHT)
    moved = cm.kinematics(slider_crank(), 1.0, points=41)
    at = np.searchsorted(run.t, times)
    np.testing.assert_allclose(run["block"].x[at], moved["block"].x, rtol=0.0, atol=1e-9)
    np.testing.assert_allclose(run["motor"].effort[at], moved["motor"].effort, rtol=0.0, atol=1e-6)
    for part in ("fx", "fy", "fz", "tx", "ty", "tz"):
        np.testing.assert_allclose(
            getattr(run["rail"], part)[at], getattr(moved["rail"], part), rtol=0.0, atol=1e-6, err_msg=part
        )
    assert run.energy.drift < 1e-9


# ---- universal joint


def shafts(bend: float, held: str) -> cm.System:
    """Two shafts that meet at the origin at an angle ``bend``, with a cross."""
    system = cm.System(dim=3)
    out = np.array([math.cos(bend), math.sin(bend), 0.0])
    driving = system.add(cm.Body("driving", 1.0, (0.02, 0.1, 0.1), position=(-0.5, 0.0, 0.0)))
    driven = system.add(cm.Body("driven", 1.0, 0.05, position=0.5 * out))
    bearing = system.add(cm.Revolute(system.ground, driving, at=(-0.5, 0, 0), axis=(1.0, 0.0, 0.0), name="bearing"))
    across = np.array([0.0, 0.0, 1.0])
    system.add(cm.Universal(driving, driven, (0.0, 0.0, 0.0), across, np.cross(across, out), name="cross"))
    if held == "line":
        system.add(cm.PointOnLine(system.ground, driven, axis=out, name="seat"))
    else:
        system.add(cm.Revolute(system.ground, driven, at=0.5 * out, axis=out, name="seat"))
    system.add(cm.Driver(bearing, cm.ConstantSpeed(5.0)))
    return system


@pytest.mark.parametrize("held", ["line", "hinge"])
def test_shafts_with_a_cross_turn_as_tan_b_is_tan_a_times_cos(held: str):
    """With the cross in the driving shaft across the plane of the shafts: tan θ₂ = tan θ₁ cos β, over many turns."""
    bend = 0.6
    system = shafts(bend, held)
    if held == "line":
        result = cm.kinematics(system, 4.0, points=401)
    else:
        with pytest.warns(cm.CaromWarning, match="redundant"):
            result = cm.kinematics(system, 4.0, points=401)
    out = np.array([math.cos(bend), math.sin(bend), 0.0])
    first = 5.0 * result.t
    expected = np.unwrap(np.arctan2(math.cos(bend) * np.sin(first), np.cos(first)))
    expected_rate = 5.0 * math.cos(bend) / (np.cos(first) ** 2 + (math.cos(bend) * np.sin(first)) ** 2)
    rate = result["driven"].global_omega @ out
    ratio = expected_rate / 5.0
    assert ratio.max() == pytest.approx(1.0 / math.cos(bend), rel=1e-3)
    np.testing.assert_allclose(rate, expected_rate, rtol=1e-10)
    if held == "hinge":
        np.testing.assert_allclose(result["seat"].angle, expected, rtol=0.0, atol=1e-10)
    # The cross swings by β to either side in each shaft; it starts at one end in the driving one.
    assert np.ptp(result["cross"].angle_a) == pytest.approx(2.0 * bend, abs=1e-4)
    assert np.ptp(result["cross"].angle_b) == pytest.approx(2.0 * bend, abs=1e-4)


# ---- screw


@pytest.mark.parametrize("pitch", [0.02, -0.05])
def test_a_nut_advances_by_its_pitch_a_turn(pitch: float):
    axis = np.array([0.6, 0.0, 0.8])
    system = cm.System(dim=3)
    nut = system.add(cm.Body("nut", 0.5, (2e-3, 3e-3, 2.5e-3), position=(0.1, 0.2, 0.3)))
    thread = system.add(cm.Screw(system.ground, nut, axis=axis, pitch=pitch, name="thread"))
    system.add(cm.Driver(thread, cm.ConstantSpeed(40.0), "angle", name="motor"))
    assert system.degrees_of_freedom == 0
    result = cm.kinematics(system, 3.0, points=31)
    np.testing.assert_allclose(result["thread"].angle, 40.0 * result.t, rtol=0.0, atol=1e-10)
    np.testing.assert_allclose(result["nut"].velocity @ axis, pitch * 40.0 / (2.0 * math.pi), rtol=1e-12)
    way = (result["nut"].position - result["nut"].position[0]) @ axis
    np.testing.assert_allclose(way, pitch * 40.0 * result.t / (2.0 * math.pi), rtol=0.0, atol=1e-12)


def test_a_nut_that_runs_down_its_thread_falls_slowly():
    """a = g/(1 + I (2π/p)²/m): the rest of the fall goes into spin, by the force and the torque of the thread."""
    mass, inertia, pitch, gravity = 0.5, 1e-4, 0.1, 9.81
    system = cm.System(dim=3, gravity=(0.0, 0.0, -gravity))
    nut = system.add(cm.Body("nut", mass, inertia, position=(0.0, 0.0, 0.0)))
    system.add(cm.Screw(system.ground, nut, axis=(0.0, 0.0, 1.0), pitch=pitch, name="thread"))
    result = cm.simulate(system, 2.0, **TIGHT)
    slope = 2.0 * math.pi / pitch
    fall = gravity / (1.0 + inertia * slope**2 / mass)
    np.testing.assert_allclose(result["nut"].z, -0.5 * fall * result.t**2, rtol=0.0, atol=1e-8)
    np.testing.assert_allclose(result["thread"].angle, -0.5 * fall * slope * result.t**2, rtol=0.0, atol=1e-6)
    assert result["thread"].angle[-1] < -10.0 * math.pi
    np.testing.assert_allclose(result["thread"].fz, mass * (gravity - fall), rtol=1e-7)
    np.testing.assert_allclose(result["thread"].tz, -inertia * slope * fall, rtol=1e-7)
    assert result.energy.drift < 1e-9


# ---- gears


@pytest.mark.parametrize("ratio", [{"teeth": (20, 33)}, {"ratio": -math.pi / 5.0}], ids=["teeth", "friction wheels"])
def test_bevel_gears_keep_their_ratio_over_many_turns(ratio: dict[str, Any]):
    """Wheels with askew axes; the one that is driven by a torque carries the inertia of both."""
    system = cm.System(dim=3)
    slant = np.array([0.0, 0.6, 0.8])
    small = system.add(cm.Body("small", 0.2, (0.01, 0.01, 0.02), position=(0.0, 0.0, 0.1)))
    large = system.add(cm.Body("large", 0.8, 0.05, position=0.3 * slant))
    first = system.add(cm.Revolute(system.ground, small, at=(0.0, 0.0, 0.0), axis=(0.0, 0.0, 1.0), name="first"))
    second = system.add(cm.Revolute(system.ground, large, at=0.3 * slant, axis=slant, name="second"))
    mesh = system.add(cm.Gear(first, second, name="mesh", **ratio))
    system.add(cm.Torque(small, 0.4, axis=(0.0, 0.0, 1.0)))
    assert system.degrees_of_freedom == 1
    result = cm.simulate(system, 5.0, **TIGHT)
    carried = 0.02 + 0.05 * mesh.ratio**2
    turned = 0.5 * 0.4 / carried * result.t**2
    assert turned[-1] > 20.0 * math.pi
    np.testing.assert_allclose(result["first"].angle, turned, rtol=1e-8, atol=1e-9)
    np.testing.assert_allclose(result["second"].angle, mesh.ratio * turned, rtol=1e-8, atol=1e-9)
    torque = np.column_stack([result["mesh"].tx, result["mesh"].ty, result["mesh"].tz])
    np.testing.assert_allclose(torque, np.tile(0.05 * mesh.ratio * 0.4 / carried * slant, (len(torque), 1)), atol=1e-9)
    assert result.energy.drift < 1e-9


def test_a_planet_rolls_between_sun_and_carrier_in_space():
    """Carrier driven, sun held: ω_planet = (1 + z_s/z_p) ω_carrier, as in the plane."""
    system = cm.System(dim=3)
    carrier = system.add(cm.Body("carrier", 1.0, (0.1, 0.1, 0.1)))
    sun = system.add(cm.Body("sun", 1.0, (0.1, 0.1, 0.1)))
    planet = system.add(cm.Body("planet", 0.3, 0.01, position=(0.5, 0.0, 0.0)))
    hub = system.add(cm.Revolute(system.ground, carrier, at=(0.0, 0.0, 0.0), axis=(0.0, 0.0, 1.0)))
    seat = system.add(cm.Revolute(carrier, sun, at=(0.0, 0.0, 0.0), axis=(0.0, 0.0, 1.0)))
    pin = system.add(cm.Revolute(carrier, planet, at=(0.5, 0.0, 0.0), axis=(0.0, 0.0, 1.0)))
    system.add(cm.Gear(seat, pin, teeth=(30, 12)))
    hold = system.add(cm.Revolute(system.ground, sun, at=(0.0, 0.0, 0.0), axis=(0.0, 0.0, 1.0)))
    for drive, speed in ((hub, 3.0), (hold, 0.0)):
        system.add(cm.Driver(drive, cm.ConstantSpeed(speed)))
    with pytest.warns(cm.CaromWarning, match="redundant"):
        result = cm.kinematics(system, 2.0, points=41)
    np.testing.assert_allclose(result["planet"].wz, (1.0 + 30.0 / 12.0) * 3.0, rtol=1e-10)
