"""What every joint has."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from carom.errors import ModelError
from carom.joints.motion import Motion
from carom.kernels import Kernel


@dataclass(frozen=True)
class Coordinate:
    """A relative motion that a joint leaves free: its compiled value, Jacobian and γ, for the joint's own members."""

    kernel: Kernel
    unit: str
    rate_unit: str


class Joint:
    """A holonomic relation between bodies: Φ(q) = 0 with ``rows`` equations.

    ``members`` are the bodies in the order of the kernel's Jacobian blocks (None is the ground), ``parameters`` the
    kernel's numbers.
    The reaction reported is the force and torque that acts on the last body of the pair, at ``reaction_point``.
    """

    rows: ClassVar[int]
    planar: ClassVar[Kernel]
    coordinates: ClassVar[Mapping[str, Coordinate]] = {}

    name: str | None
    members: tuple[Any, ...]
    parameters: Sequence[float]
    reaction_point: tuple[float, float] = (0.0, 0.0)
    """Where the reaction is taken, on the second member, in its own axes."""

    motion: Motion | None = None
    """A prescribed function of time that is subtracted from the row (drivers, actuators)."""

    def __init__(self, name: str | None, *members: Any):
        self.name = name
        self.members = members
        for body in members:
            if body is not None and not hasattr(body, "name"):
                raise ModelError(f"{self.label}: expected a Body or system.ground, got {body!r}")
        for k, body in enumerate(members):
            if body is not None and any(body is other for other in members[:k]):
                raise ModelError(f"{self.label}: a joint needs two different bodies, got {body.name!r} twice")

    @property
    def label(self) -> str:
        kind = type(self).__name__
        if self.name:
            return f"{kind} {self.name!r}"
        return f"{kind} {'–'.join(str(getattr(b, 'name', b)) for b in self.members if b is not None)}"

    def __repr__(self) -> str:
        return f"<{self.label}>"

    @property
    def kernel(self) -> Kernel:
        return self.planar

    def coordinate(self, name: str | None) -> str:
        """The free coordinate meant by ``name``; the only one there is when None."""
        if not self.coordinates:
            raise ModelError(f"{self.label} leaves no coordinate to drive; drive a body coordinate instead")
        if name is None:
            return next(iter(self.coordinates))
        if name not in self.coordinates:
            raise ModelError(f"{self.label} has no coordinate {name!r}; it has {', '.join(self.coordinates)}")
        return name
