"""B-spline surfaces, and with weights NURBS."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from carom.argument_checks import limit_length, short_repr
from carom.errors import ModelError
from carom.geometry.surfaces.parameter_range import flags_of
from carom.geometry.surfaces.polynomial_patches import PatchSurface
from carom.typing import GridLike, MatrixLike, PointLike, VectorLike

MAX_DEGREE = 9
"""Highest degree; above it, powers of the parameter lose digits."""


class BSpline(PatchSurface):
    """Tensor-product B-spline surface over ``control`` points (nu × nv × 3) [m]; with ``weights`` (nu × nv) a NURBS.

    ``degree`` = (along u, along v). ``knots`` = (of u, of v), each None (uniform on [0, 1]) or the knot vector of
    n + degree + 1 numbers. In a ``periodic`` direction each control point occurs once and the knots, if any, are n + 1
    numbers over one period; or a knot vector of n + degree + 1 numbers whose ends coincide, as that of a circle. Ends
    that shrink to a point, with the other parameter periodic, are poles.

    The normal points along s_u × s_v; with ``outward_from`` away from that point; ``inside`` reverses it.

    Reference: L. Piegl, W. Tiller, The NURBS Book, 2nd ed., Springer 1997.

    Examples
    --------
    >>> import carom as cm
    >>> import numpy as np
    >>> x, y = np.meshgrid(np.linspace(0.0, 1.0, 4), np.linspace(0.0, 1.0, 4), indexing="ij")
    >>> surface = cm.surfaces.BSpline(np.dstack([x, y, x * y]))
    >>> surface.point(0.5, 0.5).round(6).tolist()
    [0.5, 0.5, 0.25]
    """

    def __init__(
        self,
        control: GridLike,
        degree: tuple[int, int] = (3, 3),
        knots: Sequence[VectorLike | None] | None = None,
        weights: MatrixLike | None = None,
        periodic: tuple[bool, bool] = (False, False),
        *,
        inside: bool = False,
        outward_from: PointLike | None = None,
    ):
        owner = f"{self.label} surface"
        points = finite_array(owner, "control", control, 3)
        if points.shape[2] != 3:
            raise ModelError(f"{owner}: control must be nu × nv points of 3 numbers, got shape {points.shape}")
        self.degree = _degree(owner, degree)
        self.periodic = flags_of(owner, "periodic", periodic)
        self.inside, self.outward_from = inside, outward_from
        self.control = points
        self.weights = None
        if weights is not None:
            self.weights = finite_array(owner, "weights", weights, 2)
            if self.weights.shape != points.shape[:2]:
                raise ModelError(
                    f"{owner}: weights must be {points.shape[0]} × {points.shape[1]}, one per control point, "
                    f"got shape {self.weights.shape}"
                )
            if self.weights.min() <= 0.0:
                raise ModelError(f"{owner}: weights must be positive, got {self.weights.min():g}")
            points = np.concatenate([points * self.weights[..., None], self.weights[..., None]], axis=2)
        pair = (None, None) if knots is None else knots
        if not isinstance(pair, tuple | list) or len(pair) != 2:
            raise ModelError(f"{owner}: knots must be a pair, those of u and those of v, got {short_repr(knots)}")
        self.knots = tuple(
            None if row is None else finite_array(owner, f"knots of {name}", row, 1)
            for name, row in zip("uv", pair, strict=True)
        )
        full = []
        for axis in (0, 1):
            t, extra = _knots(owner, axis, points.shape[axis], self.degree[axis], self.knots[axis], self.periodic[axis])
            full.append(t)
            indices = np.arange(points.shape[axis] + extra) % points.shape[axis]
            points = np.take(points, indices, axis=axis)
        self._make(owner, points, (full[0], full[1]), self.degree, self.periodic)


def finite_array(owner: str, what: str, value: Any, dimensions: int) -> np.ndarray:
    """Return ``value`` as an array of finite numbers with this number of axes."""
    try:
        array = np.array(limit_length(owner, what, value), dtype=float)
    except (TypeError, ValueError, OverflowError):
        raise ModelError(f"{owner}: {what} must be an array of numbers, got {short_repr(value)}") from None
    if array.ndim != dimensions or array.size == 0:
        raise ModelError(f"{owner}: {what} must have {dimensions} axes, got shape {array.shape}")
    if not np.all(np.isfinite(array)):
        index = tuple(int(k) for k in np.argwhere(~np.isfinite(array))[0])
        raise ModelError(f"{owner}: {what} must be finite, got {array[index]} at {list(index)}")
    return array


def _degree(owner: str, degree: Any) -> tuple[int, int]:
    pair = tuple(degree) if isinstance(degree, tuple | list) else (degree, degree)
    if len(pair) != 2 or not all(isinstance(p, int | np.integer) and 1 <= p <= MAX_DEGREE for p in pair):
        raise ModelError(f"{owner}: degree must be two integers from 1 to {MAX_DEGREE}, got {short_repr(degree)}")
    return int(pair[0]), int(pair[1])


def _knots(
    owner: str, axis: int, count: int, degree: int, knots: np.ndarray | None, periodic: bool
) -> tuple[np.ndarray, int]:
    """Return the full knot vector, and the number of control points repeated after the last one."""
    name = "uv"[axis]
    if count <= degree:
        raise ModelError(
            f"{owner}: degree {degree} along {name} needs at least {degree + 1} control points, got {count}"
        )
    if knots is None:
        if not periodic:
            inner = np.linspace(0.0, 1.0, count - degree + 1)
            return np.concatenate([np.zeros(degree), inner, np.ones(degree)]), 0
        knots = np.linspace(0.0, 1.0, count + 1)
    lengths = [count + degree + 1, count + 1] if periodic else [count + degree + 1]
    if len(knots) not in lengths:
        sizes = " or ".join(map(str, lengths))
        raise ModelError(f"{owner}: knots of {name} must be {sizes} for {count} control points, got {len(knots)}")
    if np.any(np.diff(knots) < 0.0):
        k = int(np.argmin(np.diff(knots)))
        raise ModelError(f"{owner}: knots of {name} must not decrease, got {knots[k + 1]:g} after {knots[k]:g}")
    extra = 0
    if len(knots) == count + 1:
        period = knots[-1] - knots[0]
        knots = np.concatenate([knots[-1 - degree : -1] - period, knots, knots[1 : degree + 1] + period])
        extra = degree
    low, high = knots[degree], knots[-1 - degree]
    inner, times = np.unique(knots[(knots > low) & (knots < high)], return_counts=True)
    if not low < high:
        raise ModelError(f"{owner}: knots of {name} must span a range, got only {low:g}")
    if np.any(times > degree):
        k = int(np.argmax(times))
        raise ModelError(f"{owner}: knot {inner[k]:g} of {name} must occur at most {degree} times, got {times[k]}")
    return knots, extra
