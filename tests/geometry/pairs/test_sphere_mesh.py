"""Balls and meshes: distance to all triangles, sign by the winding number."""

import math
import warnings
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given

import carom as cm
from carom.geometry.bvh import EMPTY_LEAF_POSITION, LEAF_SIZE, build_tree
from carom.geometry.pairs.registry import pair
from carom.geometry.pose import pose
from carom.geometry.shapes import Point, Sphere
from carom.geometry.shapes.mesh import Mesh
from geometry.pairs.contacts import Motion, random_pose, rock, seeds, touch
from geometry.pairs.in_space import OCTAHEDRON, OCTAHEDRON_FACES, STAR

HERE = pose((0.0, 0.0, 0.0), 0.0)
A, B = rock("a"), rock("b")
DENTED = Mesh(B, vertices=STAR[0], faces=STAR[1])
CUBE = np.array([(x, y, z) for x in (-0.5, 0.5) for y in (-0.5, 0.5) for z in (-0.5, 0.5)])
CUBE_FACES = [(0, 1, 3), (0, 3, 2), (4, 6, 7), (4, 7, 5), (0, 4, 5), (0, 5, 1), (2, 3, 7), (2, 7, 6), (0, 2, 6),
              (0, 6, 4), (1, 5, 7), (1, 7, 3)]  # fmt: skip


def distance(vertices: np.ndarray, faces: np.ndarray, p: np.ndarray) -> tuple[float, np.ndarray]:
    """To the nearest of all triangles, and the point there: by the seven cases of barycentric coordinates."""
    a, b, c = (vertices[faces[:, k]] for k in range(3))
    normal = np.cross(b - a, c - a)
    area2 = np.sum(normal * normal, axis=1)
    weights = np.column_stack([
        np.sum(np.cross(c - b, p - b) * normal, axis=1) / area2,
        np.sum(np.cross(a - c, p - c) * normal, axis=1) / area2,
        np.sum(np.cross(b - a, p - a) * normal, axis=1) / area2,
    ])  # fmt: skip
    inside = np.all(weights >= 0.0, axis=1)
    candidates = [weights[:, :1] * a + weights[:, 1:2] * b + weights[:, 2:] * c]
    far = [np.where(inside, np.linalg.norm(candidates[0] - p, axis=1), np.inf)]
    for one, other in ((a, b), (b, c), (c, a)):
        t = np.clip(np.sum((p - one) * (other - one), axis=1) / np.sum((other - one) ** 2, axis=1), 0.0, 1.0)
        candidates.append(one + t[:, None] * (other - one))
        far.append(np.linalg.norm(candidates[-1] - p, axis=1))
    k, triangle = divmod(int(np.argmin(far)), len(faces))
    return float(far[k][triangle]), candidates[k][triangle]


def winding(vertices: np.ndarray, faces: np.ndarray, p: np.ndarray) -> float:
    """Return the winding number about p: solid angle of all triangles over 4π (van Oosterom and Strackee 1983)."""
    a, b, c = (vertices[faces[:, k]] - p for k in range(3))
    u, v, w = (np.linalg.norm(x, axis=1) for x in (a, b, c))
    over = np.sum(a * np.cross(b, c), axis=1)
    under = u * v * w + np.sum(a * b, axis=1) * w + np.sum(b * c, axis=1) * u + np.sum(c * a, axis=1) * v
    return float(np.sum(np.arctan2(over, under)) / (2.0 * math.pi))


def test_the_gap_is_the_signed_distance_from_all_triangles():
    rng = np.random.default_rng(9)
    ball = Sphere(A, 0.05)
    inside = 0
    for _ in range(200):
        p, q = random_pose(rng, 0.5, True), random_pose(rng, 0.2, True)
        found = touch(ball, DENTED, p, q)
        local = (p[:3] - q[:3]) @ q[3:].reshape(3, 3)
        far, nearest = distance(*STAR, local)
        solid = winding(*STAR, local) > 0.5
        inside += solid
        assert found.gap == pytest.approx((-far if solid else far) - 0.05, abs=1e-12)
        place = q[:3] + q[3:].reshape(3, 3) @ nearest
        assert found.point_b == pytest.approx(place, abs=1e-10)
        assert found.normal == pytest.approx((p[:3] - place) / (-far if solid else far), abs=1e-7)
    assert 20 < inside < 180


