"""Bounding boxes along the axes of a body, for the search of neighbours among many bodies."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

BoundingBox = tuple[np.ndarray, np.ndarray]
"""Centre (3,) and half sides (3,) [m]; these are infinite for a shape of infinite or unknown extent."""


def unbounded() -> BoundingBox:
    """Return the box of infinite size."""
    return np.zeros(3), np.full(3, math.inf)


def box_around(points: Sequence[Sequence[float]] | np.ndarray, radius: float = 0.0) -> BoundingBox:
    """Return the box around spheres of one ``radius`` [m] about ``points`` (n, 3) [m]."""
    points = np.asarray(points, float)
    low, high = points.min(axis=0), points.max(axis=0)
    return 0.5 * (low + high), 0.5 * (high - low) + radius


def circle_half_sides(axis: Sequence[float]) -> np.ndarray:
    """Return the half sides of the box around a circle of radius 1 perpendicular to the unit vector ``axis``."""
    return np.sqrt(np.maximum(1.0 - np.array(axis) ** 2, 0.0))
