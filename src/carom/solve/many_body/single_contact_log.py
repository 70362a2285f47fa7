"""Contact log of the single contacts of a run with many bodies."""

from __future__ import annotations

import math

import numpy as np

from carom.compiled_model.many_body_data import ManyBodyData
from carom.compiled_model.many_body_records import SINGLE_CONTACT
from carom.mechanics.contact_log import CONTACT_LOG_ROW, write_log_row
from carom.mechanics.contact_records import SEPARATED
from carom.solve.many_body.records import LOG_CAPACITY


class SingleContactLog:
    """State of the single contacts, and the rows of those that ended; see `contact_tracking`."""

    def __init__(self, model: ManyBodyData, many_body: np.ndarray):
        assert model.singles is not None
        self.model, self.many_body, self.table = model, many_body, model.singles.table
        self.counts = np.zeros(len(self.table), np.int64)
        self.rows = CONTACT_LOG_ROW.zeros(len(self.table) * LOG_CAPACITY)
        self.taken: list[np.ndarray] = []
        addresses = {"single_contacts": self.table, "contact_log": self.rows, "n_logged": self.counts}
        for name, array in addresses.items():
            many_body[name] = array.ctypes.data

    def empty(self) -> None:
        """Move the rows out of the table that compiled code writes."""
        used = np.arange(LOG_CAPACITY) < self.counts[:, None]
        if used.any():
            self.taken.append(as_numbers(self.rows[used.ravel()]))
        self.counts[:] = 0
        self.many_body["log_is_full"] = 0

    def take(self) -> list[np.ndarray]:
        """Return the rows of the contacts that ended since the last call."""
        self.empty()
        taken, self.taken = self.taken, []
        return taken

    def open_rows(self, t: float) -> np.ndarray:
        """Return rows of the contacts that are not separated at time ``t`` [s]."""
        still_open = np.flatnonzero(self.table["mode"] != SEPARATED)
        rows = CONTACT_LOG_ROW.zeros(len(still_open))
        for n, k in enumerate(still_open):
            self._write(rows, n, int(k), t, 0.0, 1.0)
        return as_numbers(rows)

    def end(self, groups_or_kinds: np.ndarray, t: float) -> None:
        """End the single contacts among pairs that are removed at time ``t`` [s]."""
        kinds = -1 - groups_or_kinds[groups_or_kinds < 0]
        contacts = self.model.pair_kinds["contact"][kinds]
        for k in contacts[contacts >= 0]:
            rows = CONTACT_LOG_ROW.zeros(1)
            self._write(rows, 0, int(k), t, max(-float(self.table["indentation_rate"][k]), 0.0), 0.0)
            self.taken.append(as_numbers(rows))
            self.table["mode"][k] = SEPARATED

    def _write(self, rows: np.ndarray, n: int, k: int, t: float, separation_speed: float, is_open: float) -> None:
        """Write row ``n``, of contact ``k``, which ends or is cut off at time ``t`` [s]."""
        contact = SINGLE_CONTACT(self.table, k)
        write_log_row(CONTACT_LOG_ROW(rows, n), k, contact, contact, t, separation_speed, math.nan, is_open)


def as_numbers(rows: np.ndarray) -> np.ndarray:
    """Return rows of the contact log as an array of numbers."""
    return np.ascontiguousarray(rows).view(float).reshape(len(rows), CONTACT_LOG_ROW.size)
