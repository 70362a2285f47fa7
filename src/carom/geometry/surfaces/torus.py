"""Tori."""

from __future__ import annotations

import math
from typing import Any

from carom.errors import ModelError, positive
from carom.geometry.surfaces.base import NORMAL, NORMAL_U, NORMAL_V, ParametricSurface, checked_side
from carom.geometry.surfaces.implicit import put_point
from carom.geometry.surfaces.parts import ROUND, TURN, take_parts
from carom.kernels import SURFACE, kernel


@kernel(SURFACE)
def torus(par, u, v, out):
    minor = par[1]
    side = par[2]
    cu = math.cos(u)
    su = math.sin(u)
    cv = math.cos(v)
    sv = math.sin(v)
    r = par[0] + minor * cu
    put_point(
        out,
        (r * cv, r * sv, minor * su),
        (-minor * su * cv, -minor * su * sv, minor * cu),
        (-r * sv, r * cv, 0.0),
    )
    n = (cu * cv, cu * sv, su)
    n_u = (-su * cv, -su * sv, cu)
    n_v = (-cu * sv, cu * cv, 0.0)
    for d in range(3):
        out[NORMAL + d] = side * n[d]
        out[NORMAL_U + d] = side * n_u[d]
        out[NORMAL_V + d] = side * n_v[d]


class Torus(ParametricSurface):
    """A ring about z: ``major`` [m] is the radius of the tube's middle line, ``minor`` [m] that of the tube.

    u in [0, 2π] goes round the tube, from its outer side upwards; v in [0, 2π] round the axis. ``u`` and ``v`` =
    (low, high) take a part of it.
    """

    kernel = torus

    def __init__(self, major: float, minor: float, *, u: Any = None, v: Any = None, inside: bool = False):
        owner = f"{self.label} surface"
        self.major, self.minor = positive(owner, "major", major), positive(owner, "minor", minor)
        if self.minor >= self.major:
            raise ModelError(f"{owner}: minor must be less than major = {self.major:g}, got {self.minor:g}")
        self.u, self.v, self.inside = u, v, inside
        take_parts(self, owner, u, v, TURN, ROUND, TURN, ROUND)
        self.numbers = (self.major, self.minor, checked_side(owner, inside))
