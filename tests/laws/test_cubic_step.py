"""The cubic step."""

import numpy as np
import pytest

from carom.laws.cubic_step import cubic_step


def test_the_step_is_flat_outside_and_cubic_between():
    assert cubic_step(-1.0, 0.0, 2.0, 1.0, 5.0) == cubic_step(0.0, 0.0, 2.0, 1.0, 5.0) == 2.0
    assert cubic_step(1.0, 0.0, 2.0, 1.0, 5.0) == cubic_step(9.0, 0.0, 2.0, 1.0, 5.0) == 5.0
    for s in (0.1, 0.25, 0.5, 0.9):
        assert cubic_step(2.0 + 3.0 * s, 2.0, -1.0, 5.0, 1.0) == pytest.approx(
            -1 + 2 * (3 * s**2 - 2 * s**3), rel=1e-13
        )


def test_the_step_has_no_slope_at_its_ends():
    h = 1e-5
    for x in (0.0, 1.0):
        values = [cubic_step(x + k * h, 0.0, 0.0, 1.0, 1.0) for k in (-1, 1)]
        assert np.diff(values)[0] / (2 * h) == pytest.approx(0.0, abs=1e-4)
