"""Drawing data built from a system and kept by its results."""

import math
import pickle

import numpy as np
import pytest

import carom as cm
from carom.forces.registry import FORCES
from carom.geometry.drawing import Symbol
from carom.joints.registry import JOINTS
from carom.result.drawing_data import DrawingData
from carom.solve.drawing_builder import drawing_data

LAW = cm.laws.Hertz(stiffness=1e8)


@pytest.fixture
def system():
    """A slider on rails with a ball that may touch a wall, held by a spring."""
    system = cm.System(gravity=(0.0, -9.81), name="slide")
    block = system.add(cm.Body("block", 1.0, 0.1, position=(1.0, 2.0)))
    system.add(cm.Prismatic(system.ground, block, axis=(1.0, 1.0), name="rail"))
    system.add(cm.SpringDamper(system.ground, block, stiffness=10.0, name="spring"))
    wall = cm.Plane(system.ground, at=(5.0, 0.0), normal=(-1.0, 0.0))
    system.add(cm.Contact(cm.Sphere(block, 0.2, at=(0.1, 0.0)), wall, law=LAW, name="stop"))
    return system


def test_links_and_shapes_are_in_the_axes_of_their_bodies(system):
    drawn = drawing_data(system)
    rail, spring = drawn.links
    assert (rail.kind, rail.a, rail.b) == ("Prismatic", "ground", "block")
    assert rail.at_a == (1.0, 2.0)
    assert rail.at_b == (0.0, 0.0)
    assert rail.axis == pytest.approx(math.pi / 4)
    assert spring.kind == "SpringDamper"
    ball, wall = drawn.shapes
    assert (ball.body, ball.kind, ball.radius) == ("block", "Sphere", 0.2)
    assert np.allclose(np.hypot(*(ball.line - (0.1, 0.0)).T), 0.2)
    assert wall.is_plane
    assert wall.normal == (-1.0, 0.0, 0.0)


def test_element_table_lists_laws_with_their_parameters(system):
    assert ("stop", "Contact", "block – ground", "law: Hertz (stiffness 1e+08, exponent 1.5)") in drawing_data(
        system
    ).element_table


def test_a_result_keeps_the_drawing_data_of_the_system_as_it_was(system):
    result = cm.simulate(system, t_end=0.01)
    system.add(cm.Body("late", 1.0, 0.1))
    system.add(cm.Revolute(system.ground, system["late"], at=(0.0, 0.0), name="late pin"))
    assert [link.name for link in result.sketch.links] == ["rail", "spring"]
    assert result.sample([0.0, 0.005]).sketch is result.sketch


def test_a_result_with_its_drawing_data_can_be_pickled(system):
    result = pickle.loads(pickle.dumps(cm.simulate(system, t_end=0.01)))
    assert [shape.kind for shape in result.sketch.shapes] == ["Sphere", "Plane"]


def test_shapes_in_space_are_spheres_planes_and_triangles():
    system = cm.System(dim=3, name="space")
    ball = system.add(cm.Body("ball", 1.0, (0.1, 0.1, 0.1), position=(0.0, 0.0, 2.0)))
    box = system.add(cm.Body("box", 1.0, (0.1, 0.1, 0.1), position=(2.0, 0.0, 2.0)))
    floor = cm.Plane(system.ground)
    system.add(cm.Contact(cm.Sphere(ball, 0.3), floor, law=LAW))
    system.add(cm.Contact(cm.Box(box, (0.1, 0.2, 0.3)), floor, law=LAW))
    system.add(cm.Revolute(system.ground, box, at=(2.0, 0.0, 3.0), axis=(0.0, 1.0, 0.0)))
    kinds = {shape.kind: shape for shape in drawing_data(system).shapes}
    assert kinds["Sphere"].radius == 0.3
    assert kinds["Sphere"].vertices is None
    assert kinds["Plane"].normal == (0.0, 0.0, 1.0)
    assert np.allclose(np.abs(kinds["Box"].vertices).max(axis=0), (0.1, 0.2, 0.3))
    (hinge,) = drawing_data(system).links
    assert hinge.at_b == (0.0, 0.0, 1.0)
    assert hinge.axis == pytest.approx((0.0, 1.0, 0.0))


def test_generalised_coordinates_have_no_drawing_data():
    system = cm.GeneralizedSystem(q0=[1.0], u0=[0.0], mass=[[1.0]], force=[-9.81])
    assert drawing_data(system) is None
    assert cm.simulate(system, t_end=0.01, method="nonsmooth", step=1e-3).sketch is None


@pytest.mark.parametrize(("flip", "forwards"), [(False, True), (True, False)])
def test_the_contour_of_a_profile_has_the_solid_on_its_right(flip, forwards):
    system = cm.System(name="valley")
    ball = system.add(cm.Body("ball", 1.0, 0.1, position=(0.0, 1.0)))
    valley = cm.Curve.polynomial(system.ground, x=(0.0, 1.0), y=(0.0, 0.0, 1.5), span=(-0.5, 0.5), flip=flip)
    system.add(cm.Contact(cm.Sphere(ball, 0.1), valley, law=LAW))
    (profile,) = [shape for shape in drawing_data(system).shapes if shape.kind == "Curve"]
    assert profile.one_sided
    assert bool(profile.line[-1, 0] > profile.line[0, 0]) is forwards  # to the right: the solid is below


class Strut(cm.Distance):
    """Rod of a user."""


def test_a_joint_of_a_user_is_drawn_by_the_symbol_of_its_base_class():
    system = cm.System(name="strut")
    bob = system.add(cm.Body("bob", 1.0, 0.1, position=(1.0, 0.0)))
    system.add(Strut(system.ground, bob, name="strut"))
    (link,) = drawing_data(system).links
    assert (link.kind, link.symbol) == ("Strut", Symbol.ROD)


@pytest.mark.parametrize("kind", sorted({**JOINTS, **FORCES}))
def test_files_without_symbols_show_the_symbols_of_the_library(kind):
    item = {"name": "", "kind": kind, "a": "ground", "b": "ball", "at_a": (0.0, 0.0), "at_b": (0.0, 0.0)}
    (link,) = DrawingData.from_plain({"dim": 2, "gravity": (0.0, 0.0), "skins": [], "links": [item], "words": ()}).links
    assert link.symbol is {**JOINTS, **FORCES}[kind].symbol


def test_a_slider_with_clearance_is_drawn_by_its_symbol_and_not_by_the_shapes_of_its_corners():
    system = cm.System(name="guide")
    slider = system.add(cm.Body("slider", 1.0, 0.1))
    system.add(cm.PrismaticClearance(system.ground, slider, length=0.2, width=0.1, clearance=0.01, law=LAW))
    drawn = drawing_data(system)
    assert [link.symbol for link in drawn.links] == [Symbol.GUIDE]
    assert drawn.shapes == ()
