"""Shapes of contacts in a planar drawing: to scale, at their positions, inside the picture."""

import math

import numpy as np
import pytest
from matplotlib.colors import to_rgba

import carom as cm
from carom.geometry.shapes.base import CONTOUR_POINTS
from carom.plot import plot_mechanism
from carom.plot.style import COLOURS
from carom.solve.drawing_builder import drawing_data

LAW = cm.laws.Hertz(stiffness=1e8)


def drawn(system, t_end=0.1, **options):
    """The axes of a drawing at the start of a run."""
    return plot_mechanism(system, cm.simulate(system, t_end=t_end), ghosts=[], **options).get_axes()[0]


def shapes(axes, colour):
    """Lines in that colour that are as fine as a shape."""
    same = [line for line in axes.lines if to_rgba(line.get_color()) == to_rgba(colour)]
    return [line.get_xydata() for line in same if len(line.get_xydata()) == CONTOUR_POINTS]


def extents(points):
    return [*points.min(axis=0), *points.max(axis=0)]


@pytest.fixture
def pair():
    """Two bodies that a contact may hold."""

    def make(first, second):
        system = cm.System(name="pair")
        one = system.add(cm.Body("one", 1.0, 0.1, position=(1.0, 2.0), angle=math.pi / 2))
        other = system.add(cm.Body("other", 1.0, 0.1, position=(3.0, 2.0)))
        system.add(cm.Contact(first(one), second(other), law=LAW))
        return system

    return make


def test_a_sphere_is_a_circle_of_its_radius(pair):
    system = pair(lambda body: cm.Sphere(body, 0.2, at=(0.5, 0.0)), lambda body: cm.Sphere(body, 0.3))
    axes = drawn(system)
    (first,), (second,) = shapes(axes, COLOURS[0]), shapes(axes, COLOURS[1])
    assert np.allclose(np.hypot(*(first - (1.0, 2.5)).T), 0.2)  # half a metre along the body's x, which points up
    assert np.allclose(np.hypot(*(second - (3.0, 2.0)).T), 0.3)
    (left, right), (low, high) = axes.get_xlim(), axes.get_ylim()
    assert left < 0.8 < 3.3 < right
    assert low < 1.7 < 2.7 < high


def test_a_body_reaches_to_its_sphere(pair):
    system = pair(lambda body: cm.Sphere(body, 0.2, at=(0.5, 0.0)), lambda body: cm.Sphere(body, 0.3))
    arm = [line.get_xydata() for line in drawn(system).lines if len(line.get_xydata()) == 2]
    assert any(np.allclose(sorted(line.tolist()), [(1.0, 2.0), (1.0, 2.5)]) for line in arm)


def test_a_capsule_has_its_length_and_its_radius(pair):
    system = pair(lambda body: cm.Sphere(body, 0.2), lambda body: cm.Segment(body, (-0.4, 0.0), (0.4, 0.0), 0.1))
    (capsule,) = shapes(drawn(system), COLOURS[1])
    assert extents(capsule) == pytest.approx([2.5, 1.9, 3.5, 2.1], abs=2e-3)


def test_a_closed_profile_is_drawn_to_scale_and_filled(pair):
    corners = [(0.3 * math.cos(a), 0.2 * math.sin(a)) for a in 2.0 * math.pi * np.arange(24) / 24]
    system = pair(lambda body: cm.Curve(body, corners, closed=True), lambda body: cm.Curve(body, corners, closed=True))
    axes = drawn(system)
    assert extents(shapes(axes, COLOURS[0])[0]) == pytest.approx([0.8, 1.7, 1.2, 2.3], abs=3e-3)
    assert len([child for child in axes.get_children() if type(child).__name__ == "Polygon"]) == 2


def test_a_cavity_is_not_filled(pair):
    system = pair(lambda body: cm.Sphere(body, 0.2, at=(0.0, -2.0)), lambda body: cm.Sphere(body, 0.5, inside=True))
    fills = [child for child in drawn(system).get_children() if type(child).__name__ == "Polygon"]
    assert len(fills) == 1


def test_a_plane_is_hatched_on_its_solid_side_and_clipped_at_the_picture(bouncing):
    system, result = bouncing
    axes = plot_mechanism(system, result).get_axes()[0]
    (left, right), (low, high) = axes.get_xlim(), axes.get_ylim()
    assert low < 0.0 < 0.4 < high < 0.5  # the ball is 0.1 m large and falls from 0.3 m
    assert right < 0.5  # it goes 0.2 m to the right
    walls = [line.get_xydata() for line in axes.lines if np.allclose(line.get_ydata(), 0.0)]
    assert all(np.allclose(sorted(wall[:, 0]), [left, right]) for wall in walls)
    strokes = [line.get_ydata() for line in axes.lines if np.isnan(line.get_ydata()).any()]
    assert len(strokes) == 1
    assert np.nanmax(strokes[0]) == pytest.approx(0.0, abs=1e-12)
    assert np.nanmin(strokes[0]) < 0.0


