"""Two curves: the true nearest points, one contact followed all the way, and what it costs."""

import itertools
import math
from collections.abc import Callable, Iterable
from functools import cache

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import carom as cm
from carom.geometry.pairs.base import NO_CONTACT
from carom.geometry.pairs.curve_curve import CLOSEST, NONE, OTHER, WARM_START
from carom.geometry.pairs.registry import pair
from carom.geometry.pose import pose
from carom.geometry.shapes import Plane, Sphere
from carom.geometry.shapes.curve import Curve
from checkers import assert_close
from geometry.pairs.contacts import TURN, Follower, Pose, Touch, angles, body, place, seeds, touch
from quick import examples

A, B = body("a"), body("b")
HERE = pose((0.0, 0.0), 0.0)
STATUS, AT_A, AT_B, ITERATIONS = (WARM_START.names.index(name) for name in ("status", "s_a", "s_b", "n_iterations"))
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
        assert one.gap == other.gap
        assert np.array_equal(one.point_a, other.point_b)
        assert np.array_equal(one.normal, -other.normal)


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
    assert np.all(record.warm_start[:, STATUS] == CLOSEST)
    assert record.largest_step(record.gap) < 0.02
    assert record.largest_step(record.normal) < 0.05
    assert record.largest_step(record.point) < 0.05
    for s, curve in ((record.warm_start[:, AT_A], a), (record.warm_start[:, AT_B], b)):
        assert np.all((s >= curve.span[0]) & (s <= curve.span[1]))
        turned = np.unwrap(s, period=curve.path.length) if curve.closed else s
        assert record.largest_step(turned) < 0.02 * curve.path.length


def test_rolling_goes_through_contact_and_all_round_the_curves():
    """The check above sees indentation, and the seam of closed curves."""
    dips = Record(EGG, PIP, (ROLLING["cams that dip in"][2](t - 0.2) for t in TIMES))
    assert dips.gap.min() < -0.1
    assert dips.gap.max() > 0.1
    for column in (AT_A, AT_B):
        assert dips.warm_start[:, column].min() < 0.1
        assert dips.warm_start[:, column].max() > TURN - 0.1


@pytest.mark.parametrize("distance", [1.55, 1.45], ids=["apart", "indented"])
def test_a_contact_at_the_seams_of_both_curves_starts_at_their_first_parameters(distance: float):
    """Rounding of the poses must not decide on which side of a seam a search ends."""
    rng = np.random.default_rng(1)
    for turn in rng.uniform(0.0, TURN, 40):
        pose_b = pose((distance * math.cos(turn), distance * math.sin(turn)), turn + math.pi)
        follower = Follower(EGG, PIP)
        assert follower.at(pose((0.0, 0.0), turn), pose_b).gap == pytest.approx(distance - 1.5, abs=1e-13)
        assert follower.warm_start[[AT_A, AT_B]] == pytest.approx((0.0, 0.0), abs=1e-12)


def test_both_sides_of_a_seam_give_the_same_contact():
    poses = pose((0.0, 0.0), 0.3), pose((1.5 * math.cos(0.3), 1.5 * math.sin(0.3)), 0.3 + math.pi)
    follower, found = Follower(EGG, PIP), []
    follower.at(*poses)
    for start in itertools.product((0.0, TURN), repeat=2):
        follower.warm_start[[AT_A, AT_B]] = start
        found.append(follower.at(*poses))
    for other in found[1:]:
        assert other.gap == pytest.approx(found[0].gap, abs=1e-15)
        assert_close(other.normal, found[0].normal, 1e-14, "normal")
        assert_close(other.point_a, found[0].point_a, 1e-14, "point")


@pytest.mark.parametrize("name", ["cams apart", "cams that dip in", "ball in waves"])
def test_a_followed_contact_costs_three_iterations(name: str):
    a, b, at = ROLLING[name]
    record = Record(a, b, (at(t) for t in np.linspace(0.0, 6.0, 2000)))
    assert record.warm_start[1:, ITERATIONS].max() <= 3
    small = Record(a, b, (at(1e-5 * t) for t in TIMES[:50]))
    assert small.warm_start[1:, ITERATIONS].max() <= 2
    still = Record(a, b, [at(1.0)] * 3)
    assert still.warm_start[1:, ITERATIONS].max() == 1


@pytest.mark.parametrize("name", ROLLING)
def test_what_is_found_does_not_depend_on_where_it_came_from(name: str):
    a, b, at = ROLLING[name]
    follower = Follower(a, b)
    follower.at(*at(1.0))
    for t in (1.0, 1.01, 1.03, 1.031, 1.0):
        came, fresh = follower.at(*at(t)), Follower(a, b)
        found = fresh.at(*at(t))
        assert came.gap == pytest.approx(found.gap, abs=4e-16)
        for column, curve in ((AT_A, a), (AT_B, b)):
            assert follower.warm_start[column] == pytest.approx(fresh.warm_start[column], abs=3e-14 * curve.path.length)


