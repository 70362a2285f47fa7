"""Poses of bodies as pair kernels read them (see `carom.geometry.pairs.base.POSE`)."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from carom.geometry.rotation import matrix_of
from carom.typing import BodyLike, PointLike, VectorLike


def pose(position: Sequence[float], angle: float) -> np.ndarray:
    """Return the pose at ``position`` [m] (z = 0 for two coordinates), rotated by ``angle`` [rad] about z."""
    x, y, z = (*position, 0.0)[:3]
    c, s = math.cos(angle), math.sin(angle)
    return np.array([x, y, z, c, -s, 0.0, s, c, 0.0, 0.0, 0.0, 1.0])


def pose_of(body: BodyLike) -> np.ndarray:
    """Return the current pose of ``body``."""
    if len(body.position) == 2:
        return pose(body.position, body.angle)
    return np.array([*body.position, *matrix_of(body.orientation).ravel()])


def turned_by(body: BodyLike, vector: VectorLike, back: bool = False) -> tuple[float, ...]:
    """Return a vector of body axes in global axes, or the reverse if ``back``."""
    if len(body.position) == 2:
        c, s = math.cos(body.angle), math.sin(-body.angle if back else body.angle)
        return (c * vector[0] - s * vector[1], s * vector[0] + c * vector[1])
    matrix = matrix_of(body.orientation)
    return tuple(float(part) for part in (matrix.T if back else matrix) @ np.asarray(vector, float))


def from_axes(body: BodyLike, point: PointLike) -> tuple[float, ...]:
    """Return a point of body axes in global axes [m]."""
    return tuple(origin + part for origin, part in zip(body.position, turned_by(body, point), strict=True))


def to_axes(body: BodyLike, point: PointLike) -> tuple[float, ...]:
    """Return a point of global axes in body axes [m]."""
    return turned_by(body, [part - origin for part, origin in zip(point, body.position, strict=True)], back=True)
