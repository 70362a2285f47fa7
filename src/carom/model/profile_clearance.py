"""Revolute joint with clearance and an imperfect bearing: a journal in a bore of any profile."""

from __future__ import annotations

from typing import Any

import numpy as np

from carom.argument_checks import object_label, positive
from carom.errors import ModelError
from carom.geometry.marker import AttachmentLike, Marker, coincident_markers
from carom.geometry.profiles.base import Profile
from carom.geometry.shapes import Curve, Sphere
from carom.joints.revolute import Revolute
from carom.laws.friction.base import FrictionLaw
from carom.laws.impact_law import ImpactLaw
from carom.laws.normal.base import NormalLaw
from carom.model.compound import Compound
from carom.model.contact import Contact, require_law
from carom.typing import MatrixLike, PointLike


class ProfileClearance(Compound):
    """Revolute joint with clearance in 2D whose bearing is not round: the journal of ``b`` in a bore of ``a``.

    ``at`` [m] is the common centre in global axes in the current pose, as for `RevoluteClearance`. ``profile`` is the
    bore about that centre in axes of ``a``: points (x, y) [m] of a closed smooth curve, or a profile such as
    `carom.profiles.OutOfRound`. The journal is a circle of ``journal_radius`` [m], and touches where the profile is
    closest; it must be smaller than the smallest radius of curvature of the bore.

    Signals: ``touching``, and the orbit of the journal: ``eccentricity``, ``ex``, ``ey`` [m] in axes of the bearing.
    The contact is named after the joint: "pin 1".

    Examples
    --------
    >>> import carom as cm
    >>> system = cm.System()
    >>> rod = system.add(cm.Body("rod", mass=1.0, inertia=0.1))
    >>> bore = cm.profiles.OutOfRound(radius=0.01, harmonics=[(2, 5e-5, 0.0)])
    >>> joint = cm.ProfileClearance(system.ground, rod, (0, 0), 9.8e-3, bore, impact=cm.ImpactLaw(0.5), name="pin")
    >>> system.add(joint).parts[0].name
    'pin 1'
    """

    signals = ("touching", "eccentricity", "ex", "ey")
    units = ("1", "m", "m", "m")

    def __init__(
        self,
        a: AttachmentLike,
        b: AttachmentLike,
        at: PointLike | AttachmentLike | None = None,
        journal_radius: float | None = None,
        profile: MatrixLike | Profile | None = None,
        law: NormalLaw | None = None,
        friction: FrictionLaw | None = None,
        impact: ImpactLaw | None = None,
        *,
        name: str | None = None,
    ):
        owner = object_label("ProfileClearance", name)
        if journal_radius is None or profile is None:
            raise ModelError(f"{owner}: set journal_radius and the profile of the bearing")
        require_law(owner, law, impact)
        first, second = coincident_markers(owner, a, b, at)
        if first.spatial:
            raise ModelError(f"{owner}: requires planar bodies; in 3D use HingeClearance or CylindricalClearance")
        self.journal_radius = positive(owner, "journal_radius", journal_radius)
        points = np.array(profile.points if isinstance(profile, Profile) else profile, dtype=float)
        if points.ndim != 2 or points.shape[1] != 2 or len(points) < 5:
            raise ModelError(f"{owner}: profile must be at least five points (x, y) [m] or a profile of cm.profiles")
        smallest = float(np.hypot(*points.T).min())
        if not self.journal_radius < smallest:
            raise ModelError(
                f"{owner}: journal_radius must be below the smallest radius of the bore, {smallest:g} m, got "
                f"{journal_radius:g} m; without clearance use Revolute"
            )
        bore = Curve(first.body, [tuple(np.add(first.at, point)) for point in points], closed=True, inside=True)
        part = Contact(bore, Sphere(second.body, self.journal_radius, second.at), law, friction, impact=impact)
        super().__init__(name, (first.body, second.body), (part,))
        self.points = (first.at, second.at)

    def keywords(self) -> dict[str, Any]:
        """Return the constructor arguments; a profile by its points, as in model files."""
        found = super().keywords()
        profile = found["profile"]
        return {**found, "profile": profile.points.tolist()} if isinstance(profile, Profile) else found

    def markers(self) -> tuple[Marker, Marker]:
        """Return the centres of bearing and journal as markers on the bodies."""
        bearing, journal = self.members
        return Marker(bearing, tuple(self.points[0])), Marker(journal, tuple(self.points[1]))

    def ideal_joint(self) -> Revolute:
        """Return the joint without clearance between the same points."""
        return Revolute(*self.markers(), name=self.name)

    def complete(self, signals: np.ndarray, parts: list[np.ndarray], pose_a: np.ndarray, pose_b: np.ndarray) -> None:
        """Fill in the orbit from the poses."""
        signals[:, 0] = parts[0][:, self.parts[0].signals.index("contact_mode")] > 0.0
        ax, ay = rotated_point(pose_a, self.points[0])
        bx, by = rotated_point(pose_b, self.points[1])
        c, s = np.cos(pose_a[:, 2]), np.sin(pose_a[:, 2])
        x, y = bx - ax, by - ay
        signals[:, 1] = np.hypot(x, y)
        signals[:, 2], signals[:, 3] = c * x + s * y, c * y - s * x


def rotated_point(pose: np.ndarray, point: PointLike) -> tuple[np.ndarray, np.ndarray]:
    """Return x and y of a point of a planar body over time [m]."""
    c, s = np.cos(pose[:, 2]), np.sin(pose[:, 2])
    return pose[:, 0] + c * point[0] - s * point[1], pose[:, 1] + s * point[0] + c * point[1]
