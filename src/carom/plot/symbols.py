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


def support(at: Any, size: float) -> tuple[np.ndarray, np.ndarray]:
    """A support of the ground under a pin: its foot (3, 2), and the line (2, 2) it stands on."""
    foot = [(0.0, 0.0), (-0.6 * size, -size), (0.6 * size, -size)]
    return turned(foot, 0.0, at), turned([(-size, -size), (size, -size)], 0.0, at)


def hatching(line: np.ndarray, depth: float) -> np.ndarray:
    """Strokes (n, 2, 2) on the right-hand side of a straight line (2, 2)."""
    start, end = line
    length = math.dist(start, end)
    along = (end - start) / length
    across = np.array([along[1], -along[0]])
    feet = np.minimum(0.9 * depth * np.arange(max(int(length / (0.9 * depth)), 1) + 1), length)
    begin = start + feet[:, None] * along
    return np.stack([begin, begin + depth * (across - along)], axis=1)


def box_corners(size: float) -> np.ndarray:
    """A slider (4, 2)."""
    return np.array([(-size, -0.6 * size), (size, -0.6 * size), (size, 0.6 * size), (-size, 0.6 * size)])


def zigzag(size: float) -> np.ndarray:
    """A spring (13, 2): how far along it, from 0 to 1, and how far across [m]."""
    teeth = 9
    along = np.concatenate([[0.0, 0.15], 0.15 + 0.7 * (np.arange(teeth) + 0.5) / teeth, [0.85, 1.0]])
    across = np.concatenate([[0.0, 0.0], 0.35 * size * (-1.0) ** np.arange(teeth), [0.0, 0.0]])
    return np.column_stack([along, across])


def beside(line: np.ndarray, depth: float) -> np.ndarray:
    """The rim of what is solid on the right-hand side of a line (n, 2)."""
    way = np.gradient(line, axis=0)
    across = np.column_stack([way[:, 1], -way[:, 0]]) / np.hypot(*way.T)[:, None]
    return np.concatenate([line, (line + depth * across)[::-1]])


def bearing(axes: Axes, at: Any, size: float) -> None:
    """A support of the ground under a pin."""
    foot, line = support(at, size)
    axes.add_patch(Polygon(foot, facecolor="#eeeeee", edgecolor=INK, linewidth=0.8, zorder=2))
    hatch(axes, line, 0.4 * size)


def hatch(axes: Axes, line: np.ndarray, depth: float, zorder: float = 2.0) -> None:
    """A straight line of the ground (2, 2), with strokes on its right-hand side."""
    strokes = hatching(line, depth)
    parted = np.concatenate([strokes, np.full((len(strokes), 1, 2), np.nan)], axis=1)
    axes.plot(*line.T, color=INK, linewidth=0.8, zorder=zorder)
    axes.plot(*parted.reshape(-1, 2).T, color=INK, linewidth=0.5, zorder=zorder)


def box(axes: Axes, at: Any, angle: float, size: float, **look: Any) -> None:
    """A slider."""
    axes.add_patch(Polygon(turned(box_corners(size), angle, at), **look))


def block(axes: Axes, corners: np.ndarray, colour: Any, alpha: float, width: float, zorder: float) -> None:
    """A slider to scale, by its corners (4, 2)."""
    rim = np.concatenate([corners, corners[:1]])
    axes.plot(*rim.T, color=colour, alpha=alpha, linewidth=width, solid_joinstyle="miter", zorder=zorder)
    plate(axes, rim, colour, alpha, zorder - 0.1)


def plate(axes: Axes, rim: np.ndarray, colour: Any, alpha: float, zorder: float) -> None:
    """What is solid inside a rim (n, 2)."""
    # As an artist, not as a patch: the limits of a drawing are its own, and finding them again takes long.
    axes.add_artist(Polygon(rim, facecolor=colour, alpha=0.25 * alpha, linewidth=0.0, zorder=zorder))


def band(axes: Axes, line: np.ndarray, depth: float, colour: Any, alpha: float, zorder: float) -> None:
    """What is solid on the right-hand side of a line (n, 2)."""
    plate(axes, beside(line, depth), colour, alpha, zorder)


def pin(axes: Axes, at: Any, size: float, zorder: float = 6.0) -> None:
    axes.add_patch(Circle(tuple(at), 0.22 * size, facecolor="white", edgecolor=INK, linewidth=0.9, zorder=zorder))


def play(axes: Axes, bearing: Any, outer: float, journal: Any, inner: float, size: float) -> None:
    """A journal of radius ``inner`` in its bearing of radius ``outer``, both to scale; a pin marks a small one."""
    axes.add_patch(Circle(tuple(bearing), outer, facecolor="#dddddd", edgecolor=INK, linewidth=0.9, zorder=5.9))
    axes.add_patch(Circle(tuple(journal), inner, facecolor="white", edgecolor=INK, linewidth=0.9, zorder=6.0))
    if inner < 0.22 * size:
        pin(axes, journal, size)


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
    shape = zigzag(size) * (length, 1.0)
    axes.plot(*turned(shape, math.atan2(*(end - start)[::-1]), start).T, **look)
