"""Joints with clearance in 2D, modelled by contacts."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from carom.argument_checks import finite_float, object_label, positive, short_repr
from carom.errors import ModelError
from carom.forces.bearing_film import BearingFilm
from carom.geometry.drawing import Symbol
from carom.geometry.element import Element
from carom.geometry.marker import AttachmentLike, Marker, as_marker, axis_angle, coincident_markers, rotate
from carom.geometry.pairs.worn_journal import worn_pairing
from carom.geometry.shapes import Plane, Point, Shape
from carom.joints.prismatic import Prismatic
from carom.joints.revolute import Revolute
from carom.laws.friction.base import FrictionLaw
from carom.laws.impact_law import ImpactLaw
from carom.laws.lubrication.base import Lubricant
from carom.laws.normal.base import NormalLaw
from carom.laws.wear.base import WearLaw
from carom.mechanics.contact_records import N_SIGNALS
from carom.model.clearance import SphereClearance, radii
from carom.model.compound import Compound
from carom.model.contact import Contact, require_law
from carom.model.wear import checked_wear, worn_surfaces
from carom.typing import PointLike, VectorLike

ROUGHNESS, MAX_ROUGHNESS = 0.01, 0.2
"""Default and largest roughness of lubricated surfaces over the clearance [-]."""
CONTACT_GAP = 1e-6
"""Ratio of a gap to the clearance below which a corner counts as in contact [-], with or without a force."""


class RevoluteClearance(SphereClearance):
    """Revolute joint with clearance: the journal of ``b`` moves in the bearing of ``a``.

    ``at`` [m] is the common centre in global axes in the current pose, as for `Revolute`; the two centres may differ
    with markers on the bodies. The radii [m] leave the clearance ``bearing_radius − journal_radius``. Signals: those of
    a `Contact` (first body: the bearing), and the orbit of the journal in the bearing: ``eccentricity`` and its
    components ``ex``, ``ey`` [m] in the axes of the bearing. ``contact_mode`` is 0 in free flight, 1 in an impact, 2 in
    lasting contact.

    ``wear`` of `carom.wear`, such as ``cm.wear.Archard(coefficient, hardness)``, removes material from bearing and
    journal, and the contact follows their profiles; ``result.wear[joint.name]`` is a `WearRecord`.

    A ``lubricant`` of `carom.lubrication` fills the clearance: its film is the element "<name> film" with its own
    signals. The surfaces are as rough as ``roughness`` [m] (default: a hundredth of the clearance): a film that becomes
    thinner passes into dry contact.

    Examples
    --------
    >>> import carom as cm
    >>> system = cm.System(gravity=(0.0, -9.81))
    >>> rod = system.add(cm.Body("rod", mass=1.0, inertia=0.1, position=(0.5, 0.0)))
    >>> joint = cm.RevoluteClearance(
    ...     system.ground, rod, at=(0.0, 0.0), journal_radius=9.5e-3, bearing_radius=10e-3, impact=cm.ImpactLaw(0.8)
    ... )
    >>> round(system.add(joint).clearance, 6)
    0.0005
    """

    signals = (*Contact.signals, "eccentricity", "ex", "ey")
    units = (*Contact.units, "m", "m", "m")
    symbol = Symbol.BEARING

    def __init__(
        self,
        a: AttachmentLike,
        b: AttachmentLike,
        at: PointLike | AttachmentLike | None = None,
        journal_radius: float | None = None,
        bearing_radius: float | None = None,
        law: NormalLaw | None = None,
        friction: FrictionLaw | None = None,
        impact: ImpactLaw | None = None,
        *,
        lubricant: Lubricant | None = None,
        roughness: float | None = None,
        wear: WearLaw | None = None,
        name: str | None = None,
    ):
        owner = object_label("RevoluteClearance", name)
        sizes = {"journal_radius": journal_radius, "bearing_radius": bearing_radius}
        journal, bearing = radii(owner, sizes, tight="Revolute")
        first, second = coincident_markers(owner, a, b, at)
        if first.spatial:
            raise ModelError(f"{owner}: requires planar bodies; in 3D use CylindricalClearance or SphericalClearance")
        super().__init__(first, second, (journal, bearing), law, friction, impact, name)
        self.journal_radius, self.bearing_radius = journal, bearing
        self.wear = checked_wear(owner, wear)
        if self.wear is not None:
            bearing_shape, journal_shape = self.shapes
            self.needs_poses = True
            seen = [surface.seen for surface in worn_surfaces(self)]
            self.pairing = worn_pairing(bearing_shape, journal_shape, seen)
        self.lubricant = lubricant
        self.roughness = self._film_roughness(owner, roughness)

    def _film_roughness(self, owner: str, roughness: float | None) -> float | None:
        """Return the roughness [m], by default `ROUGHNESS` of the clearance; None without a lubricant."""
        if self.lubricant is None:
            if roughness is not None:
                raise ModelError(f"{owner}: roughness needs lubricant=")
            return None
        if not isinstance(self.lubricant, Lubricant):
            raise ModelError(
                f"{owner}: lubricant must be a lubricant of cm.lubrication, as cm.lubrication.LongBearing(viscosity, "
                f"length), got {short_repr(self.lubricant)}"
            )
        value = ROUGHNESS * self.clearance if roughness is None else positive(owner, "roughness", roughness)
        if not value <= MAX_ROUGHNESS * self.clearance:
            raise ModelError(
                f"{owner}: roughness must be at most {MAX_ROUGHNESS:g} of the clearance {self.clearance:g} m, got "
                f"{value:g} m"
            )
        return value

    def attached_elements(self) -> tuple[Element, ...]:
        """Return the film of the lubricant, if there is one."""
        if self.lubricant is None or self.roughness is None:
            return ()
        return (BearingFilm(self, self.lubricant, self.roughness, f"{self.name} film"),)

    def ideal_joint(self) -> Revolute:
        """Return the joint without clearance between the same points."""
        return Revolute(*self.markers(), name=self.name)

    def _drawn_fields(self) -> dict[str, Any]:
        return {"sizes": (self.bearing_radius, self.journal_radius)}

    def complete(self, signals: np.ndarray, angle_a: np.ndarray, angle_b: np.ndarray) -> None:
        """Fill in the eccentricity from the indentation; the normal points from the journal to the bearing."""
        column = self.signals.index
        if self.wear is not None:
            self._complete_worn(signals, angle_a, angle_b)
            return
        eccentricity = self.eccentricity(signals)
        x, y = (eccentricity * signals[:, column(name)] for name in ("nx", "ny"))
        c, s = np.cos(angle_a), np.sin(angle_a)
        signals[:, column("eccentricity")] = eccentricity
        signals[:, column("ex")] = c * x + s * y
        signals[:, column("ey")] = c * y - s * x

    def _complete_worn(self, signals: np.ndarray, pose_a: np.ndarray, pose_b: np.ndarray) -> None:
        """Fill in the eccentricity from the poses of the bodies, where the clearance is not constant."""
        c, s = np.cos(pose_a[:, 2]), np.sin(pose_a[:, 2])
        centres = [follow_point(pose, point) for pose, point in zip((pose_a, pose_b), self.points, strict=True)]
        x, y = (centres[1] - centres[0]).T
        first = self.signals.index("eccentricity")
        signals[:, first : first + 3] = np.column_stack([np.hypot(x, y), c * x + s * y, c * y - s * x])

    def turns_with(self, shape: Shape) -> bool:
        """Return True if the gap changes when the body of a shape rotates, as that of worn surfaces does."""
        return self.wear is not None or super().turns_with(shape)


class PrismaticClearance(Compound):
    """Prismatic joint with clearance: the corners of the slider ``b`` touch the guide of ``a``.

    ``at`` [m] is the middle of the slider (default: its centre of mass) and ``axis`` the direction of the guide, in
    global axes in the current pose. The slider is ``length`` by ``width`` [m], with ``clearance`` [m] on each side, so
    that the guide is ``width + 2 clearance`` wide; ``tilt`` [rad] is the current angle of the slider relative to the
    guide. Corners 1 and 2 touch the left side of the guide (seen along the axis), rear and front, 3 and 4 the right
    side.

    Signals: ``configuration`` (0 free, 1 one corner in contact, 2 two corners of one side, 3 two of opposite sides,
    4 more than two), ``position`` of the slider along the guide and ``offset`` across it [m], and its ``angle`` [rad]
    relative to the guide. The corners are separate contacts, named after the joint: "guide 1" … "guide 4".

    Reference: P. Flores, R. Leine, C. Glocker, Multibody System Dynamics 23 (2010) 165–190, Figs 7–9.

    Examples
    --------
    >>> import carom as cm
    >>> system = cm.System()
    >>> slider = system.add(cm.Body("slider", mass=0.5, inertia=1e-3, velocity=(1.0, 0.0)))
    >>> guide = cm.PrismaticClearance(
    ...     system.ground, slider, length=0.1, width=0.05, clearance=1e-3, impact=cm.ImpactLaw(0.4), name="guide"
    ... )
    >>> [corner.name for corner in system.add(guide).parts]
    ['guide 1', 'guide 2', 'guide 3', 'guide 4']
    """

    signals = ("configuration", "position", "offset", "angle")
    units = ("1", "m", "m", "rad")
    symbol = Symbol.GUIDE

    def __init__(
        self,
        a: AttachmentLike,
        b: AttachmentLike,
        at: PointLike | None = None,
        axis: VectorLike = (1.0, 0.0),
        length: float | None = None,
        width: float | None = None,
        clearance: float | None = None,
        law: NormalLaw | None = None,
        friction: FrictionLaw | None = None,
        impact: ImpactLaw | None = None,
        *,
        tilt: float = 0.0,
        name: str | None = None,
    ):
        owner = object_label("PrismaticClearance", name)
        if length is None or width is None or clearance is None:
            raise ModelError(f"{owner}: set length and width of the slider, and the clearance on each side")
        require_law(owner, law, impact)
        self.length, self.width = positive(owner, "length", length), positive(owner, "width", width)
        self.clearance = positive(owner, "clearance", clearance)
        heading = axis_angle(owner, axis)
        slider = as_marker(owner, b, at, heading + finite_float(owner, "tilt", tilt))
        guide = as_marker(owner, a, slider.position if at is None else at, heading)
        half = 0.5 * self.width + self.clearance
        walls = {
            side: Plane(guide.body, self._moved(guide, (0.0, side * half)), rotate((0.0, -side), guide.angle))
            for side in (1.0, -1.0)
        }
        corners = [(x, side) for side in (1.0, -1.0) for x in (-0.5, 0.5)]
        parts = tuple(
            Contact(
                Point(slider.body, self._moved(slider, (x * self.length, 0.5 * side * self.width))), walls[side],
                law, friction, impact=impact,
            )
            for x, side in corners
        )  # fmt: skip
        super().__init__(name, (guide.body, slider.body), parts)
        self.guide, self.slider = guide, slider
        self.points = (guide.at, slider.at)

    @staticmethod
    def _moved(marker: Marker, by: tuple[float, float]) -> tuple[float, float]:
        """Return the point of a body at the distance ``by`` from a marker, along and across its direction."""
        x, y = rotate(by, marker.angle)
        return (marker.at[0] + x, marker.at[1] + y)

    def ideal_joint(self) -> Prismatic:
        """Return the joint without clearance along the same guide."""
        return Prismatic(self.guide, self.slider, name=self.name)

    def _drawn_fields(self) -> dict[str, Any]:
        """Return the angle of the guide, the sizes of the slider, and its corners in cyclic order."""
        corners: list[Any] = [part.shapes[0] for part in self.parts]
        return {
            "axis": float(self.guide.angle),
            "sizes": (self.length, self.width, self.clearance),
            "corners": tuple(corners[k].at[:2] for k in (0, 1, 3, 2)),
        }

    def complete(self, signals: np.ndarray, parts: list[np.ndarray], pose_a: np.ndarray, pose_b: np.ndarray) -> None:
        """Fill in configuration, position, offset and angle from the signals of the corners and the poses."""
        overlap = -CONTACT_GAP * self.clearance
        touching = np.stack([(part[:, N_SIGNALS] > 0.0) | (part[:, 0] >= overlap) for part in parts], axis=1)
        left, right = touching[:, :2].sum(axis=1), touching[:, 2:].sum(axis=1)
        both = np.where((left == 1) & (right == 1), 3, 2)
        signals[:, 0] = np.select([left + right < 2, left + right == 2], [left + right, both], 4)
        slider_centre, heading = _follow(pose_b, self.slider)
        origin, guide_angle = _follow(pose_a, self.guide)
        c, s = np.cos(guide_angle), np.sin(guide_angle)
        x, y = (slider_centre - origin).T
        signals[:, 1], signals[:, 2] = c * x + s * y, c * y - s * x
        signals[:, 3] = heading - guide_angle


def follow_point(pose: np.ndarray, point: Sequence[float]) -> np.ndarray:
    """Return a point of a body over time [m], for x, y, angle of the body."""
    c, s = np.cos(pose[:, 2]), np.sin(pose[:, 2])
    x, y = point
    return np.asarray(pose[:, :2] + np.stack([c * x - s * y, s * x + c * y], axis=1))


def _follow(pose: np.ndarray, marker: Marker) -> tuple[np.ndarray, np.ndarray]:
    """Return position and angle of a marker, for x, y, angle of its body over time."""
    return follow_point(pose, marker.at), pose[:, 2] + marker.angle
