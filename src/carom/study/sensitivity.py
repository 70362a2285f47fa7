"""Global sensitivity analysis: Morris screening and Sobol indices, sampled and analysed by SALib."""

from __future__ import annotations

import importlib.util
import math
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from carom.argument_checks import integer, one_of, short_repr
from carom.errors import ModelError, suppress_warnings, warn
from carom.progress import Progress
from carom.result.export import import_optional
from carom.result.outcome import Outcome
from carom.short_form import ShortRepr
from carom.study import executors
from carom.study.fitting.parameters import FitParameter, fit_parameters
from carom.study.measures import as_measures
from carom.study.sampling_design import MAX_POINTS, MAX_SEED, Design
from carom.study.study_model import StudyModel, StudyModelLike, as_study_model
from carom.study.study_runs import StudyRuns, SweepTask

if TYPE_CHECKING:
    import pandas
    from matplotlib.figure import Figure

METHODS = {"morris": ("mu_star", "mu_star_conf", "mu", "sigma"), "sobol": ("ST", "ST_conf", "S1", "S1_conf")}
"""Columns of the table of each method."""
DEFAULT_TRAJECTORIES, DEFAULT_BASE_POINTS = 20, 128
"""Default number of samples: trajectories of Morris, base points of Sobol."""
MORRIS_LEVELS = 4
"""Number of levels of the grid in Morris's method."""
PROGRESS_TEXT = "{task.completed:.0f} of {task.total:.0f} runs"
SEED_FOR_ZERO = 2**31 - 1
"""Seed of the Sobol intervals for ``seed=0``."""
MIN_SAMPLES = 4
"""Smallest number of trajectories or base points without failed runs."""


@dataclass(frozen=True)
class SensitivityTask:
    """Task that runs a model once and evaluates its measure; it can run in any process."""

    model: StudyModel | None
    measure: Any
    fixed: Mapping[str, Any]

    def __call__(self, point: Mapping[str, Any]) -> float:
        """Return the measure at a point; without a model the measure is a function of the parameters."""
        if self.model is None:
            return float(self.measure(**{**self.fixed, **point}))
        with suppress_warnings():
            result = self.model.run({**self.fixed, **point}, progress=False)
        if not result.outcome.ok:
            raise RuntimeError(result.message)
        return self.number(self.measure(result, {**self.fixed, **point}))

    def checked(self, run: tuple[str, Any, Mapping[str, Any]]) -> float:
        """Return the measure of a run from its outcome, measure and point; a failed run is repeated for its message."""
        outcome, value, point = run
        return self.number(value) if Outcome[outcome].ok else self(point)

    def number(self, value: Any) -> float:
        """Return a measure, which must be a finite number."""
        if isinstance(value, bool) or not isinstance(value, (int, float)) or not math.isfinite(value):
            raise ValueError(f"{self.measure.name} must be a finite number, got {short_repr(value)}")
        return float(value)


@dataclass(frozen=True, repr=False)
class Sensitivity(ShortRepr):
    """Sensitivity of a measure to each parameter in ``table``; ``points`` and ``values`` are the runs (NaN: failed).

    "morris": ``mu_star`` is the mean magnitude of the change of the measure over the range of the parameter, ``mu`` the
    mean change with its sign, ``sigma`` its standard deviation, which is large for interactions and nonlinear effects.
    "sobol": ``S1`` is the fraction of the variance caused by the parameter alone (first order), ``ST`` by the parameter
    and its interactions (total). ``…_conf`` are half-widths of 95 % intervals.
    """

    name: str
    measure: str
    method: str
    parameters: tuple[str, ...]
    table: dict[str, list[Any]]
    points: np.ndarray
    values: np.ndarray
    failures: dict[int, str]

    @property
    def ranking(self) -> list[str]:
        """Parameters in order of importance."""
        importance = self.table[METHODS[self.method][0]]
        return [self.parameters[k] for k in np.argsort(importance)[::-1]]

    def __getitem__(self, name: str) -> dict[str, float]:
        """Return the sensitivity indices of one parameter."""
        if name not in self.parameters:
            raise ModelError(f"sensitivity: unknown parameter {name!r}; choose from {', '.join(self.parameters)}")
        k = self.parameters.index(name)
        return {key: column[k] for key, column in self.table.items() if key != "parameter"}

    def to_dataframe(self) -> pandas.DataFrame:
        """Return the table as a DataFrame."""
        return import_optional("pandas").DataFrame(self.table).set_index("parameter")

    def to_dict(self) -> dict[str, Any]:
        """Return the table, the ranking and the failures as built-in types."""
        return {
            "subject": self.name, "measure": self.measure, "method": self.method, "table": self.table,
            "ranking": self.ranking, "runs": len(self.values),
            "failures": {str(index): error for index, error in self.failures.items()},
        }  # fmt: skip

    def plot(self, **page: Any) -> Figure:
        """Plot bars of the indices; for Morris also standard deviation over mean change."""
        from carom.study.figures import plot_sensitivity

        return plot_sensitivity(self, **page)

    def __str__(self) -> str:
        from carom.study.sweep_result import align_columns

        names = METHODS[self.method]
        rows = [[name, *(f"{self[name][key]:.4g}" for key in names)] for name in self.ranking]
        failed = f", {len(self.failures)} failed" if self.failures else ""
        foot = f"{self.measure} of {self.name}: {len(self.values)} runs{failed}"
        return "\n".join([*align_columns([["parameter", *names], *rows]), foot])


