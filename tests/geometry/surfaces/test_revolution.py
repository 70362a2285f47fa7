"""Surfaces of revolution."""

import math

import numpy as np
import pytest
from scipy.interpolate import CubicSpline

from carom import ModelError
from carom.geometry.surfaces.curvature import principal_curvatures
from carom.geometry.surfaces.revolution import Revolution

VASE = [(0.5, 0.0), (0.8, 0.5), (0.4, 1.0), (0.6, 1.4)]
ANGLE = np.linspace(-0.5 * math.pi, 0.5 * math.pi, 41)
CIRCLE = np.column_stack([np.cos(ANGLE), np.sin(ANGLE)])
CIRCLE[[0, -1], 0] = 0.0


def test_profile_is_the_natural_spline_over_chords():
    surface = Revolution(VASE)
    chords = np.concatenate([[0.0], np.cumsum(np.hypot(*np.diff(VASE, axis=0).T))])
    spline = CubicSpline(chords, VASE, bc_type="natural")
    u, v = np.linspace(0.0, chords[-1], 17), 0.8
    r, z = spline(u).T
    assert surface.u_range == (0.0, pytest.approx(chords[-1]))
    np.testing.assert_allclose(surface.point(u, v), np.column_stack([r * math.cos(v), r * math.sin(v), z]), atol=1e-15)


def test_a_half_circle_makes_a_sphere():
    surface = Revolution(CIRCLE)
    u, v = np.linspace(*surface.u_range, 33)[:, None], np.linspace(0.0, 6.0, 5)
    s, n = surface.point(u, v), surface.normal(u, v)
    np.testing.assert_allclose(np.linalg.norm(s, axis=-1), 1.0, atol=3e-7)  # h⁴/384, h = π/40
    np.testing.assert_allclose(n, s, atol=2e-5)
    k1, k2 = principal_curvatures(surface, u[::8], v)
    np.testing.assert_allclose([k1, k2], 1.0, atol=2e-3)
    assert surface.u_ends == ("pole", "pole")


def test_profile_meets_the_axis_at_a_right_angle():
    surface = Revolution([(0.0, -1.0), (1.0, 0.5), (0.7, 1.0)])
    assert surface.u_ends == ("pole", "open")
    np.testing.assert_array_equal(surface.normal(0.0, 1.0), [0.0, 0.0, -1.0])


@pytest.mark.parametrize("way", [1, -1])
def test_closed_ones_look_outward_whichever_way_they_run(way):
    middle = Revolution(CIRCLE[::way])
    np.testing.assert_allclose(middle.normal(0.5 * middle.u_range[1], 0.0), [1.0, 0.0, 0.0], atol=1e-5)
    ring = Revolution([(2.0, 0.0), (1.5, 0.5), (1.0, 0.0), (1.5, -0.5)][::way], closed=True)
    start = ring.evaluate(0.0, 0.0)
    assert np.dot(start[:3] - [1.5, 0.0, 0.0], start[3:6]) > 0.0
    assert ring.u_ends == ("periodic", "periodic")


def test_open_ones_look_to_the_right_of_the_way_or_away_from_a_point():
    assert Revolution(VASE).normal(0.0, 0.0)[0] > 0.0
    assert Revolution(VASE[::-1]).normal(0.0, 0.0)[0] < 0.0
    bowl = [(0.0, 0.0), (1.0, 0.3), (2.0, 1.2)]
    assert Revolution(bowl).normal(0.0, 0.0)[2] == -1.0
    assert Revolution(bowl, outward_from=(0.0, 0.0, -3.0)).normal(0.0, 0.0)[2] == 1.0
    assert Revolution(bowl, inside=True).normal(0.0, 0.0)[2] == 1.0


@pytest.mark.parametrize(
    ("points", "closed", "message"),
    [
        ([(0.5, 0.0), (-0.1, 0.5), (0.4, 1.0)], False, r"Revolution surface: points\[1\] must have r of zero or more"),
        ([(0.5, 0.0), (0.0, 0.5), (0.4, 1.0)], False, "the profile must have r > 0"),
        ([(0.0, 0.0), (1.0, 0.5), (0.4, 1.0)], True, "the profile must have r > 0"),
        ([(2.0, 0.0), (0.02, 0.1), (0.02, 2.0), (2.0, 2.1)], False, "got r = -.* add points there"),
        ([(2.0, 0.0), (2.0, 0.0), (1.0, 0.6)], False, "points 0 and 1 coincide"),
        ([(2.0, 0.0), (2.0, 1.0)], False, "points must be at least 3 pairs"),
    ],
)
def test_errors_say_what_is_right(points, closed, message):
    with pytest.raises(ModelError, match=message):
        Revolution(points, closed)
