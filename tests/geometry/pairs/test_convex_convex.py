"""Any two convex shapes against brute force: all pairs of vertices, or all directions of the normal."""

import math
from itertools import combinations_with_replacement

import numpy as np
import pytest
from hypothesis import given
from scipy.spatial import ConvexHull as Hull
from scipy.spatial.transform import Rotation

import carom as cm
from carom.geometry.pairs.registry import GENERAL_PAIRS
from carom.geometry.pose import pose
from carom.geometry.shapes import Box, Disc, Ellipsoid, Shape
from geometry.pairs.contacts import Follower, Motion, place, random_pose, rock, seeds, touch
from geometry.pairs.in_space import CONVEX
from geometry.pairs.separations import corners, largest_separation, separation
from quick import each, examples

A, B = rock("a"), rock("b")
HERE = pose((0.0, 0.0, 0.0), 0.0)
CUBE = np.array([(x, y, z) for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)], float)
POLYTOPES = ("Sphere", "Segment", "Triangle", "Rectangle", "Box", "ConvexHull")
UP = (0.0, 0.0, 1.0)
CAN = cm.Cylinder(A, (0.0, 0.0, 0.0), UP, 0.1, 0.2)
FUNNEL = cm.Cone(A, (0.0, 0.0, 0.0), UP, 0.1, 0.2)
CUBES = cm.ConvexHull(A, 0.1 * CUBE), cm.ConvexHull(B, 0.1 * CUBE)
SLAB = cm.Box(B, (1.0, 1.0, 0.1))


def at(x: float, y: float, z: float, axis=UP, angle: float = 0.0) -> np.ndarray:
    turn = Rotation.from_rotvec(angle * np.array(axis) / np.linalg.norm(axis))
    return np.concatenate([[x, y, z], turn.as_matrix().ravel()])


def distance_of_triangle(p: np.ndarray, q: np.ndarray, r: np.ndarray) -> float:
    """Distance of a triangle from the origin."""
    e, f = q - p, r - p
    s, t = np.linalg.lstsq(np.column_stack([e, f]), -p, rcond=None)[0]
    if s >= 0.0 and t >= 0.0 and s + t <= 1.0:
        return float(np.linalg.norm(p + s * e + t * f))
    ends = [(p, q), (q, r), (r, p)]
    return min(np.linalg.norm(x + np.clip(-x @ (y - x) / ((y - x) @ (y - x)), 0.0, 1.0) * (y - x)) for x, y in ends)


def gap_of_polytopes(a: Shape, b: Shape, p: np.ndarray, q: np.ndarray) -> float | None:
    """Distance of the origin from the hull of all differences of vertices, or its depth; None for a flat hull."""
    (points_a, radius_a), (points_b, radius_b) = corners(a), corners(b)
    one, other = (np.array([place(r, x) for x in points]) for r, points in ((p, points_a), (q, points_b)))
    differences = (one[:, None] - other[None]).reshape(-1, 3)
    if np.linalg.matrix_rank(differences - differences[0], tol=1e-9) < 3:
        return None
    hull = Hull(differences)
    depth = float(hull.equations[:, 3].max())
    if depth > 0.0:
        depth = min(distance_of_triangle(*differences[face]) for face in hull.simplices)
    return depth - radius_a - radius_b


def random_pair(one: str, other: str, seed: int):
    rng = np.random.default_rng(seed)
    return CONVEX[one](rng, A), CONVEX[other](rng, B), random_pose(rng, rng.choice([0.05, 0.3, 0.7]), True), HERE, rng


@each("one, other", [pair for pair in combinations_with_replacement(POLYTOPES, 2) if pair in GENERAL_PAIRS])
@given(seed=seeds)
def test_polytopes_against_all_pairs_of_vertices(one: str, other: str, seed: int):
    a, b, p, q, _ = random_pair(one, other, seed)
    exact = gap_of_polytopes(a, b, p, q)
    if exact is None:
        return
    found = touch(a, b, p, q)
    assert found.gap == pytest.approx(exact, abs=1e-10)
    if not (a.thin or b.thin):
        assert separation(a, b, p, q, found.normal) == pytest.approx(exact, abs=1e-9)