def sensitivity(
    case: StudyModelLike,
    parameters: Mapping[str, Any],
    measure: Any = None,
    *,
    method: str = "sobol",
    samples: int | None = None,
    seed: int = 0,
    executor: Any = None,
    progress: Any = None,
    **values: Any,
) -> Sensitivity:
    """Return the sensitivity of a ``measure`` to ``parameters`` of ``case`` that vary over their ranges.

    ``parameters`` maps names to ranges, {"restitution": (0.1, 0.9)}; a range of two decades or more is sampled on a
    logarithmic scale. ``measure`` is a text such as "touch.normal_force.max" or a function of the result
    (`carom.study.measures`); without it ``case`` is a function of the parameters that returns the number itself.
    ``method`` "morris" needs ``samples`` (20) · (parameters + 1) runs and suits the screening of many parameters;
    "sobol" needs ``samples`` (128, a power of two) · (parameters + 2) runs and gives fractions of the variance with
    their intervals. ``executor`` is as in `sweep`; ``values`` apply to all runs.

    A failed run is reported, and its whole trajectory or base point is omitted.

    Examples
    --------
    >>> import carom as cm
    >>> ranges = {"a": (0.0, 1.0), "b": (0.0, 1.0)}
    >>> table = cm.sensitivity(lambda a, b: a + 0.1 * b, ranges, method="morris", samples=4, executor="serial")
    >>> table.ranking
    ['a', 'b']
    """
    one_of("sensitivity", "method", method, tuple(METHODS))
    varied, constants = fit_parameters("sensitivity", parameters)
    fixed = {**values, **constants}
    task, name, measure_name = prepare_task(case, measure, fixed, varied)
    require_salib()
    default = DEFAULT_TRAJECTORIES if method == "morris" else DEFAULT_BASE_POINTS
    count = integer("sensitivity", "samples", samples or default, MIN_SAMPLES, MAX_POINTS)
    seed = integer("sensitivity", "seed", seed, 0, MAX_SEED)
    if method == "sobol" and (count < 2 or count & (count - 1)):
        raise ModelError(f"sensitivity: samples must be a power of two for method 'sobol', got {count}; use 64, 128 …")
    names = [parameter.name for parameter in varied]
    problem = {"num_vars": len(varied), "names": names, "bounds": [[0.0, 1.0]] * len(varied)}
    unit_points = sample_points(problem, method, count, seed)
    points = np.array([
        [parameter.from_unit(float(x)) for parameter, x in zip(varied, point, strict=True)] for point in unit_points
    ])  # fmt: skip
    measured, failures = run_tasks(task, name, names, points, executor, progress)
    table = analyse(problem, method, unit_points, measured, seed)
    if failures:
        index, error = next(iter(failures.items()))
        warn(f"sensitivity: {len(failures)} of {len(points)} runs failed and were omitted; run {index}: {error}")
    return Sensitivity(name, measure_name, method, tuple(names), table, points, measured, failures)


def require_salib() -> None:
    """Raise if SALib is not installed, before anything runs."""
    if importlib.util.find_spec("SALib") is None:
        raise ImportError("sensitivity needs SALib, which is not installed: pip install 'carom[study]'")


