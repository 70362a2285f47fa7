"""The slider with PID control reaches its set points, and leaves the stop without delay."""

from __future__ import annotations

import runpy
from pathlib import Path

import numpy as np
import pytest

EXAMPLE = runpy.run_path(str(Path(__file__).parents[2] / "examples" / "pid_slider.py"))


@pytest.mark.parametrize("method", ["compliant", pytest.param("nonsmooth", marks=pytest.mark.slow)])
def test_the_slider_reaches_its_set_points_and_leaves_the_stop(method):
    result = EXAMPLE["run"](method)
    x, drive, t = result["slider"].x, result["drive"].value, result.t
    resolution, largest = EXAMPLE["RESOLUTION"], EXAMPLE["LARGEST_FORCE"]
    for start, end, target in ((1.3, 1.5, 0.2), (4.2, 4.5, 0.1)):
        during = (t > start) & (t < end)
        np.testing.assert_allclose(x[during], target, atol=5.0 * resolution)
        assert drive[during].mean() == pytest.approx(EXAMPLE["DRAG"], rel=0.1)  # the integral carries it
    at_stop = (t > 2.5) & (t < 3.0)
    if method == "compliant":
        indentation = ((largest - EXAMPLE["DRAG"]) / 1e6) ** (2.0 / 3.0)  # F = K δ^1.5
        np.testing.assert_allclose(x[at_stop] - EXAMPLE["STOP"], indentation, rtol=1e-6)
    else:
        np.testing.assert_allclose(x[at_stop], EXAMPLE["STOP"], atol=1e-9)
    assert (drive[at_stop] == largest).all()
    assert result["switch"].closed[at_stop].all()
    assert np.abs(drive).max() == largest
    assert x[(t > 3.1)].max() < EXAMPLE["STOP"] - 0.01  # an integral that had wound up would hold it for seconds
