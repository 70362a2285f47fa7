"""Polynomial paths: exactly the polynomials, over exactly their span."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.polynomial import Polynomial

import carom as cm
from carom.geometry.polynomial_path import PolynomialPath
from checkers import assert_close
from geometry.paths import curve_at

coefficients = st.lists(st.floats(-2.0, 2.0), min_size=1, max_size=6)


@given(x=coefficients, y=coefficients, low=st.floats(-1.0, 0.9), part=st.floats(0.0, 1.0))
def test_points_and_derivatives_are_those_of_the_polynomials(x, y, low: float, part: float):
    path = PolynomialPath("test", x, y, (low, 1.0))
    assert path.span == (low, 1.0)
    s = low + part * (1.0 - low)
    parts = [Polynomial(x), Polynomial(y)]
    expected = [(p.deriv(order) if order else p)(s) for order in range(4) for p in parts]
    assert_close(curve_at(np.array(path.parameters()), s), expected, 1e-12, f"s = {s}")


@pytest.mark.parametrize(
    ("x", "y", "span", "message"),
    [
        ((0.0, 1.0), 3.0, (0.0, 1.0), r"Cam: y must be a list of numbers, got 3.0"),
        ((0.0, np.inf), (1.0,), (0.0, 1.0), r"Cam: x\[1\] must be finite, got inf"),
        ((0.0, 1.0), (1.0,), (1.0, 1.0), r"Cam: span must be \(low, high\) with low < high, got \(1, 1\)"),
        ((0.0, 1.0), (1.0,), (0.0, 1.0, 2.0), r"Cam: span must be 2 numbers, got 3"),
    ],
    ids=["no list", "infinite", "empty span", "three numbers"],
)
def test_what_is_no_polynomial_is_refused(x, y, span, message: str):
    with pytest.raises(cm.ModelError, match=message):
        PolynomialPath("Cam", x, y, span)
