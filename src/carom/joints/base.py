"""Base class of joints."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

from carom.errors import ModelError
from carom.geometry.element import Element
from carom.joints.joint_friction import Friction
from carom.joints.limits import CoordinateLimits, Limits, StopImpact, StopLaw, limits_of
from carom.joints.motion import Motion
from carom.joints.spatial_markers import SPATIAL_MARKERS
from carom.joints.stop_gaps import StopGap
from carom.kernels import Kernel
from carom.kernels.record import RecordType


@dataclass(frozen=True)
class Coordinate:
    """Relative coordinate that a joint leaves free.

    ``kernel`` evaluates its value, Jacobian and γ for the bodies and parameters of the joint; its record of parameters
    begins that of the joint. The value of a ``periodic`` coordinate is an angle in (−π, π]; a motion or a result counts
    its revolutions. ``stop`` is its gap at a limit; None if it cannot have limits.
    """

    kernel: Kernel
    unit: str
    rate_unit: str
    periodic: bool = False
    stop: StopGap | None = None


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

    limits: Mapping[str, CoordinateLimits] = {}
    """Limits of coordinates, by their names."""
    stops: tuple[Any, ...] = ()
    """The stops at these limits, contacts that a system adds with the joint: per coordinate the lower, then the upper.

    Their names are "hinge lower stop" and "hinge upper stop", or "joint angle lower stop" for one of several
    coordinates; they have signals of contacts. In compliant runs a stop without ``law`` is a stiff spring and damper:
    its natural period is 1 ms for the effective mass of the mechanism in its initial position, and it returns the
    restitution of ``impact``, but at least 5 % of the approach speed (damping ratio 2). In non-smooth runs a stop
    without ``impact`` has restitution 0. The signal ``stop_torque`` or ``stop_force`` of the joint
    (``angle_stop_torque`` … of several coordinates) is the sum of both along the coordinate.
    """

    friction_data: Friction | None = None
    """Friction along the free direction."""

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
            return {"axis": self.spatial_axis()}
        if not self.symbol.has_rail:
            return {}
        params = record.unpack(self.parameters)
        return {"axis": math.atan2(params["axis_y"], params["axis_x"])}

    def spatial_axis(self) -> tuple[float, ...]:
        """Return the z-axis of the first marker of a spatial joint, in the axes of its first body."""
        return tuple(SPATIAL_MARKERS.unpack(self.parameters)["z_a"].tolist())

    def _set_limits(self, limits: Limits, law: StopLaw, impact: StopImpact) -> None:
        """Set the limits of the coordinates from the arguments of the constructor."""
        allowed = [name for name, coordinate in self.coordinates.items() if coordinate.stop is not None]
        self.limits = limits_of(self.label, allowed, limits, law, impact)

    def coordinate(self, name: str | None) -> str:
        """Return the name of a free coordinate, the first one for None; raise if it is unknown."""
        if not self.coordinates:
            raise ModelError(f"{self.label}: has no free coordinate to drive; drive a coordinate of a body instead")
        if name is None:
            return next(iter(self.coordinates))
        if name not in self.coordinates:
            raise ModelError(f"{self.label}: unknown coordinate {name!r}; choose from {', '.join(self.coordinates)}")
        return name
