"""Base class of joints."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

from carom.errors import ModelError
from carom.geometry.element import Element
from carom.joints.motion import Motion
from carom.joints.spatial_markers import SPATIAL_MARKERS
from carom.kernels import Kernel
from carom.kernels.record import RecordType


@dataclass(frozen=True)
class Coordinate:
    """Relative coordinate that a joint leaves free.

    ``kernel`` evaluates its value, Jacobian and γ for the bodies and parameters of the joint; its record of parameters
    begins that of the joint. The value of a ``periodic`` coordinate is an angle in (−π, π]; a motion or a result counts
    its revolutions.
    """

    kernel: Kernel
    unit: str
    rate_unit: str
    periodic: bool = False


class Joint(Element):
    """Holonomic constraint between bodies: Φ(q) = 0 with ``rows`` equations.

    ``params_record`` names the ``parameters``. The reported reaction is the force [N] and
    torque [N m] on the second body (on the first if it is the only one), at the point where the joint acts on it.
    """

    family = "joints"

    rows: int
    planar: ClassVar[Kernel]
    spatial: ClassVar[Kernel]
    coordinates: Mapping[str, Coordinate] = {}

    motion: Motion | None = None
    """Prescribed function of time that is subtracted from the row (drivers, actuators)."""

    @property
    def kernel(self) -> Kernel:
        """Kernel for the dimension of the bodies."""
        return self.spatial if self.in_space else self.planar

    @property
    def params_record(self) -> RecordType:
        """Record that names the parameters."""
        return self.kernel.records[0]

    @property
    def drives_periodic_angle(self) -> bool:
        """True if the motion prescribes an angle that is known up to full revolutions."""
        return False

    def _drawn_fields(self) -> dict[str, Any]:
        """Return the axis: in 2D the angle of the rail, in 3D the z-axis of the first marker."""
        record = self.params_record
        if self.in_space:
            if record.names[: len(SPATIAL_MARKERS)] != SPATIAL_MARKERS.names:
                return {}
            return {"axis": tuple(SPATIAL_MARKERS.unpack(self.parameters)["z_a"].tolist())}
        if not self.symbol.has_rail:
            return {}
        params = record.unpack(self.parameters)
        return {"axis": math.atan2(params["axis_y"], params["axis_x"])}

    def coordinate(self, name: str | None) -> str:
        """Return the name of a free coordinate, the first one for None; raise if it is unknown."""
        if not self.coordinates:
            raise ModelError(f"{self.label}: has no free coordinate to drive; drive a coordinate of a body instead")
        if name is None:
            return next(iter(self.coordinates))
        if name not in self.coordinates:
            raise ModelError(f"{self.label}: unknown coordinate {name!r}; choose from {', '.join(self.coordinates)}")
        return name
