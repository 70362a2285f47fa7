"""Runge–Kutta integration: runs the compiled loop in chunks to report progress and write checkpoints."""

from __future__ import annotations

import time
from typing import Any

import numpy as np

from carom.kernels.interpreted import address_of_argument
from carom.result.outcome import Outcome
from carom.solve.compliant import rk_loop, run_start
from carom.solve.compliant.chattering import ChatterDetector
from carom.solve.compliant.contact_monitor import ContactMonitor
from carom.solve.compliant.contact_wear import follow_worn_geometry
from carom.solve.compliant.integration_request import IntegrationRequest, largest_sizes
from carom.solve.compliant.radau_integrator import ImplicitSteps
from carom.solve.compliant.records import (
    CHUNK_FULL,
    CONSTRAINT_DRIFT,
    CONTACT_JUMP,
    EVENT,
    INTEGRATION,
    NEEDS_IMPLICIT_STEPS,
    NEEDS_PROJECTED_STAGES,
    NOT_FINITE,
    PROGRESS,
    RANK_LOSS,
    STALLED,
    TRIAL_STEP,
    UNDERFLOW,
)
from carom.solve.method import Method, Progress
from carom.solve.node_batches import Snapshot, fill
from carom.solve.runge_kutta.butcher_tableau import Tableau
from carom.solve.runge_kutta.method_arrays import coefficient_arrays, method_counts, step_arrays
from carom.solve.runge_kutta.records import RUNGE_KUTTA
from carom.solve.runge_kutta.registry import AUTO, IMPLICIT, explicit_method

MAX_IMPLICIT_STEP = 0.02
"""Longest implicit step as a fraction of the run."""
MAX_STEP_IN_TIME, MAX_FRACTION_IN_TIME = 5e-3, 1e-3
"""Longest implicit step [s], and its fraction of the run, where forces or motions depend on time in an unknown way: at
rest, a longer one would pass over a short load."""
IN_CHANGE = 0.25
"""Longest implicit step, relative to the shortest time in which prescribed motions change, where it is known."""
IN_TIME_TOLERANCE, IN_TIME_POWER, MAX_IN_TIME = 5e-9, 0.25, 3.0
"""Tolerance of a step from which these limits grow, as a power of it, and the largest factor."""
DEFAULT_TOLERANCE = 1e-10
"""Relative tolerance of the steps of a run at the default rtol; the limits below are those of such a run."""
FIRST_IN_CONTACT, LAST_IN_CONTACT, ONSET_POWER, LONGEST_AT_ONSET = 2e-4, 5e-4, 0.4, 0.01
"""First step of a contact and longest one that ends it, relative to the duration of an impact [-]. A force like δ^1.5
makes an error like h^2.5 there, so that they grow with the tolerance to the power 1/2.5, up to a limit."""
IMPACT_WEIGHT, IMPACT_POWER = 0.1, -0.5
"""Least factor on the error of steps in the first impact [-], and the power of the tolerance by which it falls there
from 1: the errors of its few steps do not add up to what is asked for."""
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
    CONTACT_JUMP: Outcome.CONTACT_JUMP,
}


