"""Balls and curves: wires and tubes in space, rollers on profiles in a plane."""

import math

import numpy as np
import pytest
from hypothesis import given

import carom as cm
from carom.geometry.pairs.registry import pair
from carom.geometry.pose import pose
from carom.geometry.shapes import Point, Sphere
from carom.geometry.shapes.curve import Curve
from geometry.pairs.contacts import Follower, Motion, body, random_pose, rock, seeds, touch
from geometry.pairs.in_space import CAM, HELIX, RING

HERE = pose((0.0, 0.0, 0.0), 0.0)
A, B = rock("a"), rock("b")
KNOT = [
    ((2 + math.cos(3 * t)) * math.cos(2 * t) / 3, (2 + math.cos(3 * t)) * math.sin(2 * t) / 3, math.sin(3 * t) / 3)
    for t in np.linspace(0.0, 2.0 * math.pi, 60, endpoint=False)
]
CURVES = {
    "helix": Curve(B, HELIX),
    "ring": Curve(B, RING, closed=True, radius=0.05),
    "knot": Curve(B, KNOT, closed=True, radius=0.02),
    "three points": Curve(B, [(0, 0, 0), (1, 0, 0.5), (1, 1, 0)]),
}
BALL = Sphere(A, 0.1, (0.05, 0.1, 0.0))


def nearest(curve: Curve, point: np.ndarray) -> tuple[float, np.ndarray]:
    """Distance and nearest point, by ever finer samples of the spline about every valley of a fine sampling."""
    s = np.linspace(*curve.span, 4001)
    f = np.linalg.norm(curve.path.spline(s) - point, axis=1)
    valleys = np.flatnonzero((f <= np.roll(f, 1)) & (f <= np.roll(f, -1)))
    valleys = np.union1d(valleys[f[valleys] < f.min() + 0.01], [np.argmin(f)])
    found = [refined(curve, point, s[max(k - 1, 0)], s[min(k + 1, 4000)]) for k in valleys]
    return min(found, key=lambda place: place[0])


def refined(curve: Curve, point: np.ndarray, low: float, high: float) -> tuple[float, np.ndarray]:
    for _ in range(14):
        s = np.linspace(low, high, 41)
        f = np.linalg.norm(curve.path.spline(s) - point, axis=1)
        k = int(np.argmin(f))
        low, high = s[max(k - 1, 0)], s[min(k + 1, 40)]
    return float(f[k]), curve.path.spline(s[k])


@pytest.mark.parametrize("name", list(CURVES))
def test_the_gap_is_the_least_distance_from_the_spline(name: str):
    rng = np.random.default_rng(7)
    curve = CURVES[name]
    for _ in range(200):
        p = np.concatenate([rng.uniform(-1.2, 1.2, 3), np.eye(3).ravel()])
        found = touch(BALL, curve, p, HERE)
        centre = p[:3] + BALL.at
        distance, foot = nearest(curve, centre)
        assert found.gap == pytest.approx(distance - 0.1 - curve.radius, abs=1e-9)
        if abs(distance) > 1e-3:
            assert np.linalg.norm(found.point_b - foot) == pytest.approx(curve.radius, abs=1e-5)
            assert found.point_a == pytest.approx(centre - 0.1 * found.normal, abs=1e-14)


@given(seed=seeds)
def test_memory_changes_nothing(seed: int):
    """A ball that has followed the curve knows the same nearest point as one that has just come."""
    rng = np.random.default_rng(seed)
    curve = CURVES["knot"]
    p, q = random_pose(rng, 0.5, True), random_pose(rng, 0.1, True)
    motion = Motion.random(rng, True)
    follower = Follower(BALL, curve)
    before = None
    for t in np.linspace(0.0, 2.0, 60):
        here = motion.moved(p, t)
        found, fresh = follower.at(here, q), touch(BALL, curve, here, q)
        assert found.gap == pytest.approx(fresh.gap, abs=1e-14)
        if before is not None:
            fastest = np.linalg.norm(motion.velocity) + np.linalg.norm(motion.omega) * np.linalg.norm(BALL.at)
            assert abs(found.gap - before) <= fastest * 2.0 / 59.0 + 1e-12
        before = found.gap


