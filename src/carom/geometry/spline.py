"""Cubic splines over chord length: with natural ends if open, periodic if closed; in pieces with corners and arcs.

With natural ends an open curve stays twice differentiable where it continues straight.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterable
from typing import Any

import numpy as np

from carom.argument_checks import boolean, limit_length, short_repr
from carom.errors import ModelError
from carom.geometry.planar_path import Path
from carom.typing import MatrixLike

ARC_STEP = 0.05
"""Largest angle of a segment of an arc [rad]."""
ARC_DEGREE = 7
"""Degree of the segments of an arc: their error is rounding."""
LINE_SINE = 1e-9
"""Sine of the angle at the middle point of an arc below which it is a straight line [-]."""


class Spline(Path):
    """Curve through ``points`` [m] with ``size`` coordinates, in their order; its parameter is the chord length [m]."""

    def __init__(self, owner: str, points: MatrixLike, closed: bool = False, size: int = 2):
        from scipy.interpolate import CubicSpline

        path, closed = curve_points(owner, points, closed, size)
        super().__init__(CubicSpline(chord_lengths(path), path, bc_type="periodic" if closed else "natural"), closed)


class PiecewisePath(Path):
    """Curve through ``points`` [m] in pieces that end at corners and at the ends of arcs.

    ``corners`` are indices of points. ``arcs`` are indices of the middle points of circular arcs, which begin at the
    point before and end at the point behind it. Two points in a piece are a straight line, more of them a cubic spline.
    """

    def __init__(
        self,
        owner: str,
        points: MatrixLike,
        closed: bool = False,
        corners: Iterable[int] = (),
        arcs: Iterable[int] = (),
    ):
        from scipy.interpolate import PPoly

        path, closed = curve_points(owner, points, closed, 2, min_points=2)
        count = len(path) - 1 if closed else len(path)
        corners = _indices(owner, "corners", corners, 0, count)
        arcs = _indices(owner, "arcs", arcs, 0 if closed else 1, count if closed else count - 1)
        breaks = corners | {(k + step) % count for k in arcs for step in (-1, 1)}
        for k in sorted(arcs & breaks):
            raise ModelError(f"{owner}: point {k} is the middle of an arc and cannot be the end of a piece, too")
        if closed:
            if not breaks:
                breaks = {0}
            first = min(breaks)
            order = [(first + k) % count for k in range(count)] + [first]
            joints = [k for k, index in enumerate(order) if index in breaks]
        else:
            order = list(range(count))
            joints = sorted(breaks | {0, count - 1})
        segments: list[tuple[np.ndarray, np.ndarray]] = []
        for start, end in itertools.pairwise(joints):
            inner = [order[k] for k in range(start + 1, end)]
            part = path[order[start : end + 1]]
            segments.append(_arc(owner, inner[0], part) if set(inner) & arcs else _spline(part))
        terms = max(len(coefficients) for coefficients, _ in segments)
        padded = [np.pad(c, ((terms - len(c), 0), (0, 0), (0, 0))) for c, _ in segments]
        knots = np.concatenate([[0.0], np.cumsum(np.concatenate([steps for _, steps in segments]))])
        coefficients = np.concatenate(padded, axis=1)
        super().__init__(PPoly(coefficients, knots, extrapolate="periodic" if closed else None), closed)
        ends = np.cumsum([0, *(len(steps) for _, steps in segments)]).tolist()
        self.pieces = tuple(itertools.pairwise(ends))


def curve_points(
    owner: str, points: MatrixLike, closed: Any, size: int, min_points: int = 3
) -> tuple[np.ndarray, bool]:
    """Return the points of a curve as an array, the first one also at the end if it is closed."""
    closed = boolean(owner, "closed", closed)
    kind = "pairs" if size == 2 else "triples"
    names = "(x, y)" if size == 2 else "(x, y, z)"
    try:
        path = np.array(limit_length(owner, "points", points), dtype=float)
    except (TypeError, ValueError, OverflowError):
        raise ModelError(f"{owner}: points must be {kind} of numbers {names}, got {short_repr(points)}") from None
    if path.ndim != 2 or path.shape[1] != size or len(path) < min_points:
        raise ModelError(f"{owner}: points must be at least {min_points} {kind} {names}, got shape {path.shape}")
    if not np.all(np.isfinite(path)):
        raise ModelError(f"{owner}: points must be finite, got {path[~np.isfinite(path).all(axis=1)][0]}")
    if closed and not np.array_equal(path[0], path[-1]):
        path = np.vstack([path, path[:1]])
    chords = np.hypot.reduce(np.diff(path, axis=0), axis=1)
    if np.any(chords == 0.0):
        k = int(np.argmin(chords))
        raise ModelError(f"{owner}: points {k} and {k + 1} coincide at {tuple(path[k])}; remove one")
    return path, closed


def chord_lengths(points: np.ndarray) -> np.ndarray:
    """Return the chord length from the first point to each point [m]."""
    return np.concatenate([[0.0], np.cumsum(np.hypot.reduce(np.diff(points, axis=0), axis=1))])


def _indices(owner: str, what: str, values: Iterable[int], low: int, high: int) -> set[int]:
    try:
        numbers = [int(value) for value in values]
    except (TypeError, ValueError, OverflowError):
        raise ModelError(f"{owner}: {what} must be indices of points, got {short_repr(values)}") from None
    for number in numbers:
        if not low <= number < high:
            raise ModelError(f"{owner}: {what} must be indices of points from {low} to {high - 1}, got {number}")
    return set(numbers)


def _spline(points: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return coefficients (power, segment, coordinate) and lengths of the segments of a smooth piece."""
    from scipy.interpolate import CubicSpline

    knots = chord_lengths(points)
    if len(points) == 2:
        return np.array([(points[1] - points[0]) / knots[1], points[0]])[:, None], knots[1:]
    return np.asarray(CubicSpline(knots, points, bc_type="not-a-knot").c), np.diff(knots)


def _arc(owner: str, middle: int, points: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return coefficients and lengths of the segments of the arc through three points, over its length."""
    u, v = points[1] - points[0], points[2] - points[0]
    cross = u[0] * v[1] - u[1] * v[0]
    if abs(cross) <= LINE_SINE * math.hypot(*u) * math.hypot(*v):
        raise ModelError(f"{owner}: the points of the arc about point {middle} lie on a line; omit it from arcs")
    centre = points[0] + np.array([v[1] * (u @ u) - u[1] * (v @ v), u[0] * (v @ v) - v[0] * (u @ u)]) / (2.0 * cross)
    radius = float(np.hypot(*(points[0] - centre)))
    start, end = (math.atan2(*(point - centre)[::-1]) for point in points[[0, 2]])
    sense = math.copysign(1.0, cross)
    turn = (sense * (end - start)) % (2.0 * math.pi)
    count = math.ceil(turn / ARC_STEP)
    step = turn / count
    powers = np.arange(ARC_DEGREE, -1, -1)
    factors = radius * sense**powers / (radius**powers * np.array([math.factorial(power) for power in powers]))
    phases = start + sense * step * np.arange(count) + 0.5 * math.pi * powers[:, None]
    # Taylor's series of the circle about the start of each segment, in the arc length.
    coefficients = factors[:, None, None] * np.stack([np.cos(phases), np.sin(phases)], axis=-1)
    coefficients[-1] += centre
    return coefficients, np.full(count, step * radius)
