"""Geometry of the symbols of planar mechanisms: supports, hatches, sliders, springs. Lengths in [m]."""

from __future__ import annotations

import math
from typing import Any

import numpy as np


def to_global(points: Any, angle: float, position: Any) -> np.ndarray:
    """Return planar points (n, 2), rotated by ``angle`` [rad] and then moved by ``position``."""
    c, s = math.cos(angle), math.sin(angle)
    return np.asarray(points, float) @ np.array([[c, s], [-s, c]]) + np.asarray(position, float)


def support(at: Any, size: float) -> tuple[np.ndarray, np.ndarray]:
    """Return the triangle (3, 2) of a support of the ground below a pin, and the ground line (2, 2) below it."""
    triangle = [(0.0, 0.0), (-0.6 * size, -size), (0.6 * size, -size)]
    return to_global(triangle, 0.0, at), to_global([(-size, -size), (size, -size)], 0.0, at)


def hatch_strokes(line: np.ndarray, depth: float) -> np.ndarray:
    """Return strokes (n, 2, 2) on the right-hand side of a segment (2, 2)."""
    start, end = line
    length = math.dist(start, end)
    axial = (end - start) / length
    transverse = np.array([axial[1], -axial[0]])
    distances = np.minimum(0.9 * depth * np.arange(max(int(length / (0.9 * depth)), 1) + 1), length)
    on_line = start + distances[:, None] * axial
    return np.stack([on_line, on_line + depth * (transverse - axial)], axis=1)


def box_corners(size: float) -> np.ndarray:
    """Return the corners (4, 2) of the symbol of a slider."""
    return np.array([(-size, -0.6 * size), (size, -0.6 * size), (size, 0.6 * size), (-size, 0.6 * size)])


def spring_zigzag(size: float) -> np.ndarray:
    """Return the line (13, 2) of a spring: fraction of its length from 0 to 1, and transverse coordinate [m]."""
    n_teeth = 9
    axial = np.concatenate([[0.0, 0.15], 0.15 + 0.7 * (np.arange(n_teeth) + 0.5) / n_teeth, [0.85, 1.0]])
    transverse = np.concatenate([[0.0, 0.0], 0.35 * size * (-1.0) ** np.arange(n_teeth), [0.0, 0.0]])
    return np.column_stack([axial, transverse])


def band_contour(line: np.ndarray, depth: float) -> np.ndarray:
    """Return the contour of a band of ``depth`` on the right-hand side of a line (n, 2)."""
    tangent = np.gradient(line, axis=0)
    transverse = np.column_stack([tangent[:, 1], -tangent[:, 0]]) / np.hypot(*tangent.T)[:, None]
    return np.concatenate([line, (line + depth * transverse)[::-1]])


def circle(centre: Any, radius: float, n_segments: int) -> np.ndarray:
    """Return the closed line (n_segments + 1, 2) of a circle."""
    angle = np.linspace(0.0, 2.0 * math.pi, n_segments + 1)
    return np.array(centre[:2]) + radius * np.column_stack([np.cos(angle), np.sin(angle)])


def clip_line(at: Any, angle: float, low: Any, high: Any) -> np.ndarray | None:
    """Return the segment (2, 2) of the line through ``at`` at ``angle`` [rad] inside a box; None if it misses it."""
    direction = (math.cos(angle), math.sin(angle))
    first, last = -math.inf, math.inf
    for k in range(2):
        if abs(direction[k]) < 1e-12:
            if not low[k] <= at[k] <= high[k]:
                return None
            continue
        ends = sorted(((low[k] - at[k]) / direction[k], (high[k] - at[k]) / direction[k]))
        first, last = max(first, ends[0]), min(last, ends[1])
    if not first < last:
        return None
    return np.array([(at[0] + s * direction[0], at[1] + s * direction[1]) for s in (first, last)])
