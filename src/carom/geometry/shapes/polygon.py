"""Polygons in the plane, with sharp or rounded corners."""

from __future__ import annotations

import math
from functools import cached_property
from typing import Any

import numpy as np

from carom.argument_checks import non_negative
from carom.errors import ModelError
from carom.geometry.bounding_box import BoundingBox, box_around
from carom.geometry.bounding_sphere import BoundingSphere, sphere_around
from carom.geometry.planar_outline import CORNER_ANGLE, outline_parameters
from carom.geometry.profiles.base import Profile
from carom.geometry.self_intersection import self_intersection
from carom.geometry.shapes.base import Shape, polygon_outline
from carom.geometry.spline import PiecewisePath, curve_points
from carom.typing import BodyLike, MatrixLike, PointLike

ROUNDING_POINTS = 9
"""Points of the outline at a rounded corner."""


class Polygon(Shape):
    """Polygon with the corners ``points`` [m] about ``at`` [m], in the xy-plane of a planar body; solid inside.

    ``points`` may be a profile of `carom.profiles` without curved sides. The polygon need not be convex. ``points`` may
    have any sense of rotation; the attribute has them counterclockwise. With a
    ``radius`` [m] the surface is this far outside the polygon, with round corners. ``is_convex`` tells whether it has
    no reentrant corner, ``area`` [m²] is that within the surface.

    Examples
    --------
    >>> import carom as cm
    >>> block = cm.Body("block", mass=1.0, inertia=0.1, position=(0.0, 1.0))
    >>> square = cm.Polygon(block, [(-0.5, -0.5), (0.5, -0.5), (0.5, 0.5), (-0.5, 0.5)])
    >>> cm.closest(square, cm.Plane(cm.System().ground)).gap
    0.5
    """

    kind = "Polygon"
    inside = False

    def __init__(self, body: BodyLike, points: MatrixLike | Profile, radius: float = 0.0, at: PointLike = (0.0, 0.0)):
        super().__init__(body)
        if isinstance(points, Profile):
            profile = points
            if points.arcs or len(points.corners) < len(points.points):
                raise ModelError(f"{self.label}: {points.label} has curved sides; use a Curve")
            if radius and points.radius:
                raise ModelError(f"{self.label}: {points.label} has rounded corners; omit radius")
            points, radius = profile.points, radius or profile.radius
        if not self.planar:
            raise ModelError(f"{self.label}: needs a planar body, got a spatial one; use a ConvexHull or a Mesh there")
        corners, _ = curve_points(self.label, points, True, 2)
        corners = corners[:-1]
        if len(corners) < 3:
            raise ModelError(f"{self.label}: points must be at least 3 corners, got {len(corners)}; use a Segment")
        self.radius = non_negative(self.label, "radius", radius)
        x, y, _ = self._point("at", at)
        self.at = (x, y)
        where = self_intersection(np.vstack([corners, corners[:1]]), True)
        if where is not None:
            raise ModelError(f"{self.label}: the polygon intersects itself at ({where[0]:.4g}, {where[1]:.4g})")
        area = _signed_area(corners)
        if abs(area) <= 1e-12 * float(np.ptp(corners, axis=0).max()) ** 2:
            raise ModelError(f"{self.label}: points must enclose an area, got {len(corners)} points on a line")
        corners = corners[::-1] if area < 0.0 else corners
        self.corners = corners + np.array([x, y])
        self.points = tuple((float(px), float(py)) for px, py in corners)
        self.turning_corners = _without_straight_corners(self.corners)
        along = np.diff(np.vstack([self.corners, self.corners[:1]]), axis=0)
        length = float(np.hypot(*along.T).sum())
        self.area = abs(area) + self.radius * length + math.pi * self.radius**2
        self.is_convex = bool(np.all(_turnings(self.turning_corners) > 0.0))
        self.parameters = (self.radius, *self.corners.ravel().tolist())

    def keywords(self) -> dict[str, Any]:
        """Return the constructor arguments; those of a profile are its points and radius."""
        keywords = super().keywords()
        if isinstance(keywords.get("points"), Profile):
            keywords |= {"points": [list(point) for point in self.points], "radius": self.radius}
        return keywords

    @cached_property
    def outline_parameters(self) -> tuple[float, ...]:
        """Its outline as pair kernels read it."""
        path = PiecewisePath(self.label, self.turning_corners, True, corners=range(len(self.turning_corners)))
        return outline_parameters(path, -1.0, path.pieces, self.radius)

    def bounding_sphere(self) -> BoundingSphere | None:
        """Return a sphere that contains the shape."""
        return sphere_around([(x, y, 0.0) for x, y in self.corners], self.radius)

    def bounding_box(self) -> BoundingBox:
        """Return centre and half sides of the box around the shape [m]."""
        return box_around([(x, y, 0.0) for x, y in self.corners], self.radius)

    def outline(self, n: int = 64) -> np.ndarray:
        """Return the closed outline through all corners [m]."""
        surface = _offset(self.turning_corners, self.radius) if self.radius > 0.0 else self.corners
        return polygon_outline(surface, max(n, 2)) if n < 4 * len(surface) else _with_corners(surface, n)


def _signed_area(corners: np.ndarray) -> float:
    x, y = corners.T
    return 0.5 * float(np.sum(x * np.roll(y, -1) - np.roll(x, -1) * y))


def _turnings(corners: np.ndarray) -> np.ndarray:
    """Return the turning at each corner of a counterclockwise polygon [rad], positive where convex."""
    along = np.roll(corners, -1, axis=0) - corners
    angle = np.arctan2(along[:, 1], along[:, 0])
    return np.asarray((angle - np.roll(angle, 1) + math.pi) % (2.0 * math.pi) - math.pi)


def _without_straight_corners(corners: np.ndarray) -> np.ndarray:
    """Return the corners at which the polygon turns, so that a straight side is one side."""
    return corners[np.abs(_turnings(corners)) > CORNER_ANGLE]


def _offset(corners: np.ndarray, radius: float) -> np.ndarray:
    """Return points along the surface ``radius`` outside a polygon: arcs at convex corners, mitres at others."""
    points: list[np.ndarray] = []
    befores = corners - np.roll(corners, 1, axis=0)
    for corner, turning, before in zip(corners, _turnings(corners), befores, strict=True):
        start = math.atan2(before[1], before[0]) - 0.5 * math.pi
        if turning > 0.0:
            angles = start + np.linspace(0.0, turning, ROUNDING_POINTS)
            points += list(corner + radius * np.column_stack([np.cos(angles), np.sin(angles)]))
        else:
            middle = start + 0.5 * turning
            points.append(corner + radius / math.cos(0.5 * turning) * np.array([math.cos(middle), math.sin(middle)]))
    return np.array(points)


def _with_corners(corners: np.ndarray, n: int) -> np.ndarray:
    """Return ``n`` points along the closed polygon, all corners among them."""
    ends = np.vstack([corners, corners[:1]])
    length = np.append(0.0, np.cumsum(np.hypot(*np.diff(ends, axis=0).T)))
    steps = np.sort(np.concatenate([length, np.linspace(0.0, length[-1], n - len(length) + 2)[1:-1]]))
    return np.column_stack([np.interp(steps, length, column) for column in ends.T])
