import math

import numpy as np
import pytest

from carom.scene.guides import Rail, merge_rails


def rail(x, y, angle, low, high):
    return Rail(np.array([x, y]), angle, low, high)


def test_a_rail_runs_along_its_angle():
    assert rail(1.0, 2.0, math.pi / 2, -1.0, 3.0).line == pytest.approx(np.array([(1.0, 1.0), (1.0, 5.0)]))


def test_overlapping_rails_are_merged():
    (both,) = merge_rails([rail(0.0, 0.0, 0.0, -1.0, 1.0), rail(2.0, 0.0, 0.0, -1.5, 1.0)])
    assert both.line == pytest.approx(np.array([(-1.0, 0.0), (3.0, 0.0)]))


@pytest.mark.parametrize(
    "other",
    [rail(4.0, 0.0, 0.0, -1.0, 1.0), rail(0.0, 0.1, 0.0, -1.0, 1.0), rail(0.0, 0.0, 0.3, -1.0, 1.0)],
    ids=["apart", "beside", "across"],
)
def test_rails_that_do_not_overlap_stay_separate(other):
    assert len(merge_rails([rail(0.0, 0.0, 0.0, -1.0, 1.0), other])) == 2
