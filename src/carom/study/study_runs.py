"""Runs of a study: in compiled code where only numbers of one model differ, else one by one by an executor."""

from __future__ import annotations

from collections.abc import Generator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from carom.errors import ModelError, suppress_warnings
from carom.kernels.threads import thread_count
from carom.result.outcome import Outcome
from carom.result.series_paths import MeasureError
from carom.study import executors
from carom.study.in_place import InPlacePlan, Study, plan_in_place, run_in_place
from carom.study.measures import AnyMeasure
from carom.study.sampling_design import Design
from carom.study.study_model import StudyModel
from carom.study.sweep_result import SweepRow

INVALID_MEASURE = "invalid measure"
"""Key of the error message that a task returns for a measure which does not fit the result."""
FEW_RUNS = 16
"""Number of runs up to which starting processes takes longer than the runs."""
PARTS_PER_WORKER = 4
"""Ensembles per worker of a cluster."""

Rows = list[tuple[int, SweepRow]]


@dataclass(frozen=True)
class SweepTask:
    """Task that runs a model once and evaluates the measures; it can run in any process."""

    model: StudyModel
    measures: tuple[AnyMeasure, ...]
    fixed: Mapping[str, Any]

    def __call__(self, point: Mapping[str, Any]) -> dict[str, Any]:
        """Return the measures and the outcome of the run at a point of the design."""
        values = {**self.fixed, **point}
        with suppress_warnings():
            result = self.model.run(values, progress=False)
        if result.outcome is Outcome.INTERRUPTED:
            raise KeyboardInterrupt
        try:
            measured = {measure.name: measure(result, values) for measure in self.measures}
        except MeasureError as error:
            return {INVALID_MEASURE: str(error)}
        return {"values": measured, "outcome": result.outcome.name}


@dataclass(frozen=True)
class EnsembleTask:
    """Task that runs many points in compiled code, on a worker of a cluster."""

    task: SweepTask
    names: tuple[str, ...]

    def __call__(self, points: Sequence[Mapping[str, Any]]) -> list[SweepRow]:
        """Return the rows of the points."""
        design = Design(self.names, tuple(dict(point) for point in points))
        runs = StudyRuns(self.task, design, "serial")
        rows = dict(item for found in runs.rows(range(len(points))) for item in found)
        return [rows[index] for index in range(len(points))]


class StudyRuns:
    """Runs of a design. ``executor`` is as in `sweep`; ``threads`` take its place for runs in compiled code."""

    def __init__(self, task: SweepTask, design: Design, executor: Any = None, threads: int | None = None):
        self.task, self.design, self.executor = task, design, executor
        self.threads = threads
        self.plan = InPlacePlan()

    def prepare(self, indices: Sequence[int]) -> None:
        """Find out which runs differ in numbers of one model only."""
        task = self.task
        study = Study(task.model, task.measures, task.fixed, self.design.points, self.design.names)
        self.plan = plan_in_place(study, indices)

    def rows(self, indices: Sequence[int]) -> Generator[Rows, None, None]:
        """Run the points with these indices and yield their rows as they finish."""
        if not indices:
            return
        threads = self.n_threads
        pool = executors.executor("serial" if threads is not None else self.executor)
        if threads is None and not pool.runs_ensembles:
            yield from self.single_rows(indices)
            return
        self.prepare(indices)
        other = list(self.plan.other)
        for model in self.plan.models:
            if threads is None:
                yield from self.rows_of_cluster(pool, model.indices)
                continue
            with suppress_warnings():
                for found in run_in_place(model, self.design.points, threads):
                    other += [index for index, row in found if row is None]
                    yield [(index, row) for index, row in found if row is not None]
        if pool is not self.executor:
            pool.close()
        yield from self.single_rows(sorted(other))

    @property
    def n_threads(self) -> int | None:
        """Number of threads of runs in compiled code; None where the workers of a cluster run them."""
        if self.threads is not None:
            return self.threads
        if self.executor is None or self.executor == "processes":
            return thread_count()
        if self.executor == "serial":
            return 1
        return self.executor if isinstance(self.executor, int) and not isinstance(self.executor, bool) else None

    def rows_of_cluster(self, pool: executors.Executor, indices: Sequence[int]) -> Generator[Rows, None, None]:
        """Run points in compiled code on the workers of a cluster; each of them runs an ensemble."""
        count = -(-len(indices) // (PARTS_PER_WORKER * pool.n_workers))
        parts = [indices[k : k + count] for k in range(0, len(indices), count)]
        tasks = [[self.design.points[index] for index in part] for part in parts]
        for k, outcome in pool.map(EnsembleTask(self.task, self.design.names), tasks):
            rows = outcome.value if outcome.ok else [SweepRow(error=outcome.error)] * len(parts[k])
            yield list(zip(parts[k], rows, strict=True))

    def single_rows(self, indices: Sequence[int]) -> Generator[Rows, None, None]:
        """Run points one by one; yield their rows as they finish."""
        if not indices:
            return
        is_short = bool(self.plan.models) and len(indices) <= FEW_RUNS
        chosen = "serial" if self.threads == 1 or is_short else self.executor
        pool = executors.executor(chosen)
        try:
            for k, outcome in pool.map(self.task, [self.design.points[index] for index in indices]):
                if outcome.ok and INVALID_MEASURE in outcome.value:
                    raise ModelError(outcome.value[INVALID_MEASURE])
                row = (
                    SweepRow(outcome.value["values"], outcome.value["outcome"])
                    if outcome.ok
                    else SweepRow(error=outcome.error)
                )
                yield [(indices[k], row)]
        finally:
            if pool is not self.executor:
                pool.close()
