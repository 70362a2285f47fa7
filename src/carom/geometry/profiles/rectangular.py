"""Rectangles with rounded corners."""

from __future__ import annotations

import numpy as np

from carom.argument_checks import non_negative, positive
from carom.errors import ModelError
from carom.geometry.profiles.base import Profile


class RoundedRectangle(Profile):
    """Rectangle of ``width`` × ``height`` [m] about the origin, with corners of ``radius`` [m]; for `Polygon`.

    Examples
    --------
    >>> import carom as cm
    >>> block = cm.Body("block", mass=1.0, inertia=1e-3, position=(0.0, 0.05))
    >>> plate = cm.Polygon(block, cm.profiles.RoundedRectangle(0.04, 0.02, radius=0.003))
    >>> round(cm.closest(plate, cm.Plane(cm.System().ground)).gap, 9)
    0.04
    """

    def __init__(self, width: float, height: float, radius: float = 0.0):
        self.width, self.height = positive(self.label, "width", width), positive(self.label, "height", height)
        self.radius = non_negative(self.label, "radius", radius)
        if 2.0 * self.radius >= min(self.width, self.height):
            raise ModelError(
                f"{self.label}: radius must be below half of the smaller side, {0.5 * min(width, height):g} m, got "
                f"{radius:g}; use a Segment or a Sphere for round ends"
            )
        x, y = 0.5 * self.width - self.radius, 0.5 * self.height - self.radius
        self.points = np.array([(-x, -y), (x, -y), (x, y), (-x, y)])
        self.corners = (0, 1, 2, 3)
