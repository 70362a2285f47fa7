"""Neighbouring compliant runs of one compiled model, whose tables receive the numbers of another parameter value."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from carom.compiled_model.changed_numbers import LAWS, ChangedNumbers, NotInPlace
from carom.compiled_model.mutable_state import is_same_model, mutable_arrays, numbers_at
from carom.compiled_model.system_data import SystemData
from carom.errors import ModelError
from carom.model.contact import Contact
from carom.model.parameter_path import parameter_path
from carom.model.system import System
from carom.result.outcome import Outcome
from carom.result.result import Result
from carom.solve.compliant import run_start
from carom.solve.compliant.chattering import ChatterDetector
from carom.solve.compliant.integration_request import IntegrationRequest
from carom.solve.compliant.problem import imbalance_of_contacts, integration_request, start_state
from carom.solve.compliant.records import NOT_FINITE
from carom.solve.model_evaluator import ModelEvaluator
from carom.solve.node_batches import Snapshot, result_of
from carom.solve.options import Compliant
from carom.solve.postprocessing import SystemNodeEvaluator
from carom.solve.run_output import RunOutput
from carom.solve.sensitivity.recorded_run import Neighbour, RecordedRun
from carom.solve.sensitivity.step_tape import ReplayingRungeKutta, StepTape


class InPlaceReplay(ReplayingRungeKutta):
    """A replay that begins again and again with the records of the first time."""

    def __init__(self, request: IntegrationRequest, tape: StepTape):
        super().__init__(request, tape, None)
        self.recorded = tape.recorded
        self.build_records()
        self.connect_tape()
        self.blank = Snapshot(self.changing_arrays())

    def begin(self, y: np.ndarray, stretch: np.ndarray | None, output: RunOutput) -> None:
        """Set the initial state and the expected lengths of the steps; the arrays are as when they were built."""
        self.y[:], self.output = y, output
        self.steps[:] = self.recorded
        if stretch is not None:
            self.steps["h"] *= 1.0 + stretch
        self.tape.position, self.most = 0, output.capacity
        self.finished, self.implicit, self.buffer = False, None, None

    def prepare(self) -> None:
        """Start the contacts, store the first node and evaluate the first state."""
        self.monitor.start(self.y)
        self.output.add(np.array([self.request.start]), self.monitor.row(self.y))
        if run_start.start_run.call(self.run_record) == NOT_FINITE:
            self.finished = True
        self.chatter = ChatterDetector(self.mechanism, self.t, float(self.request.stops[-1]))


@dataclass
class InPlaceNeighbour(Neighbour):
    """A neighbouring run; the tables of the ``evaluator`` have its numbers while they are ``written``."""

    evaluator: SystemNodeEvaluator
    written: Callable[[], AbstractContextManager[None]]

    def result_at(self, t: np.ndarray, nodes: np.ndarray, stats: dict[str, Any]) -> Result:
        """Return the result of some nodes with the parameters of this run."""
        with self.written():
            batch = self.evaluator.evaluate(t, nodes)
        settings = self.problem.settings
        return result_of(self.evaluator.metadata, batch, stats, Outcome.FINISHED, "", settings, self.impacts)


class InPlaceRuns:
    """One compiled model for the neighbouring runs of a recorded run; raise `NotInPlace` if it cannot serve."""

    def __init__(self, run: RecordedRun):
        system, options = run.request.system, run.request.options
        assert isinstance(system, System)
        assert isinstance(options, Compliant)
        self.run, self.system, self.options = run, system, options
        self.mechanism = mechanism = ModelEvaluator(system, "simulate")
        self.tables = tables = mechanism.tables
        if tables.user_kernels:
            raise NotInPlace("functions of the user may depend on anything")
        before = Snapshot(mutable_arrays(tables).values())
        y = start_state(mechanism, options)
        if mechanism.redundant:
            raise NotInPlace("constraints are redundant")
        before.restore()
        problem = run.problem
        replayed = integration_request(
            mechanism, options, y, problem.stops, problem.jumps, RunOutput(problem.requested_times),
            record_steps=problem.requested_times is None,
        )  # fmt: skip
        self.method = InPlaceReplay(replayed, run.method.tape)
        self.evaluator = SystemNodeEvaluator(mechanism.copy())  # with the same constants
        self.fresh = Snapshot(self.evaluator.mutable_arrays().values())

    def write(self, changes: ChangedNumbers, numbers: Sequence[float]) -> None:
        """Write numbers into the tables."""
        for (name, place), number in zip(changes.slots, numbers, strict=True):
            numbers_at(self.tables, name)[place] = number

    @contextmanager
    def written(self, changes: ChangedNumbers, numbers: Sequence[float]) -> Iterator[None]:
        """Let the tables have other numbers for a while, beginning with the arrays of a new model."""
        own = [float(numbers_at(self.tables, name)[place]) for name, place in changes.slots]
        self.write(changes, numbers)
        self.method.blank.restore()
        self.fresh.restore()
        try:
            yield
        finally:
            self.write(changes, own)

    def neighbour(self, changes: ChangedNumbers, value: float, stretch: np.ndarray | None) -> Neighbour:
        """Return the run with another value of a parameter; see `RecordedRun.neighbour`."""
        run, mechanism = self.run, self.mechanism
        numbers = changes.numbers([value])
        with self.written(changes, numbers):
            y = start_state(mechanism, self.options)
            if mechanism.redundant:
                raise NotInPlace("constraints are redundant")
            if self.tables.model.n_warm_start:
                imbalance_of_contacts(mechanism, y)  # pairs of shapes remember these evaluations
            output = RunOutput(run.problem.requested_times)
            self.method.begin(y, stretch, output)
            repeated = run.repeated(self.method, output, run.problem)
        return InPlaceNeighbour(
            **vars(repeated), evaluator=self.evaluator, written=partial(self.written, changes, numbers)
        )

    def changes_of(self, path: str) -> ChangedNumbers:
        """Return the numbers that change with a parameter; raise `NotInPlace` if more follows from it."""
        place = parameter_path(self.system, path)
        if place is None:
            raise NotInPlace(f"{path} is not a number of a body or element")
        if isinstance(place.owner, Contact) and place.keys[0] not in LAWS:
            raise NotInPlace(f"{path}: signals depend on the shapes")
        if self.tables.kind.n_orientation and (place.owner in self.tables.joints or place.keys[0] == "inertia"):
            raise NotInPlace(f"{path}: angles depend on axes")
        return ChangedNumbers(self.tables, [path])

    def is_exact(self, changes: ChangedNumbers, value: float, system: Any) -> bool:
        """Return True if the written tables are those that are built for the ``system`` with this value."""
        with self.written(changes, changes.numbers([value])):
            return is_same_model(self.tables, SystemData(system))


class InPlaceNeighbours:
    """Neighbours of a recorded run with other values of the parameter at ``path``."""

    def __init__(self, runs: InPlaceRuns, path: str, system_with: Callable[[float], Any], trial: float):
        self.runs, self.changes = runs, runs.changes_of(path)
        try:
            if not runs.is_exact(self.changes, trial, system_with(trial)):
                raise NotInPlace(f"{path}: more follows from it than numbers in the tables")
        except ModelError as error:
            raise NotInPlace(str(error)) from None

    def check(self, value: float) -> None:
        """Raise `ModelError` if the parameter cannot have this value."""
        self.changes.numbers([value])

    def at(self, value: float, stretch: np.ndarray | None) -> Neighbour:
        """Return the neighbouring run with this value."""
        return self.runs.neighbour(self.changes, value, stretch)
