"""Markers: points with axes, fixed on a body."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np

from carom.argument_checks import finite_float, short_repr, unit_vector, vector
from carom.errors import ModelError
from carom.geometry.pose import from_axes, to_axes
from carom.geometry.rotation import matrix_of, rotation
from carom.typing import BodyLike, OrientationLike, PointLike, VectorLike


@dataclass(frozen=True)
class Marker:
    """Point on ``body`` at ``at`` [m] in body axes, with its own axes.

    They are rotated by ``angle`` [rad] from the body axes in 2D, by ``turning`` in 3D (as `Body.orientation`).

    Examples
    --------
    >>> import carom as cm
    >>> ball = cm.Body("ball", mass=1.0, position=(0.0, 1.0))
    >>> marker = cm.Marker(ball, at=(0.1, 0.0), angle=0.5)
    >>> marker.position, marker.orientation
    ((0.1, 1.0), 0.5)
    """

    body: BodyLike
    at: tuple[float, ...] = (0.0, 0.0)
    angle: float = 0.0
    turning: OrientationLike | None = None

    def __post_init__(self) -> None:
        owner = f"Marker on {short_repr(getattr(self.body, 'name', self.body))}"
        body_of(owner, self.body)
        object.__setattr__(self, "at", vector(owner, "at", self.at, len(self.body.position)))
        object.__setattr__(self, "angle", finite_float(owner, "angle", self.angle))
        if self.spatial:
            if self.angle != 0.0:
                raise ModelError(f"{owner}: angle is for planar bodies; use orientation=(w, x, y, z)")
            turning = (1.0, 0.0, 0.0, 0.0) if self.turning is None else self.turning
            object.__setattr__(self, "turning", rotation(owner, "orientation", turning))
        elif self.turning is not None:
            raise ModelError(f"{owner}: orientation is for spatial bodies; use angle, got {short_repr(self.turning)}")

    @property
    def spatial(self) -> bool:
        """True for a marker on a spatial body."""
        return len(self.body.position) == 3

    @property
    def position(self) -> tuple[float, ...]:
        """Current position in global axes [m]."""
        return from_axes(self.body, self.at)

    @property
    def orientation(self) -> float:
        """Current angle of the x-axis of a planar marker in global axes [rad]."""
        return float(self.body.angle) + self.angle

    @property
    def quaternion(self) -> tuple[float, float, float, float]:
        """Unit quaternion (w, x, y, z) of a spatial marker relative to the body axes."""
        return self.turning  # type: ignore[return-value]

    @property
    def axes(self) -> np.ndarray:
        """Axes of a spatial marker in body axes, as columns of a rotation matrix."""
        return matrix_of(self.turning)

    @property
    def frame(self) -> np.ndarray:
        """Current axes of a spatial marker in global axes, as columns."""
        return matrix_of(self.body.orientation) @ self.axes


AttachmentLike: TypeAlias = BodyLike | Marker
"""Body (its centre of mass) or marker to which an element is attached."""


def rotate(point: tuple[float, ...], angle: float) -> tuple[float, float]:
    """Return a planar vector rotated by ``angle`` [rad]."""
    c, s = math.cos(angle), math.sin(angle)
    return (c * point[0] - s * point[1], s * point[0] + c * point[1])


def as_marker(
    owner: str, where: AttachmentLike, at: PointLike | None = None, orientation: float | np.ndarray | None = None
) -> Marker:
    """Return ``where`` if it is a marker, or the marker of a body that is currently at ``at`` in global axes [m].

    Without ``at`` it is at the centre of mass; ``orientation`` is its current one in global axes: an angle [rad] in 2D,
    axes as the columns of a matrix in 3D.
    """
    if isinstance(where, Marker):
        return where if orientation is None else _turned(owner, where.body, where.at, orientation)
    body_of(owner, where, "a Body, system.ground or a Marker")
    size = len(where.position)
    local = (0.0,) * size if at is None else to_axes(where, vector(owner, "at", at, size))
    return Marker(where, local) if orientation is None else _turned(owner, where, local, orientation)


def _turned(owner: str, body: BodyLike, at: tuple[float, ...], orientation: float | np.ndarray) -> Marker:
    if len(body.position) == 2:
        return Marker(body, at, orientation - body.angle)  # type: ignore[arg-type]
    if np.shape(orientation) != (3, 3):
        raise ModelError(f"{owner}: needs planar bodies, got {short_repr(body)}")
    return Marker(body, at, 0.0, matrix_of(body.orientation).T @ orientation)


def body_of(owner: str, body: Any, expected: str = "a Body or system.ground") -> Any:
    """Return ``body``; raise if it is not a body."""
    if isinstance(body, Marker) or not hasattr(body, "position") or not hasattr(body, "angular_velocity"):
        raise ModelError(f"{owner}: expected {expected}, got {short_repr(body)}")
    return body


def coincident_markers(
    owner: str, a: AttachmentLike, b: AttachmentLike, at: PointLike | AttachmentLike | None
) -> tuple[Marker, Marker]:
    """Return markers on ``a`` and ``b`` that currently coincide, at ``at`` [m] or at the marker among them.

    ``at`` may be a body: its centre of mass, if neither is a marker.
    """
    markers = [m for m in (a, b) if isinstance(m, Marker)]
    if at is None or hasattr(at, "position"):
        attachment = markers[0] if markers else at
        if attachment is None:
            raise ModelError(f"{owner}: set at=(x, y), in 3D (x, y, z), the common point in global axes, "
                             "or use markers on the bodies")  # fmt: skip
        at = attachment.position
    return as_marker(owner, a, at), as_marker(owner, b, at)


def axis_angle(owner: str, axis: VectorLike) -> float:
    """Return the angle of a planar direction [rad]."""
    x, y = unit_vector(owner, "axis", axis, 2)
    return math.atan2(y, x)