class RungeKutta(Method):
    """One explicit method over a request: the records of the compiled loop, and their Python side."""

    loop = rk_loop.run_chunk
    """Compiled loop over the steps of a chunk."""

    def __init__(self, request: IntegrationRequest):
        self.request, self.mechanism, self.output = request, request.mechanism, request.output
        tableau = explicit_method(request.integrator)
        assert tableau is not None
        self.tableau = tableau
        self.implicit: ImplicitSteps | None = None
        self.y = request.y.copy()
        self.jumps = request.stops[request.jumps]
        self.monitor = ContactMonitor(request)
        self.at_start: Snapshot | None = None
        self.buffer: tuple[np.ndarray, np.ndarray] | None = None

    can_continue = True

    @property
    def time(self) -> float:
        """Time reached [s]."""
        return self.t

    def continue_to(self, t: float) -> None:
        """Make ``t`` [s] the next stop and the end of the run, behind the jumps of motions and loads before it."""
        progress, n_jumps = self.loop_progress, 0
        stops = self.arrays["stop_times"]  # with a place for every jump and one for the end
        if len(self.jumps):
            jumps = self.jumps[(self.jumps > progress.t) & (self.jumps < t)]
            n_jumps = len(jumps)
            stops[:n_jumps] = jumps
        stops[n_jumps] = t
        self.run_record.n_stops, progress.next_stop = n_jumps + 1, 0
        self.finished = False
        if progress.n_steps == 0 and progress.t == self.request.start:  # the first step depends on the stop
            if run_start.start_run.call(self.run_record) == NOT_FINITE:
                self.output.outcome, self.finished = Outcome.NOT_FINITE, True

    def inputs_changed(self) -> None:
        """Evaluate the derivative of the current state anew, on the constraints with changed motions."""
        tables = self.mechanism.tables
        if self.run_record.node_stride > 0 and self.t > self.request.start:
            self.flush()
            self.output.add(np.array([self.t]), self.output.last_node()[None])  # one node before, one after
        if tables.inputs is not None and tables.inputs.motions and self.mechanism.m:
            self.mechanism.project(self.t, self.y)
        if tables.wear is not None:
            self.monitor.call(follow_worn_geometry, self.t, 1.0, self.y)
        slope = self.arrays["stages"].reshape(-1)[: len(self.y)]
        slope[:] = self.mechanism.rate(self.t, self.y)[0]
        self.loop_progress.n_evaluations += 1

    @property
    def can_restart(self) -> bool:
        """True unless functions of the user have changed, or may depend on more than the values that they capture."""
        return all(kernel.is_current for kernel in self.mechanism.tables.user_kernels)

    def prepare(self) -> None:
        """Store the first node, choose the first step and build the records; or restore the checkpoint."""
        if self.at_start is not None:
            self.restart(self.at_start)
            return
        request, mechanism, monitor = self.request, self.mechanism, self.monitor
        monitor.start(self.y)
        self.first_node = monitor.row(self.y)
        if self.output.resumed_state is None:
            self.output.add(np.array([request.start]), self.first_node)
        self.build_records()
        status = run_start.start_run.call(self.run_record)
        error = mechanism.user_error()
        if error is not None:
            raise error
        if self.output.resumed_state is not None:
            self.restore(self.output.resumed_state)
        elif self.can_restart:
            self.at_start = Snapshot(self.changing_arrays())
        self.chatter = ChatterDetector(mechanism, self.t, float(request.stops[-1]))
        if status == NOT_FINITE:
            self.output.outcome, self.finished = Outcome.NOT_FINITE, True

    def build_records(self) -> None:
        """Build the records of the compiled loop, for the start of the run."""
        request, tableau = self.request, self.tableau
        self.loop_progress = PROGRESS.new(t=request.start, is_implicit=request.integrator == IMPLICIT)
        self.trial_step = TRIAL_STEP.new()
        self.arrays = arrays_of(tableau, request, self.y, largest_sizes(self.mechanism))
        self.rk_record = self.build_rk_record(tableau)
        self.run_record = self.build_record(tableau)
        self.capacity = self.run_record.node_capacity
        self.least = tableau.inner + 4  # nodes that a step may add
        self.most = self.output.capacity

    def changing_arrays(self) -> list[np.ndarray]:
        """Return the arrays that a run changes, among them its records."""
        records = (RUNGE_KUTTA, self.rk_record), (INTEGRATION, self.run_record), (TRIAL_STEP, self.trial_step)
        constants = {"contact log", *coefficient_arrays(self.tableau)}
        arrays = {name: array for name, array in (self.checkpoint() | self.arrays).items() if name not in constants}
        return [*arrays.values(), *(kind.numbers(row) for kind, row in records)]

    def restart(self, at_start: Snapshot) -> None:
        """Return to the start of the run."""
        request, budget = self.request, self.run_record.evaluation_budget
        at_start.restore()
        self.run_record.evaluation_budget = budget  # as long as evaluations took in the run before
        self.finished, self.implicit = False, None
        self.output.add(np.array([request.start]), self.first_node)
        self.most = self.output.capacity
        self.chatter = ChatterDetector(self.mechanism, self.t, float(request.stops[-1]))

    def build_rk_record(self, tableau: Tableau) -> Any:
        """Return the record of the Runge–Kutta method: equations, coefficients and arrays of a step."""
        request, mechanism = self.request, self.mechanism
        model = address_of_argument(mechanism.tables.model)
        record = RUNGE_KUTTA.new(
            rhs_kernel=mechanism.tables.rhs_kernel, rhs_data=model, model=model, n_states=len(self.y),
            n_controlled=mechanism.controlled, rtol=request.rtol, atol=request.atol, **method_counts(tableau),
            contact_error_kernel=self.monitor.kernels.get("contact_error_kernel", 0),
            events=address_of_argument(self.monitor.events),
        )  # fmt: skip
        RUNGE_KUTTA.connect(record, {name: a for name, a in self.arrays.items() if name in RUNGE_KUTTA.names})
        return record

    def build_record(self, tableau: Tableau) -> Any:
        """Return the record of the compiled loop; the buffers of nodes are set by every chunk."""
        request, mechanism, monitor, size = self.request, self.mechanism, self.monitor, len(self.y)
        tables = mechanism.tables
        normalise = tables.normalise_kernel if tables.n_orientation else 0
        project = tables.project_kernel if request.projecting and mechanism.m else normalise
        record = INTEGRATION.new(
            rk=address_of_argument(self.rk_record), project_kernel=project,
            **{name: kernel for name, kernel in monitor.kernels.items() if name in INTEGRATION.names},
            model=address_of_argument(tables.model), events=address_of_argument(monitor.events),
            progress=address_of_argument(self.loop_progress), trial_step=address_of_argument(self.trial_step),
            n_inner_nodes=tableau.inner, n_stops=len(request.stops),
            node_stride=request.record_steps, node_size=size + monitor.node_size, log_capacity=monitor.capacity,
            node_capacity=max(min(CHUNK_NODES, 4_000_000 // size), 16 + 2 * tableau.inner),
            onset_method=monitor.onset, evaluation_budget=FIRST_BUDGET,
            max_step=min(request.max_step, float(request.stops[-1]) - request.start),
            min_step=request.min_step, max_onset_depth=request.depth,
            may_switch=request.integrator == AUTO and monitor.active and monitor.onset == EVENT,
            **implicit_step_limits(tables.shortest_change, float(request.stops[-1]) - request.start, request.rtol),
            first_in_contact=length_at_onset(FIRST_IN_CONTACT, request.rtol),
            last_in_contact=length_at_onset(LAST_IN_CONTACT, request.rtol),
            impact_weight=max(IMPACT_WEIGHT, looseness(request.rtol) ** IMPACT_POWER),
        )  # fmt: skip
        INTEGRATION.connect(record, {name: a for name, a in self.arrays.items() if name in INTEGRATION.names})
        return record

    @property
    def t(self) -> float:
        """Time reached [s]."""
        return float(self.loop_progress.t)

    @property
    def progress(self) -> Progress:
        """Progress to report."""
        return self.t, float(self.loop_progress.h), self.monitor.n_open

    def prepare_implicit_steps(self) -> None:
        """Compile implicit steps and build their records."""
        self.implicit = ImplicitSteps(self.request, self.rk_record)
        self.run_record.radau = address_of_argument(self.implicit.record)
        self.run_record.implicit_step_kernel = self.implicit.step_kernel

    def checkpoint(self) -> dict[str, np.ndarray]:
        """Return the arrays of a checkpoint."""
        implicit = {} if self.implicit is None else self.implicit.checkpoint()
        states = ("y", "stages", "y_new", "y_stage", "rhs_new", "y_probe", "error_scale")
        progress = PROGRESS.numbers(self.loop_progress)
        return {
            **{name: self.arrays[name] for name in states},
            "progress": progress,
            **implicit,
            **self.monitor.carried(),
        }

    def restore(self, state: dict[str, np.ndarray]) -> None:
        """Restore a checkpoint of another run."""
        if "implicit memory" in state:
            self.prepare_implicit_steps()
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
        output.last_contact = self.monitor.last_event
        output.t_reached, output.stride = self.t, self.run_record.node_stride
        output.events, output.n_late_onsets = progress.n_events, progress.n_late_onsets
        output.steps, output.rejected = progress.n_steps, progress.n_rejected
        output.evaluations = progress.n_evaluations
        if self.request.integrator in (AUTO, IMPLICIT):
            output.implicit_share = {"implicit_steps": progress.n_implicit_steps, "implicit_time": progress.t_implicit}
        if self.implicit is not None:
            memory = self.implicit.memory
            output.implicit_share |= {"jacobians": memory.n_jacobians, "factorisations": memory.n_factorisations}

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
        if status == NEEDS_IMPLICIT_STEPS:
            self.prepare_implicit_steps()
        resumes = status in (CHUNK_FULL, NEEDS_PROJECTED_STAGES, NEEDS_IMPLICIT_STEPS)
        self.finished = not resumes or output.error is not None
        output.outcome = OUTCOMES.get(status, Outcome.FINISHED)
        if status == CONTACT_JUMP:
            output.contact_jump = self.monitor.jump
        if self.tableau.adaptive and not self.finished:
            self.chatter.look(self.t, self.y, progress.n_steps + progress.n_rejected)

    def run_chunk(self) -> int:
        """Integrate until Python is due; return the status of the chunk. Drop every second node if there are too many.

        The number of nodes that fit does not depend on the duration of chunks, so that two runs drop the same nodes.
        """
        record, output, progress = self.run_record, self.output, self.loop_progress
        if self.buffer is None:
            self.create_buffer()
        began, evaluations = time.perf_counter(), progress.n_evaluations
        try:
            status = int(self.loop.call(record))
        finally:  # Ctrl-C during the chunk is raised when it returns
            if not output.is_driven:
                self.flush()
        if status == CHUNK_FULL:
            self.flush()
            elapsed = max(time.perf_counter() - began, 1e-9)
            evaluations_per_second = max((progress.n_evaluations - evaluations) / elapsed, 1.0)
            budget = min(max(evaluations_per_second * CHUNK_SECONDS, LEAST_BUDGET), 10_000_000)
            record.evaluation_budget = int(budget)
        return status

    def create_buffer(self) -> None:
        """Allocate the nodes of a chunk."""
        record, output, capacity = self.run_record, self.output, self.capacity
        width = record.node_size
        if self.most is not None and record.node_stride:
            if (self.most - output.n_numbers) // width < self.least:
                output.thin()
                record.node_stride *= 2
                self.most = max(self.most, 2 * output.n_numbers + self.least * width)  # nodes at jumps are all kept
            capacity = min(capacity, (self.most - output.n_numbers) // width)
        node_t, node_y = self.buffer = np.empty(capacity), np.empty((capacity, width))
        record.node_capacity, record.node_t, record.node_y = capacity, node_t.ctypes.data, node_y.ctypes.data
        self.loop_progress.n_nodes = 0

    def flush(self, at_end: bool = False) -> None:
        """Pass the nodes of the chunk to the output."""
        if self.buffer is not None:
            (t, y), count = self.buffer, self.loop_progress.n_nodes
            self.buffer = None
            self.output.add(t[:count], y[:count])


def arrays_of(
    tableau: Tableau, request: IntegrationRequest, y: np.ndarray, largest: np.ndarray
) -> dict[str, np.ndarray]:
    """Return the arrays of `INTEGRATION` and `RUNGE_KUTTA` by field; ``largest`` bounds the scales of errors."""
    arrays = {
        **coefficient_arrays(tableau), **step_arrays(tableau, len(y)), "y": y,
        "error_scale": np.zeros_like(largest), "error_scale_max": largest,
        "stop_times": request.stops.copy(), "is_discontinuity": request.jumps.astype(np.int64),
    }  # fmt: skip
    return {name: np.ascontiguousarray(array) for name, array in arrays.items()}


def looseness(rtol: float) -> float:
    """Return the tolerance of a step relative to that of a run at the default one, at least 1."""
    return max(1.0, rtol / DEFAULT_TOLERANCE)


def length_at_onset(default: float, rtol: float) -> float:
    """Return the first or the last step of a contact, relative to the duration of an impact."""
    return min(default * looseness(rtol) ** ONSET_POWER, LONGEST_AT_ONSET)


def implicit_step_limits(shortest_change: float | None, length: float, rtol: float) -> dict[str, float]:
    """Return the limits of implicit steps [s] in a run of ``length`` [s] with the tolerance ``rtol`` of a step.

    ``shortest_change`` is that of `SystemData`.
    """
    longest = MAX_IMPLICIT_STEP * length
    if shortest_change is None:
        return {"max_implicit_step": longest, "max_unseen_step": longest}
    factor = min(max(1.0, (rtol / IN_TIME_TOLERANCE) ** IN_TIME_POWER), MAX_IN_TIME)
    unseen = factor * min(MAX_STEP_IN_TIME, MAX_FRACTION_IN_TIME * length)
    return {"max_implicit_step": min(longest, max(unseen, IN_CHANGE * shortest_change)), "max_unseen_step": unseen}
