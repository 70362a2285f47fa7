"""Freeform surfaces in random poses, and their distance by brute force, for the tests of their pairs."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from scipy.optimize import minimize
from scipy.spatial import cKDTree

import carom as cm
from carom.geometry.rotation import matrix_of
from carom.geometry.shapes.surface import Surface
from carom.geometry.surfaces.base import PERIODIC, ParametricSurface
from geometry.pairs.contacts import Pose, random_pose

Rng = np.random.Generator


def egg_cup(rng: Rng) -> ParametricSurface:
    radii = rng.uniform(0.3, 0.6, 3)
    return cm.surfaces.Revolution([(0.0, -0.5), (radii[0], -0.3), (radii[1], 0.0), (radii[2], 0.3), (0.0, 0.5)])


def hills(rng: Rng) -> ParametricSurface:
    x, y = np.linspace(-0.6, 0.6, 6), np.linspace(-0.5, 0.5, 5)
    return cm.surfaces.HeightMap(x, y, rng.uniform(-0.05, 0.05, (6, 5)))


KINDS: dict[str, Any] = {
    "sphere": lambda rng: cm.surfaces.Sphere(rng.uniform(0.2, 0.6)),
    "ellipsoid": lambda rng: cm.surfaces.Ellipsoid(*rng.uniform(0.3, 0.6, 3)),
    "torus": lambda rng: cm.surfaces.Torus(rng.uniform(0.5, 0.7), rng.uniform(0.1, 0.25)),
    "superellipsoid": lambda rng: cm.surfaces.Superellipsoid(*rng.uniform(0.3, 0.6, 3), *rng.uniform(0.6, 1.0, 2)),
    "paraboloid": lambda rng: cm.surfaces.Paraboloid(*rng.uniform(-0.9, -0.2, 2), (0.6, 0.5)),
    "revolution": egg_cup,
    "height map": hills,
}
CLOSED = ("sphere", "ellipsoid", "torus", "superellipsoid", "revolution")


def samples(shape: Surface, pose: Pose, count: int) -> tuple[np.ndarray, np.ndarray]:
    """A net of parameters (rows of u, v) and its points."""
    (u0, u1), (v0, v1) = shape.surface.u_range, shape.surface.v_range
    u, v = np.meshgrid(np.linspace(u0, u1, count), np.linspace(v0, v1, count), indexing="ij")
    return np.column_stack([u.ravel(), v.ravel()]), on(shape, pose, shape.surface.point(u.ravel(), v.ravel()))


def on(shape: Surface, pose: Pose, points: np.ndarray) -> np.ndarray:
    """Points of the surface's own axes, in space."""
    local = np.array(shape.at) + points @ matrix_of(shape.orientation).T
    return pose[:3] + local @ pose[3:].reshape(3, 3).T


def bounds(shape: Surface) -> list[tuple[float | None, float | None]]:
    return [
        (None, None) if ends[0] == PERIODIC else span
        for ends, span in (
            (shape.surface.u_ends, shape.surface.u_range),
            (shape.surface.v_ends, shape.surface.v_range),
        )
    ]


def wrapped(shape: Surface, u: float, v: float) -> tuple[float, float]:
    """Parameters in their ranges, for surfaces that go round."""
    found = []
    for x, ends, (low, high) in ((u, shape.surface.u_ends, shape.surface.u_range),
                                 (v, shape.surface.v_ends, shape.surface.v_range)):  # fmt: skip
        found.append(low + (x - low) % (high - low) if ends[0] == PERIODIC else x)
    return found[0], found[1]


def at(shape: Surface, pose: Pose, u: float, v: float) -> tuple[np.ndarray, np.ndarray]:
    """Point and tangents (rows) in space."""
    out = shape.surface.output(*wrapped(shape, u, v))
    turn = pose[3:].reshape(3, 3) @ matrix_of(shape.orientation)
    return on(shape, pose, out["point"][None])[0], np.array([turn @ out["point_u"], turn @ out["point_v"]])


def apart_from_each_other(points: np.ndarray, order: np.ndarray, count: int = 4) -> list[int]:
    """The first of ``order`` whose points are not beside one another."""
    taken: list[int] = []
    for k in order:
        if all(np.linalg.norm(points[k] - points[m]) > 0.1 for m in taken):
            taken.append(int(k))
        if len(taken) == count:
            break
    return taken


