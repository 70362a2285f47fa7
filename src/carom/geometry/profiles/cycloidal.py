"""Discs of cycloidal drives."""

from __future__ import annotations

import math

import numpy as np

from carom.argument_checks import integer, non_negative, positive
from carom.errors import ModelError
from carom.geometry.profiles.base import OutlineBuilder, Profile

MAX_PINS = 200
"""Largest number of pins."""
POINTS_PER_LOBE = 32
"""Points of the outline per lobe."""


class CycloidDisc(Profile):
    """Disc of a cycloidal drive that rolls in ``pins`` pins of ``pin_radius`` [m] on a circle of ``ring_radius`` [m].

    It has one lobe less than there are pins. Its axis runs around that of the ring at ``eccentricity`` e [m]; per turn
    of the shaft the disc turns back by one lobe. The outline is the curve parallel to the epitrochoid through the
    centres of the pins, smaller by the pin radius and the ``clearance`` [m].

    Examples
    --------
    >>> import carom as cm
    >>> disc = cm.profiles.CycloidDisc(11, 0.05, pin_radius=0.005, eccentricity=0.002)
    >>> disc.lobes
    10
    """

    def __init__(self, pins: int, ring_radius: float, pin_radius: float, eccentricity: float, clearance: float = 0.0):
        self.pins = integer(self.label, "pins", pins, 4, MAX_PINS)
        self.lobes = self.pins - 1
        self.ring_radius = positive(self.label, "ring_radius", ring_radius)
        self.pin_radius = positive(self.label, "pin_radius", pin_radius)
        self.eccentricity = positive(self.label, "eccentricity", eccentricity)
        self.clearance = non_negative(self.label, "clearance", clearance)
        if self.eccentricity * self.pins >= self.ring_radius:
            raise ModelError(
                f"{self.label}: eccentricity must be below ring_radius/pins = {self.ring_radius / self.pins:g} m, got "
                f"{eccentricity:g}"
            )
        t = np.linspace(0.0, 2.0 * math.pi, self.lobes * POINTS_PER_LOBE, endpoint=False)
        z, e, r, n = self.ring_radius, self.eccentricity, self.pin_radius + self.clearance, self.pins
        x1, y1 = -z * np.sin(t) + n * e * np.sin(n * t), z * np.cos(t) - n * e * np.cos(n * t)
        x2, y2 = -z * np.cos(t) + n * n * e * np.cos(n * t), -z * np.sin(t) + n * n * e * np.sin(n * t)
        speed = np.hypot(x1, y1)
        curvature = (x1 * y2 - y1 * x2) / speed**3
        if np.any(r * curvature >= 1.0):
            raise ModelError(f"{self.label}: the pins undercut the lobes; reduce pin_radius or eccentricity")
        normal = np.column_stack([y1, -x1]) / speed[:, None]
        centres = np.column_stack([z * np.cos(t) - e * np.cos(n * t), z * np.sin(t) - e * np.sin(n * t)])
        outline = OutlineBuilder()
        outline.points = [(float(x), float(y)) for x, y in centres - r * normal]
        self._set_outline(outline)
