"""Tori."""

from __future__ import annotations

import math

import numpy as np

from carom.argument_checks import positive
from carom.errors import ModelError
from carom.geometry.bounding_box import BoundingBox, circle_half_sides, unbounded
from carom.geometry.bounding_sphere import BoundingSphere
from carom.geometry.shapes.base import (
    UP,
    RevolvedShape,
)
from carom.geometry.tessellation import (
    CIRCLE_SEGMENTS,
    Triangles,
    revolved_triangles,
)
from carom.kernels import record
from carom.typing import BodyLike, PointLike, VectorLike

TORUS = record("ox oy oz  ux uy uz  radius tube_radius")
"""Centre [m], unit vector along the axis, radius of the circle, radius of the tube [m] (negative for a cavity)."""


class Torus(RevolvedShape):
    """Torus: a tube of ``tube_radius`` [m] about the circle of ``radius`` [m] around ``axis`` through ``at`` [m].

    ``inside=True`` is the cavity of the tube. ``signed_radius`` [m] is that of the tube, negative for a cavity.

    Examples
    --------
    >>> import carom as cm
    >>> ball = cm.Body("ball", mass=1.0, position=(0.0, 0.0, 1.0))
    >>> ring = cm.Torus(cm.System(dim=3).ground, radius=0.5, tube_radius=0.1)
    >>> ring.radius, ring.tube_radius
    (0.5, 0.1)
    """

    kind = "Torus"

    def __init__(
        self,
        body: BodyLike,
        at: PointLike = (0.0, 0.0, 0.0),
        axis: VectorLike = UP,
        radius: float | None = None,
        tube_radius: float | None = None,
        inside: bool = False,
    ):
        super().__init__(body, at, axis, inside)
        self.radius = positive(self.label, "radius", radius)
        self.tube_radius = positive(self.label, "tube_radius", tube_radius)
        if self.tube_radius > self.radius:
            raise ModelError(
                f"{self.label}: tube_radius must not be larger than radius, got {self.tube_radius:g} > {self.radius:g}"
            )
        self.parameters = (*self.at, *self.axis, self.radius, self.signed_radius)

    @property
    def signed_radius(self) -> float:
        """Radius of the tube [m], negative for a cavity."""
        return -self.tube_radius if self.inside else self.tube_radius

    def bounding_sphere(self) -> BoundingSphere | None:
        """Return a sphere that contains the shape."""
        return None if self.inside else (self.at, self.radius + self.tube_radius)

    def bounding_box(self) -> BoundingBox:
        """Return centre and half sides of the box around the shape [m]."""
        half = self.radius * circle_half_sides(self.axis) + self.tube_radius
        return unbounded() if self.inside else (np.array(self.at), half)

    def triangles(self, extent: float = 1.0) -> Triangles:
        """Return the triangles of the surface."""
        angle = np.linspace(0.0, 2.0 * math.pi, CIRCLE_SEGMENTS // 2 + 1)
        radius = self.radius + self.tube_radius * np.cos(angle)
        return revolved_triangles(self.at, self.axis, radius, self.tube_radius * np.sin(angle))

    def outline(self, n: int = 64) -> np.ndarray:
        """Return points along the largest circle [m]."""
        rim = np.full(n, self.radius + self.tube_radius)
        return self._points_around(np.linspace(0.0, 2.0 * math.pi, n), rim, np.zeros(n))
