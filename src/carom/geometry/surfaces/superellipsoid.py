"""Superellipsoids: from nearly boxes over ellipsoids to octahedra."""

from __future__ import annotations

import math

from carom.argument_checks import finite_float, positive
from carom.errors import ModelError
from carom.geometry.surfaces.base import ParametricSurface, checked_side, surface_kernel
from carom.geometry.surfaces.gradient_normal import store_gradient_normal, store_point
from carom.geometry.surfaces.parameter_range import FULL_TURN, LATITUDES, POLES, ROUND, set_ranges
from carom.kernels import FLOAT, jit, record
from carom.typing import RangeLike

MIN_EXPONENT, MAX_EXPONENT = 0.2, 2.0
"""Range of the exponents [-]."""

SYMMETRY_DISTANCE = 1e-6
"""Distance from a plane of symmetry over the half axis [-], below which the normal turns at a constant rate, since the
curvature for an exponent above 1 is unbounded there."""


@jit
def dual(p, x):
    """Return ±|x|^(p−1) with the sign of x, and its derivative."""
    size = abs(x)
    if p < 2.0 and size < SYMMETRY_DISTANCE:
        slope = SYMMETRY_DISTANCE ** (p - 2.0)
        return slope * x, slope
    if size == 0.0:
        return 0.0, p - 1.0 if p == 2.0 else 0.0
    slope = size ** (p - 2.0)
    return slope * x, (p - 1.0) * slope


@jit
def superellipse(p, t):
    """Return the curve |C|^p + |S|^p = 1 in direction t, its normal (C*, S*), C* = ±|C|^(p−1), and their derivatives.

    C = cos t/h, S = sin t/h, h^p = |cos t|^p + |sin t|^p, from which (C, S)' = (C² + S²) (−S*, C*): smooth where
    the usual ±|cos t|^(2/p) has no derivative, or none but zero.
    """
    c = math.cos(t)
    s = math.sin(t)
    h = (abs(c) ** p + abs(s) ** p) ** (1.0 / p)
    c /= h
    s /= h
    square = c * c + s * s
    dual_c, slope_c = dual(p, c)
    dual_s, slope_s = dual(p, s)
    c_t = -square * dual_s
    s_t = square * dual_c
    return (c, s), (c_t, s_t), (dual_c, dual_s), (slope_c * c_t, slope_s * s_t)


PARAMS = record(
    a=FLOAT,  # half axes [m]
    b=FLOAT,
    c=FLOAT,
    p_u=FLOAT,  # exponents of the sections along and across z, 2/e1 and 2/e2 [-]
    p_v=FLOAT,
    side=FLOAT,  # 1.0, or −1.0 for the solid on the outside
)


@surface_kernel(PARAMS)
def superellipsoid(params, u, v, out):
    """Evaluate a superellipsoid."""
    a = params.a
    b = params.b
    c = params.c
    (m, z), (m_u, z_u), (dual_m, dual_z), (dual_m_u, dual_z_u) = superellipse(params.p_u, u)
    (x, y), (x_v, y_v), (dual_x, dual_y), (dual_x_v, dual_y_v) = superellipse(params.p_v, v)
    store_point(
        out, (a * m * x, b * m * y, c * z), (a * m_u * x, b * m_u * y, c * z_u), (a * m * x_v, b * m * y_v, 0.0)
    )
    store_gradient_normal(
        params.side,
        out,
        (dual_m * dual_x / a, dual_m * dual_y / b, dual_z / c),
        (dual_m_u * dual_x / a, dual_m_u * dual_y / b, dual_z_u / c),
        (dual_m * dual_x_v / a, dual_m * dual_y_v / b, 0.0),
    )


class Superellipsoid(ParametricSurface):
    """Superellipsoid (|x/a|^(2/e2) + |y/b|^(2/e2))^(e2/e1) + |z/c|^(2/e1) = 1, half axes ``a``, ``b``, ``c`` [m].

    The exponents ``e1`` (in sections along z) and ``e2`` (across it) lie in [0.2, 2]: below 1 towards a box, 1 is the
    ellipsoid, above 1 towards an octahedron. The points are those of x = ±a |cos u|^e1 |cos v|^e2, …; but u in
    [−π/2, π/2] and v in [0, 2π] are angles of direction in the section (see `superellipse`), so the tangents never
    vanish except at the poles. Below 1 the surface is flat where it meets a plane of symmetry; above 1 its curvature
    there has no bound (the normal is still continuous), and at 2 there are edges: Newton's method is then slow near
    them. ``u`` and ``v`` = (low, high) are sub-ranges.

    Reference: A.H. Barr, IEEE Computer Graphics and Applications 1 (1981) 11–23.

    Examples
    --------
    >>> import carom as cm
    >>> surface = cm.surfaces.Superellipsoid(0.1, 0.2, 0.3, e1=0.8, e2=0.8)
    >>> surface.point(0.0, 0.0).round(6).tolist()
    [0.1, 0.0, 0.0]
    """

    kernel = superellipsoid

    def __init__(
        self,
        a: float,
        b: float,
        c: float,
        e1: float,
        e2: float,
        *,
        u: RangeLike | None = None,
        v: RangeLike | None = None,
        inside: bool = False,
    ):
        owner = f"{self.label} surface"
        self.a, self.b, self.c = (positive(owner, what, value) for what, value in (("a", a), ("b", b), ("c", c)))
        self.e1, self.e2 = finite_float(owner, "e1", e1), finite_float(owner, "e2", e2)
        for what, exponent in (("e1", self.e1), ("e2", self.e2)):
            if not MIN_EXPONENT <= exponent <= MAX_EXPONENT:
                raise ModelError(f"{owner}: {what} must lie in [{MIN_EXPONENT:g}, {MAX_EXPONENT:g}], got {exponent:g}")
        self.u, self.v, self.inside = u, v, inside
        set_ranges(self, owner, u, v, LATITUDES, POLES, FULL_TURN, ROUND)
        self.parameters = (self.a, self.b, self.c, 2.0 / self.e1, 2.0 / self.e2, checked_side(owner, inside))
