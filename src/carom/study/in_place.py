"""Runs of a study in which only numbers in the tables of one compiled model differ.

The parameters that vary are divided: those that are numbers in the tables are written there, run by run; runs that
differ in others have a model of their own. Before it is used, writing is compared with building the model anew.
"""

from __future__ import annotations

import queue
import threading
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from carom.compiled_model.changed_numbers import ChangedNumbers, NotInPlace
from carom.compiled_model.mutable_state import is_same_model, numbers_at
from carom.compiled_model.system_data import SystemData
from carom.errors import ModelError, suppress_warnings
from carom.model.parameter_path import parameter_path
from carom.model.system import System
from carom.result.outcome import Outcome
from carom.solve.compliant.problem import CompliantProblem
from carom.solve.ensemble.batch_runner import BatchRunner
from carom.solve.run import choose_method
from carom.solve.simulate import run_request
from carom.study.batch_measures import BatchMeasures
from carom.study.measures import AnyMeasure
from carom.study.study_model import StudyModel
from carom.study.sweep_result import SweepRow

MIN_RUNS = 4
"""Runs of one model from which writing into its tables is worth its preparation."""
COMPARED_POINTS = 3
"""Points at which written tables are compared with built ones."""
BATCH_RUNS = 256
"""Runs between two reports."""
NOT_IN_PLACE_OPTIONS = ("stream", "every", "progress")


@dataclass
class InPlaceModel:
    """A compiled model whose tables vary with ``names``, and the ``indices`` of its runs in the design."""

    problem: CompliantProblem
    names: tuple[str, ...]
    measures: BatchMeasures
    indices: list[int]

    def __post_init__(self) -> None:
        self._first: BatchRunner | None = self._new_runner()  # raises if the model cannot run in place

    def runner(self) -> BatchRunner:
        """Return a runner for one thread."""
        first, self._first = self._first, None
        return first or self._new_runner()

    def _new_runner(self) -> BatchRunner:
        with suppress_warnings():
            return BatchRunner(self.problem, self.names, self.measures.reductions)


