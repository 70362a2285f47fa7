"""Meshes against meshes, boxes, capsules and planes: brute force over all triangles, and the analytic shapes."""

import math

import numpy as np
import pytest
from hypothesis import given

import carom as cm
from carom.geometry.pairs.registry import pair
from carom.geometry.pose import pose
from carom.geometry.rotation import matrix_of
from carom.geometry.shapes import Box, Plane, Segment, Sphere
from carom.geometry.shapes.mesh import Mesh
from geometry.pairs.contacts import Follower, after, random_pose, rock, seeds, touch, touch_at
from geometry.pairs.in_space import OCTAHEDRON, OCTAHEDRON_FACES, STAR
from geometry.pairs.test_sphere_mesh import CUBE, CUBE_FACES, distance, winding
from quick import examples

A, B = rock("a"), rock("b")
HERE = pose((0.0, 0.0, 0.0), 0.0)
STARS = Mesh(A, STAR), Mesh(B, STAR)
CUBES = Mesh(A, (CUBE, CUBE_FACES)), Mesh(B, (CUBE, CUBE_FACES))
BLOCK = Box(B, (0.5, 0.5, 0.5))


def placed(points: np.ndarray, at: np.ndarray) -> np.ndarray:
    return at[:3] + points @ at[3:].reshape(3, 3).T


def deepest_vertex(one: Mesh, pose_one: np.ndarray, other: Mesh, pose_other: np.ndarray) -> float:
    """Largest depth of a vertex of one mesh in the other one, by its winding number and its distance; 0: none."""
    depths = [0.0]
    for p in placed(one.vertices, pose_one):
        local = (p - pose_other[:3]) @ pose_other[3:].reshape(3, 3)
        if winding(other.vertices, other.faces, local) > 0.5:
            depths.append(distance(other.vertices, other.faces, local)[0])
    return max(depths)


def segment_distance(p: np.ndarray, q: np.ndarray, r: np.ndarray, s: np.ndarray) -> np.ndarray:
    """Least distances of segments p q (n) and r s (m), all pairs: crossings; ends are left to the triangles."""
    u, v, w = (q - p)[:, None], (s - r)[None], p[:, None] - r[None]
    uu, vv, uv = (u * u).sum(-1), (v * v).sum(-1), (u * v).sum(-1)
    uw, vw = (u * w).sum(-1), (v * w).sum(-1)
    det = np.where((det := uu * vv - uv**2) > 1e-14, det, np.nan)
    f, g = (uv * vw - vv * uw) / det, (uu * vw - uv * uw) / det
    inner = (f >= 0.0) & (f <= 1.0) & (g >= 0.0) & (g <= 1.0)
    return np.where(inner, np.linalg.norm(w + f[..., None] * u - g[..., None] * v, axis=-1), np.inf)


def brute_distance(a: Mesh, pose_a: np.ndarray, b: Mesh, pose_b: np.ndarray) -> float:
    """Distance of two separated meshes: vertices to all triangles, edges to all edges."""
    p, q = placed(a.vertices, pose_a), placed(b.vertices, pose_b)
    least = min(distance(q, b.faces, x)[0] for x in p)
    least = min(least, *(distance(p, a.faces, x)[0] for x in q))
    ends = [np.vstack([f[:, [0, 1]], f[:, [1, 2]], f[:, [2, 0]]]) for f in (a.faces, b.faces)]
    edges = segment_distance(p[ends[0][:, 0]], p[ends[0][:, 1]], q[ends[1][:, 0]], q[ends[1][:, 1]])
    return min(least, float(np.min(edges)))


@examples(60)
@given(seed=seeds)
def test_the_gap_of_meshes_is_that_of_a_search_over_all_triangles(seed: int):
    """The distance of separated meshes, and the deepest vertex of those that have one inside the other."""
    rng = np.random.default_rng(seed)
    pose_a, pose_b = random_pose(rng, 0.6, True), random_pose(rng, 0.6, True)
    found = touch(*STARS, pose_a, pose_b)
    depth = max(deepest_vertex(STARS[k], (pose_a, pose_b)[k], STARS[1 - k], (pose_a, pose_b)[1 - k]) for k in (0, 1))
    if depth > 0.0:
        assert found.gap == pytest.approx(-depth, abs=1e-12)
    elif found.gap > 0.0:
        assert found.gap == pytest.approx(brute_distance(STARS[0], pose_a, STARS[1], pose_b), abs=1e-12)


