"""B-spline and NURBS surfaces."""

import math

import numpy as np
import pytest
from scipy.interpolate import NdBSpline

from carom import ModelError
from carom.geometry.surfaces.bspline import BSpline
from quick import each
from surfaces_shown import grid, nurbs_cylinder, nurbs_sphere, tube

KNOTS_U = [0.0, 0.0, 0.0, 0.0, 0.3, 0.7, 1.0, 1.0, 1.0, 1.0]
KNOTS_V = [-1.0, -1.0, -1.0, 0.5, 0.9, 2.0, 2.0, 2.0]


@each("weighted", [False, True])
def test_values_and_derivatives_are_those_of_the_basis_functions(weighted):
    control = grid(6, 5)
    weights = np.random.default_rng(5).uniform(0.5, 2.0, (6, 5)) if weighted else None
    surface = BSpline(control, (3, 2), (KNOTS_U, KNOTS_V), weights)
    u, v = np.linspace(0.0, 1.0, 13)[:, None], np.linspace(-1.0, 2.0, 11)
    places = np.stack(np.broadcast_arrays(u, v), axis=-1)
    homogeneous = control if weights is None else np.dstack([control * weights[..., None], weights])
    spline = NdBSpline((np.array(KNOTS_U), np.array(KNOTS_V)), homogeneous, (3, 2))
    value, by_u, by_v = (spline(places, nu=nu) for nu in ((0, 0), (1, 0), (0, 1)))
    if weights is not None:
        w = value[..., 3:]
        by_u = (by_u[..., :3] - value[..., :3] * by_u[..., 3:] / w) / w
        by_v = (by_v[..., :3] - value[..., :3] * by_v[..., 3:] / w) / w
        value = value[..., :3] / w
    out = surface.evaluate(u, v)
    np.testing.assert_allclose(out[..., :3], value, rtol=0.0, atol=1e-14)
    np.testing.assert_allclose(out[..., 6:9], by_u, rtol=0.0, atol=1e-13)
    np.testing.assert_allclose(out[..., 9:12], by_v, rtol=0.0, atol=1e-13)
    cross = np.cross(by_u, by_v)
    np.testing.assert_allclose(out[..., 3:6], cross / np.linalg.norm(cross, axis=-1, keepdims=True), atol=1e-13)


def test_open_ends_pass_through_the_corners():
    control = grid(6, 5)
    surface = BSpline(control)
    assert (surface.u_range, surface.v_range) == ((0.0, 1.0), (0.0, 1.0))
    np.testing.assert_allclose(surface.point([0.0, 0.0, 1.0, 1.0], [0.0, 1.0, 0.0, 1.0]),
                               control[[0, 0, -1, -1], [0, -1, 0, -1]], atol=1e-15)  # fmt: skip


def test_weights_make_an_exact_cylinder():
    surface = nurbs_cylinder(0.7)
    x, y, z = np.moveaxis(surface.point(np.linspace(0.0, 1.0, 5)[:, None], np.linspace(0.0, 1.0, 41)), -1, 0)
    np.testing.assert_allclose(np.hypot(x, y), 0.7, rtol=0.0, atol=1e-14)
    np.testing.assert_allclose(z[:, 0], [-1.0, -0.5, 0.0, 0.5, 1.0], atol=1e-15)
    assert (surface.u_ends, surface.v_ends) == (("open", "open"), ("periodic", "periodic"))


def test_weights_make_an_exact_sphere_with_poles():
    surface = nurbs_sphere(outward_from=(0.0, 0.0, 0.0))
    out = surface.evaluate(np.linspace(0.0, 1.0, 21)[:, None], np.linspace(0.0, 1.0, 41))
    np.testing.assert_allclose(np.linalg.norm(out[..., :3], axis=-1), 1.0, rtol=0.0, atol=1e-14)
    np.testing.assert_allclose(out[..., 3:6], out[..., :3], rtol=0.0, atol=1e-13)  # at both poles too
    assert surface.u_ends == ("pole", "pole")


