"""The shapes of contacts as a drawing shows them: balls, capsules, profiles, and walls as long as the picture."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from matplotlib.axes import Axes

from carom.geometry.curve import Curve
from carom.geometry.shapes import Plane, Point, Segment, Shape, Sphere
from carom.model.contact import Contact
from carom.plot import symbols

POINTS, FEW = 97, 33
"""Points along a shape that is drawn, and along one that is only measured."""


@dataclass(frozen=True)
class Skin:
    """A shape on a body (or on the ground), once for all contacts that use it."""

    shape: Shape

    @property
    def body(self) -> Any:
        return self.shape.body

    @property
    def wall(self) -> bool:
        """Whether it has no end."""
        return isinstance(self.shape, Plane)

    @property
    def one_sided(self) -> bool:
        """Whether the solid lies on one side of a line that ends."""
        return isinstance(self.shape, Curve) and not self.shape.closed

    @property
    def hollow(self) -> bool:
        """Whether it holds another body inside."""
        return bool(getattr(self.shape, "inside", False))

    def spots(self) -> tuple[np.ndarray, float]:
        """Points (m, 2) in the axes of the body, and the radius [m] about them within which the shape lies."""
        shape = self.shape
        if self.wall:
            return np.zeros((0, 2)), 0.0
        if isinstance(shape, Sphere | Point):
            return np.array([shape.at[:2]]), shape.radius
        if isinstance(shape, Segment):
            return np.array([shape.start[:2], shape.end[:2]]), shape.radius
        return shape.outline(FEW)[:, :2], 0.0

    def line(self) -> np.ndarray:
        """(n, 2) along it in the axes of the body, with the solid of a profile that ends on the right."""
        points = self.shape.outline(POINTS)[:, :2]
        return points[::-1] if isinstance(self.shape, Curve) and self.shape.side < 0.0 else points

    def draw(self, axes: Axes, line: np.ndarray, size: float, **look: Any) -> None:
        """Its ``line`` where the body is now, and the solid inside or behind it."""
        if isinstance(self.shape, Point):
            symbols.dot(axes, line[0], size)
            return
        axes.plot(*line.T, solid_capstyle="round", **look)
        face = look["color"], look.get("alpha", 1.0), look["zorder"] - 0.1
        if self.one_sided:
            symbols.band(axes, line, 0.4 * size, *face)
        elif np.allclose(line[0], line[-1], rtol=0.0, atol=1e-9 * float(np.ptp(line))) and not self.hollow:
            symbols.plate(axes, line, *face)


def skins_of(contacts: list[Contact]) -> list[Skin]:
    """Every shape of ``contacts`` once."""
    found: dict[Any, Skin] = {}
    for contact in contacts:
        for shape in contact.shapes:
            found.setdefault((id(shape.body), type(shape), shape.numbers), Skin(shape))
    return list(found.values())


def clip(at: Any, angle: float, low: Any, high: Any) -> np.ndarray | None:
    """The piece (2, 2) of the line through ``at`` at ``angle`` [rad] between two corners; None when it misses them."""
    way = (math.cos(angle), math.sin(angle))
    first, last = -math.inf, math.inf
    for k in range(2):
        if abs(way[k]) < 1e-12:
            if not low[k] <= at[k] <= high[k]:
                return None
            continue
        ends = sorted(((low[k] - at[k]) / way[k], (high[k] - at[k]) / way[k]))
        first, last = max(first, ends[0]), min(last, ends[1])
    if not first < last:
        return None
    return np.array([(at[0] + s * way[0], at[1] + s * way[1]) for s in (first, last)])
