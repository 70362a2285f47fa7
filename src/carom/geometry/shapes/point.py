"""Points."""

from __future__ import annotations

import numpy as np

from carom.geometry.shapes.sphere import SphericalShape
from carom.typing import BodyLike, PointLike


class Point(SphericalShape):
    """Point at ``at`` [m]: a sphere without radius.

    Examples
    --------
    >>> import carom as cm
    >>> ball = cm.Body("ball", mass=1.0, position=(0.0, 1.0))
    >>> cm.closest(cm.Point(ball), cm.Plane(cm.System().ground, (0, 0), (0, 1))).gap
    1.0
    """

    radius = 0.0
    signed_radius = 0.0
    inside = False

    def __init__(self, body: BodyLike, at: PointLike = (0.0, 0.0)):
        super().__init__(body)
        self.at = self._point("at", at)
        self.parameters = (*self.at, 0.0)

    def outline(self, n: int = 64) -> np.ndarray:
        """Return the point, ``n`` times [m]."""
        return self._in_body_dimension(np.tile(self.at, (n, 1)))
