"""What every force element has."""

from __future__ import annotations

from typing import ClassVar

from carom.geometry.element import Element
from carom.kernels import Kernel
from carom.kernels.user import UserFunction


class Force(Element):
    """A force between bodies: wrench on each member, energy it stores, power it dissipates and applies.

    ``signals`` are what the result shows of it, with their ``units``. ``function`` is the user's part, if any; the
    kernel finds its address behind its members.
    """

    planar: ClassVar[Kernel]
    spatial: ClassVar[Kernel]
    signals: tuple[str, ...] = ()
    units: tuple[str, ...] = ()

    function: UserFunction | None = None

    @property
    def kernel(self) -> Kernel:
        return self.spatial if self.in_space else self.planar
