"""Cubic splines over chord length: with natural ends if open, periodic if closed.

With natural ends an open curve stays twice differentiable where it continues straight.
"""

from __future__ import annotations

import numpy as np

from carom.argument_checks import boolean, limit_length, short_repr
from carom.errors import ModelError
from carom.geometry.planar_path import Path
from carom.typing import MatrixLike


class Spline(Path):
    """Curve through ``points`` [m] with ``size`` coordinates, in their order; its parameter is the chord length [m]."""

    def __init__(self, owner: str, points: MatrixLike, closed: bool = False, size: int = 2):
        from scipy.interpolate import CubicSpline

        closed = boolean(owner, "closed", closed)
        kind = "pairs" if size == 2 else "triples"
        names = "(x, y)" if size == 2 else "(x, y, z)"
        try:
            path = np.array(limit_length(owner, "points", points), dtype=float)
        except (TypeError, ValueError, OverflowError):
            raise ModelError(f"{owner}: points must be {kind} of numbers {names}, got {short_repr(points)}") from None
        min_points = 3
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
        knots = np.concatenate([[0.0], np.cumsum(chords)])
        super().__init__(CubicSpline(knots, path, bc_type="periodic" if closed else "natural"), closed)
