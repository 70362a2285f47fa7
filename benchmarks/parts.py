"""Contact of parts: closest points of convex shapes, contact manifolds and meshes, beside coal on the same poses.

`python benchmarks/parts.py` prints all of it. coal is compiled from `peers/coal_pairs.cpp` against its headers, so that
its numbers, like those of carom, are those of compiled loops without Python.
"""

from __future__ import annotations

import math
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numba import njit
from scipy.spatial import ConvexHull
from scipy.spatial.transform import Rotation

import carom as cm
from carom.geometry.pairs.base import PAIR_OUTPUT
from carom.geometry.pairs.registry import Pairing, pair
from carom.geometry.shapes import Shape
from carom.kernels import call_pair
from carom.kernels.pointers import data_pointer

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "benchmarks" / "peers"))
from environments import from_pypi, run_command  # noqa: E402

QUERY_BAR, MANIFOLD_BAR, MESH_BAR = 1.5e-6, 2e-6, 5e-5
"""Bars: a warm query of two convex shapes, a manifold of two boxes, two meshes of 10 000 triangles in touch [s]."""
N_POSES, TRIES = 1000, 5
HULL_POINTS, MESH_ROWS = 40, 71
Line = tuple[str, float, float | None, str, float]


@dataclass(frozen=True)
class Part:
    """A shape: how carom makes it on a body, and how the peer reads it."""

    make: Callable[[cm.Body], Shape]
    text: str


@dataclass(frozen=True)
class Query:
    """Two parts and the poses of the first one relative to the second; ``kind`` is distance, manifold or mesh."""

    name: str
    kind: str
    parts: tuple[Part, Part]
    poses: np.ndarray
    bar: float


@njit
def ask(address, poses, still, params, warm, out, n_spots):
    """Evaluate closest points (``n_spots`` = 0) or all spots for each pose; return the mean gap or number of spots."""
    total = 0.0
    for k in range(len(poses)):
        for spot in range(max(n_spots, 1)):
            if n_spots > 0:
                params[0] = spot + 1.0
            call_pair(
                address, data_pointer(poses[k]), data_pointer(still), data_pointer(params), data_pointer(warm),
                data_pointer(out),
            )  # fmt: skip
            if n_spots == 0:
                total += out[0]
            elif out[0] < 0.0:
                total += 1.0
    return total / len(poses)


def triangles_text(kind: str, vertices: np.ndarray, faces: np.ndarray) -> str:
    numbers = " ".join(map(repr, vertices.ravel().tolist()))
    return f"{kind} {len(vertices)} {len(faces)} {numbers} {' '.join(map(str, faces.ravel().tolist()))}"


def stone() -> Part:
    points = np.random.default_rng(3).normal(size=(HULL_POINTS, 3))
    points *= 0.3 / np.linalg.norm(points, axis=1)[:, None]
    hull = ConvexHull(points)
    faces = hull.simplices.copy()
    a, b, c = (points[faces[:, k]] for k in range(3))
    inwards = np.sum(np.cross(b - a, c - a) * hull.equations[:, :3], axis=1) < 0.0
    faces[inwards] = faces[inwards][:, ::-1]
    return Part(lambda body: cm.ConvexHull(body, points), triangles_text("hull", points, faces))


