"""Cones, solid or as a thin shell."""

from __future__ import annotations

import math

import numpy as np

from carom.argument_checks import non_negative, positive
from carom.errors import ModelError
from carom.geometry.bounding_box import BoundingBox, circle_half_sides
from carom.geometry.bounding_sphere import BoundingSphere
from carom.geometry.convex.convex_shape import ConvexShape
from carom.geometry.convex.support import FRUSTUM
from carom.geometry.rotation import frame_along
from carom.geometry.shapes.base import (
    UP,
    RevolvedShape,
    edges_renamed,
)
from carom.geometry.tessellation import (
    Triangles,
    revolved_triangles,
)
from carom.kernels import record
from carom.typing import BodyLike, EdgeContact, PointLike, VectorLike

CONE = record("ox oy oz  ux uy uz  start_radius end_radius half_length  is_shell  ignores_edges")
"""Middle of the axis [m], unit vector along it, radii at −half_length and +half_length [m]; 1.0 for a thin shell; 1.0
if the rims do not touch. A cylinder has two equal radii."""


class Cone(RevolvedShape):
    """Cone with ``radius`` [m] at −``half_length`` [m] and ``end_radius`` [m] at +``half_length`` along ``axis``.

    ``at`` [m] is the middle of its axis. It is solid, with two end faces; ``inside=True`` is the lateral surface alone,
    a thin shell with open ends. ``edges="ignore"``: its rims do not touch.

    Examples
    --------
    >>> import carom as cm
    >>> ball = cm.Body("ball", mass=1.0, position=(0.0, 0.0, 1.0))
    >>> spike = cm.Cone(cm.System(dim=3).ground, radius=0.2, half_length=0.5)
    >>> round(cm.closest(cm.Sphere(ball, 0.1), spike).gap, 6)
    0.4
    """

    kind = "Cone"

    @edges_renamed
    def __init__(
        self,
        body: BodyLike,
        at: PointLike = (0.0, 0.0, 0.0),
        axis: VectorLike = UP,
        radius: float | None = None,
        half_length: float | None = None,
        end_radius: float = 0.0,
        inside: bool = False,
        edges: EdgeContact = "contact",
    ):
        super().__init__(body, at, axis, inside)
        self.radius = non_negative(self.label, "radius", radius)
        self.end_radius = non_negative(self.label, "end_radius", end_radius)
        if self.radius + self.end_radius == 0.0:
            raise ModelError(f"{self.label}: radius and end_radius must not both be zero")
        self.half_length = positive(self.label, "half_length", half_length)
        self.thin = self.inside
        self.parameters = (
            *self.at, *self.axis, self.radius, self.end_radius, self.half_length, float(self.inside),
            self._set_edges(edges),
        )  # fmt: skip

    def convex(self) -> ConvexShape | None:
        """Return the shape as the kernels of convex shapes see it; None if it is not convex."""
        if self.inside:
            return None
        size = (self.radius, self.end_radius, self.half_length)
        extent = math.hypot(max(self.radius, self.end_radius), self.half_length)
        return ConvexShape(FRUSTUM, self.at, extent, frame_along(self.axis), size)

    def bounding_sphere(self) -> BoundingSphere | None:
        """Return a sphere that contains the shape."""
        return (self.at, math.hypot(max(self.radius, self.end_radius), self.half_length))

    def bounding_box(self) -> BoundingBox:
        """Return centre and half sides of the box around the shape [m]."""
        radius = max(self.radius, self.end_radius)
        return np.array(self.at), self.half_length * np.abs(np.array(self.axis)) + radius * circle_half_sides(self.axis)

    def triangles(self, extent: float = 1.0) -> Triangles:
        """Return the triangles of the surface."""
        half, first, last = self.half_length, self.radius, self.end_radius
        radius, height = np.array([first, last]), np.array([-half, half])
        if not self.inside:
            radius, height = np.array([0.0, first, last, 0.0]), np.array([-half, -half, half, half])
        return revolved_triangles(self.at, self.axis, radius, height)

    def outline(self, n: int = 64) -> np.ndarray:
        """Return points along both rims and a line of the side [m]."""
        one, other = 2.0 * math.pi * self.radius, 2.0 * math.pi * self.end_radius
        side = math.hypot(2.0 * self.half_length, self.end_radius - self.radius)
        corners = np.cumsum([0.0, one, side, other, side])
        arc_length = np.linspace(0.0, corners[-1], n)
        turn = np.interp(arc_length, corners, 2.0 * math.pi * np.array([0.0, 1.0, 1.0, 2.0, 2.0]))
        axial = np.interp(arc_length, corners, [-1.0, -1.0, 1.0, 1.0, -1.0])
        radius = 0.5 * ((1.0 - axial) * self.radius + (1.0 + axial) * self.end_radius)
        return self._points_around(turn, radius, axial * self.half_length)
