"""Circles with deviations from roundness: lobed bores and journals."""

from __future__ import annotations

import math

import numpy as np

from carom.argument_checks import finite_float, integer, is_list, positive, short_repr
from carom.errors import ModelError
from carom.geometry.profiles.base import OutlineBuilder, Profile
from carom.typing import MatrixLike

POINTS_PER_LOBE = 24
"""Points of the outline in a period of the highest harmonic."""
MIN_POINTS = 72
"""Smallest number of points of the outline."""


class OutOfRound(Profile):
    """Circle of ``radius`` [m] with ``harmonics``: r(φ) = radius + Σ amplitude cos(order (φ − phase)).

    ``harmonics`` are rows (order, amplitude [m], phase [rad]): order 2 is an oval, 3 a lobed bore as from a three-jaw
    chuck, 1 an eccentric circle.

    Examples
    --------
    >>> import carom as cm
    >>> bore = cm.profiles.OutOfRound(0.01, [(2, 5e-5, 0.0)])
    >>> round(float(abs(bore.points[0, 0])), 6)
    0.01005
    """

    def __init__(self, radius: float, harmonics: MatrixLike):
        self.mean_radius = positive(self.label, "radius", radius)
        if not is_list(harmonics) or len(harmonics) == 0 or any(len(row) != 3 for row in harmonics):
            raise ModelError(
                f"{self.label}: harmonics must be rows (order, amplitude, phase), got {short_repr(harmonics)}"
            )
        self.harmonics = tuple(
            (
                integer(self.label, "order", int(order), 1, 200),
                finite_float(self.label, "amplitude", amplitude),
                finite_float(self.label, "phase", phase),
            )
            for order, amplitude, phase in harmonics
        )
        largest = math.fsum(abs(amplitude) * order**2 for order, amplitude, _ in self.harmonics)
        if not largest < self.mean_radius:
            raise ModelError(
                f"{self.label}: Σ order² amplitude must be below the radius {radius:g} m so that the outline stays "
                f"convex, got {largest:g} m"
            )
        count = max(MIN_POINTS, POINTS_PER_LOBE * max(order for order, _, _ in self.harmonics))
        phi = 2.0 * math.pi * np.arange(count) / count
        r = self.radius_at(phi)
        outline = OutlineBuilder()
        outline.points = list(zip((r * np.cos(phi)).tolist(), (r * np.sin(phi)).tolist(), strict=True))
        self._set_outline(outline)

    def radius_at(self, angle: np.ndarray) -> np.ndarray:
        """Return the radius at an angle [m]."""
        total = np.full(np.shape(angle), self.mean_radius)
        for order, amplitude, phase in self.harmonics:
            total = total + amplitude * np.cos(order * (np.asarray(angle) - phase))
        return total
