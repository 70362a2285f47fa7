"""Thin discs."""

from __future__ import annotations

import math

import numpy as np

from carom.argument_checks import positive
from carom.geometry.bounding_box import BoundingBox, circle_half_sides
from carom.geometry.bounding_sphere import BoundingSphere
from carom.geometry.convex.convex_shape import ConvexShape
from carom.geometry.convex.support import FRUSTUM
from carom.geometry.rotation import frame_along
from carom.geometry.shapes.base import (
    UP,
    ThinShape,
    edges_renamed,
)
from carom.geometry.tessellation import (
    Triangles,
    revolved_triangles,
)
from carom.kernels import record
from carom.typing import BodyLike, EdgeContact, PointLike, VectorLike

DISC = record("ox oy oz  ux uy uz  radius  ignores_edges")
"""Centre [m], unit vector along its axis, radius [m]; 1.0 if the rim does not touch."""


class Disc(ThinShape):
    """Disc of ``radius`` [m] about ``at`` [m], perpendicular to ``axis`` (default z); without thickness.

    ``edges="ignore"``: its rim does not touch.

    Examples
    --------
    >>> import carom as cm
    >>> ball = cm.Body("ball", mass=1.0, position=(0.0, 0.0, 1.0))
    >>> plate = cm.Disc(cm.System(dim=3).ground, at=(0, 0, 0), axis=(0, 0, 1), radius=0.5)
    >>> cm.closest(cm.Sphere(ball, 0.1), plate).gap
    0.9
    """

    kind = "Disc"

    @edges_renamed
    def __init__(
        self,
        body: BodyLike,
        at: PointLike = (0.0, 0.0, 0.0),
        axis: VectorLike = UP,
        radius: float | None = None,
        edges: EdgeContact = "contact",
    ):
        super().__init__(body)
        self.at = self._point("at", at)
        self.axis = self.normal = self._direction("axis", axis)
        self.radius = positive(self.label, "radius", radius)
        self.parameters = (*self.at, *self.axis, self.radius, self._set_edges(edges))

    def convex(self) -> ConvexShape | None:
        """Return the shape as the kernels of convex shapes see it; None if it is not convex."""
        size = (self.radius, self.radius, 0.0)
        return ConvexShape(FRUSTUM, self.at, self.radius, frame_along(self.axis), size)

    def bounding_sphere(self) -> BoundingSphere | None:
        """Return a sphere that contains the shape."""
        return (self.at, self.radius)

    def bounding_box(self) -> BoundingBox:
        """Return centre and half sides of the box around the shape [m]."""
        return np.array(self.at), self.radius * circle_half_sides(self.axis)

    def triangles(self, extent: float = 1.0) -> Triangles:
        """Return the triangles of the surface."""
        return revolved_triangles(self.at, self.axis, np.array([0.0, self.radius]), np.zeros(2))

    def outline(self, n: int = 64) -> np.ndarray:
        """Return points along its rim [m]."""
        turn = np.linspace(0.0, 2.0 * math.pi, n)
        frame = frame_along(self.axis)
        circle = np.cos(turn)[:, None] * frame[:, 0] + np.sin(turn)[:, None] * frame[:, 1]
        return np.array(self.at) + self.radius * circle
