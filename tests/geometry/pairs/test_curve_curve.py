"""Two curves: the true nearest points, one contact followed all the way, and what it costs."""

import math
from collections.abc import Callable, Iterable
from functools import cache

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import carom as cm
from carom.geometry.pairs.base import NO_CONTACT
from carom.geometry.pairs.registry import pair
from carom.geometry.pose import pose
from carom.geometry.shapes import Sphere
from carom.geometry.shapes.curve import Curve
from checkers import assert_close
from geometry.pairs.contacts import TURN, Follower, Pose, Touch, angles, body, place, seeds, touch
from quick import examples

A, B = body("a"), body("b")
HERE = pose((0.0, 0.0), 0.0)
radii = st.sampled_from((0.2, 0.37, 0.7, 1.0))


def ellipse(on: cm.Body, p: float, q: float, inside: bool = False) -> Curve:
    return Curve.function(on, lambda t: (p * math.cos(t), q * math.sin(t)), (0.0, TURN), closed=True, inside=inside)


def rose(on: cm.Body, radius: float, depth: float, corners: int) -> Curve:
    t = np.linspace(0.0, TURN, 36, endpoint=False)
    r = radius * (1.0 + depth * np.cos(corners * t))
    return Curve(on, np.column_stack([r * np.cos(t), r * np.sin(t)]), closed=True)


@cache
def circle(on: cm.Body, radius: float, inside: bool = False) -> Curve:
    return ellipse(on, radius, radius, inside)


EGG, PIP, DISC = ellipse(A, 1.0, 0.6), ellipse(B, 0.5, 0.3), circle(A, 0.3)
BLOB, BOWL = ellipse(A, 0.4, 0.3), ellipse(B, 1.0, 0.8, inside=True)
WAVE = Curve.function(B, lambda s: (s, 0.1 * math.sin(2.0 * s)), (-6.0, 6.0))
WHEEL = circle(A, 4.0)


# ---- the nearest points


def sampled(curve: Curve, p: Pose, low: float, high: float, n: int) -> tuple[np.ndarray, np.ndarray]:
    s = np.linspace(low, high, n)
    wrapped = curve.span[0] + (s - curve.span[0]) % curve.path.length if curve.closed else np.clip(s, *curve.span)
    points = np.column_stack([curve.path.spline(wrapped), np.zeros(n)])
    return s, p[:3] + points @ p[3:].reshape(3, 3).T


def brute_distance(a: Curve, b: Curve, pose_a: Pose, pose_b: Pose) -> float:
    """The least distance of samples, ever finer about the closest two."""
    (low_a, high_a), (low_b, high_b) = a.span, b.span
    for n in (300, *(31,) * 14):
        s_a, p_a = sampled(a, pose_a, low_a, high_a, n)
        s_b, p_b = sampled(b, pose_b, low_b, high_b, n)
        distances = np.linalg.norm(p_a[:, None, :] - p_b[None, :, :], axis=2)
        i, j = np.unravel_index(int(np.argmin(distances)), distances.shape)
        way_a, way_b = 3.0 * (s_a[1] - s_a[0]), 3.0 * (s_b[1] - s_b[0])
        low_a, high_a, low_b, high_b = s_a[i] - way_a, s_a[i] + way_a, s_b[j] - way_b, s_b[j] + way_b
    return float(distances.min())


@pytest.mark.parametrize("seed", range(12))
def test_apart_the_gap_is_the_least_distance_of_all(seed: int):
    """Also between shapes with hollows, which have many common normals."""
    rng = np.random.default_rng(seed)
    a = rose(A, 1.0, rng.uniform(0.0, 0.3), int(rng.integers(2, 5)))
    b = rose(B, 0.6, rng.uniform(0.0, 0.3), int(rng.integers(2, 5)))
    turn, way = rng.uniform(0.0, TURN), rng.uniform(2.1, 3.0)
    pose_a = pose(rng.uniform(-0.5, 0.5, 2), rng.uniform(-3.0, 3.0))
    pose_b = pose(pose_a[:2] + way * np.array([math.cos(turn), math.sin(turn)]), rng.uniform(-3.0, 3.0))
    found = touch(a, b, pose_a, pose_b)
    assert found.gap == pytest.approx(brute_distance(a, b, pose_a, pose_b), abs=1e-11)


