"""Prismatic joints with clearance: corners in a guide, compliant and non-smooth."""

from __future__ import annotations

import math

import numpy as np
import pytest

import carom as cm

GRAVITY = 9.81
LENGTH, WIDTH, CLEARANCE = 0.1, 0.05, 1e-3


def guided(
    heading=0.0,
    tilt=0.0,
    impact=None,
    law=None,
    gravity=(0.0, -GRAVITY),
    angle=0.7,
    moving=False,
    friction=None,
    **start,
):
    """A slider of 1 kg at the origin in a guide along ``heading``."""
    system = cm.System(gravity=gravity)
    frame = system.ground
    if moving:
        frame = system.add(cm.Body("frame", 10.0, 1.0, position=(0.3, 0.2), angle=0.4, velocity=(1.0, 0.5)))
    inertia = (LENGTH**2 + WIDTH**2) / 12.0
    slider = system.add(cm.Body("slider", 1.0, inertia, angle=angle + tilt, **start))
    if law is None and impact is None:
        impact = cm.ImpactLaw()
    joint = cm.PrismaticClearance(
        frame, slider, axis=(math.cos(heading), math.sin(heading)), length=LENGTH, width=WIDTH, clearance=CLEARANCE,
        law=law, friction=friction, impact=impact, tilt=tilt, name="guide",
    )  # fmt: skip
    system.add(joint)
    return system


def run(system, t_end, **options):
    return cm.simulate(system, t_end, method="nonsmooth", progress=False, **{"step": 1e-4, **options})


# ---- what it is made of


def test_corners_are_contacts_with_names():
    system = guided()
    assert [contact.name for contact in system.contacts] == [f"guide {k}" for k in (1, 2, 3, 4)]
    assert system["guide"].parts == tuple(system.contacts)
    assert system.compounds == [system["guide"]]
    r = run(system, 1e-3)
    assert r["guide"].info.signals == ("configuration", "position", "offset", "angle")


@pytest.mark.parametrize("heading", [0.0, 0.5, 0.5 * math.pi, 2.5, -1.0])
def test_corners_start_in_the_middle_of_the_guide(heading):
    r = run(guided(heading, gravity=(0.0, 0.0)), 1e-3)
    for k in (1, 2, 3, 4):
        np.testing.assert_allclose(r[f"guide {k}"].indentation, -CLEARANCE, atol=1e-15)
    for signal in (r["guide"].position, r["guide"].offset, r["guide"].angle):
        np.testing.assert_allclose(signal, 0.0, atol=1e-15)


@pytest.mark.parametrize(("corner", "along", "side"), [(1, -1, 1), (2, 1, 1), (3, -1, -1), (4, 1, -1)])
def test_each_corner_looks_at_its_side(corner, along, side):
    """Seen along the axis: 1 and 2 left, rear and front, 3 and 4 right. Turned by φ, a corner moves by its levers."""
    phi = 0.004
    r = run(guided(0.3, tilt=phi, gravity=(0.0, 0.0)), 1e-3)
    height = 0.5 * WIDTH * math.cos(phi) + side * along * 0.5 * LENGTH * math.sin(phi)
    gap = 0.5 * WIDTH + CLEARANCE - height
    assert r[f"guide {corner}"].indentation[0] == pytest.approx(-gap, abs=1e-15)
    assert r["guide"].angle[0] == pytest.approx(phi, abs=1e-15)
    normal = (r[f"guide {corner}"].nx[0], r[f"guide {corner}"].ny[0])  # from the guide to the slider: inwards
    assert normal == pytest.approx((side * math.sin(0.3), -side * math.cos(0.3)), abs=1e-12)


