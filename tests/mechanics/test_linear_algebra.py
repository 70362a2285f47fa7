"""Vector operations of compiled functions, against NumPy."""

from __future__ import annotations

import numpy as np
import pytest

from carom.mechanics import linear_algebra as la

N = 7
"""Numbers that an operation covers; the arrays are longer."""


@pytest.fixture
def vectors() -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(3)
    return rng.standard_normal(N + 2), rng.standard_normal(N + 2)


@pytest.mark.parametrize(
    ("operation", "expected"),
    [
        (lambda x, out: la.set_zero(out, N), lambda x, out: 0.0 * out),
        (lambda x, out: la.negate(out, N), lambda x, out: -out),
        (lambda x, out: la.copy(x, N, out), lambda x, out: x),
        (lambda x, out: la.add(x, N, out), lambda x, out: out + x),
        (lambda x, out: la.add_scaled(0.3, x, N, out), lambda x, out: out + 0.3 * x),
        (lambda x, out: la.multiply(x, N, out), lambda x, out: out * x),
        (lambda x, out: la.subtract_from(x, N, out), lambda x, out: x - out),
    ],
    ids=["set_zero", "negate", "copy", "add", "add_scaled", "multiply", "subtract_from"],
)
def test_operation_changes_the_first_numbers_only(operation, expected, vectors):
    x, out = vectors
    before_x, before = x.copy(), out.copy()
    operation(x, out)
    np.testing.assert_allclose(out[:N], expected(before_x, before)[:N], rtol=1e-15)
    np.testing.assert_array_equal(out[N:], before[N:])
    np.testing.assert_array_equal(x, before_x)


def test_dot_is_the_sum_of_products(vectors):
    a, b = vectors
    for n in range(N + 1):
        assert la.dot(a, b, n) == pytest.approx(float(a[:n] @ b[:n]), abs=1e-14)


def test_max_abs_is_nan_wherever_a_nan_is(vectors):
    x, _ = vectors
    assert la.max_abs(x, N) == np.abs(x[:N]).max()
    for k in range(N):
        y = x.copy()
        y[k] = np.nan
        assert np.isnan(la.max_abs(y, N))
