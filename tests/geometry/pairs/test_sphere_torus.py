"""Balls on rings and in tubes."""

import numpy as np
import pytest

import carom as cm
from carom.geometry.pairs.registry import pair
from carom.geometry.pose import pose
from carom.geometry.shapes import Point, Sphere, Torus
from geometry.pairs.contacts import rock, touch

B = rock("b")
HERE = pose((0.0, 0.0), 0.0)
RING = Torus(B, (0, 0, 0), (0, 0, 1), 1.0, 0.25)
TUBE = Torus(B, (0, 0, 0), (0, 0, 1), 1.0, 0.25, inside=True)


@pytest.mark.parametrize(
    ("shape", "centre", "gap", "normal"),
    [
        (RING, (1.5, 0.0, 0.0), 0.15, (1.0, 0.0, 0.0)),
        (RING, (0.0, 0.7, 0.0), -0.05, (0.0, -1.0, 0.0)),
        (RING, (0.0, 1.3, 0.4), 0.15, (0.0, 0.6, 0.8)),
        (RING, (-1.0, 0.0, -0.1), -0.25, (0.0, 0.0, -1.0)),
        (RING, (1.0, 0.0, 0.0), -0.35, (0.0, 0.0, 1.0)),
        (TUBE, (0.0, 1.2, 0.0), -0.05, (0.0, -1.0, 0.0)),
        (TUBE, (1.06, 0.0, -0.08), 0.05, (-0.6, 0.0, 0.8)),
        (TUBE, (1.0, 0.0, 0.0), 0.15, (0.0, 0.0, 1.0)),
    ],
)
def test_rings_and_tubes(shape: Torus, centre, gap: float, normal):
    found = touch(Sphere(rock("a"), 0.1), shape, pose(centre, 0.3), HERE)
    assert found.gap == pytest.approx(gap, abs=1e-15)
    assert found.normal == pytest.approx(normal, abs=1e-15)
    assert found.point_b == pytest.approx(np.array(centre) - (gap + 0.1) * np.array(normal), abs=1e-15)


def test_a_ball_in_the_middle_of_a_ring_is_pushed_one_way():
    found = touch(Sphere(rock("a"), 0.1), RING, HERE, HERE)
    assert found.gap == pytest.approx(0.65, abs=1e-15)
    assert found.normal == pytest.approx((-1.0, 0.0, 0.0), abs=1e-15)


@pytest.mark.parametrize("touching", [False, True])
def test_a_ball_too_large_for_the_tube_is_refused(touching: bool):
    message = r"x: Sphere on 'a' must fit into the tube of Torus on 'b', got radius 0.3 in 0.25"
    with pytest.raises(cm.ModelError, match=message):
        pair("x", TUBE, Sphere(rock("a"), 0.3), touching)
    pair("x", RING, Sphere(rock("a"), 0.3), touching)
    pair("x", TUBE, Point(rock("a")), touching)
