"""Rectangles."""

from __future__ import annotations

import math

import numpy as np

from carom.argument_checks import positive, short_repr
from carom.errors import ModelError
from carom.geometry.bounding_box import BoundingBox
from carom.geometry.bounding_sphere import BoundingSphere
from carom.geometry.convex.convex_shape import ConvexShape
from carom.geometry.convex.support import BOX
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
from carom.typing import BodyLike, EdgeContact, PointLike, VectorLike

MAX_COSINE = 1e-9
"""Largest cosine of the angle between the sides of a rectangle [-]."""

RECTANGLE = record("ox oy oz  ux uy uz  vx vy vz  nx ny nz  half_u half_v  ignores_edges")
"""Centre [m], unit vectors along its sides, unit normal, half sides [m]; 1.0 if sides and corners do not touch."""


class Rectangle(ThinShape):
    """Rectangle about ``at`` [m] with half sides ``half_u`` and ``half_v`` [m] along ``axis_u`` and ``axis_v``.

    Its ``normal`` is axis_u × axis_v. ``edges="ignore"``: its sides and corners do not touch.

    Examples
    --------
    >>> import carom as cm
    >>> ball = cm.Body("ball", mass=1.0, position=(0.0, 0.0, 1.0))
    >>> face = cm.Rectangle(cm.System(dim=3).ground, (0, 0, 0), (1, 0, 0), (0, 1, 0), half_u=1.0, half_v=2.0)
    >>> cm.closest(cm.Sphere(ball, 0.1), face).gap
    0.9
    """

    kind = "Rectangle"

    @edges_renamed
    def __init__(
        self,
        body: BodyLike,
        at: PointLike,
        axis_u: VectorLike,
        axis_v: VectorLike,
        half_u: float,
        half_v: float,
        edges: EdgeContact = "contact",
    ):
        super().__init__(body)
        self.at = self._point("at", at)
        u = np.array(self._direction("axis_u", axis_u))
        v = np.array(self._direction("axis_v", axis_v))
        if abs(u @ v) > MAX_COSINE:
            raise ModelError(
                f"{self.label}: axis_u and axis_v must be perpendicular, got {short_repr(axis_u)} and {axis_v!r}, "
                f"{math.degrees(math.acos(u @ v)):g}° apart"
            )
        normal = np.cross(u, v)
        normal /= np.linalg.norm(normal)
        self.axis_u, self.axis_v, self.normal = (
            (float(x), float(y), float(z)) for x, y, z in (u, np.cross(normal, u), normal)
        )
        self.half_u = positive(self.label, "half_u", half_u)
        self.half_v = positive(self.label, "half_v", half_v)
        self.parameters = (
            *self.at,
            *self.axis_u,
            *self.axis_v,
            *self.normal,
            self.half_u,
            self.half_v,
            self._set_edges(edges),
        )

    def convex(self) -> ConvexShape | None:
        """Return the shape as the kernels of convex shapes see it; None if it is not convex."""
        axes = np.column_stack([self.axis_u, self.axis_v, self.normal])
        size = (self.half_u, self.half_v, 0.0)
        return ConvexShape(BOX, self.at, math.hypot(*size), axes, size)

    def bounding_sphere(self) -> BoundingSphere | None:
        """Return a sphere that contains the shape."""
        return (self.at, math.hypot(self.half_u, self.half_v))

    def bounding_box(self) -> BoundingBox:
        """Return centre and half sides of the box around the shape [m]."""
        u, v = self.half_u * np.array(self.axis_u), self.half_v * np.array(self.axis_v)
        return np.array(self.at), np.abs(u) + np.abs(v)

    def triangles(self, extent: float = 1.0) -> Triangles:
        """Return the triangles of the surface."""
        at, u, v = np.array(self.at), self.half_u * np.array(self.axis_u), self.half_v * np.array(self.axis_v)
        return polygon_triangles(at - u - v, at + u - v, at + u + v, at - u + v)

    def outline(self, n: int = 64) -> np.ndarray:
        """Return points along its sides [m]."""
        u, v = self.half_u * np.array(self.axis_u), self.half_v * np.array(self.axis_v)
        return polygon_outline(self.at + np.array([-u - v, u - v, u + v, v - u]), n)
