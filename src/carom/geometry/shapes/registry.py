"""Registry of shapes by name. A new shape is one new file, and its import and name here."""

from __future__ import annotations

from carom.geometry.shapes.base import Shape
from carom.geometry.shapes.box import Box
from carom.geometry.shapes.cone import Cone
from carom.geometry.shapes.convex_hull import ConvexHull
from carom.geometry.shapes.curve import Curve
from carom.geometry.shapes.cylinder import Cylinder
from carom.geometry.shapes.disc import Disc
from carom.geometry.shapes.ellipsoid import Ellipsoid
from carom.geometry.shapes.mesh import Mesh
from carom.geometry.shapes.plane import Plane
from carom.geometry.shapes.point import Point
from carom.geometry.shapes.polygon import Polygon
from carom.geometry.shapes.rectangle import Rectangle
from carom.geometry.shapes.segment import Segment
from carom.geometry.shapes.sphere import Sphere
from carom.geometry.shapes.surface import Surface
from carom.geometry.shapes.torus import Torus
from carom.geometry.shapes.triangle import Triangle
from carom.geometry.shapes.union import Union

__all__ = [  # noqa: RUF022  the order of the documentation
    "Point",
    "Sphere",
    "Segment",
    "Plane",
    "Curve",
    "Polygon",
    "Triangle",
    "Rectangle",
    "Disc",
    "Cylinder",
    "Cone",
    "Torus",
    "Box",
    "Ellipsoid",
    "ConvexHull",
    "Mesh",
    "Surface",
    "Union",
]

SHAPES: dict[str, type[Shape]] = {name: globals()[name] for name in __all__}
"""Shapes by name; all are public names of `carom`."""
