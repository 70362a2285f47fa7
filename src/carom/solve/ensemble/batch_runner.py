"""Runs of one compiled model in compiled code, batch by batch; every thread has a runner of its own."""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from carom.compiled_model.changed_numbers import ChangedNumbers, NotInPlace
from carom.compiled_model.mutable_state import mutable_arrays, numbers_at
from carom.errors import ModelError
from carom.kernels.interpreted import Row, address_of_argument, array_address
from carom.mechanics.contact_log import CONTACT_LOG_ROW
from carom.mechanics.output_kernels import N_ENERGIES, evaluate_nodes
from carom.solve.compliant import contact_transitions, rk_loop, run_start
from carom.solve.compliant.problem import CompliantProblem, imbalance_of_contacts, integration_request, start_state
from carom.solve.compliant.records import (
    EVENT,
    FINISHED,
    INTEGRATION,
    NEEDS_IMPLICIT_STEPS,
    NEEDS_PROJECTED_STAGES,
    TRIAL_STEP,
)
from carom.solve.compliant.rk_integrator import RungeKutta
from carom.solve.ensemble import run_batch
from carom.solve.ensemble.records import ENSEMBLE, INTERRUPTED, OVERFLOW, RUN_RESULT, SAVED_ARRAY
from carom.solve.model_evaluator import ModelEvaluator
from carom.solve.node_batches import Snapshot
from carom.solve.postprocessing import SystemNodeEvaluator, all_energies, nodes_record
from carom.solve.run_output import RunOutput
from carom.solve.run_warnings import reference_energy
from carom.solve.runge_kutta.method_arrays import coefficient_arrays
from carom.solve.runge_kutta.records import RUNGE_KUTTA

MAX_NODES, MAX_NODE_NUMBERS = 20_000, 2_000_000
"""Room for the nodes of one run, in nodes and in numbers; a longer run is repeated alone."""
LOG_ROWS = 20_000
"""Room for the contacts of a batch."""


@dataclass(frozen=True)
class Batch:
    """Output of a batch, with a row per run: results, last states, reductions, and the rows of its contact log."""

    results: np.ndarray
    states: np.ndarray
    reduced: np.ndarray
    """Reductions of compiled code, then those of Python."""
    log: np.ndarray
    """Rows of the contact log, run by run; ``results["n_log_rows"]`` of each."""

    @property
    def finished(self) -> np.ndarray:
        """True for each run that reached its end in compiled code; the others are repeated alone."""
        return self.results["status"] == FINISHED


@dataclass(frozen=True)
class NodeTables:
    """Nodes of a run, for reductions in Python: times [s], states, rates, signals and energies [J], row by row.

    ``reference_energy`` [J] is that of the system.
    """

    t: np.ndarray
    y: np.ndarray
    ydot: np.ndarray
    signals: np.ndarray
    energies: np.ndarray
    reference_energy: float


@dataclass(frozen=True)
class SeriesReductions:
    """Reductions of the series of a run: rows of `REDUCTION` for compiled code, and functions of `NodeTables`."""

    compiled: np.ndarray
    functions: tuple[Callable[[NodeTables], float], ...] = ()

    def __len__(self) -> int:
        return len(self.compiled) + len(self.functions)


