"""Path fitted to a function by a spline of degree seven."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from carom.argument_checks import boolean, short_repr
from carom.errors import ModelError
from carom.geometry.planar_path import Path
from carom.geometry.polynomial_path import span_of

FITTED_DEGREE = 7
"""Degree of the interpolating spline."""
MIN_INTERVALS, MAX_INTERVALS = 32, 16384
"""Smallest and largest number of intervals."""
FIT_TOLERANCE = 1e-13
"""Ratio to the size of the curve up to which spline and function may differ between the knots [-]."""
SECOND_CHECK_FRACTION = 0.5 * (3.0 - math.sqrt(5.0))
"""Fraction of an interval at which the fit is checked again after the midpoint, so that no period of the function fits
both [-]."""


class FittedPath(Path):
    """Path f(s) -> (x, y) [m] for s in ``span``: intervals are halved until the spline agrees with f between them."""

    def __init__(self, owner: str, f: Callable[[float], Any], span: Any, closed: bool = False):
        low, high = span_of(owner, span)
        closed = boolean(owner, "closed", closed)
        if not callable(f):
            raise ModelError(f"{owner}: expected a function f(s) -> (x, y), got {short_repr(f)}")
        s = np.linspace(low, high, MIN_INTERVALS + 1)
        points = _values(owner, f, s)
        size = float(np.ptp(points, axis=0).max())
        if size == 0.0:
            raise ModelError(f"{owner}: the function returns only one point, ({points[0][0]:g}, {points[0][1]:g})")
        if closed and math.dist(points[0], points[-1]) > 1e-9 * size:
            ends = " and ".join(f"({x:g}, {y:g})" for x, y in (points[0], points[-1]))
            raise ModelError(
                f"{owner}: a closed curve must end where it starts, got {ends} for s = {low:g} and {high:g}"
            )
        if closed:
            points[-1] = points[0]
        close = FIT_TOLERANCE * size + 4.0 * np.finfo(float).eps * float(np.abs(points).max())
        while True:
            spline = _interpolate(s, points, closed)
            midpoints = 0.5 * (s[:-1] + s[1:])
            between = _values(owner, f, midpoints)
            off = np.abs(spline(midpoints) - between).max(axis=1)
            if off.max() <= close:
                aside = s[:-1] + SECOND_CHECK_FRACTION * np.diff(s)
                off = np.abs(spline(aside) - _values(owner, f, aside)).max(axis=1)
                if off.max() <= close:
                    break
            if len(s) > MAX_INTERVALS:
                k = int(np.argmax(off))
                raise ModelError(
                    f"{owner}: the function is not smooth enough near s = {midpoints[k]:.6g}, ({between[k][0]:.6g}, "
                    f"{between[k][1]:.6g}): a spline through {len(s)} of its points still differs by {off[k]:.1e} m; "
                    "smooth a kink or use points"
                )
            s = np.append(np.column_stack([s[:-1], midpoints]).ravel(), s[-1])
            points = np.vstack([np.stack([points[:-1], between], axis=1).reshape(-1, 2), points[-1:]])
        super().__init__(spline, closed)


def _values(owner: str, f: Callable[[float], Any], parameters: np.ndarray) -> np.ndarray:
    rows = []
    for s in parameters.tolist():
        value = f(s)
        try:
            x, y = (float(part) for part in value)
        except (TypeError, ValueError, OverflowError):
            raise ModelError(
                f"{owner}: the function must return two numbers (x, y), got {short_repr(value)} for s = {s:g}"
            ) from None
        if not (math.isfinite(x) and math.isfinite(y)):
            raise ModelError(f"{owner}: the function must return finite numbers, got ({x:g}, {y:g}) for s = {s:g}")
        rows.append((x, y))
    return np.array(rows)


def _interpolate(s: np.ndarray, points: np.ndarray, closed: bool) -> Any:
    """Return the spline through ``points`` as polynomials about its knots: periodic, or not-a-knot at open ends."""
    from scipy.interpolate import PPoly, make_interp_spline

    fit = make_interp_spline(s, points, k=FITTED_DEGREE, bc_type="periodic" if closed else None)
    knots = np.unique(fit.t[(fit.t >= s[0]) & (fit.t <= s[-1])])
    powers = range(FITTED_DEGREE, -1, -1)
    coefficients = np.array([fit(knots[:-1], nu=power) / math.factorial(power) for power in powers])
    return PPoly(coefficients, knots, extrapolate="periodic" if closed else None)
