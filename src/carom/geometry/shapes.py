"""Shapes on bodies: base classes, points, spheres, segments and planes."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from typing import Any, ClassVar

import numpy as np

from carom.argument_checks import boolean, non_negative, one_of, positive, short_repr, unit_vector, vector
from carom.errors import ModelError
from carom.geometry.bounding_sphere import Bound, sphere_around
from carom.geometry.marker import body_of
from carom.init_arguments import InitArguments
from carom.kernels import record

EDGES = ("push", "face_only")
"""Contact at edges, rims and corners: as at faces, or none (only projections onto the faces touch)."""
UP = (0.0, 0.0, 1.0)
"""Default axis of a solid of revolution."""


SPHERE = record("cx cy cz  radius")
"""Centre and radius [m], which is negative for a cavity."""
SEGMENT = record("sx sy sz  ex ey ez  radius  face_only")
"""Start, end and radius [m]; 1.0 if the ends do not touch."""
PLANE = record("px py pz  nx ny nz")
"""Point of the plane [m] and outward unit normal."""


class Shape(InitArguments, ABC):
    """Surface of contact on ``body``, in body axes; a point has 2 or 3 coordinates, z = 0 on a planar body.

    ``parameters`` are those of its pair kernels, in the order of its record; ``kind`` is its name in the registry of
    pairs. A ``thin`` shape has no inside: only a shape with a radius can touch it.
    """

    kind: ClassVar[str]
    edge: str = "push"
    thin: bool = False

    body: Any
    parameters: tuple[float, ...]

    def __init__(self, body: Any):
        self.body = body
        body_of(self.label, body)

    @property
    def label(self) -> str:
        """Name of the shape in messages: class and body."""
        return f"{type(self).__name__} on {short_repr(getattr(self.body, 'name', self.body))}"

    @property
    def planar(self) -> bool:
        """True for a shape on a planar body."""
        return len(self.body.position) == 2

    def __repr__(self) -> str:
        return f"<{self.label}>"

    @abstractmethod
    def outline(self, n: int = 64) -> np.ndarray:
        """Return ``n`` points [m] along the shape, in body axes: two columns on a planar body, else three."""

    def bounding_sphere(self) -> Bound | None:
        """Return a sphere that contains the whole shape; None for an infinite or unknown extent."""
        return None

    def _point(self, what: str, value: Any) -> tuple[float, float, float]:
        """Return a point of the body as three coordinates [m]."""
        coordinates = vector(self.label, what, value)
        if len(coordinates) not in (2, 3):
            raise ModelError(f"{self.label}: {what} must be 2 or 3 numbers, got {len(coordinates)}: {value!r}")
        x, y, z = (*coordinates, 0.0)[:3]
        if self.planar and z != 0.0:
            raise ModelError(f"{self.label}: {what} must lie in the plane of a planar body (z = 0), got {coordinates}")
        return x, y, z

    def _edge(self, edge: str) -> float:
        """Set ``edge`` and return the flag of the kernels: 1.0 if only faces touch."""
        self.edge = one_of(self.label, "edge", edge, EDGES)
        return float(self.edge == "face_only")

    def _in_body_dimension(self, points: np.ndarray) -> np.ndarray:
        """Return points with two columns on a planar body."""
        return points[:, :2] if self.planar else points


class Spatial(Shape):
    """Shape for spatial bodies only."""

    def __init__(self, body: Any):
        super().__init__(body)
        if self.planar:
            raise ModelError(
                f"{self.label}: needs a spatial body, got a planar one; planar bodies have Point, Sphere, Segment, "
                "Plane and Curve"
            )

    def _direction(self, what: str, value: Any) -> tuple[float, float, float]:
        """Return a unit vector of the body."""
        x, y, z = unit_vector(self.label, what, value, 3)
        return x, y, z


class Sphere(Shape):
    """Sphere, in 2D a disc, of ``radius`` [m] about ``at`` [m]; ``inside=True`` is a spherical cavity.

    ``signed_radius`` [m] is negative for a cavity, as in Hertz's theory.
    """

    kind = "Sphere"

    def __init__(self, body: Any, radius: float, at: Any = (0.0, 0.0), inside: bool = False):
        super().__init__(body)
        self.radius = positive(self.label, "radius", radius)
        self.at = self._point("at", at)
        self.inside = boolean(self.label, "inside", inside)
        self.parameters = (*self.at, self.signed_radius)

    @property
    def signed_radius(self) -> float:
        """Radius [m], negative for a cavity."""
        return -self.radius if self.inside else self.radius

    def bounding_sphere(self) -> Bound | None:
        """Return a sphere that contains the shape."""
        return None if self.inside else (self.at, self.radius)

    def outline(self, n: int = 64) -> np.ndarray:
        """Return a closed circle [m]."""
        turn = np.linspace(0.0, 2.0 * math.pi, n)
        circle = np.column_stack([np.cos(turn), np.sin(turn), np.zeros(n)])
        return self._in_body_dimension(np.array(self.at) + self.radius * circle)


class Point(Shape):
    """Point at ``at`` [m]: a sphere without radius."""

    kind = "Sphere"
    radius = 0.0
    signed_radius = 0.0
    inside = False

    def __init__(self, body: Any, at: Any = (0.0, 0.0)):
        super().__init__(body)
        self.at = self._point("at", at)
        self.parameters = (*self.at, 0.0)

    def bounding_sphere(self) -> Bound | None:
        """Return a sphere that contains the shape."""
        return (self.at, 0.0)

    def outline(self, n: int = 64) -> np.ndarray:
        """Return the point, ``n`` times [m]."""
        return self._in_body_dimension(np.tile(self.at, (n, 1)))


class Segment(Shape):
    """Straight segment from ``start`` to ``end`` [m]; with a ``radius`` [m] a capsule with round ends.

    ``edge="face_only"``: its ends do not touch.
    """

    kind = "Segment"

    def __init__(self, body: Any, start: Any, end: Any, radius: float = 0.0, edge: str = "push"):
        super().__init__(body)
        self.start = self._point("start", start)
        self.end = self._point("end", end)
        if self.start == self.end:
            raise ModelError(f"{self.label}: start and end must differ, got {self.start} twice")
        self.radius = non_negative(self.label, "radius", radius)
        self.thin = self.radius == 0.0
        self.parameters = (*self.start, *self.end, self.radius, self._edge(edge))

    @property
    def signed_radius(self) -> float:
        """Radius [m]."""
        return self.radius

    def bounding_sphere(self) -> Bound | None:
        """Return a sphere that contains the shape."""
        return sphere_around([self.start, self.end], self.radius)

    def outline(self, n: int = 64) -> np.ndarray:
        """Return the line, or the closed outline of the capsule [m]."""
        start, end = np.array(self.start), np.array(self.end)
        if self.radius == 0.0:
            return self._in_body_dimension(start + np.linspace(0.0, 1.0, n)[:, None] * (end - start))
        along = (end - start) / math.dist(start, end)
        perpendicular = np.array(planar_perpendicular(self.start, self.end))
        # Right side, end cap, left side, start cap, at equal steps along the outline.
        length, cap = math.dist(start, end), math.pi * self.radius
        way = np.linspace(0.0, 2.0 * (length + cap), n)
        corners = np.cumsum([0.0, length, cap, length, cap])
        turn = np.interp(way, corners, [-0.5 * math.pi, -0.5 * math.pi, 0.5 * math.pi, 0.5 * math.pi, 1.5 * math.pi])
        axis = np.interp(way, corners, [0.0, 1.0, 1.0, 0.0, 0.0])
        offset = np.cos(turn)[:, None] * along + np.sin(turn)[:, None] * perpendicular
        return self._in_body_dimension(start + axis[:, None] * (end - start) + self.radius * offset)


class Plane(Shape):
    """Infinite plane through ``at`` [m] with outward ``normal`` (default y in 2D, z in 3D).

    The half-space behind it is solid.
    """

    kind = "Plane"
    signed_radius = math.inf

    def __init__(self, body: Any, at: Any = (0.0, 0.0), normal: Any = None):
        super().__init__(body)
        if normal is None:
            normal = (0.0, 1.0) if self.planar else (0.0, 0.0, 1.0)
        self.at = self._point("at", at)
        x, y, z = unit_vector(self.label, "normal", self._point("normal", normal), 3)
        self.normal = (x, y, z)
        self.parameters = (*self.at, *self.normal)

    def outline(self, n: int = 64, extent: float = 20.0) -> np.ndarray:
        """Return a part of its line in the xy-plane, ``extent`` [m] long, with the solid on the right [m]."""
        along = np.array(planar_perpendicular((0.0, 0.0, 0.0), self.normal))
        return self._in_body_dimension(np.array(self.at) - np.linspace(-0.5, 0.5, n)[:, None] * extent * along)


def polygon_outline(corners: np.ndarray, n: int) -> np.ndarray:
    """Return ``n`` points [m] at equal steps along the closed polygon with these corners."""
    ends = np.vstack([corners, corners[:1]])
    length = np.append(0.0, np.cumsum(np.linalg.norm(np.diff(ends, axis=0), axis=1)))
    steps = np.linspace(0.0, length[-1], n)
    return np.column_stack([np.interp(steps, length, coordinate) for coordinate in ends.T])


def planar_perpendicular(start: tuple[float, ...], end: tuple[float, ...]) -> tuple[float, float, float]:
    """Return the unit vector in the xy-plane to the left of a line; x for a line along z."""
    dx, dy = end[0] - start[0], end[1] - start[1]
    length = math.hypot(dx, dy)
    return (-dy / length, dx / length, 0.0) if length > 0.0 else (1.0, 0.0, 0.0)
