"""Skins of shapes as parametrised patches, to search by brute force; from what the shapes are, not from the kernels."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from carom.geometry.shapes import (
    Box,
    Cone,
    ConvexHull,
    Disc,
    Ellipsoid,
    Plane,
    Point,
    Rectangle,
    Segment,
    Shape,
    Sphere,
    Torus,
    Triangle,
)

Array = np.ndarray
COARSE = 31
FINE = 7
ROUNDS = 60


@dataclass(frozen=True)
class Patch:
    """``at(u, v)`` are points of the skin for u and v in [0, 1]; ``on_edge(u, v)`` says where that has an edge.

    When the skin is ``closed``, it goes on over v = 1 as from v = 0.
    """

    at: Callable[[Array, Array], Array]
    on_edge: Callable[[Array, Array], Array] = lambda u, v: np.zeros(u.shape, bool)
    closed: bool = False


@dataclass(frozen=True)
class Found:
    """The least distance of points from a skin, the closest points there, and whether those are on an edge."""

    distance: Array
    point: Array
    on_edge: Array


def frame(axis: Array) -> Array:
    """Two unit vectors across ``axis``, and it, as rows."""
    helper = np.array([0.3, -0.5, 0.8]) if abs(axis @ (0.3, -0.5, 0.8)) < 0.9 else np.array([1.0, 0.0, 0.0])
    first = np.cross(axis, helper)
    first /= np.linalg.norm(first)
    return np.array([first, np.cross(axis, first), axis])


def vectors(*parts: Array) -> Array:
    return np.stack(np.broadcast_arrays(*parts), axis=-1)


def at_ends(u: Array) -> Array:
    return np.minimum(u, 1.0 - u) < 1e-7


def flat(corner: Array, along: Array, across: Array) -> Patch:
    return Patch(
        lambda u, v: corner + u[..., None] * along + v[..., None] * across, lambda u, v: at_ends(u) | at_ends(v)
    )


def tube(at: Array, axis: Array, line: Callable[[Array], tuple[Array, Array]]) -> Patch:
    """The surface of revolution of ``line``: distances from the axis and along it over u."""
    rows = frame(axis)

    def points(u: Array, v: Array) -> Array:
        radius, height = line(u)
        turn = 2.0 * math.pi * v
        return at + vectors(radius * np.cos(turn), radius * np.sin(turn), height) @ rows

    return Patch(points, lambda u, v: at_ends(u), closed=True)


def dome(at: Array, axis: Array, line: Callable[[Array], tuple[Array, Array]]) -> Patch:
    """Return the points of a line that starts on the axis; a square is bent to a circle, so that it has no pole."""
    rows = frame(axis)

    def points(u: Array, v: Array) -> Array:
        x, y = 2.0 * u - 1.0, 2.0 * v - 1.0
        x, y = x * np.sqrt(1.0 - 0.5 * y * y), y * np.sqrt(1.0 - 0.5 * x * x)
        way = np.hypot(x, y)
        radius, height = line(way)
        scale = radius / np.where(way > 0.0, way, 1.0)
        return at + vectors(scale * x, scale * y, height) @ rows

    return Patch(points, lambda u, v: at_ends(u) | at_ends(v))


def rim(at: Array, axis: Array, radius: float, height: float) -> Patch:
    circle = tube(at, axis, lambda u: (radius + 0.0 * u, height + 0.0 * u))
    return Patch(circle.at, lambda u, v: np.ones(u.shape, bool), closed=True)


def cap(at: Array, axis: Array, radius: float, height: float) -> list[Patch]:
    return [rim(at, axis, radius, height), dome(at, axis, lambda way: (radius * way, height + 0.0 * way))]


def half_sphere(at: Array, axis: Array, radius: float, reach: float = 0.5) -> Patch:
    """Or a part that reaches farther than a quarter of a turn from the axis."""
    return dome(at, axis, lambda way: (radius * np.sin(reach * math.pi * way), radius * np.cos(reach * math.pi * way)))


def quarter(corner: Array, beside: Array, across: Array, before: Array) -> Patch:
    """A quadrilateral with edges from ``corner`` to its neighbours."""

    def points(u: Array, v: Array) -> Array:
        u, v = u[..., None], v[..., None]
        return (1.0 - u) * ((1.0 - v) * corner + v * before) + u * ((1.0 - v) * beside + v * across)

    return Patch(points, lambda u, v: np.minimum(u, v) < 1e-7)


def corner_patches(a: Array, b: Array, c: Array) -> list[Patch]:
    """Return the three parts of a triangle about its corners."""
    middle = (a + b + c) / 3.0
    return [quarter(p, 0.5 * (p + q), middle, 0.5 * (p + r)) for p, q, r in ((a, b, c), (b, c, a), (c, a, b))]


def stretched(patch: Patch, at: Array, matrix: Array) -> Patch:
    return Patch(lambda u, v: at + patch.at(u, v) @ matrix.T)


def skin(shape: Shape) -> list[Patch]:
    """The patches of a shape, in its body's axes."""
    if isinstance(shape, Triangle):
        return corner_patches(np.array(shape.a), np.array(shape.b), np.array(shape.c))
    if isinstance(shape, ConvexHull):
        vertices, faces = shape.triangles()
        return [patch for face in faces for patch in corner_patches(*vertices[face])]
    if isinstance(shape, Ellipsoid):
        matrix, z = shape.axes * np.array(shape.semi_axes), np.array([0.0, 0.0, 1.0])
        return [stretched(half_sphere(np.zeros(3), end, 1.0, 0.6), np.array(shape.at), matrix) for end in (z, -z)]
    if isinstance(shape, Rectangle):
        along, across = 2.0 * shape.half_u * np.array(shape.axis_u), 2.0 * shape.half_v * np.array(shape.axis_v)
        return [flat(np.array(shape.at) - 0.5 * (along + across), along, across)]
    if isinstance(shape, Box):
        return [
            flat(
                np.array(shape.at) + shape.axes @ (sign * np.eye(3)[k] * shape.half[k] - e * half_e - f * half_f),
                shape.axes @ (2.0 * e * half_e),
                shape.axes @ (2.0 * f * half_f),
            )
            for k in range(3)
            for e, half_e in [(np.eye(3)[(k + 1) % 3], shape.half[(k + 1) % 3])]
            for f, half_f in [(np.eye(3)[(k + 2) % 3], shape.half[(k + 2) % 3])]
            for sign in (-1.0, 1.0)
        ]
    if isinstance(shape, Plane):
        rows = frame(np.array(shape.normal))
        return [flat(np.array(shape.at) - 5.0 * (rows[0] + rows[1]), 10.0 * rows[0], 10.0 * rows[1])]
    if isinstance(shape, Segment):
        start, end = np.array(shape.start), np.array(shape.end)
        length = np.linalg.norm(end - start)
        axis = (end - start) / length
        return [
            tube(start, axis, lambda u: (shape.radius + 0.0 * u, length * u)),
            half_sphere(start, -axis, shape.radius),
            half_sphere(end, axis, shape.radius),
        ]
    at, axis = np.array(shape.at), np.array(getattr(shape, "axis", (0.0, 0.0, 1.0)))
    if isinstance(shape, Sphere | Point):
        return [half_sphere(at, axis, shape.radius, 0.6), half_sphere(at, -axis, shape.radius, 0.6)]
    if isinstance(shape, Disc):
        return cap(at, axis, shape.radius, 0.0)
    if isinstance(shape, Torus):
        r, t = shape.radius, shape.tube_radius
        # In two halves, so that no closest place lies where the line ends.
        return [
            tube(
                at, axis, lambda u: (r - t * np.cos(1.1 * math.pi * (u - 0.5)), t * np.sin(1.1 * math.pi * (u - 0.5)))
            ),
            tube(
                at, axis, lambda u: (r + t * np.cos(1.1 * math.pi * (u - 0.5)), t * np.sin(1.1 * math.pi * (u - 0.5)))
            ),
        ]
    assert isinstance(shape, Cone)
    first, last, half = shape.radius, shape.end_radius, shape.half_length
    if last == 0.0:
        side = dome(at, axis, lambda way: (first * way, half * (1.0 - 2.0 * way)))
    else:
        side = tube(at, axis, lambda u: (first + u * (last - first), half * (2.0 * u - 1.0)))
    if shape.inside:
        return [rim(at, axis, first, -half), rim(at, axis, last, half), side]
    return [*cap(at, axis, first, -half), *cap(at, axis, last, half), side]


