"""Surfaces fitted to points."""

import math

import numpy as np
import pytest

from carom import ModelError
from carom.geometry.surfaces import Fitted
from carom.geometry.surfaces.spline_fit import GridDirection
from surfaces_shown import grid, tube


def nodes(surface, points):
    """The surface at the parameters of its points: chords, averaged."""
    u, v = (
        np.concatenate([[0.0], np.cumsum(np.linalg.norm(np.diff(points, axis=k), axis=2).mean(axis=1 - k))])
        for k in (0, 1)
    )
    return surface.point(u[:, None], v)


def test_passes_through_the_points():
    points = grid(7, 6)
    np.testing.assert_allclose(nodes(Fitted(points), points), points, rtol=0.0, atol=1e-13)


def test_a_patch_of_a_sphere():
    u, v = np.linspace(-0.5, 0.5, 15)[:, None], np.linspace(0.0, 1.0, 15)
    points = np.stack([np.cos(u) * np.cos(v), np.cos(u) * np.sin(v), np.sin(u) + 0.0 * v], axis=-1)
    surface = Fitted(points, outward_from=(0.0, 0.0, 0.0))
    out = surface.evaluate(np.linspace(*surface.u_range, 37)[:, None], np.linspace(*surface.v_range, 37))
    np.testing.assert_allclose(np.linalg.norm(out[..., :3], axis=-1), 1.0, atol=3e-6)
    np.testing.assert_allclose(out[..., 3:6], out[..., :3], atol=3e-4)


@pytest.mark.parametrize("repeated", [False, True])
def test_a_closed_tube(repeated):
    points = tube(6, 12)
    given = np.concatenate([points, points[:, :1]], axis=1) if repeated else points
    surface = Fitted(given, periodic=(False, True))
    assert surface.v_ends == ("periodic", "periodic")
    closed = np.concatenate([points, points[:, :1]], axis=1)
    np.testing.assert_allclose(nodes(surface, closed), closed, rtol=0.0, atol=1e-13)
    ends = [surface.evaluate(0.3, v) for v in surface.v_range]
    np.testing.assert_allclose(*ends, rtol=0.0, atol=1e-11)


@pytest.mark.parametrize("periodic", [False, True])
def test_smoothing_is_the_distance_left(periodic):
    rng = np.random.default_rng(4)
    points = (tube(8, 14) if periodic else grid(9, 8)) + rng.normal(0.0, 0.01, (8, 14, 3) if periodic else (9, 8, 3))
    surface = Fitted(points, 0.01, (False, periodic))
    closed = np.concatenate([points, points[:, :1]], axis=1) if periodic else points
    off = (nodes(surface, closed) - closed)[:, : points.shape[1]]
    assert math.sqrt(np.mean(np.sum(off**2, axis=2))) == pytest.approx(0.01, rel=1e-6)


def test_smoothing_is_the_natural_smoothing_spline():
    """The minimum of Σ|s − p|² + λ∫|s″|² on knots at the points, but for those next to the ends."""
    from scipy.interpolate import make_smoothing_spline

    points = grid(40, 4)
    line = GridDirection("it", 0, points, False)
    values = np.sin(4.0 * line.x)
    power = -5.0
    control = line.smoothed(values, power)
    other = make_smoothing_spline(line.x, values, lam=10.0**power * (line.x[-1] - line.x[0]) ** 3)
    off = np.abs(line.basis() @ control - other(line.x))
    assert off.max() < 2e-4
    assert off[8:-8].max() < 2e-6
    assert np.abs(other(line.x) - values).max() > 5e-3


def test_much_smoothing_makes_a_plane():
    points = grid(9, 8)
    surface = Fitted(points, 1.0)
    out = surface.evaluate(np.linspace(*surface.u_range, 5)[:, None], np.linspace(*surface.v_range, 5))
    assert np.abs(out[..., 12:]).max() < 0.05  # nearly one normal, the bilinear part is left


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"points": grid(3, 8)}, "points must be at least 4 along u, got 3"),
        ({"points": np.zeros((4, 4, 2))}, "points must be nu × nv points of 3 numbers"),
        ({"smoothing": -1.0}, "smoothing must be positive or zero, got -1"),
        ({"points": grid(5, 5)[[0, 1, 1, 2, 3]]}, "lines 1 and 2 of points along u coincide; remove one"),
        ({"periodic": (True,)}, "periodic must be two booleans"),
    ],
)
def test_errors_say_what_is_right(changes, message):
    with pytest.raises(ModelError, match=f"Fitted surface: {message}"):
        Fitted(**{"points": grid(5, 5), **changes})
