"""Arrays of a neighbour list of a compliant run."""

from __future__ import annotations

import numpy as np

from carom.compiled_model.many_body_data import ManyBodyData
from carom.compiled_model.many_body_records import aligned_table
from carom.solve.many_body.records import (
    NEIGHBOUR_ENTRY,
    PAIR_HISTORY,
    PAIR_NODE_DATA,
    PAIR_SHIFT,
    PAIR_STATE,
    PAIR_WRENCH,
)

PAIR_TABLES = (
    "entries", "is_touching", "reverse_entries", "wrenches", "history", "pair_states", "pair_shifts", "output",
    "warm_start_offsets",
)  # fmt: skip
"""Arrays of a neighbour list with one row per pair."""
LIST_TABLES = ("first_entry", "first_reverse_entry", *PAIR_TABLES, "warm_start")
"""All arrays of a neighbour list."""


class NeighbourList:
    """Arrays of a neighbour list with capacity for a number of pairs; the names are those of fields of `MANY_BODY`.

    The warm starts of its pairs have ``n_warm`` numbers.
    """

    def __init__(self, model: ManyBodyData, capacity: int, n_warm: int = 0):
        n_bodies = len(model.bodies)
        self.capacity = capacity
        self.first_entry, self.first_reverse_entry = (np.zeros(n_bodies + 3, np.int64) for _ in range(2))
        self.entries = NEIGHBOUR_ENTRY.zeros(capacity)
        self.is_touching, self.reverse_entries = np.zeros(capacity, np.int64), np.zeros(0, np.int64)
        self.wrenches, self.output = aligned_table(PAIR_WRENCH, 0), PAIR_NODE_DATA.zeros(0)
        self.history = aligned_table(PAIR_HISTORY, capacity)
        self.pair_states = aligned_table(PAIR_STATE, capacity if model.keeps_pair_states else 0)
        self.pair_shifts = PAIR_SHIFT.zeros(capacity if model.is_periodic else 0)
        self.warm_start_offsets = np.zeros(capacity if n_warm else 0, np.int64)
        self.warm_start = np.zeros(n_warm)

    def take_forces(self, old: NeighbourList) -> None:
        """Take the arrays from an old list that are computed anew, or create larger ones."""
        for name in ("reverse_entries", "wrenches", "output"):
            setattr(self, name, getattr(old, name))
            setattr(old, name, getattr(old, name)[:0])
        if len(self.wrenches) < self.capacity:
            self.create_forces()

    def create_forces(self) -> None:
        """Create the arrays that are computed anew; the memory of smaller ones is given back before."""
        del self.wrenches, self.output, self.reverse_entries
        self.reverse_entries = np.zeros(self.capacity, np.int64)
        self.wrenches, self.output = aligned_table(PAIR_WRENCH, self.capacity), PAIR_NODE_DATA.zeros(self.capacity)

    def store_addresses(self, many_body: np.ndarray) -> None:
        """Make these arrays the neighbour list of a run."""
        for name in LIST_TABLES:
            table = getattr(self, name)
            many_body[name] = table.ctypes.data if table.size else 0
