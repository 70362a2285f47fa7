"""Straight rails and guides of planar sliders."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np


@dataclass(frozen=True)
class Rail:
    """Segment of the line through ``at`` at ``angle`` [rad], from ``low`` to ``high`` [m] along it."""

    at: np.ndarray
    angle: float
    low: float
    high: float

    @property
    def direction(self) -> np.ndarray:
        """Unit vector (2,) along the rail."""
        return np.array([math.cos(self.angle), math.sin(self.angle)])

    @property
    def line(self) -> np.ndarray:
        """End points (2, 2) [m]."""
        return np.array([self.at + self.low * self.direction, self.at + self.high * self.direction])

    def merge(self, other: Rail) -> Rail | None:
        """Return the union of two overlapping rails; None if they do not overlap."""
        offset = other.at - self.at
        shift = float(offset @ self.direction)
        distance = abs(offset[0] * self.direction[1] - offset[1] * self.direction[0])
        low, high = other.low + shift, other.high + shift
        parallel = np.allclose(self.direction, other.direction)
        if distance > 1e-9 or not parallel or low > self.high or high < self.low:
            return None
        return replace(self, low=min(self.low, low), high=max(self.high, high))


def guide_sides(at: np.ndarray, angle: float, half_width: float, low: float, high: float) -> tuple[Rail, Rail]:
    """Return both sides of a guide about a line through ``at``, each with the inside on its left."""
    offset = half_width * np.array([-math.sin(angle), math.cos(angle)])
    return Rail(at - offset, angle, low, high), Rail(at + offset, angle + math.pi, -high, -low)


def merge_rails(rails: Sequence[Rail]) -> list[Rail]:
    """Return the rails with overlapping ones merged."""
    merged: list[Rail] = []
    for rail in rails:
        for k, other in enumerate(merged):
            union = other.merge(rail)
            if union is not None:
                merged[k] = union
                break
        else:
            merged.append(rail)
    return merged
