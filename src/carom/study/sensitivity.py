"""Which parameters matter: screening by Morris, shares of the variance by Sobol; sampled and evaluated by SALib."""

from __future__ import annotations

import importlib.util
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from carom.errors import ModelError, choice, notify, shown, whole
from carom.gallery.compare import quiet
from carom.progress import Progress
from carom.result.export import import_optional
from carom.study import executors
from carom.study.design import LARGEST_SEED, MOST
from carom.study.measure import Function, Measure, measures
from carom.study.subject import Subject, subject
from carom.study.unknowns import Unknown, unknowns

if TYPE_CHECKING:
    import pandas
    from matplotlib.figure import Figure

METHODS = {"morris": ("mu_star", "mu_star_conf", "mu", "sigma"), "sobol": ("ST", "ST_conf", "S1", "S1_conf")}
"""What each method tells of a parameter."""
TRAJECTORIES, BASE = 20, 128
"""Samples, where none are given: trajectories of Morris, base points of Sobol."""
LEVELS = 4
RUNS = "{task.completed:.0f} of {task.total:.0f} runs"
FEW = 4
"""Trajectories or points that must be left when failed ones are taken out."""


@dataclass(frozen=True)
class Run:
    """One run and its measure; works in any process."""

    subject: Subject | None
    measure: Any
    fixed: Mapping[str, Any]

    def __call__(self, point: Mapping[str, Any]) -> float:
        if self.subject is None:
            return float(self.measure(**{**self.fixed, **point}))
        with quiet():
            result = self.subject.run({**self.fixed, **point}, progress=False)
        if not result.outcome.ok:
            raise RuntimeError(result.message)
        value = self.measure(result, {**self.fixed, **point})
        if isinstance(value, bool) or not isinstance(value, (int, float)) or not math.isfinite(value):
            raise ValueError(f"{self.measure.name} must be a finite number, got {shown(value)}")
        return float(value)


