"""Drawing symbols of mechanisms: bearings, rails, sliders, springs. Sizes are in the units of the axes [m]."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.patches import Circle, Polygon

from carom.plot.style import INK


def turned(points: Any, angle: float, at: Any) -> np.ndarray:
    c, s = math.cos(angle), math.sin(angle)
    return np.asarray(points, float) @ np.array([[c, s], [-s, c]]) + np.asarray(at, float)


def bearing(axes: Axes, at: Any, size: float) -> None:
    """A support of the ground under a pin."""
    foot = [(0.0, 0.0), (-0.6 * size, -size), (0.6 * size, -size)]
    axes.add_patch(Polygon(turned(foot, 0.0, at), facecolor="#eeeeee", edgecolor=INK, linewidth=0.8, zorder=2))
    hatch(axes, turned([(-size, -size), (size, -size)], 0.0, at), 0.4 * size)


def hatch(axes: Axes, line: np.ndarray, depth: float) -> None:
    """A line of the ground, with strokes on its right-hand side."""
    start, end = line
    length = math.dist(start, end)
    along = (end - start) / length
    across = np.array([along[1], -along[0]])
    axes.plot(*line.T, color=INK, linewidth=0.8, zorder=2)
    for k in range(max(int(length / (0.9 * depth)), 1) + 1):
        foot = start + along * min(k * 0.9 * depth, length)
        stroke = np.array([foot, foot + depth * (across - along)])
        axes.plot(*stroke.T, color=INK, linewidth=0.5, zorder=2)


def rail(axes: Axes, at: Any, angle: float, low: float, high: float, below: float, size: float) -> None:
    """A guide of the ground along an axis, ``below`` (to the right of) it, for what moves from ``low`` to ``high``."""
    margin = 1.6 * size
    hatch(axes, turned([(low - margin, -below), (high + margin, -below)], angle, at), 0.4 * size)


def box(axes: Axes, at: Any, angle: float, size: float, **look: Any) -> None:
    """A slider."""
    corners = [(-size, -0.6 * size), (size, -0.6 * size), (size, 0.6 * size), (-size, 0.6 * size)]
    axes.add_patch(Polygon(turned(corners, angle, at), **look))


def pin(axes: Axes, at: Any, size: float, zorder: float = 6.0) -> None:
    axes.add_patch(Circle(tuple(at), 0.22 * size, facecolor="white", edgecolor=INK, linewidth=0.9, zorder=zorder))


def dot(axes: Axes, at: Any, size: float) -> None:
    """A point whose path is drawn."""
    axes.add_patch(Circle(tuple(at), 0.12 * size, facecolor=INK, edgecolor="white", linewidth=0.5, zorder=6.5))


def bob(axes: Axes, at: Any, size: float, **look: Any) -> None:
    """A body that is held at one point, or nowhere."""
    axes.add_patch(Circle(tuple(at), 0.6 * size, **look))


def spring(axes: Axes, start: Any, end: Any, size: float, **look: Any) -> None:
    """A zigzag from ``start`` to ``end``."""
    start, end = np.asarray(start, float), np.asarray(end, float)
    length = math.dist(start, end)
    if length == 0.0:
        return
    teeth = 9
    along = np.concatenate([[0.0, 0.15], 0.15 + 0.7 * (np.arange(teeth) + 0.5) / teeth, [0.85, 1.0]])
    across = np.concatenate([[0.0, 0.0], 0.35 * size * (-1.0) ** np.arange(teeth), [0.0, 0.0]])
    shape = np.column_stack([along * length, across])
    axes.plot(*turned(shape, math.atan2(*(end - start)[::-1]), start).T, **look)
