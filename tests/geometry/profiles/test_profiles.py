"""Profiles against the formulas of machine elements."""

from __future__ import annotations

import math

import numpy as np
import pytest

import carom as cm
from carom.geometry.profiles.registry import PROFILES

P = cm.profiles
PHI = np.linspace(0.0, 2.0 * math.pi, 73)
GENEVA = P.GenevaWheel(4, 0.1, pin_radius=0.005)
EXAMPLES: dict[str, P.Profile] = {
    "SpurGear": P.SpurGear(17, 2e-3),
    "Cam": P.Cam(PHI, 0.005 * (1.0 - np.cos(PHI)), 0.03),
    "GenevaWheel": GENEVA,
    "GenevaDriver": P.GenevaDriver(GENEVA),
    "Ratchet": P.Ratchet(12, 0.04, 0.05),
    "Pawl": P.Pawl(0.04, 0.006),
    "CycloidDisc": P.CycloidDisc(11, 0.05, 0.005, 0.002),
    "RoundedRectangle": P.RoundedRectangle(0.04, 0.02, 0.003),
    "OutOfRound": P.OutOfRound(0.01, [(2, 2e-4, 0.3), (3, 1e-4, 0.0)]),
}


def part(name: str = "part") -> cm.Body:
    return cm.Body(name, 1.0, 1.0)


@pytest.mark.parametrize("name", list(PROFILES))
def test_every_profile_makes_a_closed_shape(name: str):
    profile = EXAMPLES[name]
    shape = cm.Polygon(part(), profile) if profile.radius else cm.Curve(part(), profile)
    outline = shape.outline(400)
    assert np.hypot(*(outline[0] - outline[-1])) < 1e-9
    x, y = outline.T
    assert 0.5 * np.sum(x[:-1] * y[1:] - x[1:] * y[:-1]) > 0.0  # counterclockwise
    system = cm.System()
    body = system.add(cm.Body("part", 1.0, 1.0, position=(0.0, 1.0)))
    shape = cm.Polygon(body, profile) if profile.radius else cm.Curve(body, profile)
    system.add(cm.Contact(shape, cm.Plane(system.ground), law=cm.laws.Linear(1e5), name="touch"))
    again = cm.System.from_yaml(system.to_yaml())
    assert again.contacts[0].pairing.parameters == system.contacts[0].pairing.parameters


@pytest.mark.parametrize("name", list(PROFILES))
def test_small_letters_are_a_second_name(name: str):
    small = "".join(f"_{letter.lower()}" if letter.isupper() else letter for letter in name).removeprefix("_")
    assert getattr(P, small) is PROFILES[name]
    assert small in P.__all__


# ---- gears


@pytest.mark.parametrize(("teeth", "shift"), [(17, 0.0), (29, 0.0), (12, 0.4), (80, -0.2)])
def test_teeth_have_base_pitch_and_thickness(teeth: int, shift: float):
    """p_b = π m cos α along the base circle; s = m (π/2 + 2 x tan α) at the pitch circle."""
    m, alpha = 2e-3, math.radians(20.0)
    gear = P.SpurGear(teeth, m, profile_shift=shift)
    assert gear.base_pitch == pytest.approx(math.pi * m * math.cos(alpha), rel=1e-14)
    assert gear.tooth_thickness == pytest.approx(m * (0.5 * math.pi + 2.0 * shift * math.tan(alpha)), rel=1e-14)
    outline = cm.Curve(part(), gear).outline(40 * len(gear) + 1)
    radius, angle = np.hypot(*outline.T), np.arctan2(outline[:, 1], outline[:, 0])
    upper = (angle > 0.0) & (angle < math.pi / teeth) & (radius < gear.tip_radius * 0.9999)
    order = np.argsort(radius[upper])
    half = np.interp(gear.pitch_radius, radius[upper][order], angle[upper][order])
    assert 2.0 * half * gear.pitch_radius == pytest.approx(gear.tooth_thickness, rel=1e-4)
    assert radius.max() == pytest.approx(gear.tip_radius, rel=1e-9)
    assert radius.min() == pytest.approx(gear.root_radius, rel=1e-9)


def test_the_contact_ratio_is_that_of_the_path_of_contact():
    """17 and 29 teeth at 20°: from the lengths on the line of action, by hand."""
    one, two = P.SpurGear(17, 2e-3), P.SpurGear(29, 2e-3)
    cos, sin = math.cos(math.radians(20.0)), math.sin(math.radians(20.0))
    path = math.sqrt(19.0**2 - (17.0 * cos) ** 2) + math.sqrt(31.0**2 - (29.0 * cos) ** 2) - 46.0 * sin
    assert one.contact_ratio(two) == pytest.approx(path / (2.0 * math.pi * cos), rel=1e-12)
    assert one.centre_distance(two) == pytest.approx(0.046, rel=1e-14)
    shifted = P.SpurGear(17, 2e-3, profile_shift=0.3)
    assert shifted.centre_distance(two) > 0.046


# ---- cams


