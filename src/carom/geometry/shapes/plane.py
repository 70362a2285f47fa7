"""Infinite planes."""

from __future__ import annotations

import math
from functools import cached_property

import numpy as np

from carom.argument_checks import unit_vector
from carom.geometry.drawing import DrawnShape
from carom.geometry.planar_outline import half_plane_parameters
from carom.geometry.shapes.base import (
    CONTOUR_POINTS,
    Shape,
    planar_perpendicular,
)
from carom.geometry.tessellation import (
    Triangles,
    square_triangles,
)
from carom.kernels import record
from carom.typing import BodyLike, PointLike, VectorLike

PLANE = record("px py pz  nx ny nz")
"""Point of the plane [m] and outward unit normal."""


class Plane(Shape):
    """Infinite plane through ``at`` [m] with outward ``normal`` (default y in 2D, z in 3D).

    The half-space behind it is solid.

    Examples
    --------
    >>> import carom as cm
    >>> ball = cm.Body("ball", mass=1.0, position=(0.0, 1.0))
    >>> floor = cm.Plane(cm.System().ground, at=(0.0, 0.0), normal=(0.0, 1.0))
    >>> cm.closest(cm.Sphere(ball, 0.1), floor).gap
    0.9
    """

    kind = "Plane"
    signed_radius = math.inf

    def __init__(self, body: BodyLike, at: PointLike = (0.0, 0.0), normal: VectorLike | None = None):
        super().__init__(body)
        if normal is None:
            normal = (0.0, 1.0) if self.planar else (0.0, 0.0, 1.0)
        self.at = self._point("at", at)
        x, y, z = unit_vector(self.label, "normal", self._point("normal", normal), 3)
        self.normal = (x, y, z)
        self.parameters = (*self.at, *self.normal)

    @cached_property
    def outline_parameters(self) -> tuple[float, ...]:
        """Its line in the xy-plane as one straight side, as pair kernels read it."""
        return half_plane_parameters(self.at[:2], self.normal[:2])

    def triangles(self, extent: float = 1.0) -> Triangles:
        """Return the triangles of a square of side ``extent`` [m]."""
        return square_triangles(self.at, self.normal, extent)

    def drawing(self) -> DrawnShape:
        """Return the shape as plain numbers for drawings."""
        if not self.planar:
            return self._drawing(at=self.at, normal=self.normal)
        line = self.outline(CONTOUR_POINTS)[:, :2]
        return self._drawing(at=self.at, normal=self.normal, line=line, extent_points=np.zeros((0, 2)))

    def outline(self, n: int = 64, extent: float = 20.0) -> np.ndarray:
        """Return a part of its line in the xy-plane, ``extent`` [m] long, with the solid on the right [m]."""
        tangent = np.array(planar_perpendicular((0.0, 0.0, 0.0), self.normal))
        return self._in_body_dimension(np.array(self.at) - np.linspace(-0.5, 0.5, n)[:, None] * extent * tangent)
