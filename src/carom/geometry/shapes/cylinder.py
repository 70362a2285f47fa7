"""Cylinders, solid or as a thin shell; kernel parameters `CONE`."""

from __future__ import annotations

from carom.argument_checks import positive, short_repr
from carom.geometry.shapes.base import (
    UP,
)
from carom.geometry.shapes.cone import Cone
from carom.typing import BodyLike, EdgeContact, PointLike, VectorLike


class Cylinder(Cone):
    """Cylinder of ``radius`` and ``half_length`` [m] along ``axis`` on both sides of ``at`` [m].

    It is solid, with two end faces; ``inside=True`` is the lateral surface alone, a thin shell with open ends.
    ``edge="face_only"``: its rims do not touch. ``signed_radius`` [m] is negative for a shell.
    """

    kind = "Cylinder"

    def __init__(
        self,
        body: BodyLike,
        at: PointLike = (0.0, 0.0, 0.0),
        axis: VectorLike = UP,
        radius: float | None = None,
        half_length: float | None = None,
        inside: bool = False,
        edge: EdgeContact = "push",
    ):
        owner = f"{type(self).__name__} on {short_repr(getattr(body, 'name', body))}"
        size = positive(owner, "radius", radius)
        super().__init__(body, at, axis, size, half_length, size, inside, edge)

    @property
    def signed_radius(self) -> float:
        """Radius [m], negative for a shell."""
        return -self.radius if self.inside else self.radius