@examples(60)
@given(seed=seeds)
def test_the_distance_of_cubes_is_that_of_boxes(seed: int):
    """Meshes of cubes against each other and against a box, as two boxes; overlapping ones overlap in all three."""
    rng = np.random.default_rng(seed)
    pose_a, pose_b = random_pose(rng, 0.9, True), random_pose(rng, 0.9, True)
    exact = touch(Box(A, (0.5, 0.5, 0.5)), BLOCK, pose_a, pose_b)
    for other in (CUBES[1], BLOCK):
        found = touch(CUBES[0], other, pose_a, pose_b)
        if exact.gap > 0.0:
            assert found.gap == pytest.approx(exact.gap, abs=1e-12)
        else:
            assert found.gap <= 1e-12


@examples(40)
@given(seed=seeds)
def test_common_motion_and_order_change_nothing(seed: int):
    rng = np.random.default_rng(seed)
    pose_a, pose_b, outer = random_pose(rng, 0.5, True), random_pose(rng, 0.5, True), random_pose(rng, 2.0, True)
    one = touch(*STARS, pose_a, pose_b)
    assert touch(*STARS[::-1], pose_b, pose_a).gap == pytest.approx(one.gap, abs=1e-12)
    assert touch(*STARS, after(outer, pose_a), after(outer, pose_b)).gap == pytest.approx(one.gap, abs=1e-12)


def test_a_path_in_small_steps_gives_what_each_pose_gives_alone():
    """Triangles listed in earlier steps and the depth of the last step change no gap and no spot."""
    follower, slot = Follower(*STARS), [Follower(*STARS, k) for k in range(1, 17)]
    for k in range(120):
        pose_a = random_pose(np.random.default_rng(4), 0.1, True)
        pose_a[:3] = (0.9 - 0.003 * k, 0.1, 0.05)
        alone = touch(*STARS, pose_a, HERE)
        assert follower.at(pose_a, HERE).gap == pytest.approx(alone.gap, abs=1e-13)
        depths = sorted(f.at(pose_a, HERE).gap for f in slot)
        fresh = sorted(touch_at(point, *STARS, pose_a, HERE).gap for point in range(1, 17))
        touching = [gap for gap in fresh if gap < 0.0]
        assert depths[: len(touching)] == pytest.approx(touching, abs=1e-13)


def test_a_cube_lies_on_four_spots_and_crossed_cubes_on_eight():
    """Flush faces touch at the corners of their common part, with one depth."""
    on_top = cm.Body("a", 1.0, (1.0, 1.0, 1.0), position=(0.2, 0.1, 0.99))
    flush = cm.closest(Mesh(on_top, (CUBE, CUBE_FACES)), CUBES[1])
    assert flush.gap == pytest.approx(-0.01, abs=1e-14)
    assert sorted(tuple(np.round(spot.point_b, 9)) for spot in flush.spots) == [
        (-0.3, -0.4, 0.5), (-0.3, 0.5, 0.5), (0.5, -0.4, 0.5), (0.5, 0.5, 0.5),
    ]  # fmt: skip
    turned = cm.Body(
        "a", 1.0, (1.0, 1.0, 1.0), position=(0.0, 0.0, 0.99), orientation=(0.9238795325, 0, 0, 0.3826834324)
    )
    crossed = cm.closest(Mesh(turned, (CUBE, CUBE_FACES)), CUBES[1])
    assert [spot.gap for spot in crossed.spots] == pytest.approx([-0.01] * 8, abs=1e-12)
    assert np.allclose([spot.normal for spot in crossed.spots], (0.0, 0.0, 1.0))


def test_ridges_that_cross_touch_at_one_spot():
    """Two cubes on edge, crossed: the edges overlap by the depth, no vertex is inside."""
    half = math.sqrt(0.5)
    lying = matrix_of((math.cos(math.pi / 8), math.sin(math.pi / 8), 0.0, 0.0))
    across = np.array([[0.0, -1.0, 0.0], [1.0, 0.0, 0.0], [0.0, 0.0, 1.0]]) @ lying
    for height in (1e-3, -1e-3, -0.1):
        a = cm.Body("a", 1.0, (1, 1, 1), position=(0.0, 0.0, 2.0 * half + height), orientation=across)
        b = cm.Body("b", 1.0, (1, 1, 1), position=(0.0, 0.0, 0.0), orientation=lying)
        found = cm.closest(Mesh(a, (CUBE, CUBE_FACES)), Mesh(b, (CUBE, CUBE_FACES)))
        assert found.gap == pytest.approx(height, abs=1e-12)
        assert found.normal == pytest.approx([0.0, 0.0, 1.0], abs=1e-12)
        assert found.point_b == pytest.approx([0.0, 0.0, half], abs=1e-12)
        assert len(found.spots) == 1