def bumpy_ball() -> Part:
    """Return a mesh of about 10 000 triangles with dents, 0.1 m in radius."""
    n = MESH_ROWS
    polar, around = np.linspace(0.0, math.pi, n + 1)[1:-1], np.linspace(0.0, 2.0 * math.pi, n, endpoint=False)
    t, p = np.meshgrid(polar, around, indexing="ij")
    r = 0.1 * (1.0 + 0.03 * np.sin(5.0 * t) ** 2 * np.cos(6.0 * p))
    ring = [r * np.sin(t) * np.cos(p), r * np.sin(t) * np.sin(p), r * np.cos(t)]
    vertices = np.vstack([np.column_stack([x.ravel() for x in ring]), [(0.0, 0.0, 0.1), (0.0, 0.0, -0.1)]])
    north, last = len(vertices) - 2, (n - 2) * n
    faces = [(north, j, (j + 1) % n) for j in range(n)]
    faces += [(north + 1, last + (j + 1) % n, last + j) for j in range(n)]
    for i in range(n - 2):
        for j in range(n):
            a, b, c, d = i * n + j, i * n + (j + 1) % n, (i + 1) * n + j, (i + 1) * n + (j + 1) % n
            faces += [(a, c, b), (b, c, d)]
    table = np.array(faces)
    return Part(lambda body: cm.Mesh(body, (vertices, table)), triangles_text("mesh", vertices, table))


CONVEX = {
    "box": Part(lambda body: cm.Box(body, (0.2, 0.3, 0.4)), "box 0.2 0.3 0.4"),
    "cylinder": Part(lambda body: cm.Cylinder(body, radius=0.2, half_length=0.3), "cylinder 0.2 0.3"),
    "cone": Part(lambda body: cm.Cone(body, radius=0.3, half_length=0.2), "cone 0.3 0.2"),
    "capsule": Part(lambda body: cm.Segment(body, (0, 0, -0.3), (0, 0, 0.3), radius=0.1), "capsule 0.1 0.3"),
    "ellipsoid": Part(lambda body: cm.Ellipsoid(body, (0.2, 0.3, 0.4)), "ellipsoid 0.2 0.3 0.4"),
    "hull": stone(),
}


def bodies(parts: tuple[Part, Part], pose: np.ndarray) -> tuple[Shape, Shape]:
    q = Rotation.from_matrix(pose[3:].reshape(3, 3)).as_quat()
    first = cm.Body("first", 1.0, (1.0, 1.0, 1.0), tuple(pose[:3]), orientation=(q[3], *q[:3]))
    return parts[0].make(first), parts[1].make(cm.Body("second", 1.0, (1.0, 1.0, 1.0)))


def motion(rng: np.random.Generator, parts: tuple[Part, Part], kind: str) -> np.ndarray:
    """Return poses along a slow motion about touch: the shapes separate and overlap, slide and turn a little."""
    flat = kind == "manifold"
    base = Rotation.identity() if flat else Rotation.random(random_state=rng)
    direction = np.array((0.0, 0.0, 1.0)) if flat else rng.normal(size=3)
    away = 3.0 * direction / np.linalg.norm(direction)
    found = cm.closest(*bodies(parts, np.concatenate([away, base.as_matrix().ravel()])))
    n = found.normal
    aside = np.cross(n, (0.3, 0.5, 0.8))
    aside /= np.linalg.norm(aside)
    rows = []
    for t in np.linspace(0.0, 2.0 * math.pi, N_POSES, endpoint=False):
        lift, slide, axis = 1e-3 * math.sin(3.0 * t), 0.02 * math.cos(t), aside
        if kind != "distance":
            depth, axis = (3e-5, n) if kind == "mesh" else (1e-3, n)
            lift, slide = depth * (0.45 * math.sin(3.0 * t) - 0.5), 0.0 if kind == "mesh" else slide
        turned = Rotation.from_rotvec(0.02 * math.sin(t) * axis) * base
        rows.append(np.concatenate([away - found.gap * n + lift * n + slide * aside, turned.as_matrix().ravel()]))
    return np.array(rows)


def queries() -> Iterator[Query]:
    rng = np.random.default_rng(3)
    names = list(CONVEX)
    pairs = [(one, other, "distance") for k, one in enumerate(names) for other in names[k:]]
    for one, other, kind in [*pairs, ("box", "box", "manifold"), ("box", "cylinder", "manifold")]:
        parts = CONVEX[one], CONVEX[other]
        bar = QUERY_BAR if kind == "distance" else MANIFOLD_BAR
        yield Query(f"{one}–{other}, {kind}", kind, parts, motion(rng, parts, kind), bar)
    ball = bumpy_ball()
    yield Query(
        "2 meshes of 10 000 triangles in touch", "mesh", (ball, ball), motion(rng, (ball, ball), "mesh"), MESH_BAR
    )


