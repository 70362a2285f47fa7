"""Spheres."""

from __future__ import annotations

import math
from typing import Any

from carom.errors import positive
from carom.geometry.surfaces.base import NORMAL, NORMAL_U, NORMAL_V, ParametricSurface, checked_side
from carom.geometry.surfaces.implicit import put_point
from carom.geometry.surfaces.parts import LATITUDES, POLES, ROUND, TURN, take_parts
from carom.kernels import SURFACE, kernel


@kernel(SURFACE)
def sphere(par, u, v, out):
    radius = par[0]
    cu = math.cos(u)
    su = math.sin(u)
    cv = math.cos(v)
    sv = math.sin(v)
    n = (cu * cv, cu * sv, su)
    n_u = (-su * cv, -su * sv, cu)
    n_v = (-cu * sv, cu * cv, 0.0)
    put_point(
        out,
        (radius * n[0], radius * n[1], radius * n[2]),
        (radius * n_u[0], radius * n_u[1], radius * n_u[2]),
        (radius * n_v[0], radius * n_v[1], radius * n_v[2]),
    )
    for d in range(3):
        out[NORMAL + d] = par[1] * n[d]
        out[NORMAL_U + d] = par[1] * n_u[d]
        out[NORMAL_V + d] = par[1] * n_v[d]


class Sphere(ParametricSurface):
    """s = R (cos u cos v, cos u sin v, sin u): latitude u in [−π/2, π/2], longitude v in [0, 2π]; ``radius`` R [m].

    ``u`` and ``v`` = (low, high) take a part of it.
    """

    kernel = sphere

    def __init__(self, radius: float, *, u: Any = None, v: Any = None, inside: bool = False):
        owner = f"{self.label} surface"
        self.radius = positive(owner, "radius", radius)
        self.u, self.v, self.inside = u, v, inside
        take_parts(self, owner, u, v, LATITUDES, POLES, TURN, ROUND)
        self.numbers = (self.radius, checked_side(owner, inside))
