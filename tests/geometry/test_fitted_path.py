"""Fitted paths: the function itself to rounding, or a refusal that says where it is not smooth."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import carom as cm
from carom.geometry.fitted_path import FittedPath
from checkers import assert_close
from geometry.paths import curve_at

TURN = 2.0 * math.pi


def rose(t: float) -> tuple[float, float]:
    r = 0.05 * (1.0 + 0.3 * math.cos(5.0 * t))
    return r * math.cos(t), r * math.sin(t)


def wave(t: float) -> tuple[float, float]:
    return t, math.exp(-t) * math.sin(3.0 * t)


CASES = {"closed": (rose, (0.0, TURN), True, 0.05), "open": (wave, (-1.0, 2.0), False, 3.0)}
FITS = {name: FittedPath("test", f, span, closed) for name, (f, span, closed, _) in CASES.items()}


@pytest.mark.parametrize("name", CASES)
@given(part=st.floats(0.0, 1.0))
def test_a_fit_agrees_with_its_function_to_thirteen_digits(name: str, part: float):
    f, (low, high), _, size = CASES[name]
    s = low + part * (high - low)
    found = curve_at(np.array(FITS[name].parameters()), s)[:2]
    assert found == pytest.approx(f(s), abs=2e-13 * size)


def test_the_curvature_of_a_fitted_circle_is_that_of_the_circle():
    path = FittedPath("test", lambda s: (3.0 + 0.02 * math.cos(s), 0.02 * math.sin(s)), (0.0, TURN), closed=True)
    assert path.curvature(np.linspace(0.0, TURN, 500)) == pytest.approx(np.full(500, 50.0), rel=1e-8)


def test_a_closed_fit_is_smooth_across_its_seam():
    data = np.array(FITS["closed"].parameters())
    assert_close(curve_at(data, TURN - 1e-12), curve_at(data, 1e-12), 1e-9, "seam")


def test_a_function_that_repeats_with_the_knots_is_not_taken_for_a_constant():
    """cos(64 s) is 1 at every one of 33 equal steps, and at the midpoints too."""
    path = FittedPath("test", lambda s: (s, math.cos(64.0 * s)), (0.0, TURN))
    assert path.spline(0.7) == pytest.approx((0.7, math.cos(44.8)), abs=1e-11)


@pytest.mark.parametrize(
    ("f", "span", "closed", "message"),
    [
        (lambda s: (s, abs(s - 0.3)), (0.0, 1.0), False, r"not smooth enough near s = 0.(2999|3000).*smooth a kink"),
        (lambda s: (s, math.sqrt(s)), (0.0, 1.0), False, r"not smooth enough near s = [0-9.e-]*"),
        (
            lambda s: (math.cos(s), math.sin(s)),
            (0.0, 6.0),
            True,
            r"must end where it starts, got \(1, 0\) and \(0.96017",
        ),
        (lambda s: (math.cos(s) ** 2, s * (TURN - s)), (0.0, TURN), True, r"not smooth enough"),
        (lambda s: (1.0, 2.0), (0.0, 1.0), False, r"the function returns only one point, \(1, 2\)"),
        (lambda s: s, (0.0, 1.0), False, r"the function must return two numbers \(x, y\), got 0.0 for s = 0"),
        (lambda s: (s, s, s), (0.0, 1.0), False, r"the function must return two numbers"),
        (lambda s: (s, math.inf), (0.0, 1.0), False, r"the function must return finite numbers, got \(0, inf\)"),
        ("abc", (0.0, 1.0), False, r"expected a function f\(s\) -> \(x, y\), got 'abc'"),
        (lambda s: (s, s), (1.0, 0.0), False, r"span must be \(low, high\)"),
    ],
    ids=["kink", "root", "not closed", "kink at the seam", "point", "one number", "three", "infinite", "text", "span"],
)
def test_what_is_no_smooth_function_is_refused(f, span, closed: bool, message: str):
    with pytest.raises(cm.ModelError, match=rf"Cam: .*{message}"):
        FittedPath("Cam", f, span, closed)