def relative_poses(pairing: Pairing, poses: np.ndarray) -> np.ndarray:
    """Return the poses of the first shape of the kernel relative to the second one."""
    if not pairing.swapped:
        return poses
    rotations = poses[:, 3:].reshape(-1, 3, 3).transpose(0, 2, 1)
    at = -np.einsum("kij,kj->ki", rotations, poses[:, :3])
    return np.hstack([at, rotations.reshape(-1, 9)])


def seconds_of_carom(query: Query) -> float:
    pairing = pair("benchmark", *bodies(query.parts, query.poses[0]))
    poses, still = relative_poses(pairing, query.poses), np.concatenate([np.zeros(3), np.eye(3).ravel()])
    n_spots = 0 if query.kind == "distance" else pairing.contact_points
    params = np.array(pairing.parameters_for(1) if n_spots else pairing.parameters)
    warm, out = np.array(pairing.warm_start or (0.0,)), np.zeros(PAIR_OUTPUT.size)
    least = math.inf
    for _ in range(TRIES):
        began = time.process_time()
        ask(pairing.kernel.address, poses, still, params, warm, out, n_spots)
        least = min(least, (time.process_time() - began) / len(poses))
    return least


def seconds_of_coal(asked: list[Query]) -> dict[str, float]:
    """Return the seconds per query by name; empty where coal or a compiler is not available."""
    compiler = shutil.which("g++")
    program = from_pypi("coal", ROOT / "build" / "peers")
    if compiler is None or not program.python:
        return {}
    run_command([program.python, "-m", "pip", "install", "-q", "cmeel-eigen"])
    where = "import sysconfig; print(sysconfig.get_path('purelib') + '/cmeel.prefix')"
    found, prefix = run_command([program.python, "-c", where])
    with tempfile.TemporaryDirectory() as folder:
        target, source = f"{folder}/coal_pairs", ROOT / "benchmarks" / "peers" / "coal_pairs.cpp"
        command = [compiler, "-O3", "-march=native", "-DNDEBUG", "-std=c++17", f"-I{prefix}/include"]
        command += [f"-I{prefix}/include/eigen3", str(source), "-o", target, f"-L{prefix}/lib", "-lcoal"]
        if not (found and run_command([*command, f"-Wl,-rpath,{prefix}/lib"])[0]):
            return {}
        lines = []
        for k, query in enumerate(asked):
            lines += [f"{k} {query.kind} {len(query.poses)} {TRIES}", *(part.text for part in query.parts)]
            lines += [" ".join(map(repr, row)) for row in query.poses.tolist()]
        Path(folder, "poses").write_text("\n".join(lines) + "\n", encoding="utf-8")
        done = subprocess.run([target, f"{folder}/poses"], capture_output=True, text=True, check=True)
    rows = [line.split() for line in done.stdout.splitlines()]
    return {asked[int(row[0])].name: float(row[1]) for row in rows}


def measure() -> list[Line]:
    """Return the rows: work, seconds or ratio, bar, unit and scale."""
    asked = list(queries())
    peer = seconds_of_coal(asked)
    rows: list[Line] = []
    for query in asked:
        seconds = seconds_of_carom(query)
        rows.append((query.name, seconds, query.bar, "µs", 1e6))
        if query.name in peer:
            rows.append(("  of the time of coal, to 1e-8", seconds / peer[query.name], 1.0, "×", 1.0))
    return rows


if __name__ == "__main__":
    for work, value, bar, unit, scale in measure():
        sys.stdout.write(f"{work:45s} {scale * value:9.3f} {unit:3s} (bar {scale * bar if bar else '-'})\n")
