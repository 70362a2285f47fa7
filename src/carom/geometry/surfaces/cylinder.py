"""Lateral surface of a cylinder: a cone without slope."""

from __future__ import annotations

from carom.argument_checks import positive
from carom.geometry.surfaces.base import ParametricSurface, checked_side
from carom.geometry.surfaces.cone import cone
from carom.geometry.surfaces.parameter_range import BORDERS, FULL_TURN, ROUND, set_ranges
from carom.typing import RangeLike


class CylinderSurface(ParametricSurface):
    """Lateral surface of a cylinder of ``radius`` about z, from z = −``half_length`` to +``half_length`` [m].

    u is the height z, with open ends; v in [0, 2π] the angle. ``u`` and ``v`` = (low, high) are sub-ranges.

    Examples
    --------
    >>> import carom as cm
    >>> surface = cm.surfaces.Cylinder(0.1, half_length=0.2)
    >>> surface.point(0.0, 0.0).round(6).tolist()
    [0.1, 0.0, 0.0]
    """

    kernel = cone

    def __init__(
        self,
        radius: float,
        half_length: float,
        *,
        u: RangeLike | None = None,
        v: RangeLike | None = None,
        inside: bool = False,
    ):
        owner = f"{self.label} surface"
        self.radius, self.half_length = positive(owner, "radius", radius), positive(owner, "half_length", half_length)
        self.u, self.v, self.inside = u, v, inside
        set_ranges(self, owner, u, v, (-self.half_length, self.half_length), BORDERS, FULL_TURN, ROUND)
        self.parameters = (self.radius, 0.0, checked_side(owner, inside))
