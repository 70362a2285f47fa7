"""Spheres and spherical cavities."""

from __future__ import annotations

import math
from functools import cached_property

import numpy as np

from carom.argument_checks import boolean, positive
from carom.geometry.bounding_box import BoundingBox, unbounded
from carom.geometry.bounding_sphere import BoundingSphere
from carom.geometry.convex.convex_shape import ConvexShape
from carom.geometry.convex.support import POINT
from carom.geometry.drawing import DrawnShape
from carom.geometry.planar_outline import disc_parameters
from carom.geometry.shapes.base import (
    CONTOUR_POINTS,
    Shape,
)
from carom.geometry.tessellation import (
    Triangles,
    sphere_triangles,
)
from carom.kernels import record
from carom.typing import BodyLike, PointLike

SPHERE = record("cx cy cz  radius")
"""Centre and radius [m], which is negative for a cavity."""


class SphericalShape(Shape):
    """Sphere of ``radius`` [m] about ``at`` [m], also with a radius of zero; kernel parameters `SPHERE`."""

    kind = "Sphere"

    at: tuple[float, float, float]
    radius: float
    inside: bool

    @property
    def is_centred_sphere(self) -> bool:
        """True for a solid sphere about the centre of mass of its body."""
        return not self.inside and not any(self.at)

    @property
    def moves_with_rotation(self) -> bool:
        """True unless the centre is the centre of mass of its body."""
        return any(self.at)

    def convex(self) -> ConvexShape | None:
        """Return the shape as the kernels of convex shapes see it; None if it is not convex."""
        return None if self.inside else ConvexShape(POINT, self.at, extent=0.0, radius=self.radius)

    def bounding_sphere(self) -> BoundingSphere | None:
        """Return a sphere that contains the shape."""
        return None if self.inside else (self.at, self.radius)

    def bounding_box(self) -> BoundingBox:
        """Return centre and half sides of the box around the shape [m]."""
        return unbounded() if self.inside else (np.array(self.at), np.full(3, self.radius))

    @cached_property
    def outline_parameters(self) -> tuple[float, ...]:
        """Its centre as a corner with normals of all directions, as pair kernels read it."""
        return disc_parameters(self.at[0], self.at[1], self.radius)

    def triangles(self, extent: float = 1.0) -> Triangles:
        """Return the triangles of the surface."""
        return sphere_triangles(self.at, self.radius)

    def drawing(self) -> DrawnShape:
        """Return the shape as plain numbers for drawings."""
        if not self.planar:
            return self._drawing(at=self.at, radius=self.radius)
        line, centre = self.outline(CONTOUR_POINTS)[:, :2], np.array([self.at[:2]])
        return self._drawing(at=self.at, radius=self.radius, line=line, extent_points=centre)


class Sphere(SphericalShape):
    """Sphere, in 2D a disc, of ``radius`` [m] about ``at`` [m]; ``inside=True`` is a spherical cavity.

    ``signed_radius`` [m] is negative for a cavity, as in Hertz's theory.

    Examples
    --------
    >>> import carom as cm
    >>> ball = cm.Body("ball", mass=1.0, position=(0.0, 1.0))
    >>> cm.Sphere(ball, radius=0.1), cm.Sphere(ball, radius=0.1, inside=True).signed_radius
    (<Sphere on 'ball': radius=0.1>, -0.1)
    """

    def __init__(self, body: BodyLike, radius: float, at: PointLike = (0.0, 0.0), inside: bool = False):
        super().__init__(body)
        self.radius = positive(self.label, "radius", radius)
        self.at = self._point("at", at)
        self.inside = boolean(self.label, "inside", inside)
        self.parameters = (*self.at, self.signed_radius)

    @property
    def signed_radius(self) -> float:
        """Radius [m], negative for a cavity."""
        return -self.radius if self.inside else self.radius

    @property
    def solid_sphere_radius(self) -> float | None:
        """Radius [m]; None for a cavity."""
        return None if self.inside else self.radius

    def outline(self, n: int = 64) -> np.ndarray:
        """Return a closed circle [m]."""
        turn = np.linspace(0.0, 2.0 * math.pi, n)
        circle = np.column_stack([np.cos(turn), np.sin(turn), np.zeros(n)])
        return self._in_body_dimension(np.array(self.at) + self.radius * circle)
