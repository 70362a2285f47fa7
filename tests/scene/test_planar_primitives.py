"""Primitives of planar drawings."""

import numpy as np
import pytest

import carom as cm
from carom.scene.mechanism_layout import DrawingLayout
from carom.scene.planar_primitives import Role, planar_primitives, two_body_line
from carom.solve.drawing_builder import drawing_data


def primitives(system):
    result = cm.simulate(system, t_end=0.01)
    return planar_primitives(DrawingLayout([body.name for body in system.bodies], drawing_data(system), result))


def test_a_pendulum_has_a_support_a_bar_and_a_pin():
    system = cm.System(gravity=(0.0, -9.81), name="pendulum")
    bob = system.add(cm.Body("bob", 1.0, 0.1, position=(1.0, 0.0)))
    system.add(cm.Revolute(system.ground, bob, at=(0.0, 0.0)))
    roles = {item.role: item for item in primitives(system)}
    assert {Role.SUPPORT, Role.HATCHED_LINE, Role.BAR, Role.PIN} <= set(roles)
    assert roles[Role.SUPPORT].body == "ground"
    assert (roles[Role.PIN].body, roles[Role.PIN].points.tolist()) == ("bob", [[-1.0, 0.0]])


def test_the_box_of_a_slider_lies_along_the_axis_in_the_axes_of_the_body():
    system = cm.System(name="slider")
    slider = system.add(cm.Body("slider", 1.0, 0.1, angle=np.pi / 2))
    system.add(cm.Prismatic(system.ground, slider, axis=(1.0, 0.0)))
    (box,) = [item for item in primitives(system) if item.role is Role.BOX]
    length, width = np.ptp(box.points, axis=0)[::-1]  # the axis of the guide is −y of the body
    assert width == pytest.approx(0.6 * length)


def test_a_cavity_has_a_contour_but_no_area():
    system = cm.System(name="cavity")
    shell = system.add(cm.Body("shell", 1.0, 0.1))
    sphere = system.add(cm.Body("sphere", 1.0, 0.1))
    law = cm.laws.Hertz(stiffness=1e6)
    system.add(cm.Contact(cm.Sphere(sphere, 0.1), cm.Sphere(shell, 0.5, inside=True), law=law))
    items = primitives(system)
    assert {item.body for item in items if item.role is Role.CONTOUR} == {"shell", "sphere"}
    assert {item.body for item in items if item.role is Role.AREA} == {"sphere"}


def test_two_body_lines_belong_to_springs_and_rods():
    system = cm.System(name="spring")
    mass = system.add(cm.Body("mass", 1.0, 0.1, position=(1.0, 0.0)))
    system.add(cm.SpringDamper(system.ground, mass, stiffness=10.0))
    system.add(cm.Revolute(system.ground, mass, at=(2.0, 0.0)))
    spring, pin = sorted(drawing_data(system).links, key=lambda link: link.kind != "SpringDamper")
    assert two_body_line(spring, 0.1)[[0, -1]].tolist() == [[0.0, 0.0], [1.0, 0.0]]
    assert two_body_line(pin, 0.1) is None


def test_segments_of_a_union_are_separate_lines():
    system = cm.System(gravity=(0.0, -9.81))
    ball = system.add(cm.Body("ball", 1.0, 0.1, position=(0.0, 0.5)))
    ground = system.ground
    steps = cm.Union(cm.Segment(ground, (-1.0, 0.0), (0.0, 0.0)), cm.Segment(ground, (0.5, -1.0), (2.0, -1.0)))
    system.add(cm.Contact(cm.Sphere(ball, 0.1), steps, cm.laws.Hertz(1e6)))
    drawn = [shape for shape in drawing_data(system).shapes if shape.body == "ground"]
    assert [shape.kind for shape in drawn] == ["Segment", "Segment"]
    ends = sorted(tuple(np.ptp(shape.line, axis=0)) for shape in drawn)
    np.testing.assert_allclose(ends, [(1.0, 0.0), (1.5, 0.0)], atol=1e-12)
