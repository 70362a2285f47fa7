"""Comparison of a model with several laws, solvers or methods."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from carom.errors import ModelError, suppress_warnings
from carom.gallery.case_variants import AUTHORS, ONSETS
from carom.progress import Progress
from carom.result.export import import_optional
from carom.result.outcome import Outcome
from carom.result.result import Result
from carom.result.series_paths import series_by_path
from carom.scene.html_table import table
from carom.study import executors
from carom.study.measures import Measure
from carom.study.study_model import GalleryModel, StudyModel, StudyModelLike, as_study_model
from carom.study.sweep_result import align_columns, plain_label, short_text

if TYPE_CHECKING:
    import pandas
    from matplotlib.figure import Figure

N_TIMES = 2001
"""Number of times at which runs are compared."""
DEFAULT_BODIES = 3
"""Number of bodies whose positions are compared by default."""
LEGEND_NAMES = {"law": AUTHORS, "onset": ONSETS}
"""Names in legends of values that have one."""
PEAK_FORCE = "peak force [N]"
MEASURES = {
    "outcome": "outcome",
    "impacts": "impacts.count",
    PEAK_FORCE: "impacts.peak_force.max",
    "restitution": "impacts.restitution.mean",
    "energy drift": "energy.drift",
}
COSTS = ("steps", "evaluations", "wall_time")


@dataclass(frozen=True)
class VariantRun:
    """Task that runs one variant of a model; it can run in any process."""

    model: StudyModel

    def __call__(self, values: Mapping[str, Any]) -> Result | str:
        """Return the result, or the error message of an invalid variant."""
        with suppress_warnings():
            try:
                result = self.model.run(values, progress=False)
            except ModelError as error:
                return str(error)
        if result.outcome is Outcome.INTERRUPTED:
            raise KeyboardInterrupt
        return result


class Comparison:
    """Results of the variants of a model by name, and their differences.

    ``results`` have the order of the request; ``left_out`` contains the error messages of variants that could not run.
    Deviations are relative to the run named ``reference``, for the series named in ``watched``.

    Examples
    --------
    >>> import carom as cm
    >>> comparison = cm.compare("falling_ball", restitution=[0.5, 0.9], watch="ball.y")
    >>> comparison.reference, comparison.watched
    ('restitution = 0.5', ('ball.y',))
    """

    def __init__(
        self,
        name: str,
        results: Mapping[str, Result],
        left_out: Mapping[str, str],
        reference: str,
        watched: Sequence[str],
    ):
        self.name, self.results, self.left_out = name, dict(results), dict(left_out)
        self.reference, self.watched = reference, tuple(watched)

    def rows(self) -> Iterator[dict[str, Any]]:
        """Yield one mapping per run: measures, final values, deviations from the reference, and costs."""
        reference = self.results[self.reference]
        for label, result in self.results.items():
            row: dict[str, Any] = {"variant": label}
            row |= {name: Measure(measure)(result, {}) for name, measure in MEASURES.items()}
            if result.settings.get("method") == "nonsmooth":
                row[PEAK_FORCE] = None  # A rigid impact has an impulse, but no force.
            for path in self.watched:
                row[f"{path} at the end"] = float(series_by_path(result, path)[-1])
                row[f"{path} off by"] = max_deviation(result, reference, path)
            yield row | {name: result.stats.get(name) for name in COSTS}

    @property
    def table(self) -> pandas.DataFrame:
        """One row per run, with the columns of `rows`."""
        return import_optional("pandas").DataFrame(list(self.rows())).set_index("variant")

    def plot(self, *what: str, **options: Any) -> Figure:
        """Plot series of all runs, one panel per series; default: those in ``watched`` (`plot_comparison`)."""
        from carom.plot import plot_comparison

        return plot_comparison(self.results, *(what or self.watched), **options)

    def __getitem__(self, label: str) -> Result:
        if label not in self.results:
            raise ModelError(f"Comparison: unknown variant {label!r}; choose from {', '.join(self.results)}")
        return self.results[label]

    def _repr_html_(self) -> str:
        """Return a table and a picture for notebooks."""
        from carom.plot.notebook import notebook_html

        rows = [[short_text(value) for value in row.values()] for row in self.rows()]
        return notebook_html(repr(self), table(list(next(self.rows())), rows), self.plot())

    def __repr__(self) -> str:
        omitted = f", {len(self.left_out)} left out" if self.left_out else ""
        return f"<Comparison of {self.name}: {', '.join(self.results)}{omitted}>"

    def __str__(self) -> str:
        rows = list(self.rows())
        headings = [name.replace("wall_time", "seconds") for name in rows[0]]
        lines = align_columns([headings, *([short_text(value) for value in row.values()] for row in rows)])
        return "\n".join([*lines, *(f"{label} left out: {reason}" for label, reason in self.left_out.items())])


def compare(
    case: StudyModelLike,
    *,
    variants: Mapping[str, Mapping[str, Any]] | None = None,
    watch: str | Sequence[str] | None = None,
    reference: str | None = None,
    executor: Any = "serial",
    progress: bool | Callable[[float], Any] | None = None,
    **values: Any,
) -> Comparison:
    """Run several variants of ``case`` and compare the results.

    ``values`` that are lists are varied in all combinations; others apply to all runs. They are parameters of the case
    (``law=["flores", "hunt_crossley"]``), run options (``method=["compliant", "nonsmooth"]``, ``integrator=[…]``) or
    paths in the model (``**{"touch.law.restitution": [0.5, 0.9]}``). ``variants`` specifies them by name instead:
    ``{"stiff": {"touch.law.stiffness": 1e11}, …}``.

    ``watch`` names the series whose final values and deviations from the ``reference`` (default: the first run) are in
    the table. ``executor`` is as in `sweep`. A variant that cannot run, such as a law that does not support the
    restitution of the case, is left out and its error message is stored.

    Examples
    --------
    >>> import carom as cm
    >>> comparison = cm.compare("falling_ball", restitution=[0.5, 0.9])
    >>> list(comparison.results)
    ['restitution = 0.5', 'restitution = 0.9']
    """
    model = as_study_model(case)
    points = named_variants(variants, values)
    for point in points.values():
        model.split_values(point)
    labels = list(points)
    results: dict[str, Result] = {}
    left_out: dict[str, str] = {}
    pool = executors.executor(executor)
    try:
        with Progress(
            f"comparison of {model.name}", len(labels), progress, "{task.completed:.0f} of {task.total:.0f} runs"
        ) as bar:
            tasks = [points[label] for label in labels]
            for n_done, (index, outcome) in enumerate(pool.map(VariantRun(model), tasks), 1):
                if outcome.ok and isinstance(outcome.value, Result):
                    results[labels[index]] = outcome.value
                else:
                    left_out[labels[index]] = outcome.error or outcome.value
                bar(n_done)
    finally:
        if pool is not executor:
            pool.close()
    if not results:
        raise ModelError(f"compare: no variant of {model.name} can run: {next(iter(left_out.values()))}")
    results = {label: results[label] for label in labels if label in results}
    selected = reference or next(iter(results))
    if selected not in results:
        raise ModelError(f"compare: unknown reference {selected!r}; choose from {', '.join(results)}")
    watched = [watch] if isinstance(watch, str) else list(watch or default_series(model, results[selected]))
    for path in watched:
        series_by_path(results[selected], path)
    return Comparison(model.name, results, left_out, selected, watched)


def named_variants(
    variants: Mapping[str, Mapping[str, Any]] | None, values: Mapping[str, Any]
) -> dict[str, dict[str, Any]]:
    """Return the values of every run by its name in legends."""
    varied = {key: value for key, value in values.items() if isinstance(value, list)}
    fixed = {key: value for key, value in values.items() if key not in varied}
    if variants is not None:
        if varied:
            raise ModelError(f"compare: use either variants or lists ({', '.join(varied)}), not both")
        if not variants:
            raise ModelError("compare: variants must not be empty")
        return {label: {**fixed, **variant} for label, variant in variants.items()}
    empty = [key for key, value in varied.items() if not value]
    if empty:
        raise ModelError(f"compare: {', '.join(empty)} must not be an empty list")
    if not varied:
        raise ModelError("compare: nothing varies; use a list of values such as law=['flores', 'hunt_crossley']")
    points: dict[str, dict[str, Any]] = {}
    for combination in itertools.product(*varied.values()):
        point = dict(zip(varied, combination, strict=True))
        label = ", ".join(legend_text(key, value) for key, value in point.items())
        n_equal = sum(known == label or known.startswith(f"{label} (") for known in points)
        points[f"{label} ({n_equal + 1})" if n_equal else label] = {**fixed, **point}
    return points


def legend_text(key: str, value: Any) -> str:
    """Return a value for a legend: the authors of a law, texts as they are, numbers with their name."""
    if isinstance(value, str):
        return LEGEND_NAMES.get(key, {}).get(value, value)
    if isinstance(value, (bool, int, float)) or value is None:
        return f"{key} = {value:g}" if isinstance(value, float) else f"{key} = {value}"
    return str(plain_label(value))


def default_series(model: StudyModel, result: Result) -> list[str]:
    """Return the series that the figures of a gallery case show, or the positions of the first bodies."""
    if isinstance(model, GalleryModel):
        case = model.build({}).case
        items = [
            item
            for panel in (case.figure_settings.panels if case else ())
            for item in (panel if isinstance(panel, tuple) else (panel,))
        ]
        paths = [item for item in items if isinstance(item, str) and has_series(result, item)]
        if paths:
            return paths
    positions = [
        f"{body.name}.{name}"
        for body in result.bodies[:DEFAULT_BODIES]
        for name in result.series_type.pose[: result.dim]
    ]
    return [path for path in positions if np.ptp(series_by_path(result, path)) > 0.0] or positions[:1]


def has_series(result: Result, path: str) -> bool:
    """Return True if a result has a series that is not empty."""
    try:
        return len(series_by_path(result, path)) > 0
    except ModelError:
        return False


def max_deviation(result: Result, reference: Result, path: str) -> float:
    """Return the largest difference of a series in the time that both runs cover."""
    if result is reference:
        return 0.0
    start, end = max(result.t[0], reference.t[0]), min(result.t[-1], reference.t[-1])
    times = np.linspace(start, end, N_TIMES)
    a, b = result.sample(times), reference.sample(times)
    return float(np.max(np.abs(series_by_path(a, path) - series_by_path(b, path))))
