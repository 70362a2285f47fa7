"""The spots at which two boxes meet, against a polygon that is clipped side by side."""

import math
from dataclasses import dataclass

import numpy as np
import pytest
from hypothesis import assume, given
from scipy.spatial.transform import Rotation

from carom.geometry.pairs.base import NO_CONTACT
from carom.geometry.pairs.box_clipping import SHORT_SIDE
from carom.geometry.pairs.box_manifold import EDGE_POINT
from carom.geometry.pairs.box_separating_axes import LEVEL_COSINE
from carom.geometry.pose import pose
from carom.geometry.shapes import Box
from geometry.pairs.contacts import Follower, Motion, Touch, after, place, random_pose, rock, seeds
from geometry.pairs.in_space import tilted

HERE = pose((0.0, 0.0, 0.0), 0.0)
A, B = rock("a"), rock("b")
CUBES = Box(A, (0.1, 0.1, 0.1)), Box(B, (0.1, 0.1, 0.1))


def at(x: float, y: float, z: float, axis=(0.0, 0.0, 1.0), degrees: float = 0.0) -> np.ndarray:
    turn = Rotation.from_rotvec(np.radians(degrees) * np.array(axis) / np.linalg.norm(axis))
    return np.concatenate([[x, y, z], turn.as_matrix().ravel()])


def spots(a: Box, b: Box, p: np.ndarray, q: np.ndarray) -> list[Touch]:
    return [Follower(a, b, k).at(p, q) for k in range(1, EDGE_POINT + 1)]


def closed(a: Box, b: Box, p: np.ndarray, q: np.ndarray) -> dict[int, Touch]:
    return {k: spot for k, spot in enumerate(spots(a, b, p, q), start=1) if spot.gap < 0.0}


@dataclass
class Solid:
    """A box in global axes, its axes as columns."""

    centre: np.ndarray
    axes: np.ndarray
    half: np.ndarray

    @classmethod
    def of(cls, box: Box, p: np.ndarray):
        return cls(place(p, np.array(box.at)), p[3:].reshape(3, 3) @ box.axes, np.array(box.half))

    def face(self, towards: np.ndarray) -> tuple[np.ndarray, np.ndarray, list[tuple[np.ndarray, float]]]:
        """Unit normal, corners in order, and side planes (normal, offset) of the face most along ``towards``."""
        k = int(np.argmax(np.abs(self.axes.T @ towards)))
        normal = self.axes[:, k] * np.sign(self.axes[:, k] @ towards)
        (u, hu), (v, hv) = ((self.axes[:, (k + i) % 3], self.half[(k + i) % 3]) for i in (1, 2))
        middle = self.centre + self.half[k] * normal
        corners = np.array([middle + s * hu * u + t * hv * v for s, t in ((-1, -1), (1, -1), (1, 1), (-1, 1))])
        planes = [(s * w, s * w @ self.centre + h) for w, h in ((u, hu), (v, hv)) for s in (-1.0, 1.0)]
        return normal, corners, planes


def separations(a: Solid, b: Solid) -> tuple[np.ndarray, np.ndarray]:
    """Return the separations of the boxes along their axes and products of axes, and these directions from b to a."""
    products = [np.cross(p, q) for p in a.axes.T for q in b.axes.T]
    ways = np.array([*a.axes.T, *b.axes.T, *(w / np.linalg.norm(w) for w in products)])
    far = ways @ (a.centre - b.centre)
    ways *= np.where(far < 0.0, -1.0, 1.0)[:, None]
    reach = np.abs(ways @ a.axes) @ a.half + np.abs(ways @ b.axes) @ b.half
    return np.abs(far) - reach, ways


def clipped(polygon: np.ndarray, planes: list[tuple[np.ndarray, float]]) -> np.ndarray:
    """Sutherland and Hodgman: the part of the polygon behind all planes."""
    for normal, offset in planes:
        heights = polygon @ normal - offset
        kept = []
        for k, (point, height) in enumerate(zip(polygon, heights, strict=True)):
            before, last = polygon[k - 1], heights[k - 1]
            if (height > 0.0) != (last > 0.0):
                kept.append(before + last / (last - height) * (point - before))
            if height <= 0.0:
                kept.append(point)
        if not kept:
            return np.empty((0, 3))
        polygon = np.array(kept)
    return polygon


