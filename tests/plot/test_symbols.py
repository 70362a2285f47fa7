import math

import numpy as np
import pytest
from matplotlib.figure import Figure

from carom.plot import symbols


@pytest.fixture
def axes():
    return Figure().subplots()


def test_turned_turns_counter_clockwise_and_then_moves():
    assert symbols.turned([(1.0, 0.0)], math.pi / 2, (5.0, 7.0))[0] == pytest.approx((5.0, 8.0))


def test_a_spring_reaches_from_end_to_end_and_stays_in_its_width(axes):
    symbols.spring(axes, (1.0, 1.0), (4.0, 5.0), 0.2)
    path = axes.lines[0].get_xydata()
    assert path[0] == pytest.approx((1.0, 1.0))
    assert path[-1] == pytest.approx((4.0, 5.0))
    across = (path - (1.0, 1.0)) @ np.array([-0.8, 0.6])
    assert np.abs(across).max() == pytest.approx(0.07)


def test_a_spring_without_length_is_not_drawn(axes):
    symbols.spring(axes, (1.0, 1.0), (1.0, 1.0), 0.2)
    assert not axes.lines


def test_a_slider_lies_along_its_axis(axes):
    symbols.box(axes, (1.0, 2.0), math.pi / 2, 0.5)
    corners = axes.patches[0].get_xy()
    assert np.ptp(corners, axis=0) == pytest.approx((0.6, 1.0))


def test_strokes_of_the_ground_lie_on_its_right_hand_side(axes):
    symbols.hatch(axes, np.array([(0.0, 1.0), (3.0, 1.0)]), 0.2)
    line, strokes = (drawn.get_xydata() for drawn in axes.lines)
    assert line.tolist() == [[0.0, 1.0], [3.0, 1.0]]
    assert np.nanmax(strokes[:, 1]) == pytest.approx(1.0)
    assert np.nanmin(strokes[:, 1]) == pytest.approx(0.8)
    assert np.count_nonzero(np.isnan(strokes[:, 0])) == 17  # 3/(0.9 · 0.2), and one more


def test_a_band_lies_on_the_right_hand_side_of_its_line(axes):
    symbols.band(axes, np.column_stack([np.linspace(0.0, 1.0, 5), np.zeros(5)]), 0.3, "k", 1.0, 2.0)
    rim = axes.get_children()[0].get_xy()
    assert rim[:, 1].min() == pytest.approx(-0.3)
    assert rim[:, 1].max() == 0.0


def test_journal_and_bearing_are_to_scale_and_a_small_one_has_a_pin(axes):
    symbols.play(axes, (0.0, 0.0), 0.010, (0.0, -0.0005), 0.0095, size=0.02)
    assert [circle.radius for circle in axes.patches] == [0.010, 0.0095]
    assert [circle.center for circle in axes.patches] == [(0.0, 0.0), (0.0, -0.0005)]
    symbols.play(axes, (0.0, 0.0), 0.010, (0.0, -0.0005), 0.0095, size=0.2)
    assert [circle.radius for circle in axes.patches[2:]] == pytest.approx([0.010, 0.0095, 0.044])
