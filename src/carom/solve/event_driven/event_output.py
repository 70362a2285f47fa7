"""What is kept of an event-driven run: its nodes, and the contacts from their beginning to their end."""

from __future__ import annotations

import numpy as np

from carom.kernels.interpreted import Row
from carom.mechanics.contact_log import CONTACT_LOG_ENTRY, CONTACT_LOG_ROW, write_log_row
from carom.mechanics.contact_records import N_STORED
from carom.mechanics.model_record import CONTACT_LOSS
from carom.solve.event_driven.smooth_phase import ADDED, Flight
from carom.solve.run_output import RunOutput

CHUNK = 1024

LASTING = 2
"""Compressions of a contact that lasts: the impact, or the touch, and what presses after it."""


class Record:
    """Nodes (state, books, reactions, contact forces, and accelerations behind them) and episodes, for an answer."""

    def __init__(self, flight: Flight, answer: RunOutput, stride: int):
        self.flight, self.answer, self.stride = flight, answer, stride
        self.times: list[float] = []
        self.rows: list[np.ndarray] = []
        self.episodes: dict[int, Row] = {}
        self.ended: list[np.ndarray] = []

    # ---- nodes

    def row(self, y: np.ndarray, forces: np.ndarray, reactions: np.ndarray, accelerations: np.ndarray) -> np.ndarray:
        flight = self.flight
        kept = np.zeros((flight.count, N_STORED))
        kept[:, : flight.dim] = forces
        books = y[: len(y) - flight.count]  # without the normal impulses
        return np.concatenate([books, reactions, kept.ravel(), accelerations])

    def add(self, t: float, row: np.ndarray) -> None:
        self.times.append(t)
        self.rows.append(row)
        if len(self.times) >= CHUNK:
            self.flush(2)

    def replace(self, row: np.ndarray) -> None:
        """The last node, at the same time."""
        self.rows[-1] = row

    def jumps(self, t: float) -> bool:
        """Whether the last two nodes are at ``t``: before and after an event."""
        return len(self.times) > 1 and self.times[-2] == self.times[-1] == t

    def flush(self, left: int = 0) -> None:
        """Hand the nodes over, all but the last ones, which events may still change."""
        count = len(self.times) - left
        if count > 0:
            self.answer.add(np.array(self.times[:count]), np.array(self.rows[:count]))
            self.times, self.rows = self.times[count:], self.rows[count:]
        most = self.answer.room
        if self.stride and most is not None and self.answer.numbers() > most * self.stride:
            self.answer.thin()
            self.stride *= 2

    # ---- contacts

    def begin(self, t: float, k: int, approach: float = 0.0) -> None:
        """A contact begins, unless it is there already."""
        if k not in self.episodes:
            loss, impulse = self.books(k)
            self.episodes[k] = CONTACT_LOG_ENTRY.new(
                t_start=t, rate_start=max(approach, 0.0), n_compressions=1.0,
                normal_loss_start=loss.normal, friction_loss_start=loss.friction, impulse=impulse,
            )  # fmt: skip

    def books(self, k: int) -> tuple[Row, float]:
        """Return the CONTACT_LOSS and the normal impulse [N s] of contact ``k`` since the start of the run."""
        flight = self.flight
        first = 2 * flight.n + ADDED
        losses = flight.y[first:]
        return CONTACT_LOSS(losses, k), float(losses[CONTACT_LOSS.size * flight.count + k])

    def press(self, forces: np.ndarray) -> None:
        """Normal forces at a node."""
        for k, episode in self.episodes.items():
            episode.peak_force = max(episode.peak_force, forces[k, 0])

    def last(self, k: int) -> None:
        """A contact goes on after its impact."""
        self.episodes[k].n_compressions = LASTING

    def end(self, t: float, k: int, separation: float, still: bool = False) -> None:
        """A contact ends, or (``still``) the run."""
        if k in self.episodes:
            self.ended.append(self.log(t, k, separation, still))
            del self.episodes[k]

    def log(self, t: float, k: int, separation: float, still: bool) -> np.ndarray:
        """The row of a contact that ends."""
        entry, row = self.episodes[k], CONTACT_LOG_ROW.new()
        loss, impulse = self.books(k)
        write_log_row(row, k, entry, loss, t, max(separation, 0.0), impulse - entry.impulse, still)
        return CONTACT_LOG_ROW.numbers(row).view(float)[None, :].copy()

    # ---- what an interrupted run goes on with

    def carried(self) -> dict[str, np.ndarray]:
        return {
            "record times": np.array(self.times),
            "record rows": np.array(self.rows),
            "record contacts": np.array(list(self.episodes), np.int64),
            "record episodes": np.array(
                [CONTACT_LOG_ENTRY.numbers(entry).view(float) for entry in self.episodes.values()]
            ),
        }

    def go_on(self, carried: dict[str, np.ndarray]) -> None:
        self.times, self.rows = carried["record times"].tolist(), list(carried["record rows"])
        open_ones = zip(carried["record contacts"].tolist(), carried["record episodes"], strict=True)
        self.episodes = {k: CONTACT_LOG_ENTRY(episode.copy()) for k, episode in open_ones}

    def take_log(self) -> list[np.ndarray]:
        """Return the log rows of the contacts that ended since the last call."""
        rows, self.ended = self.ended, []
        return rows
