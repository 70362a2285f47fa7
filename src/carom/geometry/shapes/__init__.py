"""Shapes on bodies: one file per shape."""

from carom.geometry.shapes.base import Shape
from carom.geometry.shapes.box import Box
from carom.geometry.shapes.cone import Cone
from carom.geometry.shapes.curve import Curve
from carom.geometry.shapes.cylinder import Cylinder
from carom.geometry.shapes.disc import Disc
from carom.geometry.shapes.mesh import Mesh
from carom.geometry.shapes.plane import Plane
from carom.geometry.shapes.point import Point
from carom.geometry.shapes.rectangle import Rectangle
from carom.geometry.shapes.segment import Segment
from carom.geometry.shapes.sphere import Sphere
from carom.geometry.shapes.surface import Surface
from carom.geometry.shapes.torus import Torus
from carom.geometry.shapes.triangle import Triangle
from carom.geometry.shapes.union import Union

__all__ = [
    "Box",
    "Cone",
    "Curve",
    "Cylinder",
    "Disc",
    "Mesh",
    "Plane",
    "Point",
    "Rectangle",
    "Segment",
    "Shape",
    "Sphere",
    "Surface",
    "Torus",
    "Triangle",
    "Union",
]
