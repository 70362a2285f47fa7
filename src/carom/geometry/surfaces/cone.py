"""Lateral surface of a cone."""

from __future__ import annotations

import math

from carom.argument_checks import non_negative, positive, short_repr
from carom.errors import ModelError
from carom.geometry.surfaces.base import ParametricSurface, checked_side, surface_kernel
from carom.geometry.surfaces.gradient_normal import store_gradient_normal, store_point
from carom.geometry.surfaces.parameter_range import BORDERS, FULL_TURN, ROUND, set_ranges
from carom.kernels import FLOAT, record
from carom.typing import RangeLike

TIP_MARGIN = 1e-6
"""Ratio of the distance of the surface from a tip to its length [-]."""


PARAMS = record(
    radius=FLOAT,  # radius at u = 0 [m]
    slope=FLOAT,  # dr/du [-]
    side=FLOAT,  # 1.0, or −1.0 for the solid on the outside
)


@surface_kernel(PARAMS)
def cone(params, u, v, out):
    """Evaluate the lateral surface of a cone."""
    slope = params.slope
    r = params.radius + slope * u
    c = math.cos(v)
    s = math.sin(v)
    store_point(out, (r * c, r * s, u), (slope * c, slope * s, 1.0), (-r * s, r * c, 0.0))
    store_gradient_normal(params.side, out, (c, s, -slope), (0.0, 0.0, 0.0), (-s, c, 0.0))


class ConeSurface(ParametricSurface):
    """Lateral surface of a cone about z.

    It has ``bottom_radius`` at z = −``half_length`` and ``top_radius`` at z = +``half_length`` [m].
    u is the height z, v in [0, 2π] the angle; both ends are open. A tip is not a pole, since the normal is
    discontinuous there: the surface ends a millionth of its length before it, where its tangents still span a plane.
    ``u`` and ``v`` = (low, high) are sub-ranges.

    Examples
    --------
    >>> import carom as cm
    >>> surface = cm.surfaces.Cone(0.1, 0.05, half_length=0.2)
    >>> surface.point(0.0, 0.0).round(6).tolist()
    [0.075, 0.0, 0.0]
    """

    kernel = cone

    def __init__(
        self,
        bottom_radius: float,
        top_radius: float,
        half_length: float,
        *,
        u: RangeLike | None = None,
        v: RangeLike | None = None,
        inside: bool = False,
    ):
        owner = f"{self.label} surface"
        self.bottom_radius = non_negative(owner, "bottom_radius", bottom_radius)
        self.top_radius = non_negative(owner, "top_radius", top_radius)
        self.half_length = positive(owner, "half_length", half_length)
        if self.bottom_radius + self.top_radius == 0.0:
            raise ModelError(f"{owner}: bottom_radius and top_radius must not both be zero")
        self.u, self.v, self.inside = u, v, inside
        low, high = -self.half_length, self.half_length
        set_ranges(self, owner, u, v, (low, high), BORDERS, FULL_TURN, ROUND)
        short = 2.0 * TIP_MARGIN * self.half_length
        if self.bottom_radius == 0.0:
            low += short
        if self.top_radius == 0.0:
            high -= short
        self.u_range = (max(self.u_range[0], low), min(self.u_range[1], high))
        if not self.u_range[0] < self.u_range[1]:
            raise ModelError(f"{owner}: u must extend more than {short:g} m from the tip, got {short_repr(u)}")
        mean_radius = 0.5 * (self.bottom_radius + self.top_radius)
        slope = 0.5 * (self.top_radius - self.bottom_radius) / self.half_length
        self.parameters = (mean_radius, slope, checked_side(owner, inside))
