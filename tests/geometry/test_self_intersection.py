"""Crossings of a curve with itself: found where they are, and only there."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from carom.geometry.self_intersection import self_intersection


def star(n: int, corners: int, depth: float) -> np.ndarray:
    t = np.linspace(0.0, 2.0 * np.pi, n + 1)
    r = 1.0 + depth * np.cos(corners * t)
    return np.column_stack([r * np.cos(t), r * np.sin(t)])


@given(n=st.integers(40, 2000), corners=st.integers(1, 9), depth=st.floats(0.0, 0.9), turn=st.floats(-3.0, 3.0))
def test_a_star_shaped_ring_does_not_cross_itself(n: int, corners: int, depth: float, turn: float):
    c, s = np.cos(turn), np.sin(turn)
    assert self_intersection(star(n, corners, depth) @ np.array([[c, s], [-s, c]]), closed=True) is None


@given(
    n=st.integers(60, 1500),
    shift=st.floats(0.0, 1.0),
    turn=st.floats(-3.0, 3.0),
    x=st.floats(-5.0, 5.0),
    y=st.floats(-5.0, 5.0),
)
def test_the_crossing_of_an_eight_is_found(n: int, shift: float, turn: float, x: float, y: float):
    t = np.linspace(shift, shift + 2.0 * np.pi, n + 1)
    eight = np.column_stack([np.sin(t), np.sin(t) * np.cos(t)])
    c, s = np.cos(turn), np.sin(turn)
    found = self_intersection(eight @ np.array([[c, s], [-s, c]]) + (x, y), closed=True)
    assert found == pytest.approx((x, y), abs=30.0 / n**2 + 1e-12)


def test_a_crossing_at_a_corner_of_both_pieces_is_found():
    points = np.array([(-1.0, -1.0), (0.0, 0.0), (1.0, 1.0), (1.0, -1.0), (0.0, 0.0), (-1.0, 1.0)])
    assert self_intersection(points, closed=False) == pytest.approx((0.0, 0.0), abs=1e-15)


def test_straight_and_folded_lines():
    line = np.column_stack([np.linspace(0.0, 1.0, 50), np.full(50, 0.3)])
    assert self_intersection(line, closed=False) is None
    assert self_intersection(line[:, ::-1], closed=False) is None
    there_and_back = np.vstack([line, line[::-1] + np.array([0.003, 0.0])])
    assert self_intersection(there_and_back, closed=False) is not None


def test_an_open_curve_that_ends_at_its_start_meets_itself():
    assert self_intersection(star(100, 1, 0.0), closed=False) == pytest.approx((1.0, 0.0), abs=1e-12)
    assert self_intersection(star(100, 1, 0.0), closed=True) is None