def least(square: Any, starts: list[np.ndarray], limits: Any) -> tuple[float, np.ndarray]:
    """The least distance that SciPy gets to from any of ``starts``, and where."""
    best, where = math.inf, starts[0]
    for x in starts:
        for _ in range(2):
            x = minimize(square, x, jac=True, method="L-BFGS-B", bounds=limits,
                         options={"ftol": 1e-16, "gtol": 1e-12, "maxiter": 500}).x  # fmt: skip
        distance = math.sqrt(2.0 * square(x)[0])
        if distance < best:
            best, where = distance, x
    return best, where


def shortest(a: Surface, b: Surface, pose_a: Pose, pose_b: Pose, count: int = 40) -> tuple[float, np.ndarray]:
    """The least distance between two surfaces that do not meet: a fine net, then SciPy from its best places; and the
    parameters of both points."""
    from_a, points_a = samples(a, pose_a, count)
    from_b, points_b = samples(b, pose_b, count)
    distances, nearest = cKDTree(points_b).query(points_a)
    starts = apart_from_each_other(points_a, np.argsort(distances))

    def square(x: np.ndarray) -> tuple[float, np.ndarray]:
        p, t = at(a, pose_a, x[0], x[1])
        q, s = at(b, pose_b, x[2], x[3])
        d = p - q
        return 0.5 * float(d @ d), np.concatenate([t @ d, -s @ d])

    return least(square, [np.concatenate([from_a[k], from_b[nearest[k]]]) for k in starts], bounds(a) + bounds(b))


def ball_distance(shape: Surface, pose: Pose, centre: np.ndarray, count: int = 60) -> tuple[float, np.ndarray]:
    """The least distance of a point from a surface, and the parameters of the foot."""
    where, points = samples(shape, pose, count)
    starts = apart_from_each_other(points, np.argsort(np.linalg.norm(points - centre, axis=1)))

    def square(x: np.ndarray) -> tuple[float, np.ndarray]:
        p, t = at(shape, pose, x[0], x[1])
        return 0.5 * float((p - centre) @ (p - centre)), t @ (p - centre)

    return least(square, [where[k] for k in starts], bounds(shape))


def within_face(shape: Surface, u: float, v: float, margin: float = 1e-6) -> bool:
    """Return True if parameters are not at an open border."""
    for x, ends, (low, high) in ((u, shape.surface.u_ends, shape.surface.u_range),
                                 (v, shape.surface.v_ends, shape.surface.v_range)):  # fmt: skip
        for end, bound in zip(ends, (low, high), strict=True):
            if end == "open" and abs(x - bound) < margin * (high - low):
                return False
    return True


def apart(rng: Rng, a: Surface, b: Surface) -> tuple[Pose, Pose, float, np.ndarray]:
    """Random poses in which two surfaces are near each other but do not meet; their distance and parameters there."""
    while True:
        pose_a, pose_b = random_pose(rng, 1.0, True), random_pose(rng, 1.0, True)
        coarse, _ = cKDTree(samples(b, pose_b, 20)[1]).query(samples(a, pose_a, 20)[1])
        if not (0.02 < coarse.min() < 0.5 and outside(a, b, pose_a, pose_b) and outside(b, a, pose_b, pose_a)):
            continue
        gap, where = shortest(a, b, pose_a, pose_b)
        if gap > 0.02:
            return pose_a, pose_b, gap, where


def outside(a: Surface, b: Surface, pose_a: Pose, pose_b: Pose) -> bool:
    """Return True if no sample of surface a is behind the closest point of surface b."""
    _, points = samples(a, pose_a, 12)
    params, places = samples(b, pose_b, 40)
    _, nearest = cKDTree(places).query(points)
    turn = pose_b[3:].reshape(3, 3)
    normals = b.surface.normal(params[nearest, 0], params[nearest, 1]) @ (turn @ matrix_of(b.orientation)).T
    return bool(np.all(np.sum(normals * (points - places[nearest]), axis=1) > 0.0))
