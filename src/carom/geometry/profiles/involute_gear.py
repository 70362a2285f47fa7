"""Involute spur gears."""

from __future__ import annotations

import math

import numpy as np

from carom.argument_checks import finite_float, integer, non_negative, positive
from carom.errors import ModelError
from carom.geometry.profiles.base import FLANK_POINTS, OutlineBuilder, Profile, bisect, polar

MAX_TEETH = 1000
"""Largest number of teeth."""


def involute(angle: float) -> float:
    """Return inv α = tan α − α [rad]."""
    return math.tan(angle) - angle


class SpurGear(Profile):
    """Involute spur gear with ``teeth`` teeth of ``module`` [m], about the origin; a tooth lies on the x-axis.

    ``pressure_angle`` [rad] is that of the basic rack. ``backlash`` [m] reduces the tooth thickness at the pitch
    circle. ``profile_shift``, ``addendum``, ``dedendum`` and ``root_fillet`` are ratios to the module; the fillet is a
    circular arc, smaller where the gap between two teeth does not have room for it. Below its base circle the flank is
    radial.

    Attributes in m: ``pitch_radius``, ``base_radius``, ``tip_radius``, ``root_radius``, ``base_pitch``,
    ``tooth_thickness`` at the pitch circle. ``contact_ratio(other)`` is that with another gear.

    Examples
    --------
    >>> import carom as cm
    >>> pinion, wheel = cm.profiles.SpurGear(17, 2e-3), cm.profiles.SpurGear(29, 2e-3, backlash=1e-4)
    >>> round(pinion.centre_distance(wheel), 6), round(pinion.contact_ratio(wheel), 4)
    (0.046, 1.5804)
    """

    def __init__(
        self,
        teeth: int,
        module: float,
        pressure_angle: float = math.radians(20.0),
        backlash: float = 0.0,
        profile_shift: float = 0.0,
        addendum: float = 1.0,
        dedendum: float = 1.25,
        root_fillet: float = 0.38,
    ):
        self.teeth = integer(self.label, "teeth", teeth, 5, MAX_TEETH)
        self.module = positive(self.label, "module", module)
        self.pressure_angle = positive(self.label, "pressure_angle", pressure_angle)
        if self.pressure_angle >= 0.25 * math.pi:
            raise ModelError(f"{self.label}: pressure_angle must be below π/4 rad, got {pressure_angle:g}")
        self.backlash = non_negative(self.label, "backlash", backlash)
        self.profile_shift = finite_float(self.label, "profile_shift", profile_shift)
        self.addendum = positive(self.label, "addendum", addendum)
        self.dedendum = positive(self.label, "dedendum", dedendum)
        self.root_fillet = positive(self.label, "root_fillet", root_fillet)
        self.pitch_radius = 0.5 * self.module * self.teeth
        self.base_radius = self.pitch_radius * math.cos(self.pressure_angle)
        self.tip_radius = self.pitch_radius + self.module * (self.addendum + self.profile_shift)
        self.root_radius = self.pitch_radius - self.module * (self.dedendum - self.profile_shift)
        self.base_pitch = math.pi * self.module * math.cos(self.pressure_angle)
        shift = 2.0 * self.profile_shift * math.tan(self.pressure_angle)
        self.tooth_thickness = self.module * (0.5 * math.pi + shift) - self.backlash
        self._check()
        self._set_outline(self._outline())

    def half_angle(self, radius: float) -> float:
        """Return half of the angle that a tooth takes at ``radius`` [m] on the involute [rad]."""
        local = math.acos(min(self.base_radius / radius, 1.0))
        return self.tooth_thickness / (2.0 * self.pitch_radius) + involute(self.pressure_angle) - involute(local)

    def centre_distance(self, other: SpurGear) -> float:
        """Return the distance of the centres of two gears without backlash by the distance [m]."""
        return (self.base_radius + other.base_radius) / math.cos(self.operating_angle(other))

    def operating_angle(self, other: SpurGear) -> float:
        """Return the pressure angle at this distance of the centres [rad]."""
        shifts = self.profile_shift + other.profile_shift
        angle = self.pressure_angle
        target = involute(angle) + 2.0 * shifts * math.tan(angle) / (self.teeth + other.teeth)
        return bisect(lambda alpha: involute(alpha) - target, 0.0, 0.49 * math.pi)

    def contact_ratio(self, other: SpurGear, centre_distance: float | None = None) -> float:
        """Return the length of the path of contact over the base pitch; at the distance without backlash by default."""
        distance = self.centre_distance(other) if centre_distance is None else centre_distance
        path = sum(math.sqrt(gear.tip_radius**2 - gear.base_radius**2) for gear in (self, other))
        path -= math.sqrt(distance**2 - (self.base_radius + other.base_radius) ** 2)
        return path / self.base_pitch

    def _check(self) -> None:
        if self.root_radius <= 0.0:
            raise ModelError(f"{self.label}: dedendum {self.dedendum:g} leaves no root; reduce it")
        if self.tip_radius <= self.base_radius:
            raise ModelError(f"{self.label}: the tip radius {self.tip_radius:.6g} m must exceed the base radius")
        if self.half_angle(self.tip_radius) <= 0.0:
            raise ModelError(f"{self.label}: the teeth are pointed; reduce addendum, profile_shift or backlash")

    def _flank(self, u: float | np.ndarray) -> np.ndarray:
        """Return points of the flank on the side of positive angles, at the roll angle ``u`` [rad]."""
        u = np.asarray(u, float)
        start = self.half_angle(self.base_radius)
        x, y = np.cos(u) + u * np.sin(u), u * np.cos(u) - np.sin(u)
        c, s = math.cos(start), math.sin(start)
        return self.base_radius * np.stack([c * x - s * y, s * x + c * y], axis=-1)

    def _fillet(self, radius: float) -> tuple[float, np.ndarray]:
        """Return the roll angle at which a fillet begins, negative on the radial part, and its centre [m]."""
        start = self.half_angle(self.base_radius)
        root = self.root_radius + radius

        def centre(u: float) -> np.ndarray:
            normal = start - u + 0.5 * math.pi  # out of the tooth, perpendicular to the line from the base circle
            return self._flank(u) + radius * np.array([math.cos(normal), math.sin(normal)])

        if math.hypot(self.base_radius, radius) >= root:
            return -1.0, polar(root, start + math.asin(radius / root))
        top = math.sqrt((self.tip_radius / self.base_radius) ** 2 - 1.0)
        u = bisect(lambda value: float(np.hypot(*centre(value))) - root, 0.0, top)
        return u, centre(u)

    def _fillet_that_fits(self) -> tuple[float, float, np.ndarray]:
        """Return radius, roll angle and centre of the fillet."""
        half_pitch = math.pi / self.teeth

        def room(radius: float) -> float:
            return half_pitch - math.atan2(*self._fillet(radius)[1][::-1])

        radius = self.root_fillet * self.module
        if room(radius) < 0.0:
            if room(1e-6 * self.module) < 0.0:
                raise ModelError(f"{self.label}: there is no gap between the teeth; reduce profile_shift or dedendum")
            radius = 0.999 * bisect(room, 1e-6 * self.module, radius)
        return (radius, *self._fillet(radius))

    def _outline(self) -> OutlineBuilder:
        """Return one tooth after the other, each from the middle of a gap to the next."""
        outline = OutlineBuilder()
        radius, start, centre = self._fillet_that_fits()
        top = math.sqrt((self.tip_radius / self.base_radius) ** 2 - 1.0)
        flank = self._flank(np.linspace(max(start, 0.0), top, FLANK_POINTS))
        direction = math.atan2(centre[1], centre[0])
        foot = polar(self.root_radius, direction)
        line = centre - foot  # the fillet turns from the root to the flank
        if start < 0.0:
            end = polar(math.sqrt(centre @ centre - radius**2), self.half_angle(self.base_radius))
        else:
            end = flank[0]
        middle = -line / np.hypot(*line) + (end - centre) / radius
        middle = centre + radius * middle / np.hypot(*middle)
        mirror = np.array([1.0, -1.0])
        gap = polar(self.root_radius, -math.pi / self.teeth)
        outline.arc(polar(self.root_radius, direction - 2.0 * math.pi / self.teeth), gap)
        outline.arc(foot * mirror, middle * mirror)
        if start < 0.0:
            outline.corner(end * mirror)
        outline.curve(flank * mirror)
        outline.arc(flank[-1] * mirror, polar(self.tip_radius, 0.0))
        outline.curve(flank[::-1])
        if start < 0.0:
            outline.corner(flank[0])
        outline.arc(end, middle)
        outline.repeat(self.teeth)
        return outline
