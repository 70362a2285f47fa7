"""A marker: a point with a direction, fixed on a body."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

from carom.errors import ModelError, direction, number, vector


@dataclass(frozen=True)
class Marker:
    """A point on ``body`` at ``at`` [m] in the body's own axes; its x-axis is turned by ``angle`` [rad] there."""

    body: Any
    at: tuple[float, ...] = (0.0, 0.0)
    angle: float = 0.0

    def __post_init__(self) -> None:
        owner = f"Marker on {getattr(self.body, 'name', self.body)!r}"
        object.__setattr__(self, "at", vector(owner, "at", self.at, 2))
        object.__setattr__(self, "angle", number(owner, "angle", self.angle))

    @property
    def position(self) -> tuple[float, float]:
        """Where the marker is now, in global axes [m]."""
        x, y = rotate(self.at, self.body.angle)
        return (self.body.position[0] + x, self.body.position[1] + y)

    @property
    def orientation(self) -> float:
        """Angle of the marker's x-axis now, in global axes [rad]."""
        return float(self.body.angle) + self.angle


def rotate(point: tuple[float, ...], angle: float) -> tuple[float, float]:
    c, s = math.cos(angle), math.sin(angle)
    return (c * point[0] - s * point[1], s * point[0] + c * point[1])


def place(owner: str, where: Any, at: Any = None, orientation: float | None = None) -> Marker:
    """The marker meant by ``where``: itself, or a body's point that is now at ``at`` in global axes.

    A body with no ``at`` gives its centre of mass; ``orientation``, where given, is the marker's direction in global
    axes now.
    """
    if isinstance(where, Marker):
        return where if orientation is None else Marker(where.body, where.at, orientation - where.body.angle)
    body_of(owner, where, "a Body, system.ground or a Marker")
    local = (0.0, 0.0)
    if at is not None:
        x, y = vector(owner, "at", at, 2)
        local = rotate((x - where.position[0], y - where.position[1]), -where.angle)
    return Marker(where, local, 0.0 if orientation is None else orientation - where.angle)


def body_of(owner: str, body: Any, wanted: str = "a Body or system.ground") -> Any:
    """``body``, which must be one."""
    if isinstance(body, Marker) or not hasattr(body, "position") or not hasattr(body, "angle"):
        raise ModelError(f"{owner}: expected {wanted}, got {body!r}")
    return body


def meet(owner: str, a: Any, b: Any, at: Any) -> tuple[Marker, Marker]:
    """Markers on ``a`` and ``b`` that coincide now, at ``at`` or at the marker that is given.

    ``at`` may be a body: then its centre of mass, where neither is a marker.
    """
    given = [m for m in (a, b) if isinstance(m, Marker)]
    if at is None or hasattr(at, "position"):
        if not given and at is None:
            raise ModelError(f"{owner}: give at=(x, y), the common point in global axes, or markers on the bodies")
        at = given[0].position if given else at.position
    return place(owner, a, at), place(owner, b, at)


def axis_angle(owner: str, axis: Any) -> float:
    """The angle of a direction given as two numbers [rad]."""
    x, y = direction(owner, "axis", axis, 2)
    return math.atan2(y, x)
