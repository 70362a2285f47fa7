"""Roots to the last digit."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from carom.laws.root_finding import root


@given(target=st.floats(1e-300, 1e300))
def test_a_cube_root(target: float):
    scale = 10.0 ** math.floor(math.log10(target) / 3)
    found = root(lambda x: (x * scale) ** 3 / target - 1.0, 0.0, 20.0)
    assert found * scale == pytest.approx(math.cbrt(target), rel=2e-15)


@given(shift=st.floats(-30.0, 30.0))
def test_a_steep_function(shift: float):
    assert root(lambda x: math.tanh(50.0 * (x - shift)), -40.0, 41.0) == pytest.approx(shift, abs=1e-14)


def test_roots_at_the_ends_and_either_direction():
    assert root(lambda x: x, 0.0, 1.0) == 0.0
    assert root(lambda x: x - 1.0, 0.0, 1.0) == 1.0
    assert root(lambda x: 2.0 - x * x, 0.0, 2.0) == pytest.approx(math.sqrt(2.0), rel=4e-16)
    assert root(lambda x: x**9, -1.0, 0.7) == pytest.approx(0.0, abs=1e-30)


def test_without_a_change_of_sign_there_is_no_root():
    with pytest.raises(ValueError, match="no change of sign between 1 and 2"):
        root(lambda x: x, 1.0, 2.0)
