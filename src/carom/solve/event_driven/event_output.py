"""Output of an event-driven run: its nodes, and the log of its contacts."""

from __future__ import annotations

import numpy as np

from carom.kernels.interpreted import Row
from carom.mechanics.contact_log import CONTACT_LOG_ENTRY, CONTACT_LOG_ROW, write_log_row
from carom.mechanics.contact_records import N_STORED, N_STORED_FORCES
from carom.mechanics.contact_slots import stored_places
from carom.mechanics.model_record import CONTACT_LOSS
from carom.solve.event_driven.smooth_phase import N_QUADRATURES, SmoothPhase
from carom.solve.run_output import RunOutput

BATCH_NODES = 1024
"""Nodes that are collected before they are handed to the run output."""

PERSISTENT_COMPRESSIONS = 2
"""Compressions of a persistent contact: the impact, or the onset, and the force after it."""


class EventOutput:
    """Nodes (state, quadratures, reactions, contact forces, accelerations) and contact log for a run output."""

    def __init__(self, smooth_phase: SmoothPhase, run_output: RunOutput, stride: int):
        self.smooth_phase, self.run_output, self.stride = smooth_phase, run_output, stride
        self.times: list[float] = []
        self.rows: list[np.ndarray] = []
        self.log_entries: dict[int, Row] = {}
        """Log entries of the current contacts."""
        self.ended_rows: list[np.ndarray] = []
        """Log rows of contacts that have ended."""

    # ---- nodes

    def node_row(
        self, y: np.ndarray, forces: np.ndarray, reactions: np.ndarray, accelerations: np.ndarray
    ) -> np.ndarray:
        """Return the numbers of a node."""
        phase = self.smooth_phase
        stored = np.zeros((phase.n_contacts, N_STORED))
        stored[:, : 1 + phase.tangents] = forces[:, : 1 + phase.tangents]
        if phase.n_contacts and phase.source_with_slots is not None:
            stored[:, N_STORED_FORCES:] = stored_places(phase.source_with_slots)
        without_impulses = y[: len(y) - phase.n_contacts]
        return np.concatenate([without_impulses, reactions, stored.ravel(), accelerations])

    def add_node(self, t: float, row: np.ndarray) -> None:
        """Add a node."""
        self.times.append(t)
        self.rows.append(row)
        if len(self.times) >= BATCH_NODES:
            self.flush_nodes(2)

    def replace_last_node(self, row: np.ndarray) -> None:
        """Replace the last node by another one at the same time."""
        self.rows[-1] = row

    def has_event_nodes(self, t: float) -> bool:
        """Return whether the last two nodes are at ``t``: before and after an event."""
        return len(self.times) > 1 and self.times[-2] == self.times[-1] == t

    def flush_nodes(self, n_kept: int = 0) -> None:
        """Hand all nodes but the last ``n_kept``, which events may still change, to the run output."""
        count = len(self.times) - n_kept
        if count > 0:
            self.run_output.add(np.array(self.times[:count]), np.array(self.rows[:count]))
            self.times, self.rows = self.times[count:], self.rows[count:]
        capacity = self.run_output.capacity
        if self.stride and capacity is not None and self.run_output.n_numbers > capacity * self.stride:
            self.run_output.thin()
            self.stride *= 2

    # ---- contacts

    def start_contact(self, t: float, k: int, approach_speed: float = 0.0) -> None:
        """Start the log entry of a contact, unless it has one."""
        if k not in self.log_entries:
            loss, impulse = self.accumulated_losses(k)
            self.log_entries[k] = CONTACT_LOG_ENTRY.new(
                t_start=t, rate_start=max(approach_speed, 0.0), n_compressions=1.0,
                normal_loss_start=loss.normal, friction_loss_start=loss.friction, impulse=impulse,
            )  # fmt: skip

    def accumulated_losses(self, k: int) -> tuple[Row, float]:
        """Return the CONTACT_LOSS and the normal impulse [N s] of contact ``k`` since the start of the run."""
        phase = self.smooth_phase
        losses = phase.y[phase.quadrature_offset + N_QUADRATURES :]
        return CONTACT_LOSS(losses, k), float(losses[CONTACT_LOSS.size * phase.n_contacts + k])

    def update_peak_forces(self, forces: np.ndarray) -> None:
        """Update the largest normal forces by those of a node."""
        for k, entry in self.log_entries.items():
            entry.peak_force = max(entry.peak_force, forces[k, 0])

    def mark_persistent(self, k: int) -> None:
        """Mark a contact that stays closed after its impact."""
        self.log_entries[k].n_compressions = PERSISTENT_COMPRESSIONS

    def end_contact(self, t: float, k: int, separation_speed: float) -> None:
        """Log a contact that ends."""
        if k in self.log_entries:
            self.ended_rows.append(self.log_row(t, k, separation_speed))
            del self.log_entries[k]

    def log_row(self, t: float, k: int, separation_speed: float, open_at_end: bool = False) -> np.ndarray:
        """Return the row of a contact that ends at ``t``, or (``open_at_end``) is ended there by the run."""
        entry, row = self.log_entries[k], CONTACT_LOG_ROW.new()
        loss, impulse = self.accumulated_losses(k)
        write_log_row(row, k, entry, loss, t, max(separation_speed, 0.0), impulse - entry.impulse, open_at_end)
        return CONTACT_LOG_ROW.numbers(row).view(float)[None, :].copy()

    def take_log(self) -> list[np.ndarray]:
        """Return the log rows of the contacts that ended since the last call."""
        rows, self.ended_rows = self.ended_rows, []
        return rows

    # ---- checkpoints

    def mutable_state(self) -> dict[str, np.ndarray]:
        """Return the arrays that a checkpoint contains."""
        entries = [CONTACT_LOG_ENTRY.numbers(entry).view(float) for entry in self.log_entries.values()]
        return {
            "event_output.times": np.array(self.times),
            "event_output.rows": np.array(self.rows),
            "event_output.contacts": np.array(list(self.log_entries), np.int64),
            "event_output.log_entries": np.array(entries),
        }

    def restore(self, state: dict[str, np.ndarray]) -> None:
        """Restore the arrays of a checkpoint."""
        self.times, self.rows = state["event_output.times"].tolist(), list(state["event_output.rows"])
        entries = zip(state["event_output.contacts"].tolist(), state["event_output.log_entries"], strict=True)
        self.log_entries = {k: CONTACT_LOG_ENTRY(entry.copy()) for k, entry in entries}