def test_periodic_splines_are_the_same_a_period_on():
    surface = BSpline(tube(5, 8), periodic=(False, True))
    u, v = np.array([0.1, 0.5, 0.9])[:, None], np.array([0.07, 0.33, 0.96])
    for turns in (-2.0, 1.0):
        np.testing.assert_allclose(surface.evaluate(u, v + turns), surface.evaluate(u, v), rtol=1e-10, atol=1e-10)
    ends = surface.evaluate(u[:, 0], 0.0), surface.evaluate(u[:, 0], 1.0)
    np.testing.assert_allclose(*ends, rtol=0.0, atol=1e-12)  # of curvature, too


def test_period_may_have_its_own_knots():
    knots = [0.0, 0.2, 0.3, 0.5, 0.6, 0.7, 0.8, 1.1, 1.5]
    surface = BSpline(tube(5, 8), knots=(None, knots), periodic=(False, True))
    assert surface.v_range == (0.0, 1.5)
    np.testing.assert_allclose(surface.evaluate(0.4, 1.5), surface.evaluate(0.4, 0.0), rtol=0.0, atol=1e-12)


def test_outward_from_turns_the_normal_or_objects():
    tube_points = tube(5, 8)
    for points in (tube_points, tube_points[:, ::-1]):
        out = BSpline(points, periodic=(False, True), outward_from=(1.0, 0.0, 0.0)).evaluate(0.5, 0.0)
        assert out[1] * out[4] + out[2] * out[5] > 0.0
        turned = BSpline(points, periodic=(False, True), outward_from=(1.0, 0.0, 0.0), inside=True).evaluate(0.5, 0.0)
        np.testing.assert_array_equal(turned[3:6], -out[3:6])
    with pytest.raises(
        ModelError, match=r"the normal points away from outward_from = \(9, 9, 9\) at .* but towards it"
    ):
        BSpline(tube_points, periodic=(False, True), outward_from=(9.0, 9.0, 9.0))


def test_a_kink_is_refused():
    control = np.array([[(x, y, abs(x)) for y in (0.0, 1.0)] for x in (-1.0, 0.0, 1.0)])
    with pytest.raises(ModelError, match=r"BSpline surface: the normal is discontinuous along u = 0\.5"):
        BSpline(control, (1, 1))
    BSpline(control * [1.0, 1.0, 0.0], (1, 1))  # flat: no kink
    BSpline(control, (2, 1))


def test_points_on_a_line_make_no_surface():
    line = np.array([[(i + j, 0.0, 0.0) for j in range(4)] for i in range(4)], float)
    with pytest.raises(ModelError, match=r"span no plane at \(u, v\) = \(0.0625, 0.0625\)"):
        BSpline(line)
    with pytest.raises(ModelError, match=r"all of it is one point, \(1, 2, 3\)"):
        BSpline(np.ones((4, 4, 3)) * [1.0, 2.0, 3.0])


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"control": np.zeros((4, 4))}, r"control must have 3 axes, got shape \(4, 4\)"),
        ({"control": np.zeros((4, 4, 2))}, r"nu × nv points of 3 numbers, got shape \(4, 4, 2\)"),
        ({"control": np.full((4, 4, 3), math.nan)}, r"control must be finite, got nan at \[0, 0, 0\]"),
        ({"control": grid(3, 5)}, "degree 3 along u needs at least 4 control points, got 3"),
        ({"degree": (3, 0)}, "degree must be two integers from 1 to 9"),
        ({"knots": (KNOTS_U, None)}, "knots of u must be 9 for 5 control points, got 10"),
        ({"knots": ([0, 0, 0, 0, -1, 1, 1, 1, 1], None)}, "knots of u must not decrease, got -1 after 0"),
        ({"knots": ([0.0] * 9, None)}, "knots of u must span a range"),
        ({"weights": np.ones((4, 5))}, r"weights must be 5 × 5, one per control point, got shape \(4, 5\)"),
        ({"weights": np.zeros((5, 5))}, "weights must be positive, got 0"),
        ({"periodic": True}, "periodic must be two booleans"),
        ({"knots": ([0, 0, 0, 0, 0.5, 1, 1, 1, 1], None), "periodic": (True, False)},
         "a periodic u must end where it starts, but u = 0 and 1 are .* m apart at v = "),
    ],
)  # fmt: skip
def test_errors_say_what_is_right(changes, message):
    with pytest.raises(ModelError, match=f"BSpline surface: .*{message}"):
        BSpline(**{"control": grid(5, 5), **changes})
