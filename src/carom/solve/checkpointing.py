"""Output of a run to a file: memory use stays bounded, and the run can be resumed from the file."""

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
from carom.solve.node_batches import NodeBatch, NodeEvaluator, ResultMetadata, fill, with_prefix, without_prefix
from carom.solve.run_output import RunOutput

CHUNK_SECONDS = 0.5
"""Time between two checkpoints, beside the time of the chunk itself [s]."""
CHUNK_NUMBERS = 500_000
"""Numbers in the nodes in memory beyond which a checkpoint is due at once."""


class Checkpoint(Protocol):
    """File of a streamed run, as the driver sees it."""

    state: dict[str, np.ndarray] | None
    """Arrays from which the run resumes; None at its start."""

    def begin(self, head: ResultMetadata, settings: dict[str, Any], digest: str) -> None:
        """Store the metadata of a new run; raise if a resumed run has another model."""

    def write(
        self,
        batch: NodeBatch | None,
        impacts: Sequence[ImpactRecord],
        open_contacts: Sequence[ImpactRecord],
        status: dict[str, Any],
        state: dict[str, np.ndarray] | None,
    ) -> None:
        """Append nodes, contacts that ended and contacts that are open, and replace status and state."""

    def close(
        self, batch: NodeBatch | None, open_contacts: Sequence[ImpactRecord], status: dict[str, Any], failed: bool
    ) -> Result:
        """Append the last nodes and return the result of the whole run."""


@dataclass
class StreamedOutput(RunOutput):
    """Output whose nodes are evaluated and written to a file chunk by chunk."""

    checkpoint: Checkpoint = field(kw_only=True)
    evaluator: NodeEvaluator = field(kw_only=True)
    settings: dict[str, Any] = field(kw_only=True)
    impacts: Callable[[Sequence[np.ndarray]], list[ImpactRecord]] = field(kw_only=True)
    """Function that returns the impacts of the rows of a contact log."""
    digest: str = field(kw_only=True)
    statistics: Callable[[], dict[str, Any]] = field(kw_only=True)

    def __post_init__(self) -> None:
        self.checkpoint.begin(self.evaluator.metadata, self.settings, self.digest)
        self.began = self.written = time.perf_counter()
        self.earlier_wall_time = 0.0
        self._resumed = self.checkpoint.state
        if self._resumed is not None:
            self._restore(self._resumed)

    def _restore(self, state: dict[str, np.ndarray]) -> None:
        """Restore the evaluator, the waiting nodes and the wall time of a checkpoint."""
        fill(self.evaluator.mutable_arrays(), without_prefix("evaluator", state))
        wall_time, t, y = (state.get(name, np.zeros(0)) for name in ("wall_time", "t", "nodes"))
        if wall_time.shape != (1,) or t.ndim != 1 or y.shape[:1] != t.shape:
            raise ModelError("resume: the checkpoint is damaged; delete the .state file to restart from the beginning")
        self.earlier_wall_time = float(wall_time[0])
        self.batches = [(t, y)] if len(t) else []

    @property
    def capacity(self) -> None:
        """No limit: the nodes are in the file."""
        return None

    @property
    def resumed_state(self) -> dict[str, np.ndarray] | None:
        """Arrays of the method from which the run resumes; None at its start."""
        return None if self._resumed is None else without_prefix("method", self._resumed)

    @property
    def checkpoint_due(self) -> bool:
        """True when a checkpoint is due."""
        return time.perf_counter() - self.written > CHUNK_SECONDS or self.n_numbers > CHUNK_NUMBERS

    def write_checkpoint(self, method: Method) -> None:
        """Write the nodes so far and the state of the run; Ctrl-C waits until they are written."""
        with defer_interrupt():
            batch, (t, nodes) = self.evaluate_nodes()
            method.update_counts()
            state = {
                **with_prefix("method", method.checkpoint()),
                **with_prefix("evaluator", self.evaluator.mutable_arrays()),
                "t": t, "nodes": nodes, "wall_time": np.array([self.wall_time]),
            }  # fmt: skip
            open_contacts = self.impacts(method.open_contacts())
            self.checkpoint.write(batch, self.impacts(self.contact_log), open_contacts, self.status(""), state)
            self.contact_log = []
            self.written = time.perf_counter()

    def evaluate_nodes(self, last: bool = False) -> tuple[NodeBatch | None, tuple[np.ndarray, np.ndarray]]:
        """Return the evaluated nodes and those left: the last one may wait for the next, which may have its time."""
        batches = [batch for batch in self.batches if len(batch[0])]
        empty = np.zeros(0), np.zeros((0, 0))
        if not batches:
            return None, empty
        t, y = (np.concatenate(arrays) for arrays in zip(*batches, strict=True))
        started = not np.isnan(self.evaluator.last_node[0])
        if last:
            self.batches = []
            return self.evaluator.evaluate(t, y), empty
        ready = len(t) - self.evaluator.needs_next_time
        if ready < (1 if started else self.evaluator.min_nodes):
            self.batches = [(t, y)]
            return None, (t, y)
        t_next = float(t[ready]) if self.evaluator.needs_next_time else None
        batch = self.evaluator.evaluate(t[:ready], y[:ready], t_next)
        self.batches = [(t[ready:], y[ready:])]
        return batch, self.batches[0]

    @property
    def wall_time(self) -> float:
        """Wall time of the run, with that before it was resumed [s]."""
        return self.earlier_wall_time + time.perf_counter() - self.began

    def status(self, message: str) -> dict[str, Any]:
        """Return time reached, outcome, message and statistics."""
        stats = {**self.statistics(), "wall_time": self.wall_time, "stride": 1}
        return {"end": self.t_reached, "outcome": self.outcome.name, "message": message, "stats": stats}

    def finish(self, message: str) -> Result:
        """Write the last nodes and return the result."""
        status = self.status(message)
        batch, _ = self.evaluate_nodes(last=True)
        return self.checkpoint.close(batch, self.impacts(self.contact_log), status, self.failed)