@examples(20)
@given(x=st.floats(-3.0, 3.0), height=st.floats(0.45, 1.0), angle=angles)
def test_above_a_graph_the_gap_is_the_least_distance(x: float, height: float, angle: float):
    pose_a = pose((x, 0.1 * math.sin(2.0 * x) + height), angle)
    assert touch(BLOB, WAVE, pose_a, HERE).gap == pytest.approx(brute_distance(BLOB, WAVE, pose_a, HERE), abs=1e-11)


@given(ra=radii, rb=radii, gap=st.floats(-0.15, 1.0), turn=angles, at=angles, other=angles)
def test_circles_as_curves_are_spheres(ra: float, rb: float, gap: float, turn: float, at: float, other: float):
    way = ra + rb + gap
    pose_a, pose_b = pose((way * math.cos(turn), way * math.sin(turn)), at), pose((0.0, 0.0), other)
    found = touch(circle(A, ra), circle(B, rb), pose_a, pose_b)
    exact = touch(Sphere(A, ra), Sphere(B, rb), pose_a, pose_b)
    assert found.gap == pytest.approx(exact.gap, abs=1e-12)
    for one, two in zip(vars(found).values(), vars(exact).values(), strict=True):
        assert_close(one, two, 1e-8, "points and normal")


@given(r=st.sampled_from((0.2, 0.45, 0.9)), off=st.floats(0.01, 0.5), turn=angles, at=angles, other=angles)
def test_a_circle_in_a_circular_cavity_is_a_ball_in_a_cup(r: float, off: float, turn: float, at: float, other: float):
    pose_a, pose_b = pose((off * math.cos(turn), off * math.sin(turn)), at), pose((0.0, 0.0), other)
    found = touch(circle(A, r), circle(B, 1.0, inside=True), pose_a, pose_b)
    exact = touch(Sphere(A, r), Sphere(B, 1.0, inside=True), pose_a, pose_b)
    assert found.gap == pytest.approx(exact.gap, abs=1e-12)
    assert_close(found.normal, exact.normal, 1e-7, "normal")


@given(seed=seeds, depth=st.floats(1e-6, 0.05))
def test_indented_curves_touch_when_moved_apart_by_the_indentation(seed: int, depth: float):
    rng = np.random.default_rng(seed)
    pose_b = pose(rng.uniform(-1.0, 1.0, 2), rng.uniform(-3.0, 3.0))
    pose_a = pose((pose_b[0] + 2.0, pose_b[1]), rng.uniform(-3.0, 3.0))
    start = touch(EGG, PIP, pose_a, pose_b)
    pose_a[:3] -= (start.gap + depth) * start.normal
    found = touch(EGG, PIP, pose_a, pose_b)
    assert found.gap == pytest.approx(-depth, abs=1e-12)
    pose_a[:3] += (depth + 0.1) * found.normal
    assert brute_distance(EGG, PIP, pose_a, pose_b) == pytest.approx(0.1, abs=1e-10)


@given(seed=seeds)
@examples(20)
def test_the_depth_of_convex_curves_is_the_least_translation_that_parts_them(seed: int):
    """From the support functions of ellipses, also where they overlap beyond their centres of curvature."""
    rng = np.random.default_rng(seed)
    (p, q), (r, s) = [(1.0, 0.6), (0.5, 0.3)] if seed % 2 else [(1.0, 0.2), (0.8, 0.25)]
    x, y, turn, other = *rng.uniform(-0.7, 0.7, 2), *rng.uniform(-4.0, 4.0, 2)
    t = np.linspace(0.0, TURN, 20001)

    def support(p: float, q: float, turn: float) -> np.ndarray:
        return np.hypot(p * np.cos(t - turn), q * np.sin(t - turn))

    overlap = support(p, q, turn) + support(r, s, other) - (x * np.cos(t) + y * np.sin(t))
    found = touch(ellipse(A, p, q), ellipse(B, r, s), pose((x, y), turn), pose((0.0, 0.0), other))
    assert_close(max(-found.gap, 0.0), max(overlap.min(), 0.0), 1e-5, "depth")