def polygon_of(reference: Solid, incident: Solid, normal: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Points of the incident face above the reference, their gaps, and what the spots make of these."""
    towards, corners, planes = reference.face(normal)
    polygon = clipped(incident.face(-normal)[1], planes)
    gaps = (polygon - corners[0]) @ towards
    if len(polygon) == 0:
        return polygon, gaps, gaps
    flat = polygon - gaps[:, None] * towards
    # The positive sense is that about the axis of the reference, which its normal may be against.
    axis = reference.axes[:, int(np.argmax(np.abs(reference.axes.T @ normal)))]
    area = sum(np.cross(p - flat[0], q - flat[0]) for p, q in zip(flat, np.roll(flat, -1, axis=0), strict=True))
    ahead = -1 if area @ axis > 0.0 else 1
    lengths = np.linalg.norm(np.roll(flat, ahead, axis=0) - flat, axis=1)
    short = SHORT_SIDE * min(np.linalg.norm(reference.half), np.linalg.norm(incident.half))
    return polygon, gaps, np.where(gaps < 0.0, gaps * np.minimum(1.0, lengths / short), gaps)


def assert_polygon(found: dict[int, Touch], points: np.ndarray, gaps: np.ndarray, on_a: bool) -> None:
    """Each closed spot is a corner of the polygon, and each deep corner a spot."""
    assert len(found) == np.sum(gaps < -1e-9)
    for spot in found.values():
        # The point on the reference's side is at the place of the corner, seen along the normal.
        way = points - (spot.point_b if on_a else spot.point_a)
        aside = np.linalg.norm(way - (way @ spot.normal)[:, None] * spot.normal, axis=1)
        k = int(np.argmin(np.where(gaps < 0.0, aside, 1.0)))
        assert aside[k] < 1e-7
        assert spot.gap == pytest.approx(gaps[k], abs=1e-7)


def test_flush_boxes_meet_at_four_corners():
    for moved in (0.0, 1e-12, -1e-12):
        for turned in (0.0, 1e-11):
            found = closed(*CUBES, at(moved, -moved, 0.199, degrees=turned), HERE)
            assert list(found) == [1, 2, 3, 4]
            for spot in found.values():
                assert spot.gap == pytest.approx(-1e-3, abs=1e-11)
                assert spot.normal == pytest.approx((0, 0, 1), abs=1e-15)
            corners = {tuple(np.round(spot.force_point, 9)) for spot in found.values()}
            assert corners == {(x, y, 0.0995) for x in (-0.1, 0.1) for y in (-0.1, 0.1)}


@pytest.mark.parametrize("shift", [(1e-6, 0.0), (0.03, 0.0), (0.03, -0.02), (-1e-6, 1e-6)])
def test_shifted_boxes_meet_at_the_corners_of_what_they_share(shift):
    x, y = shift
    found = closed(*CUBES, at(x, y, 0.199), HERE)
    assert len(found) == 4
    shared = [(max(-0.1, w - 0.1), min(0.1, w + 0.1)) for w in (x, y)]
    assert {tuple(np.round(s.force_point[:2], 8)) for s in found.values()} == {
        (round(u, 8), round(v, 8)) for u in shared[0] for v in shared[1]
    }
    assert [spot.gap for spot in found.values()] == pytest.approx([-1e-3] * 4, abs=1e-12)


def test_turned_boxes_meet_at_an_octagon():
    up = np.array([0.0, 0.0, 1.0])
    for p in (at(0.01, 0.004, 0.199, degrees=30.0), at(0.01, 0.004, 0.1995, (0.004, 0.002, 1.0), 30.0)):
        found = closed(*CUBES, p, HERE)
        assert len(found) == 8
        assert all(np.array_equal(spot.normal, up) for spot in found.values())
        points, gaps, _ = polygon_of(Solid.of(CUBES[1], HERE), Solid.of(CUBES[0], p), up)
        assert_polygon(found, points, gaps, False)
    assert closed(*CUBES, at(0, 0, 0.2 + 1e-9, degrees=30.0), HERE) == {}


def test_edge_on_edge_and_corner_on_face():
    crossed = closed(*CUBES, at(0.02, 0, 0.28, (0, 1, 0), 45.0), at(0, 0.03, 0, (1, 0, 0), 45.0))
    assert list(crossed) == [EDGE_POINT]
    depth = 0.2 * math.sqrt(2.0) - 0.28
    assert crossed[EDGE_POINT].gap == pytest.approx(-depth, abs=1e-14)
    assert crossed[EDGE_POINT].force_point == pytest.approx((0.02, 0.03, 0.14), abs=1e-13)
    tip = Rotation.align_vectors([[0, 0, -1]], [[1, 1, 1]])[0].as_matrix()
    p = np.concatenate([[0.02, 0.01, 0.1 + 0.1 * math.sqrt(3.0) - 1e-3], tip.ravel()])
    standing = closed(*CUBES, p, HERE)
    assert len(standing) == 1
    (k, spot), *_ = standing.items()
    assert k <= 8
    assert CUBES[0].corners[k - 1] == pytest.approx((0.1, 0.1, 0.1))
    assert spot.gap == pytest.approx(-1e-3, abs=1e-14)
    assert spot.force_point == pytest.approx((0.02, 0.01, 0.0995), abs=1e-13)


def test_a_domino_leans_against_the_next():
    """Flush in y: the upper front edge of one in the back of the other, at its two corners."""
    half = (0.00375, 0.012, 0.024)
    first, second = Box(A, half), Box(B, half)
    lean = math.radians(20.0)
    edge = math.cos(lean) * half[0] + math.sin(lean) * half[2]
    p = at(-half[0] - edge + 1e-5, 0.0, -0.01, (0, 1, 0), 20.0)
    found = closed(first, second, p, HERE)
    assert len(found) == 2
    height = -0.01 - math.sin(lean) * half[0] + math.cos(lean) * half[2]
    for k, spot in found.items():
        assert k <= 8
        assert spot.normal == pytest.approx((-1, 0, 0), abs=1e-15)
        assert spot.gap == pytest.approx(-1e-5, abs=1e-14)
        assert spot.force_point == pytest.approx(
            (-half[0] + 0.5e-5, math.copysign(half[1], spot.point_a[1]), height), abs=1e-13
        )


def clear_cut(rng: np.random.Generator):
    """Two boxes, mostly face on face, one little turned against the other but not level, that meet along one direction
    beyond doubt: the boxes, their poses, that direction's number, and all separations and directions."""
    while True:
        boxes = Box(A, rng.uniform(0.1, 0.5, 3)), Box(B, rng.uniform(0.1, 0.5, 3))
        q = random_pose(rng, 0.4, True)
        p = after(q, at(*rng.uniform(-0.7, 0.7, 3), rng.normal(size=3), rng.uniform(0.0, 15.0)))
        a, b = (Solid.of(box, r) for box, r in zip(boxes, (p, q), strict=True))
        gaps, ways = separations(a, b)
        best = int(np.argmax(gaps))
        second = np.delete(gaps, best).max()
        level = np.max(np.abs(a.axes.T @ b.axes)) > LEVEL_COSINE
        if gaps[best] < 0.05 and gaps[best] > second + 0.1 * abs(second) + 1e-6 and not level:
            return boxes, p, q, best, gaps, ways


@given(seed=seeds)
def test_every_spot_is_a_corner_of_the_clipped_face(seed: int):
    boxes, p, q, best, gaps, ways = clear_cut(np.random.default_rng(seed))
    a, b = (Solid.of(box, r) for box, r in zip(boxes, (p, q), strict=True))
    found = closed(*boxes, p, q)
    if gaps[best] > 0.0:
        assert not found
    elif best >= 6:
        assert list(found) == [EDGE_POINT]
        assert found[EDGE_POINT].gap == pytest.approx(gaps[best], abs=1e-13)
        assert found[EDGE_POINT].normal == pytest.approx(ways[best], abs=1e-9)
    else:
        on_a = best < 3
        reference, incident = (a, b) if on_a else (b, a)
        points, _, made = polygon_of(reference, incident, -ways[best] if on_a else ways[best])
        assert_polygon(found, points, made, on_a)
        for spot in found.values():
            assert spot.normal == pytest.approx(ways[best], abs=1e-14)
            assert spot.point_a - spot.point_b == pytest.approx(spot.gap * spot.normal, abs=1e-14)
            assert spot.force_point == pytest.approx(0.5 * (spot.point_a + spot.point_b), abs=1e-15)
        assert min((spot.gap for spot in found.values()), default=0.0) >= gaps[best] - 1e-12


@given(seed=seeds)
def test_apart_no_spot_is_nearer_than_the_boxes_along_the_normal(seed: int):
    rng = np.random.default_rng(seed)
    boxes = tilted(rng, A), tilted(rng, B)
    p, q = random_pose(rng, 1.0, True), random_pose(rng, 1.0, True)
    gaps, _ = separations(*(Solid.of(box, r) for box, r in zip(boxes, (p, q), strict=True)))
    assume(gaps.max() > 1e-6)
    found = [spot.gap for spot in spots(*boxes, p, q)]
    assert min(found) >= 0.9 * gaps.max()
    assert min(found) < NO_CONTACT


def test_a_box_that_comes_down_closes_with_the_gap_of_its_spots():
    p = at(0.02, 0.01, 0.0, (0.02, 0.01, 1.0), 20.0)
    heights = np.linspace(0.22, 0.1985, 200)
    tracks = []
    for z in heights:
        p[2] = z
        tracks.append([spot.gap for spot in spots(*CUBES, p, HERE)])
    gaps = np.array(tracks)
    on = np.flatnonzero(gaps[-1] < 0.0)
    assert len(on) >= 4
    falls = np.diff(gaps[:, on], axis=0) / np.diff(heights)[:, None]
    assert falls == pytest.approx(np.ones_like(falls), abs=1e-3)  # along its own normal, by cos of the lean


@given(seed=seeds)
def test_a_common_motion_changes_no_spot(seed: int):
    rng = np.random.default_rng(seed)
    boxes = tilted(rng, A), tilted(rng, B)
    p, q, outer = random_pose(rng, 0.4, True), random_pose(rng, 0.4, True), random_pose(rng, 2.0, True)
    gaps, _ = separations(*(Solid.of(box, r) for box, r in zip(boxes, (p, q), strict=True)))
    first, second = np.sort(gaps)[[-1, -2]]
    assume(first > second + 0.1 * abs(second) + 1e-6)
    for one, other in zip(spots(*boxes, p, q), spots(*boxes, after(outer, p), after(outer, q)), strict=True):
        assert other.gap == pytest.approx(one.gap, abs=1e-7)
        if one.gap < NO_CONTACT:
            assert other.normal == pytest.approx(outer[3:].reshape(3, 3) @ one.normal, abs=1e-12)
            assert other.force_point == pytest.approx(place(outer, one.force_point), abs=1e-7)


def test_the_sum_of_all_depths_has_no_jump():
    """While corners slip over edges, appear and vanish; for forces with any power of the depth."""
    rng = np.random.default_rng(8)
    changes = 0
    for _ in range(6):
        motion = Motion(np.array([*rng.uniform(-0.1, 0.1, 2), 0.0]), np.array([*rng.uniform(-2e-3, 2e-3, 2), 0.5]))
        start = at(*rng.uniform(-0.04, 0.04, 2), 0.198, degrees=rng.uniform(-50.0, 50.0))
        followers = [Follower(*CUBES, k) for k in range(1, EDGE_POINT + 1)]

        def depths(times: np.ndarray) -> np.ndarray:
            poses = [motion.moved(start, t) for t in times]  # noqa: B023
            return np.array([[max(-f.at(pose, HERE).gap, 0.0) for f in followers] for pose in poses])  # noqa: B023

        coarse = depths(np.linspace(0.0, 1.0, 401))
        changes += np.count_nonzero(np.diff(np.sum(coarse > 0.0, axis=1)))
        for power in (1.0, 1.5):
            # In a step of 0.4 mm at most a side loses a quarter of the length over which a corner fades.
            steps = np.abs(np.diff(np.sum(coarse**power, axis=1)))
            assert np.max(steps) < 1.2 * (2.3e-3) ** power
            jump = int(np.argmax(steps))
            fine = depths(np.linspace(jump / 400.0, (jump + 1) / 400.0, 41))
            assert np.max(np.abs(np.diff(np.sum(fine**power, axis=1)))) < 0.15 * (2.3e-3) ** power
    assert changes > 10


def test_flush_boxes_slide_with_one_sum():
    """Stacked boxes that slide off each other rest on four spots all the way."""
    for x in (0.0, 1e-13, 1e-12, 1e-11, 1e-9, 1e-6, 1e-3, 0.05):
        depths = [max(-spot.gap, 0.0) for spot in spots(*CUBES, at(x, 0.0, 0.199), HERE)]
        assert sum(depths) == pytest.approx(4e-3, abs=1e-12)