@dataclass(frozen=True)
class Sensitivity:
    """What a measure owes to each parameter, in ``table``; ``points`` and ``values`` are the runs, NaN for failures.

    "morris": ``mu_star``, the mean change of the measure over the range of the parameter, in magnitude; ``mu``, with
    its sign; ``sigma``, its spread, large where the parameter acts together with others or not in proportion.
    "sobol": ``S1``, the share of the variance that the parameter makes alone; ``ST``, with others. ``…_conf`` are half
    intervals of 95 %.
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
        """Parameters, the one that matters most first."""
        first = self.table[METHODS[self.method][0]]
        return [self.parameters[k] for k in np.argsort(first)[::-1]]

    def __getitem__(self, name: str) -> dict[str, float]:
        """What is told of one parameter."""
        if name not in self.parameters:
            raise ModelError(f"sensitivity: there is no {name!r}; it has {', '.join(self.parameters)}")
        k = self.parameters.index(name)
        return {key: column[k] for key, column in self.table.items() if key != "parameter"}

    def to_dataframe(self) -> pandas.DataFrame:
        """The table as a DataFrame."""
        return import_optional("pandas").DataFrame(self.table).set_index("parameter")

    def to_dict(self) -> dict[str, Any]:
        """As plain numbers."""
        return {
            "subject": self.name, "measure": self.measure, "method": self.method, "table": self.table,
            "ranking": self.ranking, "runs": len(self.values),
            "failures": {str(number): words for number, words in self.failures.items()},
        }  # fmt: skip

    def plot(self, **page: Any) -> Figure:
        """Bars of the parameters; for Morris also spread over mean."""
        from carom.study.sensitivity_figure import plot_sensitivity

        return plot_sensitivity(self, **page)

    def __str__(self) -> str:
        from carom.study.table import aligned

        names = METHODS[self.method]
        rows = [[name, *(f"{self[name][key]:.4g}" for key in names)] for name in self.ranking]
        failed = f", {len(self.failures)} of which failed" if self.failures else ""
        foot = f"{self.measure} of {self.name}: {len(self.values)} runs{failed}"
        return "\n".join([*aligned([["parameter", *names], *rows]), foot])


def sensitivity(
    case: Any,
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
    """Which ``parameters`` of ``case`` a ``measure`` depends on, when each varies over its range.

    ``parameters``: ranges by name, {"restitution": (0.1, 0.9)}; one that spans two decades or more is sampled on a
    logarithmic scale. ``measure``: a text such as "touch.normal_force.max" or a function of the result
    (`carom.study.measure`); without it ``case`` is a function of the parameters that returns the number itself.
    ``method``: "morris" takes ``samples`` (20) · (parameters + 1) runs, for a first look at many parameters; "sobol"
    ``samples`` (128, a power of two) · (parameters + 2), shares of the variance with their intervals.
    ``executor`` says where runs are made, as in `sweep`; ``values`` are the same for all runs.

    A run that fails is told, and taken out with the others of its trajectory or base point.
    """
    choice("sensitivity", "method", method, tuple(METHODS))
    looked, held = unknowns("sensitivity", parameters)
    fixed = {**values, **held}
    run, name, what = prepared(case, measure, fixed, looked)
    require_salib()
    count = whole("sensitivity", "samples", samples or (TRAJECTORIES if method == "morris" else BASE), FEW, MOST)
    seed = whole("sensitivity", "seed", seed, 0, LARGEST_SEED)
    if method == "sobol" and (count < 2 or count & (count - 1)):
        raise ModelError(f"sensitivity: samples of Sobol must be a power of two, 64, 128, 256 …, got {count}")
    problem = {
        "num_vars": len(looked), "names": [one.name for one in looked], "bounds": [[0.0, 1.0]] * len(looked)
    }  # fmt: skip
    places = sampled(problem, method, count, seed)
    points = np.array([[one.outer(float(x)) for one, x in zip(looked, place, strict=True)] for place in places])
    found, failures = perform(run, name, [one.name for one in looked], points, executor, progress)
    table = evaluated(problem, method, places, found, seed)
    if failures:
        number, words = next(iter(failures.items()))
        notify(f"sensitivity: {len(failures)} of {len(points)} runs failed and were left out; run {number}: {words}")
    return Sensitivity(name, what, method, tuple(problem["names"]), table, points, found, failures)  # type: ignore[arg-type]


def require_salib() -> None:
    """Before anything runs."""
    if importlib.util.find_spec("SALib") is None:
        raise ImportError("sensitivity needs SALib, which is not installed: pip install 'carom[study]'")


def prepared(case: Any, measure: Any, fixed: Mapping[str, Any], looked: Sequence[Unknown]) -> tuple[Run, str, str]:
    """What is run, its name and that of its measure; names that mean nothing are refused before anything runs."""
    if measure is None:
        if not callable(case):
            raise ModelError("sensitivity: say what to measure, measure='impacts.peak_force.max'")
        name = getattr(case, "__name__", "the function")
        return Run(None, case, fixed), name, name
    one, wanted = subject(case), measures(measure)
    if len(wanted) != 1:
        raise ModelError(f"sensitivity: one measure at a time, got {', '.join(item.name for item in wanted)}")
    start = {**fixed, **{item.name: item.start for item in looked}}
    one.divide(start)
    chosen: Measure | Function = wanted[0]
    with quiet():
        result = one.run(start, progress=False)
    chosen(result, start)  # what does not fit the result is refused here
    return Run(one, chosen, fixed), one.name, chosen.name


def sampled(problem: Mapping[str, Any], method: str, count: int, seed: int) -> np.ndarray:
    if method == "morris":
        from SALib.sample import morris

        return np.asarray(morris.sample(problem, count, num_levels=LEVELS, seed=seed))
    from SALib.sample import sobol

    return np.asarray(sobol.sample(problem, count, calc_second_order=False, scramble=True, seed=seed))


def perform(
    run: Run, name: str, names: Sequence[str], points: np.ndarray, executor: Any, progress: Any
) -> tuple[np.ndarray, dict[int, str]]:
    """The measure of every point, NaN where its run failed, and what it said."""
    values, failures = np.full(len(points), np.nan), {}
    tasks = [dict(zip(names, map(float, point), strict=True)) for point in points]
    pool = executors.executor("serial" if executor is None and run.subject is None else executor)
    try:
        with Progress(f"sensitivity of {name}", len(points), progress, RUNS) as bar:
            for done, (index, outcome) in enumerate(pool.map(run, tasks), 1):
                if outcome.ok:
                    values[index] = outcome.value
                else:
                    failures[index] = outcome.error or ""
                bar(done)
    finally:
        if pool is not executor:
            pool.close()
    return values, dict(sorted(failures.items()))


def evaluated(
    problem: Mapping[str, Any], method: str, places: np.ndarray, values: np.ndarray, seed: int
) -> dict[str, list[Any]]:
    """The table, from the groups of runs in which none failed."""
    wide = problem["num_vars"] + (1 if method == "morris" else 2)
    whole = np.all(np.isfinite(values.reshape(-1, wide)), axis=1)
    if np.sum(whole) < FEW:
        raise ModelError(f"sensitivity: only {np.sum(whole)} of {len(whole)} samples are without a failed run; "
                         "narrow the ranges")  # fmt: skip
    kept = np.repeat(whole, wide)
    if np.ptp(values[kept]) == 0.0:
        raise ModelError("sensitivity: the measure is the same in all runs; it depends on none of the parameters")
    if method == "morris":
        from SALib.analyze import morris

        found = morris.analyze(problem, places[kept], values[kept], num_levels=LEVELS, seed=seed)
    else:
        from SALib.analyze import sobol

        found = sobol.analyze(problem, values[kept], calc_second_order=False, seed=seed)
    columns = {key: np.asarray(found[key], float).tolist() for key in METHODS[method]}
    return {"parameter": list(problem["names"]), **columns}
