"""Cylinders, solid or as a thin shell; kernel parameters `CONE`."""

from __future__ import annotations

from carom.argument_checks import positive, short_repr
from carom.geometry.shapes.base import (
    UP,
    edges_renamed,
)
from carom.geometry.shapes.cone import Cone
from carom.typing import BodyLike, EdgeContact, PointLike, VectorLike


class Cylinder(Cone):
    """Cylinder of ``radius`` and ``half_length`` [m] along ``axis`` on both sides of ``at`` [m].

    It is solid, with two end faces; ``inside=True`` is the lateral surface alone, a thin shell with open ends.
    ``edges="ignore"``: its rims do not touch. ``signed_radius`` [m] is negative for a shell.

    Examples
    --------
    >>> import carom as cm
    >>> ball = cm.Body("ball", mass=1.0, position=(0.0, 0.0, 1.0))
    >>> drum = cm.Cylinder(cm.System(dim=3).ground, at=(0, 0, 0), axis=(0, 0, 1), radius=0.5, half_length=0.4)
    >>> round(cm.closest(cm.Sphere(ball, 0.1), drum).gap, 9)
    0.5
    """

    kind = "Cylinder"

    @edges_renamed
    def __init__(
        self,
        body: BodyLike,
        at: PointLike = (0.0, 0.0, 0.0),
        axis: VectorLike = UP,
        radius: float | None = None,
        half_length: float | None = None,
        inside: bool = False,
        edges: EdgeContact = "contact",
    ):
        owner = f"{type(self).__name__} on {short_repr(getattr(body, 'name', body))}"
        size = positive(owner, "radius", radius)
        super().__init__(body, at, axis, size, half_length, size, inside, edges)

    @property
    def signed_radius(self) -> float:
        """Radius [m], negative for a shell."""
        return -self.radius if self.inside else self.radius
