"""Triangles, rectangles and discs: what they are made of, how they are drawn, and what is refused."""

import math

import numpy as np
import pytest

import carom as cm
from carom.geometry.shapes import Disc, Rectangle, Triangle
from checkers import assert_close
from geometry.pairs.skins import search, skin
from quick import each

ROCK = cm.Body("rock", 1.0, (1.0, 1.0, 1.0), position=(1.0, 2.0, 3.0))
ROD = cm.Body("rod", 1.0, 1.0)
TRIANGLE = Triangle(ROCK, (0, 0, 1), (2, 0, 1), (0, 3, 1))
RECTANGLE = Rectangle(ROCK, (1, 2, 3), (3, 4, 0), (-4, 3, 0), 0.5, 2.0)
DISC = Disc(ROCK, (1, 2, 3), (0, 3, 4), 0.5)


def test_normals_are_unit_and_right_handed():
    assert TRIANGLE.normal == (0.0, 0.0, 1.0)
    assert Triangle(ROCK, (0, 0, 1), (0, 3, 1), (2, 0, 1)).normal == (0.0, 0.0, -1.0)
    assert RECTANGLE.normal == pytest.approx((0.0, 0.0, 1.0), abs=1e-16)
    assert RECTANGLE.axis_u == pytest.approx((0.6, 0.8, 0.0), abs=1e-16)
    assert RECTANGLE.axis_v == pytest.approx((-0.8, 0.6, 0.0), abs=1e-16)
    assert DISC.normal == DISC.axis == pytest.approx((0.0, 0.6, 0.8), abs=1e-16)


def test_axes_that_are_nearly_perpendicular_are_made_so():
    face = Rectangle(ROCK, (0, 0, 0), (1, 0, 0), (5e-10, 1, 0), 1.0, 1.0)
    assert face.axis_v == (0.0, 1.0, 0.0)


@each("face", [TRIANGLE, RECTANGLE, DISC])
@each("n", [2, 17, 100])
def test_outlines_run_along_the_edges_and_close(face, n: int):
    points = face.outline(n)
    assert points.shape == (n, 3)
    assert_close(points[0], points[-1], 1e-15, "closed")
    found = search(skin(face), points)
    assert_close(found.distance, np.zeros(n), 1e-8, "on the face")
    assert_close((points - points[0]) @ np.array(face.normal), np.zeros(n), 1e-15, "flat")


def test_outlines_are_as_long_as_the_edges():
    def length(face) -> float:
        return float(np.linalg.norm(np.diff(face.outline(2001), axis=0), axis=1).sum())

    assert length(TRIANGLE) == pytest.approx(5.0 + math.sqrt(13.0), rel=1e-3)
    assert length(RECTANGLE) == pytest.approx(10.0, rel=1e-3)
    assert length(DISC) == pytest.approx(math.pi, rel=1e-5)


@each(
    "make, message",
    [
        (
            lambda: Triangle(ROCK, (0, 0, 0), (1, 1, 1), (2, 2, 2)),
            r"Triangle on 'rock': the corners must not lie on one line, got a = \(0.0, 0.0, 0.0\), b = ",
        ),
        (
            lambda: Triangle(ROCK, (1, 0, 0), (1, 0, 0), (1, 0, 0)),
            r"Triangle on 'rock': the corners must not lie on one",
        ),
        (
            lambda: Rectangle(ROCK, (0, 0, 0), (1, 0, 0), (1, 1, 0), 1.0, 1.0),
            r"Rectangle on 'rock': axis_u and axis_v must be perpendicular, got \(1, 0, 0\) and \(1, 1, 0\), 45° apart",
        ),
        (
            lambda: Rectangle(ROCK, (0, 0, 0), (1, 0, 0), (2e-9, 1, 0), 1.0, 1.0),
            r"Rectangle on 'rock': axis_u and axis_v must be perpendicular",
        ),
        (
            lambda: Rectangle(ROCK, (0, 0, 0), (1, 0, 0), (0, 1, 0), 0.0, 1.0),
            r"Rectangle on 'rock': half_u must be positive, got 0",
        ),
        (lambda: Disc(ROCK, (0, 0, 0), (0, 0, 0), 1.0), r"Disc on 'rock': axis must have a direction"),
        (lambda: Disc(ROCK, (0, 0, 0), (0, 1), 1.0), r"Disc on 'rock': axis must be 3 numbers, got 2"),
        (lambda: Disc(ROCK, (0, 0, 0), (0, 0, 1), -1.0), r"Disc on 'rock': radius must be positive, got -1"),
        (
            lambda: Disc(ROCK, (0, 0, 0), (0, 0, 1), 1.0, "soft"),
            r"Disc on 'rock': edges must be one of 'contact', 'ignore', got 'soft'",
        ),
        (lambda: Disc(ROD, (0, 0), (0, 0, 1), 1.0), r"Disc on 'rod': needs a spatial body, got a planar one"),
        (lambda: Triangle(ROD, (0, 0), (1, 0), (0, 1)), r"Triangle on 'rod': needs a spatial body"),
    ],
)
def test_what_is_no_face_is_refused(make, message: str):
    with pytest.raises(cm.ModelError, match=message):
        make()
