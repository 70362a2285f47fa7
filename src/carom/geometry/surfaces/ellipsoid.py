"""Ellipsoid."""

from __future__ import annotations

import math

from carom.argument_checks import positive
from carom.geometry.surfaces.base import ParametricSurface, checked_side, surface_kernel
from carom.geometry.surfaces.gradient_normal import store_gradient_normal, store_point
from carom.geometry.surfaces.parameter_range import FULL_TURN, LATITUDES, POLES, ROUND, set_ranges
from carom.kernels import FLOAT, record
from carom.typing import RangeLike

PARAMS = record(
    a=FLOAT,  # half axes [m]
    b=FLOAT,
    c=FLOAT,
    side=FLOAT,  # 1.0, or −1.0 for the solid on the outside
)


@surface_kernel(PARAMS)
def ellipsoid(params, u, v, out):
    """Evaluate an ellipsoid."""
    a = params.a
    b = params.b
    c = params.c
    cu = math.cos(u)
    su = math.sin(u)
    cv = math.cos(v)
    sv = math.sin(v)
    x = cu * cv
    y = cu * sv
    store_point(out, (a * x, b * y, c * su), (-a * su * cv, -b * su * sv, c * cu), (-a * y, b * x, 0.0))
    store_gradient_normal(
        params.side, out, (x / a, y / b, su / c), (-su * cv / a, -su * sv / b, cu / c), (-y / a, x / b, 0.0)
    )


class Ellipsoid(ParametricSurface):
    """Ellipsoid s = (a cos u cos v, b cos u sin v, c sin u), half axes ``a``, ``b``, ``c`` [m].

    u in [−π/2, π/2], v in [0, 2π]; ``u`` and ``v`` = (low, high) are sub-ranges.

    Examples
    --------
    >>> import carom as cm
    >>> surface = cm.surfaces.Ellipsoid(0.1, 0.2, 0.3)
    >>> surface.point(0.0, 0.0).round(6).tolist()
    [0.1, 0.0, 0.0]
    """

    kernel = ellipsoid

    def __init__(
        self,
        a: float,
        b: float,
        c: float,
        *,
        u: RangeLike | None = None,
        v: RangeLike | None = None,
        inside: bool = False,
    ):
        owner = f"{self.label} surface"
        self.a, self.b, self.c = (positive(owner, what, value) for what, value in (("a", a), ("b", b), ("c", c)))
        self.u, self.v, self.inside = u, v, inside
        set_ranges(self, owner, u, v, LATITUDES, POLES, FULL_TURN, ROUND)
        self.parameters = (self.a, self.b, self.c, checked_side(owner, inside))
