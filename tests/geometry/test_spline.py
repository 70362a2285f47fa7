"""Splines over chord length: through their points, smooth, and with feet that are nearest points."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.interpolate import CubicSpline
from scipy.optimize import minimize_scalar

import carom as cm
from carom.geometry.spline import Spline
from checkers import assert_close
from geometry.paths import curve_at, nearest_sample, project

SLOT = [(-1.2, -0.3), (-0.4, 0.5), (0.3, 0.6), (0.9, -0.1), (1.5, -0.2), (2.1, 0.6)]
RING = [(1.2, 0.1), (0.5, 0.9), (-0.6, 0.8), (-1.1, -0.1), (-0.5, -0.9), (0.6, -0.8)]
POINTS = {True: RING, False: SLOT}
either = pytest.mark.parametrize("closed", [True, False], ids=["closed", "open"])


def numbers(curve: Spline) -> np.ndarray:
    return np.array(curve.parameters())


@either
def test_the_curve_passes_through_its_points_at_their_chord_lengths(closed: bool):
    curve = Spline("test", POINTS[closed], closed)
    points = np.array([*RING, RING[0]] if closed else SLOT)
    chords = np.concatenate([[0.0], np.cumsum(np.hypot(*np.diff(points, axis=0).T))])
    assert_close(curve.knots, chords, 1e-15, "knots")
    assert curve.length == pytest.approx(chords[-1], rel=1e-15)
    found = [curve_at(numbers(curve), s)[:2] for s in chords]
    assert_close(found, points, 1e-14, "points")


@either
def test_compiled_points_and_derivatives_are_those_of_the_reference_spline(closed: bool):
    curve = Spline("test", POINTS[closed], closed)
    points = np.array([*RING, RING[0]] if closed else SLOT)
    reference = CubicSpline(curve.knots, points, bc_type="periodic" if closed else "natural")
    data = numbers(curve)
    for s in np.linspace(0.013, 0.987, 29) * curve.length:
        expected = np.concatenate([reference(s, order) for order in range(4)])
        assert_close(curve_at(data, s), expected, 1e-12, f"s = {s}")


def test_a_closed_curve_is_periodic_to_its_second_derivative():
    curve = Spline("test", RING, closed=True)
    data = numbers(curve)
    tiny = 1e-12
    start, end = curve_at(data, tiny), curve_at(data, curve.length - tiny)
    assert_close(start[:6], end[:6], 1e-10, "across the seam")
    for s in (0.3, 2.7, 5.1):
        for turns in (-2.0, -1.0, 1.0, 3.0):
            assert_close(curve_at(data, s + turns * curve.length), curve_at(data, s), 1e-12, f"{turns} turns on")


def test_a_closed_curve_may_repeat_its_first_point():
    once, twice = Spline("test", RING, closed=True), Spline("test", [*RING, RING[0]], closed=True)
    assert_close(once.knots, twice.knots, 0.0, "knots")


def test_an_open_curve_has_natural_ends_and_goes_on_straight():
    curve = Spline("test", SLOT)
    data = numbers(curve)
    for end, side in ((0.0, -1.0), (curve.length, 1.0)):
        at_end = np.array(curve_at(data, end))
        assert_close(at_end[4:6], [0.0, 0.0], 1e-13, "bend at the end")
        beyond = np.array(curve_at(data, end + 0.8 * side))
        assert_close(beyond[:2], at_end[:2] + 0.8 * side * at_end[2:4], 1e-13, "straight")
        assert_close(beyond[2:], [*at_end[2:4], 0.0, 0.0, 0.0, 0.0], 1e-13, "derivatives")


def nearest_distance(curve: Spline, point: np.ndarray) -> float:
    """By brute force: the best of many samples, refined."""
    s = np.linspace(0.0, curve.length, 4001)
    best = s[np.argmin(np.hypot(*(curve.spline(s) - point).T))]
    step = curve.length / 4000.0

    def distance(x: float) -> float:
        return float(np.hypot(*(curve.spline(x) - point)))

    low, high = (best - step, best + step) if curve.closed else (max(best - step, 0.0), min(best + step, curve.length))
    return min(distance(best), minimize_scalar(distance, bounds=(low, high), method="bounded").fun)


unit = st.floats(0.0, 1.0)
offsets = st.floats(-0.5, 0.5)


@either
@given(part=unit, offset=offsets)
def test_the_foot_of_a_point_is_its_nearest_point(closed: bool, part: float, offset: float):
    curve = Spline("test", POINTS[closed], closed)
    s = part * curve.length
    tangent = curve.spline(s, 1) / np.hypot(*curve.spline(s, 1))
    point = curve.spline(s) + offset * np.array([-tangent[1], tangent[0]])
    data = numbers(curve)
    x, y, x1, y1 = curve_at(data, project(data, curve.nearest(point), *point))[:4]
    assert np.hypot(point[0] - x, point[1] - y) <= nearest_distance(curve, point) + 1e-9
    assert x1 * (point[0] - x) + y1 * (point[1] - y) == pytest.approx(0.0, abs=1e-12)


@either
@given(part=unit, offset=st.floats(-0.1, 0.1), warm=unit)
def test_a_foot_is_found_from_any_start(closed: bool, part: float, offset: float, warm: float):
    """Perhaps not the nearest, but perpendicular, and nearer than what is beside it."""
    curve = Spline("test", POINTS[closed], closed)
    s = part * curve.length
    tangent = curve.spline(s, 1) / np.hypot(*curve.spline(s, 1))
    point = curve.spline(s) + offset * np.array([-tangent[1], tangent[0]])
    data = numbers(curve)
    found = project(data, warm * curve.length, *point)
    x, y, x1, y1 = curve_at(data, found)[:4]
    assert x1 * (point[0] - x) + y1 * (point[1] - y) == pytest.approx(0.0, abs=1e-12)
    here = np.hypot(point[0] - x, point[1] - y)
    for side in (found - 1e-3, found + 1e-3):
        assert np.hypot(*(point - curve_at(data, side)[:2])) >= here - 1e-12


def test_a_foot_starts_from_the_last_one():
    """So a pin that runs round a ring counts its turns."""
    curve = Spline("test", RING, closed=True)
    data = numbers(curve)
    last = 0.0
    for s in np.linspace(0.0, 2.5 * curve.length, 200):
        last = project(data, last, *curve.spline(s % curve.length))
        assert last == pytest.approx(s, abs=1e-10)


@either
@given(x=st.floats(-2.0, 3.0), y=st.floats(-2.0, 2.0))
def test_the_search_finds_the_nearest_of_its_samples(closed: bool, x: float, y: float):
    curve = Spline("test", POINTS[closed], closed)
    samples = np.linspace(0.0, curve.length, 16 * (len(curve.knots) - 1) + 1)
    distances = np.hypot(*(curve.spline(samples) - (x, y)).T)
    found = curve.spline(nearest_sample(numbers(curve), x, y) % (curve.length if closed else np.inf))
    assert np.hypot(*(found - (x, y))) == pytest.approx(distances.min(), rel=1e-12)


@pytest.mark.parametrize(
    ("points", "message"),
    [
        ([(0.0, 0.0), (1.0, 0.0)], r"Cam: points must be at least 3 pairs \(x, y\), got shape \(2, 2\)"),
        ([(0.0, 0.0, 0.0)] * 4, r"Cam: points must be at least 3 pairs \(x, y\), got shape \(4, 3\)"),
        ([(0.0, 0.0), (1.0, np.nan), (2.0, 0.0)], r"Cam: points must be finite, got \[ *1\. *nan\]"),
        ([(0.0, 0.0), (1.0, 2.0), (1.0, 2.0), (3.0, 0.0)], r"Cam: points 1 and 2 coincide at .*1\.0.*2\.0"),
        ([(0.0, 0.0), (1.0,), (2.0, 0.0)], r"Cam: points must be"),
        ("abc", r"Cam: points must be"),
    ],
    ids=["too few", "spatial", "not a number", "coincident", "ragged", "text"],
)
def test_points_that_make_no_curve_are_refused(points, message: str):
    with pytest.raises(cm.ModelError, match=message):
        Spline("Cam", points)