def test_near_edges_and_vertices_the_sign_is_right():
    """Where a face's own normal would give the wrong sign: beyond sharp ridges, and in dents."""
    rng = np.random.default_rng(10)
    sides = np.unique(np.sort(np.vstack([STAR[1][:, [0, 1]], STAR[1][:, [1, 2]], STAR[1][:, [2, 0]]]), axis=1), axis=0)
    middles = STAR[0][sides].mean(axis=1)
    for base in np.vstack([STAR[0], middles]):
        p = base + 1e-3 * rng.normal(size=3)
        found = touch(Point(A), DENTED, pose(p, 0.0), HERE)
        far, _ = distance(*STAR, p)
        assert found.gap == pytest.approx(-far if winding(*STAR, p) > 0.5 else far, abs=1e-13)


def test_many_narrow_faces_at_a_vertex_count_by_their_angle():
    """A spike whose one face is cut into a fan of a hundred: its normal must not outweigh the others'."""
    rng = np.random.default_rng(11)
    unit = STAR[0] / np.linalg.norm(STAR[0], axis=1)[:, None]
    vertices, faces = unit * rng.uniform(0.15, 0.6, (len(unit), 1)), STAR[1]
    for vertex in range(0, len(vertices), 5):
        k = int(np.flatnonzero(np.any(faces == vertex, axis=1))[0])
        turn = int(np.flatnonzero(faces[k] == vertex)[0])
        _, a, b = np.roll(faces[k], -turn)
        across = next(j for j, face in enumerate(faces) if j != k and a in face and b in face)
        c = next(corner for corner in faces[across] if corner not in (a, b))
        part = np.linspace(0.0, 1.0, 101)[1:-1, None]
        between = vertices[a] + part * (vertices[b] - vertices[a])
        row = np.concatenate([[a], len(vertices) + np.arange(99), [b]])
        fan = [(vertex, p, q) for p, q in pairwise(row)]
        back = [(q, p, c) for p, q in pairwise(row)]
        kept = np.delete(faces, [k, across], axis=0)
        mesh = np.vstack([vertices, between]), np.vstack([kept, fan, back])
        shape = Mesh(B, vertices=mesh[0], faces=mesh[1])
        for way in rng.normal(size=(20, 3)):
            p = vertices[vertex] + 1e-3 * way
            found = touch(Point(A), shape, pose(p, 0.0), HERE)
            far, _ = distance(*mesh, p)
            assert found.gap == pytest.approx(-far if winding(*mesh, p) > 0.5 else far, abs=1e-12)


@given(seed=seeds)
def test_the_gap_changes_no_faster_than_the_ball(seed: int):
    rng = np.random.default_rng(seed)
    p, motion = random_pose(rng, 0.6, True), Motion.random(rng, True)
    gaps = [touch(Sphere(A, 0.1), DENTED, motion.moved(p, t), HERE).gap for t in np.linspace(0.0, 1.0, 101)]
    assert np.max(np.abs(np.diff(gaps))) <= 0.01 * np.linalg.norm(motion.velocity) + 1e-12


def test_on_the_skin_there_is_a_normal():
    for vertex in OCTAHEDRON:
        found = touch(Point(A), Mesh(B, vertices=OCTAHEDRON, faces=OCTAHEDRON_FACES), pose(vertex, 0.0), HERE)
        assert found.gap == pytest.approx(0.0, abs=1e-15)
        assert found.normal == pytest.approx(vertex, abs=1e-12)
    cube = Mesh(B, vertices=CUBE, faces=CUBE_FACES)
    found = touch(Point(A), cube, pose((0.5, 0.5, 0.1), 0.0), HERE)
    assert found.normal == pytest.approx((math.sqrt(0.5), math.sqrt(0.5), 0.0), abs=1e-12)
    centre = touch(Point(A), cube, HERE, HERE)
    assert centre.gap == pytest.approx(-0.5, abs=1e-15)
    assert np.all(np.isfinite(centre.point_b))


def test_a_solid_from_shared_and_from_separate_vertices():
    cube = Mesh(B, vertices=CUBE, faces=CUBE_FACES, scale=2.0)
    soup = Mesh(B, vertices=CUBE[np.array(CUBE_FACES)].reshape(-1, 3), faces=np.arange(36).reshape(-1, 3), scale=2.0)
    for mesh in (cube, soup):
        assert (mesh.volume, mesh.open_edges, mesh.thin) == (pytest.approx(8.0, abs=1e-14), 0, False)
        assert touch(Sphere(A, 0.1), mesh, pose((1.05, 0.2, 0.3), 0.0), HERE).gap == pytest.approx(-0.05, abs=1e-15)
        assert touch(Sphere(A, 0.1), mesh, pose((0.95, 0.2, 0.3), 0.0), HERE).gap == pytest.approx(-0.15, abs=1e-15)


