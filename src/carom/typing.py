"""Types of the arguments of public classes and functions."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from typing import Any, Literal, Protocol, TypeAlias

import numpy as np

PointLike: TypeAlias = Sequence[float] | np.ndarray
"""Coordinates of a point [m]: two in 2D, three in 3D."""

VectorLike: TypeAlias = Sequence[float] | np.ndarray
"""Components of a vector: two in 2D, three in 3D."""

MatrixLike: TypeAlias = Sequence[Sequence[float]] | Sequence[np.ndarray] | np.ndarray
"""Rows of numbers."""

GridLike: TypeAlias = Sequence[Sequence[Sequence[float]]] | np.ndarray
"""Points in rows and columns."""

RangeLike: TypeAlias = Sequence[float] | np.ndarray
"""Range (low, high) of a parameter."""

EdgeContact: TypeAlias = Literal["contact", "ignore"]
"""Contact at edges, rims and corners: as at faces, or none."""

ScalarFunction: TypeAlias = Callable[..., float]
"""Function of time, of time and state, or of quantities of an element, that returns a number."""

VectorFunction: TypeAlias = Callable[..., Sequence[float] | np.ndarray]
"""Function of time, or of time and state, that returns the components of a vector."""

FilePath: TypeAlias = str | os.PathLike[str]
"""Path of a file or folder."""


class RotationLike(Protocol):
    """Rotation object, such as ``scipy.spatial.transform.Rotation``."""

    def as_matrix(self) -> np.ndarray:
        """Return the rotation matrix."""


OrientationLike: TypeAlias = Sequence[float] | Sequence[Sequence[float]] | np.ndarray | RotationLike
"""Orientation of axes: unit quaternion (w, x, y, z), rotation matrix or rotation object."""


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


class ResultLike(Protocol):
    """Result of a run."""

    @property
    def t(self) -> np.ndarray:
        """Times of the nodes [s]."""

    def sample(self, times: Sequence[float]) -> Any:
        """Return the result at other times [s]."""


class Named(Protocol):
    """Body or element of a system, with its name."""

    @property
    def name(self) -> str | None:
        """Name of the object."""


ElementLike: TypeAlias = str | Named
"""Body or element of a system, or its name."""


class CurrentState(Protocol):
    """A simulation, or one node of a result: current values by name, and the time."""

    @property
    def time(self) -> float:
        """Time [s]."""

    def __getitem__(self, key: Any) -> Any:
        """Return the current values of a body or element; for an input or output its value."""
