"""Principal curvatures against closed forms."""

import math

import numpy as np
import pytest

from carom import surfaces
from carom.geometry.surfaces.curvature import principal_curvatures
from surfaces_shown import nurbs_sphere

U, V = np.array([-1.1, -0.3, 0.2, 0.9])[:, None], np.array([0.1, 1.4, 3.3, 5.0])


@pytest.mark.parametrize("inside", [False, True])
def test_sphere(inside):
    sign = -1.0 if inside else 1.0
    for u in (U, 0.5 * math.pi, -0.5 * math.pi):  # poles too
        for k in principal_curvatures(surfaces.Sphere(2.0, inside=inside), u, V):
            np.testing.assert_allclose(k, sign * 0.5, rtol=1e-13)


def test_torus():
    u = 2.0 * U
    k1, k2 = principal_curvatures(surfaces.Torus(2.0, 0.5), u, V)
    other = np.broadcast_to(np.cos(u) / (2.0 + 0.5 * np.cos(u)), k2.shape)
    np.testing.assert_allclose(k1, 2.0, rtol=1e-13)
    np.testing.assert_allclose(k2, other, rtol=1e-12)


def test_ellipsoid():
    """Gauss: K = 1/(abc N²)², 2H = (a² + b² + c² − |s|²)/(abc)² /N³, N² = Σ(s_i/a_i²)² (the solid is convex)."""
    a, b, c = 1.0, 2.0, 0.5
    surface = surfaces.Ellipsoid(a, b, c)
    k1, k2 = principal_curvatures(surface, U, V)
    s = surface.point(U, V)
    n = np.sqrt(np.sum((s / np.array([a, b, c]) ** 2) ** 2, axis=-1))
    np.testing.assert_allclose(k1 * k2, 1.0 / (a * b * c * n**2) ** 2, rtol=1e-12)
    twice = (a * a + b * b + c * c - np.sum(s * s, axis=-1)) / (a * b * c) ** 2 / n**3
    np.testing.assert_allclose(k1 + k2, twice, rtol=1e-12)


def test_pole_of_an_ellipsoid():
    k1, k2 = principal_curvatures(surfaces.Ellipsoid(1.0, 2.0, 0.5), 0.5 * math.pi, np.array([0.0, 1.0]))
    np.testing.assert_allclose(k1, 0.5 / 1.0**2, rtol=1e-7)  # c/a² and c/b²
    np.testing.assert_allclose(k2, 0.5 / 2.0**2, rtol=1e-7)


def test_cylinder_and_cone():
    k1, k2 = principal_curvatures(surfaces.Cylinder(0.5, 1.0), 0.3, V)
    np.testing.assert_allclose(k1, 2.0, rtol=1e-14)
    np.testing.assert_allclose(k2, 0.0, atol=1e-14)
    k1, k2 = principal_curvatures(surfaces.Cone(1.0, 0.5, 1.0), 0.0, V)
    np.testing.assert_allclose(k1, math.cos(math.atan(0.25)) / 0.75, rtol=1e-13)  # Meusnier: the normal leans
    np.testing.assert_allclose(k2, 0.0, atol=1e-14)


def test_sphere_as_nurbs():
    for u in (0.0, 0.31, 1.0):
        for k in principal_curvatures(nurbs_sphere(outward_from=(0, 0, 0)), u, np.array([0.1, 0.45, 0.8])):
            np.testing.assert_allclose(k, 1.0, rtol=1e-7 if u in (0.0, 1.0) else 1e-12)
