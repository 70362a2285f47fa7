"""closest: the answer on its own, in the bodies' present pose and the caller's order."""

import math
from dataclasses import FrozenInstanceError

import numpy as np
import pytest

import carom as cm
from carom.geometry.closest_points import closest
from carom.geometry.shapes import Plane, Point, Segment, Sphere
from carom.geometry.shapes.curve import Curve


def ball(x: float, y: float, angle: float = 0.0, name: str = "ball") -> cm.Body:
    return cm.Body(name, 1.0, 1.0, position=(x, y), angle=angle)


def test_it_answers_in_the_present_pose():
    body, ground = ball(0.0, 1.0), cm.System().ground
    sphere, floor = Sphere(body, 0.1, at=(0.5, 0.0)), Plane(ground)
    assert closest(sphere, floor).gap == pytest.approx(0.9, abs=1e-15)
    body.angle = math.pi / 2.0
    found = closest(sphere, floor)
    assert found.gap == pytest.approx(1.4, abs=1e-15)
    assert found.point_a == pytest.approx((0.0, 1.4), abs=1e-15)
    assert found.point_b == pytest.approx((0.0, 0.0), abs=1e-15)
    body.position = (3.0, -0.45)
    assert closest(sphere, floor).gap == pytest.approx(-0.05, abs=1e-15)


def test_the_normal_points_from_the_second_to_the_first_given():
    sphere, floor = Sphere(ball(0.0, 1.0), 0.1), Plane(cm.System().ground)
    one, other = closest(sphere, floor), closest(floor, sphere)
    assert one.normal == pytest.approx((0.0, 1.0), abs=0.0)
    assert other.normal == pytest.approx((0.0, -1.0), abs=0.0)
    assert not np.any(np.signbit(other.normal[0]))
    assert one.gap == other.gap
    assert np.array_equal(one.point_a, other.point_b)
    assert np.array_equal(one.point_b, other.point_a)


def test_planar_bodies_have_two_numbers_a_point_and_spatial_ones_three():
    rock = cm.Body("rock", 1.0, (1.0, 1.0, 1.0), position=(0.0, 0.0, 2.0))
    flat = closest(Sphere(ball(0.0, 0.0), 0.5), Point(ball(2.0, 0.0, name="b")))
    assert [len(v) for v in (flat.normal, flat.point_a, flat.point_b)] == [2, 2, 2]
    space = closest(Sphere(ball(0.0, 0.0), 0.5), Sphere(rock, 0.5))
    assert [len(v) for v in (space.normal, space.point_a, space.point_b)] == [3, 3, 3]
    assert space.gap == pytest.approx(1.0, abs=1e-15)
    assert space.normal == pytest.approx((0.0, 0.0, -1.0), abs=1e-15)


def test_every_kind_of_shape_can_be_asked():
    a, b = ball(0.0, 0.0), ball(0.0, 2.0, name="b")
    disc = Curve.function(a, lambda t: (math.cos(t), math.sin(t)), (0.0, 2.0 * math.pi), closed=True)
    other = Curve.function(b, lambda t: (0.5 * math.cos(t), 0.5 * math.sin(t)), (0.0, 2.0 * math.pi), closed=True)
    assert closest(disc, other).gap == pytest.approx(0.5, abs=1e-13)
    assert closest(Segment(a, (-1, 0), (1, 0), 0.2), Sphere(b, 0.5)).gap == pytest.approx(1.3, abs=1e-15)


def test_the_answer_is_fixed_and_its_own():
    sphere, floor = Sphere(ball(0.0, 1.0), 0.1), Plane(cm.System().ground)
    one = closest(sphere, floor)
    with pytest.raises(FrozenInstanceError):
        one.gap = 3.0  # type: ignore[misc]
    one.point_a[0] = 9.0
    assert closest(sphere, floor).point_a[0] == 0.0


def test_shapes_without_a_pair_are_refused():
    with pytest.raises(cm.ModelError, match=r"closest: no pair for Plane on 'a' and Plane on 'b'"):
        closest(Plane(ball(0, 0, name="a")), Plane(ball(0, 0, name="b")))


def test_spots_of_a_standing_a_tilted_and_a_hovering_box():
    system = cm.System(dim=3)
    box = system.add(cm.Body("box", 1.0, (1.0, 1.0, 1.0), position=(0.0, 0.0, 0.4999)))
    floor = cm.Plane(system.ground, (0.0, 0.0, 0.0), (0.0, 0.0, 1.0))
    shape = cm.Box(box, (0.2, 0.3, 0.5))
    assert [spot.gap for spot in cm.closest(shape, floor).spots] == pytest.approx([-1e-4] * 4, abs=1e-12)
    box.position = (0.0, 0.0, 2.0)
    assert len(cm.closest(shape, floor).spots) == 4
    box.orientation = (np.cos(0.2), np.sin(0.2), 0.0, 0.0)
    spots = cm.closest(shape, floor).spots
    assert len(spots) == 2
    assert abs(spots[0].point_a[0] - spots[1].point_a[0]) == pytest.approx(0.4)
