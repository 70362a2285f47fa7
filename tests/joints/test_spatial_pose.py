"""Spatial joints built in the current pose are closed in it, reject invalid arguments, and slide along curves."""

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import carom as cm
from carom.joints.base import Joint
from carom.solve.model_evaluator import ModelEvaluator
from checkers import assert_close, three_bodies, three_spatial_bodies
from quick import each

AXIS = (0.6, 0.48, 0.64)
ACROSS = (-0.8, 0.36, 0.48)
AT = (0.3, -0.2, 0.1)
CLOSED: dict[str, Callable[[cm.Body, cm.Body], Joint]] = {
    "Revolute": lambda a, b: cm.Revolute(a, b, at=AT, axis=AXIS),
    "Revolute about z": lambda a, b: cm.Revolute(a, b, at=AT),
    "Revolute at a's marker": lambda a, b: cm.Revolute(a.marker((0.1, 0.2, 0.3), orientation=(1, 1, 0, 0)), b),
    "Revolute at b's marker": lambda a, b: cm.Revolute(a, b.marker((0.1, 0.2, 0.3), orientation=(1, 1, 0, 0))),
    "Weld": lambda a, b: cm.Weld(a, b),
    "Weld at a point": lambda a, b: cm.Weld(a, b, at=AT),
    "Weld at a's marker": lambda a, b: cm.Weld(a.point(0.1, 0.2, 0.3), b),
    "Weld at b's marker": lambda a, b: cm.Weld(a, b.point(0.1, 0.2, 0.3)),
    "Prismatic": lambda a, b: cm.Prismatic(a, b, axis=AXIS),
    "Prismatic through a point": lambda a, b: cm.Prismatic(a, b, axis=AXIS, at=AT),
    "Prismatic through b's marker": lambda a, b: cm.Prismatic(a, b.point(0.1, 0.2, 0.3), axis=AXIS),
    "PointOnLine": lambda a, b: cm.PointOnLine(a, b, axis=AXIS),
    "Distance": lambda a, b: cm.Distance(a.point(0.1, 0.2, 0.3), b.point(-0.2, 0.1, 0.0)),
    "Spherical": lambda a, b: cm.Spherical(a, b, at=AT),
    "Universal": lambda a, b: cm.Universal(a, b, AT, AXIS, ACROSS),
    "Cylindrical": lambda a, b: cm.Cylindrical(a, b, axis=AXIS, at=AT),
    "Planar": lambda a, b: cm.Planar(a, b, normal=AXIS),
    "Screw": lambda a, b: cm.Screw(a, b, axis=AXIS, pitch=0.1),
    "Gear": lambda a, b: cm.Gear(cm.Revolute(a, b, at=AT), cm.Cylindrical(a, b, axis=AXIS), ratio=0.3),
}


def rows(system: cm.System) -> np.ndarray:
    mechanism = ModelEvaluator(system)
    return mechanism.rows(0.0, mechanism.tables.y0)[0]


@each("name", CLOSED)
def test_a_joint_is_closed_in_the_pose_in_which_it_was_built(name: str):
    system, (a, b, _) = three_spatial_bodies(np.random.default_rng(2))
    joint = system.add(CLOSED[name](a, b))
    for coordinate in joint.coordinates:
        if name != "Revolute at b's marker":
            system.add(cm.Driver(joint, cm.ConstantSpeed(1.0, start=0.0), coordinate))
    assert_close(rows(system), 0.0, 1e-14, name)


def test_an_angle_is_right_handed_about_the_axis():
    system = cm.System(dim=3)
    wheel = cm.Body("wheel", 1.0, (1.0, 1.0, 1.0))
    system.add(wheel)
    hinge = system.add(cm.Revolute(system.ground, wheel, at=(0.0, 0.0, 0.0), axis=AXIS))
    system.add(cm.Driver(hinge, cm.PolynomialMotion([0.0])))
    half = 0.35
    wheel.orientation = (math.cos(half), *(math.sin(half) * part for part in AXIS))
    assert rows(system)[-1] == pytest.approx(2.0 * half, abs=1e-14)


