"""Hinges, guides, out-of-round bearings and gears with clearance: geometry, statics, energy, and what is refused."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import carom as cm
from carom.errors import ModelError

LAWS = {"law": cm.laws.KelvinVoigt(1e7, damping=300.0), "impact": cm.ImpactLaw(0.2)}
SIZES = {"length": 0.04, "journal_radius": 9.5e-3, "bearing_radius": 10e-3}


def closed_gap(joint: str, part: str, pose: dict, **options) -> float:
    """Return the gap of one ring of a hinge for a pose of its journal [m]."""
    system = cm.System(dim=3)
    pin = system.add(cm.Body("pin", 0.1, 1e-5, position=(0.0, 0.0, 0.0)))
    system.add(cm.HingeClearance(system.ground, pin, name=joint, **{**SIZES, **options}, **LAWS))
    for name, value in pose.items():
        setattr(pin, name, value)
    return -float(cm.simulate(system, 1e-9, method=cm.Compliant(onset="none"))[part].indentation[0])


# ---- rings


@pytest.mark.parametrize("lengths", [{}, {"bearing_length": 0.03}])
def test_gap_of_a_tilted_ring_is_the_extreme_distance_of_its_points(lengths):
    """Second method: 20 000 points of the ring."""
    turn = Rotation.from_rotvec([0.015, -0.008, 0.9])
    offset = np.array([1.1e-4, -0.7e-4, 3e-4])
    half = 0.5 * min(0.04, lengths.get("bearing_length", 1.0))
    angle = np.linspace(0.0, 2.0 * math.pi, 20_001)
    circle = np.column_stack([np.cos(angle), np.sin(angle), np.zeros_like(angle)])
    if lengths:
        ring = 10e-3 * circle - [0.0, 0.0, half]
        distance = np.linalg.norm(turn.inv().apply(ring - offset)[:, :2], axis=1)
        expected = distance.min() - 9.5e-3
    else:
        ring = turn.apply(9.5e-3 * circle - [0.0, 0.0, half]) + offset
        expected = 10e-3 - np.linalg.norm(ring[:, :2], axis=1).max()
    pose = {"position": offset, "orientation": turn}
    assert closed_gap("hinge", "hinge 1", pose, **lengths) == pytest.approx(expected, abs=3e-11)


@pytest.mark.parametrize("lengths", [{}, {"bearing_length": 0.03}])
def test_both_rings_touch_at_the_limit_of_tilt(lengths):
    """Rings of the journal: l sin φ + 2 r cos φ = 2 R; edges of the bearing: l sin φ + 2 r = 2 R cos φ."""
    system = cm.System(dim=3)
    pin = system.add(cm.Body("pin", 0.1, 1e-5, position=(0.0, 0.0, 0.0)))
    limit = cm.HingeClearance(system.ground, pin, **SIZES, **lengths, **LAWS).tilt_limit
    if lengths:
        assert 0.03 * math.sin(limit) + 0.019 == pytest.approx(0.020 * math.cos(limit), rel=1e-12)
    else:
        assert 0.04 * math.sin(limit) + 0.019 * math.cos(limit) == pytest.approx(0.020, rel=1e-12)
    pose = {"orientation": Rotation.from_rotvec([0.6 * limit, 0.8 * limit, 0.0])}
    for part in ("hinge 1", "hinge 2"):
        assert closed_gap("hinge", part, pose, **lengths) == pytest.approx(0.0, abs=1e-15)


def loaded_hinge(**options) -> cm.System:
    """Return a rod of 0.5 kg in a hinge about z with a force of 30 N, 0.1 m beyond its middle."""
    system = cm.System(dim=3)
    rod = system.add(cm.Body("rod", 0.5, (3e-4, 3e-4, 1e-4), position=(0.0, 0.0, 0.0)))
    friction = cm.friction.StepCoulomb(0.2, 0.1, 0.01, 0.1)
    system.add(cm.HingeClearance(system.ground, rod, **SIZES, **LAWS, friction=friction, name="hinge", **options))
    system.add(cm.PointForce(rod.point(0.0, 0.0, 0.1), (0.0, 30.0, 0.0)))
    return system


@pytest.mark.parametrize(("method", "options"), [("compliant", {}), ("nonsmooth", {"step": 2e-5})])
def test_a_tilted_journal_carries_an_overhung_load_with_its_rings(method, options):
    """Moments about the other ring: 30 · (0.1 ± 0.02)/0.04 = 90 and 60 N, in opposite directions."""
    result = cm.simulate(loaded_hinge(), 0.15, method=method, **options)
    hinge = result["hinge"]
    tail = result.t > 0.1
    mean = {k: np.trapezoid(result[f"hinge {k}"].fy[tail], result.t[tail]) / np.ptp(result.t[tail]) for k in (1, 2)}
    assert mean[2] == pytest.approx(90.0, rel=0.02)
    assert mean[1] == pytest.approx(-60.0, rel=0.02)
    limit = 0.025153
    assert hinge.tilt[-1] == pytest.approx(limit, rel=0.02)
    # Both ends lie against opposite sides: the centres of the rings are off by the clearance.
    assert hinge.e2y[-1] == pytest.approx(5e-4, rel=0.03)
    assert hinge.e1y[-1] == pytest.approx(-5e-4, rel=0.03)
    if method == "compliant":
        assert result.energy.drift < 1e-7
    facts = cm.diagnose_joint(result, "hinge", start=0.1).facts()
    assert facts["mean force [N]"] == pytest.approx(30.0, rel=0.02)


def test_collars_stop_the_axial_motion_and_lose_no_energy():
    """Elastic: the journal moves to and fro between its collars with the play in between."""
    system = cm.System(dim=3)
    rod = system.add(cm.Body("rod", 0.5, 1e-4, position=(0.0, 0.0, 0.0), velocity=(0.0, 0.0, 0.1)))
    law = cm.laws.Linear(1e8)
    system.add(cm.HingeClearance(system.ground, rod, **SIZES, axial_play=2e-4, law=law, name="hinge"))
    result = cm.simulate(system, 0.01)
    depth = 0.1 * math.sqrt(0.5 / 6e8)  # six pads
    assert result["hinge"].position.max() == pytest.approx(1e-4 + depth, rel=1e-5)
    assert result["hinge"].position.min() == pytest.approx(-1e-4 - depth, rel=1e-5)
    assert result.energy.drift < 1e-7
    assert len(cm.diagnose_joint(result, "hinge").t) > 0


# ---- guides


@pytest.mark.parametrize("section", [{"width": 0.05, "height": 0.03}, {"radius": 0.02}])
@pytest.mark.parametrize(("method", "options"), [("compliant", {}), ("nonsmooth", {"step": 2e-5})])
def test_guide_carries_a_side_load_beyond_its_end(section, method, options):
    """A force P at a distance b beyond the middle of a slider of length l: P (b/l ± 1/2) at its ends."""
    system = cm.System(dim=3)
    slider = system.add(cm.Body("slider", 0.8, 1e-3, position=(0.0, 0.0, 0.0)))
    friction = cm.friction.StepCoulomb(0.2, 0.1, 0.01, 0.1)
    guide = cm.GuideClearance(system.ground, slider, axis=(1.0, 0.0, 0.0), length=0.1, clearance=1e-4,
                              friction=friction, name="guide", **section, **LAWS)  # fmt: skip
    system.add(guide)
    system.add(cm.PointForce(slider.point(0.2, 0.0, 0.0), (0.0, 20.0, 0.0)))
    result = cm.simulate(system, 0.2, method=method, **options)
    tail = result.t > 0.12
    t = result.t[tail]
    front = [part.name for part in guide.parts if _end_of(guide, part) > 0.0]
    rear = [part.name for part in guide.parts if part.name not in front]
    for names, expected in ((front, 20.0 * 2.5), (rear, -20.0 * 1.5)):
        total = sum(_on_guide(result[name]) * np.trapezoid(result[name].fy[tail], t) for name in names) / np.ptp(t)
        assert total == pytest.approx(expected, rel=0.03)
    reaction = cm.diagnose_joint(result, "guide", start=0.12).reaction[:, 1]
    late = result.t[result.t >= 0.12]
    assert np.trapezoid(reaction, late) / np.ptp(late) == pytest.approx(-20.0, rel=0.03)
    if method == "compliant":
        assert result.energy.drift < 1e-6


def _on_guide(series):
    """Return the sign of a signal for the force on the guide, the ground."""
    return 1.0 if series.info.members[0] == "ground" else -1.0


def _end_of(guide, part):
    """Return the side of a contact along the guide."""
    if guide.radius is not None:
        return 1.0 if part is guide.parts[1] else -1.0
    return guide.slider.axes[:, 2] @ np.array(part.shapes[0].at)


# ---- bearings that are not round


def test_a_journal_rests_where_an_oval_bore_is_widest():
    """r(φ) = R + A cos 2(φ − 90°): widest below; the journal hangs at R + A − r_j below the centre."""
    system = cm.System(gravity=(0.0, -9.81))
    bob = system.add(cm.Body("bob", 1.0, 1e-3, position=(1e-5, 0.0)))
    bore = cm.profiles.OutOfRound(0.01, [(2, 5e-5, 0.5 * math.pi)])
    law = cm.laws.KelvinVoigt(1e7, damping=300.0)
    friction = cm.friction.StepCoulomb(0.3, 0.2, 0.01, 0.1)
    joint = cm.ProfileClearance(system.ground, cm.Marker(bob), (0.0, 0.0), 9.8e-3, bore, law, friction, name="pin")
    system.add(joint)
    result = cm.simulate(system, 0.5)
    sag = 9.81 / 1e7
    assert result["pin"].ey[-1] == pytest.approx(-(2e-4 + 5e-5 + sag), rel=1e-4)
    assert result["pin"].touching[-1] == 1.0
    assert result.energy.drift < 1e-6


def test_out_of_round_profile_is_the_sum_of_its_harmonics():
    bore = cm.profiles.OutOfRound(0.01, [(2, 5e-5, 0.3), (3, 1e-5, 0.0)])
    angle = np.arctan2(bore.points[:, 1], bore.points[:, 0])
    expected = 0.01 + 5e-5 * np.cos(2.0 * (angle - 0.3)) + 1e-5 * np.cos(3.0 * angle)
    assert np.allclose(np.hypot(*bore.points.T), expected, rtol=1e-12)


# ---- gears


def gear_pair(law=None, impact=None, backlash=1e-3, speed=0.0) -> cm.System:
    """Return two gears of 20 and 40 teeth, 60 mm apart, on pins of the ground."""
    system = cm.System()
    pinion = system.add(cm.Body("pinion", 0.2, 1e-5, angular_velocity=speed))
    wheel = system.add(cm.Body("wheel", 0.8, 2e-4, position=(0.06, 0.0)))
    for body in (pinion, wheel):
        system.add(cm.Revolute(system.ground, body, at=body.position))
    system.add(cm.GearBacklash(pinion, wheel, teeth=(20, 40), backlash=backlash, law=law, impact=impact, name="gears"))
    return system


def test_a_gear_turns_freely_by_half_the_backlash_and_then_bounces():
    """Elastic flanks: energy and ω_a r_b/r_a + … are kept; onset after j/2 at the pitch circle."""
    system = gear_pair(law=cm.laws.Linear(1e7), speed=1.0)
    result = cm.simulate(system, 0.2)
    first = result.impacts[0]
    assert first.contact == "gears 1"
    assert first.t_start == pytest.approx(0.5e-3 / 0.02, rel=1e-9)
    assert first.approach_speed == pytest.approx(0.02 * math.cos(math.radians(20.0)), rel=1e-9)
    assert result.energy.drift < 1e-9
    # Angular momenta change by P r_a and P r_b: J_a Δω_a/r_a = J_b Δω_b/r_b.
    after = np.searchsorted(result.t, first.t_end)
    change_a, change_b = result["pinion"].omega[after] - 1.0, result["wheel"].omega[after]
    assert 1e-5 * change_a / 0.02 == pytest.approx(2e-4 * change_b / 0.04, rel=1e-9)
    assert np.abs(result["gears"].position).max() < 0.5e-3 + 1e-5


def test_rigid_flanks_restore_the_relative_speed():
    """e = 0.5 along the line of action: r_a ω_a + r_b ω_b changes to −e times its value."""
    result = cm.simulate(gear_pair(impact=cm.ImpactLaw(0.5), speed=1.0), 0.04, method="nonsmooth", step=1e-4)
    closing = 0.02 * result["pinion"].omega + 0.04 * result["wheel"].omega
    assert closing[0] == pytest.approx(0.02, rel=1e-12)
    assert closing[-1] == pytest.approx(-0.01, rel=1e-6)


def test_driven_gear_transmits_the_torque_over_many_teeth():
    """At constant speed the mesh force is T/(r_b cos α), and teeth mesh again every pitch."""
    system = cm.System()
    pinion = system.add(cm.Body("pinion", 0.2, 1e-5, angular_velocity=50.0))
    wheel = system.add(cm.Body("wheel", 0.8, 2e-4, position=(0.06, 0.0), angular_velocity=-25.0))
    pin = system.add(cm.Revolute(system.ground, pinion, at=(0.0, 0.0)))
    system.add(cm.Revolute(system.ground, wheel, at=(0.06, 0.0)))
    law = cm.laws.KelvinVoigt(1e6, damping=150.0)
    system.add(cm.GearBacklash(pinion, wheel, teeth=(20, 40), backlash=1e-4, law=law, name="gears"))
    system.add(cm.Driver(pin, cm.ConstantSpeed(50.0)))
    system.add(cm.Torque(wheel, 2.0))  # against its motion
    result = cm.simulate(system, 0.3)
    assert result["wheel"].angle[-1] == pytest.approx(-7.5, abs=5e-3)
    assert result["gears"].force[-1] == pytest.approx(2.0 / (0.04 * math.cos(math.radians(20.0))), rel=1e-4)


# ---- refused


@pytest.mark.parametrize(
    ("build", "message"),
    [
        (lambda g, b: cm.HingeClearance(g, b, **{**SIZES, "journal_radius": 0.011}, **LAWS), "must be smaller than"),
        (lambda g, b: cm.HingeClearance(g, b, **SIZES, axial_play=-1e-4, **LAWS), "axial_play must be positive, got -"),
        (lambda g, b: cm.HingeClearance(g, b, **SIZES, axial_play=1e-4, collar_radius=0.01, **LAWS), "collar_radius"),
        (lambda g, b: cm.HingeClearance(g, b, **SIZES, collar_radius=0.02, **LAWS), "needs axial_play"),
        (lambda g, b: cm.GuideClearance(g, b, length=0.1, clearance=-1e-4, radius=0.01, **LAWS), "clearance must be"),
        (lambda g, b: cm.GuideClearance(g, b, length=0.1, clearance=1e-4, **LAWS), "set width and height"),
        (lambda g, b: cm.GuideClearance(g, b, length=0.1, clearance=1e-4, radius=0.01), "set law="),
    ],
)
def test_impossible_spatial_joints_are_errors(build, message):
    system = cm.System(dim=3)
    body = system.add(cm.Body("body", 1.0, 1e-3, position=(0.0, 0.0, 0.0)))
    with pytest.raises(ModelError, match=message):
        build(system.ground, body)


@pytest.mark.parametrize(
    ("build", "message"),
    [
        (lambda a, b: cm.GearBacklash(a, b, (20, 40), -1e-4, **LAWS), "backlash must be positive, got -0.0001"),
        (lambda a, b: cm.GearBacklash(a, b, (20, 40), 1e-2, **LAWS), "backlash must be below half of the pitch"),
        (lambda a, b: cm.GearBacklash(a, b, (20, 40), 1e-4, pressure_angle=1.0, **LAWS), "pressure_angle must be"),
        (lambda a, b: cm.GearBacklash(a, b, (20,), 1e-4, **LAWS), "teeth must be two numbers"),
        (lambda a, b: cm.ProfileClearance(a, b, (0, 0), 0.0102, cm.profiles.OutOfRound(0.01, [(2, 1e-5, 0)]), **LAWS),
         "journal_radius must be below the smallest radius of the bore"),
        (lambda a, b: cm.HingeClearance(a, b, **SIZES, **LAWS), "requires spatial bodies"),
    ],
)  # fmt: skip
def test_impossible_planar_joints_are_errors(build, message):
    a, b = cm.Body("a", 1.0, 1e-3), cm.Body("b", 1.0, 1e-3, position=(0.06, 0.0))
    with pytest.raises(ModelError, match=message):
        build(a, b)


@pytest.mark.parametrize(
    ("radius", "rows", "message"),
    [(0.01, [(2, 5e-3, 0.0)], "stays convex"), (0.01, [(2, 1e-5)], "rows"), (-0.01, [(2, 1e-5, 0.0)], "positive")],
)
def test_profiles_that_are_no_bores_are_errors(radius, rows, message):
    with pytest.raises(ModelError, match=message):
        cm.profiles.OutOfRound(radius, rows)


def test_joints_come_back_from_model_files():
    spatial = loaded_hinge(axial_play=2e-4, bearing_length=0.03)
    again = cm.System.from_yaml(spatial.to_yaml())
    assert again["hinge"].tilt_limit == spatial["hinge"].tilt_limit
    assert [part.name for part in again["hinge"].parts] == [part.name for part in spatial["hinge"].parts]
    planar = gear_pair(law=cm.laws.Linear(1e7), speed=1.0)
    bore = cm.profiles.OutOfRound(0.01, [(2, 5e-5, 0.5)])
    planar.add(cm.ProfileClearance(planar.ground, planar["pinion"], (0.0, 0.0), 9.8e-3, bore, impact=cm.ImpactLaw(0.5)))
    copy = cm.System.from_yaml(planar.to_yaml())
    assert copy.to_yaml() == planar.to_yaml()
    ideal = cm.compare_joint(loaded_hinge(), "hinge", 1e-3)["ideal"]
    assert ideal["hinge"].kind == "Revolute"
