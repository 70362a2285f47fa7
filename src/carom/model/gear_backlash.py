"""Gear pair with backlash: contacts of the tooth flanks along the line of action."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from carom.argument_checks import finite_float, integer, is_list, object_label, positive, short_repr
from carom.errors import ModelError
from carom.geometry.marker import AttachmentLike, as_marker
from carom.joints.gear import Gear
from carom.joints.tooth_gap import TOOTH_GAP, tooth_gap
from carom.laws.friction.base import FrictionLaw
from carom.laws.impact_law import ImpactLaw
from carom.laws.normal.base import NormalLaw
from carom.model.compound import Compound
from carom.model.contact import require_law
from carom.model.gap_contact import GapContact

LARGEST_PRESSURE_ANGLE = math.radians(45.0)
"""[rad]"""


class GearBacklash(Compound):
    """Gear pair with backlash in 2D: external gears ``a`` and ``b`` touch with either flank of their teeth.

    The gears turn about the centres of mass of the bodies, or about markers on them; other joints hold them at a
    constant distance, on the ground or on a carrier. ``teeth`` are those of a and b; the pitch circles share the
    distance of the centres in that ratio. ``backlash`` [m] is the circumferential one along the pitch circle, in whose
    middle the gears are in the current pose: with a held, b turns by ± backlash/(2 r_b), ``backlash_angle`` in total.
    Forces act at the pitch point along the line of action, at ``pressure_angle`` [rad] to the common tangent, which
    presses the gears apart. A tooth that leaves the backlash by half a pitch meshes with the next one.

    Signals: the ``position`` in the backlash [m], between −backlash/2 and +backlash/2 apart from indentations, and
    ``force`` along the line of action [N], positive where a drives b by turning forwards. The flanks are contacts,
    named after the joint: "gears 1", "gears 2".

    Examples
    --------
    >>> import carom as cm
    >>> system = cm.System()
    >>> pinion = system.add(cm.Body("pinion", mass=0.2, inertia=1e-5, angular_velocity=10.0))
    >>> wheel = system.add(cm.Body("wheel", mass=0.8, inertia=2e-4, position=(0.06, 0.0)))
    >>> bearings = [system.add(cm.Revolute(system.ground, body, at=body.position)) for body in (pinion, wheel)]
    >>> gears = cm.GearBacklash(pinion, wheel, teeth=(20, 40), backlash=1e-4, impact=cm.ImpactLaw(0.5), name="gears")
    >>> round(system.add(gears).backlash_angle, 6)
    0.0025
    """

    signals = ("position", "force")
    units = ("m", "N")

    def __init__(
        self,
        a: AttachmentLike,
        b: AttachmentLike,
        teeth: Sequence[int],
        backlash: float,
        law: NormalLaw | None = None,
        friction: FrictionLaw | None = None,
        impact: ImpactLaw | None = None,
        *,
        pressure_angle: float = math.radians(20.0),
        name: str | None = None,
    ):
        owner = object_label("GearBacklash", name)
        first, second = as_marker(owner, a), as_marker(owner, b)
        if first.spatial:
            raise ModelError(f"{owner}: requires planar bodies; in 3D use contacts of SpurGear outlines")
        if not is_list(teeth) or len(teeth) != 2:
            raise ModelError(f"{owner}: teeth must be two numbers, of a and of b, got {short_repr(teeth)}")
        self.teeth = tuple(integer(owner, "teeth", count, 4, 10_000) for count in teeth)
        self.backlash = positive(owner, "backlash", backlash)
        self.pressure_angle = finite_float(owner, "pressure_angle", pressure_angle)
        if not 0.0 < self.pressure_angle <= LARGEST_PRESSURE_ANGLE:
            raise ModelError(f"{owner}: pressure_angle must be above 0 and at most π/4 rad, got {pressure_angle:g}")
        require_law(owner, law, impact)
        line = np.subtract(second.position, first.position)
        self.distance = float(np.hypot(*line))
        if self.distance == 0.0:
            raise ModelError(f"{owner}: the gears have the same centre; place them at a distance")
        self.radius_a, self.radius_b = (self.distance * count / sum(self.teeth) for count in self.teeth)
        self.pitch = 2.0 * math.pi * self.radius_a / self.teeth[0]
        if not self.backlash < 0.5 * self.pitch:
            raise ModelError(
                f"{owner}: backlash must be below half of the pitch, {0.5 * self.pitch:g} m, got {backlash:g} m"
            )
        self.first, self.second = first, second
        angles = [float(marker.body.angle) - math.atan2(line[1], line[0]) for marker in (first, second)]
        self.offset = self.radius_a * angles[0] + self.radius_b * angles[1]
        parts = tuple(
            GapContact(first.body, second.body, tooth_gap, self._parameters(side), law, friction, impact)
            for side in (1.0, -1.0)
        )
        super().__init__(name, (first.body, second.body), parts)
        self.points = (first.at, second.at)

    @property
    def backlash_angle(self) -> float:
        """Angle by which b can turn while a is held [rad]."""
        return self.backlash / self.radius_b

    def ideal_joint(self) -> Gear:
        """Return the gear pair without backlash; its carrier is the ground, so the bearings must be there."""
        return Gear(self.first.body, self.second.body, teeth=(self.teeth[0], self.teeth[1]), name=self.name)

    def _parameters(self, side: float) -> tuple[float, ...]:
        """Return the parameters of the gap of one flank."""
        return TOOTH_GAP.pack(
            side=side, s_a=(*self.first.at, 0.0), s_b=(*self.second.at, 0.0), radius_a=self.radius_a,
            radius_b=self.radius_b, pitch=self.pitch, half_backlash=0.5 * self.backlash, offset=self.offset,
            distance=self.distance, cosine=math.cos(self.pressure_angle), sine=math.sin(self.pressure_angle),
        )  # fmt: skip

    def complete(self, signals: np.ndarray, parts: list[np.ndarray], pose_a: np.ndarray, pose_b: np.ndarray) -> None:
        """Fill in position and force from the signals of the flanks."""
        gap, force = (self.parts[0].signals.index(name) for name in ("indentation", "normal_force"))
        forwards, backwards = parts
        # The gaps are (j/2 ∓ s) cos α: half of their difference is −s cos α.
        signals[:, 0] = 0.5 * (forwards[:, gap] - backwards[:, gap]) / math.cos(self.pressure_angle)
        signals[:, 1] = forwards[:, force] - backwards[:, force]
