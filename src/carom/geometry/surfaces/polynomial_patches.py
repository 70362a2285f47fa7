"""Surfaces of polynomial patches over a rectangular grid of knots."""

from __future__ import annotations

import math

import numpy as np

from carom.errors import ModelError
from carom.geometry.planar_path import find_segment
from carom.geometry.surfaces.base import (
    OPEN,
    PERIODIC,
    ParametricSurface,
    checked_side,
    store_normal,
    surface_kernel,
)
from carom.geometry.surfaces.gradient_normal import store_point
from carom.geometry.surfaces.surface_checks import MAX_SEAM_KINK, Sample, facing, pole_ends
from carom.kernels import FLOAT, address_of, floats, jit, offset, record
from carom.typing import PointLike

PARAMS = record(
    side=FLOAT,  # 1.0, or −1.0 for the normal −s_u × s_v
    n_coordinates=FLOAT,  # 1: height over x = u and y = v; 3: x, y, z; 4: weight times x, y, z, and the weight
    n_u=FLOAT,  # intervals of u and v
    n_v=FLOAT,
    terms_u=FLOAT,  # terms of the polynomials in u and v
    terms_v=FLOAT,
    periodic_u=FLOAT,
    periodic_v=FLOAT,
)
"""Head; then the knots of u, those of v, and the coefficients of each patch, per coordinate, highest powers first."""
HEADER_SIZE = PARAMS.size
"""Numbers before the knots of a surface."""


@jit
def wrap(knots, count, periodic, x):
    """Return x, shifted into the range of a periodic parameter."""
    first = knots[0]
    last = knots[count]
    if periodic != 0.0 and (x < first or x > last):
        return first + (x - first) % (last - first)
    return x


@jit
def patch_at(c, terms_u, terms_v, h, k):
    """Return f, f_u, f_v, f_uu, f_uv and f_vv of one coordinate, by Horner's rule in both directions."""
    f = 0.0
    f_u = 0.0
    f_v = 0.0
    f_uu = 0.0
    f_uv = 0.0
    f_vv = 0.0
    index = 0
    for _ in range(terms_u):
        q = 0.0
        q_v = 0.0
        q_vv = 0.0
        for _ in range(terms_v):
            q_vv = q_vv * k + q_v
            q_v = q_v * k + q
            q = q * k + c[index]
            index += 1
        f_uu = f_uu * h + f_u
        f_u = f_u * h + f
        f_uv = f_uv * h + f_v
        f = f * h + q
        f_v = f_v * h + q_v
        f_vv = f_vv * h + q_vv
    return f, f_u, f_v, 2.0 * f_uu, f_uv, 2.0 * f_vv


@jit
def divide(x, w):
    """Return x/w and its derivatives as `patch_at` does, by the quotient rule."""
    f = x[0] / w[0]
    f_u = (x[1] - f * w[1]) / w[0]
    f_v = (x[2] - f * w[2]) / w[0]
    f_uu = (x[3] - 2.0 * f_u * w[1] - f * w[3]) / w[0]
    f_uv = (x[4] - f_u * w[2] - f_v * w[1] - f * w[4]) / w[0]
    f_vv = (x[5] - 2.0 * f_v * w[2] - f * w[5]) / w[0]
    return f, f_u, f_v, f_uu, f_uv, f_vv