def test_middle_of_the_slider_may_be_given():
    """``at`` is the middle of the slider; its corners stand about it, not about the centre of mass."""
    system = cm.System()
    slider = system.add(cm.Body("slider", 1.0, 1e-3, position=(2.0, 1.0)))
    joint = cm.PrismaticClearance(
        system.ground,
        slider,
        at=(2.1, 1.02),
        length=0.2,
        width=0.1,
        clearance=0.01,
        impact=cm.ImpactLaw(),
        name="guide",
    )
    system.add(joint)
    np.testing.assert_allclose([p.shapes[0].at[:2] for p in joint.parts],
                               [(0.0, 0.07), (0.2, 0.07), (0.0, -0.03), (0.2, -0.03)], atol=1e-15)  # fmt: skip
    assert system["guide 1"].shapes[1].at[1] == pytest.approx(1.02 + 0.06)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"length": 0.0}, "PrismaticClearance 'guide': length must be positive, got 0"),
        ({"width": -1.0}, "width must be positive"),
        ({"clearance": 0.0}, "clearance must be positive"),
        ({"clearance": None}, "set length and width of the slider, and the clearance"),
        ({"axis": (0.0, 0.0)}, "axis must have a direction"),
        ({"tilt": math.nan}, "tilt must be finite"),
        ({"impact": None}, "PrismaticClearance 'guide': set law= for compliant runs"),
        ({"impact": 0.5}, "impact must be an ImpactLaw"),
    ],
    ids=str,
)
def test_what_cannot_be_is_refused(change, message):
    system = cm.System()
    slider = system.add(cm.Body("slider", 1.0, 1e-3))
    given = {"length": 0.1, "width": 0.05, "clearance": 1e-3, "impact": cm.ImpactLaw(), "name": "guide", **change}
    with pytest.raises(cm.ModelError, match=message):
        cm.PrismaticClearance(system.ground, slider, **given)


def test_names_of_the_corners_must_be_free():
    system = guided()
    with pytest.raises(cm.ModelError, match="the name 'guide' is used"):
        system.add(
            cm.PrismaticClearance(system.ground, system["slider"], length=0.1, width=0.05, clearance=1e-3,
                                  impact=cm.ImpactLaw(), name="guide")
        )  # fmt: skip


# ---- in motion


@pytest.mark.parametrize("heading", [0.0, 0.5, 2.5, -1.0])
def test_slider_falls_on_a_side_and_slides_along_it(heading):
    """Flat on its lower side it slides with g sin β less μ g cos β; two corners of one side touch: configuration 2."""
    mu = 0.1
    r = run(guided(heading, impact=cm.ImpactLaw(0.0, mu)), 0.3)
    along, across = -GRAVITY * math.sin(heading), GRAVITY * abs(math.cos(heading))
    slides = math.copysign(max(abs(along) - mu * across, 0.0), along)
    late = slice(-500, None)
    assert np.polyfit(r.t[late], r["guide"].position[late], 2)[0] == pytest.approx(0.5 * slides, abs=1e-6)
    assert r["guide"].offset[-1] == pytest.approx(-CLEARANCE * math.copysign(1.0, math.cos(heading)), abs=1e-7)
    assert r["guide"].configuration[-1] == 2.0
    assert set(r["guide"].configuration) <= {0.0, 2.0}
    down = ("guide 3", "guide 4") if math.cos(heading) > 0.0 else ("guide 1", "guide 2")
    assert sum(r[name].normal_force[-1] for name in down) == pytest.approx(across, rel=1e-6)
    assert len(r.impacts) == 2


def test_slider_in_a_vertical_guide_falls_freely():
    r = run(guided(0.5 * math.pi), 0.2)
    np.testing.assert_allclose(r["guide"].position, -0.5 * GRAVITY * r.t**2, atol=1e-12)
    assert r.impacts == ()
    assert set(r["guide"].configuration) == {0.0}


def test_turning_slider_is_stopped_by_opposite_corners():
    """No gravity, no restitution: both corners of a diagonal stop it, 3, where a sin φ + b cos φ = b + c."""
    system = guided(gravity=(0.0, 0.0), angular_velocity=3.0)
    r = run(system, 0.1, step=1e-5)
    a, b = 0.5 * LENGTH, 0.5 * WIDTH
    stop = math.asin((b + CLEARANCE) / math.hypot(a, b)) - math.atan2(b, a)
    assert r["guide"].angle[-1] == pytest.approx(stop, abs=5e-5)
    assert 3.0 in r["guide"].configuration
    assert r["slider"].omega[-1] == pytest.approx(0.0, abs=1e-9)
    assert {impact.contact for impact in r.impacts} == {"guide 2", "guide 3"}