def test_an_open_mesh_is_a_thin_surface_and_says_so():
    with pytest.warns(cm.CaromWarning, match=r"Mesh on 'b': the mesh is not closed: 3 of its 18 edges do not join two"):
        mesh = Mesh(B, vertices=CUBE, faces=CUBE_FACES[:-1])
    assert mesh.thin
    outside, inside = (touch(Sphere(A, 0.1), mesh, pose((x, 0.2, 0.3), 0.0), HERE) for x in (0.55, 0.45))
    assert outside.gap == pytest.approx(-0.05, abs=1e-15)
    assert inside.gap == pytest.approx(-0.05, abs=1e-15)
    assert outside.normal == pytest.approx((1, 0, 0), abs=1e-15)
    assert inside.normal == pytest.approx((-1, 0, 0), abs=1e-15)
    with pytest.raises(cm.ModelError, match=r"Contact 'x': Point on 'a' and Mesh on 'b' can never touch"):
        pair("Contact 'x'", Point(A), mesh)
    one_turned = [CUBE_FACES[0][::-1], *CUBE_FACES[1:]]
    with pytest.warns(cm.CaromWarning, match=r"3 of its 18 edges"):
        Mesh(B, vertices=CUBE, faces=one_turned)


def test_a_closed_mesh_says_nothing():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        Mesh(B, vertices=CUBE, faces=CUBE_FACES)


@pytest.mark.parametrize("count", [1, 2, 4, 5, 9, 64, 1000])
def test_the_tree_holds_every_triangle_once_in_its_boxes(count: int):
    corners = np.random.default_rng(count).normal(size=(count, 3, 3))
    nodes, order = build_tree(corners)
    assert sorted(order) == list(range(count))
    n_within = 0
    for k, node in enumerate(nodes):
        skip = int(node["next"])
        leaf = skip == k + 1
        if leaf:
            within = order[int(node["first_triangle"]) : int(node["first_triangle"]) + int(node["n_triangles"])]
            assert len(within) <= LEAF_SIZE
            n_within += len(within)
            for triangle in corners[within]:
                assert np.all(triangle >= node["low"])
                assert np.all(triangle <= node["high"])
        elif node["low"][0] < EMPTY_LEAF_POSITION:
            children = nodes[[k + 1, int(nodes[k + 1]["next"])]]
            full = children[children["low"][:, 0] < EMPTY_LEAF_POSITION]
            assert np.array_equal(node["low"], full["low"].min(axis=0))
            assert np.array_equal(node["high"], full["high"].max(axis=0))
            assert int(nodes[int(nodes[k + 1]["next"])]["next"]) == skip
    assert n_within == count
    assert int(nodes[0]["next"]) == len(nodes)


@pytest.mark.parametrize("suffix", ["stl", "obj", "ply"])
def test_files_are_read(tmp_path, suffix: str):
    trimesh = pytest.importorskip("trimesh")
    file = tmp_path / f"cube.{suffix}"
    trimesh.Trimesh(1000.0 * CUBE, CUBE_FACES, process=False).export(file)
    mesh = Mesh(B, file, scale=1e-3)
    assert mesh.volume == pytest.approx(1.0, abs=1e-12)
    assert len(mesh.vertices) == 8
    assert touch(Sphere(A, 0.1), mesh, pose((0.0, 0.0, 0.7), 0.0), HERE).gap == pytest.approx(0.1, abs=1e-12)


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: Mesh(B), r"Mesh on 'b': set either file, or vertices and faces"),
        (lambda: Mesh(B, vertices=CUBE), r"Mesh on 'b': set either file, or vertices and faces"),
        (lambda: Mesh(B, vertices=CUBE, faces=[(0, 1, 8)]), r"Mesh on 'b': faces must refer to vertices 0 … 7, got 8"),
        (lambda: Mesh(B, vertices=CUBE, faces=[(0, 1)]), r"Mesh on 'b': faces must be triples of vertex indices"),
        (lambda: Mesh(B, vertices=CUBE[:, :2], faces=[(0, 1, 2)]), r"Mesh on 'b': vertices must be finite points"),
        (lambda: Mesh(B, vertices=CUBE, faces=[(0, 0, 1)]), r"Mesh on 'b': no triangles found among its 1 faces"),
        (lambda: Mesh(B, vertices=CUBE, faces=CUBE_FACES, scale=0.0), r"Mesh on 'b': scale must be positive, got 0"),
        (lambda: Mesh(B, "no/such.stl"), r"Mesh on 'b': .*such\.stl"),
        (lambda: Mesh(cm.Body("p", 1.0, 1.0), "x.stl"), r"Mesh on 'p': needs a spatial body, got a planar one"),
    ],
    ids=["nothing", "no faces", "no vertex", "no triangles", "flat", "empty", "scale", "file", "planar"],
)
def test_what_cannot_be_is_refused(make, message: str):
    with pytest.raises(cm.ModelError, match=message):
        make()
