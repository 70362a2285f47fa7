"""Bounding spheres of shapes, for a quick test that two shapes are separated."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from carom.geometry.shapes import Shape

Bound = tuple[tuple[float, float, float], float]
"""Centre in body axes and radius [m]."""


def bounding_sphere(shape: Shape) -> Bound | None:
    """Return a sphere that contains the whole ``shape``; None for an infinite or unknown extent."""
    compute = BOUNDING_SPHERES.get(shape.kind)
    return None if compute is None else compute(shape)


def _around(points: Any, radius: float = 0.0) -> Bound:
    """Return a sphere around points, larger by ``radius`` [m]."""
    points = np.asarray(points, float)
    middle = 0.5 * (points.min(axis=0) + points.max(axis=0))
    x, y, z = (float(part) for part in middle)
    return (x, y, z), float(np.linalg.norm(points - middle, axis=1).max()) + radius


BOUNDING_SPHERES: dict[str, Any] = {
    "Sphere": lambda shape: None if shape.inside else (shape.at, shape.radius),
    "Segment": lambda shape: _around([shape.start, shape.end], shape.radius),
    "Triangle": lambda shape: _around([shape.a, shape.b, shape.c]),
    "Rectangle": lambda shape: (shape.at, math.hypot(shape.half_u, shape.half_v)),
    "Disc": lambda shape: (shape.at, shape.radius),
    "Cylinder": lambda shape: (shape.at, math.hypot(shape.radius, shape.half_length)),
    "Cone": lambda shape: (shape.at, math.hypot(max(shape.radius, shape.end_radius), shape.half_length)),
    "Torus": lambda shape: None if shape.inside else (shape.at, shape.radius + shape.tube_radius),
    "Box": lambda shape: (shape.at, math.hypot(*shape.half)),
    "Mesh": lambda shape: _around(shape.vertices),
    "Surface": lambda shape: _around(shape.points().reshape(-1, 3), shape.reach),
}
"""Computation of the bounding sphere by kind of shape."""
