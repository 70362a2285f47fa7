import math

import numpy as np
import pytest

from carom import ModelError
from carom.geometry.surfaces import Sphere


def test_points_lie_on_the_sphere_and_normals_along_them():
    sphere = Sphere(2.5)
    u, v = np.linspace(-1.5, 1.5, 7)[:, None], np.linspace(0.0, 6.0, 9)
    np.testing.assert_allclose(np.linalg.norm(sphere.point(u, v), axis=-1), 2.5, rtol=1e-15)
    np.testing.assert_allclose(sphere.point(u, v), 2.5 * sphere.normal(u, v), rtol=0.0, atol=1e-15)
    np.testing.assert_allclose(sphere.point(0.5 * math.pi, 1.0), [0.0, 0.0, 2.5], atol=1e-15)


def test_a_part_has_open_ends_where_it_is_cut():
    whole = Sphere(1.0)
    assert (whole.u_ends, whole.v_ends) == (("pole", "pole"), ("periodic", "periodic"))
    cap = Sphere(1.0, u=(0.3, 0.5 * math.pi))
    assert (cap.u_ends, cap.v_ends, cap.u_range) == (("open", "pole"), ("periodic", "periodic"), (0.3, 0.5 * math.pi))
    slice_ = Sphere(1.0, v=(-0.5, 0.5))  # without the other half, nothing lies beyond a pole
    assert (slice_.u_ends, slice_.v_ends) == (("open", "open"), ("open", "open"))
    turned = Sphere(1.0, v=(-math.pi, math.pi))
    assert (turned.u_ends, turned.v_ends) == (("pole", "pole"), ("periodic", "periodic"))


@pytest.mark.parametrize(
    ("keywords", "message"),
    [
        ({"radius": 0.0}, "Sphere surface: radius must be positive, got 0"),
        ({"radius": "big"}, "radius must be a number, got 'big'"),
        ({"u": (1.0, 0.5)}, r"u must be \(low, high\) with low < high, got \(1, 0.5\)"),
        ({"u": (-2.0, 0.5)}, r"u must lie within \(-1.5708, 1.5708\), got \(-2, 0.5\)"),
        ({"v": (0.0, 7.0)}, r"v must span 6.28319 at most, got \(0, 7\)"),
    ],
)
def test_errors_say_what_is_right(keywords, message):
    with pytest.raises(ModelError, match=message):
        Sphere(**{"radius": 1.0, **keywords})
