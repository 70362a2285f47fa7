"""Curves: which side is solid, how they bend, and what is refused."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import carom as cm
from carom.geometry.planar_outline import OUTLINE, OUTLINE_NODE
from carom.geometry.shapes.curve import Curve
from checkers import assert_close
from quick import each, examples

CAM = cm.Body("cam", 1.0, 1.0)
ROCK = cm.Body("rock", 1.0, (1.0, 1.0, 1.0))
TURN = 2.0 * math.pi


def ring(n: int = 24, depth: float = 0.1, corners: int = 3) -> np.ndarray:
    t = np.linspace(0.0, TURN, n, endpoint=False)
    r = 1.0 + depth * np.cos(corners * t)
    return np.column_stack([r * np.cos(t), r * np.sin(t)])


def outward(curve: Curve, s: float) -> np.ndarray:
    """The direction out of the solid: to the left of the tangent that has it on its right."""
    x, y = curve.side * curve.path.spline(s, 1)
    return np.array([-y, x]) / math.hypot(x, y)


@each("backwards", [False, True])
@each("inside", [False, True])
def test_a_closed_curve_is_solid_inside_whichever_way_it_runs(backwards: bool, inside: bool):
    points = ring()[::-1] if backwards else ring()
    curve = Curve(CAM, points, closed=True, inside=inside)
    for s in np.linspace(*curve.span, 20):
        away = float(np.dot(outward(curve, s), curve.point_at(s)))
        assert (away > 0.0) != inside


def test_an_open_curve_is_solid_below_a_graph_drawn_from_left_to_right():
    graph = [(-1.0, 0.0), (0.0, 0.3), (1.0, 0.1)]
    assert outward(Curve(CAM, graph), 1.0)[1] > 0.0
    assert outward(Curve(CAM, graph, flip=True), 1.0)[1] < 0.0
    assert outward(Curve(CAM, graph[::-1]), 1.0)[1] < 0.0
    assert outward(Curve.polynomial(CAM, (0, 1), (0, 0, 1), (-1, 1)), 0.0)[1] > 0.0
    assert outward(Curve.function(CAM, lambda s: (s, s * s), (-1, 1), flip=True), 0.0)[1] < 0.0


@each("r", [1e-3, 0.4, 10.0])
def test_the_radius_is_that_of_the_circle_and_negative_where_hollow(r: float):
    def circle(t: float) -> tuple[float, float]:
        return r * math.cos(t), r * math.sin(t)

    solid = Curve.function(CAM, circle, (0.0, TURN), closed=True)
    hollow = Curve.function(CAM, circle, (0.0, TURN), closed=True, inside=True)
    for s in np.linspace(-1.0, 8.0, 50):
        assert solid.radius_at(s) == pytest.approx(r, rel=1e-8)
        assert hollow.radius_at(s) == pytest.approx(-r, rel=1e-8)


def test_the_radius_of_a_parabola_and_of_what_is_straight():
    bowl = Curve.polynomial(CAM, (0.0, 1.0), (0.0, 0.0, 0.5), (-1.0, 1.0))
    assert bowl.radius_at(0.0) == pytest.approx(-1.0, rel=1e-14)
    assert bowl.radius_at(0.5) == pytest.approx(-(1.25**1.5), rel=1e-14)
    hill = Curve.polynomial(CAM, (0.0, 1.0), (0.0, 0.0, 0.5), (-1.0, 1.0), flip=True)
    assert hill.radius_at(0.0) == pytest.approx(1.0, rel=1e-14)
    assert hill.radius_at(1.5) == math.inf
    assert Curve.polynomial(CAM, (0.0, 1.0), (0.0, 2.0), (0.0, 1.0)).radius_at(0.3) == math.inf


def test_the_three_ways_to_give_a_curve_agree():
    x, y, span = (0.1, 1.0), (0.3, -0.2, 0.5, 0.4), (-1.0, 1.2)

    def f(s: float) -> tuple[float, float]:
        return 0.1 + s, 0.3 - 0.2 * s + 0.5 * s**2 + 0.4 * s**3

    exact, fitted = Curve.polynomial(CAM, x, y, span), Curve.function(CAM, f, span)
    through = Curve(CAM, [f(s) for s in np.linspace(*span, 400)])
    for s in np.linspace(-0.9, 1.1, 11):
        assert exact.point_at(s) == pytest.approx(f(s), abs=1e-14)
        assert fitted.point_at(s) == pytest.approx(f(s), abs=1e-13)
        assert fitted.radius_at(s) == pytest.approx(exact.radius_at(s), rel=1e-8)
        near = through.path.nearest(f(s))
        assert through.radius_at(near) == pytest.approx(exact.radius_at(s), rel=0.05)
    assert exact.side == fitted.side == through.side


def outline_of(curve: Curve) -> dict[str, float]:
    return dict(zip(OUTLINE, curve.outline_parameters, strict=False))


def test_a_curve_knows_its_extent_and_whether_it_is_convex():
    ellipse = Curve.function(CAM, lambda t: (3.0 + 2.0 * math.cos(t), math.sin(t)), (0.0, TURN), closed=True)
    assert outline_of(ellipse)["size"] == pytest.approx(4.0, rel=1e-3)
    assert outline_of(ellipse)["is_convex"] == 1.0
    centre, half_sides = ellipse.bounding_box()
    assert centre == pytest.approx((3.0, 0.0, 0.0), abs=1e-3)
    assert np.all(half_sides[:2] >= np.array((2.0, 1.0)) - 1e-12)
    assert half_sides[:2] == pytest.approx((2.0, 1.0), abs=0.02)
    assert outline_of(Curve(CAM, ring(depth=0.3), closed=True))["is_convex"] == 0.0
    assert outline_of(Curve(CAM, ring(depth=0.0), closed=True, inside=True))["is_convex"] == 0.0


@given(corners=st.integers(1, 6), depth=st.floats(0.0, 0.5))
@examples(20)
def test_the_tree_of_an_outline_contains_its_points_and_normals(corners: int, depth: float):
    """Every node on the way from the root to the leaf of a point contains the point and its normal."""
    curve = Curve(CAM, ring(48, depth, corners), closed=True)
    head = outline_of(curve)
    table = np.reshape(curve.outline_parameters[int(head["nodes_offset"]) :], (-1, OUTLINE_NODE.size))
    nodes = np.ascontiguousarray(table).view(OUTLINE_NODE.dtype)[:, 0]
    first = int(head["first_leaf"])
    for s in np.linspace(*curve.span, 40, endpoint=False):
        point, (tx, ty) = curve.path.spline(s), curve.path.spline(s, 1)
        normal = curve.side * np.array([-ty, tx]) / math.hypot(tx, ty)
        leaves = nodes[first:]
        k = first + int(np.flatnonzero((leaves["low"] <= s) & (s <= leaves["high"]) & (leaves["radius"] >= 0.0))[0])
        while True:
            node = nodes[k]
            assert math.hypot(point[0] - node["x"], point[1] - node["y"]) <= node["radius"]
            assert normal @ (node["nx"], node["ny"]) >= math.cos(node["half_range"]) - 1e-12
            if k == 0:
                break
            k = (k - 1) // 2


def test_pieces_are_straight_between_two_points_and_arcs_through_three():
    """A stadium: two straight sides and two half circles."""
    points = [(-1.0, -0.5), (1.0, -0.5), (1.5, 0.0), (1.0, 0.5), (-1.0, 0.5), (-1.5, 0.0)]
    stadium = Curve(CAM, points, closed=True, arcs=(2, 5))
    assert stadium.path.length == pytest.approx(4.0 + math.pi, rel=1e-14)
    assert not stadium.has_corners
    for s in np.linspace(*stadium.span, 200):
        x, y = stadium.point_at(s)
        assert math.hypot(max(abs(x) - 1.0, 0.0), y) == pytest.approx(0.5 if abs(x) > 1.0 else abs(y), abs=1e-14)
        assert abs(y) <= 0.5 + 1e-14
    assert Curve(CAM, points, closed=True, corners=range(6)).has_corners


@each("body", [CAM, ROCK])
def test_the_outline_follows_the_curve(body):
    curve = Curve.polynomial(body, (0.0, 1.0), (0.0, 0.0, 1.0), (-1.0, 1.0))
    outline = curve.outline(9)
    assert outline.shape == (9, 2 if body is CAM else 3)
    assert_close(outline[:, 1], outline[:, 0] ** 2, 1e-15, "on the curve")
    assert_close(outline[[0, -1], 0], [-1.0, 1.0], 1e-15, "end to end")


def eight(t: float) -> tuple[float, float]:
    return 0.5 + math.sin(t), 2.0 + math.sin(t) * math.cos(t)


def loop(s: float) -> tuple[float, float]:
    return s**3 - s, s**2


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (
            lambda: Curve(CAM, ring()[:2]),
            r"Curve on 'cam': points must be at least 3 pairs \(x, y\), got shape \(2, 2\)",
        ),
        (
            lambda: Curve(CAM, ring(), closed=True, corners=(99,)),
            r"Curve on 'cam': corners must be indices of points from 0 to \d+, got 99",
        ),
        (
            lambda: Curve(CAM, [(0, 0), (1, 0), (2, 0), (1, 1)], closed=True, arcs=(1,)),
            r"Curve on 'cam': the points of the arc about point 1 lie on a line; omit it from arcs",
        ),
        (lambda: Curve(CAM, [(0, 0), (1, 1), (1, 1)]), r"Curve on 'cam': points 1 and 2 coincide at .*remove one"),
        (lambda: Curve("cam", ring()), r"Curve on 'cam': expected a Body or system.ground, got 'cam'"),
        (
            lambda: Curve(CAM, ring()[:5], inside=True),
            r"Curve on 'cam': an open curve has no inside; use flip=True for the solid on the other side",
        ),
        (
            lambda: Curve(CAM, ring(), closed=True, flip=True),
            r"Curve on 'cam': a closed curve is solid inside; use inside=True for a cavity",
        ),
        (
            lambda: Curve.function(CAM, eight, (0.3, 0.3 + TURN), True),
            r"Curve on 'cam': .* itself at \(0.5, 2\)",
        ),
        (
            lambda: Curve.function(CAM, loop, (-1.5, 1.5)),
            r"Curve on 'cam': the curve intersects itself at \(0, 1\)",
        ),
        (
            lambda: Curve.polynomial(CAM, (0, 0, 1), (0, 0, 0, 1), (-1, 1.1)),
            r"Curve on 'cam': the curve has a cusp at \(.*remove it",
        ),
        (
            lambda: Curve.polynomial(CAM, (0, 0, 0, 1), (0, 0, 0, 0, 1), (-1, 1.1)),
            r"Curve on 'cam': dx/ds and dy/ds both vanish at s = .*; choose another parameter",
        ),
        (lambda: Curve.polynomial(CAM, (1.0,), (2.0,), (0, 1)), r"Curve on 'cam': dx/ds and dy/ds both vanish"),
        (lambda: Curve.polynomial(CAM, (0, 1), (0,), (1, 0)), r"Curve on 'cam': span must be \(low, high\)"),
        (lambda: Curve.function(CAM, lambda s: (s, abs(s)), (-1.0, 1.1)), r"Curve on 'cam': .* not smooth enough near"),
    ],
    ids=[
        "few",
        "corners",
        "arc",
        "same",
        "text",
        "inside",
        "flip",
        "eight",
        "loop",
        "cusp",
        "slow",
        "point",
        "span",
        "kink",
    ],
)
def test_what_makes_no_skin_is_refused(make, message: str):
    with pytest.raises(cm.ModelError, match=message):
        make()
