"""Velocity-Verlet integration of many bodies: the method of systems with large groups of contacts."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from carom.errors import warn
from carom.solve.many_body.node_output import NodeOutput
from carom.solve.many_body.verlet_engine import VerletEngine
from carom.solve.method import Method, Progress
from carom.solve.run_output import RunOutput

CHUNK_SECONDS = 0.05
"""Time between two progress reports [s]."""
OVERLAP = 1e-9
"""Indentation at the start above which a warning is issued [m]."""


@dataclass
class VerletRequest:
    """Advance an engine in steps of at most ``step`` [s], with a node at each of ``times`` [s]."""

    engine: VerletEngine
    nodes: NodeOutput
    times: np.ndarray
    step: float
    output: RunOutput
    report: Callable[..., None]


class Verlet(Method):
    """Velocity-Verlet steps of an engine, from node to node."""

    def __init__(self, request: VerletRequest):
        self.request, self.output = request, request.output
        self.engine, self.nodes = request.engine, request.nodes
        self.time = self.target = 0.0
        self.contacts = 0

    def prepare(self) -> None:
        """Store the first node, or restore the checkpoint of the output."""
        if self.output.resumed_state is None:
            self.engine.evaluate(self.request.step)
            self.store_node()
            warn_of_overlaps(self.engine)
        else:
            self.engine.restore(self.output.resumed_state)
            self.time, self.target, contacts = self.output.resumed_state["times"].tolist()
            self.contacts = int(contacts)

    def advance(self) -> None:
        """Advance from node to node for about `CHUNK_SECONDS`."""
        began = time.perf_counter()
        while True:
            self.advance_to_node()
            elapsed = time.perf_counter() - began
            if self.finished or elapsed > CHUNK_SECONDS or self.output.checkpoint_due:
                return

    def advance_to_node(self) -> None:
        """Advance to the next node."""
        if self.time < self.target:  # resumed between two nodes
            succeeded = self.engine.finish_segment(self.update_progress)
        else:
            times = self.request.times
            later = np.searchsorted(times, self.time, side="right")
            if later == len(times):  # resumed at the end
                self.finished = True
                return
            self.target = float(times[later])
            succeeded = self.engine.advance(
                self.target - self.time, self.request.step, self.update_progress, t=self.time
            )
        self.complete_segment(succeeded)

    def complete_segment(self, succeeded: bool) -> None:
        """Store a node at the end of a segment, or the reason why the run ends."""
        output = self.output
        output.error = self.engine.user_error()
        if output.error is None and succeeded:
            self.time = self.target
            self.store_node()
        elif output.error is None:
            output.outcome = self.engine.failure
        ended = output.error is not None or not output.outcome.ok
        self.finished = ended or self.time >= self.request.times[-1]

    def store_node(self) -> None:
        """Store the current node of the engine."""
        row = self.nodes.row()
        self.contacts = self.nodes.n_contacts(row[0])
        self.output.add(np.array([self.time]), row)

    def update_progress(self, elapsed: float) -> None:
        """Write a checkpoint if it is due, and report the progress; ``elapsed`` is the time since the last node [s]."""
        engine = self.engine
        if self.output.checkpoint_due and not engine.has_user_error:
            self.output.write_checkpoint(self)
        self.request.report(self.time + elapsed, float(engine.settings.h), engine.n_touching)

    def checkpoint(self) -> dict[str, np.ndarray]:
        """Return the arrays of a checkpoint."""
        return {"times": np.array([self.time, self.target, self.contacts]), **self.engine.mutable_state()}

    def contact_log(self) -> list[np.ndarray]:
        """Return no contacts, as these runs have no contact log."""
        return []

    def open_contacts(self) -> list[np.ndarray]:
        """Return no contacts, as these runs have no contact log."""
        return []

    def update_counts(self) -> None:
        """Write the time reached and the numbers of steps and evaluations to the output."""
        output, engine = self.output, self.engine
        output.t_reached, output.steps, output.evaluations = self.time, engine.steps, engine.steps + 1

    @property
    def progress(self) -> Progress:
        """Progress to report."""
        return self.time, float(self.engine.settings.h), self.engine.n_touching

    def close(self) -> None:
        """End the threads of the engine."""
        self.engine.close()


def warn_of_overlaps(engine: VerletEngine) -> None:
    """Warn if shapes overlap at the start."""
    touching = np.flatnonzero(engine.pairs.is_touching[: engine.n_pairs])
    depth = engine.pairs.output["indentation"][touching]
    if depth.size and depth.max() > OVERLAP:
        warn(
            f"System {engine.model.system.name!r}: {np.count_nonzero(depth > OVERLAP)} pairs of shapes overlap by up "
            f"to {depth.max():.3g} m at t = 0, so their contacts start with a force; separate the bodies if this is "
            "not intended"
        )