def solid_holds(shape: Shape, points: Array) -> Array:
    """Return True for points, in body axes, inside the solid or in the hollow of a cavity; never for thin shapes."""
    if shape.thin:
        return np.zeros(len(points), bool)
    if isinstance(shape, Plane):
        return (points - shape.at) @ np.array(shape.normal) < 0.0
    if isinstance(shape, Segment):
        start, end = np.array(shape.start), np.array(shape.end)
        part = np.clip((points - start) @ (end - start) / np.sum((end - start) ** 2), 0.0, 1.0)
        return np.linalg.norm(points - start - part[:, None] * (end - start), axis=1) < shape.radius
    if isinstance(shape, Box):
        return np.all(np.abs((points - shape.at) @ shape.axes) < shape.half, axis=1)
    if isinstance(shape, Sphere | Point):
        return np.linalg.norm(points - shape.at, axis=1) < shape.radius
    height = (points - shape.at) @ np.array(shape.axis)
    radius = np.linalg.norm(np.cross(shape.axis, points - shape.at), axis=1)
    if isinstance(shape, Torus):
        return (radius - shape.radius) ** 2 + height**2 < shape.tube_radius**2
    part = 0.5 * (1.0 + height / shape.half_length)
    return (np.abs(height) < shape.half_length) & (radius < shape.radius + part * (shape.end_radius - shape.radius))


