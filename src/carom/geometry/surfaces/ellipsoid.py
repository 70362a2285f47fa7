"""Ellipsoids."""

from __future__ import annotations

import math
from typing import Any

from carom.errors import positive
from carom.geometry.surfaces.base import ParametricSurface, checked_side
from carom.geometry.surfaces.implicit import put_gradient, put_point
from carom.geometry.surfaces.parts import LATITUDES, POLES, ROUND, TURN, take_parts
from carom.kernels import SURFACE, kernel


@kernel(SURFACE)
def ellipsoid(par, u, v, out):
    a = par[0]
    b = par[1]
    c = par[2]
    cu = math.cos(u)
    su = math.sin(u)
    cv = math.cos(v)
    sv = math.sin(v)
    x = cu * cv
    y = cu * sv
    put_point(out, (a * x, b * y, c * su), (-a * su * cv, -b * su * sv, c * cu), (-a * y, b * x, 0.0))
    put_gradient(par[3], out, (x / a, y / b, su / c), (-su * cv / a, -su * sv / b, cu / c), (-y / a, x / b, 0.0))


class Ellipsoid(ParametricSurface):
    """s = (a cos u cos v, b cos u sin v, c sin u), u in [−π/2, π/2], v in [0, 2π]; half axes ``a``, ``b``, ``c`` [m].

    ``u`` and ``v`` = (low, high) take a part of it.
    """

    kernel = ellipsoid

    def __init__(self, a: float, b: float, c: float, *, u: Any = None, v: Any = None, inside: bool = False):
        owner = f"{self.label} surface"
        self.a, self.b, self.c = (positive(owner, what, value) for what, value in (("a", a), ("b", b), ("c", c)))
        self.u, self.v, self.inside = u, v, inside
        take_parts(self, owner, u, v, LATITUDES, POLES, TURN, ROUND)
        self.numbers = (self.a, self.b, self.c, checked_side(owner, inside))
