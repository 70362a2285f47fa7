"""Joints with clearance in 3D: a ball in a socket, a pin in a bush."""

from __future__ import annotations

import numpy as np

from carom.argument_checks import object_label, positive, unit_vector
from carom.errors import ModelError
from carom.geometry.marker import AttachmentLike, Marker, as_marker, coincident_markers
from carom.geometry.rotation import frame_along, matrix_of
from carom.geometry.shapes import Cylinder, Sphere
from carom.joints.cylindrical import Cylindrical
from carom.joints.spherical import Spherical
from carom.laws.friction.base import FrictionLaw
from carom.laws.impact_law import ImpactLaw
from carom.laws.normal.base import NormalLaw
from carom.model.clearance import SphereClearance, radii
from carom.model.compound import Compound
from carom.model.contact import Contact, require_law
from carom.typing import PointLike, VectorLike

BUSH_LENGTH = 10.0
"""Ratio of the length of a bush to that of its pin [-]."""


class SphericalClearance(SphereClearance):
    """Spherical joint with clearance: the ball of ``b`` moves in the socket of ``a``.

    ``at`` [m] is the common centre in global axes in the current pose; the two centres may differ with markers on the
    bodies. The radii [m] leave the clearance ``socket_radius − ball_radius``. Signals: those of a `Contact` (first
    body: the socket), and the position of the ball in its socket: ``eccentricity`` and ``ex``, ``ey``, ``ez`` [m] in
    the axes of ``a``.

    Examples
    --------
    >>> import carom as cm
    >>> system = cm.System(dim=3, gravity=(0.0, 0.0, -9.81))
    >>> arm = system.add(cm.Body("arm", mass=1.0, inertia=0.01, position=(0.0, 0.0, -0.5)))
    >>> joint = cm.SphericalClearance(
    ...     system.ground, arm, at=(0, 0, 0), ball_radius=9.5e-3, socket_radius=10e-3, impact=cm.ImpactLaw(0.5)
    ... )
    >>> round(system.add(joint).clearance, 6)
    0.0005
    """

    def __init__(
        self,
        a: AttachmentLike,
        b: AttachmentLike,
        at: PointLike | AttachmentLike | None = None,
        ball_radius: float | None = None,
        socket_radius: float | None = None,
        law: NormalLaw | None = None,
        friction: FrictionLaw | None = None,
        impact: ImpactLaw | None = None,
        *,
        name: str | None = None,
    ):
        owner = object_label("SphericalClearance", name)
        sizes = {"ball_radius": ball_radius, "socket_radius": socket_radius}
        ball, socket = radii(owner, sizes, tight="Spherical")
        first, second = coincident_markers(owner, a, b, at)
        if not first.spatial:
            raise ModelError(f"{owner}: requires spatial bodies; in 2D use RevoluteClearance")
        super().__init__(first, second, (ball, socket), law, friction, impact, name)
        self.ball_radius, self.socket_radius = ball, socket
        self.signals = (*self.signals, "eccentricity", "ex", "ey", "ez")
        self.units = (*self.units, "m", "m", "m", "m")

    def ideal_joint(self) -> Spherical:
        """Return the joint without clearance between the same points."""
        return Spherical(*self.markers(), name=self.name)

    def complete(self, signals: np.ndarray, turn_a: np.ndarray, turn_b: np.ndarray) -> None:
        """Fill in the eccentricity from the indentation; the normal points from the ball to the socket."""
        column = self.signals.index
        eccentricity = self.eccentricity(signals)
        normal = signals[:, [column(name) for name in ("nx", "ny", "nz")]]
        first = column("eccentricity")
        signals[:, first] = eccentricity
        signals[:, first + 1 : first + 4] = eccentricity[:, None] * np.einsum("nij,ni->nj", turn_a, normal)


