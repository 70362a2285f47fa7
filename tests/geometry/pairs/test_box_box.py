"""Boxes and discs on walls, and boxes at each other: apart, in each other, and the spots at which they stand."""

import math

import numpy as np
import pytest
from hypothesis import given
from scipy.optimize import lsq_linear

import carom as cm
from carom.geometry.pairs.base import NO_CONTACT
from carom.geometry.pairs.registry import pair
from carom.geometry.pose import pose
from carom.geometry.shapes import Box, Disc, Plane
from geometry.pairs.contacts import Motion, place, random_pose, rock, seeds, touch, touch_at
from geometry.pairs.in_space import coin, tilted, wall

HERE = pose((0.0, 0.0, 0.0), 0.0)
A, B = rock("a"), rock("b")
ROOT = math.sqrt(0.5)


def frame(box: Box, p: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Centre, and half sides along the axes as columns, in global axes."""
    return place(p, np.array(box.at)), p[3:].reshape(3, 3) @ box.axes * np.array(box.half)


def between(a: Box, b: Box, pose_a, pose_b) -> np.ndarray:
    """The shortest way from b to a, by least squares with bounds."""
    (centre_a, sides_a), (centre_b, sides_b) = frame(a, pose_a), frame(b, pose_b)
    matrix = np.column_stack([sides_a, -sides_b])
    found = lsq_linear(matrix, centre_b - centre_a, (-1.0, 1.0), method="bvls", tol=1e-15)
    return centre_a - centre_b + matrix @ found.x


def overlap(a: Box, b: Box, pose_a, pose_b, directions: np.ndarray) -> np.ndarray:
    """Return the distance by which a must move along each direction (rows) until it has left b."""
    (centre_a, sides_a), (centre_b, sides_b) = frame(a, pose_a), frame(b, pose_b)
    reach = np.abs(directions @ sides_a).sum(axis=1) + np.abs(directions @ sides_b).sum(axis=1)
    return reach - directions @ (centre_a - centre_b)


def test_apart_the_gap_is_the_least_distance():
    rng = np.random.default_rng(3)
    count = 0
    while count < 200:
        a, b = tilted(rng, A), tilted(rng, B)
        poses = random_pose(rng, 1.0, True), random_pose(rng, 1.0, True)
        way = between(a, b, *poses)
        distance = float(np.linalg.norm(way))
        found = touch(a, b, *poses)
        if distance < 1e-6:
            assert found.gap <= 1e-6
            continue
        count += 1
        assert found.gap == pytest.approx(distance, abs=1e-9)
        assert found.normal == pytest.approx(way / distance, abs=1e-7)
        crossed = touch_at(25, a, b, *poses).gap
        assert crossed == NO_CONTACT or crossed >= distance - 1e-9


def test_in_each_other_the_gap_is_the_least_way_out():
    rng = np.random.default_rng(4)
    directions = rng.normal(size=(4000, 3))
    directions /= np.linalg.norm(directions, axis=1)[:, None]
    edges = count = 0
    while count < 200:
        a, b = tilted(rng, A), tilted(rng, B)
        poses = random_pose(rng, 0.4, True), random_pose(rng, 0.4, True)
        found = touch(a, b, *poses)
        if found.gap >= 0.0:
            continue
        count += 1
        assert overlap(a, b, *poses, found.normal[None])[0] == pytest.approx(-found.gap, abs=1e-12)
        assert overlap(a, b, *poses, directions).min() >= -found.gap - 1e-12
        near = found.normal + 1e-3 * directions  # no direction close by is better either
        near /= np.linalg.norm(near, axis=1)[:, None]
        assert overlap(a, b, *poses, near).min() >= -found.gap - 1e-12
        out = poses[0].copy()
        out[:3] -= found.gap * found.normal
        assert np.linalg.norm(between(a, b, out, poses[1])) < 1e-7
        for box, p, point in ((a, poses[0], found.point_a), (b, poses[1], found.point_b)):  # on the skins
            centre, sides = frame(box, p)
            assert np.abs(np.linalg.solve(sides, point - centre)).max() == pytest.approx(1.0, abs=1e-9)
        edges += touch_at(25, a, b, *poses).gap == pytest.approx(found.gap, abs=1e-12)
    assert edges > 20


@given(seed=seeds)
def test_the_gap_moves_no_faster_than_the_bodies(seed: int):
    rng = np.random.default_rng(seed)
    a, b = tilted(rng, A), tilted(rng, B)
    p, q = random_pose(rng, 0.6, True), random_pose(rng, 0.6, True)
    motion = Motion.random(rng, True)
    reach = np.linalg.norm(a.corners, axis=1).max()
    fastest = np.linalg.norm(motion.velocity) + np.linalg.norm(motion.omega) * reach
    gaps = [touch(a, b, motion.moved(p, t), q).gap for t in np.linspace(0.0, 1.0, 51)]
    assert np.max(np.abs(np.diff(gaps))) <= 0.02 * fastest + 1e-10


@given(seed=seeds)
def test_swapping_boxes_swaps_their_spots(seed: int):
    rng = np.random.default_rng(seed)
    a, b = tilted(rng, A), tilted(rng, B)
    p, q = random_pose(rng, 0.4, True), random_pose(rng, 0.4, True)
    for spot in range(26):
        back = spot if spot == 0 or spot > 16 else (spot + 7) % 16 + 1
        one, other = touch_at(spot, a, b, p, q), touch_at(back, b, a, q, p)
        assert one.gap == other.gap
        assert np.array_equal(one.normal, -other.normal)
        assert np.array_equal(one.point_a, other.point_b)
        assert np.array_equal(one.point_b, other.point_a)
        assert np.array_equal(one.force_point, other.force_point)


def test_a_box_stands_on_a_plane_with_four_corners():
    box, floor = Box(A, (0.3, 0.2, 0.1), at=(0.05, 0, 0)), Plane(B)
    standing = pose((1.0, 2.0, 0.1 - 1e-4), 0.0)
    spots = [touch_at(k, box, floor, standing, HERE) for k in range(1, 9)]
    closed = [spot for spot in spots if spot.gap < 0.0]
    assert [spot.gap for spot in closed] == pytest.approx([-1e-4] * 4, abs=1e-15)
    corners = {(round(spot.point_b[0], 12), round(spot.point_b[1], 12)) for spot in closed}
    assert corners == {(0.75, 1.8), (1.35, 1.8), (1.35, 2.2), (0.75, 2.2)}
    for k, spot in enumerate(spots):
        assert spot.point_a == pytest.approx(place(standing, box.corners[k]), abs=1e-15)
    found = touch(box, floor, standing, HERE)
    assert found.gap == pytest.approx(-1e-4, abs=1e-15)
    assert found.point_b == pytest.approx((1.05, 2.0, 0.0), abs=1e-15)


def test_the_deepest_corner_or_the_middle_of_the_lowest_edge():
    rng = np.random.default_rng(5)
    for _ in range(200):
        box, floor = tilted(rng, A), wall(rng, B)
        p, q = random_pose(rng, 1.0, True), random_pose(rng, 1.0, True)
        heights = [touch_at(k, box, floor, p, q).gap for k in range(1, 9)]
        normal = q[3:].reshape(3, 3) @ floor.normal
        expected = [(place(p, corner) - place(q, np.array(floor.at))) @ normal for corner in box.corners]
        assert heights == pytest.approx(expected, abs=1e-14)
        assert touch(box, floor, p, q).gap == pytest.approx(min(heights), abs=1e-14)
    on_edge = np.array([0, 0, 1, 1, 0, 0, 0, ROOT, -ROOT, 0, ROOT, ROOT], float)
    found = touch(Box(A, (0.3, 0.2, 0.2)), Plane(B), on_edge, HERE)
    assert found.point_b == pytest.approx((0, 0, 0), abs=1e-15)
    assert found.gap == pytest.approx(1.0 - 0.4 * ROOT, abs=1e-15)


def test_the_rim_of_a_disc_is_nowhere_deeper():
    rng = np.random.default_rng(6)
    turn = np.linspace(0.0, 2.0 * math.pi, 100001)
    for _ in range(200):
        disc, floor = coin(rng, A), wall(rng, B)
        p, q = random_pose(rng, 1.0, True), random_pose(rng, 1.0, True)
        spots = [touch_at(k, disc, floor, p, q) for k in range(4)]
        normal = q[3:].reshape(3, 3) @ floor.normal
        centre, axis = place(p, np.array(disc.at)), p[3:].reshape(3, 3) @ disc.axis
        side = np.cross(axis, normal) / np.linalg.norm(np.cross(axis, normal))
        rim = np.cos(turn)[:, None] * side + np.sin(turn)[:, None] * np.cross(axis, side)
        heights = (centre + disc.radius * rim - place(q, np.array(floor.at))) @ normal
        assert spots[0].gap == spots[1].gap == pytest.approx(heights.min(), abs=1e-9)
        arms = np.array([spot.point_a - centre for spot in spots[1:]])
        assert arms @ arms.T == pytest.approx(disc.radius**2 * (1.5 * np.eye(3) - 0.5), abs=1e-13)
        assert arms @ axis == pytest.approx(0.0, abs=1e-14)


def test_a_flat_disc_is_closest_at_its_centre_and_stands_on_three_points():
    disc, floor = Disc(A, (0.1, 0, 0.3), (0, 0, 1), 0.2), Plane(B)
    assert touch(disc, floor, HERE, HERE).point_a == pytest.approx((0.1, 0, 0.3), abs=1e-15)
    spots = [touch_at(k, disc, floor, HERE, HERE) for k in (1, 2, 3)]
    assert [spot.gap for spot in spots] == pytest.approx([0.3] * 3, abs=1e-15)
    assert sum(spot.point_a for spot in spots) / 3.0 == pytest.approx((0.1, 0, 0.3), abs=1e-15)
    with pytest.raises(cm.ModelError, match=r"Contact 'x': Disc on 'a' touches Plane on 'b' with its rim"):
        pair("Contact 'x'", Disc(A, (0, 0, 0), (0, 0, 1), 0.2, edges="ignore"), floor)


def at(x: float, y: float, z: float) -> np.ndarray:
    return pose((x, y, z), 0.0)


def test_a_box_on_a_box():
    small, large = Box(A, (0.2, 0.2, 0.1)), Box(B, (1.0, 1.0, 0.5))
    found = touch(small, large, at(0.3, 0.4, 0.59), HERE)
    assert found.gap == pytest.approx(-0.01, abs=1e-15)
    assert found.normal == pytest.approx((0, 0, 1), abs=1e-15)
    assert found.force_point == pytest.approx((0.3, 0.4, 0.495), abs=1e-14)
    spots = [touch_at(k, small, large, at(0.3, 0.4, 0.59), HERE).gap for k in range(1, 26)]
    assert sum(gap == pytest.approx(-0.01, abs=1e-15) for gap in spots) == 4
    # Half over the edge: two corners of one, and the middle of what is above the other.
    found = touch(small, large, at(1.0, 0.4, 0.7), HERE)
    assert found.gap == pytest.approx(0.1, abs=1e-15)
    assert found.point_b == pytest.approx((0.9, 0.4, 0.5), abs=1e-12)


def test_crossed_edges():
    """Two long bars on their edges, one across the other."""
    edge_up = np.array([1, 0, 0, 0, ROOT, -ROOT, 0, ROOT, ROOT], float)
    edge_up_across = np.array([0, -ROOT, ROOT, 1, 0, 0, 0, ROOT, ROOT], float)
    low = np.concatenate([[0, 0, 0], edge_up])
    for height in (0.5, 2 * 0.1 * math.sqrt(2.0) - 0.01):
        high = np.concatenate([[0.1, 0.2, height], edge_up_across])
        a, b = Box(A, (1, 0.1, 0.1)), Box(B, (1, 0.1, 0.1))
        for spot in (0, 25):
            found = touch_at(spot, a, b, high, low)
            assert found.gap == pytest.approx(height - 0.2 * math.sqrt(2.0), abs=1e-14)
            assert found.normal == pytest.approx((0, 0, 1), abs=1e-14)
            assert found.force_point == pytest.approx((0.1, 0.0, 0.5 * height), abs=1e-13)
    assert touch_at(25, a, b, at(5, 3, 2), HERE).gap == NO_CONTACT


@pytest.mark.parametrize("where", [(0, 0, 0), (0.4, 0, 0), (0.4, 0.4, 0), (0.4, 0.4, 0.4), (0.2, 0.2, 0), (1, 0, 0)])
def test_degenerate_positions_give_numbers(where):
    boxes = Box(A, (0.2, 0.2, 0.2)), Box(B, (0.2, 0.2, 0.2))
    for spot in range(26):
        for turned in (HERE[3:], np.array([0, -1, 0, 1, 0, 0, 0, 0, 1], float)):
            found = touch_at(spot, *boxes, np.concatenate([where, turned]), HERE)
            assert all(np.all(np.isfinite(v)) for v in vars(found).values())
            assert np.linalg.norm(found.normal) == pytest.approx(1.0, abs=1e-12)
    # Side by side the way out along a face is the sum of the halves less the distance.
    if where != (1, 0, 0):
        assert touch(*boxes, at(*where), HERE).gap == pytest.approx(max(where) - 0.4, abs=1e-12)