def test_among_many_common_normals_the_choice_does_not_depend_on_the_order():
    rng = np.random.default_rng(4)
    a, b = rose(A, 1.0, 0.25, 3), rose(B, 0.6, 0.2, 4)
    ab, ba = Follower(a, b), Follower(b, a)
    start = ab.warm_start.copy()
    for _ in range(400):
        turn, way = rng.uniform(0.0, TURN), rng.uniform(1.6, 3.0)
        pose_a = pose(rng.uniform(-0.5, 0.5, 2), rng.uniform(-3.0, 3.0))
        pose_b = pose(pose_a[:2] + way * np.array([math.cos(turn), math.sin(turn)]), rng.uniform(-3.0, 3.0))
        ab.warm_start[:], ba.warm_start[:] = start, start
        one, other = ab.at(pose_a, pose_b), ba.at(pose_b, pose_a)
        assert one.gap == pytest.approx(other.gap, abs=1e-13)
        assert one.point_a == pytest.approx(other.point_b, abs=1e-9)
        assert one.normal == pytest.approx(-other.normal, abs=1e-9)


def test_splines_polynomials_and_functions_of_one_curve_touch_alike():
    exact = Curve.polynomial(B, (0.0, 1.0), (0.0, 0.1, 0.2, -0.1), (-1.0, 1.0))
    fitted = Curve.function(B, lambda s: (s, 0.1 * s + 0.2 * s**2 - 0.1 * s**3), (-1.0, 1.0))
    through = Curve(B, exact.path.spline(np.linspace(-1.0, 1.0, 200)))
    ball = pose((0.2, 0.4), 0.3)
    gaps = [touch(DISC, curve, ball, HERE).gap for curve in (exact, fitted, through)]
    assert gaps[1] == pytest.approx(gaps[0], abs=1e-13)
    assert gaps[2] == pytest.approx(gaps[0], abs=1e-7)
    assert abs(gaps[0]) > 0.01


# ---- followed from call to call


class Record:
    """A contact followed through a row of poses."""

    def __init__(self, a: Curve, b: Curve, poses: Iterable[tuple[Pose, Pose]]):
        follower = Follower(a, b)
        self.touches: list[Touch] = []
        rows = []
        for pose_a, pose_b in poses:
            self.touches.append(follower.at(pose_a, pose_b))
            rows.append(follower.warm_start.copy())
        self.warm_start = np.array(rows)
        self.gap = np.array([found.gap for found in self.touches])
        self.normal = np.array([found.normal for found in self.touches])
        self.point = np.array([found.point_b for found in self.touches])

    def largest_step(self, values: np.ndarray) -> float:
        return float(np.abs(np.diff(values, axis=0)).max())


TIMES = np.linspace(0.0, 6.0, 800)


def track(x: float) -> float:
    return 0.1 * math.sin(2.0 * x)


ROLLING: dict[str, tuple[Curve, Curve, Callable[[float], tuple[Pose, Pose]]]] = {
    "cams apart": (EGG, PIP, lambda t: (pose((0.0, 0.0), t), pose((1.55, 0.0), -2.3 * t))),
    "cams that dip in": (EGG, PIP, lambda t: (pose((0.0, 0.0), t), pose((1.35, 0.0), -2.3 * t))),
    "egg round a bowl": (
        ellipse(A, 0.3, 0.25),
        BOWL,
        lambda t: (pose((0.71 * math.cos(t), 0.54 * math.sin(t)), -1.7 * t), HERE),
    ),
    "ball over waves": (DISC, WAVE, lambda t: (pose((t - 3.0, track(t - 3.0) + 0.5), -3.0 * t), HERE)),
    "ball in waves": (DISC, WAVE, lambda t: (pose((t - 3.0, track(t - 3.0) + 0.25), -3.0 * t), HERE)),
    "splines": (
        rose(A, 1.0, 0.05, 2),
        rose(B, 0.5, 0.05, 3),
        lambda t: (pose((0.0, 0.0), t), pose((1.5, 0.0), -2.3 * t)),
    ),
}


