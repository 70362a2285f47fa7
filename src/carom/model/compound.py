"""Elements that consist of several contacts."""

from __future__ import annotations

from typing import Any

import numpy as np

from carom.geometry.element import Element
from carom.model.contact import Contact


class Compound(Element):
    """Element that acts through its ``parts`` and has signals computed from theirs.

    The parts are added to the system with it, under their own names. ``signals`` and ``units`` are those of the whole.
    """

    family = "compounds"
    signals: tuple[str, ...]
    units: tuple[str, ...]

    def __init__(self, name: str | None, members: tuple[Any, ...], parts: tuple[Contact, ...]):
        super().__init__(name, *members)
        self.parts = parts
        self.parameters = ()

    def turns(self, body: Any) -> bool:
        """Return False: only its parts have forces."""
        return False

    def complete(self, signals: np.ndarray, parts: list[np.ndarray], pose_a: np.ndarray, pose_b: np.ndarray) -> None:
        """Fill the columns of ``signals`` from those of the parts and from the poses of its bodies over time."""
        raise NotImplementedError(f"{type(self).__name__} shows nothing")
