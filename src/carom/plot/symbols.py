"""Drawing of the symbols of mechanisms into Matplotlib axes. Lengths are in the units of the axes [m]."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.patches import Circle, Polygon

from carom.plot.style import INK
from carom.scene.symbol_geometry import hatch_strokes, to_global

AREA_OPACITY = 0.25
"""Opacity of solid areas relative to that of their contours [-]."""


def draw_hatched_line(axes: Axes, line: np.ndarray, depth: float, zorder: float = 2.0) -> None:
    """Draw a segment of the ground (2, 2) with strokes on its right-hand side."""
    strokes = hatch_strokes(line, depth)
    # NaN between the strokes lets one line draw all of them.
    separated = np.concatenate([strokes, np.full((len(strokes), 1, 2), np.nan)], axis=1)
    axes.plot(*line.T, color=INK, linewidth=0.8, zorder=zorder)
    axes.plot(*separated.reshape(-1, 2).T, color=INK, linewidth=0.5, zorder=zorder)


def draw_block(axes: Axes, corners: np.ndarray, colour: Any, alpha: float, width: float, zorder: float) -> None:
    """Draw a slider to scale by its corners (4, 2) in cyclic order."""
    rim = np.concatenate([corners, corners[:1]])
    axes.plot(*rim.T, color=colour, alpha=alpha, linewidth=width, solid_joinstyle="miter", zorder=zorder)
    draw_area(axes, rim, colour, alpha, zorder - 0.1)


def draw_area(axes: Axes, rim: np.ndarray, colour: Any, alpha: float, zorder: float) -> None:
    """Draw the solid area inside a contour (n, 2)."""
    # It is added as an artist, because a patch would update the data limits of the axes, which takes long.
    axes.add_artist(Polygon(rim, facecolor=colour, alpha=AREA_OPACITY * alpha, linewidth=0.0, zorder=zorder))


def draw_circle(axes: Axes, at: Any, radius: float, fill: str, zorder: float, width: float = 0.9) -> None:
    """Draw a filled circle with a dark rim."""
    axes.add_patch(Circle(tuple(at), radius, facecolor=fill, edgecolor=INK, linewidth=width, zorder=zorder))


def draw_point(axes: Axes, at: Any, radius: float) -> None:
    """Draw a marked point of a body."""
    axes.add_patch(Circle(tuple(at), radius, facecolor=INK, edgecolor="white", linewidth=0.5, zorder=6.5))


def draw_two_body_line(axes: Axes, line: np.ndarray, start: Any, end: Any, **style: Any) -> None:
    """Draw a line (n, 2), given by the fraction of its length [-] and the transverse coordinate [m], between points."""
    start, end = np.asarray(start, float), np.asarray(end, float)
    length = math.dist(start, end)
    if length == 0.0:
        return
    axes.plot(*to_global(line * (length, 1.0), math.atan2(*(end - start)[::-1]), start).T, **style)
