"""Ensembles: many runs of one model, in compiled code on all cores where only numbers in its tables differ."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from carom.argument_checks import integer, is_list, positive, short_repr
from carom.errors import ModelError, suppress_warnings, warn
from carom.kernels.threads import thread_count
from carom.result.result import Result
from carom.solve.many_body.memory import available_memory, size_text
from carom.study.measures import as_measures
from carom.study.sampling_design import Design, sampling_design
from carom.study.study_model import StudyModelLike, as_study_model
from carom.study.study_runs import StudyRuns, SweepTask
from carom.study.sweep import check_names, finish_study, run_study
from carom.study.sweep_result import SweepResult, SweepRow

MAX_THREADS = 1024
"""Largest number of threads."""
BYTES_PER_RUN, BYTES_PER_VALUE = 800, 70
"""Memory of a row without its values, and of a value; 790 and 62 were measured with 10⁵ runs."""
BYTES_PER_KEPT_RESULT = 2_000_000
"""Memory of a full result with a thousand nodes."""

Keep = Sequence[int] | Callable[[Mapping[str, Any]], bool]
"""Indices of runs, or a function of a row that selects runs."""


class EnsembleResult(SweepResult):
    """Rows of an ensemble in the order of its points, as in a `SweepResult`, and full results of chosen runs.

    ``results`` are the kept results by index; ``run`` computes that of any run. ``rebuilt`` contains the parameters
    that could not be varied in the tables of one compiled model, with the reason; runs that differ in them have been
    built anew.

    Examples
    --------
    >>> import carom as cm
    >>> case = cm.gallery.two_spheres(law="flores")
    >>> runs = cm.ensemble(case, {"touch.law.restitution": (0.5, 0.9)}, "left.vx.final", samples=8, method="sobol")
    >>> runs.complete, runs.rebuilt
    (True, {})
    """

    def __init__(self, runs: StudyRuns, rows: Mapping[int, SweepRow]):
        design = runs.design
        super().__init__(runs.task.model.name, design, [rows.get(index) for index in range(len(design.points))])
        self.rebuilt: dict[str, str] = dict(runs.plan.reasons)
        self.results: dict[int, Result] = {}
        self._task = runs.task

    def run(self, index: int) -> Result:
        """Return the full result of a run; it is computed again unless it was kept.

        Examples
        --------
        >>> import carom as cm
        >>> case = cm.gallery.two_spheres(law="flores")
        >>> runs = cm.ensemble(case, {"touch.law.restitution": [0.5, 0.7]}, "left.vx.final")
        >>> bool(runs.run(1)["left"].vx[-1] == runs["left.vx.final"][1])
        True
        """
        index = integer("run", "index", index, 0, len(self) - 1)
        if index not in self.results:
            with suppress_warnings():
                values = {**self._task.fixed, **self.design.points[index]}
                return self._task.model.run(values, progress=False)
        return self.results[index]


def ensemble(
    case: StudyModelLike,
    parameters: Mapping[str, Any],
    measures: str | Callable[..., Any] | Sequence[Any] | None = None,
    *,
    t_end: float | None = None,
    threads: int | None = None,
    samples: int | None = None,
    method: str | None = None,
    seed: int | None = 0,
    keep: Keep = (),
    out: str | os.PathLike[str] | None = None,
    progress: bool | Callable[[float], Any] | None = None,
    **values: Any,
) -> EnsembleResult:
    """Run ``case`` with many values of its parameters, in compiled code and on all cores; return measures of each run.

    The model is compiled once. Every run writes the numbers that follow from its values into the tables of the model,
    and has the bits of a single run of `simulate`, for any number of threads. All numbers of bodies, laws, joints,
    forces, shapes and gravity can vary in this way, named by their path; parameters of a gallery case, run options and
    numbers from which more follows are built anew for each of their values (`EnsembleResult.rebuilt`).

    Parameters
    ----------
    case
        a system, a gallery case, its name, a model file, or a function that returns one.
    parameters
        a list of values by name, such as "touch.law.restitution", "crank.angular_velocity" or
        "ball.velocity.y"; for samples, ranges ``(low, high)`` or distributions, as in `sweep`.
    measures
        texts such as "impacts.count", "touch.normal_force.max", "block.vx.final" (`carom.study.measures`), or
        a `carom.study.SeriesMeasure`, which is a compiled function of series; or functions of a result, which need that
        result, computed run by run.
    t_end
        end time of the runs [s]; a case has its own.
    threads
        number of threads (default: all cores).
    samples
        number of points.
    method
        design of the points, as in `sweep`: "grid", "list", "latin", "sobol", "random".
    seed
        seed of the design.
    keep
        indices of the runs whose full results are returned, or a function that selects a run by its row.
    out
        folder or file .jsonl in which every run is stored; repeating the call resumes an interrupted ensemble.
    values
        parameters, run options (``rtol``, ``integrator`` …) and paths in the model that apply to all runs.

    A run that fails, or whose values are out of range, is a row with its outcome or error. Ctrl-C returns the finished
    runs. The memory of the rows is estimated first; an ensemble that does not fit raises an error.

    Examples
    --------
    >>> import carom as cm
    >>> case = cm.gallery.two_spheres(law="flores")
    >>> ranges = {"touch.law.restitution": (0.3, 0.9), "left.velocity.x": (0.1, 0.2)}
    >>> runs = cm.ensemble(case, ranges, ["impacts.peak_force.max", "left.vx.final"], samples=64, method="sobol")
    >>> len(runs), runs.failures
    (64, {})
    >>> bool((runs["impacts.peak_force.max"] > 200.0).all())
    True
    """
    model, chosen = as_study_model(case), as_measures(measures)
    if t_end is not None:
        values["t_end"] = positive("ensemble", "t_end", t_end)
    design = sampling_design(parameters, samples, method, seed)
    check_names(model, design, values)
    count = thread_count() if threads is None else integer("ensemble", "threads", threads, 1, MAX_THREADS)
    check_keep(keep, len(design.points))
    memory = memory_of_rows(design, len(chosen), 0 if callable(keep) else len(list(keep)))
    runs = StudyRuns(SweepTask(model, chosen, dict(values)), design, threads=count)
    rows = run_study("ensemble", runs, out, progress, f" [{size_text(memory)}]")
    result = EnsembleResult(runs, rows)
    finish_study("ensemble", result, out)
    for index in kept_runs(result, keep):
        result.results[index] = result.run(index)
    return result


def check_keep(keep: Any, count: int) -> None:
    """Raise unless ``keep`` is a function or a list of indices of runs."""
    if callable(keep):
        return
    if not is_list(keep):
        raise ModelError(f"ensemble: keep must be indices of runs or a function of a row, got {short_repr(keep)}")
    for index in keep:
        integer("ensemble", "keep", index, 0, count - 1)


def kept_runs(result: EnsembleResult, keep: Keep) -> Iterable[int]:
    """Return the indices of the runs to keep, of those that did not raise an error."""
    chosen = [index for index, row in enumerate(result.rows()) if keep(row)] if callable(keep) else list(keep)
    failed = [index for index in chosen if index in result.failures]
    if failed:
        warn(f"ensemble: {len(failed)} runs to keep have no result; run {failed[0]}: {result.failures[failed[0]]}")
    return [index for index in chosen if result.records[index] is not None and index not in result.failures]


def memory_of_rows(design: Design, n_measures: int, n_kept: int) -> int:
    """Return the estimated memory of the rows and kept results [byte]; raise if it is not available."""
    n_values = len(design.names) + n_measures
    memory = len(design.points) * (BYTES_PER_RUN + BYTES_PER_VALUE * n_values) + BYTES_PER_KEPT_RESULT * n_kept
    available = available_memory()
    if available is not None and memory > available:
        raise ModelError(
            f"ensemble: {len(design.points)} runs need about {size_text(memory)}, but {size_text(available)} are "
            "available; run it in parts, or keep fewer results"
        )
    return memory
