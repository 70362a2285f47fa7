import numpy as np
import pytest

from carom import ModelError
from carom.geometry.surfaces import Torus


def test_points_are_the_tube_s_radius_from_its_middle_line():
    x, y, z = np.moveaxis(Torus(2.0, 0.5).point(np.linspace(0.0, 6.0, 9)[:, None], np.linspace(0.0, 6.0, 11)), -1, 0)
    np.testing.assert_allclose((np.hypot(x, y) - 2.0) ** 2 + z**2, 0.25, rtol=1e-14)


def test_normal_looks_out_of_the_tube():
    np.testing.assert_allclose(Torus(2.0, 0.5).normal(0.0, 0.0), [1.0, 0.0, 0.0])
    np.testing.assert_allclose(Torus(2.0, 0.5).normal(np.pi, 0.0), [-1.0, 0.0, 0.0], atol=1e-15)


def test_tube_must_not_meet_itself():
    with pytest.raises(ModelError, match="Torus surface: minor must be less than major = 1, got 1"):
        Torus(1.0, 1.0)
