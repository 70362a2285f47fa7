"""Surfaces made of polynomial patches over a rectangular grid of knots."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from carom.errors import ModelError
from carom.geometry.surfaces.base import (
    NORMAL,
    OPEN,
    PERIODIC,
    POINT,
    POINT_U,
    POINT_V,
    ParametricSurface,
    checked_side,
    put_normal,
)
from carom.geometry.surfaces.checks import SEAM, Sample, facing, pole_ends
from carom.kernels import SURFACE, jit, kernel, offset

# The kernel's numbers: the side of the solid; how many coordinates a patch has (1: the height over x = u and y = v,
# 3: x, y, z, 4: those times the weight, and the weight); intervals and terms by u and by v; whether u and v are
# periodic; then the knots of u, those of v, and the coefficients of each patch, coordinate by coordinate, highest
# powers first.
SIDE, PARTS, COUNT_U, COUNT_V, TERMS_U, TERMS_V, WRAP_U, WRAP_V, KNOTS = range(9)


@jit
def wrapped(knots, count, periodic, x):
    """x, moved into the range of a periodic parameter."""
    first = knots[0]
    last = knots[count]
    if periodic != 0.0 and (x < first or x > last):
        return first + (x - first) % (last - first)
    return x


@jit
def interval(knots, count, x):
    """Which interval x lies in; the first or the last one beyond the ends."""
    low = 0
    high = count
    while high - low > 1:
        middle = (low + high) // 2
        if knots[middle] <= x:
            low = middle
        else:
            high = middle
    return low


@jit
def patch_at(c, terms_u, terms_v, h, k):
    """f, f_u, f_v, f_uu, f_uv and f_vv of one coordinate, by Horner's rule in both directions."""
    f = 0.0
    f_u = 0.0
    f_v = 0.0
    f_uu = 0.0
    f_uv = 0.0
    f_vv = 0.0
    place = 0
    for _ in range(terms_u):
        q = 0.0
        q_v = 0.0
        q_vv = 0.0
        for _ in range(terms_v):
            q_vv = q_vv * k + q_v
            q_v = q_v * k + q
            q = q * k + c[place]
            place += 1
        f_uu = f_uu * h + f_u
        f_u = f_u * h + f
        f_uv = f_uv * h + f_v
        f = f * h + q
        f_v = f_v * h + q_v
        f_vv = f_vv * h + q_vv
    return f, f_u, f_v, 2.0 * f_uu, f_uv, 2.0 * f_vv


@jit
def divided(x, w):
    """The same of x/w, by the quotient rule."""
    f = x[0] / w[0]
    f_u = (x[1] - f * w[1]) / w[0]
    f_v = (x[2] - f * w[2]) / w[0]
    f_uu = (x[3] - 2.0 * f_u * w[1] - f * w[3]) / w[0]
    f_uv = (x[4] - f_u * w[2] - f_v * w[1] - f * w[4]) / w[0]
    f_vv = (x[5] - 2.0 * f_v * w[2] - f * w[5]) / w[0]
    return f, f_u, f_v, f_uu, f_uv, f_vv


@kernel(SURFACE)
def patches(par, u, v, out):
    count_u = int(par[COUNT_U])
    count_v = int(par[COUNT_V])
    terms_u = int(par[TERMS_U])
    terms_v = int(par[TERMS_V])
    parts = int(par[PARTS])
    knots_u = offset(par, KNOTS)
    knots_v = offset(knots_u, count_u + 1)
    u = wrapped(knots_u, count_u, par[WRAP_U], u)
    v = wrapped(knots_v, count_v, par[WRAP_V], v)
    i = interval(knots_u, count_u, u)
    j = interval(knots_v, count_v, v)
    h = u - knots_u[i]
    k = v - knots_v[j]
    size = terms_u * terms_v
    c = offset(knots_v, count_v + 1 + (i * count_v + j) * parts * size)
    if parts == 1:
        x = (u, 1.0, 0.0, 0.0, 0.0, 0.0)
        y = (v, 0.0, 1.0, 0.0, 0.0, 0.0)
        z = patch_at(c, terms_u, terms_v, h, k)
    else:
        x = patch_at(c, terms_u, terms_v, h, k)
        y = patch_at(offset(c, size), terms_u, terms_v, h, k)
        z = patch_at(offset(c, 2 * size), terms_u, terms_v, h, k)
    if parts == 4:
        w = patch_at(offset(c, 3 * size), terms_u, terms_v, h, k)
        x = divided(x, w)
        y = divided(y, w)
        z = divided(z, w)
    out[POINT] = x[0]
    out[POINT + 1] = y[0]
    out[POINT + 2] = z[0]
    out[POINT_U] = x[1]
    out[POINT_U + 1] = y[1]
    out[POINT_U + 2] = z[1]
    out[POINT_V] = x[2]
    out[POINT_V + 1] = y[2]
    out[POINT_V + 2] = z[2]
    end_u = 1.0 if 2.0 * u < knots_u[0] + knots_u[count_u] else -1.0
    end_v = 1.0 if 2.0 * v < knots_v[0] + knots_v[count_v] else -1.0
    put_normal(par[SIDE], end_u, end_v, out, x[3], y[3], z[3], x[4], y[4], z[4], x[5], y[5], z[5])


