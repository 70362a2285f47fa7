"""Base classes of shapes on bodies."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from typing import Any, ClassVar

import numpy as np

from carom.argument_checks import boolean, one_of, short_repr, unit_vector, vector
from carom.deprecation import DeprecatedName, deprecated_arguments
from carom.errors import ModelError
from carom.geometry.bounding_box import BoundingBox, unbounded
from carom.geometry.bounding_sphere import BoundingSphere
from carom.geometry.convex.convex_shape import ConvexShape
from carom.geometry.drawing import DrawnShape
from carom.geometry.marker import body_of
from carom.geometry.rotation import frame_along
from carom.geometry.tessellation import Triangles, tube_triangles
from carom.init_arguments import InitArguments
from carom.short_form import one_line, parameter_texts
from carom.typing import BodyLike, PointLike, VectorLike

EDGES = ("contact", "ignore")
"""Contact at edges, rims and corners: as at faces, or none (only projections onto the faces touch)."""
FORMER_EDGES = {"push": "contact", "face_only": "ignore"}
"""Deprecated values of ``edges``, and the current ones."""
edges_renamed = deprecated_arguments(renamed={"edge": "edges"}, values={"edges": FORMER_EDGES})
"""Decorator of functions with an argument ``edges`` that also accept its former name ``edge`` and former values."""
UP = (0.0, 0.0, 1.0)
"""Default axis of a solid of revolution."""
CONTOUR_POINTS, EXTENT_POINTS, TUBE_POINTS = 97, 33, 96
"""Number of points along a shape: of its contour, for its extent, and of a tube drawn along it."""


class Shape(InitArguments, ABC):
    """Surface of contact on ``body``, in body axes; a point has 2 or 3 coordinates, z = 0 on a planar body.

    ``parameters`` are those of its pair kernels, in the order of its record; ``kind`` is its name in the registry of
    pairs. A ``thin`` shape has no inside: only a shape with a radius can touch it.
    """

    kind: ClassVar[str]
    edges: str = "contact"
    edge = DeprecatedName("edges", {new: old for old, new in FORMER_EDGES.items()})
    thin: bool = False

    body: Any
    parameters: tuple[float, ...]

    def __init__(self, body: BodyLike):
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
        details = [] if "_unsealed" in self.__dict__ else parameter_texts(self.keywords())
        return one_line(self.label, details)

    @abstractmethod
    def outline(self, n: int = 64) -> np.ndarray:
        """Return ``n`` points [m] along the shape, in body axes: two columns on a planar body, else three."""

    def convex(self) -> ConvexShape | None:
        """Return the shape as the kernels of convex shapes see it; None if it is not convex."""
        return None

    def bounding_sphere(self) -> BoundingSphere | None:
        """Return a sphere that contains the whole shape; None for an infinite or unknown extent."""
        return None

    @property
    def is_centred_sphere(self) -> bool:
        """True for a solid sphere about the centre of mass of its body."""
        return False

    @property
    def moves_with_rotation(self) -> bool:
        """True unless a rotation of the body about its centre of mass leaves the shape unchanged."""
        return True

    @property
    def solid_sphere_radius(self) -> float | None:
        """Radius of a solid sphere [m]; None for other shapes."""
        return None

    def bounding_box(self) -> BoundingBox:
        """Return centre and half sides of the box around the shape [m]; infinite for an infinite or unknown extent."""
        return unbounded()

    def triangles(self, extent: float = 1.0) -> Triangles:
        """Return triangles for display, by default a thin tube along the outline; ``extent`` [m] is for planes."""
        return tube_triangles(self.outline(TUBE_POINTS))

    def drawing(self) -> DrawnShape:
        """Return the shape as plain numbers for drawings: its contour in 2D, triangles in 3D."""
        if self.planar:
            line, extent_points = (self.outline(n)[:, :2] for n in (CONTOUR_POINTS, EXTENT_POINTS))
            return self._drawing(line=line, extent_points=extent_points)
        vertices, faces = self.triangles()
        return self._drawing(vertices=np.asarray(vertices, float), faces=np.asarray(faces, np.int64))

    def _drawing(self, **fields: Any) -> DrawnShape:
        inside = bool(getattr(self, "inside", False))
        return DrawnShape(self.body.name, type(self).__name__, inside=inside, **fields)

    def _point(self, what: str, value: Any) -> tuple[float, float, float]:
        """Return a point of the body as three coordinates [m]."""
        coordinates = vector(self.label, what, value)
        if len(coordinates) not in (2, 3):
            raise ModelError(f"{self.label}: {what} must be 2 or 3 numbers, got {len(coordinates)}: {value!r}")
        x, y, z = (*coordinates, 0.0)[:3]
        if self.planar and z != 0.0:
            raise ModelError(f"{self.label}: {what} must lie in the plane of a planar body (z = 0), got {coordinates}")
        return x, y, z

    def _set_edges(self, edges: str) -> float:
        """Set ``edges`` and return the flag of the kernels: 1.0 if only faces touch."""
        self.edges = one_of(self.label, "edges", edges, EDGES)
        return float(self.edges == "ignore")

    def _in_body_dimension(self, points: np.ndarray) -> np.ndarray:
        """Return points with two columns on a planar body."""
        return points[:, :2] if self.planar else points


class SpatialShape(Shape):
    """Shape for spatial bodies only."""

    def __init__(self, body: BodyLike):
        super().__init__(body)
        if self.planar:
            raise ModelError(
                f"{self.label}: needs a spatial body, got a planar one; planar bodies have Point, Sphere, Segment, "
                "Plane, Curve and Polygon"
            )

    def _direction(self, what: str, value: Any) -> tuple[float, float, float]:
        """Return a unit vector of the body."""
        x, y, z = unit_vector(self.label, what, value, 3)
        return x, y, z


class RevolvedShape(SpatialShape):
    """Solid of revolution about the unit vector ``axis`` through ``at``, both in body axes."""

    inside: bool

    def __init__(self, body: BodyLike, at: PointLike, axis: VectorLike, inside: bool):
        super().__init__(body)
        self.at = self._point("at", at)
        self.axis = self._direction("axis", axis)
        self.inside = boolean(self.label, "inside", inside)

    def _points_around(self, angle: np.ndarray, radius: np.ndarray, height: np.ndarray) -> np.ndarray:
        """Return points at ``angle`` [rad] about the axis, ``radius`` from it and ``height`` along it [m]."""
        frame = frame_along(self.axis)
        local = np.column_stack([radius * np.cos(angle), radius * np.sin(angle), height])
        return np.array(self.at) + local @ frame.T


class ThinShape(SpatialShape):
    """Thin face; ``normal`` is the unit normal of its front, in body axes."""

    thin = True
    inside = False
    signed_radius = math.inf

    normal: tuple[float, float, float]


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
