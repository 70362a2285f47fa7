"""Velocity-Verlet integration of many bodies: the method of systems with large groups of contacts."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from carom.errors import warn
from carom.solve.many_body.body_flow import BodyFlow
from carom.solve.many_body.node_buffer import NODE_STORED
from carom.solve.many_body.node_output import NodeOutput
from carom.solve.many_body.stop_to_stop import Stops, StopToStop
from carom.solve.many_body.verlet_engine import VerletEngine
from carom.solve.many_body.verlet_segment import VERLET_SEGMENT, advance_to_node
from carom.solve.many_body.waiting_nodes import WaitingNodes
from carom.solve.method import Progress
from carom.solve.node_batches import fill
from carom.solve.run_output import RunOutput

OVERLAP = 1e-9
"""Indentation at the start above which a warning is issued [m]."""


@dataclass
class VerletRequest:
    """Advance an engine in steps of at most ``step`` [s] from stop to stop; ``flow`` are its inlets and outlets."""

    engine: VerletEngine
    nodes: NodeOutput
    stops: Stops
    step: float
    flow: BodyFlow | None
    output: RunOutput
    report: Callable[..., None]

    @property
    def breaks(self) -> np.ndarray:
        """Times at which segments end without a node: none [s]."""
        return np.zeros(0)


class Verlet(StopToStop):
    """Velocity-Verlet steps of an engine, from stop to stop."""

    def __init__(self, request: VerletRequest):
        self.request, self.output = request, request.output
        self.engine, self.nodes, self.flow = request.engine, request.nodes, request.flow

    def prepare(self) -> None:
        """Store the first node, or restore the checkpoint of the output."""
        state, self.engine.before_rebuild = self.output.resumed_state, None
        if state is None:
            if self.flow is not None:
                self.flow.update(0.0)
            self.engine.evaluate(self.request.step)
            self.store_node()
            warn_of_overlaps(self.engine)
        else:
            self.engine.restore(state)
            if self.flow is not None:
                fill(self.flow.mutable_arrays(), state)
            self.time, self.target, contacts = state["times"].tolist()
            self.contacts = int(contacts)
        self.engine.before_rebuild = self.change_list
        if self.output.is_driven and self.flow is None and self.engine.nodes_can_wait:
            segment = VERLET_SEGMENT.new(
                many_body=self.engine.table.ctypes.data, kernel=self.engine.kernel.address,
                contact_node=self.nodes.singles.node_address,
            )  # fmt: skip
            self.waiting = WaitingNodes(self.nodes, advance_to_node, segment)

    def advance_to_waiting_node(self, waiting: WaitingNodes) -> None:
        """Advance to the next node, which waits, and count the steps."""
        super().advance_to_waiting_node(waiting)
        if waiting.status >= NODE_STORED:
            self.engine.steps += waiting.n_steps

    def complete_waiting_segment(self, waiting: WaitingNodes) -> None:
        """Complete a segment whose loop has returned before its end."""
        self.engine.steps += self.engine.many_body.n_done
        self.complete_segment(self.engine.finish_segment(self.update_progress, waiting.status))

    def contacts_at(self, row: np.ndarray) -> int:
        """Return the number of pairs in contact at the last node."""
        return self.nodes.contacts

    def inputs_changed(self) -> None:
        """Compute forces and accelerations anew."""
        self.engine.evaluate(self.request.step, self.time)

    def advance_to_stop(self) -> None:
        """Advance to the next stop."""
        if self.time < self.target:  # resumed between two stops
            succeeded = self.engine.finish_segment(self.update_progress)
        else:
            times = self.request.stops.times
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
        """Let bodies leave and appear at the end of a segment and store a node, or the reason why the run ends."""
        output, stops = self.output, self.request.stops
        output.error = self.engine.user_error()
        if output.error is None and succeeded:
            self.time = self.target
            stop = np.searchsorted(stops.times, self.time)
            if self.flow is not None and stops.is_check[stop]:
                self.flow.update(self.time)
            if stops.is_node[stop]:
                self.store_node()
        elif output.error is None:
            output.outcome = self.engine.failure
        ended = output.error is not None or not output.outcome.ok
        self.finished = ended or self.time >= stops.times[-1]

    def store_node(self) -> None:
        """Store the current node of the engine."""
        self.flush()
        row = self.nodes.row()
        self.contacts = self.engine.n_touching
        self.output.add(np.array([self.time]), row)

    def update_progress(self, elapsed: float) -> None:
        """Write a checkpoint if it is due, and report the progress; ``elapsed`` is the time since the last stop [s]."""
        engine = self.engine
        if self.output.checkpoint_due and not engine.has_user_error:
            self.output.contact_log += self.contact_log()
            self.output.write_checkpoint(self)
        self.request.report(self.time + elapsed, float(engine.settings.h), engine.n_touching)

    def contact_log(self) -> list[np.ndarray]:
        """Return the log rows of the single contacts that ended since the last call."""
        if self.waiting is not None and self.waiting.status == NODE_STORED:
            return []
        return self.engine.contact_log.take()

    def open_contacts(self) -> list[np.ndarray]:
        """Return the log rows of the single contacts that are not separated, as if the run ended now."""
        return [self.engine.contact_log.open_rows(self.time)]

    def checkpoint(self) -> dict[str, np.ndarray]:
        """Return the arrays of a checkpoint."""
        times = np.array([self.time, self.target, self.contacts])
        flow = {} if self.flow is None else self.flow.mutable_arrays()
        return {"times": times, **self.engine.mutable_state(), **flow}

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
