"""Balls and walls."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import carom as cm
from carom.geometry.pairs.registry import pair
from carom.geometry.pose import pose
from carom.geometry.shapes import Plane, Point, Sphere
from geometry.pairs.contacts import GROUND, TURN, angles, body, lowest, on_ball, place, random_pose, seeds, touch


@given(seed=seeds, radius=st.floats(0.05, 1.0), angle=angles)
def test_the_gap_is_the_least_height_of_the_skin_above_the_wall(seed: int, radius: float, angle: float):
    rng = np.random.default_rng(seed)
    ball = Sphere(body(), radius, rng.uniform(-0.5, 0.5, 2))
    wall = Plane(body(), rng.uniform(-0.5, 0.5, 2), (np.cos(angle), np.sin(angle)))
    pose_a, pose_b = random_pose(rng, 1.0, False), random_pose(rng, 1.0, False)
    found = touch(ball, wall, pose_a, pose_b)
    centre, foot = place(pose_a, np.array(ball.at)), place(pose_b, np.array(wall.at))
    normal = pose_b[3:].reshape(3, 3) @ np.array(wall.normal)
    brute = lowest(lambda t: (on_ball(centre, radius, t) - foot) @ normal, -TURN, TURN)
    assert found.gap == pytest.approx(brute, abs=1e-10)
    assert found.normal == pytest.approx(normal, abs=1e-15)
    assert (found.point_b - foot) @ normal == pytest.approx(0.0, abs=1e-14)
    assert tuple(found.force_point) == tuple(found.point_b)


def test_a_ball_above_the_floor_and_in_it():
    ball, floor = Sphere(body(), 0.1), Plane(GROUND)
    for height, gap in ((1.0, 0.9), (0.1, 0.0), (0.09, -0.01), (-0.5, -0.6)):
        found = touch(ball, floor, pose((3.0, height), 0.7), pose((0.0, 0.0), 0.0))
        assert found.gap == pytest.approx(gap, abs=1e-15)
        assert found.normal == pytest.approx((0.0, 1.0, 0.0), abs=0.0)
        assert found.point_a == pytest.approx((3.0, height - 0.1, 0.0), abs=1e-15)
        assert found.point_b == pytest.approx((3.0, 0.0, 0.0), abs=1e-15)


def test_a_point_touches_the_wall_itself():
    found = touch(Point(body(), (0.0, -0.2)), Plane(GROUND), pose((1.0, 0.3), 0.0), pose((0.0, 0.0), 0.0))
    assert found.gap == pytest.approx(0.1, abs=1e-15)


def test_a_cavity_has_no_contact_with_a_wall():
    message = r"Contact 'x': Sphere on 'cup' is a cavity, which only a sphere can touch; Plane on 'ground' cannot"
    with pytest.raises(cm.ModelError, match=message):
        pair("Contact 'x'", Plane(GROUND), Sphere(body("cup"), 1.0, inside=True))