class BatchRunner:
    """A model whose tables receive other numbers for every run.

    ``paths`` are the parameters that vary. ``needs_start_from_python`` is True where the initial state has to be moved
    onto joints, or where pairs of shapes remember what was evaluated.
    """

    def __init__(self, problem: CompliantProblem, paths: Sequence[str], reductions: SeriesReductions):
        self.options = problem.options
        self.mechanism = mechanism = ModelEvaluator(problem.system, "simulate")
        self.tables = tables = mechanism.tables
        if tables.user_kernels:
            raise NotInPlace("functions of the user may depend on anything")
        self.changes = ChangedNumbers(tables, paths)
        self.reference_energy = reference_energy(problem.system)
        model_at_start = Snapshot(mutable_arrays(tables).values())
        y = start_state(mechanism, self.options)
        if mechanism.redundant:
            raise NotInPlace("constraints are redundant")
        model_at_start.restore()
        self.has_warm_starts = tables.model.n_warm_start > 0
        self.needs_start_from_python = mechanism.m > 0 or self.has_warm_starts
        stores_steps = problem.requested_times is None and (len(reductions) > 0 or self.has_warm_starts)
        if len(reductions) and problem.requested_times is not None:
            raise NotInPlace("output= selects the nodes of series")
        request = integration_request(
            mechanism, self.options, y, problem.stops, problem.jumps, RunOutput(), record_steps=stores_steps
        )
        self.method = RungeKutta(request)
        self.method.build_records()
        monitor = self.method.monitor
        tables.settings.locates_events = monitor.active and monitor.onset == EVENT
        self.evaluator = SystemNodeEvaluator(mechanism.copy())
        self.addresses = self.addresses_of(self.changes)
        self.reductions = reductions
        self.record = self.build_record()

    def addresses_of(self, changes: ChangedNumbers) -> np.ndarray:
        """Return the addresses of the numbers that change; compiled code begins with the state as it is written."""
        arrays = {name: numbers_at(self.tables, name) for name in {name for name, _ in changes.slots}}
        if not self.needs_start_from_python:
            arrays["y0"] = self.method.y
        return np.array([array_address(arrays[name]) + 8 * index for name, index in changes.slots], np.int64)

    def changing_arrays(self) -> list[np.ndarray]:
        """Return the arrays and records that a run changes."""
        method, constants = self.method, coefficient_arrays(self.method.tableau)
        records = (RUNGE_KUTTA, method.rk_record), (INTEGRATION, method.run_record), (TRIAL_STEP, method.trial_step)
        state = {name: array for name, array in method.checkpoint().items() if name != "contact log"}
        arrays = [array for name, array in method.arrays.items() if name not in constants]
        return [*state.values(), *arrays, *(kind.numbers(row) for kind, row in records)]

    def build_record(self) -> Row:
        """Return the record `ENSEMBLE` with the arrays that do not change from batch to batch."""
        run, tables = self.method.run_record, self.tables
        size, width = len(self.method.y), int(run.node_size)
        capacity = max(int(run.node_capacity), min(MAX_NODES, MAX_NODE_NUMBERS // width))
        if not len(self.reductions):
            capacity = int(run.node_capacity)
        self.node_t, self.node_y = np.zeros(capacity), np.zeros((capacity, width))
        run.node_t, run.node_y, run.node_capacity = array_address(self.node_t), array_address(self.node_y), capacity
        run.evaluation_budget = 1_000_000
        self.start = Snapshot(self.changing_arrays())
        compiled = np.ascontiguousarray(self.reductions.compiled)
        self.compiled_reductions = compiled
        saved = SAVED_ARRAY.zeros(len(self.start.saved))
        for row, (array, contents) in zip(saved, self.start.saved, strict=True):
            row["array"], row["contents"], row["count"] = array_address(array), array_address(contents), array.size
        self.saved = saved
        self.log = np.zeros((LOG_ROWS if self.method.monitor.active else 0, CONTACT_LOG_ROW.size))
        room = capacity if len(self.reductions) else 0
        self.tables_of_nodes = {
            "t": np.zeros(room), "y": np.zeros((room, size)), "stored": np.zeros((room, width - size)),
            "ydot": np.zeros((room, size)), "signals": np.zeros((room, tables.output.n_columns)),
            "energies": np.zeros((room, N_ENERGIES)),
        }  # fmt: skip
        self.nodes = nodes_record(self.evaluator.mechanism, self.tables_of_nodes)
        is_compiled = not self.needs_start_from_python
        record = ENSEMBLE.new(
            run=address_of_argument(run), start_kernel=run_start.start_run.address,
            chunk_kernel=rk_loop.run_chunk.address, evaluation_kernel=evaluate_nodes.address,
            n_saved=len(saved) if is_compiled else 0, n_written=len(self.addresses) if is_compiled else 0,
            log_capacity=len(self.log), node_capacity=capacity, nodes=address_of_argument(self.nodes),
            n_reductions=len(compiled), evaluates_nodes=len(self.reductions) > 0,
        )  # fmt: skip
        if self.method.monitor.active:
            record.log_open_kernel = contact_transitions.log_open_contacts.address
        arrays = {"saved": saved, "written": self.addresses, "log": self.log, "node_t": self.node_t,
                  "node_y": self.node_y, "reductions": compiled}  # fmt: skip
        ENSEMBLE.connect(record, arrays)
        return record

    @property
    def memory(self) -> int:
        """Memory of the buffers [byte]."""
        arrays = (self.node_t, self.node_y, self.log, *self.tables_of_nodes.values())
        return sum(array.nbytes for array in arrays)

    def numbers(self, values: Sequence[float]) -> list[float]:
        """Return the numbers of a run for the values of its parameters, and the reference energy [J] behind them."""
        numbers = self.changes.numbers(values)
        if not self.reductions.functions:
            return [*numbers, 0.0]
        if not self.changes.changes_laws_only:
            return [*numbers, reference_energy(self.mechanism.system, self.changes.changed)]
        return [*numbers, self.reference_energy]

    def run(self, numbers: np.ndarray) -> Batch:
        """Return the output of the runs for which the rows of ``numbers`` are those of `numbers`."""
        count = len(numbers)
        values = np.ascontiguousarray(numbers[:, :-1], float)
        results = RUN_RESULT.zeros(count)
        states, reduced = np.zeros((count, len(self.method.y))), np.zeros((count, len(self.compiled_reductions)))
        further = np.zeros((count, len(self.reductions.functions)))
        arrays = {"values": values, "results": results, "states": states, "reduced": reduced}
        ENSEMBLE.connect(self.record, arrays)
        self.record.n_done = self.record.is_begun = self.record.n_logged = 0
        logs: list[np.ndarray] = []
        one_by_one = self.needs_start_from_python or len(self.reductions.functions) > 0
        for end in range(1, count + 1) if one_by_one else (count,):
            self.record.n_runs = end
            if self.needs_start_from_python:
                try:
                    self.set_start(values[end - 1])
                except ModelError:
                    results["status"][end - 1] = OVERFLOW  # repeated alone, for the message
                    self.record.n_done = end
                    continue
            self.complete(logs)
            if self.reductions.functions and results["status"][end - 1] == FINISHED:
                nodes = self.node_tables(float(numbers[end - 1, -1]))
                try:
                    further[end - 1] = [function(nodes) for function in self.reductions.functions]
                except Exception:  # noqa: BLE001  (an error of the user's function: repeated alone, for the message)
                    results["status"][end - 1] = OVERFLOW
        log = np.concatenate([*logs, np.zeros((0, CONTACT_LOG_ROW.size))])
        return Batch(results, states, np.hstack([reduced, further]), log)

    def node_tables(self, reference: float) -> NodeTables:
        """Return the nodes of the last run, with the ``reference`` energy [J] of its system."""
        count = self.nodes.n_nodes
        y, ydot, signals, energies = (
            self.tables_of_nodes[name][:count] for name in ("y", "ydot", "signals", "energies")
        )
        return NodeTables(self.node_t[:count], y, ydot, signals, all_energies(self.tables, y, energies), reference)

    def set_start(self, numbers: np.ndarray) -> None:
        """Write the numbers of a run and move its initial state onto the joints."""
        self.start.restore()
        for address, value in zip(self.addresses.tolist(), numbers.tolist(), strict=True):
            ctypes.c_double.from_address(address).value = value
        y = start_state(self.mechanism, self.options)
        if self.mechanism.redundant:
            raise ModelError("constraints are redundant")
        if self.has_warm_starts:
            imbalance_of_contacts(self.mechanism, y)  # pairs of shapes remember these evaluations
            for name, array in mutable_arrays(self.evaluator.mechanism.tables).items():
                array[...] = mutable_arrays(self.tables)[name]
        self.tables.settings.locates_events = self.method.monitor.active and self.method.monitor.onset == EVENT
        self.method.y[:] = y

    def complete(self, logs: list[np.ndarray]) -> None:
        """Run the batch to its end, and prepare what compiled code asks for."""
        while True:
            status = int(run_batch.run_batch.call(self.record))
            if self.record.n_logged:
                logs.append(self.log[: self.record.n_logged].copy())
                self.record.n_logged = 0
            if status == INTERRUPTED:
                raise KeyboardInterrupt
            if status == NEEDS_IMPLICIT_STEPS:
                self.method.prepare_implicit_steps()
            elif status == NEEDS_PROJECTED_STAGES:
                self.method.enable_projected_stages()
            elif status == FINISHED:
                return

    def interrupt(self) -> None:
        """End the batch that runs in another thread."""
        self.record.is_interrupted = 1