def test_another_strand_is_found_on_the_way_to_it():
    hairpin = Curve(B, [(0, 0, 0), (0.5, 0, 0), (1, 0, 0), (1.1, 0.05, 0), (1, 0.1, 0), (0.5, 0.1, 0), (0, 0.1, 0)])
    follower = Follower(Sphere(A, 0.01), hairpin)
    for y in np.linspace(0.0, 0.1, 101):
        here = pose((0.31, y, 0.0), 0.0)
        assert follower.at(here, HERE).gap == pytest.approx(nearest(hairpin, here[:3])[0] - 0.01, abs=1e-9)


def test_most_calls_search_three_cells_only():
    curve = CURVES["helix"]
    follower = Follower(BALL, curve)
    searched = 0
    for x in np.linspace(0.0, 0.02, 200):
        known = follower.warm_start.copy()
        follower.at(pose((0.6 + x, 0.0, 0.1), 0.0), HERE)
        searched += not np.array_equal(known, follower.warm_start)
    assert 1 <= searched < 10


def test_a_circle_of_points_and_its_ends():
    wire = CURVES["three points"]
    beyond = touch(Sphere(A, 0.1), wire, pose((-0.3, 0.0, -0.4), 0.0), HERE)
    start = np.array(wire.point_at(0.0))
    way = np.array([-0.3, 0.0, -0.4]) - start
    assert beyond.gap == pytest.approx(np.linalg.norm(way) - 0.1, abs=1e-12)
    assert beyond.point_b == pytest.approx(start, abs=1e-12)
    on_it = touch(Sphere(A, 0.1), wire, pose(wire.point_at(0.7), 0.0), HERE)
    assert on_it.gap == pytest.approx(-0.1, abs=1e-12)
    assert np.linalg.norm(on_it.normal) == pytest.approx(1.0, abs=1e-14)


def test_a_closed_curve_has_no_seam():
    ring = CURVES["ring"]
    start = np.array(ring.point_at(0.0))
    tangent = ring.path.spline(0.0, 1)
    for aside in (-1e-3, -1e-9, 0.0, 1e-9, 1e-3):
        found = touch(Sphere(A, 0.1), ring, pose(1.3 * start + aside * tangent, 0.0), HERE)
        distance, _ = nearest(ring, 1.3 * start + aside * tangent)
        assert found.gap == pytest.approx(distance - 0.15, abs=1e-10)


# ---- in a plane

CAMSHAFT, ROLLER = body("cam"), body("roller")
PROFILE = Curve(CAMSHAFT, CAM, closed=True)


def winding(points: np.ndarray, x: float, y: float) -> float:
    angle = np.unwrap(np.arctan2(points[:, 1] - y, points[:, 0] - x))
    return round(float(angle[-1] - angle[0]) / (2.0 * math.pi))


def test_a_roller_on_the_cam():
    """Signed: negative with the centre in the solid, by the winding number of the profile about it."""
    rng = np.random.default_rng(8)
    outline = PROFILE.path.spline(np.linspace(*PROFILE.span, 2001))
    roller = Sphere(ROLLER, 0.01)
    hole = Curve(CAMSHAFT, CAM, closed=True, inside=True)
    for _ in range(200):
        x, y = rng.uniform(-0.07, 0.07, 2)
        angle = rng.uniform(-3.0, 3.0)
        c, s = math.cos(angle), math.sin(angle)
        local = np.array([c * x + s * y, -s * x + c * y])
        distance, _ = nearest(PROFILE, local)
        inside = winding(outline, *local) != 0
        found = touch(roller, PROFILE, pose((x, y), 0.0), pose((0.0, 0.0), angle))
        assert found.gap == pytest.approx((-distance if inside else distance) - 0.01, abs=1e-11)
        assert found.force_point == pytest.approx(found.point_b, abs=0.0)
        other = touch(roller, hole, pose((x, y), 0.0), pose((0.0, 0.0), angle))
        assert other.gap == pytest.approx((distance if inside else -distance) - 0.01, abs=1e-11)


