"""Contacts of a run, seen from Python: their first modes, the contact log, checkpoints."""

from __future__ import annotations

import math

import numpy as np

from carom.compiled_model.mutable_state import mutable_arrays
from carom.kernels import Kernel
from carom.kernels.interpreted import Row
from carom.mechanics.contact_log import CONTACT_LOG_ROW
from carom.mechanics.contact_records import N_STORED, SEPARATED, STORED_HISTORY, STORED_PLACE
from carom.mechanics.contact_slots import restore_places, stored_places
from carom.solve.compliant import contact_transitions
from carom.solve.compliant.contact_kernels import EVENT_KERNELS, ONSETS, kernels_of
from carom.solve.compliant.contact_wear import accumulate_wear
from carom.solve.compliant.integration_request import IntegrationRequest
from carom.solve.compliant.records import EVENT, EVENTS, EXTREMUM_REQUEST, LOG_ROWS, MAX_REQUESTS
from carom.solve.node_batches import fill
from carom.solve.run_output import ContactJump


class ContactMonitor:
    """Event kernels and records of the contacts of a request; nothing is compiled without contacts."""

    def __init__(self, request: IntegrationRequest):
        self.mechanism, self.tables, self.request = request.mechanism, request.mechanism.tables, request
        self.onset = ONSETS[request.onset]
        count = len(self.tables.contacts)
        self.active = count > 0
        self.node_size = N_STORED * count
        self.events: Row = EVENTS.new(min_impact_duration=math.inf, jump_contact=-1)
        self.requests = EXTREMUM_REQUEST.zeros(MAX_REQUESTS)
        self.log = np.zeros((LOG_ROWS + 4 * count if self.active else 0, CONTACT_LOG_ROW.size))
        self.capacity = len(self.log) - 2 * count  # contacts that may be logged before the log is collected
        self.connect()
        self.kernels: dict[str, int] = {}
        """Addresses of the event kernels, by the fields of `INTEGRATION`."""
        if self.active:
            requested = kernels_of(request.onset)
            self.kernels = {"start_contacts_kernel": self.tables.address(contact_transitions.start_contacts)}
            self.kernels |= {
                name: self.tables.address(kernel) for name, kernel in EVENT_KERNELS.items() if kernel in requested
            }
        if self.tables.model.n_wear:
            self.kernels["accumulate_wear_kernel"] = self.tables.address(accumulate_wear)

    def connect(self) -> None:
        """Let the record point at the tables and kernels of this process."""
        self.events.rhs_kernel = self.tables.rhs_kernel
        self.events.requests, self.events.log = self.requests.ctypes.data, self.log.ctypes.data

    def call(self, kernel: Kernel, t: float, h: float, *states: np.ndarray) -> int:
        """Call an event kernel with y0, f0, y1, f1; one state alone stands for all of them."""
        y0, f0, y1, f1 = states if len(states) == 4 else states * 4
        return int(kernel.call(t, h, y0, f0, y1, f1, self.tables.model, self.events))

    def start(self, y: np.ndarray) -> None:
        """Set the modes of the contacts in the first state; contacts that were closed before keep their history."""
        if not self.active:
            return
        t, histories = self.request.start, self._histories
        if self.request.memory is not None:
            memory = self.request.memory.reshape(len(histories), N_STORED)
            restore_places(self.tables, memory[:, -len(STORED_PLACE) :])
        self.tables.settings.locates_events = self.onset == EVENT
        room = np.zeros((2, len(y)))
        contact_transitions.start_contacts.call(t, 1.0, y, room[0], y, room[1], self.tables.model, self.events)
        if self.request.memory is not None:
            stored = self.request.memory.view(STORED_HISTORY.dtype)
            closed = (histories["mode"] != SEPARATED) & (stored["mode"] != SEPARATED)
            for name in STORED_HISTORY:
                if name not in STORED_PLACE:
                    histories[name][closed] = stored[name][closed]

    @property
    def _histories(self) -> np.ndarray:
        """Histories of the contacts, one row per contact."""
        return self.tables["contact_history"][: len(self.tables.contacts)]

    @property
    def n_open(self) -> int | None:
        """Number of contacts that are not separated; None without contacts."""
        return int(np.count_nonzero(self._histories["mode"])) if self.active else None

    @property
    def last_event(self) -> int | None:
        """Index of the contact that changed last, or was about to; None without events."""
        return self.events.contact if self.active and self.events.slope != 0.0 else None

    @property
    def jump(self) -> ContactJump | None:
        """Jump of an indentation in the last step, if there was one."""
        events = self.events
        if not self.active or events.jump_contact < 0:
            return None
        return ContactJump(
            int(events.jump_contact), float(events.jump_before), float(events.jump_after), float(events.jump_travel)
        )

    @property
    def min_impact_duration(self) -> float:
        """Shortest impact duration of the loaded contacts [s]."""
        return float(self.events.min_impact_duration)

    def row(self, y: np.ndarray) -> np.ndarray:
        """Return a node: the state and the stored histories."""
        histories = self._histories
        stored = [histories[name] for name in STORED_HISTORY if name not in STORED_PLACE]
        return np.concatenate([y, np.column_stack([*stored, stored_places(self.tables)]).ravel()])[None]

    def logged(self) -> list[np.ndarray]:
        """Return the rows of the log and clear it."""
        count = self.events.n_logged
        self.events.n_logged = 0
        return [self.log[:count].copy()] if count else []

    def carried(self) -> dict[str, np.ndarray]:
        """Return the arrays of a checkpoint: events, log, and everything that evaluations change."""
        return {"contact events": EVENTS.numbers(self.events), "contact log": self.log, **mutable_arrays(self.tables)}

    def open_contacts(self, t: float, y: np.ndarray) -> list[np.ndarray]:
        """Return the log rows of the contacts that are open now, without changing anything."""
        if not self.n_open:
            return []
        before = {name: array.copy() for name, array in self.carried().items()}
        self.call(contact_transitions.log_open_contacts, t, 1.0, y.copy())
        rows = self.logged()
        fill(self.carried(), before)
        return rows
