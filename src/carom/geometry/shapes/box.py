"""Boxes."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from carom.argument_checks import positive, vector
from carom.geometry.bounding_box import BoundingBox
from carom.geometry.bounding_sphere import BoundingSphere
from carom.geometry.convex.convex_shape import ConvexShape
from carom.geometry.convex.support import BOX as BOX_CORE
from carom.geometry.rotation import matrix_of, rotation
from carom.geometry.shapes.base import (
    SpatialShape,
    polygon_outline,
)
from carom.geometry.tessellation import (
    Triangles,
    box_triangles,
)
from carom.kernels import record
from carom.typing import BodyLike, PointLike, VectorLike

BOX = record("ox oy oz  r11 r12 r13  r21 r22 r23  r31 r32 r33  half_x half_y half_z")
"""Centre [m], axes as columns of a rotation matrix, half sides [m]."""


class Box(SpatialShape):
    """Box about ``at`` [m] with half sides ``half`` = (hx, hy, hz) [m] along its axes.

    These are the body axes, rotated by ``orientation`` (as `Body.orientation`); ``axes`` has them as columns.

    Examples
    --------
    >>> import carom as cm
    >>> ball = cm.Body("ball", mass=1.0, position=(0.0, 0.0, 1.0))
    >>> block = cm.Box(cm.System(dim=3).ground, half=(0.5, 0.5, 0.2))
    >>> round(cm.closest(cm.Sphere(ball, 0.1), block).gap, 6)
    0.7
    """

    kind = "Box"
    inside = False
    signed_radius = math.inf

    def __init__(
        self,
        body: BodyLike,
        half: VectorLike,
        at: PointLike = (0.0, 0.0, 0.0),
        orientation: Sequence[float] | np.ndarray | None = None,
    ):
        super().__init__(body)
        x, y, z = vector(self.label, "half", half, 3)
        self.half = tuple(positive(self.label, f"half[{k}]", part) for k, part in enumerate((x, y, z)))
        self.at = self._point("at", at)
        value = (1.0, 0.0, 0.0, 0.0) if orientation is None else orientation
        self.orientation = rotation(self.label, "orientation", value)
        self.axes = matrix_of(self.orientation)
        self.parameters = (*self.at, *(float(part) for part in self.axes.ravel()), *self.half)

    @property
    def corners(self) -> np.ndarray:
        """Its eight corners [m] in body axes, each connected to the next by an edge."""
        signs = [(-1, -1, -1), (1, -1, -1), (1, 1, -1), (-1, 1, -1), (-1, 1, 1), (1, 1, 1), (1, -1, 1), (-1, -1, 1)]
        return np.array(self.at) + (np.array(signs) * self.half) @ self.axes.T

    def convex(self) -> ConvexShape | None:
        """Return the shape as the kernels of convex shapes see it; None if it is not convex."""
        return ConvexShape(BOX_CORE, self.at, math.hypot(*self.half), self.axes, self.half)

    def bounding_sphere(self) -> BoundingSphere | None:
        """Return a sphere that contains the shape."""
        return (self.at, math.hypot(*self.half))

    def bounding_box(self) -> BoundingBox:
        """Return centre and half sides of the box around the shape [m]."""
        return np.array(self.at), np.abs(self.axes) @ np.array(self.half)

    def triangles(self, extent: float = 1.0) -> Triangles:
        """Return the triangles of the surface."""
        return box_triangles(self.at, self.axes, self.half)

    def outline(self, n: int = 64) -> np.ndarray:
        """Return points along edges through all corners [m]."""
        return polygon_outline(self.corners, n)
