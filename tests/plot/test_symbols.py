"""Symbols of mechanisms in Matplotlib axes."""

import numpy as np
import pytest
from matplotlib.figure import Figure

from carom.plot import symbols
from carom.scene.symbol_geometry import spring_zigzag


@pytest.fixture
def axes():
    return Figure().subplots()


def test_a_spring_reaches_from_end_to_end_and_stays_in_its_width(axes):
    symbols.draw_two_body_line(axes, spring_zigzag(0.2), (1.0, 1.0), (4.0, 5.0))
    path = axes.lines[0].get_xydata()
    assert path[0] == pytest.approx((1.0, 1.0))
    assert path[-1] == pytest.approx((4.0, 5.0))
    transverse = (path - (1.0, 1.0)) @ np.array([-0.8, 0.6])
    assert np.abs(transverse).max() == pytest.approx(0.07)


def test_a_spring_of_zero_length_is_not_drawn(axes):
    symbols.draw_two_body_line(axes, spring_zigzag(0.2), (1.0, 1.0), (1.0, 1.0))
    assert not axes.lines


def test_hatches_of_the_ground_lie_on_its_right_hand_side(axes):
    symbols.draw_hatched_line(axes, np.array([(0.0, 1.0), (3.0, 1.0)]), 0.2)
    line, strokes = (drawn.get_xydata() for drawn in axes.lines)
    assert line.tolist() == [[0.0, 1.0], [3.0, 1.0]]
    assert np.nanmax(strokes[:, 1]) == pytest.approx(1.0)
    assert np.nanmin(strokes[:, 1]) == pytest.approx(0.8)
    assert np.count_nonzero(np.isnan(strokes[:, 0])) == 17  # 3/(0.9 · 0.2), and one more


def test_circles_have_their_radius_and_centre(axes):
    symbols.draw_circle(axes, (0.0, -0.0005), 0.0095, "white", 6.0)
    (circle,) = axes.patches
    assert (circle.radius, circle.center) == (0.0095, (0.0, -0.0005))