def test_a_plane_without_contact_is_shown_only_if_it_is_near():
    for height, visible in ((0.5, True), (50.0, False)):
        system = cm.System(gravity=(0.0, -9.81), name="drop")
        ball = system.add(cm.Body("ball", 1.0, 0.004, position=(0.0, height)))
        system.add(cm.Contact(cm.Sphere(ball, 0.1), cm.Plane(system.ground), law=LAW))
        low, high = drawn(system, t_end=0.25).get_ylim()
        assert bool(low < 0.0) is visible
        assert high < height + 0.2


def test_a_moving_plane_is_drawn_at_the_pose_of_its_body():
    system = cm.System(name="tray")
    tray = system.add(cm.Body("tray", 1.0, 0.1, position=(0.0, 1.0), angle=math.pi / 6, velocity=(0.0, 0.1)))
    ball = system.add(cm.Body("ball", 1.0, 0.1, position=(0.0, 2.0)))
    system.add(cm.Contact(cm.Sphere(ball, 0.1), cm.Plane(tray), law=LAW))
    axes = drawn(system)
    lines = [line.get_xydata() for line in axes.lines if to_rgba(line.get_color()) == to_rgba(COLOURS[0])]
    (wall,) = (line for line in lines if len(line) == 2)
    assert np.allclose((wall[:, 1] - 1.0) / wall[:, 0], math.tan(math.pi / 6))


def test_systems_without_joints_are_to_scale_with_marked_centres(spheres):
    system = cm.System(name="two spheres")
    for name, x in (("left", -0.021), ("right", 0.021)):
        system.add(cm.Body(name, 0.092, 1.5e-5, position=(x, 0.0)))
    left, right = system.bodies
    system.add(cm.Contact(cm.Sphere(left, 0.02), cm.Sphere(right, 0.02), law=LAW, name="touch"))
    axes = plot_mechanism(system, spheres["Hertz"], ghosts=[]).get_axes()[0]
    assert axes.get_xlim()[1] == pytest.approx(0.041, rel=0.15)
    middles = sorted(patch.center[0] for patch in axes.patches if hasattr(patch, "center"))
    assert middles == pytest.approx([-0.021, 0.021])


def test_a_clearance_joint_is_drawn_to_scale_at_the_poses_of_its_bodies():
    system = cm.System(gravity=(0.0, -9.81), name="loose pendulum")
    bob = system.add(cm.Body("bob", 1.0, 0.01, position=(0.05, 0.0)))
    law = cm.laws.LankaraniNikravesh(stiffness=1e9, restitution=0.9)
    system.add(cm.RevoluteClearance(system.ground, bob, (0.0, 0.0), 0.009, 0.010, law, name="pivot"))
    result = cm.simulate(system, t_end=0.2)
    axes = plot_mechanism(system, result, pose=0.1, ghosts=[]).get_axes()[0]
    circles = {circle.radius: circle.center for circle in axes.patches if hasattr(circle, "radius")}
    assert circles[0.010] == (0.0, 0.0)
    assert circles[0.009] == pytest.approx(tuple(result.sample(0.1)["bob"].point(-0.05, 0.0)[0]), abs=1e-15)
    assert any(line.get_xydata()[0] == pytest.approx(circles[0.009]) for line in axes.lines)  # the arm begins there


def test_a_shape_in_several_contacts_is_drawn_once():
    system = cm.System(name="corner")
    ball = system.add(cm.Body("ball", 1.0, 0.1, position=(1.0, 1.0)))
    floor, wall = cm.Plane(system.ground), cm.Plane(system.ground, normal=(1.0, 0.0))
    system.add(cm.Contact(cm.Sphere(ball, 0.1), floor, law=LAW))
    system.add(cm.Contact(cm.Sphere(ball, 0.1), wall, law=LAW))
    assert len(drawing_data(system).shapes) == 3


def test_a_slider_is_smaller_than_its_shapes_and_both_lie_above_its_rail():
    system = cm.System(name="slider")
    slider = system.add(cm.Body("slider", 1.0, 0.1, velocity=(10.0, 0.0)))
    post = system.add(cm.Body("post", 1.0, 0.1, position=(5.0, 0.0)))
    system.add(cm.Prismatic(system.ground, slider, axis=(1.0, 0.0)))
    system.add(cm.Contact(cm.Sphere(slider, 0.04, at=(0.04, 0.0)), cm.Sphere(post, 0.04), law=LAW))
    axes = drawn(system)
    (box,) = (patch.get_xy() for patch in axes.patches if hasattr(patch, "get_xy") and len(patch.get_xy()) == 5)
    assert extents(box) == pytest.approx([-0.04, -0.024, 0.04, 0.024])  # half of what the sphere reaches, 0.08 m
    (rail,) = (line for line in (line.get_xydata() for line in axes.lines) if len(line) == 2 and line[1, 0] > 1.0)
    assert rail[:, 1] == pytest.approx([-0.04, -0.04])
