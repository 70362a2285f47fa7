import numpy as np
import pytest

from carom import ModelError
from carom.geometry.surfaces import Cylinder


def test_points_and_normals():
    surface = Cylinder(0.7, 2.0)
    u, v = np.linspace(-2.0, 2.0, 5)[:, None], np.linspace(0.0, 6.0, 7)
    s, n = surface.point(u, v), surface.normal(u, v)
    np.testing.assert_allclose(np.hypot(s[..., 0], s[..., 1]), 0.7, rtol=1e-15)
    np.testing.assert_allclose(s[..., 2], np.broadcast_to(u, s.shape[:2]))
    np.testing.assert_allclose(0.7 * n[..., :2], s[..., :2], rtol=0.0, atol=1e-15)
    assert (surface.u_range, surface.u_ends) == ((-2.0, 2.0), ("open", "open"))


def test_a_part():
    surface = Cylinder(1.0, 2.0, u=(0.0, 1.0), v=(0.0, 1.0))
    assert (surface.u_range, surface.v_range, surface.v_ends) == ((0.0, 1.0), (0.0, 1.0), ("open", "open"))


def test_lengths_must_be_positive():
    with pytest.raises(ModelError, match="Cylinder surface: half_length must be positive, got 0"):
        Cylinder(1.0, 0.0)