class CylindricalClearance(Compound):
    """Cylindrical joint with clearance: the two ends of the pin of ``b`` touch the bush of ``a``.

    ``at`` [m] is the middle of the pin (default: the centre of mass of ``b``), ``axis`` the direction of the bush, in
    global axes in the current pose, in which the pin of ``length`` [m] is aligned with the bush. The radii [m] leave
    the clearance ``bearing_radius − journal_radius``. The contact of an end is that of a sphere with the radius of the
    pin, which holds for the small tilt that the clearance allows. Along the axis the pin is free.

    Signals: number of ends in contact (``touching``), the eccentricities ``e1`` and ``e2`` of the ends [m], and the
    ``position`` [m] of the pin along the bush. The ends are separate contacts, named after the joint: "bush 1",
    "bush 2".

    Examples
    --------
    >>> import carom as cm
    >>> system = cm.System(dim=3)
    >>> pin = system.add(cm.Body("pin", mass=0.1, inertia=1e-4, position=(0.0, 0.0, 0.0)))
    >>> bush = cm.CylindricalClearance(
    ...     system.ground, pin, length=0.04, journal_radius=9.5e-3, bearing_radius=10e-3, impact=cm.ImpactLaw(0.5)
    ... )
    >>> len(system.add(bush).parts)
    2
    """

    signals = ("touching", "e1", "e2", "position")
    units = ("1", "m", "m", "m")

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
        name: str | None = None,
    ):
        owner = object_label("CylindricalClearance", name)
        sizes = {"journal_radius": journal_radius, "bearing_radius": bearing_radius}
        journal, bearing = radii(owner, sizes, tight="Cylindrical")
        if length is None:
            raise ModelError(f"{owner}: set length of the pin")
        require_law(owner, law, impact)
        self.length = positive(owner, "length", length)
        self.journal_radius, self.bearing_radius = journal, bearing
        pin = as_marker(owner, b, at)
        if not pin.spatial:
            raise ModelError(f"{owner}: requires spatial bodies; in 2D use RevoluteClearance")
        frame = frame_along(unit_vector(owner, "axis", axis, 3))
        pin = as_marker(owner, pin, orientation=frame)
        bush = as_marker(owner, a, pin.position if at is None else at, frame)
        bore = Cylinder(bush.body, bush.at, bush.axes[:, 2], bearing, 0.5 * BUSH_LENGTH * self.length, inside=True)
        ends = [np.array(pin.at) + side * 0.5 * self.length * pin.axes[:, 2] for side in (-1.0, 1.0)]
        parts = tuple(Contact(Sphere(pin.body, journal, end), bore, law, friction, impact=impact) for end in ends)
        super().__init__(name, (bush.body, pin.body), parts)
        self.bush, self.pin = bush, pin
        self.points = (bush.at, pin.at)

    @property
    def clearance(self) -> float:
        """Radial clearance [m]."""
        return self.bearing_radius - self.journal_radius

    def ideal_joint(self) -> Cylindrical:
        """Return the joint without clearance along the same axis."""
        return Cylindrical(self.bush, self.pin, name=self.name)

    def complete(self, signals: np.ndarray, parts: list[np.ndarray], pose_a: np.ndarray, pose_b: np.ndarray) -> None:
        """Fill in touching, eccentricities and position from the signals of the ends and the poses."""
        mode = self.parts[0].signals.index("contact_mode")
        signals[:, 0] = sum((part[:, mode] > 0.0).astype(float) for part in parts)
        for k, part in enumerate(parts):
            signals[:, 1 + k] = part[:, 0] + self.clearance
        origin, pin_centre = (_point(pose, marker) for pose, marker in ((pose_a, self.bush), (pose_b, self.pin)))
        bush_axis = matrix_of(pose_a[:, 3:]) @ self.bush.axes[:, 2]
        signals[:, 3] = np.sum((pin_centre - origin) * bush_axis, axis=1)


def _point(pose: np.ndarray, marker: Marker) -> np.ndarray:
    return pose[:, :3] + matrix_of(pose[:, 3:]) @ np.array(marker.at)
