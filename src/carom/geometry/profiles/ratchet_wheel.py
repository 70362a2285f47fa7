"""Ratchet wheels and pawls."""

from __future__ import annotations

import math

import numpy as np

from carom.argument_checks import finite_float, integer, positive
from carom.errors import ModelError
from carom.geometry.profiles.base import OutlineBuilder, Profile, polar

MAX_TEETH = 500
"""Largest number of teeth."""


class Ratchet(Profile):
    """Ratchet wheel with ``teeth`` teeth between ``root_radius`` and ``tip_radius`` [m], about the origin.

    A pawl that rests on its teeth lets it turn counterclockwise and holds it clockwise: the steep faces look clockwise.
    ``undercut`` [rad] is their inclination to the radius, which draws the pawl in. A tip lies on the x-axis.

    Examples
    --------
    >>> import carom as cm
    >>> wheel = cm.profiles.Ratchet(12, 0.04, 0.05)
    >>> len(wheel.points)
    24
    """

    def __init__(self, teeth: int, root_radius: float, tip_radius: float, undercut: float = 0.1):
        self.teeth = integer(self.label, "teeth", teeth, 3, MAX_TEETH)
        self.root_radius = positive(self.label, "root_radius", root_radius)
        self.tip_radius = positive(self.label, "tip_radius", tip_radius)
        self.undercut = finite_float(self.label, "undercut", undercut)
        if self.root_radius >= self.tip_radius:
            raise ModelError(
                f"{self.label}: tip_radius must exceed root_radius, got {tip_radius:g} and {root_radius:g}"
            )
        pitch = 2.0 * math.pi / self.teeth
        self.shift = (self.tip_radius / self.root_radius - 1.0) * math.tan(self.undercut)
        if not -0.5 * pitch < self.shift < 0.5 * pitch:
            raise ModelError(f"{self.label}: undercut {undercut:g} rad is too large for {self.teeth} teeth; reduce it")
        outline = OutlineBuilder()
        outline.corner(polar(self.root_radius, self.shift))
        outline.corner(polar(self.tip_radius, 0.0))
        outline.repeat(self.teeth)
        self._set_outline(outline)


class Pawl(Profile):
    """Pawl of ``length`` [m] and ``width`` [m] from its pivot at the origin along x, with a nose of ``angle`` [rad].

    The tip of the nose is at (length, 0); the pawl lies below it.
    Below a `Ratchet`, along x from its pivot, it holds the wheel clockwise.

    Examples
    --------
    >>> import carom as cm
    >>> pawl = cm.profiles.Pawl(0.04, 0.006)
    >>> [round(float(part), 6) for part in pawl.points[0]]
    [0.04, 0.0]
    """

    def __init__(self, length: float, width: float, angle: float = math.radians(50.0)):
        self.length, self.width = positive(self.label, "length", length), positive(self.label, "width", width)
        self.angle = positive(self.label, "angle", angle)
        if self.angle >= 0.5 * math.pi or self.width / math.tan(self.angle) >= self.length:
            raise ModelError(f"{self.label}: angle must be below π/2 rad and the nose shorter than the pawl")
        back = self.length - self.width / math.tan(self.angle)
        half, low = -0.5 * self.width, -self.width
        self.points = np.array([(self.length, 0.0), (back, half), (0.0, half), (0.0, low), (self.length, low)])
        self.corners = tuple(range(len(self.points)))
