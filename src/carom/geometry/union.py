"""Several shapes as one skin."""

from __future__ import annotations

from typing import Any

import numpy as np

from carom.errors import ModelError, shown
from carom.geometry.shapes import Shape


class Union(Shape):
    """Shapes of one body that are one skin: only the closest of them pushes.

    For pieces that meet in an edge that sticks out, such as the cone and the tube of a funnel: as shapes of their own
    both would push there. Pieces that meet in a corner, into which a ball fits so that it touches both, stay shapes of
    their own.
    """

    kind = "Union"

    def __init__(self, *shapes: Shape):
        for shape in shapes:
            if not isinstance(shape, Shape) or isinstance(shape, Union):
                raise ModelError(f"Union: expected shapes such as Cone or Cylinder, got {shown(shape)}")
        if len(shapes) < 2:
            raise ModelError(f"Union: needs two shapes or more, got {len(shapes)}")
        super().__init__(shapes[0].body)
        for shape in shapes[1:]:
            if shape.body is not self.body:
                raise ModelError(f"{self.label}: its shapes must sit on one body, got {shape.label}")
        self.shapes = shapes
        self.parameters = ()

    def keywords(self) -> dict[str, Any]:
        return {"shapes": self.shapes}

    @property
    def thin(self) -> bool:  # type: ignore[override]
        return all(shape.thin for shape in self.shapes)

    def outline(self, n: int = 64) -> np.ndarray:
        """The outlines of its shapes, one after the other."""
        share = max(n // len(self.shapes), 2)
        return np.concatenate([shape.outline(share) for shape in self.shapes])

    def __getattr__(self, name: str) -> Any:
        raise AttributeError(f"Union has no attribute {name!r}; ask its shapes")
