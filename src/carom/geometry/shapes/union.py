"""Union of shapes."""

from __future__ import annotations

from typing import Any

import numpy as np

from carom.argument_checks import integer, short_repr
from carom.errors import ModelError
from carom.geometry.pairs.spot_selection import MAX_SPOTS
from carom.geometry.shapes.base import Shape
from carom.geometry.tessellation import Triangles, join_triangles


class Union(Shape):
    """Shapes of one body with one common contact: only the closest of them touches, at one place.

    With ``spots`` (2 … 16) they touch at up to so many separate places at once, each with its own history, such as a
    peg in two walls or a box on several steps; where two shapes meet in an edge, the closer one pushes.

    Use it for parts that meet in a convex edge, such as the cone and the tube of a funnel: as separate shapes both
    would touch there. Parts that meet in a concave corner, where a sphere may touch both, remain separate shapes.

    Examples
    --------
    >>> import carom as cm
    >>> ball = cm.Body("ball", mass=1.0, position=(0.0, 0.0, 1.0))
    >>> funnel = cm.Union(cm.Cylinder(ball, radius=0.1, half_length=0.2), cm.Cone(ball, radius=0.2, half_length=0.1))
    >>> len(funnel.shapes)
    2
    """

    kind = "Union"

    def __init__(self, *shapes: Shape, spots: int = 1):
        for shape in shapes:
            if not isinstance(shape, Shape) or isinstance(shape, Union):
                raise ModelError(f"Union: expected shapes such as Cone or Cylinder, got {short_repr(shape)}")
        if len(shapes) < 2:
            raise ModelError(f"Union: needs at least two shapes, got {len(shapes)}")
        super().__init__(shapes[0].body)
        for shape in shapes[1:]:
            if shape.body is not self.body:
                raise ModelError(f"{self.label}: its shapes must be on one body, got {shape.label}")
        self.shapes = shapes
        self.spots = integer(self.label, "spots", spots, 1, MAX_SPOTS)
        self.parameters = ()

    def keywords(self) -> dict[str, Any]:
        """Return the arguments of the constructor."""
        return {"shapes": self.shapes, "spots": self.spots}

    @property
    def thin(self) -> bool:  # type: ignore[override]
        """True if all its shapes are thin."""
        return all(shape.thin for shape in self.shapes)

    def triangles(self, extent: float = 1.0) -> Triangles:
        """Return the triangles of the surface."""
        return join_triangles(*(shape.triangles(extent) for shape in self.shapes))

    def outline(self, n: int = 64) -> np.ndarray:
        """Return the outlines of its shapes, one after the other [m]."""
        count = max(n // len(self.shapes), 2)
        return np.concatenate([shape.outline(count) for shape in self.shapes])

    def __getattr__(self, name: str) -> Any:
        raise AttributeError(f"Union has no attribute {name!r}, but its shapes may have it")
