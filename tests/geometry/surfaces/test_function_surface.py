"""Surfaces given by a function."""

import math

import numpy as np
import pytest

from carom import CaromWarning, ModelError
from carom.geometry.surfaces import FunctionSurface, Sphere
from surfaces_shown import TURN, egg, wave

HALF_TURN = (-0.5 * math.pi, 0.5 * math.pi)
EDGE = (0.2, 1.3)


def ball(u, v):
    return 2.0 * math.cos(u) * math.cos(v), 2.0 * math.cos(u) * math.sin(v), 2.0 * math.sin(u)


def cubic(u, v):
    return u, v, u**3 - 2.0 * u * v**2  # a third power has no complex twin


def edged(u, v):
    """Defined between its ends only."""
    if u < 0.2 or u > 1.3 or v < 0.2 or v > 1.3:
        raise ValueError("asked beyond its ends")
    return u, v, math.sin(3.0 * u) * v**3


def listed(u, v):
    return [u, v, u * v]


def as_array(u, v):
    return np.array([u, v, math.exp(u * v)])


def test_a_ball_is_the_sphere():
    surface = FunctionSurface(ball, HALF_TURN, TURN, "pole", "periodic", outward_from=(0.0, 0.0, 0.0))
    u, v = np.linspace(*HALF_TURN, 9)[:, None], np.linspace(*TURN, 9)
    found, expected = surface.evaluate(u, v), Sphere(2.0).evaluate(u, v)
    assert surface.kernel.exact
    np.testing.assert_allclose(found[..., :6], expected[..., :6], rtol=0.0, atol=1e-13)  # normals at poles too
    np.testing.assert_allclose(found[..., 6:12], expected[..., 6:12], rtol=0.0, atol=1e-14)  # by complex steps
    np.testing.assert_allclose(found[1:-1, :, 12:], expected[1:-1, :, 12:], rtol=0.0, atol=1e-9)


def test_differences_stand_in_for_complex_steps():
    surface = FunctionSurface(cubic, (0.0, 1.0), (-1.0, 1.0))
    u, v = np.linspace(0.0, 1.0, 7)[:, None], np.linspace(-1.0, 1.0, 7)
    out = surface.evaluate(u, v)
    assert not surface.kernel.exact
    np.testing.assert_allclose(out[..., 8], 3.0 * u**2 - 2.0 * v**2, rtol=0.0, atol=1e-11)  # at the borders too
    np.testing.assert_allclose(out[..., 11], -4.0 * u * v, rtol=0.0, atol=1e-11)


def test_differences_stay_within_open_ends():
    surface = FunctionSurface(edged, EDGE, EDGE)
    u = np.array([0.2, 0.2 + 1e-5, 0.2004, 0.7, 1.2999, 1.3])
    out = surface.evaluate(u[:, None], u)
    np.testing.assert_allclose(out[..., 8], 3.0 * np.cos(3.0 * u)[:, None] * u**3, rtol=0.0, atol=1e-9)
    np.testing.assert_allclose(out[..., 11], 3.0 * np.sin(3.0 * u)[:, None] * u**2, rtol=0.0, atol=1e-9)
    slope = -9.0 * np.sin(3.0 * u)[:, None] * u**3  # z_uu; n_u·s_u = −n·s_uu
    along = np.sum(out[..., 12:15] * out[..., 6:9], axis=-1)
    np.testing.assert_allclose(along, -slope * out[..., 5], rtol=0.0, atol=1e-6)


def test_what_it_raises_is_raised():
    surface = FunctionSurface(edged, EDGE, EDGE)
    with pytest.raises(ValueError, match="asked beyond its ends"):
        surface.evaluate(1.5, 0.5)
    assert np.all(np.isfinite(surface.evaluate(1.0, 0.5)))


def test_what_numba_cannot_compile_runs_as_python():
    table = {"height": 2.0}

    def looked_up(u, v):
        return u, v, table["height"] * u * v

    slow = FunctionSurface(looked_up, (0.0, 1.0), (0.0, 1.0))
    with pytest.warns(CaromWarning, match="Numba cannot compile 'looked_up'"):
        out = slow.evaluate(0.5, 0.25)
    np.testing.assert_allclose(out[[0, 1, 2, 8, 11]], [0.5, 0.25, 0.25, 0.5, 1.0], rtol=1e-12)
    table.clear()
    with pytest.raises(KeyError, match="height"):
        slow.evaluate(0.5, 0.25)


