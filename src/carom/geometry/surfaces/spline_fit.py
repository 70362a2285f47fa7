"""Spline surface fitted to a grid of points."""

from __future__ import annotations

import math

import numpy as np

from carom.argument_checks import non_negative
from carom.errors import ModelError
from carom.geometry.surfaces.bspline import finite_array
from carom.geometry.surfaces.parameter_range import flags_of
from carom.geometry.surfaces.polynomial_patches import PatchSurface
from carom.typing import GridLike, PointLike

DEGREE = 3
"""Degree of the splines along u and v."""
MIN_LOG_WEIGHT, MAX_LOG_WEIGHT = -14.0, 8.0
"""Powers of ten of the weight of bending relative to distance, over the cube of the range of the parameter."""


class FittedSurface(PatchSurface):
    """Bicubic spline surface through a grid of ``points`` (nu × nv × 3) [m].

    Its parameters are the chord lengths along the grid, averaged over its lines [m]. With ``smoothing`` [m] it is the
    smoothest surface with this root-mean-square distance from the points: a spline on the same knots, in each direction
    the minimum of Σ|s − p|² + λ ∫|s″|². In a ``periodic`` direction the first line of points may be repeated as the
    last one.

    The normal points along s_u × s_v; with ``outward_from`` away from that point; ``inside`` reverses it.

    Examples
    --------
    >>> import carom as cm
    >>> import numpy as np
    >>> x, y = np.meshgrid(np.linspace(0.0, 1.0, 4), np.linspace(0.0, 1.0, 4), indexing="ij")
    >>> surface = cm.surfaces.Fitted(np.dstack([x, y, 0.0 * x]))
    >>> surface.normal(0.5, 0.5).round(6).tolist()
    [0.0, 0.0, 1.0]
    """

    def __init__(
        self,
        points: GridLike,
        smoothing: float = 0.0,
        periodic: tuple[bool, bool] = (False, False),
        *,
        inside: bool = False,
        outward_from: PointLike | None = None,
    ):
        owner = f"{self.label} surface"
        self.points = finite_array(owner, "points", points, 3)
        if self.points.shape[2] != 3:
            raise ModelError(f"{owner}: points must be nu × nv points of 3 numbers, got shape {self.points.shape}")
        self.smoothing = non_negative(owner, "smoothing", smoothing)
        self.periodic = flags_of(owner, "periodic", periodic)
        self.inside, self.outward_from = inside, outward_from
        grid = self.points
        for axis, closed in enumerate(self.periodic):
            first = np.take(grid, [0], axis=axis)
            if closed and not np.allclose(first, np.take(grid, [-1], axis=axis), rtol=0.0, atol=1e-12 * np.ptp(grid)):
                grid = np.concatenate([grid, first], axis=axis)
            if grid.shape[axis] < DEGREE + 1:
                raise ModelError(
                    f"{owner}: points must be at least {DEGREE + 1} along {'uv'[axis]}, got {self.points.shape[axis]}"
                )
            if closed:
                grid = np.concatenate([np.delete(grid, -1, axis=axis), first], axis=axis)
        lines = [GridDirection(owner, axis, grid, closed) for axis, closed in enumerate(self.periodic)]
        control = self._fit(lines, grid)
        self._make(owner, control, (lines[0].knots, lines[1].knots), (DEGREE, DEGREE), self.periodic)

    def _fit(self, lines: list[GridDirection], grid: np.ndarray) -> np.ndarray:
        """Return the control points for the weight of bending that gives the requested distance."""
        from scipy.optimize import brentq

        if self.smoothing == 0.0:
            return np.moveaxis(lines[1].interpolated(np.moveaxis(lines[0].interpolated(grid), 1, 0)), 0, 1)

        def fitted(power: float) -> np.ndarray:
            return np.moveaxis(lines[1].smoothed(np.moveaxis(lines[0].smoothed(grid, power), 1, 0), power), 0, 1)

        def excess(power: float) -> float:
            points = np.einsum("iu,jv,uvk->ijk", lines[0].basis(), lines[1].basis(), fitted(power))
            off = (points - grid)[: lines[0].distinct, : lines[1].distinct]
            return math.sqrt(float(np.mean(np.sum(off**2, axis=2)))) - self.smoothing

        if excess(MAX_LOG_WEIGHT) < 0.0:
            return fitted(MAX_LOG_WEIGHT)
        if excess(MIN_LOG_WEIGHT) > 0.0:
            return fitted(MIN_LOG_WEIGHT)
        return fitted(brentq(excess, MIN_LOG_WEIGHT, MAX_LOG_WEIGHT, xtol=1e-10))


class GridDirection:
    """Splines along one direction of a grid: parameters, knots, and control points from values at the points."""

    def __init__(self, owner: str, axis: int, grid: np.ndarray, periodic: bool):
        from scipy.interpolate import make_interp_spline

        chords = np.linalg.norm(np.diff(grid, axis=axis), axis=2)
        steps = chords.mean(axis=1 - axis)
        if steps.min() == 0.0:
            k = int(np.argmin(steps))
            raise ModelError(f"{owner}: lines {k} and {k + 1} of points along {'uv'[axis]} coincide; remove one")
        self.periodic = periodic
        self.x = np.concatenate([[0.0], np.cumsum(steps)])
        self.distinct = len(self.x) - 1 if periodic else len(self.x)
        self._kind = "periodic" if periodic else None
        self.knots = make_interp_spline(self.x, 0.0 * self.x, k=DEGREE, bc_type=self._kind).t

    def interpolated(self, values: np.ndarray) -> np.ndarray:
        """Return the control points of the splines through ``values`` along the first axis."""
        from scipy.interpolate import make_interp_spline

        return np.asarray(make_interp_spline(self.x, values, k=DEGREE, bc_type=self._kind).c)

    def basis(self) -> np.ndarray:
        """Return the basis functions at the parameters of the points."""
        from scipy.interpolate import BSpline

        return np.asarray(BSpline.design_matrix(self.x, self.knots, DEGREE).toarray())

    def smoothed(self, values: np.ndarray, power: float) -> np.ndarray:
        """Return the control points of the smoothing splines to ``values`` along the first axis."""
        count = len(self.knots) - DEGREE - 1
        free = np.eye(count)
        if self.periodic:  # the last control points repeat the first ones
            free = np.eye(count - DEGREE)[np.arange(count) % (count - DEGREE)]
        basis = (self.basis() @ free)[: self.distinct]
        bending = free.T @ self._bending() @ free * 10.0**power * (self.x[-1] - self.x[0]) ** 3
        flat = values[: self.distinct].reshape(self.distinct, -1)
        control = np.linalg.solve(basis.T @ basis + bending, basis.T @ flat)
        return (free @ control).reshape(count, *values.shape[1:])

    def _bending(self) -> np.ndarray:
        """Return ∫ Bᵢ″ Bⱼ″ by two Gauss points between knots, which are exact for products of linear functions."""
        from scipy.interpolate import BSpline

        ends = np.unique(self.knots[DEGREE : len(self.knots) - DEGREE])
        midpoints, half = 0.5 * (ends[:-1] + ends[1:]), 0.5 * np.diff(ends)
        bases = BSpline(self.knots, np.eye(len(self.knots) - DEGREE - 1), DEGREE)
        total = np.zeros((len(self.knots) - DEGREE - 1,) * 2)
        for sign in (-1.0, 1.0):
            second = bases(midpoints + sign / math.sqrt(3.0) * half, nu=2)
            total += second.T @ (half[:, None] * second)
        return total
