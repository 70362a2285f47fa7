"""Solid ellipsoids."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from carom.argument_checks import positive, vector
from carom.geometry.bounding_box import BoundingBox
from carom.geometry.bounding_sphere import BoundingSphere
from carom.geometry.convex.convex_shape import ConvexShape
from carom.geometry.convex.support import ELLIPSOID
from carom.geometry.rotation import matrix_of, rotation
from carom.geometry.shapes.base import SpatialShape
from carom.geometry.tessellation import Triangles, sphere_triangles
from carom.typing import BodyLike, PointLike, VectorLike


class Ellipsoid(SpatialShape):
    """Solid ellipsoid about ``at`` [m] with ``semi_axes`` = (a, b, c) [m] along its axes.

    These are the body axes, rotated by ``orientation`` (as `Body.orientation`); ``axes`` has them as columns.

    Examples
    --------
    >>> import carom as cm
    >>> egg = cm.Body("egg", mass=0.06, position=(0.0, 0.0, 1.0))
    >>> floor = cm.Plane(cm.System(dim=3).ground, at=(0, 0, 0), normal=(0, 0, 1))
    >>> round(cm.closest(cm.Ellipsoid(egg, (0.02, 0.02, 0.03)), floor).gap, 6)
    0.97
    """

    kind = "Ellipsoid"
    inside = False

    def __init__(
        self,
        body: BodyLike,
        semi_axes: VectorLike,
        at: PointLike = (0.0, 0.0, 0.0),
        orientation: Sequence[float] | np.ndarray | None = None,
    ):
        super().__init__(body)
        x, y, z = vector(self.label, "semi_axes", semi_axes, 3)
        self.semi_axes = tuple(positive(self.label, f"semi_axes[{k}]", part) for k, part in enumerate((x, y, z)))
        self.at = self._point("at", at)
        value = (1.0, 0.0, 0.0, 0.0) if orientation is None else orientation
        self.orientation = rotation(self.label, "orientation", value)
        self.axes = matrix_of(self.orientation)
        self.parameters = self.convex().numbers(0)

    @property
    def signed_radius(self) -> float:
        """Radius of the sphere of the same volume [m]."""
        return float(np.prod(self.semi_axes) ** (1.0 / 3.0))

    def convex(self) -> ConvexShape:
        """Return the shape as the kernels of convex shapes see it."""
        return ConvexShape(ELLIPSOID, self.at, max(self.semi_axes), self.axes, self.semi_axes)

    def bounding_sphere(self) -> BoundingSphere | None:
        """Return a sphere that contains the shape."""
        return (self.at, max(self.semi_axes))

    def bounding_box(self) -> BoundingBox:
        """Return centre and half sides of the box around the shape [m]."""
        return np.array(self.at), np.linalg.norm(self.axes * np.array(self.semi_axes), axis=1)

    def triangles(self, extent: float = 1.0) -> Triangles:
        """Return the triangles of the surface."""
        vertices, faces = sphere_triangles((0.0, 0.0, 0.0), 1.0)
        return np.array(self.at) + (np.asarray(vertices) * self.semi_axes) @ self.axes.T, faces

    def outline(self, n: int = 64) -> np.ndarray:
        """Return points along its three principal sections, one after the other [m]."""
        turn = np.linspace(0.0, 6.0 * math.pi, n)
        c, s, zero = np.cos(turn), np.sin(turn), np.zeros(n)
        section = np.minimum((turn / (2.0 * math.pi)).astype(int), 2)
        local = np.choose(section[:, None], [np.column_stack(p) for p in ((c, s, zero), (c, zero, s), (zero, c, s))])
        return np.array(self.at) + (local * self.semi_axes) @ self.axes.T
