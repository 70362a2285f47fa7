"""Planar curves c(s): piecewise polynomials of one degree, continued straight beyond open ends; local projection."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from carom.kernels import address_of, floats, jit, offset, record

PATH = record("is_closed  degree  n_segments")
"""Head of a path among the parameters of a kernel. The knots follow, then the coefficients per segment: those of x,
those of y (and those of z in 3D), highest power of (s − knot) first."""
PATH_SIZE = PATH.size

SEARCH_DISTANCE = 1e-3
"""Ratio of the distance between a point and its projection to the range of the parameter, above which all samples are
searched [-]."""


class Path:
    """Piecewise polynomial ``spline`` (s -> (x, y) [m]), with the range of its parameter.

    ``pieces`` are ranges of segments (first, last) between which it may have corners.
    """

    def __init__(self, spline: Any, closed: bool = False):
        self.spline = spline
        self.knots = np.asarray(spline.x, float)
        self.closed = bool(closed)
        self.pieces: tuple[tuple[int, int], ...] = ((0, len(self.knots) - 1),)

    @property
    def span(self) -> tuple[float, float]:
        """Range of the parameter."""
        return float(self.knots[0]), float(self.knots[-1])

    @property
    def length(self) -> float:
        """Length of the range of the parameter."""
        return float(self.knots[-1] - self.knots[0])

    def extreme_points(self) -> np.ndarray:
        """Return points of the curve between which all others are along every axis [m] (n × 2, in 3D n × 3)."""
        s = [self.knots, *self.spline.derivative().roots(extrapolate=False)]
        points: np.ndarray = self.spline(np.nan_to_num(np.concatenate(s), nan=self.knots[0]))
        return points

    def samples(self, min_count: int, per_segment: int = 4) -> np.ndarray:
        """Return at least ``min_count`` parameters from end to end, ``per_segment`` or more in every segment."""
        parts = max(per_segment, -(-min_count // (len(self.knots) - 1)))
        inner = self.knots[:-1, None] + np.diff(self.knots)[:, None] * np.arange(parts) / parts
        return np.append(inner.ravel(), self.knots[-1])

    def nearest(self, point: Sequence[float]) -> float:
        """Return the parameter of the closest point of a fine sampling, the start of Newton's method."""
        s = np.linspace(*self.span, 32 * (len(self.knots) - 1) + 1)
        return float(s[np.argmin(np.sum((self.spline(s) - np.asarray(point)) ** 2, axis=1))])

    def curvature(self, s: Any) -> np.ndarray:
        """Return κ [1/m], positive where the curve turns left."""
        x1, y1 = np.moveaxis(self.spline(s, 1), -1, 0)
        x2, y2 = np.moveaxis(self.spline(s, 2), -1, 0)
        return np.asarray((x1 * y2 - y1 * x2) / np.hypot(x1, y1) ** 3)

    def parameters(self) -> list[float]:
        """Return the path as compiled code reads it (see `PATH`)."""
        coefficients = self.spline.c.transpose(1, 2, 0)  # segment, coordinate, power (highest first)
        header = [float(self.closed), float(len(self.spline.c) - 1), float(len(self.knots) - 1)]
        return [*header, *self.knots.tolist(), *coefficients.ravel().tolist()]


@jit
def knots_of(path):
    """Return the knots of a path; the coefficients follow them."""
    return offset(floats(address_of(path)), PATH_SIZE)


@jit
def find_segment(knots, count, s):
    """Return the index of the segment that contains ``s``; the first or the last one beyond the ends."""
    low = 0
    high = count
    while high - low > 1:
        midpoint = (low + high) // 2
        if knots[midpoint] <= s:
            low = midpoint
        else:
            high = midpoint
    return low


@jit
def locate(path, s, n_coordinates):
    """Return the coefficients of the segment at ``s``, their number per coordinate, s − knot, and s beyond the ends."""
    header = PATH(path)
    knots = knots_of(path)
    count = int(header.n_segments)
    first = knots[0]
    last = knots[count]
    if header.is_closed != 0.0:
        s = first + (s - first) % (last - first)
    inside = min(max(s, first), last)
    segment = find_segment(knots, count, inside)
    terms = int(header.degree) + 1
    coefficients = offset(knots, count + 1 + n_coordinates * terms * segment)
    return coefficients, terms, inside - knots[segment], s - inside


@jit
def curve_at(path, s):
    """Return the point and the first three derivatives at ``s``: x, y, x', y', x'', y'', x''', y'''."""
    c, terms, h, beyond = locate(path, s, 2)
    x = 0.0
    y = 0.0
    x1 = 0.0
    y1 = 0.0
    x2 = 0.0
    y2 = 0.0
    x3 = 0.0
    y3 = 0.0
    # Horner's rule for the k-th derivative over k!; one loop for both coordinates is faster than one for each.
    for k in range(terms):
        x3 = x3 * h + x2
        y3 = y3 * h + y2
        x2 = x2 * h + x1
        y2 = y2 * h + y1
        x1 = x1 * h + x
        y1 = y1 * h + y
        x = x * h + c[k]
        y = y * h + c[k + terms]
    if beyond != 0.0:
        return x + x1 * beyond, y + y1 * beyond, x1, y1, 0.0, 0.0, 0.0, 0.0
    return x, y, x1, y1, 2.0 * x2, 2.0 * y2, 6.0 * x3, 6.0 * y3


@jit
def range_of(path):
    """Return the first parameter of a path and the length of its range."""
    knots = knots_of(path)
    return knots[0], knots[int(PATH(path).n_segments)] - knots[0]


@jit
def nearest_sample(path, px, py):
    """Return the parameter of the closest of many samples."""
    first, extent = range_of(path)
    samples = 16 * int(PATH(path).n_segments)
    best = first
    min_count = 1e300
    for k in range(samples + 1):
        s = first + extent * k / samples
        x, y, _, _, _, _, _, _ = curve_at(path, s)
        distance = (x - px) ** 2 + (y - py) ** 2
        if distance < min_count:
            min_count = distance
            best = s
    return best


@jit
def newton(path, start, px, py):
    """Solve c'(s)·(p − c(s)) = 0 by Newton's method from ``start``; return s and whether it is a closest point."""
    s = start
    _, extent = range_of(path)
    for _ in range(60):
        x, y, x1, y1, x2, y2, _, _ = curve_at(path, s)
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
def project(path, start, px, py):
    """Return the parameter of the projection of (px, py), from that of the last call.

    Where this leads to a point far from p, another one may be closer: p has jumped, as between the end of a run and its
    first node.
    """
    s, is_closest = newton(path, start, px, py)
    _, extent = range_of(path)
    x, y, _, _, _, _, _, _ = curve_at(path, s)
    square = (x - px) ** 2 + (y - py) ** 2
    if not is_closest or square > (SEARCH_DISTANCE * extent) ** 2:
        other = nearest_sample(path, px, py)
        x, y, _, _, _, _, _, _ = curve_at(path, other)
        if not is_closest or (x - px) ** 2 + (y - py) ** 2 < square:
            s, _ = newton(path, other, px, py)
    return s