@dataclass
class InPlacePlan:
    """Models that run in place, the indices of all ``other`` runs, and why parameters are not varied in place."""

    models: list[InPlaceModel] = field(default_factory=list)
    other: list[int] = field(default_factory=list)
    reasons: dict[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Study:
    """Model, measures and fixed values of a study, and the points of its runs."""

    model: StudyModel
    measures: Sequence[AnyMeasure]
    fixed: Mapping[str, Any]
    points: Sequence[Mapping[str, Any]]
    names: tuple[str, ...]


def plan_in_place(study: Study, indices: Sequence[int]) -> InPlacePlan:
    """Divide the runs; raise with the nearest names if a path in the model is unknown."""
    plan = InPlacePlan()
    check_paths(study, indices[0])
    names = numeric_paths(study, indices, plan.reasons)
    while names:
        models, other = [], []
        try:
            for group in groups_of(study, indices, names):
                model = None if len(group) < MIN_RUNS else in_place_model(study, group, names)
                if model is None:
                    other += group
                else:
                    models.append(model)
        except Mismatch as mismatch:
            plan.reasons |= mismatch.reasons
            names = tuple(name for name in names if name not in mismatch.reasons)
            continue
        except NotInPlace as reason:
            plan.reasons |= dict.fromkeys(names, str(reason))
            break
        plan.models, plan.other = models, other
        return plan
    plan.other = list(indices)
    return plan


def check_paths(study: Study, index: int) -> None:
    """Raise with the nearest names if a path in the model is unknown, before anything runs."""
    parameters, _, changes = study.model.split_values({**study.fixed, **study.points[index]})
    if not changes:
        return
    try:
        with suppress_warnings():
            system = study.model.build(parameters).system
    except (ModelError, ArithmeticError, TypeError, ValueError):  # the run has this error in its row
        return
    if isinstance(system, System):
        for path in changes:
            parameter_path(system, path)


class Mismatch(Exception):
    """Parameters whose written numbers differ from built ones, with the reasons."""

    def __init__(self, reasons: dict[str, str]):
        super().__init__()
        self.reasons = reasons


def numeric_paths(study: Study, indices: Sequence[int], reasons: dict[str, str]) -> tuple[str, ...]:
    """Return the names that are paths in the model and have numbers only; add the reasons of the others."""
    _, _, changes = study.model.split_values({**study.fixed, **study.points[indices[0]]})
    paths = []
    for name in study.names:
        if name not in changes:
            reasons[name] = "it is a parameter of the case or an option of the run, not a path in the model"
        elif all(is_number(study.points[index][name]) for index in indices):
            paths.append(name)
        else:
            reasons[name] = "its values are not all numbers"
    return tuple(paths)


def is_number(value: Any) -> bool:
    """Return True for a real number."""
    return isinstance(value, (int, float)) and not isinstance(value, bool)


def groups_of(study: Study, indices: Sequence[int], names: Sequence[str]) -> list[list[int]]:
    """Return the runs that differ in ``names`` only, group by group."""
    others = [name for name in study.names if name not in names]
    groups: dict[str, list[int]] = {}
    for index in indices:
        groups.setdefault(repr([study.points[index][name] for name in others]), []).append(index)
    return list(groups.values())


def in_place_model(study: Study, indices: list[int], names: tuple[str, ...]) -> InPlaceModel | None:
    """Return the model of the runs ``indices``; None if it cannot be built, so that each of them shows the error."""
    values = {**study.fixed, **study.points[indices[0]]}
    parameters, run_options, changes = study.model.split_values(values)
    others = {path: value for path, value in changes.items() if path not in names}
    try:
        with suppress_warnings():
            built = study.model.rewritten(parameters, others)
            options = {**built.options, **run_options}
    except (ModelError, ArithmeticError, TypeError, ValueError):
        return None
    if not isinstance(built.system, System):
        raise NotInPlace("generalised coordinates have no tables of elements")
    if built.system.inputs or built.system.outputs or built.system.controllers or built.system.sensors:
        raise NotInPlace("runs with inputs, outputs, controllers or sensors are simulated one by one")
    if any(options.get(name) is not None for name in NOT_IN_PLACE_OPTIONS) or "t_end" not in options:
        return None
    try:
        with suppress_warnings():
            method, request = choose_method(run_request(built.system, **options))
            if method != "runge-kutta":
                raise NotInPlace(f"the method {method!r} has no runs in place")
            problem = CompliantProblem(request)
    except ModelError:
        return None
    compare(study, built.system, indices, names)
    return InPlaceModel(problem, names, BatchMeasures(study.measures, problem), indices)


def compare(study: Study, system: System, indices: Sequence[int], names: tuple[str, ...]) -> None:
    """Compare written tables with built ones at some runs; raise `Mismatch` with the parameters that differ."""
    places = sorted({0, len(indices) // 2, len(indices) - 1})[:COMPARED_POINTS]
    for index in (indices[k] for k in places):
        if is_equal(study, system, index, names, names):
            continue
        reasons = {
            name: "more follows from it than numbers in the tables"
            for name in names
            if not is_equal(study, system, index, names, (name,))
        }
        raise Mismatch(reasons or dict.fromkeys(names, "together they change more than numbers in the tables"))


def is_equal(study: Study, system: System, index: int, names: Sequence[str], varied: tuple[str, ...]) -> bool:
    """Return True if the parameters ``varied`` of a run, written or built, give the same model or are both refused."""
    point = study.points[index]
    with suppress_warnings():
        written = SystemData(system)
        try:
            changes = ChangedNumbers(written, varied)
        except NotInPlace:
            return False
        numbers = values_or_none(changes, [point[name] for name in varied])
        if numbers is None:  # such a run is repeated alone
            return True
        for (name, place), number in zip(changes.slots, numbers, strict=True):
            numbers_at(written, name)[place] = number
        values = {**study.fixed, **point}
        parameters, _, paths = study.model.split_values(values)
        kept = {path: value for path, value in paths.items() if path in varied or path not in names}
        try:
            built = SystemData(study.model.rewritten(parameters, kept).system)
        except ModelError:
            return False
    return is_same_model(written, built)


def values_or_none(changes: ChangedNumbers | BatchRunner, values: Sequence[float]) -> list[float] | None:
    """Return the numbers of a run; None if a value is out of range or cannot be written."""
    try:
        return changes.numbers(values)
    except (ModelError, NotInPlace, ArithmeticError):
        return None


def run_batch(
    model: InPlaceModel, runner: BatchRunner, points: Sequence[Mapping[str, Any]], indices: Sequence[int]
) -> list[tuple[int, SweepRow | None]]:
    """Return the rows of some runs; None for those that are repeated alone."""
    numbers = [values_or_none(runner, [points[index][name] for name in model.names]) for index in indices]
    valid = [k for k, row in enumerate(numbers) if row is not None]
    rows: list[tuple[int, SweepRow | None]] = [(index, None) for index in indices]
    if not valid:
        return rows
    batch = runner.run(np.array([numbers[k] for k in valid], float).reshape(len(valid), -1))
    finished = batch.finished.tolist()
    for k, values, ok in zip(valid, model.measures.rows(batch), finished, strict=True):
        if ok:
            rows[k] = indices[k], SweepRow(values, Outcome.FINISHED.name)
    return rows


def run_in_place(
    model: InPlaceModel, points: Sequence[Mapping[str, Any]], threads: int
) -> Iterator[list[tuple[int, SweepRow | None]]]:
    """Yield the rows of the runs of a model, batch by batch; None for a run that is repeated alone."""
    size = max(1, min(BATCH_RUNS, -(-len(model.indices) // (4 * threads))))
    batches = iter([model.indices[k : k + size] for k in range(0, len(model.indices), size)])
    if threads == 1:
        runner = model.runner()
        for batch in batches:
            yield run_batch(model, runner, points, batch)
        return
    runners = [model.runner() for _ in range(min(threads, len(model.indices)))]
    finished: queue.SimpleQueue[Any] = queue.SimpleQueue()
    lock, is_ended = threading.Lock(), threading.Event()

    def work(runner: BatchRunner) -> None:
        try:
            while not is_ended.is_set():
                with lock:
                    batch = next(batches, None)
                if batch is None:
                    break
                finished.put(run_batch(model, runner, points, batch))
        except BaseException as error:  # noqa: BLE001  (raised again in the main thread)
            finished.put(error)
        finished.put(None)

    workers = [threading.Thread(target=work, args=(runner,), daemon=True) for runner in runners]
    try:
        for worker in workers:
            worker.start()
        n_working = len(workers)
        while n_working:
            output = finished.get()
            if isinstance(output, BaseException):
                raise output
            if output is None:
                n_working -= 1
            else:
                yield output
    finally:
        is_ended.set()
        for runner in runners:
            runner.interrupt()
        for worker in workers:
            worker.join()
