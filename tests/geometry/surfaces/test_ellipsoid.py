import numpy as np
import pytest

from carom import ModelError
from carom.geometry.surfaces.ellipsoid import Ellipsoid

U, V = np.linspace(-1.5, 1.5, 9)[:, None], np.linspace(0.0, 6.0, 11)


def test_points_satisfy_the_equation_and_normals_follow_its_gradient():
    axes = np.array([1.0, 2.0, 0.5])
    surface = Ellipsoid(*axes)
    s = surface.point(U, V)
    np.testing.assert_allclose(np.sum((s / axes) ** 2, axis=-1), 1.0, rtol=0.0, atol=1e-14)
    gradient = s / axes**2
    expected = gradient / np.linalg.norm(gradient, axis=-1, keepdims=True)
    np.testing.assert_allclose(surface.normal(U, V), expected, rtol=0.0, atol=1e-14)


def test_axes_must_be_positive():
    with pytest.raises(ModelError, match="Ellipsoid surface: b must be positive, got -2"):
        Ellipsoid(1.0, -2.0, 1.0)