def prepare_task(
    case: StudyModelLike, measure: Any, fixed: Mapping[str, Any], varied: Sequence[FitParameter]
) -> tuple[SensitivityTask, str, str]:
    """Return the task, the name of the model and that of the measure; check all names with one run."""
    if measure is None:
        if not callable(case):
            raise ModelError("sensitivity: measure is missing; set for example measure='impacts.peak_force.max'")
        name = getattr(case, "__name__", "the function")
        return SensitivityTask(None, case, fixed), name, name
    model, measures = as_study_model(case), as_measures(measure)
    if len(measures) != 1:
        raise ModelError(f"sensitivity: needs one measure, got {', '.join(item.name for item in measures)}")
    start = {**fixed, **{parameter.name: parameter.start for parameter in varied}}
    model.split_values(start)
    with suppress_warnings():
        result = model.run(start, progress=False)
    measures[0](result, start)  # This raises if the measure does not fit the result.
    return SensitivityTask(model, measures[0], fixed), model.name, measures[0].name


def sample_points(problem: Mapping[str, Any], method: str, count: int, seed: int) -> np.ndarray:
    """Return the sample points of the unit cube, one per row."""
    if method == "morris":
        from SALib.sample import morris

        return np.asarray(morris.sample(problem, count, num_levels=MORRIS_LEVELS, seed=seed))
    from SALib.sample import sobol

    return np.asarray(sobol.sample(problem, count, calc_second_order=False, scramble=True, seed=seed))


def run_tasks(
    task: SensitivityTask, name: str, names: Sequence[str], points: np.ndarray, executor: Any, progress: Any
) -> tuple[np.ndarray, dict[int, str]]:
    """Return the measure of every point, NaN for failed runs, and the errors of these by index."""
    values, failures = np.full(len(points), np.nan), {}
    tasks = [dict(zip(names, map(float, point), strict=True)) for point in points]
    with Progress(f"sensitivity of {name}", len(points), progress, PROGRESS_TEXT) as bar:
        for n_done, (index, outcome) in enumerate(outcomes_of(task, tuple(names), tasks, executor), 1):
            if outcome.ok:
                values[index] = outcome.value
            else:
                failures[index] = outcome.error or ""
            bar(n_done)
    return values, dict(sorted(failures.items()))


def outcomes_of(
    task: SensitivityTask, names: tuple[str, ...], points: Sequence[dict[str, float]], executor: Any
) -> Iterator[tuple[int, executors.TaskOutcome]]:
    """Yield the measure or the error of every point; runs of a model are in compiled code where they can."""
    if task.model is None:
        pool = executors.executor("serial" if executor is None else executor)
        try:
            yield from pool.map(task, points)
        finally:
            if pool is not executor:
                pool.close()
        return
    runs = StudyRuns(SweepTask(task.model, (task.measure,), task.fixed), Design(names, tuple(points)), executor)
    with closing(runs.rows(range(len(points)))) as batches:
        for index, row in (item for rows in batches for item in rows):
            if row.values is None:
                yield index, executors.TaskOutcome(error=row.error)
            else:
                yield (
                    index,
                    executors.run_task(task.checked, (row.outcome, row.values[task.measure.name], points[index])),
                )


def analyse(
    problem: Mapping[str, Any], method: str, unit_points: np.ndarray, values: np.ndarray, seed: int
) -> dict[str, list[Any]]:
    """Return the table of indices from the trajectories or base points without failed runs."""
    group_size = problem["num_vars"] + (1 if method == "morris" else 2)
    is_complete = np.all(np.isfinite(values.reshape(-1, group_size)), axis=1)
    if np.sum(is_complete) < MIN_SAMPLES:
        raise ModelError(
            f"sensitivity: at least {MIN_SAMPLES} samples without failed runs are needed, got {np.sum(is_complete)} of "
            f"{len(is_complete)}; reduce the ranges"
        )
    used = np.repeat(is_complete, group_size)
    if np.ptp(values[used]) == 0.0:
        raise ModelError("sensitivity: the measure is equal in all runs, so it does not depend on the parameters")
    if method == "morris":
        from SALib.analyze import morris

        indices = morris.analyze(problem, unit_points[used], values[used], num_levels=MORRIS_LEVELS, seed=seed)
    else:
        from SALib.analyze import sobol

        # SALib ignores seed 0 here and draws the intervals from the global state of NumPy.
        indices = sobol.analyze(problem, values[used], calc_second_order=False, seed=seed or SEED_FOR_ZERO)
    columns = {key: np.asarray(indices[key], float).tolist() for key in METHODS[method]}
    return {"parameter": list(problem["names"]), **columns}
