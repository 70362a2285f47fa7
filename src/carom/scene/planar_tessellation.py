"""Triangles of planar lines, discs and polygons."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from carom.geometry.tessellation import Triangles, join_triangles
from carom.scene import symbol_geometry

DISC_SEGMENTS = 28
"""Segments along the rim of a disc; a drawn circle has twice as many."""
MITRE_LIMIT = 3.0
"""Largest extension of a corner of a stroke, in half widths [-]."""


def stroke(line: Any, width: float) -> Triangles:
    """Return the triangles of a line (n, 2) of some ``width`` [m] with round ends."""
    points = _without_repeated(np.asarray(line, float)[:, :2])
    if len(points) < 2:
        return disc(points[0], 0.5 * width)
    closed = len(points) > 3 and math.dist(points[0], points[-1]) < 1e-9 * float(np.ptp(points))
    tangent = np.diff(points, axis=0)
    tangent /= np.hypot(*tangent.T)[:, None]
    before = np.vstack([tangent[-1:] if closed else tangent[:1], tangent])
    after = np.vstack([tangent, tangent[:1] if closed else tangent[-1:]])
    normal = np.column_stack([-(before + after)[:, 1], (before + after)[:, 0]])
    normal /= np.maximum(np.hypot(*normal.T), 1e-9)[:, None]
    cosine = np.abs(normal[:, 0] * -after[:, 1] + normal[:, 1] * after[:, 0])  # of half the angle between segments
    side = normal * (0.5 * width * np.minimum(1.0 / np.maximum(cosine, 1e-9), MITRE_LIMIT))[:, None]
    n = len(points)
    k = np.arange(n - 1)
    faces = np.concatenate([np.column_stack([k, k + n, k + 1]), np.column_stack([k + 1, k + n, k + n + 1])])
    body = (_with_zero_z(np.concatenate([points + side, points - side])), faces)
    return body if closed else join_triangles(body, disc(points[0], 0.5 * width), disc(points[-1], 0.5 * width))


def strokes(lines: Any, width: float) -> Triangles:
    """Return the triangles of several lines."""
    return join_triangles(*(stroke(line, width) for line in lines))


def disc(at: Any, radius: float) -> Triangles:
    """Return the triangles of a filled circle."""
    rim = circle(at, radius, DISC_SEGMENTS)[:-1]
    k = np.arange(1, DISC_SEGMENTS - 1)
    return _with_zero_z(rim), np.column_stack([np.zeros_like(k), k, k + 1])


def circle(at: Any, radius: float, n_segments: int = 2 * DISC_SEGMENTS) -> np.ndarray:
    """Return the closed line (n, 2) of a circle."""
    return symbol_geometry.circle(at, radius, n_segments)


def polygon(rim: Any) -> Triangles:
    """Return the triangles of a simple polygon (n, 2), by ear clipping."""
    points = _without_repeated(np.asarray(rim, float)[:, :2])
    if math.dist(points[0], points[-1]) < 1e-9 * float(np.ptp(points)):
        points = points[:-1]
    x, y = points.T
    if np.sum(x * np.roll(y, -1) - np.roll(x, -1) * y) < 0.0:
        points = points[::-1]
    remaining = list(range(len(points)))
    faces = []
    while len(remaining) > 3:
        ear = next((k for k in range(len(remaining)) if _is_ear(points, remaining, k)), 0)
        faces.append((remaining[ear - 1], remaining[ear], remaining[(ear + 1) % len(remaining)]))
        del remaining[ear]
    return _with_zero_z(points), np.array([*faces, tuple(remaining)], np.int64)


def _with_zero_z(points: np.ndarray) -> np.ndarray:
    """Return planar points (n, 2) as points (n, 3)."""
    return np.column_stack([points, np.zeros(len(points))])


def _is_ear(points: np.ndarray, remaining: list[int], k: int) -> bool:
    """Return True if the triangle at corner ``k`` is convex and contains no other corner."""
    n = len(remaining)
    a, b, c = (points[remaining[(k + shift) % n]] for shift in (-1, 0, 1))
    if _cross(a, b, c) <= 0.0:
        return False
    others = points[[remaining[j] for j in range(n) if j not in ((k - 1) % n, k, (k + 1) % n)]]
    inside = (_cross(a, b, others.T) >= 0.0) & (_cross(b, c, others.T) >= 0.0) & (_cross(c, a, others.T) >= 0.0)
    return not bool(np.any(inside))


def _cross(a: Any, b: Any, c: Any) -> Any:
    """Return (b − a) × (c − a), positive if a, b, c run counterclockwise."""
    return (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0])


def _without_repeated(points: np.ndarray) -> np.ndarray:
    """Return the points without successive duplicates."""
    distinct = np.hypot(*np.diff(points, axis=0).T) > 1e-12 * max(float(np.ptp(points)), 1e-300)
    return points[np.concatenate([[True], distinct])]
