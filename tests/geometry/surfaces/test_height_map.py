"""Heights over a grid."""

import numpy as np
import pytest
from scipy.interpolate import BSpline, RectBivariateSpline, make_interp_spline

from carom import ModelError
from carom.geometry.surfaces.height_map import HeightMap

X, Y = np.array([0.0, 0.3, 0.5, 1.1, 1.4, 2.0, 2.2]), np.linspace(-1.0, 1.0, 8)
Z = np.random.default_rng(2).uniform(-0.1, 0.1, (7, 8))


def rounding(order: int, heights: np.ndarray) -> float:
    """Error bound of a spline through ``heights``: γ_n κ(B_x) κ(B_y) max|z|.

    γ_n = n ε with n the operations on a value: two solutions and a sum over (order + 1)² terms; κ: the condition
    numbers of the collocation matrices.
    """
    count = len(X) + len(Y) + (order + 1) ** 2
    matrices = [BSpline.design_matrix(x, make_interp_spline(x, x, k=order).t, order).toarray() for x in (X, Y)]
    conditions = [np.linalg.cond(matrix, np.inf) for matrix in matrices]
    return float(count * np.finfo(float).eps * np.prod(conditions) * np.abs(heights).max())


@pytest.mark.parametrize("order", [2, 3, 4, 5])
def test_is_the_interpolating_spline(order):
    surface = HeightMap(X, Y, Z, order)
    u, v = np.linspace(0.0, 2.2, 23), np.linspace(-1.0, 1.0, 19)
    out = surface.evaluate(u[:, None], v)
    np.testing.assert_allclose(surface.point(X[:, None], Y)[..., 2], Z, rtol=0.0, atol=rounding(order, Z))
    np.testing.assert_array_equal(out[..., 0], np.broadcast_to(u[:, None], (23, 19)))
    np.testing.assert_array_equal(out[..., 1], np.broadcast_to(v, (23, 19)))
    if order % 2:  # of even degree, the other one has its knots elsewhere at the borders
        other = RectBivariateSpline(X, Y, Z, kx=order, ky=order)
        np.testing.assert_allclose(out[..., 2], other(u, v), rtol=0.0, atol=rounding(order, Z))
        np.testing.assert_allclose(out[..., 8], other(u, v, dx=1), rtol=0.0, atol=1e-11)
        np.testing.assert_allclose(out[..., 11], other(u, v, dy=1), rtol=0.0, atol=1e-11)
    assert np.all(out[..., 5] > 0.0)


def test_a_cubic_is_met_exactly():
    x, y = X[:, None], Y[None, :]
    z = x**3 - 2.0 * x * y**2
    exact = [0.77, 0.31, 0.77**3 - 2.0 * 0.77 * 0.31**2]
    np.testing.assert_allclose(HeightMap(X, Y, z).point(0.77, 0.31), exact, rtol=0.0, atol=rounding(3, z))


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"order": 1}, "order must be 2, 3, 4 or 5, got 1"),
        ({"x": X[::-1]}, "x must rise, got 2 after 2.2"),
        ({"y": Y[:3]}, "y must have at least 4 values for order 3, got 3"),
        ({"z": Z.T}, r"z must be len\(x\) × len\(y\) = 7 × 8 heights, got shape \(8, 7\)"),
    ],
)
def test_errors_say_what_is_right(changes, message):
    with pytest.raises(ModelError, match=f"HeightMap surface: {message}"):
        HeightMap(**{"x": X, "y": Y, "z": Z, **changes})