def test_the_cam_lifts_its_roller_by_its_own_points():
    """Points of the profile are on it: a point there has no gap, and the roller's centre is a radius out along n."""
    for x, y in CAM:
        found = touch(Point(ROLLER), PROFILE, pose((x, y), 0.0), HERE)
        assert found.gap == pytest.approx(0.0, abs=1e-15)
        assert found.normal[:2] @ np.array([x, y]) > 0.0
        out = pose(np.array([x, y]) + 0.01 * found.normal[:2], 0.0)
        assert touch(Sphere(ROLLER, 0.01), PROFILE, out, HERE).gap == pytest.approx(0.0, abs=1e-12)


def test_an_open_profile_is_solid_below_and_its_ends_push():
    graph = Curve(CAMSHAFT, [(0.1 * k, 0.02 * math.sin(k)) for k in range(11)])
    ball = Sphere(ROLLER, 0.05)
    above, below = (touch(ball, graph, pose((0.43, y), 0.0), HERE) for y in (0.1, -0.1))
    assert above.gap > 0.0 > below.gap
    assert above.normal[1] > 0.0
    assert below.normal[1] > 0.0
    beyond = touch(ball, graph, pose((-0.03, -0.04), 0.0), HERE)
    assert beyond.gap == pytest.approx(0.0, abs=1e-12)
    assert beyond.normal == pytest.approx((-0.6, -0.8, 0.0), abs=1e-12)


def test_functions_and_polynomials_are_profiles_too():
    disc = Curve.function(CAMSHAFT, lambda t: (math.cos(t), math.sin(t)), (0.0, 2.0 * math.pi), closed=True)
    found = touch(Sphere(ROLLER, 0.5), disc, pose((1.2, 1.6), 0.3), HERE)
    assert found.gap == pytest.approx(0.5, abs=1e-12)
    assert found.normal == pytest.approx((0.6, 0.8, 0.0), abs=1e-12)
    assert touch(Sphere(ROLLER, 0.5), disc, pose((0.0, 0.0), 0.0), HERE).gap == pytest.approx(-1.5, abs=1e-12)
    dish = Curve.polynomial(CAMSHAFT, (0.0, 1.0), (0.0, 0.0, 1.0), (-2.0, 2.0))
    assert touch(Sphere(ROLLER, 0.1), dish, pose((0.0, 0.5), 0.0), HERE).gap == pytest.approx(0.4, abs=1e-12)


# ---- what curves take


def test_a_curve_in_space():
    ring = CURVES["ring"]
    assert ring.outline(5).shape == (5, 3)
    assert ring.point_at(0.0) == pytest.approx(RING[0], abs=1e-15)
    assert Curve(B, HELIX).radius_at(2.0) == pytest.approx(0.5 + 0.05**2 / 0.5, rel=1e-2)


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: Curve(B, HELIX, flip=True), r"Curve on 'b': a curve in 3D has no sides; omit inside and flip"),
        (lambda: Curve(B, HELIX, radius=-0.1), r"Curve on 'b': radius must be positive or zero, got -0.1"),
        (lambda: Curve(B, HELIX[:2]), r"Curve on 'b': points must be at least 3 triples \(x, y, z\)"),
        (lambda: Curve(CAMSHAFT, CAM, closed=True, radius=0.1), r"Curve on 'cam': radius is for tubes in 3D"),
        (lambda: Curve(CAMSHAFT, HELIX), r"Curve on 'cam': points must be at least 3 pairs \(x, y\)"),
        (
            lambda: Curve(B, [(0, 0, 0), (1, 0, 0), (1e-9, 1e-12, 0), (0.5, 0, 0)]),
            r"Curve on 'b': the curve has a cusp at",
        ),
        (lambda: pair("x", Point(A), Curve(B, HELIX)), r"x: Point on 'a' and Curve on 'b' can never touch"),
        (lambda: pair("x", Sphere(A, 1), Curve(B, CAM, closed=True)), r"x: Curve on 'b' is a planar profile"),
        (lambda: pair("x", Curve(A, HELIX), Curve(B, HELIX)), r"x: Curve on 'a' is a planar profile"),
    ],
    ids=["sides", "radius", "few", "tube in a plane", "space in a plane", "cusp", "thin", "profile in space", "two"],
)
def test_what_cannot_be_is_refused(make, message: str):
    with pytest.raises(cm.ModelError, match=message):
        make()
