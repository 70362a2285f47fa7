"""Revolute joint with radial and axial clearance in 3D: the journal tilts until both of its ends touch."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from carom.argument_checks import integer, object_label, positive, unit_vector
from carom.errors import ModelError
from carom.geometry.marker import AttachmentLike, Marker, as_marker
from carom.geometry.rotation import frame_along, matrix_of
from carom.geometry.shapes import Plane, Point
from carom.joints.revolute import Revolute
from carom.joints.ring_gap import RING_GAP, ring_gap
from carom.laws.friction.base import FrictionLaw
from carom.laws.impact_law import ImpactLaw
from carom.laws.normal.base import NormalLaw
from carom.model.clearance import radii
from carom.model.compound import Compound
from carom.model.contact import Contact, require_law
from carom.model.gap_contact import GapContact
from carom.typing import PointLike, VectorLike

COLLAR = 1.5
"""Default radius of a collar over that of the bearing [-]."""


class HingeClearance(Compound):
    """Revolute joint with clearance in 3D: the journal of ``b`` tilts and moves in the bearing of ``a``.

    ``at`` [m] is the middle of the journal (default: the centre of mass of ``b``), ``axis`` that of the bearing, in
    global axes in the current pose, in which both are aligned. The radii [m] leave the clearance ``bearing_radius −
    journal_radius``. ``length`` is that of the journal, ``bearing_length`` that of the bearing (default: equal). Of the
    two the shorter one touches with its two end rings: the rings of the journal the bore, or the edges of the bore the
    journal. The rings are exact circles, also when they are tilted: both touch at the angle ``tilt_limit`` [rad].

    ``axial_play`` [m] is the axial clearance between two collars of the journal, of ``collar_radius`` (default: 1.5
    times that of the bearing), and the faces of the bearing; without it the journal is free along the axis. The collars
    touch at ``pads`` points on their rims.

    Signals: number of points in contact (``touching``), the positions of the axis of the journal in the two rings,
    ``e1x``, ``e1y``, ``e2x``, ``e2y`` [m] in the axes of the bearing, the ``tilt`` [rad], and the axial ``position``
    [m]. The points are contacts, named after the joint: "hinge 1" and "hinge 2" are the rings, the others the pads.

    Examples
    --------
    >>> import carom as cm
    >>> system = cm.System(dim=3)
    >>> rod = system.add(cm.Body("rod", mass=0.1, inertia=1e-4, position=(0.0, 0.0, 0.0)))
    >>> sizes = {"length": 0.04, "journal_radius": 9.5e-3, "bearing_radius": 10e-3, "axial_play": 2e-4}
    >>> hinge = cm.HingeClearance(system.ground, rod, impact=cm.ImpactLaw(0.5), **sizes)
    >>> round(system.add(hinge).tilt_limit, 5), len(hinge.parts)
    (0.02515, 14)
    """

    signals = ("touching", "e1x", "e1y", "e2x", "e2y", "tilt", "position")
    units = ("1", "m", "m", "m", "m", "rad", "m")

    def __init__(
        self,
        a: AttachmentLike,
        b: AttachmentLike,
        at: PointLike | None = None,
        axis: VectorLike = (0.0, 0.0, 1.0),
        length: float | None = None,
        journal_radius: float | None = None,
        bearing_radius: float | None = None,
        law: NormalLaw | None = None,
        friction: FrictionLaw | None = None,
        impact: ImpactLaw | None = None,
        *,
        bearing_length: float | None = None,
        axial_play: float | None = None,
        collar_radius: float | None = None,
        pads: int = 6,
        name: str | None = None,
    ):
        owner = object_label("HingeClearance", name)
        sizes = {"journal_radius": journal_radius, "bearing_radius": bearing_radius}
        self.journal_radius, self.bearing_radius = radii(owner, sizes, tight="Revolute")
        if length is None:
            raise ModelError(f"{owner}: set length of the journal")
        require_law(owner, law, impact)
        self.length = positive(owner, "length", length)
        self.bearing_length = self.length if bearing_length is None else positive(
            owner, "bearing_length", bearing_length
        )  # fmt: skip
        self.bearing, self.journal = aligned_markers(owner, a, b, at, axis)
        laws = (law, friction, impact)
        parts: list[Contact] = ring_contacts(
            self.bearing, self.journal, (self.journal_radius, self.bearing_radius), (self.length, self.bearing_length),
            laws,
        )  # fmt: skip
        self.axial_play = None if axial_play is None else positive(owner, "axial_play", axial_play)
        if self.axial_play is None and collar_radius is not None:
            raise ModelError(f"{owner}: collar_radius needs axial_play=")
        if self.axial_play is not None:
            collar = COLLAR * self.bearing_radius if collar_radius is None else positive(
                owner, "collar_radius", collar_radius
            )  # fmt: skip
            if not collar > self.bearing_radius:
                raise ModelError(
                    f"{owner}: collar_radius must be larger than bearing_radius {self.bearing_radius:g} m, got "
                    f"{collar:g} m"
                )
            count = integer(owner, "pads", pads, 3, 24)
            parts += self._collars(collar, count, self.axial_play, law, friction, impact)
        super().__init__(name, (self.bearing.body, self.journal.body), tuple(parts))
        self.points = (self.bearing.at, self.journal.at)

    @property
    def clearance(self) -> float:
        """Radial clearance [m]."""
        return self.bearing_radius - self.journal_radius

    @property
    def tilt_limit(self) -> float:
        """Tilt at which both rings touch, without indentation [rad]; infinite for a bearing too short to limit it."""
        return tilt_limit(self.journal_radius, self.bearing_radius, self.length, self.bearing_length)

    def ideal_joint(self) -> Revolute:
        """Return the joint without clearance about the same axis."""
        return Revolute(self.bearing, self.journal, name=self.name)

    def _collars(
        self, radius: float, count: int, play: float, law: NormalLaw | None, friction: FrictionLaw | None,
        impact: ImpactLaw | None,
    ) -> list[Contact]:  # fmt: skip
        """Return the contacts of both collars with the faces of the bearing."""
        contacts = []
        face, collar = 0.5 * self.bearing_length, 0.5 * self.bearing_length + 0.5 * play
        for side in (-1.0, 1.0):
            normal = side * self.bearing.axes[:, 2]
            plane = Plane(self.bearing.body, np.array(self.bearing.at) + face * normal, normal)
            for k in range(count):
                angle = 2.0 * math.pi * k / count
                local = np.array([radius * math.cos(angle), radius * math.sin(angle), side * collar])
                pad = Point(self.journal.body, np.array(self.journal.at) + self.journal.axes @ local)
                contacts.append(Contact(pad, plane, law, friction, impact=impact))
        return contacts

    def complete(self, signals: np.ndarray, parts: list[np.ndarray], pose_a: np.ndarray, pose_b: np.ndarray) -> None:
        """Fill in the signals from those of the contacts and from the poses."""
        mode = self.parts[0].signals.index("contact_mode")
        signals[:, 0] = sum((part[:, mode] > 0.0).astype(float) for part in parts)
        fill_tilt(signals[:, 1:6], pose_a, pose_b, self.bearing, self.journal, min(self.length, self.bearing_length))
        signals[:, 6] = axial_position(pose_a, pose_b, self.bearing, self.journal)


def aligned_markers(
    owner: str, a: AttachmentLike, b: AttachmentLike, at: PointLike | None, axis: VectorLike
) -> tuple[Marker, Marker]:
    """Return markers of a bearing and of its journal, whose z-axes are the axis; markers keep their own axes."""
    journal = as_marker(owner, b, at)
    if not journal.spatial:
        raise ModelError(f"{owner}: requires spatial bodies; in 2D use RevoluteClearance or PrismaticClearance")
    if isinstance(a, Marker) and isinstance(b, Marker):
        return a, b
    frame = frame_along(unit_vector(owner, "axis", axis, 3))
    journal = as_marker(owner, journal, orientation=frame)
    return as_marker(owner, a, journal.position if at is None else at, frame), journal


def ring_contacts(
    bearing: Marker, journal: Marker, sizes: tuple[float, float], lengths: tuple[float, float], laws: tuple[Any, ...]
) -> list[Contact]:
    """Return the contacts of the two end rings of the shorter of journal and bearing."""
    inner, outer = sizes
    length, bearing_length = lengths
    is_outer = bearing_length < length
    ring, line = (bearing, journal) if is_outer else (journal, bearing)
    half = 0.5 * min(length, bearing_length)
    contacts: list[Contact] = []
    for side in (-1.0, 1.0):
        parameters = RING_GAP.pack(
            is_bearing_ring=float(is_outer),
            ring_centre=tuple(np.array(ring.at) + side * half * ring.axes[:, 2]),
            ring_axis=tuple(ring.axes[:, 2]),
            ring_radius=outer if is_outer else inner,
            line_point=tuple(line.at),
            line_axis=tuple(line.axes[:, 2]),
            line_radius=inner if is_outer else outer,
        )
        contacts.append(GapContact(bearing.body, journal.body, ring_gap, parameters, *laws))
    return contacts


def tilt_limit(inner: float, outer: float, length: float, bearing_length: float) -> float:
    """Return the tilt at which both end rings touch [rad]; infinite where they never do.

    Rings of the journal: l sin φ + 2 r cos φ = 2 R; edges of the bearing: l sin φ + 2 r = 2 R cos φ.

    Examples
    --------
    >>> from carom.model.hinge_clearance import tilt_limit
    >>> round(tilt_limit(0.0095, 0.010, 0.04, 0.04), 5)  # about 2 c/l
    0.02515
    """
    if bearing_length < length:
        return math.atan2(2.0 * outer, bearing_length) - math.asin(
            2.0 * inner / math.hypot(bearing_length, 2.0 * outer)
        )
    across = math.hypot(length, 2.0 * inner)
    if across <= 2.0 * outer:
        return math.inf
    return math.atan2(length, 2.0 * inner) - math.acos(2.0 * outer / across)


def axes_over_time(pose: np.ndarray, marker: Marker) -> tuple[np.ndarray, np.ndarray]:
    """Return position (n, 3) [m] and axes (n, 3, 3) of a marker over time."""
    turns = matrix_of(pose[:, 3:])
    return pose[:, :3] + turns @ np.array(marker.at), turns @ marker.axes


def fill_tilt(
    signals: np.ndarray, pose_a: np.ndarray, pose_b: np.ndarray, bearing: Marker, journal: Marker, length: float
) -> None:
    """Fill five columns: the position of the journal's axis at both ends in axes of the bearing [m], and the tilt."""
    origin, frame = axes_over_time(pose_a, bearing)
    centre, turned = axes_over_time(pose_b, journal)
    axis = np.einsum("nji,nj->ni", frame, turned[:, :, 2])
    middle = np.einsum("nji,nj->ni", frame, centre - origin)
    for k, side in enumerate((-1.0, 1.0)):
        signals[:, 2 * k : 2 * k + 2] = (middle + 0.5 * side * length * axis)[:, :2]
    signals[:, 4] = np.arctan2(np.hypot(axis[:, 0], axis[:, 1]), np.abs(axis[:, 2]))


def axial_position(pose_a: np.ndarray, pose_b: np.ndarray, bearing: Marker, journal: Marker) -> np.ndarray:
    """Return the position of the journal along the axis of the bearing [m]."""
    origin, frame = axes_over_time(pose_a, bearing)
    centre, _ = axes_over_time(pose_b, journal)
    return np.asarray(np.sum((centre - origin) * frame[:, :, 2], axis=1))
