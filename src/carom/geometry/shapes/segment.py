"""Straight segments and capsules."""

from __future__ import annotations

import math
from functools import cached_property

import numpy as np

from carom.argument_checks import non_negative
from carom.errors import ModelError
from carom.geometry.bounding_box import BoundingBox, box_around
from carom.geometry.bounding_sphere import BoundingSphere, sphere_around
from carom.geometry.convex.convex_shape import ConvexShape
from carom.geometry.convex.support import SEGMENT as SEGMENT_CORE
from carom.geometry.drawing import DrawnShape
from carom.geometry.planar_outline import outline_parameters
from carom.geometry.rotation import frame_along
from carom.geometry.shapes.base import (
    CONTOUR_POINTS,
    Shape,
    edges_renamed,
    planar_perpendicular,
)
from carom.geometry.spline import PiecewisePath
from carom.geometry.tessellation import (
    Triangles,
    capsule_triangles,
)
from carom.kernels import record
from carom.typing import BodyLike, EdgeContact, PointLike

SEGMENT = record("sx sy sz  ex ey ez  radius  ignores_edges")
"""Start, end and radius [m]; 1.0 if the ends do not touch."""


class Segment(Shape):
    """Straight segment from ``start`` to ``end`` [m]; with a ``radius`` [m] a capsule with round ends.

    ``edges="ignore"``: its ends do not touch.

    Examples
    --------
    >>> import carom as cm
    >>> ball = cm.Body("ball", mass=1.0, position=(0.0, 1.0))
    >>> cm.Segment(ball, start=(-0.5, 0.0), end=(0.5, 0.0), radius=0.05)
    <Segment on 'ball': start=(-0.5, 0), end=(0.5, 0), radius=0.05>
    """

    kind = "Segment"

    @edges_renamed
    def __init__(
        self, body: BodyLike, start: PointLike, end: PointLike, radius: float = 0.0, edges: EdgeContact = "contact"
    ):
        super().__init__(body)
        self.start = self._point("start", start)
        self.end = self._point("end", end)
        if self.start == self.end:
            raise ModelError(f"{self.label}: start and end must differ, got {self.start} twice")
        self.radius = non_negative(self.label, "radius", radius)
        self.thin = self.radius == 0.0
        self.parameters = (*self.start, *self.end, self.radius, self._set_edges(edges))

    @property
    def signed_radius(self) -> float:
        """Radius [m]."""
        return self.radius

    def convex(self) -> ConvexShape | None:
        """Return the shape as the kernels of convex shapes see it; None if it is not convex."""
        start, end = np.array(self.start), np.array(self.end)
        half = 0.5 * math.dist(start, end)
        axes = frame_along((end - start) / (2.0 * half))
        return ConvexShape(SEGMENT_CORE, 0.5 * (start + end), half, axes, (0.0, 0.0, half), self.radius)

    def bounding_sphere(self) -> BoundingSphere | None:
        """Return a sphere that contains the shape."""
        return sphere_around([self.start, self.end], self.radius)

    def bounding_box(self) -> BoundingBox:
        """Return centre and half sides of the box around the shape [m]."""
        return box_around([self.start, self.end], self.radius)

    @cached_property
    def outline_parameters(self) -> tuple[float, ...]:
        """Both sides of its line, as pair kernels read them."""
        path = PiecewisePath(self.label, [self.start[:2], self.end[:2]], True, corners=(0, 1))
        return outline_parameters(path, 1.0, path.pieces, self.radius, has_far_side=False)

    def triangles(self, extent: float = 1.0) -> Triangles:
        """Return the triangles of the surface."""
        return capsule_triangles(self.start, self.end, self.radius)

    def drawing(self) -> DrawnShape:
        """Return the shape as plain numbers for drawings."""
        if not self.planar:
            return super().drawing()
        line, ends = self.outline(CONTOUR_POINTS)[:, :2], np.array([self.start[:2], self.end[:2]])
        return self._drawing(radius=self.radius, line=line, extent_points=ends)

    def outline(self, n: int = 64) -> np.ndarray:
        """Return the line, or the closed outline of the capsule [m]."""
        start, end = np.array(self.start), np.array(self.end)
        if self.radius == 0.0:
            return self._in_body_dimension(start + np.linspace(0.0, 1.0, n)[:, None] * (end - start))
        unit = (end - start) / math.dist(start, end)
        perpendicular = np.array(planar_perpendicular(self.start, self.end))
        # Right side, end cap, left side, start cap, at equal steps along the outline.
        length, cap = math.dist(start, end), math.pi * self.radius
        arc_length = np.linspace(0.0, 2.0 * (length + cap), n)
        corners = np.cumsum([0.0, length, cap, length, cap])
        turn = np.interp(
            arc_length, corners, [-0.5 * math.pi, -0.5 * math.pi, 0.5 * math.pi, 0.5 * math.pi, 1.5 * math.pi]
        )
        fraction = np.interp(arc_length, corners, [0.0, 1.0, 1.0, 0.0, 0.0])
        offset = np.cos(turn)[:, None] * unit + np.sin(turn)[:, None] * perpendicular
        return self._in_body_dimension(start + fraction[:, None] * (end - start) + self.radius * offset)
