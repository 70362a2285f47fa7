"""Shapes: what they are made of, how they are drawn, and what is refused."""

import math

import numpy as np
import pytest

import carom as cm
from carom.geometry.shapes import Plane, Point, Segment, Shape, Sphere
from checkers import assert_close
from quick import each

ROD = cm.Body("rod", 1.0, 1.0, position=(3.0, 4.0), angle=0.5)
ROCK = cm.Body("rock", 1.0, (1.0, 1.0, 1.0))
GROUND = cm.System().ground


def test_numbers_are_spatial_and_in_the_axes_of_the_body():
    assert Point(ROD, (1.0, 2.0)).parameters == (1.0, 2.0, 0.0, 0.0)
    assert Sphere(ROD, 0.3, (1.0, 2.0)).parameters == (1.0, 2.0, 0.0, 0.3)
    assert Sphere(ROCK, 0.3, (1.0, 2.0, 5.0), inside=True).parameters == (1.0, 2.0, 5.0, -0.3)
    assert Segment(ROD, (0, 1), (2, 3, 0), 0.1).parameters == (0.0, 1.0, 0.0, 2.0, 3.0, 0.0, 0.1, 0.0)
    assert Segment(ROD, (0, 1), (2, 3), edges="ignore").parameters[-1] == 1.0
    assert Plane(ROD, (1.0, 0.0), (3.0, 4.0)).parameters == pytest.approx((1.0, 0.0, 0.0, 0.6, 0.8, 0.0), abs=1e-16)
    assert Plane(GROUND).parameters == (0.0, 0.0, 0.0, 0.0, 1.0, 0.0)
    assert Plane(ROCK).parameters == (0.0, 0.0, 0.0, 0.0, 0.0, 1.0)


def test_the_radius_for_hertz_is_negative_in_a_cavity_and_infinite_on_a_wall():
    assert Sphere(ROD, 0.3).signed_radius == 0.3
    assert Sphere(ROD, 0.3, inside=True).signed_radius == -0.3
    assert Sphere(ROD, 0.3, inside=True).radius == 0.3
    assert Point(ROD).signed_radius == 0.0
    assert Segment(ROD, (0, 0), (1, 0), 0.1).signed_radius == 0.1
    assert Plane(ROD).signed_radius == math.inf


@each(
    "shape, text",
    [
        (Point(ROD), "Point on 'rod'"),
        (Sphere(GROUND, 1.0), "Sphere on 'ground'"),
        (Segment(ROD, (0, 0), (1, 0)), "Segment on 'rod'"),
        (Plane(ROCK), "Plane on 'rock'"),
    ],
)
def test_labels_name_the_kind_and_the_body(shape: Shape, text: str):
    assert shape.label == text
    assert repr(shape).startswith(f"<{text}")


@each("body", [ROD, ROCK])
@each("n", [2, 17, 200])
def test_outlines_lie_on_the_skin(body, n: int):
    def drawn(shape: Shape) -> np.ndarray:
        points = shape.outline(n)
        assert points.shape == (n, 2 if body is ROD else 3)
        return np.column_stack([points, np.zeros((n, 3 - points.shape[1]))])

    centre = np.array([1.0, 2.0, 0.0])
    circle = drawn(Sphere(body, 0.3, (1.0, 2.0)))
    assert_close(np.linalg.norm(circle - centre, axis=1), np.full(n, 0.3), 1e-14, "circle")
    assert_close(circle[0], circle[-1], 1e-14, "closed")
    assert_close(drawn(Point(body, (1.0, 2.0))), np.tile(centre, (n, 1)), 0.0, "point")

    line = drawn(Segment(body, (0.0, 1.0), (2.0, 3.0)))
    assert_close(line[[0, -1]], [(0.0, 1.0, 0.0), (2.0, 3.0, 0.0)], 0.0, "ends")
    assert_close(line[:, 1] - line[:, 0], np.ones(n), 1e-15, "line")

    capsule = drawn(Segment(body, (0.0, 1.0), (2.0, 3.0), 0.25))
    part = np.clip((capsule - (0.0, 1.0, 0.0)) @ (0.25, 0.25, 0.0), 0.0, 1.0)
    foot = np.array([0.0, 1.0, 0.0]) + part[:, None] * np.array([2.0, 2.0, 0.0])
    assert_close(np.linalg.norm(capsule - foot, axis=1), np.full(n, 0.25), 1e-14, "capsule")
    assert_close(capsule[0], capsule[-1], 1e-14, "closed")

    wall = drawn(Plane(body, (1.0, 2.0), (0.6, 0.8)))
    assert_close((wall - centre) @ (0.6, 0.8, 0.0), np.zeros(n), 1e-14, "wall")
    assert np.linalg.norm(wall[-1] - wall[0]) == pytest.approx(20.0, rel=1e-14)
    way = wall[-1] - wall[0]
    assert way[0] * 0.8 - way[1] * 0.6 > 0.0, "the solid, against the normal, is on the right"


