"""Bounding spheres of shapes, for a quick test that two shapes are separated."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from carom.geometry.shapes import Shape

Bound = tuple[tuple[float, float, float], float]
"""Centre in body axes and radius [m]."""


def bounding_sphere(shape: Shape) -> Bound | None:
    """Return a sphere that contains the whole ``shape``; None for an infinite or unknown extent."""
    return shape.bounding_sphere()


def sphere_around(points: Any, radius: float = 0.0) -> Bound:
    """Return a sphere around points, larger by ``radius`` [m]."""
    points = np.asarray(points, float)
    middle = 0.5 * (points.min(axis=0) + points.max(axis=0))
    x, y, z = (float(part) for part in middle)
    return (x, y, z), float(np.linalg.norm(points - middle, axis=1).max()) + radius
