"""Bounding boxes of shapes in the axes of their bodies."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from carom.geometry.mesh import Mesh
from carom.geometry.shapes import Point, Segment, Shape, Sphere
from carom.geometry.solids import Box, Cone, Torus
from carom.geometry.thin_shapes import Disc, Rectangle, Triangle


def is_centred_sphere(shape: Shape) -> bool:
    """Return True for a sphere about the centre of mass of its body."""
    return isinstance(shape, Sphere | Point) and not shape.inside and not any(shape.at)


def bounding_box(shape: Any) -> tuple[np.ndarray, np.ndarray]:
    """Return centre and half sides of the box about a shape [m]; infinite if the solid behind its surface is."""
    if isinstance(shape, Sphere | Point) and not shape.inside:
        return np.array(shape.at), np.full(3, shape.radius)
    if isinstance(shape, Segment):
        return _box_of_points(np.array([shape.start, shape.end]), shape.radius)
    if isinstance(shape, Triangle):
        return _box_of_points(np.array([shape.a, shape.b, shape.c]))
    if isinstance(shape, Rectangle):
        u, v = shape.half_u * np.array(shape.axis_u), shape.half_v * np.array(shape.axis_v)
        return np.array(shape.at), np.abs(u) + np.abs(v)
    if isinstance(shape, Disc):
        return np.array(shape.at), shape.radius * _circle_half_sides(shape.axis)
    if isinstance(shape, Cone):
        axis = np.array(shape.axis)
        half = shape.half_length * np.abs(axis) + max(shape.radius, shape.end_radius) * _circle_half_sides(shape.axis)
        return np.array(shape.at), half
    if isinstance(shape, Torus) and not shape.inside:
        return np.array(shape.at), shape.radius * _circle_half_sides(shape.axis) + shape.tube_radius
    if isinstance(shape, Box):
        return np.array(shape.at), np.abs(shape.axes) @ np.array(shape.half)
    if isinstance(shape, Mesh):
        return _box_of_points(shape.vertices)
    return np.zeros(3), np.full(3, math.inf)


def smallest_half_side(shape: Any) -> float:
    """Return half the smallest side of the bounding box that is not zero [m]; for a sphere its radius."""
    half = bounding_box(shape)[1]
    return float(half[half > 0.0].min(initial=math.inf))


def extent(shape: Any) -> float:
    """Return an upper bound of the distance of the shape's points from the centre of mass of its body [m]."""
    centre, half = bounding_box(shape)
    return float(np.linalg.norm(np.abs(centre) + half))


def _box_of_points(points: np.ndarray, radius: float = 0.0) -> tuple[np.ndarray, np.ndarray]:
    """Return centre and half sides of the box about spheres of one radius [m]."""
    low, high = points.min(axis=0), points.max(axis=0)
    return 0.5 * (low + high), 0.5 * (high - low) + radius


def _circle_half_sides(axis: Any) -> np.ndarray:
    """Return half the sides of the box about a circle of radius 1."""
    return np.sqrt(np.maximum(1.0 - np.array(axis) ** 2, 0.0))
