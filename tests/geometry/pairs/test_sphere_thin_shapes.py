"""Balls on thin triangles, rectangles and discs: both sides, edges, corners and rims."""

import math

import numpy as np
import pytest

from carom.geometry.pairs.base import NO_CONTACT
from carom.geometry.pose import pose
from carom.geometry.shapes import Disc, Rectangle, Sphere, Triangle
from carom.geometry.shapes.base import ThinShape as Face
from geometry.pairs.contacts import rock, touch
from quick import each

B = rock("b")
HERE = pose((0.0, 0.0), 0.0)
TRIANGLE = Triangle(B, (0, 0, 0), (4, 0, 0), (0, 3, 0))
RECTANGLE = Rectangle(B, (0, 0, 0), (1, 0, 0), (0, 1, 0), 2.0, 1.0)
DISC = Disc(B, (0, 0, 0), (0, 0, 1), 1.0)


@each(
    "face, centre, gap, normal",
    [
        (TRIANGLE, (1.0, 1.0, 0.3), 0.2, (0.0, 0.0, 1.0)),
        (TRIANGLE, (1.0, 1.0, -0.05), -0.05, (0.0, 0.0, -1.0)),
        (TRIANGLE, (2.0 + 0.6 * 0.3, 1.5 + 0.8 * 0.3, 0.4), 0.4, (0.36, 0.48, 0.8)),
        (TRIANGLE, (1.0, -0.3, -0.4), 0.4, (0.0, -0.6, -0.8)),
        (TRIANGLE, (-0.3, 2.0, 0.4), 0.4, (-0.6, 0.0, 0.8)),
        (TRIANGLE, (-2.0, -1.0, 2.0), 2.9, (-2.0 / 3.0, -1.0 / 3.0, 2.0 / 3.0)),
        (TRIANGLE, (0.0, 3.5, 0.0), 0.4, (0.0, 1.0, 0.0)),
        (RECTANGLE, (1.9, -0.9, 0.05), -0.05, (0.0, 0.0, 1.0)),
        (RECTANGLE, (0.5, 0.5, -0.5), 0.4, (0.0, 0.0, -1.0)),
        (RECTANGLE, (0.0, 1.6, -0.8), 0.9, (0.0, 0.6, -0.8)),
        (RECTANGLE, (-4.0, -3.0, 1.0), 2.9, (-2.0 / 3.0, -2.0 / 3.0, 1.0 / 3.0)),
        (DISC, (0.3, 0.2, 0.05), -0.05, (0.0, 0.0, 1.0)),
        (DISC, (0.3, 0.2, -0.5), 0.4, (0.0, 0.0, -1.0)),
        (DISC, (0.0, 1.3, 0.4), 0.4, (0.0, 0.6, 0.8)),
        (DISC, (-1.05, 0.0, 0.0), -0.05, (-1.0, 0.0, 0.0)),
    ],
)
def test_faces_edges_corners_and_rims(face: Face, centre, gap: float, normal):
    found = touch(Sphere(rock("a"), 0.1), face, pose(centre, 0.3), HERE)
    assert found.gap == pytest.approx(gap, abs=1e-15)
    assert found.normal == pytest.approx(normal, abs=1e-15)
    assert found.point_b == pytest.approx(np.array(centre) - (gap + 0.1) * np.array(normal), abs=1e-15)
    assert tuple(found.force_point) == tuple(found.point_b)


@pytest.mark.parametrize(
    ("face", "places"),
    [
        (TRIANGLE, [(1, 1, 0), (0, 0, 0), (4, 0, 0), (0, 3, 0), (2, 1.5, 0), (0, 1, 0), (1, 0, 0)]),
        (RECTANGLE, [(0, 0, 0), (2, 0, 0), (2, 1, 0), (-2, -1, 0)]),
        (DISC, [(0, 0, 0), (0.5, 0.5, 0), (1, 0, 0), (0, -1, 0)]),
    ],
    ids=["triangle", "rectangle", "disc"],
)
def test_a_centre_in_the_face_is_pushed_to_its_front(face: Face, places):
    for place in places:
        found = touch(Sphere(rock("a"), 0.1), face, pose(place, 0.0), HERE)
        assert found.gap == pytest.approx(-0.1, abs=1e-15)
        assert tuple(found.normal) == (0.0, 0.0, 1.0) == face.normal


def test_a_ball_may_roll_over_an_edge_or_drop_off_it():
    """The rim pushes the ball of the swinging disc; where only faces touch, contact ends at the rim."""
    rim, no_rim = Disc(B, (0, 0, 0), (0, 1, 0), 0.25), Disc(B, (0, 0, 0), (0, 1, 0), 0.25, "ignore")
    ball = Sphere(rock("a"), 0.03)
    for past in (-1e-9, 1e-9, 1e-3, 0.01):
        centre = pose((0.25 + past, 0.02), 0.0)
        pushed = touch(ball, rim, centre, HERE).gap
        assert pushed == pytest.approx(math.hypot(max(past, 0.0), 0.02) - 0.03, abs=1e-15)
        assert touch(ball, no_rim, centre, HERE).gap == (pushed if past < 0.0 else NO_CONTACT)


def test_triangles_that_share_a_side_leave_no_gap_between_them():
    """Over a square of two triangles there is always one above whose face the ball is."""
    rng = np.random.default_rng(9)
    faces = [
        Triangle(B, (0, 0, 0), (1, 0, 0), (1, 1, 0), "ignore"),
        Triangle(B, (0, 0, 0), (1, 1, 0), (0, 1, 0), "ignore"),
    ]
    for x, y in [*rng.uniform(0.0, 1.0, (50, 2)), *np.repeat(rng.uniform(0.0, 1.0, (20, 1)), 2, axis=1)]:
        centre = pose((x, y, 0.2), 0.0)
        gaps = [touch(Sphere(rock("a"), 0.1), face, centre, HERE).gap for face in faces]
        assert min(gaps) == pytest.approx(0.1, abs=1e-15)