@pytest.mark.parametrize("follower", ["flat", "roller", "knife"])
def test_a_cam_lifts_its_follower_by_the_table(follower: str):
    """The gap of a follower at the height of the table is zero at every angle."""
    radius = 0.01 if follower == "roller" else 0.0
    cam = P.Cam(PHI, 0.004 * (1.0 - np.cos(PHI)), 0.03, follower, radius)  # type: ignore[arg-type]
    wheel, slide = part("cam"), part("follower")
    curve = cm.Curve(wheel, cam)
    shapes = {
        "flat": lambda: cm.Polygon(slide, [(-0.03, 0.0), (0.03, 0.0), (0.03, 0.02), (-0.03, 0.02)]),
        "roller": lambda: cm.Sphere(slide, 0.01, at=(0.0, 0.01)),
        "knife": lambda: cm.Polygon(slide, [(0.0, 0.0), (0.002, 0.02), (-0.002, 0.02)]),
    }
    face = shapes[follower]()
    for angle in np.linspace(0.1, 6.0, 9):
        wheel.angle = angle
        slide.position = (0.0, 0.03 + float(cam.lift(angle)) + 1e-3)
        found = cm.closest(face, curve)
        expected = 1e-3 if follower == "flat" else None
        if expected is None:  # a slanted surface is nearer than straight below
            slide.position = (0.0, 0.03 + float(cam.lift(angle)))
            assert abs(cm.closest(face, curve).gap) < 2e-8
        else:
            assert found.gap == pytest.approx(expected, abs=2e-8)


def test_cams_that_would_be_undercut_are_refused():
    with pytest.raises(cm.ModelError, match=r"Cam: the flat follower undercuts the cam at .* rad; increase"):
        P.Cam(PHI, 0.005 * (1.0 - np.cos(4.0 * PHI)), 0.03)
    with pytest.raises(cm.ModelError, match="the roller undercuts"):
        P.Cam(PHI, 0.01 * (1.0 - np.cos(4.0 * PHI)), 0.02, "roller", 0.02)
    with pytest.raises(cm.ModelError, match="roller_radius must be positive for a roller"):
        P.Cam(PHI, 0.0 * PHI, 0.03, "roller")


# ---- Geneva wheel, cycloid disc


@pytest.mark.parametrize("slots", [4, 6])
def test_the_pin_of_a_geneva_drive_is_in_its_slot_at_the_angle_of_theory(slots: int):
    """ψ = atan2(sin φ, a/r − cos φ): the slot passes through the pin, with the clearance on both sides."""
    clearance = 1e-4
    wheel = P.GenevaWheel(slots, 0.1, 0.004, clearance)
    driver, follower = part("driver"), part("wheel")
    follower.position = (0.1, 0.0)
    pin = cm.Sphere(driver, 0.004, at=(wheel.crank_radius, 0.0))
    curve = cm.Curve(follower, wheel)
    entry = 0.5 * math.pi - math.pi / slots
    for phi in np.linspace(-0.9 * entry, 0.9 * entry, 9):
        driver.angle = phi
        follower.angle = math.pi - math.atan2(math.sin(phi), 0.1 / wheel.crank_radius - math.cos(phi))
        assert cm.closest(pin, curve).gap == pytest.approx(clearance, abs=1e-9)


@pytest.mark.parametrize("pins", [6, 11])
def test_all_pins_touch_a_cycloid_disc_at_any_angle_of_the_shaft(pins: int):
    disc = P.CycloidDisc(pins, 0.05, 0.004, 0.002)
    body, ring = part("disc"), part("ring")
    curve = cm.Curve(body, disc)
    shapes = [
        cm.Sphere(ring, 0.004, at=(0.05 * math.cos(a), 0.05 * math.sin(a)))
        for a in 2.0 * math.pi * np.arange(pins) / pins
    ]
    for shaft in (0.0, 0.7, 2.9):
        body.position = (0.002 * math.cos(shaft), 0.002 * math.sin(shaft))
        body.angle = -shaft / disc.lobes
        assert max(abs(cm.closest(shape, curve).gap) for shape in shapes) < 5e-7


def test_bad_profiles_are_refused():
    for make, message in (
        (lambda: P.SpurGear(3, 2e-3), "teeth must"),
        (lambda: P.SpurGear(17, 2e-3, addendum=5.0), "pointed"),
        (lambda: P.GenevaWheel(4, 0.1, 0.04), "leaves no room"),
        (lambda: P.Ratchet(12, 0.05, 0.04), "tip_radius must exceed root_radius"),
        (lambda: P.CycloidDisc(11, 0.05, 0.005, 0.01), "eccentricity must be below"),
        (lambda: P.RoundedRectangle(0.04, 0.02, 0.01), "radius must be below half"),
        (lambda: cm.Polygon(part(), EXAMPLES["SpurGear"]), "has curved sides; use a Curve"),
        (lambda: cm.Curve(part(), EXAMPLES["RoundedRectangle"]), "rounded corners; use a Polygon"),
    ):
        with pytest.raises(cm.ModelError, match=message):
            make()
