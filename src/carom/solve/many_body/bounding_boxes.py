"""Sizes of shapes from their bounding boxes."""

from __future__ import annotations

import math

import numpy as np

from carom.geometry.shapes import Shape


def smallest_half_side(shape: Shape) -> float:
    """Return half the smallest side of the bounding box that is not zero [m]; for a sphere its radius."""
    half = shape.bounding_box()[1]
    return float(half[half > 0.0].min(initial=math.inf))


def extent(shape: Shape) -> float:
    """Return an upper bound of the distance of the shape's points from the centre of mass of its body [m]."""
    centre, half = shape.bounding_box()
    return float(np.linalg.norm(np.abs(centre) + half))
