"""Geometry of drawn shapes: filled contours in 2D, triangles in 3D."""

from __future__ import annotations

from itertools import product

import numpy as np

from carom.geometry.drawing import DrawnShape
from carom.geometry.rotation import frame_along
from carom.geometry.tessellation import Triangles, polygon_triangles, sphere_triangles, square_triangles

PLANE_MARGIN = 0.04
"""Margin of a drawn plane beyond the picture, as a fraction of the largest side of the picture [-]."""


def is_solid_inside(shape: DrawnShape) -> bool:
    """Return True if a planar shape is solid inside its contour."""
    line = np.asarray(shape.line)
    closed = np.allclose(line[0], line[-1], rtol=0.0, atol=1e-9 * float(np.ptp(line)))
    return not shape.one_sided and closed and not shape.inside


def shape_triangles(shape: DrawnShape, extent: float = 1.0) -> Triangles:
    """Return the triangles of a shape in 3D; those of an infinite plane form a square of side ``extent`` [m]."""
    if shape.vertices is not None and shape.faces is not None:
        return shape.vertices, shape.faces
    if shape.is_plane:
        return square_triangles(shape.at, shape.normal, extent)
    return sphere_triangles(shape.at, shape.radius)


def plane_triangles(plane: DrawnShape, low: np.ndarray, high: np.ndarray) -> Triangles:
    """Return a rectangle of a fixed plane that contains the projection of the box from ``low`` to ``high`` [m]."""
    x, y, _ = frame_along(plane.normal).T
    at = np.array(plane.at)
    box = low + np.array(list(product((0, 1), repeat=3))) * (high - low)
    margin = PLANE_MARGIN * float((high - low).max())
    u, v = (box - at) @ x, (box - at) @ y
    u0, u1, v0, v1 = u.min() - margin, u.max() + margin, v.min() - margin, v.max() + margin
    return polygon_triangles(*(at + a * x + b * y for a, b in ((u0, v0), (u1, v0), (u1, v1), (u0, v1))))
