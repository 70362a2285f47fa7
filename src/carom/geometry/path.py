"""Planar curves c(s) as polynomials of one degree between knots; an open one goes on straight beyond its ends."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from carom.kernels import jit

# Layout of a path among an element's numbers, from its first number on.
CLOSED, DEGREE, SEGMENTS, KNOTS = range(4)
"""1.0 when closed, degree of the polynomials, number of segments, then the knots and the coefficients a segment:
those of x, then those of y, highest power of (s − knot) first."""

FAR = 1e-3
"""Of the curve's length: a foot this far from its point is looked for anew."""


class Path:
    """The piecewise polynomial ``spline`` (s -> (x, y) [m]), with its parameter's range and its numbers for kernels."""

    def __init__(self, spline: Any, closed: bool = False):
        self.spline = spline
        self.knots = np.asarray(spline.x, float)
        self.closed = bool(closed)

    @property
    def span(self) -> tuple[float, float]:
        """Range of the parameter."""
        return float(self.knots[0]), float(self.knots[-1])

    @property
    def length(self) -> float:
        """Extent of the parameter's range."""
        return float(self.knots[-1] - self.knots[0])

    def samples(self, least: int, each: int = 4) -> np.ndarray:
        """At least ``least`` parameters from end to end, ``each`` or more in every segment."""
        parts = max(each, -(-least // (len(self.knots) - 1)))
        inner = self.knots[:-1, None] + np.diff(self.knots)[:, None] * np.arange(parts) / parts
        return np.append(inner.ravel(), self.knots[-1])

    def nearest(self, point: Sequence[float]) -> float:
        """Parameter of the closest point among a fine sampling, to start Newton's method from."""
        s = np.linspace(*self.span, 32 * (len(self.knots) - 1) + 1)
        return float(s[np.argmin(np.sum((self.spline(s) - np.asarray(point)) ** 2, axis=1))])

    def curvature(self, s: Any) -> np.ndarray:
        """κ [1/m], positive where the curve turns left."""
        x1, y1 = np.moveaxis(self.spline(s, 1), -1, 0)
        x2, y2 = np.moveaxis(self.spline(s, 2), -1, 0)
        return np.asarray((x1 * y2 - y1 * x2) / np.hypot(x1, y1) ** 3)

    def numbers(self) -> list[float]:
        """The path as `curve_at` reads it."""
        coefficients = self.spline.c.transpose(1, 2, 0)  # segment, coordinate, power (highest first)
        head = [float(self.closed), float(len(self.spline.c) - 1), float(len(self.knots) - 1)]
        return [*head, *self.knots.tolist(), *coefficients.ravel().tolist()]


@jit
def curve_at(curve, s):
    """Point and first three derivatives at parameter ``s``: x, y, x', y', x'', y'', x''', y'''."""
    count = int(curve[SEGMENTS])
    first = curve[KNOTS]
    last = curve[KNOTS + count]
    if curve[CLOSED] != 0.0:
        s = first + (s - first) % (last - first)
    inside = min(max(s, first), last)
    low = 0
    high = count
    while high - low > 1:
        middle = (low + high) // 2
        if curve[KNOTS + middle] <= inside:
            low = middle
        else:
            high = middle
    h = inside - curve[KNOTS + low]
    terms = int(curve[DEGREE]) + 1
    c = KNOTS + count + 1 + 2 * terms * low
    x = 0.0
    y = 0.0
    x1 = 0.0
    y1 = 0.0
    x2 = 0.0
    y2 = 0.0
    x3 = 0.0
    y3 = 0.0
    for k in range(c, c + terms):  # Horner's rule for the k-th derivative over k!
        x3 = x3 * h + x2
        y3 = y3 * h + y2
        x2 = x2 * h + x1
        y2 = y2 * h + y1
        x1 = x1 * h + x
        y1 = y1 * h + y
        x = x * h + curve[k]
        y = y * h + curve[k + terms]
    beyond = s - inside
    if beyond != 0.0:
        return x + x1 * beyond, y + y1 * beyond, x1, y1, 0.0, 0.0, 0.0, 0.0
    return x, y, x1, y1, 2.0 * x2, 2.0 * y2, 6.0 * x3, 6.0 * y3


@jit
def search(curve, px, py):
    """Parameter of the closest of many samples."""
    count = int(curve[SEGMENTS])
    first = curve[KNOTS]
    extent = curve[KNOTS + count] - first
    samples = 16 * count
    best = first
    least = 1e300
    for k in range(samples + 1):
        s = first + extent * k / samples
        x, y, _, _, _, _, _, _ = curve_at(curve, s)
        distance = (x - px) ** 2 + (y - py) ** 2
        if distance < least:
            least = distance
            best = s
    return best


@jit
def newton(curve, start, px, py):
    """c'(s)·(p − c(s)) = 0 by Newton's method from ``start``, and whether it found a nearest point."""
    s = start
    extent = curve[KNOTS + int(curve[SEGMENTS])] - curve[KNOTS]
    for _ in range(60):
        x, y, x1, y1, x2, y2, _, _ = curve_at(curve, s)
        dx = px - x
        dy = py - y
        slope = x1 * x1 + y1 * y1 - x2 * dx - y2 * dy
        if slope <= 0.0:  # beyond the centre of curvature
            return s, False
        change = (x1 * dx + y1 * dy) / slope
        change = min(max(change, -0.1 * extent), 0.1 * extent)
        s += change
        if abs(change) <= 1e-15 * extent:
            break
    return s, True


@jit
def foot(curve, start, px, py):
    """Parameter of the foot of (px, py), from ``start``, the last one found.

    Where that leads to a point far from (px, py), another one may be nearer: the point has jumped, as from the end of
    a run to its first node.
    """
    s, found = newton(curve, start, px, py)
    extent = curve[KNOTS + int(curve[SEGMENTS])] - curve[KNOTS]
    x, y, _, _, _, _, _, _ = curve_at(curve, s)
    square = (x - px) ** 2 + (y - py) ** 2
    if not found or square > (FAR * extent) ** 2:
        other = search(curve, px, py)
        x, y, _, _, _, _, _, _ = curve_at(curve, other)
        if not found or (x - px) ** 2 + (y - py) ** 2 < square:
            s, _ = newton(curve, other, px, py)
    return s
