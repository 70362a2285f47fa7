"""Triangles of shapes, for display."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from carom.geometry.rotation import frame_along
from carom.geometry.shapes import Shape

Triangles = tuple[np.ndarray, np.ndarray]
"""Vertices (n, 3) [m] in body axes, and the indices of the three vertices of each triangle (m, 3)."""

AROUND = 24
"""Segments of a circle."""


def triangles(shape: Shape, extent: float = 1.0) -> Triangles:
    """Return the triangles of a spatial ``shape``; of an infinite plane a square of side ``extent`` [m]."""
    return TESSELLATIONS[shape.kind](shape, extent)


def grid(points: np.ndarray, closed_u: bool = False, closed_v: bool = False) -> Triangles:
    """Return the triangles of a grid of points (u, v, 3), two per cell."""
    rows, columns = points.shape[:2]
    u = np.arange(rows if closed_u else rows - 1)
    v = np.arange(columns if closed_v else columns - 1)
    a = (u[:, None] * columns + v).ravel()
    b = (((u + 1) % rows)[:, None] * columns + v).ravel()
    c = (((u + 1) % rows)[:, None] * columns + (v + 1) % columns).ravel()
    d = (u[:, None] * columns + (v + 1) % columns).ravel()
    return points.reshape(-1, 3), np.concatenate([np.column_stack([a, b, c]), np.column_stack([a, c, d])])


def joined(*parts: Triangles) -> Triangles:
    """Return all triangles of several parts."""
    starts = np.cumsum([0, *(len(vertices) for vertices, _ in parts)])
    faces = [faces + start for (_, faces), start in zip(parts, starts, strict=False)]
    return np.concatenate([vertices for vertices, _ in parts]), np.concatenate(faces)


def revolved(at: Any, axis: Any, radius: np.ndarray, height: np.ndarray) -> Triangles:
    """Return the triangles of the profile (radius, height) [m] revolved about an axis."""
    x, y, z = frame_along(axis).T
    turn = np.linspace(0.0, 2.0 * math.pi, AROUND, endpoint=False)
    ring = np.cos(turn)[:, None] * x + np.sin(turn)[:, None] * y
    points = np.asarray(at) + radius[None, :, None] * ring[:, None, :] + height[None, :, None] * z
    return grid(points, closed_u=True)


def flat(*points: Any) -> Triangles:
    """Return the triangles of a convex polygon."""
    vertices = np.array(points, float)
    k = np.arange(1, len(vertices) - 1)
    return vertices, np.column_stack([np.zeros_like(k), k, k + 1])


def _sphere(shape: Any, extent: float) -> Triangles:
    angle = np.linspace(-0.5 * math.pi, 0.5 * math.pi, AROUND // 2 + 1)
    return revolved(shape.at, (0.0, 0.0, 1.0), shape.radius * np.cos(angle), shape.radius * np.sin(angle))


def _segment(shape: Any, extent: float) -> Triangles:
    start, end = np.array(shape.start), np.array(shape.end)
    length = float(np.linalg.norm(end - start))
    radius = shape.radius or 1e-3 * length
    angle = np.linspace(0.0, 0.5 * math.pi, 5)
    cap, rise = radius * np.cos(angle), radius * np.sin(angle)
    profile, height = np.concatenate([cap[::-1], cap]), np.concatenate([-rise[::-1], length + rise])
    return revolved(start, (end - start) / length, profile, height)


def _plane(shape: Any, extent: float) -> Triangles:
    x, y, _ = frame_along(shape.normal).T * (0.5 * extent)
    at = np.array(shape.at)
    return flat(at - x - y, at + x - y, at + x + y, at - x + y)


def _rectangle(shape: Any, extent: float) -> Triangles:
    at, u, v = np.array(shape.at), shape.half_u * np.array(shape.axis_u), shape.half_v * np.array(shape.axis_v)
    return flat(at - u - v, at + u - v, at + u + v, at - u + v)


def _disc(shape: Any, extent: float) -> Triangles:
    return revolved(shape.at, shape.axis, np.array([0.0, shape.radius]), np.zeros(2))


def _cone(shape: Any, extent: float) -> Triangles:
    half, first, last = shape.half_length, shape.radius, shape.end_radius
    radius, height = np.array([first, last]), np.array([-half, half])
    if not shape.inside:
        radius, height = np.array([0.0, first, last, 0.0]), np.array([-half, -half, half, half])
    return revolved(shape.at, shape.axis, radius, height)


def _torus(shape: Any, extent: float) -> Triangles:
    angle = np.linspace(0.0, 2.0 * math.pi, AROUND // 2 + 1)
    return revolved(
        shape.at, shape.axis, shape.radius + shape.tube_radius * np.cos(angle), shape.tube_radius * np.sin(angle)
    )


def _box(shape: Any, extent: float) -> Triangles:
    signs = np.array([(x, y, z) for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)], float)
    vertices = np.array(shape.at) + (signs * np.array(shape.half)) @ shape.axes.T
    sides = [(0, 1, 3, 2), (4, 6, 7, 5), (0, 4, 5, 1), (2, 3, 7, 6), (0, 2, 6, 4), (1, 5, 7, 3)]
    return vertices, np.array([(a, b, c) for a, b, c, _ in sides] + [(a, c, d) for a, _, c, d in sides])


def _curve(shape: Any, extent: float) -> Triangles:
    """Return a tube about the curve."""
    line = shape.outline(96)
    line = np.column_stack([line, np.zeros(len(line))]) if line.shape[1] == 2 else line
    size = float(np.ptp(line, axis=0).max())
    radius = getattr(shape, "radius", 0.0) or 5e-3 * size
    tangent = np.gradient(line, axis=0)
    tangent /= np.linalg.norm(tangent, axis=1)[:, None]
    turn = np.linspace(0.0, 2.0 * math.pi, 8, endpoint=False)
    frames = np.array([frame_along(direction) for direction in tangent])
    ring = np.cos(turn)[None, :, None] * frames[:, None, :, 0] + np.sin(turn)[None, :, None] * frames[:, None, :, 1]
    return grid(line[:, None, :] + radius * ring, closed_v=True)


TESSELLATIONS: dict[str, Callable[[Any, float], Triangles]] = {
    "Sphere": _sphere,
    "Segment": _segment,
    "Plane": _plane,
    "Triangle": lambda shape, extent: flat(shape.a, shape.b, shape.c),
    "Rectangle": _rectangle,
    "Disc": _disc,
    "Cylinder": _cone,
    "Cone": _cone,
    "Torus": _torus,
    "Box": _box,
    "Curve": _curve,
    "Mesh": lambda shape, extent: (shape.vertices, shape.faces),
    "Surface": lambda shape, extent: grid(shape.points()),
    "Union": lambda shape, extent: joined(*(triangles(part, extent) for part in shape.shapes)),
}
"""Computation of the triangles by kind of shape."""
