"""Paths of any degree: compiled points and derivatives, feet, curvature."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.interpolate import PPoly

from carom.geometry.planar_path import Path
from checkers import assert_close
from geometry.paths import curve_at, nearest_sample, project

DEGREES = (1, 2, 3, 4, 5, 7, 9)


def path_of(degree: int, seed: int = 0, first: float = 1.5) -> Path:
    rng = np.random.default_rng(seed)
    knots = first + np.array([0.0, 0.4, 0.9, 1.1])
    return Path(PPoly(rng.uniform(-1.0, 1.0, (degree + 1, 3, 2)), knots))


@pytest.mark.parametrize("degree", DEGREES)
@given(part=st.floats(0.0, 1.0, exclude_max=True))
def test_compiled_points_and_derivatives_are_those_of_the_polynomials(degree: int, part: float):
    path = path_of(degree)
    s = path.span[0] + part * path.length
    expected = np.concatenate([path.spline(s, order) for order in range(4)])
    assert_close(curve_at(np.array(path.parameters()), s), expected, 1e-13, f"s = {s}")


@pytest.mark.parametrize("degree", DEGREES)
def test_an_open_path_goes_on_straight_from_either_end(degree: int):
    path = path_of(degree)
    data = np.array(path.parameters())
    for end, beyond in ((path.span[0], -0.7), (path.span[1], 0.7)):
        point, slope = path.spline(end), path.spline(end, 1)
        assert_close(curve_at(data, end + beyond), [*(point + beyond * slope), *slope, 0, 0, 0, 0], 1e-13, "beyond")


def test_a_closed_path_wraps_about_its_first_knot():
    turn = np.linspace(2.0, 3.0, 5)
    rng = np.random.default_rng(1)
    path = Path(PPoly(rng.uniform(-1.0, 1.0, (3, 4, 2)), turn), closed=True)
    data = np.array(path.parameters())
    for s in (2.1, 2.6, 2.95):
        for turns in (-3.0, -1.0, 1.0, 2.0):
            expected = np.concatenate([path.spline(s, order) for order in range(4)])
            assert_close(curve_at(data, s + turns), expected, 1e-11, f"{turns} turns on")


def test_curvature_is_one_over_the_radius_and_positive_to_the_left():
    s = np.array([0.1, 0.5])
    # (s, s²/2) about its lowest point: κ = 1/(1 + s²)^1.5
    parabola = Path(PPoly(np.array([[[0.0, 0.5]], [[1.0, 0.0]], [[0.0, 0.0]]]), [0.0, 1.0]))
    assert_close(parabola.curvature(s), (1.0 + s**2) ** -1.5, 1e-15, "left")
    mirrored = Path(PPoly(np.array([[[0.0, -0.5]], [[1.0, 0.0]], [[0.0, 0.0]]]), [0.0, 1.0]))
    assert_close(mirrored.curvature(s), -((1.0 + s**2) ** -1.5), 1e-15, "right")
    assert float(parabola.curvature(0.0)) == pytest.approx(1.0, abs=1e-15)


def test_feet_are_found_on_a_path_that_does_not_start_at_zero():
    parabola = Path(PPoly(np.array([[[0.0, 1.0]], [[1.0, -2.0]], [[-1.0, 1.0]]]), [-1.0, 1.0]))  # (s, s²)
    data = np.array(parabola.parameters())
    # The normal of (s, s²) at 0.4 is (−0.8, 1).
    point = (0.4 - 0.8 * 0.2, 0.16 + 0.2)
    assert nearest_sample(data, *point) == pytest.approx(0.4, abs=0.1)
    assert project(data, nearest_sample(data, *point), *point) == pytest.approx(0.4, abs=1e-14)
    assert parabola.nearest(point) == pytest.approx(0.4, abs=0.05)


def test_samples_reach_from_end_to_end_and_into_every_segment():
    path = path_of(3)
    for least, each in ((10, 4), (100, 4), (1, 7)):
        s = path.samples(least, each)
        assert (s[0], s[-1]) == path.span
        assert np.all(np.diff(s) > 0.0)
        assert len(s) > max(least, 3 * each)
        counts = np.histogram(s[:-1], path.knots)[0]
        assert np.all(counts >= each)
