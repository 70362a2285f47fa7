"""Contacts of two bodies with a gap of their own in place of that of two shapes."""

from __future__ import annotations

from typing import Any

from carom.geometry.pairs.registry import Pairing
from carom.kernels import Kernel
from carom.laws.friction.base import FrictionLaw
from carom.laws.impact_law import ImpactLaw
from carom.laws.normal.base import NormalLaw
from carom.mechanics.contact_records import SPATIAL_SIGNAL_NAMES, SPATIAL_SIGNAL_UNITS
from carom.model.contact import Contact
from carom.model.joint_stop import JointElement, StopSide


class GapContact(JointElement):
    """Contact of ``a`` and ``b`` whose ``gap_kernel`` evaluates gap, normal and point from their poses.

    Signals are those of a `Contact`. Joints with clearance consist of such contacts.
    """

    def __init__(
        self,
        a: Any,
        b: Any,
        gap_kernel: Kernel,
        gap_parameters: tuple[float, ...],
        law: NormalLaw | None,
        friction: FrictionLaw | None,
        impact: ImpactLaw | None,
    ):
        super(Contact, self).__init__(None, a, b)
        self.shapes: tuple[Any, Any] = (StopSide(a), StopSide(b))
        self.gap_kernel, self.gap_parameters = gap_kernel, gap_parameters
        self.law, self.friction, self.impact = law, friction, impact
        self.rolling = None
        self.parameters = ()
        if self.in_space:
            self.signals = (*SPATIAL_SIGNAL_NAMES, "contact_mode")
            self.units = (*SPATIAL_SIGNAL_UNITS, "1")

    @property
    def pairing(self) -> Pairing:  # type: ignore[override]
        """Kernel of the gap with its parameters."""
        return Pairing(self.gap_kernel, self.shapes, False, self.gap_parameters, ())
