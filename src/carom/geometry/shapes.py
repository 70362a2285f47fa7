"""Shapes that touch: points, spheres, segments and planes, fixed on bodies."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from typing import Any, ClassVar

import numpy as np

from carom.errors import ModelError, choice, direction, not_negative, positive, shown, truth, vector
from carom.geometry.marker import body_of
from carom.init_arguments import InitArguments

EDGES = ("push", "face_only")
"""What an edge, a rim or a corner does: pushes as faces do, or nothing (only feet of perpendiculars within the faces
touch)."""
UP = (0.0, 0.0, 1.0)
"""Axis of a solid of revolution unless another is given."""


class Shape(InitArguments, ABC):
    """A skin on ``body``, in the body's own axes; 2 or 3 numbers make a point, with z = 0 on a planar body.

    ``numbers`` is what the kernels of its pairs read, ``kind`` the word under which the pairs know it.
    A ``thin`` shape has no inside: nothing but what has a radius can touch it.
    """

    kind: ClassVar[str]
    edge: str = "push"
    thin: bool = False

    body: Any
    numbers: tuple[float, ...]

    def __init__(self, body: Any):
        self.body = body
        body_of(self.label, body)

    @property
    def label(self) -> str:
        """Kind and body, for messages."""
        return f"{type(self).__name__} on {shown(getattr(self.body, 'name', self.body))}"

    @property
    def planar(self) -> bool:
        """Whether its body moves in a plane."""
        return len(self.body.position) == 2

    def __repr__(self) -> str:
        return f"<{self.label}>"

    @abstractmethod
    def outline(self, n: int = 64) -> np.ndarray:
        """``n`` points [m] along the skin, in the body's own axes: two columns on a planar body, else three."""

    def _spot(self, what: str, value: Any) -> tuple[float, float, float]:
        """A point of the body as three numbers."""
        numbers = vector(self.label, what, value)
        if len(numbers) not in (2, 3):
            raise ModelError(f"{self.label}: {what} must be 2 or 3 numbers, got {len(numbers)}: {value!r}")
        x, y, z = (*numbers, 0.0)[:3]
        if self.planar and z != 0.0:
            raise ModelError(f"{self.label}: {what} must lie in the plane of a planar body (z = 0), got {numbers}")
        return x, y, z

    def _edge(self, edge: str) -> float:
        """Take ``edge``; 1.0 when only faces touch, as kernels read it."""
        self.edge = choice(self.label, "edge", edge, EDGES)
        return float(self.edge == "face_only")

    def _drawn(self, points: np.ndarray) -> np.ndarray:
        return points[:, :2] if self.planar else points


class Spatial(Shape):
    """A shape that needs a body in space."""

    def __init__(self, body: Any):
        super().__init__(body)
        if self.planar:
            raise ModelError(
                f"{self.label}: needs a body in space, got a planar one; on those there are Point, Sphere, Segment, "
                "Plane and Curve"
            )

    def _direction(self, what: str, value: Any) -> tuple[float, float, float]:
        x, y, z = direction(self.label, what, value, 3)
        return x, y, z


class Sphere(Shape):
    """A ball, in a plane a disc, of ``radius`` [m] about ``at`` [m]; ``inside=True`` is a cavity that holds a ball.

    ``signed_radius`` [m] is negative for a cavity, as Hertz's theory wants it.
    """

    kind = "Sphere"

    def __init__(self, body: Any, radius: float, at: Any = (0.0, 0.0), inside: bool = False):
        super().__init__(body)
        self.radius = positive(self.label, "radius", radius)
        self.at = self._spot("at", at)
        self.inside = truth(self.label, "inside", inside)
        self.numbers = (*self.at, self.signed_radius)

    @property
    def signed_radius(self) -> float:
        return -self.radius if self.inside else self.radius

    def outline(self, n: int = 64) -> np.ndarray:
        """A circle, that ends where it starts."""
        turn = np.linspace(0.0, 2.0 * math.pi, n)
        circle = np.column_stack([np.cos(turn), np.sin(turn), np.zeros(n)])
        return self._drawn(np.array(self.at) + self.radius * circle)