def test_a_mesh_in_two_walls_touches_both():
    both = np.vstack([CUBE + np.array([x, 0.0, 0.0]) for x in (0.99, -0.99)])
    walls = Mesh(B, (both, [*CUBE_FACES, *(np.array(CUBE_FACES) + 8)]))
    small = Mesh(A, (CUBE * (1.0, 0.5, 0.5), CUBE_FACES))
    found = cm.closest(small, walls)
    assert found.gap == pytest.approx(-0.01, abs=1e-14)
    normals = [spot.normal[0] for spot in found.spots]
    assert sorted(normals) == pytest.approx([-1.0] * 4 + [1.0] * 4)


def test_a_mesh_all_inside_another_one_is_as_deep_as_its_deepest_vertex():
    small = Mesh(A, (0.1 * OCTAHEDRON, OCTAHEDRON_FACES))
    at = pose((0.2, 0.0, 0.0), 0.0)
    assert touch(small, CUBES[1], at, HERE).gap == pytest.approx(-0.4, abs=1e-14)


@examples(40)
@given(seed=seeds)
def test_a_capsule_is_as_far_as_the_nearest_of_many_spheres(seed: int):
    rng = np.random.default_rng(seed)
    at = random_pose(rng, 0.4, True)
    at[:3] += (0.0, 0.0, 1.2)
    capsule = Segment(A, (-0.4, 0.0, 0.0), (0.5, 0.1, 0.0), radius=0.1)
    found = touch(capsule, STARS[1], at, HERE)
    beads = [
        touch(Sphere(A, 0.1, (-0.4 + 0.9 * s, 0.1 * s, 0.0)), STARS[1], at, HERE).gap
        for s in np.linspace(0.0, 1.0, 300)
    ]
    assert min(beads) - 1e-5 <= found.gap + 1e-5
    assert found.gap == pytest.approx(min(beads), abs=1e-4)


def test_the_lowest_vertices_touch_a_plane():
    """All corners of a face that is flush, none within it, however fine its triangles are."""
    at = cm.Body("a", 1.0, (1.0, 1.0, 1.0), position=(0.0, 0.0, 0.49))
    vertices, faces = subdivided(CUBE, np.array(CUBE_FACES), 3)
    found = cm.closest(Mesh(at, (vertices, faces)), Plane(cm.System(dim=3).ground, normal=(0, 0, 1), at=(0, 0, 0)))
    assert found.gap == pytest.approx(-0.01, abs=1e-14)
    below = sorted(tuple(np.round(spot.point_a, 9)) for spot in found.spots if spot.gap < 0.0)
    assert below == [(-0.5, -0.5, -0.01), (-0.5, 0.5, -0.01), (0.5, -0.5, -0.01), (0.5, 0.5, -0.01)]


def subdivided(vertices: np.ndarray, faces: np.ndarray, times: int) -> tuple[np.ndarray, np.ndarray]:
    """Part each triangle in four, ``times`` times; equal vertices are joined by the mesh."""
    corners = vertices[faces]
    for _ in range(times):
        a, b, c = corners[:, 0], corners[:, 1], corners[:, 2]
        ab, bc, ca = 0.5 * (a + b), 0.5 * (b + c), 0.5 * (c + a)
        corners = np.concatenate([np.stack(t, axis=1) for t in ((a, ab, ca), (ab, b, bc), (ca, bc, c), (ab, bc, ca))])
    return corners.reshape(-1, 3), np.arange(3 * len(corners)).reshape(-1, 3)


def test_of_many_vertices_sixteen_around_the_rim_are_spots():
    """A drum of 64 sides on its end: the spots support it on all sides, and stay where they are when it is tilted."""
    angle = 2.0 * math.pi * np.arange(64) / 64
    rim = np.column_stack([np.cos(angle), np.sin(angle)])
    points = np.vstack([np.column_stack([rim, np.full(64, z)]) for z in (0.0, 1.0)])
    drum = Mesh(A, (points, [(0, 1, 2), *((k, 0, 1) for k in range(2, 128))]), convex=True)
    floor = Plane(B, (0.0, 0.0, 0.0), (0.0, 0.0, 1.0))
    spots = [touch_at(point, drum, floor, pose((0.0, 0.0, -1e-4), 0.0), HERE) for point in range(1, 17)]
    places = np.array([spot.point_a for spot in spots if spot.gap < 0.0])
    assert len(places) >= 12
    turns = np.sort(np.arctan2(places[:, 1], places[:, 0]))
    assert np.diff(np.append(turns, turns[0] + 2.0 * math.pi)).max() < math.radians(60.0)


def test_open_meshes_touch_no_solid():
    with pytest.warns(cm.CaromWarning, match="not closed"):
        dish = Mesh(B, (CUBE, CUBE_FACES[:-1]))
    with pytest.raises(cm.ModelError, match=r"Mesh on 'b' is not closed, so that it has no inside where Mesh on 'a'"):
        pair("Contact 'x'", CUBES[0], dish)
