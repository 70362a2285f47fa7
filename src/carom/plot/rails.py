"""Rails on which bodies slide, and guides in which they do."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np


@dataclass(frozen=True)
class Rail:
    """A straight line through ``at`` at ``angle`` [rad], from ``low`` to ``high`` [m] along it."""

    at: np.ndarray
    angle: float
    low: float
    high: float

    @property
    def along(self) -> np.ndarray:
        return np.array([math.cos(self.angle), math.sin(self.angle)])

    @property
    def line(self) -> np.ndarray:
        """Its two ends (2, 2)."""
        return np.array([self.at + self.low * self.along, self.at + self.high * self.along])

    def join(self, other: Rail) -> Rail | None:
        """Both as one; None where they do not overlap."""
        apart = other.at - self.at
        shift = float(apart @ self.along)
        off = abs(apart[0] * self.along[1] - apart[1] * self.along[0])
        low, high = other.low + shift, other.high + shift
        if off > 1e-9 or not np.allclose(self.along, other.along) or low > self.high or high < self.low:
            return None
        return replace(self, low=min(self.low, low), high=max(self.high, high))


def guide(at: np.ndarray, angle: float, half_width: float, low: float, high: float) -> tuple[Rail, Rail]:
    """The two sides of a guide about a line through ``at``, each with the inside on its left."""
    across = half_width * np.array([-math.sin(angle), math.cos(angle)])
    return Rail(at - across, angle, low, high), Rail(at + across, angle + math.pi, -high, -low)


def joined(rails: Sequence[Rail]) -> list[Rail]:
    """Those that overlap become one."""
    found: list[Rail] = []
    for rail in rails:
        for k, other in enumerate(found):
            both = other.join(rail)
            if both is not None:
                found[k] = both
                break
        else:
            found.append(rail)
    return found
