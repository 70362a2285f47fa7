"""Bounding spheres, for a quick test that two shapes are separated."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

BoundingSphere = tuple[tuple[float, float, float], float]
"""Centre in body axes and radius [m]."""


def sphere_around(points: Sequence[Sequence[float]] | np.ndarray, radius: float = 0.0) -> BoundingSphere:
    """Return a sphere around points, larger by ``radius`` [m]."""
    points = np.asarray(points, float)
    centre = 0.5 * (points.min(axis=0) + points.max(axis=0))
    x, y, z = (float(part) for part in centre)
    return (x, y, z), float(np.linalg.norm(points - centre, axis=1).max()) + radius
