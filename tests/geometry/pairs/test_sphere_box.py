"""Balls on boxes, and in them: faces, edges and corners."""

import math

import numpy as np
import pytest

from carom.geometry.pose import pose
from carom.geometry.shapes import Box, Sphere
from geometry.pairs.contacts import rock, touch

HERE = pose((0.0, 0.0), 0.0)


@pytest.mark.parametrize(
    ("centre", "gap", "normal"),
    [
        ((0.0, 0.3, 3.5), 0.4, (0.0, 0.0, 1.0)),
        ((-1.05, 1.9, 2.9), -0.05, (-1.0, 0.0, 0.0)),
        ((0.5, 2.3, -3.4), 0.4, (0.0, 0.6, -0.8)),
        ((1.2, 2.4, 3.4), 0.5, (1.0 / 3.0, 2.0 / 3.0, 2.0 / 3.0)),
        ((0.2, -1.7, 0.0), -0.4, (0.0, -1.0, 0.0)),
        ((-0.9, 1.0, 1.0), -0.2, (-1.0, 0.0, 0.0)),
        ((0.0, 0.0, 0.0), -1.1, (1.0, 0.0, 0.0)),
        ((1.0, 2.0, 3.0), -0.1, (1.0, 0.0, 0.0)),
        ((0.5, 0.5, -3.0), -0.1, (0.0, 0.0, -1.0)),
    ],
    ids=["face", "indented", "edge", "corner", "inside", "deep", "centre", "on a corner", "on a face"],
)
def test_faces_edges_and_corners(centre, gap: float, normal):
    found = touch(Sphere(rock("a"), 0.1), Box(rock("b"), (1.0, 2.0, 3.0)), pose(centre, 0.3), HERE)
    assert found.gap == pytest.approx(gap, abs=1e-15)
    assert found.normal == pytest.approx(normal, abs=1e-15)
    assert found.point_b == pytest.approx(np.array(centre) - (gap + 0.1) * np.array(normal), abs=1e-15)
    assert tuple(found.force_point) == tuple(found.point_b)


def test_a_box_can_be_turned_and_moved_on_its_body():
    half = math.sqrt(0.5)
    box = Box(rock("b"), (1.0, 2.0, 3.0), (1.0, 0.0, 0.0), (half, 0.0, 0.0, half))  # x becomes y
    found = touch(Sphere(rock("a"), 0.1), box, pose((3.5, 0.0), 0.0), HERE)
    assert found.gap == pytest.approx(0.4, abs=1e-15)
    assert found.point_b == pytest.approx((3.0, 0.0, 0.0), abs=1e-15)