@pytest.mark.slow
def test_may_give_an_array_or_a_list():
    assert FunctionSurface(listed, (0.0, 1.0), (0.0, 1.0)).point(0.5, 0.5)[2] == 0.25
    out = FunctionSurface(as_array, (0.0, 1.0), (0.0, 1.0)).evaluate(0.5, 0.25)
    np.testing.assert_allclose(out[[2, 8, 11]], np.exp(0.125) * np.array([1.0, 0.25, 0.5]), rtol=1e-11)


def test_is_compiled_on_first_use():
    surface = FunctionSurface(wave, (-1.0, 1.0), (0.0, 2.0))
    assert surface._kernel is None
    surface.point(0.0, 0.0)
    assert surface.kernel is surface.kernel


def test_periodic_parameter_goes_on_at_the_other_end():
    surface = FunctionSurface(egg, HALF_TURN, TURN, "pole", "periodic")
    np.testing.assert_allclose(surface.evaluate(0.3, 0.4 + TURN[1]), surface.evaluate(0.3, 0.4), rtol=0.0, atol=1e-9)


@pytest.mark.parametrize(
    ("function", "ends", "message"),
    [
        (ball, ("pole", "open"), "v must be periodic for u = -1.5708 to be a pole"),
        (ball, ("periodic", "open"), "a periodic u must end where it starts, but u = -1.5708 and 1.5708 are 4 m apart"),
        (wave, ("pole", "open"), "v must be periodic"),
        (ball, (("pole", "periodic"), "open"), "u_ends must be periodic at both ends or at none"),
        (ball, ("closed", "open"), "u_ends must be one of 'open', 'periodic', 'pole', got 'closed'"),
    ],
)
def test_ends_are_checked(function, ends, message):
    with pytest.raises(ModelError, match=f"Function surface: .*{message}"):
        FunctionSurface(function, HALF_TURN, TURN, *ends)


def test_a_pole_must_be_a_point_and_a_seam_smooth():
    def barrel(u, v):
        return (2.0 + math.cos(u)) * math.cos(v), (2.0 + math.cos(u)) * math.sin(v), u

    with pytest.raises(ModelError, match=r"u = -1 must be one point to be a pole, but is \(2.5403, 0, -1\) at v"):
        FunctionSurface(barrel, (-1.0, 1.0), TURN, ("pole", "open"), "periodic")

    def drop(u, v):  # a cam with a sharp nose at v = 0
        r = 1.0 + 0.2 * math.sin(0.5 * v)
        return r * math.cos(v), r * math.sin(v), u

    with pytest.raises(ModelError, match="a periodic v must have no kink where it closes, but the normals at v"):
        FunctionSurface(drop, (-1.0, 1.0), TURN, v_ends="periodic")


@pytest.mark.parametrize(
    ("function", "message"),
    [
        (lambda u, v: (u, v), r"must return three numbers \(x, y, z\), got .* at \(u, v\) = "),
        (lambda u, v: (u, v, math.inf), r"must return finite numbers, got \(-1, -1, inf\) at \(u, v\) = \(-1, -1\)"),
        (lambda u, v: (u + v, u + v, 0.0), r"span no plane at \(u, v\) = \(-0.875, -0.875\)"),
        (lambda u, v: (u**3, v, 0.0), r"span no plane at \(u, v\) = \(0, -0.875\)"),
        (lambda u, v: (1.0, 1.0, 1.0), r"all of it is one point, \(1, 1, 1\)"),
        (lambda u: (u, u, u), "the function must have 2 arguments"),
        (3.0, r"expected a function s\(u, v\) -> \(x, y, z\), got 3.0"),
    ],
)
def test_errors_say_what_is_right(function, message):
    with pytest.raises(ModelError, match=f"Function surface: .*{message}"):
        FunctionSurface(function, (-1.0, 1.0), (-1.0, 1.0))


def test_outward_from_objects_to_a_point_in_between():
    with pytest.raises(ModelError, match="but towards it at"):
        FunctionSurface(ball, HALF_TURN, TURN, "pole", "periodic", outward_from=(5.0, 0.0, 0.0))