class Point(Shape):
    """A point at ``at`` [m]: a sphere without radius."""

    kind = "Sphere"
    radius = 0.0
    signed_radius = 0.0
    inside = False

    def __init__(self, body: Any, at: Any = (0.0, 0.0)):
        super().__init__(body)
        self.at = self._spot("at", at)
        self.numbers = (*self.at, 0.0)

    def outline(self, n: int = 64) -> np.ndarray:
        return self._drawn(np.tile(self.at, (n, 1)))


class Segment(Shape):
    """A straight piece from ``start`` to ``end`` [m], with round ends when it has a ``radius`` [m] (a capsule).

    ``edge="face_only"``: its ends do not touch.
    """

    kind = "Segment"

    def __init__(self, body: Any, start: Any, end: Any, radius: float = 0.0, edge: str = "push"):
        super().__init__(body)
        self.start = self._spot("start", start)
        self.end = self._spot("end", end)
        if self.start == self.end:
            raise ModelError(f"{self.label}: start and end must differ, got {self.start} twice")
        self.radius = not_negative(self.label, "radius", radius)
        self.thin = self.radius == 0.0
        self.numbers = (*self.start, *self.end, self.radius, self._edge(edge))

    @property
    def signed_radius(self) -> float:
        return self.radius

    def outline(self, n: int = 64) -> np.ndarray:
        """The line, or the capsule once round."""
        start, end = np.array(self.start), np.array(self.end)
        if self.radius == 0.0:
            return self._drawn(start + np.linspace(0.0, 1.0, n)[:, None] * (end - start))
        along = (end - start) / math.dist(start, end)
        across = np.array(across_of(self.start, self.end))
        # Right side, end cap, left side, start cap, back to where it began, at equal steps along the way.
        straight, cap = math.dist(start, end), math.pi * self.radius
        way = np.linspace(0.0, 2.0 * (straight + cap), n)
        corners = np.cumsum([0.0, straight, cap, straight, cap])
        turn = np.interp(way, corners, [-0.5 * math.pi, -0.5 * math.pi, 0.5 * math.pi, 0.5 * math.pi, 1.5 * math.pi])
        axis = np.interp(way, corners, [0.0, 1.0, 1.0, 0.0, 0.0])
        skin = np.cos(turn)[:, None] * along + np.sin(turn)[:, None] * across
        return self._drawn(start + axis[:, None] * (end - start) + self.radius * skin)


class Plane(Shape):
    """The wall through ``at`` [m] that looks along ``normal`` (on a planar body y, else z); solid behind, endless."""

    kind = "Plane"
    signed_radius = math.inf

    def __init__(self, body: Any, at: Any = (0.0, 0.0), normal: Any = None):
        super().__init__(body)
        if normal is None:
            normal = (0.0, 1.0) if self.planar else (0.0, 0.0, 1.0)
        self.at = self._spot("at", at)
        x, y, z = direction(self.label, "normal", self._spot("normal", normal), 3)
        self.normal = (x, y, z)
        self.numbers = (*self.at, *self.normal)

    def outline(self, n: int = 64, extent: float = 20.0) -> np.ndarray:
        """A piece of its line in the xy-plane, ``extent`` [m] long, with the solid on the right."""
        way = np.array(across_of((0.0, 0.0, 0.0), self.normal))
        return self._drawn(np.array(self.at) - np.linspace(-0.5, 0.5, n)[:, None] * extent * way)


def once_round(corners: np.ndarray, n: int) -> np.ndarray:
    """``n`` points at equal steps along straight lines from corner to corner and back to the first."""
    ends = np.vstack([corners, corners[:1]])
    way = np.append(0.0, np.cumsum(np.linalg.norm(np.diff(ends, axis=0), axis=1)))
    at = np.linspace(0.0, way[-1], n)
    return np.column_stack([np.interp(at, way, part) for part in ends.T])


def across_of(start: tuple[float, ...], end: tuple[float, ...]) -> tuple[float, float, float]:
    """Unit vector in the xy-plane, to the left of the way from ``start`` to ``end``; x where that goes along z."""
    dx, dy = end[0] - start[0], end[1] - start[1]
    length = math.hypot(dx, dy)
    return (-dy / length, dx / length, 0.0) if length > 0.0 else (1.0, 0.0, 0.0)
