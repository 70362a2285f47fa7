"""Time stepping of many rigid bodies: the method of non-smooth runs of systems with large groups of contacts."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from carom.errors import warn
from carom.kernels.interpreted import address_of_argument
from carom.result.outcome import Outcome
from carom.solve.many_body import rigid_records as records
from carom.solve.many_body.body_flow import BodyFlow
from carom.solve.many_body.rigid_engine import RigidEngine
from carom.solve.many_body.rigid_output import RigidNodeOutput
from carom.solve.many_body.rigid_segment import RIGID_SEGMENT, advance_rigid_to_node
from carom.solve.many_body.rigid_step import run_rigid_steps
from carom.solve.many_body.stop_to_stop import Stops, StopToStop
from carom.solve.many_body.waiting_nodes import WaitingNodes
from carom.solve.method import Progress
from carom.solve.node_batches import fill
from carom.solve.run_output import RunOutput

OVERLAP = 1e-9
"""Overlap at the start above which a warning is issued [m]."""
OUTCOMES = {
    records.FINISHED: Outcome.FINISHED,
    records.NOT_FINITE: Outcome.NOT_FINITE,
    records.RANK_LOSS: Outcome.SINGULAR,
    records.PROJECTION_FAILED: Outcome.NOT_CONVERGED,
}


@dataclass
class RigidRequest:
    """Advance an engine in steps of at most ``step`` [s] from stop to stop; ``flow`` are its inlets and outlets."""

    engine: RigidEngine
    nodes: RigidNodeOutput
    stops: Stops
    step: float
    flow: BodyFlow | None
    user_error: Callable[[], BaseException | None]
    output: RunOutput
    report: Callable[..., None]
    breaks: np.ndarray
    """Times at which prescribed motions are not smooth [s]."""


class RigidStepper(StopToStop):
    """Time steps of an engine, from stop to stop."""

    def __init__(self, request: RigidRequest):
        self.request, self.output = request, request.output
        self.engine, self.nodes, self.flow = request.engine, request.nodes, request.flow

    def prepare(self) -> None:
        """Store the first node, or restore the checkpoint of the output."""
        self.engine.before_rebuild = None
        if self.output.resumed_state is None:
            if self.flow is not None:
                self.flow.update(0.0)
            self.engine.start(self.request.step)
            warn_of_overlaps(self.engine)
            self.output.add(np.array([0.0]), self.nodes.row(0.0))
        else:
            self.engine.restore(self.output.resumed_state)
            if self.flow is not None:
                fill(self.flow.mutable_arrays(), self.output.resumed_state)
            self.time, self.target, contacts = self.output.resumed_state["times"].tolist()
            self.contacts = int(contacts)
        self.engine.before_rebuild = self.change_list
        is_plain = self.engine.mechanism is None and self.flow is None and not self.engine.model.user_kernels
        if self.output.is_driven and is_plain:
            segment = RIGID_SEGMENT.new(rigid=address_of_argument(self.engine.rigid), kernel=run_rigid_steps.address)
            self.waiting = WaitingNodes(self.nodes, advance_rigid_to_node, segment)

    def complete_waiting_segment(self, waiting: WaitingNodes) -> None:
        """Complete a segment whose loop has returned before its end."""
        self.complete_segment(self.engine.finish_segment(self.update_progress, waiting.status))

    def contacts_at(self, row: np.ndarray) -> int:
        """Return the number of closed contacts at the last node."""
        return self.nodes.n_contacts(row)

    def advance_to_stop(self) -> None:
        """Advance to the next stop."""
        if not self.time < self.target:  # else resumed between two stops
            times = self.request.stops.times
            later = np.searchsorted(times, self.time, side="right")
            if later == len(times):  # resumed at the end
                self.finished = True
                return
            self.target = float(times[later])
            self.engine.plan(self.time, self.target, self.request.step)
        self.complete_segment(self.engine.finish_segment(self.update_progress))

    def complete_segment(self, status: int) -> None:
        """Let bodies leave and appear at the end of a segment and store a node, or the reason why the run ends."""
        output = self.output
        output.error = self.request.user_error()
        output.outcome = OUTCOMES[status]
        if output.error is None and output.outcome.ok:
            self.time = self.target
            stops = self.request.stops
            stop = np.searchsorted(stops.times, self.time)
            if self.flow is not None and stops.is_check[stop]:
                self.flow.update(self.time)
            if stops.is_node[stop]:
                self.store_node()
        ended = output.error is not None or not output.outcome.ok
        self.finished = ended or self.time >= self.request.stops.times[-1]

    def store_node(self) -> None:
        """Store the current node of the engine."""
        self.flush()
        row = self.nodes.row(float(self.engine.rigid.h))
        self.contacts = self.nodes.n_contacts(row[0])
        self.output.add(np.array([self.time]), row)

    def update_progress(self, t: float) -> None:
        """Write a checkpoint if it is due, and report the progress; ``t`` is the time reached [s]."""
        if self.output.checkpoint_due and not any(kernel.error for kernel in self.engine.model.user_kernels):
            self.output.write_checkpoint(self)
        self.request.report(t, float(self.engine.rigid.h), int(self.engine.counts.n_active))

    def checkpoint(self) -> dict[str, np.ndarray]:
        """Return the arrays of a checkpoint."""
        flow = {} if self.flow is None else self.flow.mutable_arrays()
        return {"times": np.array([self.time, self.target, self.contacts]), **self.engine.mutable_state(), **flow}

    def update_counts(self) -> None:
        """Write the time reached and the numbers of steps and evaluations to the output."""
        output, steps = self.output, int(self.engine.counts.n_steps)
        output.t_reached, output.steps, output.evaluations = self.time, steps, steps

    @property
    def progress(self) -> Progress:
        """Progress to report."""
        return self.time, float(self.engine.rigid.h), int(self.engine.counts.n_active)

    def statistics(self) -> dict[str, Any]:
        """Return the cost and the accuracy of the contact problems."""
        counts, energy, engine = self.engine.counts, self.engine.energy, self.engine
        steps = max(int(counts.n_steps), 1)
        return {
            "contacts": self.contacts,
            "contact_problems": int(counts.n_problems),
            "solver_iterations": int(counts.n_iterations),
            "max_iterations": int(counts.max_iterations),
            "iterations_per_step": int(counts.n_iterations) / steps,
            "residual": float(counts.max_residual),
            "mean_residual": float(counts.sum_of_residuals) / steps,
            "inexact_solutions": int(counts.n_inexact),
            "max_penetration": float(counts.max_penetration),
            "penetration": float(counts.penetration),
            "islands": int(counts.n_islands),
            "sleeping_bodies": max(int(counts.n_asleep) - engine.model.n_absent, 0),
            "rebuilds": engine.rebuilds,
            "energy_created": float(energy.created),
            "energy_creating_steps": int(counts.n_energy_gains),
            "projection_energy": float(energy.projection_work),
        }


def warn_of_overlaps(engine: RigidEngine) -> None:
    """Warn if shapes overlap at the start."""
    overlaps = engine.start_overlaps()
    if overlaps.size and overlaps.max() > OVERLAP:
        warn(
            f"System {engine.model.system.name!r}: {np.count_nonzero(overlaps > OVERLAP)} pairs of shapes overlap by "
            f"up to {overlaps.max():.3g} m at t = 0; projection removes the overlap of contacts that carry a force, "
            "any other remains until the bodies separate; move the bodies apart if this is not intended"
        )
