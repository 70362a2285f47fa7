"""Shapes and elements as plain numbers for drawings, in the axes of their bodies."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

import numpy as np

GROUND = "ground"
"""Name of the body whose axes are the global ones."""


class Symbol(StrEnum):
    """Symbol of a joint or force in the drawing of a mechanism; each element class names its own."""

    NONE = "none"
    PIN = "pin"
    BEARING = "bearing"
    """Bearing and journal to scale."""
    WELD = "weld"
    SLIDER = "slider"
    GUIDE = "guide"
    """Slider with clearance in its guide, to scale."""
    PIN_ON_LINE = "pin on line"
    PIN_IN_SLOT = "pin in slot"
    PINION = "pinion"
    ROD = "rod"
    SPRING = "spring"
    LIGAMENT = "ligament"
    BUSHING = "bushing"

    @property
    def slides(self) -> bool:
        """True if a point of the second body moves along a line of the first one."""
        return self in (Symbol.SLIDER, Symbol.GUIDE, Symbol.PIN_ON_LINE)

    @property
    def has_rail(self) -> bool:
        """True if the second body moves along a rail of the first one."""
        return self in (Symbol.SLIDER, Symbol.PIN_ON_LINE, Symbol.PINION)

    @property
    def has_support(self) -> bool:
        """True if a fixed first body is drawn as a support."""
        return not self.slides and self not in (Symbol.PINION, Symbol.PIN_IN_SLOT)

    @property
    def spans_bodies(self) -> bool:
        """True if it is drawn as a line from body to body in 3D; others are rods from the bodies to the joint."""
        return self in (Symbol.ROD, Symbol.SPRING, Symbol.LIGAMENT, Symbol.BUSHING)


@dataclass(frozen=True, eq=False)
class DrawnShape:
    """Shape fixed on a body; stored once for all contacts that use it.

    Parameters
    ----------
    body, kind
        name of the body; class name of the shape, e.g. "Sphere".
    at, radius
        centre [m] and radius [m] of a sphere. ``at`` is a point of a plane; ``radius`` applies about the
        ``extent_points``.
    normal
        outward normal of an infinite plane; empty for other shapes.
    inside
        True if the shape encloses the other body.
    one_sided
        True if the solid lies on the right-hand side of an open ``line``.
    line
        (n, 2) points along the contour of a planar shape [m].
    extent_points
        (m, 2) points of a planar shape [m]; the shape lies within ``radius`` about them.
    vertices, faces
        (n, 3) and (m, 3) triangles of a shape in 3D; None for spheres and planes.
    colour, opacity
        "#rrggbb", empty for that of the body; opacity [-], None for that of its kind.
    """

    body: str
    kind: str
    at: tuple[float, ...] = ()
    radius: float = 0.0
    normal: tuple[float, ...] = ()
    inside: bool = False
    one_sided: bool = False
    line: np.ndarray | None = None
    extent_points: np.ndarray | None = None
    vertices: np.ndarray | None = None
    faces: np.ndarray | None = None
    colour: str = ""
    opacity: float | None = None

    @property
    def is_plane(self) -> bool:
        """True for an infinite plane."""
        return len(self.normal) > 0

    @property
    def is_point(self) -> bool:
        """True for a planar shape without size."""
        return self.radius == 0.0 and self._n_extent_points == 1

    @property
    def is_capsule(self) -> bool:
        """True for a planar shape of all points within ``radius`` about a centre or a straight segment."""
        return self._n_extent_points in (1, 2) and not self.is_point

    @property
    def _n_extent_points(self) -> int:
        return 0 if self.extent_points is None else len(self.extent_points)


@dataclass(frozen=True, eq=False)
class DrawnLink:
    """Joint or force between a point of body ``a`` and a point of body ``b``.

    Parameters
    ----------
    name, kind
        name and class name of the element, e.g. "Revolute".
    a, b, at_a, at_b
        names of the bodies, and the point of each in its own axes [m].
    axis
        axis of a translation or rotation in the axes of ``a``: an angle [rad] in 2D, a direction in 3D.
    sizes
        radius of a pinion; length, width and clearance of a slider; radii of a bearing and its journal [m].
    corners
        corners of a slider with clearance in the axes of ``b``, in cyclic order [m].
    slot
        (n, 2) points of a curved slot in the axes of ``a`` [m].
    symbol
        symbol of the element in 2D; in 3D it tells lines between bodies from joints.
    """

    name: str
    kind: str
    a: str
    b: str
    at_a: tuple[float, ...]
    at_b: tuple[float, ...]
    axis: float | tuple[float, ...] = 0.0
    sizes: tuple[float, ...] = ()
    corners: tuple[tuple[float, ...], ...] = ()
    slot: np.ndarray | None = None
    symbol: Symbol = Symbol.NONE