CURVED = [
    pair for pair in GENERAL_PAIRS if {"Disc", "Cylinder", "Cone", "Ellipsoid"} & set(pair) and pair[1] != "Plane"
]


@each("one, other", CURVED)
@examples(20)
@given(seed=seeds)
def test_curved_shapes_against_all_directions(one: str, other: str, seed: int):
    """The gap is the separation along the normal, and no direction has a larger one."""
    a, b, p, q, _ = random_pair(one, other, seed)
    found = touch(a, b, p, q)
    assert float(separation(a, b, p, q, found.normal)) == pytest.approx(found.gap, abs=1e-12)
    assert largest_separation(a, b, p, q) <= found.gap + 1e-8


@each("one, other", [("Box", "Cylinder"), ("ConvexHull", "ConvexHull"), ("Ellipsoid", "Cone"), ("Disc", "ConvexHull")])
@examples(30)
@given(seed=seeds)
def test_along_a_smooth_path_the_gap_is_continuous_and_that_of_a_first_call(one: str, other: str, seed: int):
    a, b, p, q, rng = random_pair(one, other, seed)
    motion, follower = Motion.random(rng, True), Follower(a, b)
    times = np.linspace(0.0, 1.0, 200)
    reach = 1.5 * np.linalg.norm(motion.omega) + np.linalg.norm(motion.velocity)
    gaps = np.array([touch(a, b, motion.moved(p, time), q).gap for time in times])
    assert np.abs(np.diff(gaps)).max() <= reach * times[1]
    followed = np.array([follower.at(motion.moved(p, time), q).gap for time in times])
    # Deep inside, a follower stays at the side where it came in.
    outside = gaps > 0.0
    assert followed[outside] == pytest.approx(gaps[outside], abs=1e-11)
    assert np.all(followed <= gaps + 1e-11)


SPECIAL = {
    "cubes apart": (*CUBES, at(0, 0, 0.3), 0.1, UP),
    "cubes that touch": (*CUBES, at(0, 0, 0.2), 0.0, UP),
    "cubes in each other": (*CUBES, at(0, 0.01, 0.05), -0.15, UP),
    "cubes side by side": (*CUBES, at(0.25, 0.03, 0.1), 0.05, (1, 0, 0)),
    "concentric cubes": (*CUBES, at(0, 0, 0), -0.2, None),
    "crossing edges": (*CUBES, at(0.02, 0.03, 0.15 * math.sqrt(2.0) + 0.1, (1, 1, 0), math.pi / 2), None, None),
    "concentric ellipsoids": (Ellipsoid(A, (0.1, 0.2, 0.3)), Ellipsoid(B, (0.1, 0.2, 0.3)), at(0, 0, 0), -0.2, None),
    "ellipsoids that touch": (Ellipsoid(A, (0.1, 0.2, 0.3)), Ellipsoid(B, (0.1, 0.2, 0.3)), at(0, 0, 0.6), 0.0, UP),
    "concentric cans": (CAN, cm.Cylinder(B, (0, 0, 0), UP, 0.1, 0.2), at(0, 0, 0), -0.2, None),
    "cans on top of each other": (CAN, cm.Cylinder(B, (0, 0, 0), UP, 0.1, 0.2), at(0, 0, 0.4), 0.0, UP),
    "cans side by side": (CAN, cm.Cylinder(B, (0, 0, 0), UP, 0.1, 0.2), at(0.21, 0, 0), 0.01, (1, 0, 0)),
    "tip of a cone": (FUNNEL, SLAB, at(0, 0, 0.29, (1, 0, 0), math.pi), -0.01, UP),
    "far away": (*CUBES, at(1e6, 1e6, 1e6), math.sqrt(3.0) * (1e6 - 0.2), None),
    "sizes": (cm.ConvexHull(A, 1e-3 * CUBE), cm.ConvexHull(B, 1e3 * CUBE), at(3, 2, 1000.001 - 1e-6), -1e-6, UP),
    "a tiny can": (cm.Cylinder(A, (0, 0, 0), UP, 1e-6, 2e-6), SLAB, at(0.3, 0.2, 0.1 + 2e-6 - 1e-9), -1e-9, UP),
    "a thin plate": (cm.ConvexHull(A, CUBE * (0.1, 0.1, 1e-6)), CUBES[1], at(0, 0, 0.1 + 1e-6 - 1e-7), -1e-7, UP),
}


