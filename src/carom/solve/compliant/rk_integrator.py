"""Explicit Runge–Kutta integration: runs the compiled loop in chunks to report progress and write checkpoints."""

from __future__ import annotations

import time
from typing import Any

import numpy as np

from carom.kernels.interpreted import address_of_argument
from carom.result.outcome import Outcome
from carom.solve.compliant import rk_loop
from carom.solve.compliant.butcher_tableau import Tableau
from carom.solve.compliant.chattering import ChatterDetector
from carom.solve.compliant.contact_monitor import ContactMonitor
from carom.solve.compliant.integration_request import IntegrationRequest, largest_sizes
from carom.solve.compliant.records import (
    CHUNK_FULL,
    CONSTRAINT_DRIFT,
    INTEGRATION,
    NEEDS_PROJECTED_STAGES,
    NOT_FINITE,
    PROGRESS,
    RANK_LOSS,
    STALLED,
    TRIAL_STEP,
    UNDERFLOW,
)
from carom.solve.compliant.registry import TABLEAUS
from carom.solve.method import Method, Progress
from carom.solve.model_evaluator import ModelEvaluator
from carom.solve.node_batches import fill

MAX_JOINT_OPENING = 1e-4
"""Opening of a joint relative to the size of the system above which feedback or a penalty has failed [-]."""
CHUNK_NODES = 768
CHUNK_SECONDS = 0.05
FIRST_BUDGET, LEAST_BUDGET = 100, 20
"""Evaluations in the first chunk, and at least in later ones; they may be slow."""
OUTCOMES = {
    NOT_FINITE: Outcome.NOT_FINITE,
    UNDERFLOW: Outcome.STEP_UNDERFLOW,
    RANK_LOSS: Outcome.SINGULAR,
    CONSTRAINT_DRIFT: Outcome.CONSTRAINT_DRIFT,
    STALLED: Outcome.STALLED,
}


