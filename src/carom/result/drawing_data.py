"""Drawing data of a model: shapes and joints as plain numbers, in the axes of their bodies."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Any

import numpy as np

GROUND = "ground"
"""Name of the body whose axes are the global ones."""

Numbers = tuple[float, ...]

_FILE_KEYS = {"extent_points": "spots"}
"""Keys of result files for fields whose names differ from them."""


@dataclass(frozen=True, eq=False)
class DrawnShape:
    """Shape fixed on a body; stored once for all contacts that use it.

    Parameters
    ----------
    body, kind : name of the body; class name of the shape, e.g. "Sphere".
    at, radius : centre [m] and radius [m] of a sphere. ``at`` is a point of a plane; ``radius`` applies about the
        ``extent_points``.
    normal : outward normal of a plane, which is infinite.
    inside : True if the shape encloses the other body.
    one_sided : True if the solid lies on the right-hand side of an open ``line``.
    line : (n, 2) points along the contour of a planar shape [m].
    extent_points : (m, 2) points of a planar shape [m]; the shape lies within ``radius`` about them.
    vertices, faces : (n, 3) and (m, 3) triangles of a shape in 3D; None for spheres and planes.
    """

    body: str
    kind: str
    at: Numbers = ()
    radius: float = 0.0
    normal: Numbers = ()
    inside: bool = False
    one_sided: bool = False
    line: np.ndarray | None = None
    extent_points: np.ndarray | None = None
    vertices: np.ndarray | None = None
    faces: np.ndarray | None = None

    @property
    def is_plane(self) -> bool:
        """True for an infinite plane."""
        return self.kind == "Plane"


@dataclass(frozen=True, eq=False)
class DrawnLink:
    """Joint or force between a point of body ``a`` and a point of body ``b``.

    Parameters
    ----------
    name, kind : name and class name of the element, e.g. "Revolute".
    a, b, at_a, at_b : names of the bodies, and the point of each in its own axes [m].
    axis : axis of a translation or rotation in the axes of ``a``: an angle [rad] in 2D, a direction in 3D.
    sizes : radius of a pinion; length, width and clearance of a slider; radii of a bearing and its journal [m].
    corners : corners of a slider with clearance in the axes of ``b``, in cyclic order [m].
    slot : (n, 2) points of a curved slot in the axes of ``a`` [m].
    """

    name: str
    kind: str
    a: str
    b: str
    at_a: Numbers
    at_b: Numbers
    axis: float | Numbers = 0.0
    sizes: Numbers = ()
    corners: tuple[Numbers, ...] = ()
    slot: np.ndarray | None = None


@dataclass(frozen=True, eq=False)
class DrawingData:
    """Shapes and links of a system, the direction of gravity, and a table of its elements.

    ``element_table`` has one row per joint, force and contact: name, kind, bodies, and the laws with their parameters.
    """

    dim: int
    gravity: Numbers
    shapes: tuple[DrawnShape, ...] = ()
    links: tuple[DrawnLink, ...] = ()
    element_table: tuple[tuple[str, str, str, str], ...] = ()

    def to_plain(self) -> dict[str, Any]:
        """Return built-in types and arrays, as result files store them, without default values."""
        return {
            "dim": self.dim, "gravity": self.gravity, "words": self.element_table,
            "skins": [_plain(shape) for shape in self.shapes], "links": [_plain(link) for link in self.links],
        }  # fmt: skip

    @classmethod
    def from_plain(cls, plain: dict[str, Any]) -> DrawingData:
        """Return the drawing data that `to_plain` was called on."""
        names = {key: name for name, key in _FILE_KEYS.items()}
        shapes = tuple(DrawnShape(**{names.get(key, key): v for key, v in item.items()}) for item in plain["skins"])
        links = tuple(DrawnLink(**item) for item in plain["links"])
        return cls(plain["dim"], plain["gravity"], shapes, links, plain["words"])


def _plain(item: DrawnShape | DrawnLink) -> dict[str, Any]:
    """Return the fields of ``item`` that differ from their defaults, by their keys in result files."""
    values = {field.name: (getattr(item, field.name), field.default) for field in fields(item)}
    return {
        _FILE_KEYS.get(name, name): value
        for name, (value, default) in values.items()
        if value is not default and (isinstance(value, np.ndarray) or value != default)
    }
