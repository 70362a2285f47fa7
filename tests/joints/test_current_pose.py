"""Planar joints built in the current pose are closed in it, connect the right points, and start from it."""

import math
from collections.abc import Callable

import numpy as np
import pytest

import carom as cm
from carom.joints.base import Joint
from carom.joints.motion import Motion
from carom.solve.model_evaluator import ModelEvaluator
from checkers import assert_close, three_bodies
from quick import each

AXIS = (0.6, 0.8)
CLOSED: dict[str, Callable[[cm.Body, cm.Body], Joint]] = {
    "Revolute at a point": lambda a, b: cm.Revolute(a, b, at=(0.3, -0.2)),
    "Revolute at a's marker": lambda a, b: cm.Revolute(a.point(0.1, 0.2), b),
    "Revolute at b's marker": lambda a, b: cm.Revolute(a, b.point(0.1, 0.2)),
    "Weld": lambda a, b: cm.Weld(a, b),
    "Weld at a point": lambda a, b: cm.Weld(a, b, at=(0.3, -0.2)),
    "Weld at a's marker": lambda a, b: cm.Weld(a.point(0.1, 0.2), b),
    "Weld at b's marker": lambda a, b: cm.Weld(a, b.point(0.1, 0.2)),
    "Prismatic": lambda a, b: cm.Prismatic(a, b, axis=AXIS),
    "Prismatic through a point": lambda a, b: cm.Prismatic(a, b, axis=AXIS, at=(0.3, -0.2)),
    "Prismatic through b's marker": lambda a, b: cm.Prismatic(a, b.point(0.1, 0.2), axis=AXIS),
    "PointOnLine": lambda a, b: cm.PointOnLine(a, b, axis=AXIS),
    "PointOnLine through b's marker": lambda a, b: cm.PointOnLine(a, b.point(0.1, 0.2), axis=AXIS),
    "Distance": lambda a, b: cm.Distance(a.point(0.1, 0.2), b.point(-0.2, 0.1)),
    "Gear": lambda a, b: cm.Gear(a, b, ratio=-2.5),
    "RackPinion": lambda a, b: cm.RackPinion(a, b, radius=0.2, axis=AXIS),
}


def rows(system: cm.System) -> np.ndarray:
    mechanism = ModelEvaluator(system)
    return mechanism.rows(0.0, mechanism.tables.y0)[0]


@each("name", CLOSED)
def test_a_joint_is_closed_in_the_pose_in_which_it_was_built(name: str):
    system, (a, b, _) = three_bodies(np.random.default_rng(2))
    system.add(CLOSED[name](a, b))
    assert_close(rows(system), 0.0, 1e-14, name)


@each("kind", [cm.Prismatic, cm.PointOnLine])
def test_axis_replaces_the_direction_of_a_marker_on_the_guide(kind: type[Joint]):
    system = cm.System()
    block = system.add(cm.Body("block", 1.0, 1.0, position=(0.0, 0.7)))
    system.add(kind(system.ground.point(0.0, 0.0), block, axis=(0.0, 1.0)))
    assert_close(rows(system), 0.0, 1e-14, "a block above the point, on an upright line")


def test_axis_replaces_the_direction_of_a_marker_on_the_rack():
    system = cm.System()
    wheel = system.add(cm.Body("wheel", 1.0, 1.0))
    system.add(cm.RackPinion(system.ground.point(0.0, 0.0), wheel, radius=0.5, axis=(0.0, 1.0)))
    jacobian = ModelEvaluator(system).jacobian(0.0, ModelEvaluator(system).tables.y0).toarray()
    assert_close(jacobian, [[0.0, 1.0, 0.5]], 1e-14, "rolling along y")


def test_a_pinion_above_its_rack_moves_forwards_when_it_rotates_clockwise():
    system = cm.System()
    wheel = system.add(cm.Body("wheel", 2.0, 0.1, position=(0.0, 0.3), velocity=(1.5, 0.0), angular_velocity=-5.0))
    system.add(cm.RackPinion(system.ground, wheel, radius=0.3, axis=(1.0, 0.0)))
    mechanism = ModelEvaluator(system)
    y = mechanism.tables.y0
    assert_close(mechanism.jacobian(0.0, y) @ y[3:6], [0.0], 1e-15, "pure rolling: v = −ω r")


def test_sliding_lines_pass_through_the_centre_of_mass_by_default():
    _, (a, b, _) = three_bodies(np.random.default_rng(3))
    joint = cm.Prismatic(a, b, axis=AXIS)
    assert joint.parameters[2:4] == pytest.approx((0.0, 0.0), abs=1e-15)


def test_distance_keeps_the_current_length():
    system = cm.System()
    ball = system.add(cm.Body("ball", 1.0, position=(3.0, 4.0)))
    assert system.add(cm.Distance(system.ground, ball)).length == pytest.approx(5.0, rel=1e-15)


@pytest.mark.parametrize(("motion", "start"), [(cm.ConstantSpeed(2.0), 0.7), (cm.SineMotion(0.3, 1.0, phase=0.5), 0.7)])
def test_a_motion_without_a_start_begins_at_the_current_value(motion: Motion, start: float):
    system = cm.System()
    crank = system.add(cm.Body("crank", 1.0, 1.0, angle=start))
    pin = system.add(cm.Revolute(system.ground, crank, at=(0.0, 0.0)))
    system.add(cm.Driver(pin, motion))
    assert_close(rows(system), np.zeros(3), 1e-15, "driver at t = 0")


def test_an_actuator_follows_its_length():
    system = cm.System()
    ball = system.add(cm.Body("ball", 1.0, position=(1.0, 0.0), velocity=(0.5, 0.0)))
    system.add(cm.Distance(system.ground, ball, cm.ConstantSpeed(0.5)))
    result = cm.simulate(system, 2.0)
    assert math.hypot(result["ball"].x[-1], result["ball"].y[-1]) == pytest.approx(2.0, abs=1e-9)
