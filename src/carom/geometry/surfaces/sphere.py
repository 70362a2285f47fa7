"""Sphere as a parametric surface."""

from __future__ import annotations

import math

from carom.argument_checks import positive
from carom.geometry.surfaces.base import ParametricSurface, checked_side, surface_kernel
from carom.geometry.surfaces.gradient_normal import store_point, store_unit_normal
from carom.geometry.surfaces.parameter_range import FULL_TURN, LATITUDES, POLES, ROUND, set_ranges
from carom.kernels import FLOAT, record
from carom.typing import RangeLike

PARAMS = record(
    radius=FLOAT,  # [m]
    side=FLOAT,  # 1.0, or −1.0 for the solid on the outside
)


@surface_kernel(PARAMS)
def sphere(params, u, v, out):
    """Evaluate a sphere."""
    radius = params.radius
    cu = math.cos(u)
    su = math.sin(u)
    cv = math.cos(v)
    sv = math.sin(v)
    n = (cu * cv, cu * sv, su)
    n_u = (-su * cv, -su * sv, cu)
    n_v = (-cu * sv, cu * cv, 0.0)
    store_point(
        out,
        (radius * n[0], radius * n[1], radius * n[2]),
        (radius * n_u[0], radius * n_u[1], radius * n_u[2]),
        (radius * n_v[0], radius * n_v[1], radius * n_v[2]),
    )
    store_unit_normal(params.side, out, n, n_u, n_v)


class SphereSurface(ParametricSurface):
    """Sphere s = R (cos u cos v, cos u sin v, sin u) of ``radius`` R [m].

    u in [−π/2, π/2] is the latitude, v in [0, 2π] the longitude; ``u`` and ``v`` = (low, high) are sub-ranges.

    Examples
    --------
    >>> import carom as cm
    >>> surface = cm.surfaces.Sphere(0.1)
    >>> surface.point(0.0, 0.0).round(6).tolist()
    [0.1, 0.0, 0.0]
    """

    kernel = sphere

    def __init__(self, radius: float, *, u: RangeLike | None = None, v: RangeLike | None = None, inside: bool = False):
        owner = f"{self.label} surface"
        self.radius = positive(owner, "radius", radius)
        self.u, self.v, self.inside = u, v, inside
        set_ranges(self, owner, u, v, LATITUDES, POLES, FULL_TURN, ROUND)
        self.parameters = (self.radius, checked_side(owner, inside))