@pytest.mark.parametrize("name", ROLLING)
def test_a_rolling_contact_is_followed_without_a_jump(name: str):
    a, b, at = ROLLING[name]
    record = Record(a, b, (at(t) for t in TIMES))
    assert record.largest_step(record.gap) < 0.02
    assert record.largest_step(record.normal) < 0.05
    assert record.largest_step(record.point) < 0.05


@pytest.mark.parametrize("distance", [1.55, 1.45], ids=["apart", "indented"])
def test_a_contact_at_the_seams_of_both_curves_starts_at_their_first_parameters(distance: float):
    """Rounding of the poses must not decide on which side of a seam a search ends."""
    rng = np.random.default_rng(1)
    for turn in rng.uniform(0.0, TURN, 40):
        pose_b = pose((distance * math.cos(turn), distance * math.sin(turn)), turn + math.pi)
        follower = Follower(EGG, PIP)
        assert follower.at(pose((0.0, 0.0), turn), pose_b).gap == pytest.approx(distance - 1.5, abs=1e-13)


@pytest.mark.parametrize("name", ROLLING)
def test_what_is_found_does_not_depend_on_where_it_came_from(name: str):
    a, b, at = ROLLING[name]
    follower = Follower(a, b)
    follower.at(*at(1.0))
    for t in (1.0, 1.01, 1.03, 1.031, 1.0):
        came, fresh = follower.at(*at(t)), Follower(a, b)
        found = fresh.at(*at(t))
        assert came.gap == pytest.approx(found.gap, abs=1e-14)
        assert came.point_a == pytest.approx(found.point_a, abs=1e-12)


def on_two_shoulders(x: float, gap: float) -> tuple[Pose, Pose]:
    """A wheel too large for the valley at −π/4 rests on both its sides, ``x`` to the right of the middle."""
    middle, height = -math.pi / 4.0, 4.2
    for _ in range(20):
        height -= touch(WHEEL, WAVE, pose((middle, height), 0.0), HERE).gap
    return pose((middle + x, height + gap), 0.0), HERE


@pytest.mark.parametrize("gap", [1e-2, -0.03])
def test_two_places_that_are_equally_near_are_both_found(gap: float):
    """The wheel is in the middle of a valley: it has the same gap on both sides."""
    wheel, wave = WHEEL, WAVE
    pose_a, _ = on_two_shoulders(0.0, gap)
    before = wheel.body.position, wheel.body.angle
    wheel.body.position, wheel.body.angle = tuple(pose_a[:2]), 0.0
    found = cm.closest(wheel, wave)
    wheel.body.position, wheel.body.angle = before
    level = [spot for spot in found.spots if abs(spot.gap - found.gap) < 1e-9]
    assert len(level) == 2
    sides = sorted(float(spot.point_b[0]) + math.pi / 4.0 for spot in level)
    assert sides == pytest.approx([-sides[1], sides[1]], abs=1e-7)
    assert sides[1] > 0.5


@pytest.mark.parametrize("way", [1.0, -1.0])
def test_each_place_stays_in_its_slot(way: float):
    path = way * np.linspace(-0.02, 0.02, 40)
    pairing = pair("test", WHEEL, WAVE, touching=False)
    followers = [Follower(WHEEL, WAVE, k) for k in range(1, pairing.contact_points + 1)]
    for follower in followers[1:]:
        follower.warm_start = followers[0].warm_start  # shared by all contact points
    rows = np.array([[f.at(*on_two_shoulders(x, -0.03)).gap for f in followers] for x in path])
    points = np.array([[f.at(*on_two_shoulders(x, -0.03)).point_b[0] for f in followers] for x in path])
    touching = np.flatnonzero(np.all(rows < 0.0, axis=0))
    assert len(touching) == 2
    assert np.abs(np.diff(points[:, touching], axis=0)).max() < 0.01
    assert np.abs(np.diff(rows[:, touching], axis=0)).max() < 2e-3


def test_apart_the_nearest_place_is_taken_when_it_has_changed():
    path = np.linspace(-0.02, 0.02, 40)
    record = Record(WHEEL, WAVE, (on_two_shoulders(x, 1e-2) for x in path))
    assert record.point[0, 0] < -math.pi / 4.0 < record.point[-1, 0]
    assert record.largest_step(record.gap) < 2e-3
    last = on_two_shoulders(0.02, 1e-2)
    assert record.gap[-1] == pytest.approx(touch(WHEEL, WAVE, *last).gap, abs=1e-15)


