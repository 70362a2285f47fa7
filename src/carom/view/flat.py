"""Flat shapes as triangles: strokes, discs, rings and plates, for drawings of planar mechanisms."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from carom.geometry.tessellation import Triangles, joined

AROUND = 28
"""Pieces of a circle."""
SHARP = 3.0
"""A corner of a stroke reaches out this many half widths at most."""


def stroke(line: Any, width: float) -> Triangles:
    """A line (n, 2) of a certain width [m], round at its ends."""
    points = _distinct(np.asarray(line, float)[:, :2])
    if len(points) < 2:
        return disc(points[0], 0.5 * width)
    closed = len(points) > 3 and math.dist(points[0], points[-1]) < 1e-9 * float(np.ptp(points))
    way = np.diff(points, axis=0)
    way /= np.hypot(*way.T)[:, None]
    before = np.vstack([way[-1:] if closed else way[:1], way])
    after = np.vstack([way, way[:1] if closed else way[-1:]])
    normal = np.column_stack([-(before + after)[:, 1], (before + after)[:, 0]])
    normal /= np.maximum(np.hypot(*normal.T), 1e-9)[:, None]
    bend = np.abs(normal[:, 0] * -after[:, 1] + normal[:, 1] * after[:, 0])  # cosine of half the turn
    side = normal * (0.5 * width * np.minimum(1.0 / np.maximum(bend, 1e-9), SHARP))[:, None]
    n = len(points)
    k = np.arange(n - 1)
    faces = np.concatenate([np.column_stack([k, k + n, k + 1]), np.column_stack([k + 1, k + n, k + n + 1])])
    body = (lifted(np.concatenate([points + side, points - side])), faces)
    return body if closed else joined(body, disc(points[0], 0.5 * width), disc(points[-1], 0.5 * width))


def strokes(lines: Any, width: float) -> Triangles:
    """Many lines."""
    return joined(*(stroke(line, width) for line in lines))


def disc(at: Any, radius: float) -> Triangles:
    """A full circle."""
    turn = np.linspace(0.0, 2.0 * math.pi, AROUND, endpoint=False)
    rim = np.array(at[:2]) + radius * np.column_stack([np.cos(turn), np.sin(turn)])
    k = np.arange(1, AROUND - 1)
    return lifted(rim), np.column_stack([np.zeros_like(k), k, k + 1])


def circle(at: Any, radius: float) -> np.ndarray:
    """The line of a circle, closed."""
    turn = np.linspace(0.0, 2.0 * math.pi, 2 * AROUND + 1)
    return np.array(at[:2]) + radius * np.column_stack([np.cos(turn), np.sin(turn)])


def plate(rim: Any) -> Triangles:
    """What lies inside a rim (n, 2) that does not cross itself, by cutting ears."""
    points = _distinct(np.asarray(rim, float)[:, :2])
    if math.dist(points[0], points[-1]) < 1e-9 * float(np.ptp(points)):
        points = points[:-1]
    x, y = points.T
    if np.sum(x * np.roll(y, -1) - np.roll(x, -1) * y) < 0.0:
        points = points[::-1]
    left = list(range(len(points)))
    faces = []
    while len(left) > 3:
        ear = next((k for k in range(len(left)) if _is_ear(points, left, k)), 0)
        faces.append((left[ear - 1], left[ear], left[(ear + 1) % len(left)]))
        del left[ear]
    return lifted(points), np.array([*faces, tuple(left)], np.int64)


def lifted(points: np.ndarray) -> np.ndarray:
    """Points (n, 2) of the plane in space."""
    return np.column_stack([points, np.zeros(len(points))])


def _is_ear(points: np.ndarray, left: list[int], k: int) -> bool:
    a, b, c = (points[left[(k + shift) % len(left)]] for shift in (-1, 0, 1))
    if _turn(a, b, c) <= 0.0:
        return False
    others = points[[left[j] for j in range(len(left)) if j not in ((k - 1) % len(left), k, (k + 1) % len(left))]]
    inside = (_turn(a, b, others.T) >= 0.0) & (_turn(b, c, others.T) >= 0.0) & (_turn(c, a, others.T) >= 0.0)
    return not bool(np.any(inside))


def _turn(a: Any, b: Any, c: Any) -> Any:
    """Positive where a, b, c turn left."""
    return (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0])


def _distinct(points: np.ndarray) -> np.ndarray:
    """Without points that stand twice in a row."""
    apart = np.hypot(*np.diff(points, axis=0).T) > 1e-12 * max(float(np.ptp(points)), 1e-300)
    return points[np.concatenate([[True], apart])]
