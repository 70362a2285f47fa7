"""What every force element has."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar

from carom.errors import ModelError
from carom.kernels import Kernel
from carom.kernels.user import UserFunction


class Force:
    """A force between bodies: wrench on each member, energy it stores, power it dissipates and applies.

    ``signals`` are what the result shows of it, with their ``units``. ``function`` is the user's part, if any; the
    kernel finds its address behind its members.
    """

    planar: ClassVar[Kernel]
    signals: ClassVar[tuple[str, ...]] = ()
    units: ClassVar[tuple[str, ...]] = ()

    name: str | None
    members: tuple[Any, ...]
    parameters: Sequence[float]
    function: UserFunction | None = None

    def __init__(self, name: str | None, *members: Any):
        self.name = name
        self.members = members
        for k, body in enumerate(members):
            if not hasattr(body, "name"):
                raise ModelError(f"{self.label}: expected a Body or system.ground, got {body!r}")
            if any(body is other for other in members[:k]):
                raise ModelError(f"{self.label}: needs two different bodies, got {body.name!r} twice")

    @property
    def label(self) -> str:
        kind = type(self).__name__
        if self.name:
            return f"{kind} {self.name!r}"
        return f"{kind} {'–'.join(str(getattr(b, 'name', b)) for b in self.members)}"

    def __repr__(self) -> str:
        return f"<{self.label}>"
