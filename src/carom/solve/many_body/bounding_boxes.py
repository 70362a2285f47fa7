"""How far shapes reach, in the axes of their bodies."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from carom.geometry.faces import Disc, Rectangle, Triangle
from carom.geometry.mesh import Mesh
from carom.geometry.shapes import Point, Segment, Shape, Sphere
from carom.geometry.solids import Box, Cone, Torus


def is_ball(shape: Shape) -> bool:
    """A ball about the centre of mass of its body."""
    return isinstance(shape, Sphere | Point) and not shape.inside and not any(shape.at)


def extent(shape: Any) -> tuple[np.ndarray, np.ndarray]:
    """The middle of the box about a shape, and half its sides; endless where what is behind its skin is."""
    if isinstance(shape, Sphere | Point) and not shape.inside:
        return np.array(shape.at), np.full(3, shape.radius)
    if isinstance(shape, Segment):
        return _about(np.array([shape.start, shape.end]), shape.radius)
    if isinstance(shape, Triangle):
        return _about(np.array([shape.a, shape.b, shape.c]))
    if isinstance(shape, Rectangle):
        along, across = shape.half_u * np.array(shape.axis_u), shape.half_v * np.array(shape.axis_v)
        return np.array(shape.at), np.abs(along) + np.abs(across)
    if isinstance(shape, Disc):
        return np.array(shape.at), shape.radius * _across(shape.axis)
    if isinstance(shape, Cone):
        axis = np.array(shape.axis)
        half = shape.half_length * np.abs(axis) + max(shape.radius, shape.end_radius) * _across(shape.axis)
        return np.array(shape.at), half
    if isinstance(shape, Torus) and not shape.inside:
        return np.array(shape.at), shape.radius * _across(shape.axis) + shape.tube_radius
    if isinstance(shape, Box):
        return np.array(shape.at), np.abs(shape.axes) @ np.array(shape.half)
    if isinstance(shape, Mesh):
        return _about(shape.vertices)
    return np.zeros(3), np.full(3, math.inf)


def size(shape: Any) -> float:
    """Radius of a ball, else half the smallest side of the shape's box that is one [m]."""
    half = extent(shape)[1]
    return float(half[half > 0.0].min(initial=math.inf))


def reach(shape: Any) -> float:
    """Distance of its farthest point from the centre of mass of its body, at most [m]."""
    middle, half = extent(shape)
    return float(np.linalg.norm(np.abs(middle) + half))


def _about(points: np.ndarray, radius: float = 0.0) -> tuple[np.ndarray, np.ndarray]:
    low, high = points.min(axis=0), points.max(axis=0)
    return 0.5 * (low + high), 0.5 * (high - low) + radius


def _across(axis: Any) -> np.ndarray:
    """Half the sides of the box about a unit circle."""
    return np.sqrt(np.maximum(1.0 - np.array(axis) ** 2, 0.0))
