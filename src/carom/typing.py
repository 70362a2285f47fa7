"""Types of the arguments of public classes and functions."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Protocol, TypeAlias

import numpy as np

PointLike: TypeAlias = Sequence[float] | np.ndarray
"""Coordinates of a point [m]: two in 2D, three in 3D."""

VectorLike: TypeAlias = Sequence[float] | np.ndarray
"""Components of a vector: two in 2D, three in 3D."""


class BodyLike(Protocol):
    """Body of a system, or its ground."""

    @property
    def name(self) -> str:
        """Name of the body."""

    @property
    def position(self) -> tuple[float, ...]:
        """Position of the centre of mass [m]: two coordinates in 2D, three in 3D."""

    @property
    def angle(self) -> float:
        """Rotation angle of a planar body [rad]."""

    @property
    def orientation(self) -> tuple[float, float, float, float]:
        """Unit quaternion (w, x, y, z) of a spatial body."""

    @property
    def angular_velocity(self) -> Any:
        """Angular velocity [rad/s]: a number in 2D, three components in 3D."""
