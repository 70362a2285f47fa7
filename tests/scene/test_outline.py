import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from carom.scene.outline import outline


def test_collinear_points_are_joined_in_order():
    drawn = outline([(1.0, 1.0), (3.0, 3.0), (0.0, 0.0), (2.0, 2.0)])
    along = drawn[:, 0]
    assert np.all(np.diff(along) > 0.0) or np.all(np.diff(along) < 0.0)
    assert len(drawn) == 4


def test_a_triangle_is_closed():
    drawn = outline([(0.0, 0.0), (2.0, 0.0), (1.0, 1.0)])
    assert len(drawn) == 4
    assert np.array_equal(drawn[0], drawn[-1])


def test_an_inner_point_is_not_on_the_outline():
    drawn = outline([(0.0, 0.0), (2.0, 0.0), (2.0, 2.0), (0.0, 2.0), (1.0, 0.9)])
    assert (1.0, 0.9) not in [tuple(point) for point in drawn]
    assert len(drawn) == 5


@pytest.mark.parametrize("points", [[(1.0, 2.0)], [(1.0, 2.0), (0.0, 0.0)]])
def test_one_or_two_points_are_not_changed(points):
    assert outline(points).tolist() == [list(point) for point in points]


coordinate = st.integers(-20, 20).map(float)


@given(st.lists(st.tuples(coordinate, coordinate), min_size=3, max_size=12, unique=True))
def test_no_point_lies_outside_the_outline(points):
    drawn = outline(points)
    if not np.array_equal(drawn[0], drawn[-1]):
        return  # in a row
    for start, end in itertools.pairwise(drawn):
        along = end - start
        for point in points:
            assert along[0] * (point[1] - start[1]) - along[1] * (point[0] - start[0]) >= -1e-9
