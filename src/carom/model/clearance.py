"""Joints with clearance: ordinary joints to look at, contacts inside."""

from __future__ import annotations

from typing import Any

import numpy as np

from carom.errors import ModelError, positive
from carom.geometry.marker import meet
from carom.geometry.shapes import Sphere
from carom.laws.friction.base import FrictionLaw
from carom.laws.impact import Impact
from carom.laws.normal.base import NormalLaw
from carom.model.contact import Contact


class RevoluteClearance(Contact):
    """A revolute joint with play: the journal of ``b`` moves in the bearing of ``a``, and touches it.

    ``at`` [m] is the common centre now, in global axes, as for `Revolute`; markers on the bodies may give the two
    centres apart. Their radii [m] leave the clearance ``bearing_radius − journal_radius``. Beside the signals of a
    `Contact` (first body: the bearing) the result shows the journal's orbit in the bearing: ``eccentricity`` and its
    components ``ex``, ``ey`` [m] in the bearing's own axes. ``mode`` is 0 in free flight, 1 in an impact, 2 in lasting
    contact.
    """

    signals = (*Contact.signals, "eccentricity", "ex", "ey")
    units = (*Contact.units, "m", "m", "m")

    def __init__(
        self,
        a: Any,
        b: Any,
        at: Any = None,
        journal_radius: float | None = None,
        bearing_radius: float | None = None,
        law: NormalLaw | None = None,
        friction: FrictionLaw | None = None,
        impact: Impact | None = None,
        *,
        name: str | None = None,
    ):
        owner = f"RevoluteClearance {name!r}" if name else "RevoluteClearance"
        if journal_radius is None or bearing_radius is None:
            raise ModelError(f"{owner}: give journal_radius and bearing_radius")
        journal = positive(owner, "journal_radius", journal_radius)
        bearing = positive(owner, "bearing_radius", bearing_radius)
        if not journal < bearing:
            raise ModelError(
                f"{owner}: journal_radius must be smaller than bearing_radius, got {journal:g} in {bearing:g}; "
                "without clearance take Revolute"
            )
        first, second = meet(owner, a, b, at)
        super().__init__(
            Sphere(first.body, bearing, first.at, inside=True), Sphere(second.body, journal, second.at),
            law, friction, impact=impact, name=name,
        )  # fmt: skip
        self.points = (first.at, second.at)
        self.journal_radius, self.bearing_radius = journal, bearing

    @property
    def clearance(self) -> float:
        """Radial clearance [m]."""
        return self.bearing_radius - self.journal_radius

    def complete(self, signals: np.ndarray, angle_a: np.ndarray, angle_b: np.ndarray) -> None:
        """Eccentricity from the indentation; the normal points from the journal's skin out to the bearing's."""
        column = self.signals.index
        eccentricity = signals[:, column("indentation")] + self.clearance
        x, y = (eccentricity * signals[:, column(name)] for name in ("nx", "ny"))
        c, s = np.cos(angle_a), np.sin(angle_a)
        signals[:, column("eccentricity")] = eccentricity
        signals[:, column("ex")] = c * x + s * y
        signals[:, column("ey")] = c * y - s * x
