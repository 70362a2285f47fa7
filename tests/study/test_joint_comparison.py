"""Variants of a joint with clearance in one call."""

from __future__ import annotations

import math

import numpy as np
import pytest

import carom as cm
from carom.errors import ModelError
from carom.study.joint_comparison import variants

RADII = {"journal_radius": 0.0099, "bearing_radius": 0.0100}
OIL = cm.lubrication.ShortBearing(viscosity=0.2, length=0.02)


def loose_pendulum(**options):
    """Return a pendulum of 1 kg and 0.5 m that hangs by a journal in a bearing."""
    system = cm.System(gravity=(0.0, -9.81), name="loose pendulum")
    bob = system.add(cm.Body("bob", 1.0, 0.01, position=(0.0, -0.5), angular_velocity=1.0, velocity=(0.5, 0.0)))
    law = cm.laws.LankaraniNikravesh(stiffness=1e9, restitution=0.75)
    system.add(cm.RevoluteClearance(system.ground, bob, (0.0, 0.0), law=law, name="pivot", **RADII, **options))
    return system


@pytest.fixture(scope="module")
def comparison():
    return cm.compare_joint(loose_pendulum(), "pivot", 0.1, lubricant=OIL)


def test_the_ideal_variant_is_the_pendulum_on_a_pin(comparison):
    result = comparison["ideal"]
    assert result["pivot"].kind == "Revolute"
    # Reaction at the start: weight and centripetal force.
    assert result["pivot"].fy[0] == pytest.approx(9.81 + 0.5, rel=1e-9)


def test_a_loose_joint_carries_the_load_of_the_ideal_one_on_average(comparison):
    rows = {row["variant"]: row for row in comparison.rows()}
    assert list(rows) == ["ideal", "dry", "lubricated"]
    for label in ("dry", "lubricated"):
        mean = np.trapezoid(comparison.diagnoses[label].reaction[:, 1], comparison[label].t) / 0.1
        ideal = np.trapezoid(comparison["ideal"]["pivot"].fy, comparison["ideal"].t) / 0.1
        assert mean == pytest.approx(ideal, rel=0.02)
    assert rows["dry"]["largest / ideal force"] > 2.0  # It falls through its clearance first.
    assert rows["dry"]["impacts"] > 0
    assert rows["lubricated"]["impacts"] == 0
    assert 0.0 < rows["lubricated"]["thinnest film [m]"] < 1e-4
    assert rows["ideal"]["thinnest film [m]"] is None


def test_variants_leave_the_system_as_it_is(comparison):
    system = loose_pendulum(lubricant=OIL, roughness=2e-6)
    built = variants(system, "pivot")
    assert list(built) == ["ideal", "dry", "lubricated"]
    assert built["lubricated"] is system
    assert built["dry"]["pivot"].lubricant is None
    assert "pivot film" not in [force.name for force in built["dry"].forces]
    assert [force.name for force in system.forces] == ["pivot film"]
    assert built["dry"]["bob"] is not system["bob"]


@pytest.mark.parametrize(
    ("joint", "ideal"),
    [
        (lambda ground, body: cm.SphericalClearance(ground, body, (0, 0, 0), 0.01, 0.011, cm.laws.Linear(1e6),
                                                    name="joint"), "Spherical"),
        (lambda ground, body: cm.CylindricalClearance(ground, body, length=0.1, journal_radius=0.01,
                                                      bearing_radius=0.011, law=cm.laws.Linear(1e6), name="joint"),
         "Cylindrical"),
    ],
)  # fmt: skip
def test_spatial_joints_have_an_ideal_counterpart(joint, ideal):
    system = cm.System(dim=3, gravity=(0.0, 0.0, -9.81))
    body = system.add(cm.Body("body", 1.0, 0.01, position=(0.0, 0.0, 0.1)))
    system.add(joint(system.ground, body))
    replaced = variants(system, "joint")["ideal"]
    assert type(replaced["joint"]).__name__ == ideal
    assert not replaced.contacts


def test_a_sliding_joint_becomes_a_prismatic_one_along_its_guide():
    system = cm.System()
    slider = system.add(cm.Body("slider", 1.0, 0.01, velocity=(1.0, 1.0)))
    heading = (math.cos(0.3), math.sin(0.3))
    system.add(cm.PrismaticClearance(system.ground, slider, axis=heading, length=0.1, width=0.05, clearance=1e-3,
                                     law=cm.laws.Linear(1e6), name="guide"))  # fmt: skip
    ideal = variants(system, "guide")["ideal"]
    assert np.cross((*ideal["slider"].velocity, 0.0), (*heading, 0.0))[2] == pytest.approx(0.0, abs=1e-12)


def test_wear_makes_a_worn_variant_by_archards_law():
    """V = k ∫ F |v_t| dt/H; the dry variant loses nothing."""
    system = loose_pendulum(friction=cm.friction.Coulomb(0.1))
    archard = cm.wear.Archard(coefficient=1e-3, hardness=2e9, length=0.02)
    worn = cm.compare_joint(system, "pivot", 0.05, wear=archard)
    rows = {row["variant"]: row for row in worn.rows()}
    assert list(rows) == ["ideal", "dry", "worn"]
    assert rows["dry"]["worn volume [m³]"] is None
    pivot = worn["worn"]["pivot"]
    slid = np.trapezoid(pivot.normal_force * np.abs(pivot.sliding_velocity), pivot.t)
    assert rows["worn"]["worn volume [m³]"] == pytest.approx(1e-3 * slid / 2e9, rel=5e-3)


def test_report_shows_the_variants(comparison, tmp_path):
    text = comparison.report(tmp_path / "joint.html").read_text(encoding="utf-8")
    assert "Variants of pivot" in text
    assert text.count('src="data:image/png;base64,') == 2  # the comparison, and the diagnosis of the last run
    assert "Joints with clearance" in text


def test_what_cannot_be_compared_is_an_error():
    system = loose_pendulum()
    with pytest.raises(ModelError, match="t_end is missing"):
        cm.compare_joint(system, "pivot")
    with pytest.raises(ModelError, match="Revolute 'bearing' is not a joint with clearance"):
        cm.compare_joint("quick_return", "bearing")
    sliding = cm.System(dim=3)
    body = sliding.add(cm.Body("body", 1.0, 0.01, position=(0.0, 0.0, 0.0)))
    ball = cm.SphericalClearance(sliding.ground, body, (0, 0, 0), 0.01, 0.011, cm.laws.Linear(1e6), name="ball")
    sliding.add(ball)
    with pytest.raises(ModelError, match="SphericalClearance 'ball' takes no lubricant"):
        cm.compare_joint(sliding, "ball", 0.1, lubricant=OIL)