class RungeKutta(Method):
    """One explicit method over a request: the records of the compiled loop, and their Python side."""

    def __init__(self, request: IntegrationRequest):
        self.request, self.mechanism, self.output = request, request.mechanism, request.answer
        self.tableau = TABLEAUS[request.integrator]
        self.y = request.y.copy()
        self.monitor = ContactMonitor(request)

    def prepare(self) -> None:
        """Store the first node, choose the first step and build the records; or restore the checkpoint."""
        request, mechanism, monitor, y = self.request, self.mechanism, self.monitor, self.y
        tableau, start = self.tableau, request.start
        error_scale = np.minimum(np.abs(y[: mechanism.controlled]), largest_sizes(mechanism))
        longest = min(request.max_step, float(request.stops[-1]) - start)
        monitor.start(y)
        if self.output.resumed is None:
            self.output.add(np.array([start]), monitor.row(y))
        slope, _ = mechanism.rate(start, y)
        self.evaluated = 1  # before the first step
        is_finite = bool(np.all(np.isfinite(slope)))
        step = longest
        if tableau.adaptive and is_finite:
            scale = request.atol + request.rtol * error_scale
            step = first_step(mechanism, start, y, slope, scale, tableau.error_order, longest)
            self.evaluated += 1
            step = min(step, rk_loop.FIRST_IN_CONTACT * monitor.min_impact_duration)
        self.loop_progress = PROGRESS.new(
            t=start, h=step, last_error=1e-4, h_before_contact=step, h_before_retries=step, t_progress=start,
            t_last_onset=start if monitor.min_impact_duration < np.inf else -np.inf,
            pivot_is_safe=mechanism.tables.settings.min_pivot_ratio > rk_loop.PIVOT_ROUNDING,
        )  # fmt: skip
        self.trial_step = TRIAL_STEP.new()
        self.arrays = arrays_of(tableau, request, y, slope, error_scale)
        self.run_record = self.build_record(tableau)
        self.capacity = self.run_record.node_capacity
        self.least = tableau.inner + 4  # nodes that a step may add
        self.most = self.output.room
        if self.output.resumed is not None:
            self.restore(self.output.resumed)
        self.chatter = ChatterDetector(mechanism, self.t, float(request.stops[-1]))
        if not is_finite:
            self.output.outcome, self.finished = Outcome.NOT_FINITE, True

    def build_record(self, tableau: Tableau) -> Any:
        """Return the record of the compiled loop; the buffers of nodes are set by every chunk."""
        request, mechanism, monitor, size = self.request, self.mechanism, self.monitor, len(self.y)
        tables = mechanism.tables
        normalise = tables.normalise_kernel if tables.n_orientation else 0
        project = tables.project_kernel if request.projecting and mechanism.m else normalise
        record = INTEGRATION.new(
            rhs_kernel=tables.rhs_kernel, project_kernel=project, **monitor.kernels,
            model=address_of_argument(tables.model), events=address_of_argument(monitor.events),
            progress=address_of_argument(self.loop_progress), trial_step=address_of_argument(self.trial_step),
            n_states=size, n_controlled=mechanism.controlled, n_stages=tableau.stages,
            n_dense_stages=len(tableau.extra_c), n_inner_nodes=tableau.inner, dense_order=tableau.dense.shape[1],
            a_row_size=tableau.a.shape[1], dense_a_row_size=tableau.extra_a.shape[1],
            error_order=tableau.error_order, is_adaptive=tableau.adaptive, n_stops=len(request.stops),
            node_stride=request.record_steps, node_size=size + monitor.node_size, log_capacity=monitor.capacity,
            node_capacity=max(min(CHUNK_NODES, 4_000_000 // size), 16 + 2 * tableau.inner),
            onset_method=monitor.onset, evaluation_budget=FIRST_BUDGET, rtol=request.rtol, atol=request.atol,
            max_step=min(request.max_step, float(request.stops[-1]) - request.start),
            max_joint_opening=MAX_JOINT_OPENING * (1.0 + np.abs(self.y[: mechanism.n]).max()),
            min_step=request.min_step, max_onset_depth=request.depth,
        )  # fmt: skip
        for name, array in self.arrays.items():
            setattr(record, name, array.ctypes.data)
        return record

    @property
    def t(self) -> float:
        """Time reached [s]."""
        return float(self.loop_progress.t)

    @property
    def progress(self) -> Progress:
        """Progress to report."""
        return self.t, float(self.loop_progress.h), self.monitor.n_open

    def checkpoint(self) -> dict[str, np.ndarray]:
        """Return the arrays of a checkpoint."""
        states = ("y", "stages", "y_new", "y_stage", "rhs_new", "y_probe", "error_scale")
        progress = PROGRESS.numbers(self.loop_progress)
        return {**{name: self.arrays[name] for name in states}, "progress": progress, **self.monitor.carried()}

    def restore(self, state: dict[str, np.ndarray]) -> None:
        """Restore a checkpoint of another run."""
        fill(self.checkpoint(), state)
        self.monitor.connect()
        self.loop_progress.next_stop = np.searchsorted(self.request.stops, self.t, side="right")
        if self.loop_progress.on_manifold:
            self.enable_projected_stages()

    def contact_log(self) -> list[np.ndarray]:
        """Return the log rows of the contacts that ended since the last call."""
        return self.monitor.logged()

    def open_contacts(self) -> list[np.ndarray]:
        """Return the log rows of the contacts that are not separated."""
        return self.monitor.open_contacts(self.t, self.y)

    def update_counts(self) -> None:
        """Write the time reached and the numbers of steps, evaluations and events to the output."""
        progress, output = self.loop_progress, self.output
        output.contact = self.monitor.last_event
        output.end, output.stride = self.t, self.run_record.node_stride
        output.events, output.too_deep = progress.n_events, progress.n_late_onsets
        output.steps, output.rejected = progress.n_steps, progress.n_rejected
        output.evaluations = self.evaluated + progress.n_evaluations

    def enable_projected_stages(self) -> None:
        """Compile the kernels for steps on the constraint manifold."""
        tables, record = self.mechanism.tables, self.run_record
        record.projected_rhs_kernel, record.tangential_kernel = tables.projected_rhs_kernel, tables.tangential_kernel

    def advance(self) -> None:
        """Integrate one chunk; find out why it ended."""
        output, progress = self.output, self.loop_progress
        status = self.run_chunk()
        output.error = self.mechanism.user_error()
        if status == NEEDS_PROJECTED_STAGES:
            self.enable_projected_stages()
        self.finished = status not in (CHUNK_FULL, NEEDS_PROJECTED_STAGES) or output.error is not None
        output.outcome = OUTCOMES.get(status, Outcome.FINISHED)
        if self.run_record.is_adaptive and not self.finished:
            self.chatter.look(self.t, self.y, progress.n_steps + progress.n_rejected)

    def run_chunk(self) -> int:
        """Integrate until Python is due; return the status of the chunk. Drop every second node if there are too many.

        The number of nodes that fit does not depend on the duration of chunks, so that two runs drop the same nodes.
        """
        record, output, progress = self.run_record, self.output, self.loop_progress
        width, capacity = record.node_size, self.capacity
        if self.most is not None and record.node_stride:
            if (self.most - output.numbers()) // width < self.least:
                output.thin()
                record.node_stride *= 2
                self.most = max(self.most, 2 * output.numbers() + self.least * width)  # nodes at jumps are all kept
            capacity = min(capacity, (self.most - output.numbers()) // width)
        node_t, node_y = np.empty(capacity), np.empty((capacity, width))
        record.node_capacity, record.node_t, record.node_y = capacity, node_t.ctypes.data, node_y.ctypes.data
        began, evaluations = time.perf_counter(), progress.n_evaluations
        try:
            status = int(rk_loop.run_chunk.call(record))
        finally:  # Ctrl-C during the chunk is raised when it returns
            output.add(node_t[: progress.n_nodes], node_y[: progress.n_nodes])
        elapsed = max(time.perf_counter() - began, 1e-9)
        evaluations_per_second = max((progress.n_evaluations - evaluations) / elapsed, 1.0)
        budget = min(max(evaluations_per_second * CHUNK_SECONDS, LEAST_BUDGET), 10_000_000)
        record.evaluation_budget = int(budget)
        return status


def arrays_of(
    tableau: Tableau, request: IntegrationRequest, y: np.ndarray, slope: np.ndarray, error_scale: np.ndarray
) -> dict[str, np.ndarray]:
    """Return the arrays of the record `INTEGRATION` by field: states, coefficients of the method and stops."""
    size = len(y)
    stages = np.zeros((tableau.stages + len(tableau.extra_c), size))
    stages[0] = slope
    arrays: dict[str, np.ndarray | None] = {
        "y": y, "stages": stages, "error_scale": error_scale, "error_scale_max": largest_sizes(request.mechanism),
        "a": tableau.a, "c": tableau.c, "error_weights": tableau.error, "error_weights_3": tableau.error_3,
        "b": None if np.array_equal(tableau.a[-1], tableau.b) else tableau.b,
        "dense_a": tableau.extra_a, "dense_c": tableau.extra_c, "dense_weights": tableau.dense,
        "stop_times": request.stops, "is_discontinuity": request.jumps.astype(np.int64),
        **{name: np.zeros(size) for name in ("y_new", "y_stage", "rhs_new", "y_probe")},
    }  # fmt: skip
    return {name: np.ascontiguousarray(array) for name, array in arrays.items() if array is not None}


def first_step(
    mechanism: ModelEvaluator, t: float, y: np.ndarray, slope: np.ndarray, scale: np.ndarray, order: int, longest: float
) -> float:
    """Return the first step [s] of Hairer, Nørsett and Wanner, II.4."""
    count = len(scale)
    d0, d1 = (np.abs(part[:count] / scale).max() for part in (y, slope))
    h = min(1e-6 if d0 < 1e-5 or d1 < 1e-5 else 0.01 * d0 / d1, longest)
    further, _ = mechanism.rate(t + h, y + h * slope)
    d2 = np.abs((further - slope)[:count] / scale).max() / h
    steepest = max(d1, d2)
    guess = max(1e-6, 1e-3 * h) if not steepest > 1e-15 else (0.01 / steepest) ** (1.0 / order)
    return float(min(100.0 * h, guess, longest))