@surface_kernel(PARAMS)
def patches(params, u, v, out):
    """Evaluate a surface of polynomial patches."""
    n_u = int(params.n_u)
    n_v = int(params.n_v)
    terms_u = int(params.terms_u)
    terms_v = int(params.terms_v)
    n_coordinates = int(params.n_coordinates)
    knots_u = offset(floats(address_of(params)), HEADER_SIZE)
    knots_v = offset(knots_u, n_u + 1)
    u = wrap(knots_u, n_u, params.periodic_u, u)
    v = wrap(knots_v, n_v, params.periodic_v, v)
    i = find_segment(knots_u, n_u, u)
    j = find_segment(knots_v, n_v, v)
    h = u - knots_u[i]
    k = v - knots_v[j]
    size = terms_u * terms_v
    c = offset(knots_v, n_v + 1 + (i * n_v + j) * n_coordinates * size)
    if n_coordinates == 1:
        x = (u, 1.0, 0.0, 0.0, 0.0, 0.0)
        y = (v, 0.0, 1.0, 0.0, 0.0, 0.0)
        z = patch_at(c, terms_u, terms_v, h, k)
    else:
        x = patch_at(c, terms_u, terms_v, h, k)
        y = patch_at(offset(c, size), terms_u, terms_v, h, k)
        z = patch_at(offset(c, 2 * size), terms_u, terms_v, h, k)
    if n_coordinates == 4:
        w = patch_at(offset(c, 3 * size), terms_u, terms_v, h, k)
        x = divide(x, w)
        y = divide(y, w)
        z = divide(z, w)
    store_point(out, (x[0], y[0], z[0]), (x[1], y[1], z[1]), (x[2], y[2], z[2]))
    end_u = 1.0 if 2.0 * u < knots_u[0] + knots_u[n_u] else -1.0
    end_v = 1.0 if 2.0 * v < knots_v[0] + knots_v[n_v] else -1.0
    store_normal(params.side, end_u, end_v, out, x[3], y[3], z[3], x[4], y[4], z[4], x[5], y[5], z[5])


class PatchSurface(ParametricSurface):
    """Tensor product of splines, stored as the polynomials between its knots."""

    kernel = patches
    outward_from: PointLike | None = None

    def _make(
        self,
        owner: str,
        control: np.ndarray,
        knots: tuple[np.ndarray, np.ndarray],
        degree: tuple[int, int],
        periodic: tuple[bool, bool],
    ) -> None:
        """Build from control points (u, v, coordinate) over full knot vectors; ``periodic`` directions are closed."""
        breaks, coefficients = polynomials(control, knots, degree)
        (u, v), side = breaks, checked_side(owner, self.inside)
        self.u_range, self.v_range = (float(u[0]), float(u[-1])), (float(v[0]), float(v[-1]))
        self.u_ends, self.v_ends = ((PERIODIC,) * 2 if flag else (OPEN,) * 2 for flag in periodic)
        header = [control.shape[2], len(u) - 1, len(v) - 1, degree[0] + 1, degree[1] + 1, *periodic]
        rest = (*map(float, header), *u.tolist(), *v.tolist(), *coefficients.ravel().tolist())
        self.parameters = (side, *rest)
        sample = Sample(owner, self, self.output)
        at_u, at_v = sample.collapsed()
        self.u_ends = pole_ends(self.u_ends, at_u, self.v_ends)
        self.v_ends = pole_ends(self.v_ends, at_v, self.u_ends)
        sample.check_ends()
        sample.check_regular()
        for axis in (0, 1):
            self._check_kinks(owner, knots[axis], degree[axis], axis)
        if self.outward_from is not None:
            sign = facing(sample, self.outward_from) * side  # the sample includes `inside`
            self.parameters = (side * sign, *rest)

    def _check_kinks(self, owner: str, knots: np.ndarray, degree: int, axis: int) -> None:
        """Raise if the normal is discontinuous at a repeated knot."""
        low, high = (self.u_range, self.v_range)[axis]
        inner, times = np.unique(knots[(knots > low) & (knots < high)], return_counts=True)
        other = np.linspace(*(self.v_range, self.u_range)[axis], 9)[1:-1]
        for knot in inner[times >= degree]:
            before = knot - 1e-9 * (high - low)
            sides = [(at, other) if axis == 0 else (other, at) for at in (before, knot)]
            left, right = (self.output(*parameters)["normal"] for parameters in sides)
            if np.linalg.norm(left - right, axis=1).max() > MAX_SEAM_KINK:
                raise ModelError(
                    f"{owner}: the normal is discontinuous along {'uv'[axis]} = {knot:.6g}; use a higher degree, "
                    "repeat the knot less often, or divide the surface"
                )


def polynomials(
    control: np.ndarray, knots: tuple[np.ndarray, np.ndarray], degree: tuple[int, int]
) -> tuple[tuple[np.ndarray, np.ndarray], np.ndarray]:
    """Return the distinct knots, and the coefficients by interval of u, of v, coordinate, power of u, of v.

    The highest powers come first. The coefficient of (u − uᵢ)^k (v − vⱼ)^l is the derivative there over k! l!.
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
