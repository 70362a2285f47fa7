"""Balls that roll inside and outside of a freeform surface, which tell whether two surfaces touch at several places.

With the distance d = q − p of two points of the surface, a ball that touches it at p and passes through q has the
radius |d|²/(2 |dᵀn|). The least of these radii outside is the reach (Federer 1959): smaller balls touch at one place.
The largest one inside a convex solid is that of a ball in which the solid rolls: it touches other solids where the ball
does. Both are found from patches.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from carom.geometry.shapes.surface import NET, PATCH

MAX_SIDE = 24
"""Largest number of patches along u and v that are compared."""
LEVEL = 1e-9
"""Ratio of a height above the tangent plane to the distance below which the point is in that plane [-]."""
SAFETY = 0.9
"""Ratio of a radius to the reach up to which a ball surely touches at one place [-]."""


def rolling_radii(shape: Any) -> tuple[float, float]:
    """Return the radius of the ball in which a convex solid rolls, infinite for others, and the reach outside [m]."""
    if "_rolling_radii" not in vars(shape):
        vars(shape)["_rolling_radii"] = _rolling_radii(*_patches(shape))
    radii: tuple[float, float] = vars(shape)["_rolling_radii"]
    return radii


def _patches(shape: Any) -> tuple[np.ndarray, np.ndarray]:
    rows, columns = (int(n) for n in shape._coarse[:2])
    patches = shape._coarse[NET.size :].view(PATCH.dtype).reshape(rows, columns)
    step = max(1, -(-max(rows, columns) // MAX_SIDE))
    chosen = patches[::step, ::step].ravel()
    return chosen["point"], chosen["normal"]


def _rolling_radii(points: np.ndarray, normals: np.ndarray) -> tuple[float, float]:
    inside, outside = 0.0, math.inf
    for point, normal in zip(points, normals, strict=True):
        way = points - point
        height = way @ normal
        square = np.sum(way * way, axis=1)
        far = square > 0.0
        above = far & (height > LEVEL * np.sqrt(square))
        if above.any():
            outside = min(outside, float(np.min(square[above] / (2.0 * height[above]))))
        below = far & (height < -LEVEL * np.sqrt(square))
        if inside < math.inf:
            radius = float(np.max(square[below] / (-2.0 * height[below]), initial=0.0))
            inside = max(inside, radius) if below.sum() == far.sum() else math.inf
    return inside, outside


def touch_at_one_place(a: Any, b: Any) -> bool:
    """Return whether two surfaces that do not overlap deeply touch at one place at most."""
    (rolls_a, reach_a), (rolls_b, reach_b) = rolling_radii(a), rolling_radii(b)
    if math.isinf(reach_a) and math.isinf(reach_b):  # both are convex
        return True
    return min(rolls_a / reach_b, rolls_b / reach_a) <= SAFETY
