"""Balls around shapes, to see at a glance that two are far apart."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from carom.geometry.shapes import Shape

Bound = tuple[tuple[float, float, float], float]
"""Centre in the body's own axes and radius [m]."""


def ball_around(shape: Shape) -> Bound | None:
    """A ball that holds the whole ``shape``; None for one that has no end, or whose extent is not known."""
    maker = BALLS.get(shape.kind)
    return None if maker is None else maker(shape)


def _around(points: Any, radius: float = 0.0) -> Bound:
    points = np.asarray(points, float)
    middle = 0.5 * (points.min(axis=0) + points.max(axis=0))
    x, y, z = (float(part) for part in middle)
    return (x, y, z), float(np.linalg.norm(points - middle, axis=1).max()) + radius


BALLS: dict[str, Any] = {
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
