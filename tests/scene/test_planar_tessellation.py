"""Triangles of planar shapes cover the exact area."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from carom.scene import planar_tessellation as tessellation


def area(triangles):
    vertices, faces = triangles
    a, b, c = (vertices[faces[:, k]] for k in range(3))
    return float(np.sum(np.cross(b - a, c - a)[:, 2]) / 2.0)


def unsigned(triangles):
    vertices, faces = triangles
    a, b, c = (vertices[faces[:, k]] for k in range(3))
    return float(np.sum(np.abs(np.cross(b - a, c - a)[:, 2])) / 2.0)


def test_a_disc_has_the_area_of_a_regular_polygon():
    n = tessellation.DISC_SEGMENTS
    assert area(tessellation.disc((3.0, 1.0), 2.0)) == pytest.approx(0.5 * n * 4.0 * math.sin(2.0 * math.pi / n))


def test_a_straight_stroke_has_its_length_and_width_and_two_round_ends():
    line = tessellation.stroke([(0.0, 0.0), (3.0, 4.0)], 0.2)
    assert unsigned(line) == pytest.approx(5.0 * 0.2 + 2.0 * unsigned(tessellation.disc((0.0, 0.0), 0.1)))
    assert line[0][:, 0].max() == pytest.approx(3.1, abs=0.02)


def test_a_closed_stroke_has_no_ends_and_mitred_corners():
    square = [(0.0, 0.0), (1.0, 0.0), (1.0, 1.0), (0.0, 1.0), (0.0, 0.0)]
    frame = tessellation.stroke(square, 0.1)
    assert unsigned(frame) == pytest.approx(1.1**2 - 0.9**2)


def test_a_polygon_may_be_concave_and_run_either_way():
    corner = [(0.0, 0.0), (2.0, 0.0), (2.0, 1.0), (1.0, 1.0), (1.0, 2.0), (0.0, 2.0)]
    for rim in (corner, corner[::-1], [*corner, corner[0]]):
        assert area(tessellation.polygon(rim)) == pytest.approx(3.0)
        assert unsigned(tessellation.polygon(rim)) == pytest.approx(3.0)


@given(st.lists(st.floats(0.5, 2.0), min_size=4, max_size=40))
def test_a_star_shaped_polygon_has_the_area_of_its_contour(radii):
    angle = np.linspace(0.0, 2.0 * np.pi, len(radii), endpoint=False)
    rim = np.array(radii)[:, None] * np.column_stack([np.cos(angle), np.sin(angle)])
    x, y = rim.T
    expected = 0.5 * np.sum(x * np.roll(y, -1) - np.roll(x, -1) * y)
    assert area(tessellation.polygon(rim)) == pytest.approx(expected)
    assert unsigned(tessellation.polygon(rim)) == pytest.approx(expected)
