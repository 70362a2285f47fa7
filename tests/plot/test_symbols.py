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


def test_a_rail_runs_below_what_it_guides(axes):
    symbols.rail(axes, (0.0, 1.0), 0.0, -1.0, 2.0, 0.3, 0.5)
    line = axes.lines[0].get_xydata()
    assert line[:, 1] == pytest.approx([0.7, 0.7])
    assert line[:, 0] == pytest.approx([-1.8, 2.8])