def test_a_capsule_is_drawn_all_round():
    outline = Segment(ROD, (0.0, 0.0), (2.0, 0.0), 0.5).outline(401)
    assert outline.min(axis=0) == pytest.approx((-0.5, -0.5), abs=1e-3)
    assert outline.max(axis=0) == pytest.approx((2.5, 0.5), abs=1e-3)
    x, y = outline.T
    area = 0.5 * np.sum(x[:-1] * y[1:] - x[1:] * y[:-1])
    assert area == pytest.approx(2.0 + math.pi * 0.25, rel=1e-3)


def test_shapes_along_z_can_be_drawn():
    assert np.all(np.isfinite(Segment(ROCK, (0, 0, 0), (0, 0, 1), 0.1).outline(20)))
    wall = Plane(ROCK, normal=(0, 0, 1)).outline(5)
    assert_close(wall[:, 2], np.zeros(5), 0.0, "in the plane")


@each(
    "make, message",
    [
        (lambda: Sphere(ROD, 0.0), r"Sphere on 'rod': radius must be positive, got 0"),
        (lambda: Sphere(ROD, math.nan), r"Sphere on 'rod': radius must be finite, got nan"),
        (lambda: Sphere(ROD, 1.0, (0.0, 0.0, 0.1)), r"Sphere on 'rod': at must lie in the plane of a planar body"),
        (lambda: Sphere(ROD, 1.0, (0.0,)), r"Sphere on 'rod': at must be 2 or 3 numbers, got 1: \(0.0,\)"),
        (lambda: Sphere(ROD, 1.0, 3.0), r"Sphere on 'rod': at must be a list of numbers, got 3.0"),
        (lambda: Sphere("rod", 1.0), r"Sphere on 'rod': expected a Body or system.ground, got 'rod'"),
        (lambda: Point(ROD.point(0, 0)), r"Point on .*: expected a Body or system.ground, got Marker"),
        (
            lambda: Segment(ROD, (1, 2), (1, 2, 0)),
            r"Segment on 'rod': start and end must differ, got \(1.0, 2.0, 0.0\)",
        ),
        (lambda: Segment(ROD, (1, 2), (1, 3), -1.0), r"Segment on 'rod': radius must be positive or zero, got -1"),
        (lambda: Segment(ROD, (1, 2), (1, 3, 1)), r"Segment on 'rod': end must lie in the plane"),
        (lambda: Plane(ROD, normal=(0, 0)), r"Plane on 'rod': normal must have a direction, got a zero vector"),
        (lambda: Plane(ROD, normal=(0, 0, 1)), r"Plane on 'rod': normal must lie in the plane of a planar body"),
        (lambda: Plane(ROD, at=(math.inf, 0)), r"Plane on 'rod': at\[0\] must be finite, got inf"),
    ],
)
def test_what_is_no_shape_is_refused(make, message: str):
    with pytest.raises(cm.ModelError, match=message):
        make()
