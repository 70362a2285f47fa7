"""A marker: a point with a direction, fixed on a body."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from carom.errors import ModelError, direction, number, shown, vector
from carom.geometry.pose import from_axes, to_axes
from carom.geometry.rotation import matrix_of, rotation


@dataclass(frozen=True)
class Marker:
    """A point on ``body`` at ``at`` [m] in the body's own axes, with axes of its own.

    They are turned by ``angle`` [rad] from the body's in the plane, by ``turning`` in space (as `Body.orientation`).
    """

    body: Any
    at: tuple[float, ...] = (0.0, 0.0)
    angle: float = 0.0
    turning: Any = None

    def __post_init__(self) -> None:
        owner = f"Marker on {shown(getattr(self.body, 'name', self.body))}"
        body_of(owner, self.body)
        object.__setattr__(self, "at", vector(owner, "at", self.at, len(self.body.position)))
        object.__setattr__(self, "angle", number(owner, "angle", self.angle))
        if self.spatial:
            if self.angle != 0.0:
                raise ModelError(f"{owner}: angle is for planar bodies; give orientation=(w, x, y, z)")
            turning = (1.0, 0.0, 0.0, 0.0) if self.turning is None else self.turning
            object.__setattr__(self, "turning", rotation(owner, "orientation", turning))
        elif self.turning is not None:
            raise ModelError(f"{owner}: orientation is for spatial bodies; give angle=, got {shown(self.turning)}")

    @property
    def spatial(self) -> bool:
        """Whether its body moves in space."""
        return len(self.body.position) == 3

    @property
    def position(self) -> tuple[float, ...]:
        """Where the marker is now, in global axes [m]."""
        return from_axes(self.body, self.at)

    @property
    def orientation(self) -> float:
        """Angle of the x-axis of a planar marker now, in global axes [rad]."""
        return float(self.body.angle) + self.angle

    @property
    def axes(self) -> np.ndarray:
        """The axes of a spatial marker in those of its body: the columns of a rotation matrix."""
        return matrix_of(self.turning)

    @property
    def frame(self) -> np.ndarray:
        """The axes of a spatial marker now, in global axes."""
        return matrix_of(self.body.orientation) @ self.axes


def rotate(point: tuple[float, ...], angle: float) -> tuple[float, float]:
    c, s = math.cos(angle), math.sin(angle)
    return (c * point[0] - s * point[1], s * point[0] + c * point[1])


def place(owner: str, where: Any, at: Any = None, orientation: Any = None) -> Marker:
    """The marker meant by ``where``: itself, or a body's point that is now at ``at`` in global axes.

    A body with no ``at`` gives its centre of mass; ``orientation``, where given, is the marker's direction in global
    axes now: an angle in the plane, axes as the columns of a matrix in space.
    """
    if isinstance(where, Marker):
        return where if orientation is None else _turned(owner, where.body, where.at, orientation)
    body_of(owner, where, "a Body, system.ground or a Marker")
    size = len(where.position)
    local = (0.0,) * size if at is None else to_axes(where, vector(owner, "at", at, size))
    return Marker(where, local) if orientation is None else _turned(owner, where, local, orientation)


def _turned(owner: str, body: Any, at: tuple[float, ...], orientation: Any) -> Marker:
    if len(body.position) == 2:
        return Marker(body, at, orientation - body.angle)
    if np.shape(orientation) != (3, 3):
        raise ModelError(f"{owner}: is for bodies in a plane, got {shown(body)}")
    return Marker(body, at, 0.0, matrix_of(body.orientation).T @ orientation)


def body_of(owner: str, body: Any, wanted: str = "a Body or system.ground") -> Any:
    """``body``, which must be one."""
    if isinstance(body, Marker) or not hasattr(body, "position") or not hasattr(body, "angular_velocity"):
        raise ModelError(f"{owner}: expected {wanted}, got {shown(body)}")
    return body


def meet(owner: str, a: Any, b: Any, at: Any) -> tuple[Marker, Marker]:
    """Markers on ``a`` and ``b`` that coincide now, at ``at`` or at the marker that is given.

    ``at`` may be a body: then its centre of mass, where neither is a marker.
    """
    given = [m for m in (a, b) if isinstance(m, Marker)]
    if at is None or hasattr(at, "position"):
        if not given and at is None:
            raise ModelError(f"{owner}: give at=(x, y), in space (x, y, z), the common point in global axes, "
                             "or markers on the bodies")  # fmt: skip
        at = given[0].position if given else at.position
    return place(owner, a, at), place(owner, b, at)


def axis_angle(owner: str, axis: Any) -> float:
    """The angle of a direction given as two numbers [rad]."""
    x, y = direction(owner, "axis", axis, 2)
    return math.atan2(y, x)
