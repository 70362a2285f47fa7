"""Copies of shapes on another body, moved to its axes."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from carom.geometry.rotation import matrix_of, quaternion_of, rotation
from carom.geometry.shapes.base import Shape
from carom.typing import BodyLike

POINTS = ("at", "start", "end", "a", "b", "c")
"""Arguments of shapes that are points."""
DIRECTIONS = ("axis", "normal", "axis_u", "axis_v")
"""Arguments of shapes that are directions."""


def moved(shape: Shape, body: BodyLike, origin: np.ndarray, axes: np.ndarray) -> Shape:
    """Return the shape on another body, whose origin and axes (columns) are given in the axes of the present one.

    Planar shapes are only shifted.
    """
    values = shape.keywords()
    values["body"] = body
    if shape.planar:
        return _shifted(shape, values, origin)

    def point(value: Any) -> np.ndarray:
        return axes.T @ ((*value, 0.0)[:3] - origin)

    def direction(value: Any) -> np.ndarray:
        return axes.T @ np.asarray(value, float)

    changes: dict[str, Callable[[Any], Any]] = dict.fromkeys(POINTS, point) | dict.fromkeys(DIRECTIONS, direction)
    for name in (*POINTS, *DIRECTIONS):
        if hasattr(shape, name) and name in _arguments(shape):
            values[name] = tuple(float(part) for part in changes[name](getattr(shape, name)))
    if "orientation" in _arguments(shape):
        present = matrix_of(rotation(shape.label, "orientation", shape.orientation))  # type: ignore[attr-defined]
        values["orientation"] = quaternion_of(axes.T @ present)
    return type(shape)(**values)


def _shifted(shape: Shape, values: dict[str, Any], origin: np.ndarray) -> Shape:
    """Return a planar shape on another body, whose origin is given in the axes of the present one."""
    for name in POINTS:
        if hasattr(shape, name) and name in _arguments(shape):
            values[name] = tuple(float(x) for x in np.asarray(getattr(shape, name), float)[:2] - origin[:2])
    return type(shape)(**values)


def _arguments(shape: Shape) -> tuple[str, ...]:
    """Return the names of the arguments of the constructor of a shape."""
    import inspect

    return tuple(inspect.signature(type(shape)).parameters)
