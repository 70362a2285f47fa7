"""The shapes of contacts as a drawing shows them: balls, capsules, profiles, and walls as long as the picture."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from matplotlib.axes import Axes

from carom.geometry.tessellation import TESSELLATIONS, Triangles
from carom.plot import symbols
from carom.result.sketch import Skin


def solid_inside(skin: Skin, line: np.ndarray) -> bool:
    """Whether a skin is solid within its ``line``."""
    closed = np.allclose(line[0], line[-1], rtol=0.0, atol=1e-9 * float(np.ptp(line)))
    return not skin.one_sided and closed and not skin.inside


def draw_skin(axes: Axes, skin: Skin, line: np.ndarray, size: float, **look: Any) -> None:
    """The ``line`` of a skin where its body is now, and the solid inside or behind it."""
    if skin.kind == "Point":
        symbols.dot(axes, line[0], size)
        return
    axes.plot(*line.T, solid_capstyle="round", **look)
    face = look["color"], look.get("alpha", 1.0), look["zorder"] - 0.1
    if skin.one_sided:
        symbols.band(axes, line, 0.4 * size, *face)
    elif solid_inside(skin, line):
        symbols.plate(axes, line, *face)


def skin_triangles(skin: Skin, extent: float = 1.0) -> Triangles:
    """A skin in space as triangles; of a plane, that has no end, a square of side ``extent`` [m]."""
    if skin.vertices is not None and skin.faces is not None:
        return skin.vertices, skin.faces
    return TESSELLATIONS["Plane" if skin.wall else "Sphere"](skin, extent)


def clip(at: Any, angle: float, low: Any, high: Any) -> np.ndarray | None:
    """The piece (2, 2) of the line through ``at`` at ``angle`` [rad] between two corners; None when it misses them."""
    way = (math.cos(angle), math.sin(angle))
    first, last = -math.inf, math.inf
    for k in range(2):
        if abs(way[k]) < 1e-12:
            if not low[k] <= at[k] <= high[k]:
                return None
            continue
        ends = sorted(((low[k] - at[k]) / way[k], (high[k] - at[k]) / way[k]))
        first, last = max(first, ends[0]), min(last, ends[1])
    if not first < last:
        return None
    return np.array([(at[0] + s * way[0], at[1] + s * way[1]) for s in (first, last)])
