"""Bodies with the mass, centre and inertia of shapes of given density."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from carom.argument_checks import is_list, limit_length, one_of, positive, short_repr
from carom.errors import ModelError
from carom.geometry.mass_properties import MassProperties, total, volume_properties
from carom.geometry.pose import from_axes
from carom.geometry.rotation import matrix_of, quaternion_of
from carom.geometry.shapes import Mesh, Shape
from carom.geometry.shapes.moved_shape import moved

AXES = ("shapes", "principal")
"""Axes of the body: those of the shapes, or the principal axes of inertia."""


def from_shapes(
    cls: Any, name: str, shapes: Any, density: Any, thickness: float | None, axes: str, motion: dict[str, Any]
) -> Any:
    """Return the body of `Body.from_shapes`."""
    owner = f"Body {name!r}"
    one_of(owner, "axes", axes, AXES)
    parts = _checked(owner, shapes)
    planar = parts[0].planar
    if planar and axes != "shapes":
        raise ModelError(f"{owner}: axes='principal' is for spatial bodies; omit axes")
    densities = _densities(owner, density, len(parts))
    whole = total([
        _weighted(owner, shape, value, thickness) for shape, value in zip(parts, densities, strict=True)
    ])  # fmt: skip
    draft = parts[0].body
    turn = _principal_axes(whole.inertia) if axes == "principal" else np.eye(3)
    if "position" not in motion:
        motion["position"] = from_axes(draft, tuple(whole.centre[: 2 if planar else 3]))
    if planar:
        motion.setdefault("angle", draft.angle)
        body = cls(name, whole.mass, whole.inertia[2, 2], **motion)
    else:
        motion.setdefault("orientation", quaternion_of(matrix_of(draft.orientation) @ turn))
        body = cls(name, whole.mass, turn.T @ whole.inertia @ turn, **motion)
    body._shapes = tuple(moved(shape, body, whole.centre, turn) for shape in parts)
    return body


def from_mesh(
    cls: Any, mesh: Any, density: float, name: str | None, scale: float, axes: str, motion: dict[str, Any]
) -> Any:
    """Return the body of `Body.from_mesh`."""
    is_file = not (isinstance(mesh, (tuple, list)) and len(mesh) == 2)
    label = (Path(mesh).stem if is_file and isinstance(mesh, (str, Path)) else "part") if name is None else name
    draft = cls(label, 0.0, position=(0.0, 0.0, 0.0))
    return from_shapes(cls, label, [Mesh(draft, mesh, scale=scale)], density, None, axes, motion)


def _checked(owner: str, shapes: Any) -> tuple[Shape, ...]:
    """Return the shapes, which must be on one body, or raise."""
    if isinstance(shapes, Shape):
        shapes = [shapes]
    if not is_list(shapes):
        raise ModelError(f"{owner}: shapes must be a list of shapes, got {short_repr(shapes)}")
    parts = tuple(limit_length(owner, "shapes", shapes))
    if not parts:
        raise ModelError(f"{owner}: shapes must contain shapes such as Box or Cylinder, got none")
    for shape in parts:
        if not isinstance(shape, Shape):
            raise ModelError(f"{owner}: shapes must contain shapes such as Box or Cylinder, got {short_repr(shape)}")
        if shape.body is not parts[0].body:
            raise ModelError(
                f"{owner}: all shapes must be on one body, whose axes they are drawn in, got {shape.label} and "
                f"{parts[0].label}"
            )
    return parts


def _densities(owner: str, density: Any, count: int) -> Sequence[float]:
    """Return a density for each shape."""
    if not is_list(density):
        return [positive(owner, "density", density)] * count
    values = [positive(owner, f"density[{k}]", value) for k, value in enumerate(density)]
    if len(values) != count:
        raise ModelError(f"{owner}: density must be a number or one number per shape, got {len(values)} for {count}")
    return values


def _weighted(owner: str, shape: Shape, density: float, thickness: float | None) -> MassProperties:
    """Return the mass properties of a shape; those without thickness need one."""
    properties = volume_properties(owner, shape)
    is_flat = shape.planar or shape.thin
    if not is_flat:
        return properties.times(density)
    if thickness is None:
        raise ModelError(f"{owner}: {shape.label} has an area; set thickness= [m], 1.0 for a density in kg/m²")
    return properties.times(density * positive(owner, "thickness", thickness))


def _principal_axes(inertia: np.ndarray) -> np.ndarray:
    """Return the principal axes as columns of a rotation matrix, with increasing moments of inertia."""
    _, axes = np.linalg.eigh(inertia)
    axes = axes * np.where(axes[np.argmax(np.abs(axes), axis=0), range(3)] < 0.0, -1.0, 1.0)
    if np.linalg.det(axes) < 0.0:
        axes[:, 2] *= -1.0
    result: np.ndarray = axes
    return result
