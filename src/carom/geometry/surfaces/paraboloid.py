"""Paraboloids, saddles and parabolic troughs: second-order approximations of surfaces."""

from __future__ import annotations

import math
from typing import Any

from carom.argument_checks import finite_float, positive, short_repr
from carom.errors import ModelError
from carom.geometry.surfaces.base import ParametricSurface, checked_side, surface_kernel
from carom.geometry.surfaces.gradient_normal import store_gradient_normal, store_point
from carom.kernels import FLOAT, record

PARAMS = record(
    p=FLOAT,  # principal curvatures at the origin [1/m]
    q=FLOAT,
    side=FLOAT,  # 1.0, or −1.0 for the solid above
)


@surface_kernel(PARAMS)
def paraboloid(params, u, v, out):
    """Evaluate a paraboloid."""
    p = params.p
    q = params.q
    store_point(out, (u, v, 0.5 * (p * u * u + q * v * v)), (1.0, 0.0, p * u), (0.0, 1.0, q * v))
    store_gradient_normal(params.side, out, (-p * u, -q * v, 1.0), (-p, 0.0, 0.0), (0.0, -q, 0.0))


class Paraboloid(ParametricSurface):
    """Paraboloid z = x²/(2a) + y²/(2b) for |x| ≤ ``extent``, |y| ≤ ``extent`` [m] (or two numbers); u = x, v = y.

    ``a`` and ``b`` are the principal radii of curvature at the origin [m]: positive where it curves up, negative where
    it curves down (both signs: a saddle), ``math.inf`` for a straight line. The solid is below and the normal points
    up; with ``inside`` the reverse.

    Examples
    --------
    >>> import carom as cm
    >>> surface = cm.surfaces.Paraboloid(0.5, 0.5, extent=0.2)
    >>> surface.point(0.0, 0.0).round(6).tolist()
    [0.0, 0.0, 0.0]
    """

    kernel = paraboloid

    def __init__(self, a: float, b: float, extent: float | tuple[float, float], *, inside: bool = False):
        owner = f"{self.label} surface"
        self.a, self.b = _radius(owner, "a", a), _radius(owner, "b", b)
        sizes = tuple(extent) if isinstance(extent, tuple | list) else (extent, extent)
        if len(sizes) != 2:
            raise ModelError(f"{owner}: extent must be one number or two, got {short_repr(extent)}")
        width, depth = (positive(owner, "extent", size) for size in sizes)
        self.extent, self.inside = (width, depth), inside
        self.u_range, self.v_range = (-width, width), (-depth, depth)
        self.parameters = (1.0 / self.a, 1.0 / self.b, checked_side(owner, inside))


def _radius(owner: str, what: str, value: Any) -> float:
    if isinstance(value, float) and math.isinf(value):
        return value
    radius = finite_float(owner, what, value)
    if radius == 0.0:
        raise ModelError(
            f"{owner}: {what} must not be zero; use a radius of curvature, or math.inf for a straight line"
        )
    return radius
