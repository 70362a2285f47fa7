"""Solids in 3D: cylinders, cones, tori and boxes; cylinders and cones may be thin shells."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from carom.argument_checks import boolean, non_negative, positive, short_repr, vector
from carom.errors import ModelError
from carom.geometry.bounding_sphere import Bound
from carom.geometry.rotation import frame_along, matrix_of, rotation
from carom.geometry.shapes import UP, Spatial, polygon_outline
from carom.kernels import record

CONE = record("ox oy oz  ux uy uz  start_radius end_radius half_length  is_shell  face_only")
"""Middle of the axis [m], unit vector along it, radii at −half_length and +half_length [m]; 1.0 for a thin shell; 1.0
if the rims do not touch. A cylinder has two equal radii."""
TORUS = record("ox oy oz  ux uy uz  radius tube_radius")
"""Centre [m], unit vector along the axis, radius of the circle, radius of the tube [m] (negative for a cavity)."""
BOX = record("ox oy oz  r11 r12 r13  r21 r22 r23  r31 r32 r33  half_x half_y half_z")
"""Centre [m], axes as columns of a rotation matrix, half sides [m]."""


class Round(Spatial):
    """Solid of revolution about the unit vector ``axis`` through ``at``, both in body axes."""

    inside: bool

    def __init__(self, body: Any, at: Any, axis: Any, inside: bool):
        super().__init__(body)
        self.at = self._point("at", at)
        self.axis = self._direction("axis", axis)
        self.inside = boolean(self.label, "inside", inside)

    def _points_around(self, angle: np.ndarray, radius: np.ndarray, height: np.ndarray) -> np.ndarray:
        """Return points at ``angle`` [rad] about the axis, ``radius`` from it and ``height`` along it [m]."""
        frame = frame_along(self.axis)
        local = np.column_stack([radius * np.cos(angle), radius * np.sin(angle), height])
        return np.array(self.at) + local @ frame.T


class Cone(Round):
    """Cone with ``radius`` [m] at −``half_length`` [m] and ``end_radius`` [m] at +``half_length`` along ``axis``.

    ``at`` [m] is the middle of its axis. It is solid, with two end faces; ``inside=True`` is the lateral surface alone,
    a thin shell with open ends. ``edge="face_only"``: its rims do not touch.
    """

    kind = "Cone"

    def __init__(
        self,
        body: Any,
        at: Any = (0.0, 0.0, 0.0),
        axis: Any = UP,
        radius: float | None = None,
        half_length: float | None = None,
        end_radius: float = 0.0,
        inside: bool = False,
        edge: str = "push",
    ):
        super().__init__(body, at, axis, inside)
        self.radius = non_negative(self.label, "radius", radius)
        self.end_radius = non_negative(self.label, "end_radius", end_radius)
        if self.radius + self.end_radius == 0.0:
            raise ModelError(f"{self.label}: radius and end_radius must not both be zero")
        self.half_length = positive(self.label, "half_length", half_length)
        self.thin = self.inside
        self.parameters = (
            *self.at, *self.axis, self.radius, self.end_radius, self.half_length, float(self.inside), self._edge(edge)
        )  # fmt: skip

    def bounding_sphere(self) -> Bound | None:
        """Return a sphere that contains the shape."""
        return (self.at, math.hypot(max(self.radius, self.end_radius), self.half_length))

    def outline(self, n: int = 64) -> np.ndarray:
        """Return points along both rims and a line of the side [m]."""
        one, other = 2.0 * math.pi * self.radius, 2.0 * math.pi * self.end_radius
        side = math.hypot(2.0 * self.half_length, self.end_radius - self.radius)
        corners = np.cumsum([0.0, one, side, other, side])
        way = np.linspace(0.0, corners[-1], n)
        turn = np.interp(way, corners, 2.0 * math.pi * np.array([0.0, 1.0, 1.0, 2.0, 2.0]))
        along = np.interp(way, corners, [-1.0, -1.0, 1.0, 1.0, -1.0])
        radius = 0.5 * ((1.0 - along) * self.radius + (1.0 + along) * self.end_radius)
        return self._points_around(turn, radius, along * self.half_length)


class Cylinder(Cone):
    """Cylinder of ``radius`` and ``half_length`` [m] along ``axis`` on both sides of ``at`` [m].

    It is solid, with two end faces; ``inside=True`` is the lateral surface alone, a thin shell with open ends.
    ``edge="face_only"``: its rims do not touch. ``signed_radius`` [m] is negative for a shell.
    """

    kind = "Cylinder"

    def __init__(
        self,
        body: Any,
        at: Any = (0.0, 0.0, 0.0),
        axis: Any = UP,
        radius: float | None = None,
        half_length: float | None = None,
        inside: bool = False,
        edge: str = "push",
    ):
        owner = f"{type(self).__name__} on {short_repr(getattr(body, 'name', body))}"
        size = positive(owner, "radius", radius)
        super().__init__(body, at, axis, size, half_length, size, inside, edge)

    @property
    def signed_radius(self) -> float:
        """Radius [m], negative for a shell."""
        return -self.radius if self.inside else self.radius


class Torus(Round):
    """Torus: a tube of ``tube_radius`` [m] about the circle of ``radius`` [m] around ``axis`` through ``at`` [m].

    ``inside=True`` is the cavity of the tube. ``signed_radius`` [m] is that of the tube, negative for a cavity.
    """

    kind = "Torus"

    def __init__(
        self,
        body: Any,
        at: Any = (0.0, 0.0, 0.0),
        axis: Any = UP,
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

    def bounding_sphere(self) -> Bound | None:
        """Return a sphere that contains the shape."""
        return None if self.inside else (self.at, self.radius + self.tube_radius)

    def outline(self, n: int = 64) -> np.ndarray:
        """Return points along the largest circle [m]."""
        rim = np.full(n, self.radius + self.tube_radius)
        return self._points_around(np.linspace(0.0, 2.0 * math.pi, n), rim, np.zeros(n))


class Box(Spatial):
    """Box about ``at`` [m] with half sides ``half`` = (hx, hy, hz) [m] along its axes.

    These are the body axes, rotated by ``orientation`` (as `Body.orientation`); ``axes`` has them as columns.
    """

    kind = "Box"
    inside = False
    signed_radius = math.inf

    def __init__(self, body: Any, half: Any, at: Any = (0.0, 0.0, 0.0), orientation: Any = None):
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

    def bounding_sphere(self) -> Bound | None:
        """Return a sphere that contains the shape."""
        return (self.at, math.hypot(*self.half))

    def outline(self, n: int = 64) -> np.ndarray:
        """Return points along edges through all corners [m]."""
        return polygon_outline(self.corners, n)