def on_two_shoulders(x: float, gap: float) -> tuple[Pose, Pose]:
    """A wheel too large for the valley at −π/4 rests on both its sides, ``x`` to the right of the middle."""
    middle, height = -math.pi / 4.0, 4.2
    for _ in range(20):
        height -= touch(WHEEL, WAVE, pose((middle, height), 0.0), HERE).gap
    return pose((middle + x, height + gap), 0.0), HERE


@pytest.mark.parametrize("gap", [1e-2, -0.03])
def test_of_two_places_that_are_equally_near_the_first_is_chosen(gap: float):
    """The wheel is in the middle; rounding puts it nearer to one shoulder or to the other."""
    pose_a, pose_b = on_two_shoulders(0.0, gap)
    for x in np.linspace(-1e-15, 1e-15, 21):
        moved = pose((pose_a[0] + x, pose_a[1]), 0.0)
        assert touch(WHEEL, WAVE, moved, pose_b).point_b[0] < -math.pi / 4.0 - 0.5


@pytest.mark.parametrize("way", [1.0, -1.0])
def test_in_contact_it_stays_where_it_is_although_a_search_would_choose_another(way: float):
    path = way * np.linspace(-0.02, 0.02, 40)
    record = Record(WHEEL, WAVE, (on_two_shoulders(x, -0.03) for x in path))
    assert np.all(record.gap < 0.0)
    assert np.all(way * (record.point[:, 0] + math.pi / 4.0) > 0.5)  # one shoulder from end to end
    assert record.largest_step(record.point) < 0.01
    other = touch(WHEEL, WAVE, *on_two_shoulders(path[-1], -0.03))
    assert way * (other.point_b[0] + math.pi / 4.0) < -0.5


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
    assert follower.warm_start[STATUS] == NONE
    assert tuple(gone.normal) == (1.0, 0.0, 0.0)
    assert gone.point_a == pytest.approx((4.3, 0.35, 0.0), abs=1e-12)  # where the parameters start
    assert gone.point_b == pytest.approx((-1.0, -0.5, 0.0), abs=1e-12)
    assert follower.at(pose((4.0, 0.3), 0.0), HERE).gap == NO_CONTACT
    assert follower.warm_start[ITERATIONS] == 0  # too near to the last place to search again
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
    assert follower.warm_start[STATUS] == OTHER
    found = follower.at(pose((0.01, 0.0), 0.3), HERE)
    assert found.gap == pytest.approx(0.09, abs=1e-12)
    assert follower.warm_start[STATUS] == CLOSEST
    assert found.normal == pytest.approx((-1.0, 0.0, 0.0), abs=1e-9)


def test_straight_sides_that_are_parallel_have_their_distance():
    bar = Curve.polynomial(A, (0.0, 1.0), (0.0,), (-1.0, 1.0), flip=True)
    floor = Curve.polynomial(B, (0.0, 1.0), (0.0,), (-2.0, 2.0))
    found = touch(bar, floor, pose((0.3, 0.2), 0.0), HERE)
    assert found.gap == pytest.approx(0.2, abs=1e-15)
    assert found.normal == pytest.approx((0.0, 1.0, 0.0), abs=1e-15)


def test_a_hollow_narrower_than_the_ball_is_no_nearest_place():
    """There the ball rests on the rim: the common normal at the bottom is taken only for want of another."""
    slot = Curve.polynomial(B, (0.0, 1.0), (0.0, 0.0, 4.0), (-0.1, 0.1))
    follower = Follower(DISC, slot)
    found = follower.at(pose((0.0, 0.4), 0.0), HERE)
    assert found.gap == pytest.approx(0.1, abs=1e-12)
    assert follower.warm_start[STATUS] == OTHER


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (
            lambda: (circle(A, 1.0, inside=True), circle(B, 1.0, inside=True)),
            r"Contact 'x': Curve on 'a' and Curve on 'b' are both cavities; one of them must be solid inside",
        ),
        (
            lambda: (circle(A, 1.0), ellipse(cm.Body("rock", 1.0, (1.0, 1.0, 1.0)), 1.0, 0.6)),
            r"Contact 'x': Curve on 'rock' is a planar profile and needs a planar body to touch another",
        ),
        (lambda: (circle(A, 1.0), Plane(B)), r"no pair for Curve on 'a' and Plane on 'b'"),
    ],
    ids=["cavities", "spatial", "plane"],
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
    x, eta = follower.warm_start[AT_A], follower.warm_start[AT_B]
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
