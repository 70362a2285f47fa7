"""Triangles of grids, solids of revolution, tubes and polygons, for display."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from carom.geometry.rotation import frame_along
from carom.typing import PointLike, VectorLike

Triangles = tuple[np.ndarray, np.ndarray]
"""Vertices (n, 3) [m] in body axes, and the indices of the three vertices of each triangle (m, 3)."""

CIRCLE_SEGMENTS = 48
"""Segments of a circle."""
TUBE_SIDES = 8
"""Segments of the cross-section of a tube."""
THIN_CAPSULE = 1e-3
"""Drawn radius of a segment without radius, relative to its length [-]."""
THIN_TUBE = 5e-3
"""Drawn radius of a line without radius, relative to its size [-]."""


def grid_triangles(points: np.ndarray, closed_u: bool = False, closed_v: bool = False) -> Triangles:
    """Return the triangles of a grid of points (u, v, 3), two per cell."""
    rows, columns = points.shape[:2]
    u = np.arange(rows if closed_u else rows - 1)
    v = np.arange(columns if closed_v else columns - 1)
    a = (u[:, None] * columns + v).ravel()
    b = (((u + 1) % rows)[:, None] * columns + v).ravel()
    c = (((u + 1) % rows)[:, None] * columns + (v + 1) % columns).ravel()
    d = (u[:, None] * columns + (v + 1) % columns).ravel()
    return points.reshape(-1, 3), np.concatenate([np.column_stack([a, b, c]), np.column_stack([a, c, d])])


def join_triangles(*parts: Triangles) -> Triangles:
    """Return all triangles of several parts."""
    starts = np.cumsum([0, *(len(vertices) for vertices, _ in parts)])
    faces = [faces + start for (_, faces), start in zip(parts, starts, strict=False)]
    return np.concatenate([vertices for vertices, _ in parts]), np.concatenate(faces)


def revolved_triangles(at: PointLike, axis: VectorLike, radius: np.ndarray, height: np.ndarray) -> Triangles:
    """Return the triangles of the profile (radius, height) [m] revolved about the unit vector ``axis``."""
    x, y, z = frame_along(axis).T
    turn = np.linspace(0.0, 2.0 * math.pi, CIRCLE_SEGMENTS, endpoint=False)
    ring = np.cos(turn)[:, None] * x + np.sin(turn)[:, None] * y
    points = np.asarray(at) + radius[None, :, None] * ring[:, None, :] + height[None, :, None] * z
    return grid_triangles(points, closed_u=True)


def polygon_triangles(*corners: PointLike) -> Triangles:
    """Return the triangles of a convex polygon."""
    vertices = np.array(corners, float)
    k = np.arange(1, len(vertices) - 1)
    return vertices, np.column_stack([np.zeros_like(k), k, k + 1])


def sphere_triangles(at: PointLike, radius: float) -> Triangles:
    """Return the triangles of a sphere about ``at`` [m]."""
    angle = np.linspace(-0.5 * math.pi, 0.5 * math.pi, CIRCLE_SEGMENTS // 2 + 1)
    return revolved_triangles(at, (0.0, 0.0, 1.0), radius * np.cos(angle), radius * np.sin(angle))


def capsule_triangles(start: PointLike, end: PointLike, radius: float) -> Triangles:
    """Return the triangles of a capsule from ``start`` to ``end`` [m]; a radius of zero is drawn as a thin one."""
    first, axis = np.array(start), np.array(end) - np.array(start)
    length = float(np.linalg.norm(axis))
    radius = radius or THIN_CAPSULE * length
    angle = np.linspace(0.0, 0.5 * math.pi, 5)
    cap, rise = radius * np.cos(angle), radius * np.sin(angle)
    profile, height = np.concatenate([cap[::-1], cap]), np.concatenate([-rise[::-1], length + rise])
    return revolved_triangles(first, axis / length, profile, height)


def square_triangles(at: PointLike, normal: VectorLike, side: float) -> Triangles:
    """Return the triangles of a square of ``side`` [m] about ``at`` [m] with the unit vector ``normal``."""
    x, y, _ = frame_along(normal).T * (0.5 * side)
    centre = np.array(at)
    return polygon_triangles(centre - x - y, centre + x - y, centre + x + y, centre - x + y)


def tube_triangles(line: np.ndarray, radius: float = 0.0) -> Triangles:
    """Return the triangles of a tube about a line (n, 2) or (n, 3) [m]; a radius of zero is drawn as a thin one."""
    line = np.column_stack([line, np.zeros(len(line))]) if line.shape[1] == 2 else line
    radius = radius or THIN_TUBE * float(np.ptp(line, axis=0).max())
    tangent = np.gradient(line, axis=0)
    tangent /= np.linalg.norm(tangent, axis=1)[:, None]
    turn = np.linspace(0.0, 2.0 * math.pi, TUBE_SIDES, endpoint=False)
    frames = np.array([frame_along(direction) for direction in tangent])
    ring = np.cos(turn)[None, :, None] * frames[:, None, :, 0] + np.sin(turn)[None, :, None] * frames[:, None, :, 1]
    return grid_triangles(line[:, None, :] + radius * ring, closed_v=True)


def box_triangles(at: PointLike, axes: np.ndarray, half_sides: Sequence[float]) -> Triangles:
    """Return the triangles of a box about ``at`` [m] with its axes as columns of ``axes`` (3, 3)."""
    signs = np.array([(x, y, z) for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)], float)
    vertices = np.array(at) + (signs * np.array(half_sides)) @ axes.T
    sides = [(0, 1, 3, 2), (4, 6, 7, 5), (0, 4, 5, 1), (2, 3, 7, 6), (0, 2, 6, 4), (1, 5, 7, 3)]
    return vertices, np.array([(a, b, c) for a, b, c, _ in sides] + [(a, c, d) for a, _, c, d in sides])
