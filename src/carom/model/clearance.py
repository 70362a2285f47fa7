"""Common parts of joints with clearance."""

from __future__ import annotations

import numpy as np

from carom.argument_checks import positive
from carom.errors import ModelError
from carom.geometry.marker import Marker
from carom.geometry.shapes import Sphere
from carom.laws.friction.base import FrictionLaw
from carom.laws.impact_law import ImpactLaw
from carom.laws.normal.base import NormalLaw
from carom.model.contact import Contact


def radii(owner: str, sizes: dict[str, float | None], tight: str) -> tuple[float, float]:
    """Return the two radii of a joint with clearance [m] by name, the inner one first; ``tight`` is the ideal joint."""
    (inner, small), (outer, large) = sizes.items()
    if small is None or large is None:
        raise ModelError(f"{owner}: set {inner} and {outer}")
    small, large = positive(owner, inner, small), positive(owner, outer, large)
    if not small < large:
        raise ModelError(f"{owner}: {inner} must be smaller than {outer}, got {small:g} in {large:g}; without "
                         f"clearance use {tight}")  # fmt: skip
    return small, large


class SphereClearance(Contact):
    """Sphere of the second body in a spherical cavity of the first: a joint with radial clearance."""

    posed = True

    inner_radius: float
    outer_radius: float

    def __init__(
        self,
        first: Marker,
        second: Marker,
        sizes: tuple[float, float],
        law: NormalLaw | None,
        friction: FrictionLaw | None,
        impact: ImpactLaw | None,
        name: str | None,
    ):
        inner, outer = sizes
        super().__init__(
            Sphere(first.body, outer, first.at, inside=True), Sphere(second.body, inner, second.at),
            law, friction, impact=impact, name=name,
        )  # fmt: skip
        self.points = (first.at, second.at)
        self.inner_radius, self.outer_radius = inner, outer

    @property
    def clearance(self) -> float:
        """Radial clearance [m]."""
        return self.outer_radius - self.inner_radius

    def markers(self) -> tuple[Marker, Marker]:
        """Return the centres of bearing and journal as markers on the bodies."""
        first, second = (
            Marker(shape.body, tuple(point)) for shape, point in zip(self.shapes, self.points, strict=True)
        )
        return first, second

    def eccentricity(self, signals: np.ndarray) -> np.ndarray:
        """Return the distance of the two centres over time [m], from the indentation in ``signals``."""
        return np.asarray(signals[:, self.signals.index("indentation")] + self.clearance)
