"""Disc cams from a table of lifts."""

from __future__ import annotations

import math
from typing import Literal

import numpy as np

from carom.argument_checks import non_negative, one_of, positive
from carom.errors import ModelError
from carom.geometry.profiles.base import OutlineBuilder, Profile
from carom.typing import PointLike

POINTS = 361
"""Points of the outline."""


class Cam(Profile):
    """Disc cam that gives a follower on the y-axis the ``lifts`` [m] at the cam ``angles`` [rad], from 0 to 2π.

    Between the rows of the table the lift is a periodic cubic spline. ``base_radius`` [m] is the distance from the axis
    to a flat face or a knife edge at zero lift, or to the surface of a roller. The ``follower`` is ``"flat"``,
    ``"roller"`` with ``roller_radius`` [m], or ``"knife"``. The cam turns counterclockwise.

    A lift is refused where the cam would be undercut: a flat face needs r_b + s + s'' > 0, a roller a radius below the
    radius of curvature of the path of its centre.

    Examples
    --------
    >>> import carom as cm
    >>> import numpy as np
    >>> angles = np.linspace(0.0, 2.0 * np.pi, 37)
    >>> cam = cm.profiles.Cam(angles, 0.005 * (1.0 - np.cos(angles)), base_radius=0.03)
    >>> round(float(cam.lift(np.pi)), 6)
    0.01
    """

    def __init__(
        self,
        angles: PointLike,
        lifts: PointLike,
        base_radius: float,
        follower: Literal["flat", "roller", "knife"] = "flat",
        roller_radius: float = 0.0,
    ):
        from scipy.interpolate import CubicSpline

        self.base_radius = positive(self.label, "base_radius", base_radius)
        self.follower = one_of(self.label, "follower", follower, ("flat", "roller", "knife"))
        self.roller_radius = non_negative(self.label, "roller_radius", roller_radius)
        if (self.follower == "roller") != (self.roller_radius > 0.0):
            raise ModelError(f"{self.label}: roller_radius must be positive for a roller, and omitted for others")
        phi, s = np.array(angles, float), np.array(lifts, float)
        if phi.ndim != 1 or phi.shape != s.shape or len(phi) < 5 or not np.all(np.isfinite([phi, s])):
            raise ModelError(f"{self.label}: angles and lifts must be at least 5 finite numbers each")
        if np.any(np.diff(phi) <= 0.0) or abs(phi[0]) > 1e-9 or abs(phi[-1] - 2.0 * math.pi) > 1e-9:
            raise ModelError(f"{self.label}: angles must rise from 0 to 2π, got {phi[0]:g} … {phi[-1]:g}")
        if abs(s[0] - s[-1]) > 1e-12 + 1e-9 * float(np.abs(s).max()):
            raise ModelError(f"{self.label}: lifts must be equal at 0 and 2π, got {s[0]:g} and {s[-1]:g}")
        if s.min() < 0.0:
            raise ModelError(f"{self.label}: lifts must not be negative, got {s.min():g}; increase base_radius")
        self.lift = CubicSpline(phi, np.append(s[:-1], s[0]), bc_type="periodic")
        outline = OutlineBuilder()
        outline.points = [(float(x), float(y)) for x, y in self._surface(np.linspace(0.0, 2.0 * math.pi, POINTS)[:-1])]
        self._set_outline(outline)

    def _surface(self, phi: np.ndarray) -> np.ndarray:
        """Return the points that touch the follower at the cam angles, in the axes of the cam [m]."""
        s, s1, s2 = self.lift(phi), self.lift(phi, 1), self.lift(phi, 2)
        # In the axes of the cam the follower turns by −φ.
        up = np.column_stack([np.sin(phi), np.cos(phi)])
        side = np.column_stack([np.cos(phi), -np.sin(phi)])
        if self.follower == "flat":
            radius = self.base_radius + s
            self._require(phi, radius + s2, "the flat follower undercuts the cam")
            points = radius[:, None] * up + s1[:, None] * side
        else:
            reach = self.base_radius + self.roller_radius + s
            points = reach[:, None] * up
            if self.follower == "roller":
                speed = np.hypot(reach, s1)
                curvature = (reach**2 + 2.0 * s1**2 - reach * s2) / speed**3
                self._require(phi, 1.0 - self.roller_radius * curvature, "the roller undercuts the cam")
                normal = (reach[:, None] * up - s1[:, None] * side) / speed[:, None]
                points = points - self.roller_radius * normal
        return points[::-1]  # with φ the contact runs clockwise

    def _require(self, phi: np.ndarray, margin: np.ndarray, problem: str) -> None:
        if margin.min() <= 0.0:
            k = int(np.argmin(margin))
            raise ModelError(f"{self.label}: {problem} at {phi[k]:.4g} rad; increase base_radius or smooth the lift")
