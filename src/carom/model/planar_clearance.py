"""Joints with clearance: ordinary joints to look at, contacts inside."""

from __future__ import annotations

from typing import Any

import numpy as np

from carom.argument_checks import finite_float, object_label, positive
from carom.errors import ModelError
from carom.geometry.drawing import Symbol
from carom.geometry.marker import axis_angle, meet, place, rotate
from carom.geometry.shapes import Plane, Point
from carom.laws.friction.base import FrictionLaw
from carom.laws.impact_law import ImpactLaw
from carom.laws.normal.base import NormalLaw
from carom.mechanics.contact_records import N_SIGNALS
from carom.model.clearance import SphereClearance, radii
from carom.model.compound import Compound
from carom.model.contact import Contact, require_law

TOUCHING = 1e-6
"""Of the clearance: a gap below it is closed, whether the corner presses or not."""


class RevoluteClearance(SphereClearance):
    """A revolute joint with play: the journal of ``b`` moves in the bearing of ``a``, and touches it.

    ``at`` [m] is the common centre now, in global axes, as for `Revolute`; markers on the bodies may give the two
    centres apart. Their radii [m] leave the clearance ``bearing_radius − journal_radius``. Beside the signals of a
    `Contact` (first body: the bearing) the result shows the journal's orbit in the bearing: ``eccentricity`` and its
    components ``ex``, ``ey`` [m] in the bearing's own axes. ``mode`` is 0 in free flight, 1 in an impact, 2 in lasting
    contact.
    """

    signals = (*Contact.signals, "eccentricity", "ex", "ey")
    units = (*Contact.units, "m", "m", "m")
    symbol = Symbol.BEARING

    def __init__(
        self,
        a: Any,
        b: Any,
        at: Any = None,
        journal_radius: float | None = None,
        bearing_radius: float | None = None,
        law: NormalLaw | None = None,
        friction: FrictionLaw | None = None,
        impact: ImpactLaw | None = None,
        *,
        name: str | None = None,
    ):
        owner = object_label("RevoluteClearance", name)
        sizes = {"journal_radius": journal_radius, "bearing_radius": bearing_radius}
        journal, bearing = radii(owner, sizes, tight="Revolute")
        first, second = meet(owner, a, b, at)
        if first.spatial:
            raise ModelError(f"{owner}: is for planar bodies; in space take CylindricalClearance or SphericalClearance")
        super().__init__(first, second, (journal, bearing), law, friction, impact, name)
        self.journal_radius, self.bearing_radius = journal, bearing

    def _drawn_fields(self) -> dict[str, Any]:
        return {"sizes": (self.bearing_radius, self.journal_radius)}

    def complete(self, signals: np.ndarray, angle_a: np.ndarray, angle_b: np.ndarray) -> None:
        """Eccentricity from the indentation; the normal points from the journal's skin out to the bearing's."""
        column = self.signals.index
        eccentricity = self.eccentricity(signals)
        x, y = (eccentricity * signals[:, column(name)] for name in ("nx", "ny"))
        c, s = np.cos(angle_a), np.sin(angle_a)
        signals[:, column("eccentricity")] = eccentricity
        signals[:, column("ex")] = c * x + s * y
        signals[:, column("ey")] = c * y - s * x


class PrismaticClearance(Compound):
    """A prismatic joint with play: the slider ``b`` moves in the guide of ``a``, and touches it with its corners.

    ``at`` [m] is the middle of the slider now (default: its centre of mass) and ``axis`` the direction of the guide, in
    global axes. The slider is ``length`` by ``width`` [m], with ``clearance`` [m] on each side, so that the guide is
    ``width + 2 clearance`` wide; ``tilt`` [rad] is how far the slider is turned against the guide now. Corners 1 and 2
    touch the left side of the guide (seen along the axis), rear and front, 3 and 4 the right side.

    The result shows its ``configuration``: 0 free, 1 one corner touches, 2 two corners of one side (a face), 3 two of
    opposite sides, 4 more than two; the slider's ``position`` along the guide and its ``offset`` across it [m], and its
    ``angle`` [rad] against it. The corners are contacts of their own, named after the joint: "guide 1" … "guide 4".

    Reference: P. Flores, R. Leine, C. Glocker, Multibody System Dynamics 23 (2010) 165–190, Figs 7–9.
    """

    signals = ("configuration", "position", "offset", "angle")
    units = ("1", "m", "m", "rad")
    symbol = Symbol.GUIDE

    def __init__(
        self,
        a: Any,
        b: Any,
        at: Any = None,
        axis: Any = (1.0, 0.0),
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
            raise ModelError(f"{owner}: give length and width of the slider, and clearance, the play on each side")
        require_law(owner, law, impact)
        self.length, self.width = positive(owner, "length", length), positive(owner, "width", width)
        self.clearance = positive(owner, "clearance", clearance)
        heading = axis_angle(owner, axis)
        slider = place(owner, b, at, heading + finite_float(owner, "tilt", tilt))
        guide = place(owner, a, slider.position if at is None else at, heading)
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
    def _moved(marker: Any, by: tuple[float, float]) -> tuple[float, float]:
        """The point of a body that lies ``by`` away from a marker, along and across its direction."""
        x, y = rotate(by, marker.angle)
        return (marker.at[0] + x, marker.at[1] + y)

    def _drawn_fields(self) -> dict[str, Any]:
        """Return the angle of the guide, the sizes of the slider, and its corners in cyclic order."""
        corners: list[Any] = [part.shapes[0] for part in self.parts]
        return {
            "axis": float(self.guide.angle),
            "sizes": (self.length, self.width, self.clearance),
            "corners": tuple(corners[k].at[:2] for k in (0, 1, 3, 2)),
        }

    def complete(self, signals: np.ndarray, parts: list[np.ndarray], pose_a: np.ndarray, pose_b: np.ndarray) -> None:
        close = -TOUCHING * self.clearance
        touching = np.stack([(part[:, N_SIGNALS] > 0.0) | (part[:, 0] >= close) for part in parts], axis=1)
        left, right = touching[:, :2].sum(axis=1), touching[:, 2:].sum(axis=1)
        both = np.where((left == 1) & (right == 1), 3, 2)
        signals[:, 0] = np.select([left + right < 2, left + right == 2], [left + right, both], 4)
        middle, heading = _follow(pose_b, self.slider)
        origin, along = _follow(pose_a, self.guide)
        c, s = np.cos(along), np.sin(along)
        x, y = (middle - origin).T
        signals[:, 1], signals[:, 2] = c * x + s * y, c * y - s * x
        signals[:, 3] = heading - along


def _follow(pose: np.ndarray, marker: Any) -> tuple[np.ndarray, np.ndarray]:
    """Where a marker is and where it points, for x, y, angle of its body over time."""
    c, s = np.cos(pose[:, 2]), np.sin(pose[:, 2])
    x, y = marker.at
    place = pose[:, :2] + np.stack([c * x - s * y, s * x + c * y], axis=1)
    return place, pose[:, 2] + marker.angle
