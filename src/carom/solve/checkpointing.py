"""Output of a run to a file during the computation, with bounded memory and checkpoints for resuming it."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

import numpy as np

from carom.errors import ModelError
from carom.interrupts import defer_interrupt
from carom.result.impact_records import ImpactRecord
from carom.result.result import Result
from carom.solve.method import Method
from carom.solve.node_batches import NodeBatch, NodeEvaluator, ResultMetadata, fill, labelled, under
from carom.solve.run_output import RunOutput

CHUNK_SECONDS = 0.5
"""Time between two chunks on disk, without the time to write a chunk [s]."""
CHUNK_NUMBERS = 500_000
"""Largest number of values of the nodes in memory; a chunk is written when it is exceeded."""


class Checkpoint(Protocol):
    """File of a run."""

    state: dict[str, np.ndarray] | None
    """State from which the stored run resumes; None at its start."""

    def begin(self, head: ResultMetadata, settings: dict[str, Any], digest: str) -> None:
        """Store the description of a new run; raise if a resumed run has a different model."""

    def write(
        self,
        piece: NodeBatch | None,
        impacts: Sequence[ImpactRecord],
        still: Sequence[ImpactRecord],
        about: dict[str, Any],
        state: dict[str, np.ndarray] | None,
    ) -> None:
        """Write a chunk: nodes, finished contacts, contacts in progress, progress of the run, and its state."""

    def close(
        self, piece: NodeBatch | None, still: Sequence[ImpactRecord], about: dict[str, Any], failed: bool
    ) -> Result:
        """Write the last nodes and return the result of the whole run."""


@dataclass
class StreamedOutput(RunOutput):
    """Output whose nodes are evaluated and written to a file in chunks."""

    journal: Checkpoint = field(kw_only=True)
    observer: NodeEvaluator = field(kw_only=True)
    settings: dict[str, Any] = field(kw_only=True)
    impacts: Callable[[Sequence[np.ndarray]], list[ImpactRecord]] = field(kw_only=True)
    """Return the impacts of the rows of a contact log."""
    digest: str = field(kw_only=True)
    stats: Callable[[], dict[str, Any]] = field(kw_only=True, default=dict)
    """Return further statistics of the run."""

    def __post_init__(self) -> None:
        self.journal.begin(self.observer.head, self.settings, self.digest)
        self.began = self.written = time.perf_counter()
        self.spent = 0.0
        self._resumed = self.journal.state
        if self._resumed is not None:
            fill(self.observer.carried(), under("observer", self._resumed))
            spent, t, y = (self._resumed.get(name, np.zeros(0)) for name in ("spent", "t", "nodes"))
            if spent.shape != (1,) or t.ndim != 1 or y.shape[:1] != t.shape:
                raise ModelError(
                    "resume: the checkpoint is damaged; delete the .state file to restart from the beginning"
                )
            self.spent = float(spent[0])
            self.parts = [(t, y)] if len(t) else []

    @property
    def room(self) -> None:
        """None: no nodes are dropped."""
        return None

    @property
    def resumed(self) -> dict[str, np.ndarray] | None:
        """State from which the run resumes; None at its start."""
        return None if self._resumed is None else under("run", self._resumed)

    @property
    def due(self) -> bool:
        """True if a chunk should be written now."""
        late = time.perf_counter() - self.written > CHUNK_SECONDS
        return late or self.numbers() > CHUNK_NUMBERS

    def keep(self, method: Method) -> None:
        """Write a chunk; Ctrl-C is deferred."""
        with defer_interrupt():
            self.hand_on(method)

    def hand_on(self, method: Method) -> None:
        """Write a chunk."""
        piece, rest = self.observed()
        method.update_counts()
        state = {
            **labelled("run", method.checkpoint()),
            **labelled("observer", self.observer.carried()),
            "t": rest[0], "nodes": rest[1], "spent": np.array([self.wall_time]),
        }  # fmt: skip
        still = self.impacts(method.open_contacts())
        self.journal.write(piece, self.impacts(self.touches), still, self.about(""), state)
        self.touches = []
        self.written = time.perf_counter()

    def observed(self, last: bool = False) -> tuple[NodeBatch | None, tuple[np.ndarray, np.ndarray]]:
        """Return the evaluated nodes and the remaining ones: the last node may need the time of the next one."""
        parts = [part for part in self.parts if len(part[0])]
        empty = np.zeros(0), np.zeros((0, 0))
        if not parts:
            return None, empty
        t, y = (np.concatenate(arrays) for arrays in zip(*parts, strict=True))
        started = not np.isnan(self.observer.before[0])
        if last:
            self.parts = []
            return self.observer.see(t, y), empty
        ready = len(t) - self.observer.waits
        if ready < (1 if started else self.observer.least):
            self.parts = [(t, y)]
            return None, (t, y)
        piece = self.observer.see(t[:ready], y[:ready], float(t[ready]) if self.observer.waits else None)
        self.parts = [(t[ready:], y[ready:])]
        return piece, self.parts[0]

    @property
    def wall_time(self) -> float:
        """Computation time, with that before an interruption [s]."""
        return self.spent + time.perf_counter() - self.began

    def about(self, message: str) -> dict[str, Any]:
        """Return end time, outcome, message and statistics of the run."""
        stats = {**self.stats(), "wall_time": self.wall_time, "stride": 1}
        return {"end": self.end, "outcome": self.outcome.name, "message": message, "stats": stats}

    def finish(self, message: str) -> Result:
        """Return the result after the end of the run."""
        about = self.about(message)
        piece, _ = self.observed(last=True)
        return self.journal.close(piece, self.impacts(self.touches), about, self.failed)

    @property
    def failed(self) -> bool:
        """True if an error of a user function ended the run."""
        return self.error is not None and not isinstance(self.error, KeyboardInterrupt)
