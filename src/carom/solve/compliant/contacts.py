"""The contacts of a run, seen from Python: how they begin, what is logged of them, how they end."""

from __future__ import annotations

import ctypes
import math

import numpy as np

from carom.kernels import Kernel
from carom.mechanics.contact_records import LOADED, N_STORED, SEPARATED, STORED_HISTORY
from carom.mechanics.contacts import AT_REST
from carom.solve.answer import Answer
from carom.solve.compliant import desk as places
from carom.solve.compliant import transitions
from carom.solve.compliant.request import Request
from carom.solve.compliant.watchers import ONSETS, WATCHERS, kernels_of
from carom.solve.pieces import fill
from carom.tables.carried import carried

_REAL = ctypes.POINTER(ctypes.c_double)
_WHOLE = ctypes.POINTER(ctypes.c_int64)


class Watch:
    """What an integrator needs to watch the contacts of its request; nothing is compiled where there are none."""

    def __init__(self, request: Request):
        self.mechanism, self.tables, self.request = request.mechanism, request.mechanism.tables, request
        self.onset = ONSETS[request.onset]
        count = len(self.tables.contacts)
        self.active = count > 0
        self.kept = N_STORED * count
        rows = places.LOG_ROWS + 4 * count
        self.desk = np.zeros(places.FIRST_LOG + places.LOG_COLUMNS * rows if self.active else places.FIRST_LOG)
        self.desk[places.SHORTEST] = math.inf
        self.room = rows - 2 * count  # contacts that may be logged before they are drained
        self.addresses = np.zeros(len(WATCHERS) if self.active else 0, np.int64)
        wanted = kernels_of(request.onset) if self.active else ()
        for k, kernel in enumerate(WATCHERS):
            if kernel in wanted:
                self.addresses[k] = self.tables.address(kernel)

    def ask(self, kernel: Kernel, t: float, h: float, *states: np.ndarray) -> int:
        """Call a watcher with y0, f0, y1, f1; one state alone stands for all of them."""
        y0, f0, y1, f1 = states if len(states) == 4 else states * 4
        return int(kernel.call(t, h, y0, f0, y1, f1, self.tables.model, self.desk))

    def start(self, y: np.ndarray) -> None:
        """Set the modes of the contacts in the first state; those closed before keep what they remember."""
        if not self.active:
            return
        t, records = self.request.start, self._records
        self.tables.settings.locates_events = self.onset == places.EVENT
        self.ask(transitions.start, t, 1.0, y)
        if np.any((records["mode"] == LOADED) & (np.abs(records["last_rate"]) <= AT_REST)):
            slope = self.mechanism.rate_without_contacts(t, y)
            self.ask(transitions.rest, t, 1.0, y, slope, y, slope)
        if self.request.memory is not None:
            memory = self.request.memory.view(STORED_HISTORY.dtype)
            closed = (records["mode"] != SEPARATED) & (memory["mode"] != SEPARATED)
            for name in STORED_HISTORY:
                records[name][closed] = memory[name][closed]

    @property
    def _records(self) -> np.ndarray:
        """What the contacts remember, one row per contact."""
        return self.tables["contact_history"][: len(self.tables.contacts)]

    @property
    def pressing(self) -> int | None:
        """How many contacts there are at present; None where there can be none."""
        if not self.active:
            return None
        return int(np.count_nonzero(self._records["mode"]))

    @property
    def last_event(self) -> int | None:
        """Index of the contact that changed last, or was about to; None where nothing ever happened."""
        return int(self.desk[places.CONTACT]) if self.active and self.desk[places.SLOPE] != 0.0 else None

    @property
    def shortest(self) -> float:
        """Shortest duration of the contacts that press [s]."""
        return float(self.desk[places.SHORTEST])

    def row(self, y: np.ndarray) -> np.ndarray:
        """A node: the state, and what the contacts remember."""
        return np.concatenate([y, np.column_stack([self._records[name] for name in STORED_HISTORY]).ravel()])[None]

    def drain(self, answer: Answer) -> None:
        """Take what was logged since the last time."""
        answer.touches += self.logged()

    def logged(self) -> list[np.ndarray]:
        """The same, by itself."""
        count = int(self.desk[places.LOGGED])
        rows = self.desk[places.FIRST_LOG :][: count * places.LOG_COLUMNS]
        self.desk[places.LOGGED] = 0.0
        return [rows.reshape(count, places.LOG_COLUMNS).copy()] if count else []

    def carried(self) -> dict[str, np.ndarray]:
        """What contacts remember, and all else that evaluations change."""
        return {"desk": self.desk, **carried(self.tables)}

    def still_there(self, t: float, y: np.ndarray) -> list[np.ndarray]:
        """What `finish` would log now; nothing is changed."""
        if not self.active:
            return []
        before = {name: array.copy() for name, array in self.carried().items()}
        self.ask(transitions.finish, t, 1.0, y.copy())
        rows = self.logged()
        fill(self.carried(), before)
        return rows

    def finish(self, t: float, y: np.ndarray, answer: Answer) -> None:
        """Log what is still there at the end."""
        if self.active:
            self.drain(answer)
            self.ask(transitions.finish, t, 1.0, y)
            self.drain(answer)