def search(patches: list[Patch], points: Array) -> Found:
    """The places of a skin closest to points: the best of a grid, then ever finer grids about it, on every patch."""
    best = np.full(len(points), np.inf)
    where = np.zeros_like(points)
    on_edge = np.zeros(len(points), bool)
    grid = np.linspace(0.0, 1.0, COARSE)
    u, v = np.meshgrid(grid, grid)
    u, v = u.ravel(), v.ravel()
    steps = np.linspace(-1.0, 1.0, FINE)
    du, dv = np.meshgrid(steps, steps)
    du, dv = du.ravel(), dv.ravel()
    at_border = np.maximum(np.abs(du), np.abs(dv)) == 1.0
    row = np.arange(len(points))
    for patch in patches:
        samples = patch.at(u, v)
        k = np.argmin(np.linalg.norm(samples[None] - points[:, None], axis=2), axis=1)
        at_u, at_v = u[k], v[k]
        reach = np.full(len(points), 2.0 / (COARSE - 1))
        for _ in range(ROUNDS):
            near_u = np.clip(at_u[:, None] + reach[:, None] * du, 0.0, 1.0)
            near_v = at_v[:, None] + reach[:, None] * dv
            if not patch.closed:
                near_v = np.clip(near_v, 0.0, 1.0)
            distances = np.linalg.norm(patch.at(near_u, near_v) - points[:, None], axis=2)
            k = np.argmin(distances, axis=1)
            at_u, at_v = near_u[row, k], near_v[row, k]
            # Finer, but not while the border of the grid is still better than its middle.
            moving = at_border[k] & (distances[row, k] < distances[:, FINE * FINE // 2])
            reach *= np.where(moving, 1.0, 0.5)
        found = patch.at(at_u, at_v)
        distance = np.linalg.norm(found - points, axis=1)
        better = distance < best - 1e-12  # edges come first
        best = np.where(better, distance, best)
        where = np.where(better[:, None], found, where)
        on_edge = np.where(better, patch.on_edge(at_u, at_v), on_edge)
    return Found(best, where, on_edge)


def heights(shape: Shape, points: Array) -> tuple[Array, Found]:
    """Return the heights of points above the surface: negative in a solid, and outside the hollow of a cavity."""
    found = search(skin(shape), points)
    below = solid_holds(shape, points)
    if getattr(shape, "inside", False) and not shape.thin:
        below = ~below
    return np.where(below, -1.0, 1.0) * found.distance, found
