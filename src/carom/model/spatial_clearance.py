"""Joints with play in space: a ball in a socket, a pin in a bush."""

from __future__ import annotations

from typing import Any

import numpy as np

from carom.argument_checks import object_label, positive, unit_vector
from carom.errors import ModelError
from carom.geometry.marker import meet, place
from carom.geometry.rotation import frame_along, matrix_of
from carom.geometry.shapes import Cylinder, Sphere
from carom.laws.friction.base import FrictionLaw
from carom.laws.impact_law import ImpactLaw
from carom.laws.normal.base import NormalLaw
from carom.model.clearance import SphereClearance, radii
from carom.model.compound import Compound
from carom.model.contact import Contact, require_law

LONG = 10.0
"""Length of a bush, in lengths of its pin."""


class SphericalClearance(SphereClearance):
    """A spherical joint with play: the ball of ``b`` moves in the socket of ``a``, and touches it.

    ``at`` [m] is the common centre now, in global axes; markers on the bodies may give the two centres apart. The radii
    [m] leave the clearance ``socket_radius − ball_radius``. Beside the signals of a `Contact` (first body: the socket)
    the result shows where the ball is in its socket: ``eccentricity`` and ``ex``, ``ey``, ``ez`` [m] in the axes of
    ``a``.
    """

    def __init__(
        self,
        a: Any,
        b: Any,
        at: Any = None,
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
        first, second = meet(owner, a, b, at)
        if not first.spatial:
            raise ModelError(f"{owner}: needs spatial bodies; in a plane take RevoluteClearance")
        super().__init__(first, second, (ball, socket), law, friction, impact, name)
        self.ball_radius, self.socket_radius = ball, socket
        self.signals = (*self.signals, "eccentricity", "ex", "ey", "ez")
        self.units = (*self.units, "m", "m", "m", "m")

    def complete(self, signals: np.ndarray, turn_a: np.ndarray, turn_b: np.ndarray) -> None:
        """Eccentricity from the indentation; the normal points from the ball's skin out to the socket's."""
        column = self.signals.index
        eccentricity = self.eccentricity(signals)
        normal = signals[:, [column(name) for name in ("nx", "ny", "nz")]]
        first = column("eccentricity")
        signals[:, first] = eccentricity
        signals[:, first + 1 : first + 4] = eccentricity[:, None] * np.einsum("nij,ni->nj", turn_a, normal)


class CylindricalClearance(Compound):
    """A cylindrical joint with play: the pin of ``b`` moves in the bush of ``a``, and touches it with its two ends.

    ``at`` [m] is the middle of the pin now (default: the centre of mass of ``b``), ``axis`` the direction of the bush,
    in global axes; the pin is ``length`` [m] long and aligned with it now. The radii [m] leave the clearance
    ``bearing_radius − journal_radius``. An end touches where a ball of the pin's radius would: right for the small tilt
    that the clearance allows. Along the axis the pin is free.

    The result shows ``touching``, how many ends do, the eccentricities ``e1`` and ``e2`` of the ends [m], and the
    ``position`` [m] of the pin along the bush. The ends are contacts of their own, named after the joint: "bush 1",
    "bush 2".
    """

    signals = ("touching", "e1", "e2", "position")
    units = ("1", "m", "m", "m")

    def __init__(
        self,
        a: Any,
        b: Any,
        at: Any = None,
        axis: Any = (0.0, 0.0, 1.0),
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
            raise ModelError(f"{owner}: give length of the pin")
        require_law(owner, law, impact)
        self.length = positive(owner, "length", length)
        self.journal_radius, self.bearing_radius = journal, bearing
        pin = place(owner, b, at)
        if not pin.spatial:
            raise ModelError(f"{owner}: needs spatial bodies; in a plane take RevoluteClearance")
        frame = frame_along(unit_vector(owner, "axis", axis, 3))
        pin = place(owner, pin, orientation=frame)
        bush = place(owner, a, pin.position if at is None else at, frame)
        wall = Cylinder(bush.body, bush.at, bush.axes[:, 2], bearing, 0.5 * LONG * self.length, inside=True)
        ends = [np.array(pin.at) + side * 0.5 * self.length * pin.axes[:, 2] for side in (-1.0, 1.0)]
        parts = tuple(Contact(Sphere(pin.body, journal, end), wall, law, friction, impact=impact) for end in ends)
        super().__init__(name, (bush.body, pin.body), parts)
        self.bush, self.pin = bush, pin
        self.points = (bush.at, pin.at)

    @property
    def clearance(self) -> float:
        """Radial clearance [m]."""
        return self.bearing_radius - self.journal_radius

    def complete(self, signals: np.ndarray, parts: list[np.ndarray], pose_a: np.ndarray, pose_b: np.ndarray) -> None:
        mode = self.parts[0].signals.index("mode")
        signals[:, 0] = sum((part[:, mode] > 0.0).astype(float) for part in parts)
        for k, part in enumerate(parts):
            signals[:, 1 + k] = part[:, 0] + self.clearance
        origin, middle = (_point(pose, marker) for pose, marker in ((pose_a, self.bush), (pose_b, self.pin)))
        along = matrix_of(pose_a[:, 3:]) @ self.bush.axes[:, 2]
        signals[:, 3] = np.sum((middle - origin) * along, axis=1)


def _point(pose: np.ndarray, marker: Any) -> np.ndarray:
    return pose[:, :3] + matrix_of(pose[:, 3:]) @ np.array(marker.at)