@each("name", SPECIAL)
def test_special_positions(name: str):
    a, b, p, gap, normal = SPECIAL[name]
    found, other = touch(a, b, p, HERE), touch(b, a, HERE, p)
    if gap is not None:
        assert found.gap == pytest.approx(gap, abs=2e-12 * max(1.0, abs(gap)))
    if normal is not None:
        assert found.normal == pytest.approx(normal, abs=1e-9)
        assert other.normal == pytest.approx(-found.normal, abs=1e-9)
    assert np.linalg.norm(found.normal) == pytest.approx(1.0, abs=1e-12)
    assert other.gap == pytest.approx(found.gap, abs=1e-12 * max(1.0, abs(found.gap)))
    assert found.point_a - found.point_b == pytest.approx(found.gap * found.normal, abs=1e-9 * max(1.0, abs(found.gap)))


LYING = (1.0, 0.0, 0.0), math.pi / 2.0
FLAT_CONTACTS = {
    "cube on slab": (CUBES[0], SLAB, at(0.02, 0.01, 0.199, UP, 0.3), 4, 0.1 * math.sqrt(2.0)),
    "edge on slab": (CUBES[0], SLAB, at(0, 0, 0.1 + 0.1 * math.sqrt(2.0) - 1e-3, (1, 0, 0), math.pi / 4.0), 2, 0.1),
    "standing can": (CAN, SLAB, at(0.1, 0.2, 0.299), 4, 0.1),
    "lying can": (CAN, SLAB, at(0, 0, 0.199, *LYING), 2, 0.2),
    "can beyond the edge": (CAN, SLAB, at(1.0, 0.0, 0.299), None, None),
    "disc on slab": (Disc(A, (0, 0, 0), UP, 0.1), SLAB, at(0, 0, 0.099), 4, 0.1),
    "cans side by side": (CAN, cm.Cylinder(B, (0, 0, 0), UP, 0.1, 0.2), at(0.199, 0, 0.1), 2, None),
}


@each("name", FLAT_CONTACTS)
def test_spots_of_flat_contacts(name: str):
    """All have the depth, lie on both bodies, and spread over what they share."""
    a, b, p, count, extent = FLAT_CONTACTS[name]
    body, other = cm.Body("a", 1.0, (1.0,) * 3, position=p[:3]), cm.Body("b", 1.0, (1.0,) * 3)
    body.orientation = Rotation.from_matrix(p[3:].reshape(3, 3)).as_quat(scalar_first=True)
    found = cm.closest(_on(body, a), _on(other, b))
    gaps = [spot.gap for spot in found.spots]
    assert count is None or len(gaps) == count
    assert gaps == pytest.approx([found.gap] * len(gaps), abs=1e-12)
    points = np.array([spot.point_b for spot in found.spots])
    if extent is not None:
        reach = np.linalg.norm(points - points.mean(axis=0), axis=1)
        assert reach == pytest.approx(np.full(len(points), extent), abs=1e-9)
    if name == "can beyond the edge":
        assert points[:, 0].max() == pytest.approx(1.0, abs=1e-8)
        assert points[:, 0].min() == pytest.approx(0.9, abs=0.015)


