"""Geneva wheels and their drivers."""

from __future__ import annotations

import math

import numpy as np

from carom.argument_checks import integer, non_negative, positive
from carom.errors import ModelError
from carom.geometry.profiles.base import OutlineBuilder, Profile, polar

MAX_SLOTS = 24
"""Largest number of slots."""
WALL = 0.3
"""Wall beside the slots at the tip of an arm, relative to the pin radius [-]."""


class GenevaWheel(Profile):
    """External Geneva wheel with ``slots`` radial slots for a driver at ``centre_distance`` a [m]; a slot lies on x.

    The pin of ``pin_radius`` [m] on the radius r = a sin(π/z) enters the slots tangentially; ``clearance`` [m] widens
    them on each side. Between two slots a concave arc rests on the locking disc of the driver.

    Attributes in m: ``crank_radius`` r, ``outer_radius`` a cos(π/z), ``locking_radius``. While the pin is in a slot,
    the wheel angle is ψ = atan2(sin φ, a/r − cos φ), φ from the line of centres.

    Examples
    --------
    >>> import carom as cm
    >>> wheel = cm.profiles.GenevaWheel(4, 0.1, pin_radius=0.005)
    >>> round(wheel.crank_radius, 6), round(wheel.outer_radius, 6)
    (0.070711, 0.070711)
    """

    def __init__(self, slots: int, centre_distance: float, pin_radius: float, clearance: float = 0.0):
        self.slots = integer(self.label, "slots", slots, 3, MAX_SLOTS)
        self.centre_distance = positive(self.label, "centre_distance", centre_distance)
        self.pin_radius = positive(self.label, "pin_radius", pin_radius)
        self.clearance = non_negative(self.label, "clearance", clearance)
        half = math.pi / self.slots
        self.crank_radius = self.centre_distance * math.sin(half)
        self.outer_radius = self.centre_distance * math.cos(half)
        self.locking_radius = self.crank_radius - self.pin_radius * (1.0 + WALL) - self.clearance
        width = self.pin_radius + self.clearance
        bottom = self.centre_distance - self.crank_radius - width
        if bottom - width <= 0.0 or self.locking_radius <= 0.0 or bottom * math.sin(half) <= width:
            raise ModelError(
                f"{self.label}: a pin of radius {self.pin_radius:g} m leaves no room for {self.slots} slots; reduce it"
            )
        outline = OutlineBuilder()
        deep = self.centre_distance - self.crank_radius
        outer = math.sqrt(self.outer_radius**2 - width**2)
        # The slot on the x-axis, from its lower to its upper edge, round its bottom.
        outline.corner((outer, -width))
        lower, upper = np.array([deep, -width]), np.array([deep, width])
        start = lower
        # Counterclockwise around the wheel, the upper edge of the slot leads outwards.
        outline.arc(start, np.array([deep - width, 0.0]))
        outline.corner(upper)
        # From the tip to the concave arc about the axis of the driver, half a pitch ahead.
        centre = polar(self.centre_distance, half)
        tip = np.array([outer, width])
        reach = self.locking_radius + self.clearance
        cosine = (self.outer_radius**2 + self.centre_distance**2 - reach**2) / (
            2.0 * self.outer_radius * self.centre_distance
        )
        if abs(cosine) >= 1.0:
            raise ModelError(f"{self.label}: the locking disc does not reach the wheel; reduce pin_radius")
        begin = half - math.acos(cosine)
        edge = math.atan2(width, outer)
        if begin <= edge:
            raise ModelError(f"{self.label}: the walls of the slots are too thin; reduce pin_radius or clearance")
        outline.arc(tip, polar(self.outer_radius, 0.5 * (edge + begin)))
        outline.arc(polar(self.outer_radius, begin), centre - polar(reach, half))
        end = 2.0 * half - begin
        outline.arc(polar(self.outer_radius, end), polar(self.outer_radius, 2.0 * half - 0.5 * (edge + begin)))
        outline.repeat(self.slots)
        self._set_outline(outline)


class GenevaDriver(Profile):
    """Locking disc of the driver of a `GenevaWheel`, about the axis of the driver; its recess opens along x.

    The pin is a `Sphere` of the radius ``wheel.pin_radius`` at ``wheel.crank_radius`` on the x-axis.

    Examples
    --------
    >>> import carom as cm
    >>> wheel = cm.profiles.GenevaWheel(4, 0.1, pin_radius=0.005)
    >>> driver = cm.profiles.GenevaDriver(wheel)
    >>> bool(abs(driver.points).max() <= wheel.locking_radius + 1e-12)
    True
    """

    def __init__(self, wheel: GenevaWheel):
        if not isinstance(wheel, GenevaWheel):
            raise ModelError(f"{self.label}: expected a GenevaWheel, got {wheel!r}")
        self.wheel = wheel
        half = 0.5 * math.pi - math.pi / wheel.slots  # the pin is in a slot for 2 half
        radius = wheel.locking_radius
        outline = OutlineBuilder()
        start, end = polar(radius, half), polar(radius, -half)
        outline.arc(start, polar(radius, math.pi))
        # The recess is an arc about the axis of the wheel, larger than the wheel.
        centre = np.array([wheel.centre_distance, 0.0])
        middle = centre - np.array([float(np.hypot(*(end - centre))), 0.0])
        clear = wheel.outer_radius + wheel.clearance + 0.25 * wheel.pin_radius
        if np.hypot(*(end - centre)) < clear:
            middle = np.array([min(middle[0], wheel.centre_distance - clear), 0.0])
        outline.arc(end, middle)
        self._set_outline(outline)