def test_tilted_slider_lands_on_one_corner_first():
    r = run(guided(0.0, tilt=0.005, impact=cm.ImpactLaw(0.3, 0.1)), 0.2)
    assert r.impacts[0].contact == "guide 3"  # turned anticlockwise, the rear corner is the lower one
    assert 1.0 in r["guide"].configuration
    assert r["guide"].configuration[-1] == 2.0


def test_guide_may_move():
    """On a free frame: momentum changes by gravity only, and nothing depends on how the frame stands."""
    system = guided(0.4, impact=cm.ImpactLaw(0.3, 0.05), moving=True, velocity=(1.0, 0.5), angular_velocity=2.0)
    r = run(system, 0.2)
    frame, slider = r["frame"], r["slider"]
    assert len(r.impacts) > 2
    np.testing.assert_allclose(10.0 * frame.vx + slider.vx, 11.0, atol=1e-12)
    np.testing.assert_allclose(10.0 * frame.vy + slider.vy, 5.5 - 11.0 * GRAVITY * r.t, atol=1e-11)
    assert np.abs(r["guide"].offset).max() < CLEARANCE + 1e-3
    # Offset and angle, by hand, from the poses: the guide turns with the frame.
    turn = frame.angle - 0.4
    np.testing.assert_allclose(r["guide"].angle, slider.angle - 0.7 - turn, atol=1e-12)
    c, s = np.cos(0.4 + turn), np.sin(0.4 + turn)
    # The guide's middle was at the origin: (−0.3, −0.2) from the frame, turned with it.
    ox = frame.x - 0.3 * np.cos(turn) + 0.2 * np.sin(turn)
    oy = frame.y - 0.3 * np.sin(turn) - 0.2 * np.cos(turn)
    np.testing.assert_allclose(r["guide"].offset, -s * (slider.x - ox) + c * (slider.y - oy), atol=1e-12)
    np.testing.assert_allclose(r["guide"].position, c * (slider.x - ox) + s * (slider.y - oy), atol=1e-12)


def test_joint_runs_both_ways():
    """Elastic and stiff, or non-smooth with ε = 1: the slider falls 1 mm and is back after twice the time."""
    drop = math.sqrt(2.0 * CLEARANCE / GRAVITY)
    system = guided(law=cm.laws.Hertz(stiffness=1e11), impact=cm.ImpactLaw(1.0))
    soft = cm.simulate(system, 2.0 * drop, progress=False)
    hard = run(system, 2.0 * drop, step=1e-5)
    for r, precise in ((soft, 1e-3), (hard, 2e-5)):
        assert sorted(i.contact for i in r.impacts) == ["guide 3", "guide 4"]  # at the same time, up to rounding
        assert r.impacts[0].t_start == pytest.approx(drop, abs=2e-5)
        assert r["guide"].offset[-1] == pytest.approx(0.0, abs=precise)
    assert 2.0 in soft["guide"].configuration
    assert soft.energy.drift < 1e-6


def test_compliant_slider_rests_with_its_weight_on_two_corners():
    law = cm.laws.HuntCrossley(stiffness=1e8, restitution=0.3)
    r = cm.simulate(guided(law=law, friction=cm.friction.Coulomb(0.1)), 0.5, progress=False)
    force = r["guide 3"].normal_force + r["guide 4"].normal_force
    assert np.mean(force[r.t > 0.45]) == pytest.approx(GRAVITY, rel=1e-2)
    assert r["guide"].configuration[-1] == 2.0


def test_file_keeps_the_joint(tmp_path):
    r = run(guided(0.5), 0.1)
    r.save(tmp_path / "run.h5")
    loaded = cm.load(tmp_path / "run.h5")
    assert loaded.same_as(r)
    np.testing.assert_array_equal(loaded["guide"].configuration, r["guide"].configuration)
    assert [e.kind for e in loaded.elements if e.name == "guide"] == ["PrismaticClearance"]