def test_a_contact_that_is_carried_far_in_one_call_is_found_again():
    follower = Follower(EGG, PIP)
    follower.at(HERE, pose((1.55, 0.0), 0.0))
    for angle in (2.0, -1.0, 3.0):
        there = pose((1.55 * math.cos(angle), 1.55 * math.sin(angle)), 1.3 * angle)
        assert follower.at(HERE, there).gap == pytest.approx(brute_distance(EGG, PIP, HERE, there), abs=1e-11)


def test_a_pose_that_is_not_a_number_is_forgotten():
    follower = Follower(DISC, WAVE)
    right = follower.at(pose((0.3, 0.5), 0.0), HERE)
    follower.at(pose((math.nan, 0.5), 0.0), HERE)
    again = follower.at(pose((0.3, 0.5), 0.0), HERE)
    assert again.gap == pytest.approx(right.gap, abs=4e-16)


# ---- no answer, and many


def test_off_the_end_of_an_open_curve_there_is_no_contact():
    arc = Curve.polynomial(B, (0.0, 1.0), (0.0, 0.0, -0.5), (-1.0, 1.0))
    follower = Follower(DISC, arc)
    assert follower.at(pose((0.0, 0.35), 0.0), HERE).gap == pytest.approx(0.05, abs=1e-12)
    gone = follower.at(pose((4.0, 0.35), 0.0), HERE)
    assert gone.gap == NO_CONTACT
    assert follower.at(pose((4.0, 0.3), 0.0), HERE).gap == NO_CONTACT
    assert follower.at(pose((0.0, 0.29), 0.0), HERE).gap == pytest.approx(-0.01, abs=1e-12)


def test_a_curve_rolls_off_the_end_of_another_where_the_end_is():
    arc = Curve.polynomial(B, (0.0, 1.0), (0.0, 0.0, -0.5), (-1.0, 1.0))
    normal = np.array([1.0, 1.0]) / math.sqrt(2.0)  # at the end (1, −0.5)
    end = np.array([1.0, -0.5]) + 0.31 * normal
    along = np.array([1.0, -1.0]) / math.sqrt(2.0)
    follower = Follower(DISC, arc)
    assert follower.at(pose(end - 0.001 * along, 0.0), HERE).gap == pytest.approx(0.01, abs=1e-5)
    assert follower.at(pose(end + 0.001 * along, 0.0), HERE).gap == NO_CONTACT


def test_a_place_that_is_no_longer_the_nearest_is_left():
    """Across the clearance in one call: the old place is still a common normal, but that of the largest gap."""
    follower = Follower(circle(A, 0.5), circle(B, 0.6, inside=True))
    for x in (0.01, -0.01, 0.02):
        found = follower.at(pose((x, 0.0), 0.3), HERE)
        assert found.gap == pytest.approx(0.1 - abs(x), abs=1e-12)
        assert found.point_a[0] * x > 0.0


@pytest.mark.parametrize("way", [0.0, 1e-12])
def test_circles_of_one_centre_have_a_gap_though_no_one_place(way: float):
    follower = Follower(circle(A, 0.5), circle(B, 0.6, inside=True))
    found = follower.at(pose((way, 0.0), 0.3), HERE)
    assert found.gap == pytest.approx(0.1, abs=1e-9)
    found = follower.at(pose((0.01, 0.0), 0.3), HERE)
    assert found.gap == pytest.approx(0.09, abs=1e-12)
    assert found.normal == pytest.approx((-1.0, 0.0, 0.0), abs=1e-9)


def test_straight_sides_that_are_parallel_have_their_distance():
    bar = Curve.polynomial(A, (0.0, 1.0), (0.0,), (-1.0, 1.0), flip=True)
    floor = Curve.polynomial(B, (0.0, 1.0), (0.0,), (-2.0, 2.0))
    found = touch(bar, floor, pose((0.3, 0.2), 0.0), HERE)
    assert found.gap == pytest.approx(0.2, abs=1e-15)
    assert found.normal == pytest.approx((0.0, 1.0, 0.0), abs=1e-15)


