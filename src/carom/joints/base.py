"""What every joint has."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

from carom.errors import ModelError
from carom.geometry.element import Element
from carom.joints.motion import Motion
from carom.kernels import Kernel


@dataclass(frozen=True)
class Coordinate:
    """A relative motion that a joint leaves free: its compiled value, Jacobian and γ, for the joint's own members.

    The value of a ``periodic`` one is an angle in (−π, π], of which a motion or a result may count the turns.
    """

    kernel: Kernel
    unit: str
    rate_unit: str
    periodic: bool = False


class Joint(Element):
    """A holonomic relation between bodies: Φ(q) = 0 with ``rows`` equations.

    The reaction reported is the force and torque that acts on the second member (the first when it is alone), at the
    point where the joint holds it.
    """

    rows: int
    planar: ClassVar[Kernel]
    spatial: ClassVar[Kernel]
    coordinates: Mapping[str, Coordinate] = {}

    motion: Motion | None = None
    """A prescribed function of time that is subtracted from the row (drivers, actuators)."""

    @property
    def kernel(self) -> Kernel:
        return self.spatial if self.in_space else self.planar

    @property
    def turns_counted(self) -> bool:
        """Whether its motion drives an angle that is known but for whole turns."""
        return False

    def coordinate(self, name: str | None) -> str:
        """The free coordinate meant by ``name``; the first one when None."""
        if not self.coordinates:
            raise ModelError(f"{self.label} leaves no coordinate to drive; drive a body coordinate instead")
        if name is None:
            return next(iter(self.coordinates))
        if name not in self.coordinates:
            raise ModelError(f"{self.label} has no coordinate {name!r}; it has {', '.join(self.coordinates)}")
        return name
