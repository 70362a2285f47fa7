"""Geometry of the symbols of planar mechanisms."""

import math

import numpy as np
import pytest

from carom.scene.symbol_geometry import band_contour, box_corners, clip_line, to_global


def test_to_global_rotates_counterclockwise_and_then_translates():
    assert to_global([(1.0, 0.0)], math.pi / 2, (5.0, 7.0))[0] == pytest.approx((5.0, 8.0))


def test_a_slider_is_longer_than_wide():
    assert np.ptp(to_global(box_corners(0.5), math.pi / 2, (1.0, 2.0)), axis=0) == pytest.approx((0.6, 1.0))


def test_a_band_lies_on_the_right_hand_side_of_its_line():
    contour = band_contour(np.column_stack([np.linspace(0.0, 1.0, 5), np.zeros(5)]), 0.3)
    assert contour[:, 1].min() == pytest.approx(-0.3)
    assert contour[:, 1].max() == 0.0


@pytest.mark.parametrize(
    ("at", "angle", "ends"),
    [
        ((0.5, 0.5), 0.0, [(0.0, 0.5), (1.0, 0.5)]),
        ((0.5, 7.0), math.pi / 2, [(0.5, 0.0), (0.5, 1.0)]),
        ((0.0, 0.0), math.pi / 4, [(0.0, 0.0), (1.0, 1.0)]),
        ((0.5, 1.5), 0.0, None),
        ((0.0, 1.5), math.pi / 4, None),
    ],
)
def test_a_line_is_clipped_at_the_picture(at, angle, ends):
    segment = clip_line(at, angle, (0.0, 0.0), (1.0, 1.0))
    if ends is None:
        assert segment is None
    else:
        assert segment == pytest.approx(np.array(ends), abs=1e-12)