def test_a_hollow_narrower_than_the_ball_has_no_nearest_place():
    """The ball would rest on the rim of the hollow, where the curve ends."""
    slot = Curve.polynomial(B, (0.0, 1.0), (0.0, 0.0, 4.0), (-0.1, 0.1))
    assert touch(DISC, slot, pose((0.0, 0.4), 0.0), HERE).gap == NO_CONTACT


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (
            lambda: (circle(A, 1.0, inside=True), circle(B, 1.0, inside=True)),
            r"Contact 'x': Curve on 'a' and Curve on 'b' are both cavities; one of them must be solid inside",
        ),
        (
            lambda: (circle(A, 1.0), ellipse(cm.Body("rock", 1.0, (1.0, 1.0, 1.0)), 1.0, 0.6)),
            r"Contact 'x': Curve on 'rock' is a planar profile and needs a planar body to touch Curve on 'a'",
        ),
    ],
    ids=["cavities", "spatial"],
)
def test_curves_that_make_no_pair_are_refused(make, message: str):
    with pytest.raises(cm.ModelError, match=message):
        pair("Contact 'x'", *make())


# ---- the knee of the compliant models paper


def test_femur_and_tibia_have_the_published_stiffness_at_the_start():
    femur = Curve.polynomial(
        body("femur"), (0.0, 1.0), (-0.04014, 0.247621, 6.889185, 270.4456, 8589.942), (-0.08, 0.05), flip=True
    )
    tibia = Curve.polynomial(body("tibia"), (0.213373, -0.0456051, 1.073446), (0.0, 1.0), (-0.04, 0.05), flip=True)
    follower = Follower(femur, tibia)
    pose_tibia = pose((-0.2016, -0.1749), math.radians(35.21))
    found = follower.at(HERE, pose_tibia)
    x = float(found.point_a[0])
    eta = float((pose_tibia[3:].reshape(3, 3).T @ (found.point_b - pose_tibia[:3]))[1])
    assert found.gap == pytest.approx(6.4969e-5, rel=1e-4)
    assert (x, eta) == pytest.approx((-0.0419653, 0.0249231), abs=1e-7)
    assert brute_distance(femur, tibia, HERE, pose_tibia) == pytest.approx(found.gap, abs=1e-10)
    r_femur, r_tibia = femur.radius_at(x), tibia.radius_at(eta)
    assert r_femur > 0.0 > r_tibia
    sigma = (1.0 - 0.46**2) / 5e6
    stiffness = 4.0 / (3.0 * 2.0 * sigma) * math.sqrt(r_femur * r_tibia / (r_femur + r_tibia))
    assert stiffness == pytest.approx(9.134e5, rel=1e-4)
    # Second method: the radii of the graphs y(x) and ξ(η) by hand.
    slope = 0.247621 + 2 * 6.889185 * x + 3 * 270.4456 * x**2 + 4 * 8589.942 * x**3
    bend = 2 * 6.889185 + 6 * 270.4456 * x + 12 * 8589.942 * x**2
    assert r_femur == pytest.approx((1.0 + slope**2) ** 1.5 / bend, rel=1e-12)
    slope = -0.0456051 + 2 * 1.073446 * eta
    assert r_tibia == pytest.approx(-((1.0 + slope**2) ** 1.5) / (2 * 1.073446), rel=1e-12)


def test_points_lie_on_their_curves():
    found = touch(EGG, PIP, pose((0.2, 0.1), 0.7), pose((1.6, 0.4), -0.3))
    for point, curve, p in ((found.point_a, EGG, pose((0.2, 0.1), 0.7)), (found.point_b, PIP, pose((1.6, 0.4), -0.3))):
        local = p[3:].reshape(3, 3).T @ (point - p[:3])
        assert_close(place(p, local), point, 1e-15, "there and back")
        near = curve.path.nearest(local[:2])
        assert np.hypot(*(curve.path.spline(near) - local[:2])) < 0.01
        axes = (1.0, 0.6) if curve is EGG else (0.5, 0.3)
        assert (local[0] / axes[0]) ** 2 + (local[1] / axes[1]) ** 2 == pytest.approx(1.0, abs=1e-12)