def _on(body: cm.Body, shape: Shape) -> Shape:
    """A copy of a shape on another body."""
    if isinstance(shape, cm.ConvexHull):
        return cm.ConvexHull(body, shape.vertices)
    if isinstance(shape, cm.Cylinder):
        return cm.Cylinder(body, shape.at, shape.axis, shape.radius, shape.half_length)
    if isinstance(shape, Disc):
        return Disc(body, shape.at, shape.axis, shape.radius)
    assert isinstance(shape, Box)
    return Box(body, shape.half)


@each(
    "make, message",
    [
        (lambda: cm.ConvexHull(A), r"ConvexHull on 'a': set either points or file"),
        (lambda: cm.ConvexHull(A, CUBE[:3]), r"needs at least four points, got 3"),
        (lambda: cm.ConvexHull(A, CUBE[:4]), r"the points must not all lie in one plane"),
        (lambda: cm.ConvexHull(A, [(0, 0, 0)] * 5), r"the points must not all lie in one plane"),
        (lambda: cm.ConvexHull(A, np.full((5, 3), np.nan)), r"points must be finite points \(x, y, z\)"),
        (lambda: cm.ConvexHull(A, CUBE[:, :2]), r"points must be finite points \(x, y, z\)"),
        (lambda: cm.ConvexHull(A, "missing.stl"), r"file not found: .*missing.stl"),
        (lambda: cm.ConvexHull(A, [("a", 1, 2)] * 4), r"points must be numbers, three per row"),
        (lambda: Ellipsoid(A, (1.0, 0.0, 1.0)), r"Ellipsoid on 'a': semi_axes\[1\] must be positive, got 0"),
        (lambda: Ellipsoid(A, (1.0, 2.0)), r"semi_axes must be 3 numbers"),
        (
            lambda: cm.closest(cm.Cylinder(A, (0, 0, 0), UP, 1.0, 1.0, inside=True), CUBES[1]),
            r"Cylinder on 'a' is hollow \(inside=True\)",
        ),
    ],
)
def test_what_is_no_convex_shape_is_refused(make, message: str):
    with pytest.raises(cm.ModelError, match=message):
        make()


@each("kind", ["Disc", "Rectangle", "Triangle"])
@each("radius", [0.0, 0.1])
def test_flat_shapes_in_one_plane_are_separated_across_it(kind: str, radius: float):
    """No translation at all separates two shapes without thickness; a capsule in the plane leaves it by its radius."""
    flat = {
        "Disc": lambda: Disc(A, (0.0, 0.0, 0.0), UP, 0.5),
        "Rectangle": lambda: cm.Rectangle(A, (0.0, 0.0, 0.0), (1.0, 0.0, 0.0), (0.0, 1.0, 0.0), 0.5, 0.25),
        "Triangle": lambda: cm.Triangle(A, (-1.0, -1.0, 0.0), (1.0, -1.0, 0.0), (0.0, 1.0, 0.0)),
    }[kind]()
    other = cm.Segment(B, (-0.4, 0.05, 0.0), (0.6, 0.1, 0.0), radius) if radius else Disc(B, (0.1, 0.05, 0.0), UP, 0.25)
    found = cm.closest(flat, other)
    assert found.gap == pytest.approx(-radius, abs=1e-15)
    assert np.abs(found.normal) == pytest.approx([0.0, 0.0, 1.0], abs=1e-15)


def test_a_hull_has_plane_faces_and_the_volume_of_a_box():
    hull = cm.ConvexHull(A, np.vstack([CUBE, 0.3 * CUBE]) * (0.1, 0.2, 0.3), at=(1.0, 0.0, 0.0))
    assert len(hull.vertices) == 8
    assert sorted(len(face) for face in hull.faces) == [4] * 6
    assert hull.volume == pytest.approx(8.0 * 0.1 * 0.2 * 0.3, rel=1e-12)
    assert hull.bounding_box()[0] == pytest.approx((1.0, 0.0, 0.0), abs=1e-15)
