"""Polygons: gaps, depths and spots against brute force over sides and corners."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import carom as cm
from carom.geometry.pose import pose
from carom.geometry.shapes import Plane, Polygon, Segment, Sphere
from carom.geometry.shapes.curve import Curve
from checkers import assert_close
from geometry.pairs.contacts import Follower, angles, body, seeds, touch
from quick import each, examples

A, B = body("a"), body("b")
HERE = pose((0.0, 0.0), 0.0)
SQUARE = [(-0.5, -0.5), (0.5, -0.5), (0.5, 0.5), (-0.5, 0.5)]
CORNER = [(0.0, 0.0), (2.0, 0.0), (2.0, 0.5), (0.5, 0.5), (0.5, 2.0), (0.0, 2.0)]
FORK = [(0.0, 0.0), (3.0, 0.0), (3.0, 2.0), (2.0, 2.0), (2.0, 1.0), (1.0, 1.0), (1.0, 2.0), (0.0, 2.0)]

Points = np.ndarray


# ---- brute force


def moved(points: Points, p: np.ndarray) -> Points:
    return np.asarray(points) @ p[3:].reshape(3, 3)[:2, :2].T + p[:2]


def sides(points: Points) -> list[tuple[Points, Points]]:
    return list(zip(points, np.roll(points, -1, axis=0), strict=True))


def distance_to_side(point: Points, start: Points, end: Points) -> float:
    along = end - start
    part = np.clip((point - start) @ along / (along @ along), 0.0, 1.0)
    return float(np.hypot(*(point - start - part * along)))


def distance(a: Points, b: Points) -> float:
    """The least distance of two polygons that are apart: one end of it is a corner."""
    return min(
        min(distance_to_side(p, *side) for p in one for side in sides(two)) for one, two in ((a, b), (b, a))
    )  # fmt: skip


def overlap(a: Points, b: Points) -> float:
    """The smallest translation that separates convex polygons: along the normal of a side."""
    depths = []
    for one, two in ((a, b), (b, a)):
        for start, end in sides(one):
            along = (end - start) / np.hypot(*(end - start))
            normal = np.array([along[1], -along[0]])
            depths.append(-float(((two - start) @ normal).min()))
    return min(depths)


def is_apart(a: Points, b: Points) -> bool:
    return overlap(a, b) < 0.0


def holds(polygon: Points, point: Points) -> bool:
    """Return whether a point is inside, by the turns of the line of sight around the outline."""
    rays = polygon - point
    turns = np.arctan2(
        rays[:, 0] * np.roll(rays[:, 1], -1) - rays[:, 1] * np.roll(rays[:, 0], -1),
        np.sum(rays * np.roll(rays, -1, axis=0), axis=1),
    )
    return abs(turns.sum()) > math.pi


def convex(rng: np.random.Generator, size: float) -> Points:
    """Corners on an ellipse at random angles."""
    n = int(rng.integers(3, 9))
    turn = np.sort(rng.uniform(0.0, 2.0 * math.pi, n) * 0.1 + np.arange(n) * 2.0 * math.pi / n)
    return size * np.column_stack([np.cos(turn), rng.uniform(0.4, 1.0) * np.sin(turn)])


def star(rng: np.random.Generator, size: float) -> Points:
    n = int(rng.integers(4, 8))
    turn = np.arange(2 * n) * math.pi / n
    radius = size * np.where(np.arange(2 * n) % 2, rng.uniform(0.5, 0.8), 1.0)
    return np.column_stack([radius * np.cos(turn), radius * np.sin(turn)])


def check_touch(a, b, pose_a, pose_b, gap):
    """The gap is right, the points are that far apart along the normal, and exchanged shapes agree."""
    found = touch(a, b, pose_a, pose_b)
    assert found.gap == pytest.approx(gap, abs=1e-11)
    assert_close(found.point_a - found.point_b, found.gap * found.normal, 1e-11, "points")
    other = touch(b, a, pose_b, pose_a)
    assert other.gap == pytest.approx(gap, abs=1e-11)
    assert_close(other.normal, -found.normal, 1e-9, "normal")
    return found


# ---- convex polygons


def convex_pair(seed: int):
    """Two convex polygons, their poses, and their gap: a distance, or minus the smallest translation that separates."""
    rng = np.random.default_rng(seed)
    one, two = convex(rng, 1.0), convex(rng, 0.6)
    pose_a, pose_b = pose(rng.uniform(-1.2, 1.2, 2), rng.uniform(-3, 3)), pose(rng.uniform(-0.3, 0.3, 2), 1.0)
    a, b = moved(one, pose_a), moved(two, pose_b)
    return one, two, pose_a, pose_b, distance(a, b) if is_apart(a, b) else -overlap(a, b)


@given(seed=seeds)
@examples(120)
def test_convex_polygons_that_are_apart_have_their_distance(seed: int):
    one, two, pose_a, pose_b, gap = convex_pair(seed)
    if gap < 0.0:
        return
    check_touch(Polygon(A, one), Polygon(B, two), pose_a, pose_b, gap)
    rounded = touch(Polygon(A, one, radius=0.1), Polygon(B, two, radius=0.05), pose_a, pose_b)
    assert rounded.gap == pytest.approx(gap - 0.15, abs=1e-11)


@each("seed", range(16))
def test_convex_polygons_that_overlap_have_the_smallest_translation_that_separates_them(seed: int):
    one, two, pose_a, pose_b, gap = convex_pair(seed)
    found = check_touch(Polygon(A, one), Polygon(B, two), pose_a, pose_b, gap)
    if gap < 0.0:  # moved apart along the normal by the depth, they only just touch
        pose_a[:3] -= (gap - 1e-7) * found.normal
        assert distance(moved(one, pose_a), moved(two, pose_b)) == pytest.approx(1e-7, abs=1e-10)


@given(seed=seeds, radius=st.sampled_from((0.0, 0.1)))
@examples(60)
def test_a_disc_is_as_far_from_a_polygon_as_its_centre_less_its_radius(seed: int, radius: float):
    rng = np.random.default_rng(seed)
    points = convex(rng, 1.0)
    pose_a, pose_b = pose(rng.uniform(-1.5, 1.5, 2), 0.3), pose(rng.uniform(-0.1, 0.1, 2), rng.uniform(-3, 3))
    corners = moved(points, pose_b)
    gap = min(distance_to_side(pose_a[:2], *side) for side in sides(corners))
    if holds(corners, pose_a[:2]):
        if gap > 0.05:  # shallow overlaps only: deep ones are not checked here
            return
        gap = -gap
    found = touch(Sphere(A, 0.2), Polygon(B, points, radius=radius), pose_a, pose_b)
    assert found.gap == pytest.approx(gap - 0.2 - radius, abs=1e-11)


@given(seed=seeds)
@examples(60)
def test_polygons_with_reentrant_corners_have_their_distance(seed: int):
    rng = np.random.default_rng(seed)
    one, two = star(rng, 1.0), star(rng, 0.7)
    turn, way = rng.uniform(-3, 3), rng.uniform(1.75, 2.6)
    pose_a, pose_b = pose((way * math.cos(turn), way * math.sin(turn)), rng.uniform(-3, 3)), pose((0.0, 0.0), 0.2)
    gap = distance(moved(one, pose_a), moved(two, pose_b))
    check_touch(Polygon(A, one), Polygon(B, two), pose_a, pose_b, gap)


@given(seed=seeds, tilt=st.sampled_from((0.0, 1e-9, 1e-7, 1e-3, 0.19, 1.0)), make=st.sampled_from((convex, star)))
@examples(120)
def test_a_polygon_on_a_plane_has_the_height_of_its_lowest_corner(seed: int, tilt: float, make):
    """However deep it is, in the first search and those after it, also where a side is nearly flush."""
    rng = np.random.default_rng(seed)
    points = make(rng, 1.0)
    p = pose(rng.uniform(-1, 1, 2), rng.uniform(-3, 3))
    corners = moved(points, p)
    along = corners[1] - corners[0]
    direction = math.atan2(along[1], along[0]) + 0.5 * math.pi + tilt
    normal = np.array([math.cos(direction), math.sin(direction)])
    lowest = ((corners - (0.2, 0.1)) @ normal).min() - 0.05
    follower = Follower(Polygon(A, points, radius=0.05), Plane(B, (0.2, 0.1), normal))
    for _ in range(2):
        found = follower.at(p, HERE)
        assert found.gap == pytest.approx(lowest, abs=1e-11)
        assert_close(found.normal[:2], normal, 1e-12, "normal")
        assert (found.point_a[:2] - (0.2, 0.1)) @ normal == pytest.approx(lowest, abs=1e-11)


@given(angle=angles)
@examples(30)
def test_a_capsule_is_a_line_with_a_radius(angle: float):
    square, bar = Polygon(B, SQUARE), Segment(A, (-0.4, 0.0), (0.4, 0.0), radius=0.1)
    p = pose((1.3, 0.2), angle)
    ends = moved(np.array([(-0.4, 0.0), (0.4, 0.0)]), p)
    corners = np.array(SQUARE)
    gap = min(
        min(distance_to_side(end, *side) for end in ends for side in sides(corners)),
        min(distance_to_side(corner, *ends) for corner in corners),
    )
    check_touch(bar, square, p, HERE, gap - 0.1)


# ---- deep overlaps of dented polygons


def bent(rng: np.random.Generator) -> Points:
    """An L of random limbs."""
    width, height = rng.uniform(0.5, 1.5, 2)
    t, u = rng.uniform(0.1, 0.45, 2)
    return np.array(
        [(0, 0), (width, 0), (width, t * height), (u * width, t * height), (u * width, height), (0, height)]
    )


def along_sides(points: Points, count: int = 40) -> Points:
    parts = np.linspace(0.0, 1.0, count, endpoint=False)[:, None]
    return np.vstack([start + parts * (end - start) for start, end in sides(points)])


@given(seed=seeds, make=st.sampled_from((bent, star)))
@examples(80)
def test_dented_polygons_that_overlap_have_a_depth_however_deep_they_are(seed: int, make):
    """The points lie on the outlines, the normal leads out of the overlap, and the depth is that of a place there."""
    rng = np.random.default_rng(seed)
    one, two = bent(rng), make(rng, *((0.8,) if make is star else ()))
    pose_a, pose_b = pose(rng.uniform(-0.6, 0.6, 2), rng.uniform(-3, 3)), pose(rng.uniform(-0.3, 0.3, 2), 0.7)
    a, b = moved(one, pose_a), moved(two, pose_b)
    if not any(holds(y, p) for x, y in ((a, b), (b, a)) for p in along_sides(x)):
        return
    found = touch(Polygon(A, one), Polygon(B, two), pose_a, pose_b)
    assert -2.0 < found.gap < 0.0
    assert np.linalg.norm(found.normal) == pytest.approx(1.0, abs=1e-14)
    assert_close(found.point_a - found.point_b, found.gap * found.normal, 1e-11, "points")
    other = touch(Polygon(B, two), Polygon(A, one), pose_b, pose_a)
    assert other.gap == pytest.approx(found.gap, abs=1e-9)


def test_bars_that_cross_overlap_by_half_of_the_thicker_one():
    """No corner is in the other part: the deepest points are in the middle of the crossing."""
    limb = [(-1.0, -0.05), (1.0, -0.05), (1.0, 0.05), (-0.9, 0.05), (-0.9, 0.3), (-1.0, 0.3)]
    thick = [(-1.0, -0.1), (1.0, -0.1), (1.0, 0.1), (-0.8, 0.1), (-0.8, 0.4), (-1.0, 0.4)]
    found = touch(Polygon(A, limb), Polygon(B, thick), pose((0.0, 0.2), 0.5 * math.pi), HERE)
    assert found.gap == pytest.approx(-0.1, abs=1e-9)
    assert abs(found.normal[1]) == pytest.approx(1.0, abs=1e-12)
    assert found.point_a[1] == pytest.approx(0.0, abs=1e-9)
    assert abs(found.point_b[1]) == pytest.approx(0.1, abs=1e-12)


@pytest.mark.parametrize("x", [0.3, 0.0, -0.2])
def test_a_polygon_within_a_dented_one_is_as_deep_as_its_deepest_corner(x: float):
    wall = 10.0 * np.array(CORNER)
    small = np.array([(-0.1, -0.1), (0.1, -0.1), (0.05, 0.0), (0.1, 0.1), (-0.1, 0.1)])
    centre = (15.0 + x, 2.6)
    found = touch(Polygon(A, small), Polygon(B, wall), pose(centre, 0.0), HERE)
    assert found.gap == pytest.approx(-2.5, abs=1e-9)


def test_a_ball_deep_in_a_dented_polygon_is_as_deep_as_its_centre():
    wall = 10.0 * np.array(CORNER)
    found = touch(Sphere(A, 0.2), Polygon(B, wall), pose((12.0, 2.2), 0.0), HERE)
    assert found.gap == pytest.approx(-2.4, abs=1e-9)
    assert found.normal == pytest.approx((0.0, -1.0, 0.0), abs=1e-9)


# ---- spots


def spots(a, b, pose_a) -> list:
    a.body.position, a.body.angle = tuple(pose_a[:2]), math.atan2(pose_a[6], pose_a[3])
    b.body.position, b.body.angle = (0.0, 0.0), 0.0
    return list(cm.closest(a, b).spots)


@pytest.mark.parametrize("x", [0.0, 0.3, -0.7])
@pytest.mark.parametrize("depth", [1e-6, 1e-3])
def test_flush_sides_touch_at_both_ends_of_their_common_part(x: float, depth: float):
    found = spots(Polygon(A, SQUARE), Polygon(B, SQUARE), pose((x, 1.0 - depth), 0.0))
    assert [spot.gap for spot in found] == pytest.approx([-depth] * 2, abs=1e-12)
    ends = sorted(float(spot.point_a[0]) for spot in found)
    assert ends == pytest.approx([max(-0.5, x - 0.5), min(0.5, x + 0.5)], abs=1e-12)
    assert all(spot.normal == pytest.approx((0.0, 1.0), abs=1e-12) for spot in found)


def test_spots_of_a_tilted_block_have_depths_of_their_own():
    tilt = 1e-4
    found = spots(Polygon(A, SQUARE), Plane(B), pose((0.0, 0.5 - 1e-3), tilt))
    corners = moved(np.array(SQUARE[:2]), pose((0.0, 0.5 - 1e-3), tilt))
    assert sorted(spot.gap for spot in found) == pytest.approx(sorted(corners[:, 1]), abs=1e-12)


def test_a_part_in_a_fork_touches_both_prongs():
    """A block 1.002 wide in a slot of 1: two places on each side."""
    block = [(-0.501, -0.4), (0.501, -0.4), (0.501, 0.4), (-0.501, 0.4)]
    found = spots(Polygon(A, block), Polygon(B, FORK), pose((1.5, 1.7), 0.0))
    assert len(found) == 4
    assert all(spot.gap == pytest.approx(-0.001, abs=1e-12) for spot in found)
    assert sorted(round(float(spot.normal[0])) for spot in found) == [-1, -1, 1, 1]


def test_a_ball_in_a_reentrant_corner_touches_both_sides():
    found = spots(Sphere(A, 0.3), Polygon(B, CORNER), pose((0.79, 0.795), 0.0))
    assert [spot.gap for spot in found] == pytest.approx([-0.01, -0.005], abs=1e-12)
    assert found[0].normal == pytest.approx((1.0, 0.0))
    assert found[1].normal == pytest.approx((0.0, 1.0))


def test_a_curve_with_corners_is_the_polygon_through_them():
    curve = Curve(B, FORK, closed=True, corners=range(len(FORK)))
    for x, y, angle in itertools.product((1.5, 3.6), (1.75, 2.6), (0.0, 0.4)):
        p = pose((x, y), angle)
        assert touch(Polygon(A, SQUARE), curve, p, HERE).gap == pytest.approx(
            touch(Polygon(A, SQUARE), Polygon(B, FORK), p, HERE).gap, abs=1e-12
        )


@given(x=st.floats(-1.0, 1.0), height=st.floats(0.3, 0.6), angle=angles)
@examples(30)
def test_a_square_above_a_wave_has_the_least_distance(x: float, height: float, angle: float):
    wave = Curve.function(B, lambda s: (s, 0.1 * math.sin(3.0 * s)), (-4.0, 4.0))
    p = pose((x, height + 0.45), angle)
    corners = moved(np.array(SQUARE), p)
    s = np.linspace(-3.0, 3.0, 20001)
    points = np.column_stack([s, 0.1 * np.sin(3.0 * s)])
    least = min(float(np.min([distance_to_side(q, *side) for q in points[::40]])) for side in sides(corners))
    if corners[:, 1].min() < 0.15:
        return
    found = touch(Polygon(A, SQUARE), wave, p, HERE)
    assert found.gap <= least + 1e-12
    assert found.gap == pytest.approx(least, abs=2e-3)
    assert_close(found.point_a - found.point_b, found.gap * found.normal, 1e-10, "points")


# ---- the shape


def test_either_sense_of_rotation_is_one_polygon():
    one, two = Polygon(A, FORK), Polygon(A, FORK[::-1])
    assert one.area == pytest.approx(5.0)
    assert two.area == pytest.approx(5.0)
    assert sorted(one.points) == sorted(two.points)
    p = pose((3.4, 1.0), 0.0)
    assert touch(Sphere(B, 0.1), two, p, HERE).gap == pytest.approx(0.3)
    assert not one.is_convex
    assert Polygon(A, SQUARE, radius=0.1).area == pytest.approx(1.0 + 0.4 + 0.01 * math.pi)


def test_points_on_a_straight_side_are_no_corners():
    split = [(-0.5, -0.5), (0.0, -0.5), (0.5, -0.5), (0.5, 0.5), (-0.5, 0.5)]
    found = spots(Polygon(A, split), Plane(B), pose((0.0, 0.499), 0.0))
    assert len(found) == 2


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: Polygon(A, SQUARE[:2]), r"Polygon on 'a': points must be at least 3 (corners|pairs)"),
        (lambda: Polygon(A, [(0, 0), (1, 1), (1, 0), (0, 1)]), r"the polygon intersects itself at \(0.5, 0.5\)"),
        (lambda: Polygon(A, [(0, 0), (1, 1), (2, 2)]), r"Polygon on 'a': "),
        (lambda: Polygon(A, SQUARE, radius=-1.0), r"radius"),
        (lambda: Polygon(cm.Body("rock", 1.0, (1, 1, 1)), SQUARE), r"needs a planar body, .* use a ConvexHull"),
        (lambda: Polygon(A, [(0, 0), (1, 0), (math.nan, 1)]), r"points must be finite"),
    ],
)
def test_bad_polygons_are_refused(make, message: str):
    with pytest.raises(cm.ModelError, match=message):
        make()


def peanut() -> Curve:
    t = np.linspace(0.0, 2.0 * math.pi, 60, endpoint=False)
    radius = 0.3 + 0.12 * np.cos(2.0 * t)
    return Curve(A, np.column_stack([radius * np.cos(t), radius * np.sin(t)]), closed=True)


SHAPES_WITH_DENTS = {
    "fork": lambda: Polygon(A, FORK),
    "rounded fork": lambda: Polygon(A, FORK, radius=0.1),
    "peanut": peanut,
    "gear": lambda: Curve(A, cm.profiles.SpurGear(37, 0.05)),
}


@each("name", SHAPES_WITH_DENTS)
@pytest.mark.parametrize("height", [1.2, 0.2, 0.0, -0.3, -4.0])
def test_above_a_plane_the_gap_is_the_height_of_the_lowest_point(name: str, height: float):
    """However deep the shape is, also where other parts of it are nearer to the plane."""
    shape, plane = SHAPES_WITH_DENTS[name](), Plane(cm.System().ground)
    radius = getattr(shape, "radius", 0.0)
    points = FORK if "fork" in name else np.asarray(shape.outline(20_000))[:, :2]
    for angle in np.linspace(0.1, 6.0, 7):
        shape.body.position, shape.body.angle = (0.0, height), angle
        lowest = (np.asarray(points) @ (math.sin(angle), math.cos(angle))).min() + height - radius
        found = cm.closest(shape, plane)
        assert found.gap == pytest.approx(lowest, abs=3e-5 if name == "gear" else 1e-8)
        assert found.normal[:2] == pytest.approx([0.0, 1.0], abs=1e-12)
    shape.body.position, shape.body.angle = (0.0, 0.0), 0.0