class Patchwork(ParametricSurface):
    """A tensor product of splines, held as the polynomials between its knots."""

    kernel = patches
    outward_from: Any = None

    def _make(
        self,
        owner: str,
        control: np.ndarray,
        knots: tuple[np.ndarray, np.ndarray],
        degree: tuple[int, int],
        periodic: tuple[bool, bool],
    ) -> None:
        """From control points (u, v, coordinate) over full knot vectors; ``periodic`` says what closes."""
        breaks, coefficients = polynomials(control, knots, degree)
        (u, v), side = breaks, checked_side(owner, self.inside)
        self.u_range, self.v_range = (float(u[0]), float(u[-1])), (float(v[0]), float(v[-1]))
        self.u_ends, self.v_ends = ((PERIODIC,) * 2 if flag else (OPEN,) * 2 for flag in periodic)
        head = [control.shape[2], len(u) - 1, len(v) - 1, degree[0] + 1, degree[1] + 1, *periodic]
        rest = (*map(float, head), *u.tolist(), *v.tolist(), *coefficients.ravel().tolist())
        self.numbers = (side, *rest)
        sample = Sample(owner, self, self.evaluate)
        at_u, at_v = sample.collapsed()
        self.u_ends = pole_ends(self.u_ends, at_u, self.v_ends)
        self.v_ends = pole_ends(self.v_ends, at_v, self.u_ends)
        sample.check_ends()
        sample.check_regular()
        for axis in (0, 1):
            self._check_kinks(owner, knots[axis], degree[axis], axis)
        if self.outward_from is not None:
            turned = facing(sample, self.outward_from) * side  # the sample knows of `inside` already
            self.numbers = (side * turned, *rest)

    def _check_kinks(self, owner: str, knots: np.ndarray, degree: int, axis: int) -> None:
        """Where a knot is repeated so often that the tangents may jump, the normal must not."""
        low, high = (self.u_range, self.v_range)[axis]
        inner, times = np.unique(knots[(knots > low) & (knots < high)], return_counts=True)
        other = np.linspace(*(self.v_range, self.u_range)[axis], 9)[1:-1]
        for knot in inner[times >= degree]:
            before = knot - 1e-9 * (high - low)
            sides = [(at, other) if axis == 0 else (other, at) for at in (before, knot)]
            left, right = (self.evaluate(*place)[:, NORMAL : NORMAL + 3] for place in sides)
            if np.linalg.norm(left - right, axis=1).max() > SEAM:
                raise ModelError(
                    f"{owner}: it has a kink along {'uv'[axis]} = {knot:.6g}, where the normal jumps; take a higher "
                    "degree, repeat the knot less often, or make two surfaces"
                )


def polynomials(
    control: np.ndarray, knots: tuple[np.ndarray, np.ndarray], degree: tuple[int, int]
) -> tuple[tuple[np.ndarray, np.ndarray], np.ndarray]:
    """Knots without repetition, and the coefficients: interval of u, of v, coordinate, power of u, of v, highest first.

    The coefficient of (u − uᵢ)^k (v − vⱼ)^l is the derivative there over k! l!.
    """
    from scipy.interpolate import BSpline

    values, breaks = control, []
    for t, p in zip(knots, degree, strict=True):  # by u: (power, interval, v, coordinate); by v the same before that
        ends = t[p : len(t) - p]
        x = np.unique(ends)
        spline = BSpline(t, values, p)
        rows = np.stack([spline(x[:-1], nu=power) / math.factorial(power) for power in range(p, -1, -1)])
        values = np.moveaxis(rows, 2, 0)
        breaks.append(x)
    # after u: (v, power u, interval u, coordinate); after v: (power u, power v, interval v, interval u, coordinate)
    return (breaks[0], breaks[1]), np.transpose(values, (3, 2, 4, 0, 1))