REFUSED: dict[str, tuple[Callable[[Any, Any], Any], str]] = {
    "RackPinion": (lambda a, b: cm.RackPinion(a, b, 0.1, axis=(1, 0, 0)), "requires planar bodies"),
    "Gear of bodies": (
        lambda a, b: cm.Gear(a, b, ratio=2.0),
        "a and b must be the two joints in which the wheels rotate",
    ),
    "Gear of balls": (
        lambda a, b: cm.Gear(cm.Spherical(a, b, at=AT), cm.Spherical(a, b, at=AT), ratio=2.0),
        r"have an angle \(Revolute or Cylindrical\)",
    ),
    "Universal askew": (lambda a, b: cm.Universal(a, b, AT, AXIS, (1, 0, 0)), "must be perpendicular"),
    "Universal without axes": (lambda a, b: cm.Universal(a, b, AT), "set axis_a= and axis_b="),
    "Screw without pitch": (lambda a, b: cm.Screw(a, b, axis=AXIS), "set pitch="),
    "Screw of no pitch": (lambda a, b: cm.Screw(a, b, axis=AXIS, pitch=0.0), "pitch must not be zero"),
    "Prismatic without axis": (lambda a, b: cm.Prismatic(a, b), r"set axis=\(x, y, z\)"),
    "Planar without normal": (lambda a, b: cm.Planar(a, b), r"set normal=\(x, y, z\)"),
    "axis of two numbers": (lambda a, b: cm.Revolute(a, b, AT, axis=(1, 0)), "axis must be 3 numbers, got 2"),
    "curve in a plane": (lambda a, b: cm.PointOnCurve(a, b, [(0, 0), (1, 0), (1, 1)]), "3 triples"),
    "Torque without axis": (lambda a, b: cm.Torque(b, 2.0), "must have three numbers, or one with axis="),
    "spring about nothing": (lambda a, b: cm.RotationalSpringDamper(a, b, 2.0), "set joint= or axis="),
    "spring in a ball": (
        lambda a, b: cm.RotationalSpringDamper(stiffness=2.0, joint=cm.Spherical(a, b, at=AT)),
        "a joint with an angle",
    ),
    "force of two numbers": (lambda a, b: cm.PointForce(b, (1.0, 2.0)), "force must be 3 numbers, got 2"),
}


@each("name", REFUSED)
def test_invalid_arguments_raise_an_error_with_a_reason(name: str):
    _, (a, b, _) = three_spatial_bodies(np.random.default_rng(2))
    make, reason = REFUSED[name]
    with pytest.raises(cm.ModelError, match=reason):
        make(a, b)


@pytest.mark.parametrize(
    "make",
    [
        lambda a, b: cm.Spherical(a, b, at=(0, 0)),
        lambda a, b: cm.Universal(a, b, at=(0, 0)),
        lambda a, b: cm.Cylindrical(a, b, axis=(1, 0)),
        lambda a, b: cm.Planar(a, b),
        lambda a, b: cm.Screw(a, b, axis=(1, 0), pitch=1.0),
        lambda a, b: cm.Revolute(a, b, at=(0, 0), axis=(0, 0, 1)),
        lambda a, b: cm.Torque(b, 1.0, axis=(0, 0, 1)),
        lambda a, b: cm.RotationalSpringDamper(a, b, 1.0, axis=(0, 0, 1)),
    ],
)
def test_spatial_elements_reject_planar_bodies(make: Callable[[Any, Any], Any]):
    _, (a, b, _) = three_bodies(np.random.default_rng(2))
    with pytest.raises(cm.ModelError, match="requires spatial bodies"):
        make(a, b)


def test_a_bead_slides_down_a_helix_with_the_energy_of_its_fall():
    """v² = 2 g h on any smooth curve; on a helix of pitch angle α the path is ½ g sin α t²."""
    radius, climb, gravity = 0.5, 0.2, 9.81  # z = −climb φ
    angles = np.linspace(0.0, 6.0 * math.pi, 361)
    points = np.column_stack([radius * np.cos(angles), radius * np.sin(angles), -climb * angles])
    system = cm.System(dim=3, gravity=(0.0, 0.0, -gravity))
    k = 40
    bead = system.add(cm.Body("bead", 0.3, 0.0, position=points[k]))
    system.add(cm.PointOnCurve(system.ground, bead, points, name="wire"))
    result = cm.simulate(system, 1.5, rtol=1e-10, atol=1e-12)
    fall = points[k, 2] - result["bead"].z
    speed = np.linalg.norm(result["bead"].velocity, axis=1)
    np.testing.assert_allclose(speed**2, 2.0 * gravity * fall, rtol=0.0, atol=1e-8)
    sine = climb / math.hypot(radius, climb)
    np.testing.assert_allclose(fall, 0.5 * gravity * sine**2 * result.t**2, rtol=0.0, atol=2e-6)  # of a spline
    turned = np.arctan2(result["bead"].y, result["bead"].x)
    np.testing.assert_allclose(np.unwrap(turned) - turned[0], fall / climb, rtol=0.0, atol=1e-5)
    # The wire bears what is across it: its force does no work.
    force = np.column_stack([result["wire"].fx, result["wire"].fy, result["wire"].fz])
    np.testing.assert_allclose(np.einsum("ni,ni->n", force, result["bead"].velocity), 0.0, atol=1e-8)
