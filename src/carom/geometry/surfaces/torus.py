"""Torus as a parametric surface."""

from __future__ import annotations

import math

from carom.argument_checks import positive
from carom.errors import ModelError
from carom.geometry.surfaces.base import ParametricSurface, checked_side, surface_kernel
from carom.geometry.surfaces.gradient_normal import store_point, store_unit_normal
from carom.geometry.surfaces.parameter_range import FULL_TURN, ROUND, set_ranges
from carom.kernels import FLOAT, record
from carom.typing import RangeLike

PARAMS = record(
    major=FLOAT,  # radius of the middle line of the tube [m]
    minor=FLOAT,  # radius of the tube [m]
    side=FLOAT,  # 1.0, or −1.0 for the solid on the outside
)


@surface_kernel(PARAMS)
def torus(params, u, v, out):
    """Evaluate a torus."""
    minor = params.minor
    cu = math.cos(u)
    su = math.sin(u)
    cv = math.cos(v)
    sv = math.sin(v)
    r = params.major + minor * cu
    store_point(
        out,
        (r * cv, r * sv, minor * su),
        (-minor * su * cv, -minor * su * sv, minor * cu),
        (-r * sv, r * cv, 0.0),
    )
    store_unit_normal(
        params.side, out, (cu * cv, cu * sv, su), (-su * cv, -su * sv, cu), (-cu * sv, cu * cv, 0.0)
    )  # fmt: skip


class TorusSurface(ParametricSurface):
    """Torus about z: ``major`` [m] is the radius of the middle line of the tube, ``minor`` [m] that of the tube.

    u in [0, 2π] is the angle about the middle line, from the outer side upwards; v in [0, 2π] that about the axis.
    ``u`` and ``v`` = (low, high) are sub-ranges.

    Examples
    --------
    >>> import carom as cm
    >>> surface = cm.surfaces.Torus(major=0.2, minor=0.05)
    >>> surface.point(0.0, 0.0).round(6).tolist()
    [0.25, 0.0, 0.0]
    """

    kernel = torus

    def __init__(
        self,
        major: float,
        minor: float,
        *,
        u: RangeLike | None = None,
        v: RangeLike | None = None,
        inside: bool = False,
    ):
        owner = f"{self.label} surface"
        self.major, self.minor = positive(owner, "major", major), positive(owner, "minor", minor)
        if self.minor >= self.major:
            raise ModelError(f"{owner}: minor must be less than major = {self.major:g}, got {self.minor:g}")
        self.u, self.v, self.inside = u, v, inside
        set_ranges(self, owner, u, v, FULL_TURN, ROUND, FULL_TURN, ROUND)
        self.parameters = (self.major, self.minor, checked_side(owner, inside))
