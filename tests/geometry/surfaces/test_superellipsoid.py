import math

import numpy as np
import pytest

from carom import ModelError
from carom.geometry.surfaces.ellipsoid import Ellipsoid
from carom.geometry.surfaces.superellipsoid import Superellipsoid

U, V = np.linspace(-0.5 * math.pi, 0.5 * math.pi, 13)[:, None], np.linspace(0.0, 2.0 * math.pi, 17)
EXPONENTS = [(0.2, 0.2), (0.2, 2.0), (0.6, 1.4), (1.0, 0.5), (2.0, 0.2), (2.0, 2.0)]


@pytest.mark.parametrize(("e1", "e2"), EXPONENTS)
def test_points_satisfy_the_equation(e1, e2):
    x, y, z = np.moveaxis(np.abs(Superellipsoid(1.0, 2.0, 0.5, e1, e2).point(U, V)) / [1.0, 2.0, 0.5], -1, 0)
    left = (x ** (2.0 / e2) + y ** (2.0 / e2)) ** (e2 / e1) + z ** (2.0 / e1)
    np.testing.assert_allclose(left, 1.0, rtol=0.0, atol=1e-14)


@pytest.mark.parametrize(("e1", "e2"), EXPONENTS)
def test_all_is_finite_on_the_planes_of_symmetry(e1, e2):
    out = Superellipsoid(1.0, 2.0, 0.5, e1, e2).evaluate(U, V)  # poles, equator, and v = 0, π/2, … are among them
    assert np.all(np.isfinite(out))
    np.testing.assert_allclose(np.linalg.norm(out[..., 3:6], axis=-1), 1.0, rtol=1e-14)
    tangents = np.cross(out[1:-1, :, 6:9], out[1:-1, :, 9:12])
    assert np.linalg.norm(tangents, axis=-1).min() > 1e-3  # the parameters stand still nowhere


def c(t, e):
    return math.copysign(abs(math.cos(t)) ** e, math.cos(t))


def s(t, e):
    return math.copysign(abs(math.sin(t)) ** e, math.sin(t))


@pytest.mark.parametrize(("e1", "e2"), [(0.5, 0.4), (0.7, 1.5), (1.6, 1.2)])
def test_points_and_normals_are_those_of_the_usual_parameters(e1, e2):
    usual_u, usual_v = 0.4, 2.2
    x, y, z = c(usual_u, e1) * c(usual_v, e2), c(usual_u, e1) * s(usual_v, e2), s(usual_u, e1)
    n = np.array([c(usual_u, 2 - e1) * c(usual_v, 2 - e2), c(usual_u, 2 - e1) * s(usual_v, 2 - e2) / 2.0,
                  s(usual_u, 2 - e1) / 0.5])  # fmt: skip
    v = math.atan2(y, x)
    u = math.atan2(z, (abs(x) ** (2 / e2) + abs(y) ** (2 / e2)) ** (e2 / 2))
    surface = Superellipsoid(1.0, 2.0, 0.5, e1, e2)
    np.testing.assert_allclose(surface.point(u, v), [x, 2.0 * y, 0.5 * z], rtol=1e-13)
    np.testing.assert_allclose(surface.normal(u, v), n / np.linalg.norm(n), rtol=1e-13)


def test_exponents_of_one_make_an_ellipsoid():
    u, v = U[1:-1], V
    found = Superellipsoid(1.0, 2.0, 0.5, 1.0, 1.0).evaluate(u, v)
    np.testing.assert_allclose(found, Ellipsoid(1.0, 2.0, 0.5).evaluate(u, v), rtol=0.0, atol=1e-14)


@pytest.mark.parametrize("exponent", [0.1, 2.5])
def test_exponents_have_bounds(exponent):
    with pytest.raises(ModelError, match=rf"Superellipsoid surface: e2 must lie in \[0.2, 2\], got {exponent}"):
        Superellipsoid(1.0, 1.0, 1.0, 1.0, exponent)
