"""Elements made of others."""

from __future__ import annotations

from typing import Any

import numpy as np

from carom.geometry.element import Element
from carom.model.contact import Contact


class Compound(Element):
    """An element that acts through its ``parts``, and shows what follows from them.

    The parts go into the system with it, under names of their own. ``signals`` and ``units`` say what it shows.
    """

    family = "compounds"
    signals: tuple[str, ...]
    units: tuple[str, ...]

    def __init__(self, name: str | None, members: tuple[Any, ...], parts: tuple[Contact, ...]):
        super().__init__(name, *members)
        self.parts = parts
        self.parameters = ()

    def turns(self, body: Any) -> bool:
        """Its parts may; it has no force of its own."""
        return False

    def complete(self, signals: np.ndarray, parts: list[np.ndarray], pose_a: np.ndarray, pose_b: np.ndarray) -> None:
        """Fill the columns of ``signals`` from those of the parts and from x, y, angle of its bodies over time."""
        raise NotImplementedError(f"{type(self).__name__} shows nothing")
