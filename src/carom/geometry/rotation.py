"""Rotations in 3D for Python code: unit quaternions (w, x, y, z) and rotation matrices."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from carom.argument_checks import limit_length, short_repr, vector
from carom.errors import ModelError

ORTHOGONALITY_TOLERANCE = 1e-9
"""Largest deviation of a rotation matrix from orthogonality [-]."""
UNIT_TOLERANCE = 1e-15
"""Deviation from unit length below which a quaternion is not scaled [-], so that scaling twice changes nothing."""


def matrix_of(quaternion: Any) -> np.ndarray:
    """Return the rotation matrix of a unit quaternion, with the rotated axes as columns; (n, 3, 3) for (n, 4)."""
    w, x, y, z = np.asarray(quaternion, float).T
    matrix = np.array([
        [1.0 - 2.0 * (y * y + z * z), 2.0 * (x * y - w * z), 2.0 * (x * z + w * y)],
        [2.0 * (x * y + w * z), 1.0 - 2.0 * (x * x + z * z), 2.0 * (y * z - w * x)],
        [2.0 * (x * z - w * y), 2.0 * (y * z + w * x), 1.0 - 2.0 * (x * x + y * y)],
    ])  # fmt: skip
    return matrix if matrix.ndim == 2 else np.moveaxis(matrix, 2, 0)


def quaternion_of(matrix: np.ndarray) -> tuple[float, float, float, float]:
    """Return the unit quaternion of a rotation matrix, with w ≥ 0; from its largest component to avoid cancellation."""
    m = matrix
    squares = np.array([
        1.0 + m[0, 0] + m[1, 1] + m[2, 2],
        1.0 + m[0, 0] - m[1, 1] - m[2, 2],
        1.0 - m[0, 0] + m[1, 1] - m[2, 2],
        1.0 - m[0, 0] - m[1, 1] + m[2, 2],
    ])  # fmt: skip
    products = {
        0: (squares[0], m[2, 1] - m[1, 2], m[0, 2] - m[2, 0], m[1, 0] - m[0, 1]),
        1: (m[2, 1] - m[1, 2], squares[1], m[0, 1] + m[1, 0], m[0, 2] + m[2, 0]),
        2: (m[0, 2] - m[2, 0], m[0, 1] + m[1, 0], squares[2], m[1, 2] + m[2, 1]),
        3: (m[1, 0] - m[0, 1], m[0, 2] + m[2, 0], m[1, 2] + m[2, 1], squares[3]),
    }
    q = np.array(products[int(np.argmax(squares))])
    q /= math.copysign(float(np.linalg.norm(q)), q[0] if q[0] != 0.0 else 1.0)
    return tuple(float(part) for part in q)  # type: ignore[return-value]


def product(a: Any, b: Any) -> tuple[float, float, float, float]:
    """Return the product a b: the rotation ``b``, then ``a``."""
    aw, ax, ay, az = a
    bw, bx, by, bz = b
    return (
        aw * bw - ax * bx - ay * by - az * bz,
        aw * bx + ax * bw + ay * bz - az * by,
        aw * by - ax * bz + ay * bw + az * bx,
        aw * bz + ax * by - ay * bx + az * bw,
    )


def about(axis: Any, angle: float) -> tuple[float, float, float, float]:
    """Return the rotation by ``angle`` [rad] about the unit vector ``axis``."""
    s = math.sin(0.5 * angle)
    return (math.cos(0.5 * angle), s * axis[0], s * axis[1], s * axis[2])


def rotation(owner: str, what: str, value: Any) -> tuple[float, float, float, float]:
    """Return a unit quaternion from four numbers (w, x, y, z), a 3×3 rotation matrix or a SciPy Rotation."""
    if hasattr(value, "as_matrix") and np.shape(value.as_matrix()) == (3, 3):
        return quaternion_of(np.asarray(value.as_matrix(), float))
    accepted = "a quaternion (w, x, y, z), a 3×3 rotation matrix or a SciPy Rotation"
    try:
        numbers = np.asarray(limit_length(owner, what, value), float)
    except (TypeError, ValueError, OverflowError):
        raise ModelError(f"{owner}: {what} must be {accepted}, got {short_repr(value)}") from None
    if numbers.shape == (3, 3):
        if (
            not np.allclose(numbers @ numbers.T, np.eye(3), rtol=0.0, atol=ORTHOGONALITY_TOLERANCE)
            or np.linalg.det(numbers) < 0.0
        ):
            raise ModelError(
                f"{owner}: {what} must be a rotation matrix, right-handed and orthogonal, got {short_repr(value)}"
            )
        return quaternion_of(numbers)
    if numbers.shape != (4,):
        raise ModelError(f"{owner}: {what} must be {accepted}, got {short_repr(value)}")
    w, x, y, z = vector(owner, what, value, 4)
    length = math.hypot(w, x, y, z)
    if length == 0.0:
        raise ModelError(f"{owner}: {what} must not be zero, got {short_repr(value)}; use (1, 0, 0, 0) for no rotation")
    if abs(length - 1.0) <= UNIT_TOLERANCE:
        return (w, x, y, z)
    return (w / length, x / length, y / length, z / length)


def frame_along(direction: Any, towards: Any = None) -> np.ndarray:
    """Return a right-handed frame, with its axes as columns and the unit vector ``direction`` as z-axis.

    The x-axis is the component of ``towards`` perpendicular to it; by default of the global axis most perpendicular.
    """
    z = np.asarray(direction, float)
    if towards is None:
        towards = np.eye(3)[int(np.argmin(np.abs(z)))]
    x = np.asarray(towards, float) - (z @ np.asarray(towards, float)) * z
    x /= np.linalg.norm(x)
    return np.column_stack([x, np.cross(z, x), z])
