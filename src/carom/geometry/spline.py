"""Planar curves as cubic splines over chord length: natural ends when open, periodic when closed.

An open curve goes on straight beyond its ends; with natural ends that keeps it twice differentiable.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from carom.errors import ModelError
from carom.kernels import jit

# Layout of a curve in an element's parameters, from its first number on.
WARM, CLOSED, SEGMENTS, KNOTS = range(4)
"""Last foot point, 1.0 when closed, number of segments, then the knots and eight coefficients a segment."""


class Spline:
    """The curve through ``points`` [m], in the order given."""

    def __init__(self, owner: str, points: Sequence[Sequence[float]], closed: bool = False):
        from scipy.interpolate import CubicSpline

        try:
            path = np.array(points, dtype=float)
        except (TypeError, ValueError):
            raise ModelError(f"{owner}: points must be pairs of numbers (x, y), got {points!r}") from None
        least = 3
        if path.ndim != 2 or path.shape[1] != 2 or len(path) < least:
            raise ModelError(f"{owner}: points must be at least {least} pairs (x, y), got shape {path.shape}")
        if not np.all(np.isfinite(path)):
            raise ModelError(f"{owner}: points must be finite, got {path[~np.isfinite(path).all(axis=1)][0]}")
        if closed and not np.array_equal(path[0], path[-1]):
            path = np.vstack([path, path[:1]])
        chords = np.hypot(*np.diff(path, axis=0).T)
        if np.any(chords == 0.0):
            k = int(np.argmin(chords))
            raise ModelError(f"{owner}: points {k} and {k + 1} coincide at {tuple(path[k])}; leave one out")
        self.closed = bool(closed)
        self.knots = np.concatenate([[0.0], np.cumsum(chords)])
        self.spline = CubicSpline(self.knots, path, bc_type="periodic" if closed else "natural")

    @property
    def length(self) -> float:
        """Sum of the chords: the range of the parameter [m]."""
        return float(self.knots[-1])

    def nearest(self, point: Sequence[float]) -> float:
        """Parameter of the closest point among a fine sampling, to start Newton's method from."""
        s = np.linspace(0.0, self.length, 32 * (len(self.knots) - 1) + 1)
        return float(s[np.argmin(np.sum((self.spline(s) - np.asarray(point)) ** 2, axis=1))])

    def numbers(self, warm: float) -> list[float]:
        """The curve as `curve_at` reads it, with the parameter to start from."""
        coefficients = self.spline.c.transpose(1, 2, 0)  # segment, coordinate, power (highest first)
        head = [warm, float(self.closed), float(len(self.knots) - 1)]
        return [*head, *self.knots, *coefficients.ravel()]


@jit
def curve_at(curve, s):
    """Point and first three derivatives at parameter ``s``: x, y, x', y', x'', y'', x''', y'''."""
    count = int(curve[SEGMENTS])
    total = curve[KNOTS + count]
    if curve[CLOSED] != 0.0:
        s = s % total
    inside = min(max(s, 0.0), total)
    low = 0
    high = count
    while high - low > 1:
        middle = (low + high) // 2
        if curve[KNOTS + middle] <= inside:
            low = middle
        else:
            high = middle
    h = inside - curve[KNOTS + low]
    c = KNOTS + count + 1 + 8 * low
    x = ((curve[c] * h + curve[c + 1]) * h + curve[c + 2]) * h + curve[c + 3]
    y = ((curve[c + 4] * h + curve[c + 5]) * h + curve[c + 6]) * h + curve[c + 7]
    x1 = (3.0 * curve[c] * h + 2.0 * curve[c + 1]) * h + curve[c + 2]
    y1 = (3.0 * curve[c + 4] * h + 2.0 * curve[c + 5]) * h + curve[c + 6]
    beyond = s - inside
    if beyond != 0.0:
        return x + x1 * beyond, y + y1 * beyond, x1, y1, 0.0, 0.0, 0.0, 0.0
    x2 = 6.0 * curve[c] * h + 2.0 * curve[c + 1]
    y2 = 6.0 * curve[c + 4] * h + 2.0 * curve[c + 5]
    return x, y, x1, y1, x2, y2, 6.0 * curve[c], 6.0 * curve[c + 4]


@jit
def search(curve, px, py):
    """Parameter of the closest of many samples."""
    count = int(curve[SEGMENTS])
    total = curve[KNOTS + count]
    samples = 16 * count
    best = 0.0
    least = 1e300
    for k in range(samples + 1):
        s = total * k / samples
        x, y, _, _, _, _, _, _ = curve_at(curve, s)
        distance = (x - px) ** 2 + (y - py) ** 2
        if distance < least:
            least = distance
            best = s
    return best


@jit
def foot(curve, px, py):
    """Parameter of the foot of (px, py): c'(s)·(p − c(s)) = 0 by Newton's method from the last one found."""
    s = curve[WARM]
    tries = 0
    total = curve[KNOTS + int(curve[SEGMENTS])]
    for _ in range(60):
        x, y, x1, y1, x2, y2, _, _ = curve_at(curve, s)
        dx = px - x
        dy = py - y
        slope = x1 * x1 + y1 * y1 - x2 * dx - y2 * dy
        if slope <= 0.0:  # beyond the centre of curvature: not a nearest point
            if tries > 0:
                break
            tries += 1
            s = search(curve, px, py)
            continue
        change = (x1 * dx + y1 * dy) / slope
        change = min(max(change, -0.1 * total), 0.1 * total)
        s += change
        if abs(change) <= 1e-15 * total:
            break
    curve[WARM] = s
    return s
