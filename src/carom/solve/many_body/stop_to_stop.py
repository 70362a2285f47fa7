"""Runs of many bodies from stop to stop: what compliant and non-smooth ones have in common."""

from __future__ import annotations

import time

import numpy as np

from carom.solve.method import Method

CHUNK_SECONDS = 0.05
"""Time between two progress reports [s]."""


class StopToStop(Method):
    """Method that advances an engine from stop to stop, and has no contact log.

    ``time`` [s] is that of the last stop, ``target`` that of the next one, ``contacts`` the number of pairs in contact
    at the last node.
    """

    time = target = 0.0
    contacts = 0

    def advance(self) -> None:
        """Advance from stop to stop for about `CHUNK_SECONDS`."""
        began = time.perf_counter()
        while True:
            self.advance_to_stop()
            elapsed = time.perf_counter() - began
            if self.finished or elapsed > CHUNK_SECONDS or self.output.checkpoint_due:
                return

    def advance_to_stop(self) -> None:
        """Advance to the next stop."""
        raise NotImplementedError(f"{type(self).__name__} has no steps")

    def contact_log(self) -> list[np.ndarray]:
        """Return no contacts, as these runs have no contact log."""
        return []

    def open_contacts(self) -> list[np.ndarray]:
        """Return no contacts, as these runs have no contact log."""
        return []
