"""Triangles."""

from __future__ import annotations

import math

import numpy as np

from carom.errors import ModelError
from carom.geometry.bounding_box import BoundingBox, box_around
from carom.geometry.bounding_sphere import BoundingSphere, sphere_around
from carom.geometry.convex.convex_shape import ConvexShape, polytope_tables
from carom.geometry.convex.support import POLYTOPE
from carom.geometry.shapes.base import (
    ThinShape,
    edges_renamed,
    polygon_outline,
)
from carom.geometry.tessellation import (
    Triangles,
    polygon_triangles,
)
from carom.kernels import record
from carom.typing import BodyLike, EdgeContact, PointLike

MIN_HEIGHT_RATIO = 1e-12
"""Ratio of the height of a triangle to its longest side below which it is a line [-]."""

TRIANGLE = record("ax ay az  bx by bz  cx cy cz  nx ny nz  ignores_edges")
"""Corners [m], unit normal; 1.0 if sides and corners do not touch."""


class Triangle(ThinShape):
    """Triangle with the corners ``a``, ``b`` and ``c`` [m], counterclockwise about its ``normal``.

    ``edges="ignore"``: its sides and corners do not touch.

    Examples
    --------
    >>> import carom as cm
    >>> ball = cm.Body("ball", mass=1.0, position=(0.0, 0.0, 1.0))
    >>> face = cm.Triangle(cm.System(dim=3).ground, (-1, -1, 0), (1, -1, 0), (0, 1, 0))
    >>> cm.closest(cm.Sphere(ball, 0.1), face).gap
    0.9
    """

    kind = "Triangle"

    @edges_renamed
    def __init__(self, body: BodyLike, a: PointLike, b: PointLike, c: PointLike, edges: EdgeContact = "contact"):
        super().__init__(body)
        self.a, self.b, self.c = self._point("a", a), self._point("b", b), self._point("c", c)
        corners = np.array([self.a, self.b, self.c])
        longest = max(math.dist(self.a, self.b), math.dist(self.b, self.c), math.dist(self.c, self.a))
        product = np.cross((corners[1] - corners[0]) / (longest or 1.0), (corners[2] - corners[0]) / (longest or 1.0))
        height = float(np.linalg.norm(product))
        if height <= MIN_HEIGHT_RATIO:
            raise ModelError(
                f"{self.label}: the corners must not lie on one line, got a = {self.a}, b = {self.b}, c = {self.c}"
            )
        x, y, z = (float(part) for part in product / height)
        self.normal = (x, y, z)
        self.parameters = (*self.a, *self.b, *self.c, *self.normal, self._set_edges(edges))

    def convex(self) -> ConvexShape | None:
        """Return the shape as the kernels of convex shapes see it; None if it is not convex."""
        corners, normal = np.array([self.a, self.b, self.c]), np.array(self.normal)
        centre = corners.mean(axis=0)
        tables = polytope_tables(corners - centre, [[0, 1, 2], [0, 2, 1]], np.array([normal, -normal]))
        extent = float(np.linalg.norm(corners - centre, axis=1).max())
        return ConvexShape(POLYTOPE, centre, extent, polytope=tables)

    def bounding_sphere(self) -> BoundingSphere | None:
        """Return a sphere that contains the shape."""
        return sphere_around([self.a, self.b, self.c])

    def bounding_box(self) -> BoundingBox:
        """Return centre and half sides of the box around the shape [m]."""
        return box_around([self.a, self.b, self.c])

    def triangles(self, extent: float = 1.0) -> Triangles:
        """Return the triangles of the surface."""
        return polygon_triangles(self.a, self.b, self.c)

    def outline(self, n: int = 64) -> np.ndarray:
        """Return points along its sides [m]."""
        return polygon_outline(np.array([self.a, self.b, self.c]), n)
