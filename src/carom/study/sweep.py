"""Parameter sweeps: runs with many values, evaluated by measures and stored on disk as they finish."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from contextlib import closing, nullcontext
from pathlib import Path
from typing import Any

from carom.errors import ModelError, warn
from carom.progress import Progress
from carom.study.fingerprint import carom_version, digest, fingerprint
from carom.study.measures import Measure, as_measures
from carom.study.sampling_design import Design, sampling_design
from carom.study.series_measure import SeriesMeasure
from carom.study.study_model import StudyModel, StudyModelLike, as_study_model
from carom.study.study_runs import StudyRuns, SweepTask
from carom.study.sweep_journal import SweepJournal
from carom.study.sweep_result import SweepResult, SweepRow

JOURNAL, TABLE = "runs.jsonl", "table.csv"
"""Files in the output folder: the journal of finished runs, and the table of a complete sweep."""
PROGRESS_TEXT = "{task.completed:.0f} of {task.total:.0f} runs"
INVALID_MEASURE = "invalid measure"
"""Key of the error message that a task returns for a measure which does not fit the result."""


def sweep(
    case: StudyModelLike,
    parameters: Mapping[str, Any],
    measure: str | Callable[..., Any] | Sequence[Any] | None = None,
    *,
    samples: int | None = None,
    method: str | None = None,
    seed: int | None = 0,
    out: str | os.PathLike[str] | None = None,
    executor: Any = None,
    progress: bool | Callable[[float], Any] | None = None,
    **values: Any,
) -> SweepResult:
    """Run ``case`` with all combinations or with samples of ``parameters``, and evaluate measures of each run.

    Parameters
    ----------
    case
        a gallery case, a model file, a system, or a function that returns one (`carom.study.study_model`).
    parameters
        a list of values by name; a name is a parameter of the case, a run option, or a path in the model such
        as "touch.law.restitution". For samples: a range ``(low, high)``, `Uniform`, `LogUniform`, `Normal`, or a
        distribution of ``scipy.stats``.
    measure
        what is evaluated for each run: texts such as "touch.normal_force.max" or "impacts.count"
        (`carom.study.measures`), or functions of the result that return a number, an array or a mapping.
    method
        "grid" (all combinations), "list" (corresponding values of the lists), or "latin", "sobol", "random" with
        ``samples`` points, which are equal for equal ``seed``.
    out
        folder or file .jsonl in which every finished run is stored. Repeating the call resumes an interrupted sweep;
        a file of another sweep raises an error.
    executor
        "processes" (default), a number of processes, "serial", the address of a Dask scheduler, or its Client.
    values
        parameters, run options and paths in the model that apply to all runs.

    A failed run has its error in the table and does not stop the others. Ctrl-C returns the finished runs.

    Examples
    --------
    >>> import carom as cm
    >>> table = cm.sweep("falling_ball", {"height": [0.5, 1.0]}, "impacts.count", executor="serial")
    >>> table["impacts.count"].tolist()
    [2, 1]
    """
    model, measures = as_study_model(case), as_measures(measure)
    design = sampling_design(parameters, samples, method, seed)
    check_names(model, design, values)
    runs = StudyRuns(SweepTask(model, measures, dict(values)), design, executor)
    rows = run_study("sweep", runs, out, progress)
    result = SweepResult(model.name, design, [rows.get(index) for index in range(len(design.points))])
    finish_study("sweep", result, out)
    return result


def run_study(
    kind: str,
    runs: StudyRuns,
    out: str | os.PathLike[str] | None,
    progress: bool | Callable[[float], Any] | None,
    remark: str = "",
) -> dict[int, SweepRow]:
    """Run the points of a study that its journal does not contain; return the rows by index, without missing ones.

    ``remark`` is shown beside the progress.
    """
    rows: dict[int, SweepRow] = {}
    design, name = runs.design, runs.task.model.name
    n_points = len(design.points)
    with open_journal(out, runs.task, design) as journal:
        for line in journal.lines if journal else ():
            row, index = SweepRow.from_line(line), line.get("run")
            if row is not None and isinstance(index, int):
                rows[index] = row
        missing = [index for index in range(n_points) if index not in rows]
        with Progress(f"{kind} of {name}{remark}", n_points, progress, PROGRESS_TEXT) as bar:
            try:
                with closing(runs.rows(missing)) as batches:
                    for found in batches:
                        for index, row in found:
                            if journal:
                                journal.add(row.to_line(index, design.points[index]))
                            rows[index] = row
                        bar(len(rows))
            except KeyboardInterrupt:
                hint = f"; repeat the call to resume it ({out})" if journal else ""
                warn(f"{kind}: interrupted after {len(rows)} of {n_points} runs{hint}")
    return rows


def finish_study(kind: str, result: SweepResult, out: str | os.PathLike[str] | None) -> None:
    """Write the table of a complete study; warn of parameters without effect."""
    if out is not None and not is_file(out) and result.complete:
        result.to_csv(Path(out) / TABLE)
    rows = {index: row for index, row in enumerate(result.records) if row is not None}
    for name in parameters_without_effect(result.design, rows):
        warn(
            f"{kind}: {name} has no effect on {', '.join(result.measures)}; check that the model of {result.name} uses "
            "it, and that the runs are long enough"
        )


def parameters_without_effect(design: Design, rows: Mapping[int, SweepRow]) -> list[str]:
    """Return the parameters that change no measure between any runs that differ only in this parameter.

    Samples differ in all parameters, so that they allow a conclusion only if all measures are equal.
    """
    if n_distinct_columns(design) > 1 and has_differences(rows):
        return []  # no two runs differ in one parameter only
    measured = {index: repr(row.values) for index, row in rows.items() if row.error is None}
    all_equal = len(set(measured.values())) == 1
    points = {index: tuple(map(repr, design.points[index].values())) for index in measured}
    names = []
    for k, name in enumerate(design.names):
        groups: dict[tuple[str, ...], list[int]] = {}
        for index, point in points.items():
            groups.setdefault(() if all_equal else (*point[:k], *point[k + 1 :]), []).append(index)
        varied = [group for group in groups.values() if len({points[i][k] for i in group}) > 1]
        if varied and all(len({measured[i] for i in group}) == 1 for group in varied):
            names.append(name)
    return names


def n_distinct_columns(design: Design) -> int:
    """Return the number of parameters that have another value in every run."""
    if design.axes is not None:
        return 0
    columns = [[point[name] for point in design.points] for name in design.names]
    numbers = [column for column in columns if all(isinstance(value, (int, float)) for value in column)]
    return sum(len(set(column)) == len(column) for column in numbers)


def has_differences(rows: Mapping[int, SweepRow]) -> bool:
    """Return True if two runs without an error have different measures."""
    values = [row.values for row in rows.values() if row.error is None]
    return any(repr(other) != repr(values[0]) for other in values[1:])


def check_names(model: StudyModel, design: Design, values: Mapping[str, Any]) -> None:
    """Raise if a name is unknown, or both fixed and varied, before anything runs."""
    model.split_values({**values, **design.points[0]})
    both = sorted(set(values) & set(design.names))
    if both:
        raise ModelError(f"sweep: {', '.join(both)} cannot be both fixed and varied")


def is_file(out: str | os.PathLike[str]) -> bool:
    """Return True if ``out`` names a journal file, not a folder."""
    return Path(out).suffix == ".jsonl"


def open_journal(out: str | os.PathLike[str] | None, task: SweepTask, design: Design) -> Any:
    """Return the journal of a sweep, or an empty context if ``out`` is None."""
    if out is None:
        return nullcontext()
    header = {
        "case": task.model.fingerprint(),
        "parameters": [list(design.names), len(design.points), digest(fingerprint(design.points))],
        "measures": [
            measure.name if isinstance(measure, Measure)
            else [fingerprint(measure.function), *measure.series] if isinstance(measure, SeriesMeasure)
            else fingerprint(measure.function)
            for measure in task.measures
        ],
        "options": fingerprint(task.fixed),
        "version": carom_version(),
    }  # fmt: skip
    return SweepJournal(Path(out) if is_file(out) else Path(out) / JOURNAL, header)
