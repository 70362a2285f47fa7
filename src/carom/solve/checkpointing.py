"""A run that goes to a file while it is computed: little is in memory, and from the file it can go on."""

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
"""Between two chunks on disk, but for the time a chunk itself takes."""
CHUNK_NUMBERS = 500_000
"""Numbers in the nodes in memory beyond which a chunk is written however soon; evaluating them takes time, too."""


class Checkpoint(Protocol):
    """The file, as a run sees it."""

    state: dict[str, np.ndarray] | None
    """What the run it holds goes on with; None at its start."""

    def begin(self, head: ResultMetadata, settings: dict[str, Any], digest: str) -> None:
        """Take the head of a new run; of one that goes on, see that it is the same model."""

    def write(
        self,
        piece: NodeBatch | None,
        impacts: Sequence[ImpactRecord],
        still: Sequence[ImpactRecord],
        about: dict[str, Any],
        state: dict[str, np.ndarray] | None,
    ) -> None:
        """A chunk: nodes, contacts that ended, contacts that have not, how far it is, and what it goes on with."""

    def close(
        self, piece: NodeBatch | None, still: Sequence[ImpactRecord], about: dict[str, Any], failed: bool
    ) -> Result:
        """The run is over: the last nodes, and the result of it all."""


@dataclass
class StreamedOutput(RunOutput):
    """An answer whose nodes are observed and handed on, chunk by chunk."""

    journal: Checkpoint = field(kw_only=True)
    observer: NodeEvaluator = field(kw_only=True)
    settings: dict[str, Any] = field(kw_only=True)
    impacts: Callable[[Sequence[np.ndarray]], list[ImpactRecord]] = field(kw_only=True)
    """From what a run logs of its contacts."""
    digest: str = field(kw_only=True)
    stats: Callable[[], dict[str, Any]] = field(kw_only=True, default=dict)
    """What else there is to say of the cost."""

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
        return None

    @property
    def resumed(self) -> dict[str, np.ndarray] | None:
        return None if self._resumed is None else under("run", self._resumed)

    @property
    def due(self) -> bool:
        late = time.perf_counter() - self.written > CHUNK_SECONDS
        return late or self.numbers() > CHUNK_NUMBERS

    def keep(self, method: Method) -> None:
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
        """What the nodes show, and the nodes left over: the last one may wait for the next, which may be a jump."""
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
        return self.spent + time.perf_counter() - self.began

    def about(self, message: str) -> dict[str, Any]:
        stats = {**self.stats(), "wall_time": self.wall_time, "stride": 1}
        return {"end": self.end, "outcome": self.outcome.name, "message": message, "stats": stats}

    def finish(self, message: str) -> Result:
        """The result, when the run is over and its contacts are logged."""
        about = self.about(message)
        piece, _ = self.observed(last=True)
        return self.journal.close(piece, self.impacts(self.touches), about, self.failed)

    @property
    def failed(self) -> bool:
        """Whether a user's function ended the run."""
        return self.error is not None and not isinstance(self.error, KeyboardInterrupt)
