"""Thin shapes in 3D with contact on both sides: triangles, rectangles and discs."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from carom.argument_checks import positive, short_repr
from carom.errors import ModelError
from carom.geometry.bounding_sphere import Bound, sphere_around
from carom.geometry.rotation import frame_along
from carom.geometry.shapes import UP, Spatial, polygon_outline
from carom.kernels import record

PERPENDICULAR = 1e-9
"""Largest cosine of the angle between the sides of a rectangle [-]."""
FLAT = 1e-12
"""Height of a triangle over its longest side, below which it is a line [-]."""


TRIANGLE = record("ax ay az  bx by bz  cx cy cz  nx ny nz  face_only")
"""Corners [m], unit normal; 1.0 if sides and corners do not touch."""
RECTANGLE = record("ox oy oz  ux uy uz  vx vy vz  nx ny nz  half_u half_v  face_only")
"""Centre [m], unit vectors along its sides, unit normal, half sides [m]; 1.0 if sides and corners do not touch."""
DISC = record("ox oy oz  ux uy uz  radius  face_only")
"""Centre [m], unit vector along its axis, radius [m]; 1.0 if the rim does not touch."""


class Face(Spatial):
    """Thin face; ``normal`` is the unit normal of its front, in body axes."""

    thin = True
    inside = False
    signed_radius = math.inf

    normal: tuple[float, float, float]


class Triangle(Face):
    """Triangle with the corners ``a``, ``b`` and ``c`` [m], counterclockwise about its ``normal``.

    ``edge="face_only"``: its sides and corners do not touch.
    """

    kind = "Triangle"

    def __init__(self, body: Any, a: Any, b: Any, c: Any, edge: str = "push"):
        super().__init__(body)
        self.a, self.b, self.c = self._point("a", a), self._point("b", b), self._point("c", c)
        corners = np.array([self.a, self.b, self.c])
        longest = max(math.dist(self.a, self.b), math.dist(self.b, self.c), math.dist(self.c, self.a))
        product = np.cross((corners[1] - corners[0]) / (longest or 1.0), (corners[2] - corners[0]) / (longest or 1.0))
        height = float(np.linalg.norm(product))
        if height <= FLAT:
            raise ModelError(
                f"{self.label}: the corners must not lie on one line, got a = {self.a}, b = {self.b}, c = {self.c}"
            )
        x, y, z = (float(part) for part in product / height)
        self.normal = (x, y, z)
        self.parameters = (*self.a, *self.b, *self.c, *self.normal, self._edge(edge))

    def bounding_sphere(self) -> Bound | None:
        """Return a sphere that contains the shape."""
        return sphere_around([self.a, self.b, self.c])

    def outline(self, n: int = 64) -> np.ndarray:
        """Return points along its sides [m]."""
        return polygon_outline(np.array([self.a, self.b, self.c]), n)


class Rectangle(Face):
    """Rectangle about ``at`` [m] with half sides ``half_u`` and ``half_v`` [m] along ``axis_u`` and ``axis_v``.

    Its ``normal`` is axis_u × axis_v. ``edge="face_only"``: its sides and corners do not touch.
    """

    kind = "Rectangle"

    def __init__(self, body: Any, at: Any, axis_u: Any, axis_v: Any, half_u: float, half_v: float, edge: str = "push"):
        super().__init__(body)
        self.at = self._point("at", at)
        u = np.array(self._direction("axis_u", axis_u))
        v = np.array(self._direction("axis_v", axis_v))
        if abs(u @ v) > PERPENDICULAR:
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
            self._edge(edge),
        )

    def bounding_sphere(self) -> Bound | None:
        """Return a sphere that contains the shape."""
        return (self.at, math.hypot(self.half_u, self.half_v))

    def outline(self, n: int = 64) -> np.ndarray:
        """Return points along its sides [m]."""
        u, v = self.half_u * np.array(self.axis_u), self.half_v * np.array(self.axis_v)
        return polygon_outline(self.at + np.array([-u - v, u - v, u + v, v - u]), n)


class Disc(Face):
    """Disc of ``radius`` [m] about ``at`` [m], perpendicular to ``axis`` (default z); without thickness.

    ``edge="face_only"``: its rim does not touch.
    """

    kind = "Disc"

    def __init__(
        self, body: Any, at: Any = (0.0, 0.0, 0.0), axis: Any = UP, radius: float | None = None, edge: str = "push"
    ):
        super().__init__(body)
        self.at = self._point("at", at)
        self.axis = self.normal = self._direction("axis", axis)
        self.radius = positive(self.label, "radius", radius)
        self.parameters = (*self.at, *self.axis, self.radius, self._edge(edge))

    def bounding_sphere(self) -> Bound | None:
        """Return a sphere that contains the shape."""
        return (self.at, self.radius)

    def outline(self, n: int = 64) -> np.ndarray:
        """Return points along its rim [m]."""
        turn = np.linspace(0.0, 2.0 * math.pi, n)
        frame = frame_along(self.axis)
        circle = np.cos(turn)[:, None] * frame[:, 0] + np.sin(turn)[:, None] * frame[:, 1]
        return np.array(self.at) + self.radius * circle
