import math

import numpy as np
import pytest

from carom import ModelError
from carom.geometry.surfaces.curvature import principal_curvatures
from carom.geometry.surfaces.paraboloid import Paraboloid


def test_heights_and_normal():
    surface = Paraboloid(1.0, -2.0, (0.8, 0.6))
    np.testing.assert_allclose(surface.point(0.3, 0.5), [0.3, 0.5, 0.5 * 0.09 - 0.25 * 0.25], rtol=1e-15)
    np.testing.assert_allclose(surface.normal(0.0, 0.0), [0.0, 0.0, 1.0])
    assert (surface.u_range, surface.v_range) == ((-0.8, 0.8), (-0.6, 0.6))


def test_radii_are_principal_radii():
    k1, k2 = principal_curvatures(Paraboloid(-0.5, 4.0, 1.0), 0.0, 0.0)
    assert (k1, k2) == pytest.approx((2.0, -0.25), rel=1e-14)  # curving down, the solid below is convex


def test_a_radius_may_be_infinite():
    trough = Paraboloid(math.inf, 1.0, 1.0)
    np.testing.assert_array_equal(trough.point(0.7, 0.0), [0.7, 0.0, 0.0])
    assert np.all(np.isfinite(trough.evaluate(0.7, 0.2)))


def test_errors_say_what_is_right():
    with pytest.raises(ModelError, match="Paraboloid surface: a must not be zero"):
        Paraboloid(0.0, 1.0, 1.0)
    with pytest.raises(ModelError, match="a must be finite, got nan"):
        Paraboloid(math.nan, 1.0, 1.0)
    with pytest.raises(ModelError, match=r"extent must be one number or two, got \(1, 2, 3\)"):
        Paraboloid(1.0, 1.0, (1, 2, 3))
