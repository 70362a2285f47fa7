"""Registry of shapes by name. A new shape is one new file and one line here."""

from __future__ import annotations

from carom.geometry.curve import Curve
from carom.geometry.mesh import Mesh
from carom.geometry.shapes import Plane, Point, Segment, Shape, Sphere
from carom.geometry.solids import Box, Cone, Cylinder, Torus
from carom.geometry.surface import Surface
from carom.geometry.thin_shapes import Disc, Rectangle, Triangle
from carom.geometry.union import Union

SHAPES: dict[str, type[Shape]] = {
    shape.__name__: shape
    for shape in (
        *(Point, Sphere, Segment, Plane, Curve),
        *(Triangle, Rectangle, Disc, Cylinder, Cone, Torus, Box, Mesh, Surface, Union),
    )
}
