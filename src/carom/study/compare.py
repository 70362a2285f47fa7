"""The same model under several laws, solvers or physics, side by side."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from carom.errors import ModelError
from carom.gallery.compare import AUTHORS, ONSETS, quiet
from carom.progress import Progress
from carom.result.export import import_optional
from carom.result.outcome import Outcome
from carom.result.result import Result
from carom.study import executors
from carom.study.measure import Measure, series
from carom.study.subject import GalleryCase, Subject, subject
from carom.study.table import aligned, plain, short

if TYPE_CHECKING:
    import pandas
    from matplotlib.figure import Figure

GRID = 2001
"""Times at which runs are compared."""
BODIES = 3
"""Of which positions are compared where nothing is said."""
SAID = {"law": AUTHORS, "onset": ONSETS}
"""Values that have other names in a legend."""
FORCE = "peak force [N]"
FACTS = {
    "outcome": "outcome",
    "impacts": "impacts.count",
    FORCE: "impacts.peak_force.max",
    "restitution": "impacts.restitution.mean",
    "energy drift": "energy.drift",
}
COST = ("steps", "evaluations", "wall_time")


@dataclass(frozen=True)
class Trial:
    """One variant, run; works in any process."""

    subject: Subject

    def __call__(self, values: Mapping[str, Any]) -> Result | str:
        """The result; of a model that cannot be, why not."""
        with quiet():
            try:
                result = self.subject.run(values, progress=False)
            except ModelError as error:
                return str(error)
        if result.outcome is Outcome.INTERRUPTED:
            raise KeyboardInterrupt
        return result


class Comparison:
    """Runs of one model by the names of its variants, and what differs.

    ``results`` are in the order in which they were asked for; ``left_out`` says why others could not be run. Deviations
    are from the run called ``reference``, in the series called ``watched``.
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
        """One mapping a run: how it went, where it ended, how far it was from the reference, and what it cost."""
        first = self.results[self.reference]
        for label, result in self.results.items():
            row: dict[str, Any] = {"variant": label}
            row |= {name: Measure(measure)(result, {}) for name, measure in FACTS.items()}
            if result.settings.get("method") == "nonsmooth":
                row[FORCE] = None  # a rigid impact has an impulse, no force
            for path in self.watched:
                row[f"{path} at the end"] = float(series(result, path)[-1])
                row[f"{path} off by"] = deviation(result, first, path)
            yield row | {name: result.stats.get(name) for name in COST}

    @property
    def table(self) -> pandas.DataFrame:
        """One row a run, as `rows`."""
        return import_optional("pandas").DataFrame(list(self.rows())).set_index("variant")

    def plot(self, *what: str, **options: Any) -> Figure:
        """Series of all runs, one panel a series; by default those that are watched (`plot_comparison`)."""
        from carom.plot import plot_comparison

        return plot_comparison(self.results, *(what or self.watched), **options)

    def __getitem__(self, label: str) -> Result:
        if label not in self.results:
            raise ModelError(f"the comparison has no {label!r}; it has {', '.join(self.results)}")
        return self.results[label]

    def __repr__(self) -> str:
        out = f", {len(self.left_out)} left out" if self.left_out else ""
        return f"<Comparison of {self.name}: {', '.join(self.results)}{out}>"

    def __str__(self) -> str:
        rows = list(self.rows())
        head = [name.replace("wall_time", "seconds") for name in rows[0]]
        lines = aligned([head, *([short(value) for value in row.values()] for row in rows)])
        return "\n".join([*lines, *(f"{label} left out: {why}" for label, why in self.left_out.items())])


def compare(
    case: Any,
    *,
    variants: Mapping[str, Mapping[str, Any]] | None = None,
    watch: str | Sequence[str] | None = None,
    reference: str | None = None,
    executor: Any = "serial",
    progress: bool | Callable[[float], Any] | None = None,
    **values: Any,
) -> Comparison:
    """Run ``case`` in several variants and put the results side by side.

    ``values`` that are lists are varied, all combinations of them; others are the same for all runs. They are
    parameters of the case (``law=["flores", "hunt_crossley"]``), options of the run (``method=["compliant",
    "nonsmooth"]``, ``integrator=[…]``) or places of the model (``**{"touch.law.restitution": [0.5, 0.9]}``).
    ``variants`` gives them by name instead: ``{"stiff": {"touch.law.stiffness": 1e11}, …}``.

    ``watch``: series of which the table tells end values and deviations from the ``reference`` (default: the first
    run). ``executor`` is as in `sweep`. A variant that cannot be, such as a law without the restitution of the case,
    is left out and its reason kept.
    """
    one = subject(case)
    points = named_variants(variants, values)
    for point in points.values():
        one.divide(point)
    labels = list(points)
    results: dict[str, Result] = {}
    left_out: dict[str, str] = {}
    pool = executors.executor(executor)
    try:
        with Progress(
            f"comparison of {one.name}", len(labels), progress, "{task.completed:.0f} of {task.total:.0f} runs"
        ) as bar:
            for count, (place, done) in enumerate(pool.map(Trial(one), [points[label] for label in labels])):
                if done.ok and isinstance(done.value, Result):
                    results[labels[place]] = done.value
                else:
                    left_out[labels[place]] = done.error or done.value
                bar(count + 1)
    finally:
        if pool is not executor:
            pool.close()
    if not results:
        raise ModelError(f"compare: no variant of {one.name} can be run; {next(iter(left_out.values()))}")
    results = {label: results[label] for label in labels if label in results}
    chosen = reference or next(iter(results))
    if chosen not in results:
        raise ModelError(f"compare: there is no run {chosen!r} to refer to; there is {', '.join(results)}")
    watched = [watch] if isinstance(watch, str) else list(watch or usual(one, results[chosen]))
    for path in watched:
        series(results[chosen], path)
    return Comparison(one.name, results, left_out, chosen, watched)


def named_variants(
    variants: Mapping[str, Mapping[str, Any]] | None, values: Mapping[str, Any]
) -> dict[str, dict[str, Any]]:
    """The values of every run by the name it has in a legend."""
    varied = {key: value for key, value in values.items() if isinstance(value, list)}
    fixed = {key: value for key, value in values.items() if key not in varied}
    if variants is not None:
        if varied:
            raise ModelError(f"compare: give variants or lists ({', '.join(varied)}), not both")
        if not variants:
            raise ModelError("compare: there are no variants")
        return {label: {**fixed, **given} for label, given in variants.items()}
    if not varied or not all(varied.values()):
        empty = ", ".join(key for key, value in varied.items() if not value)
        raise ModelError(f"compare: {empty} is an empty list" if empty else
                         "compare: say what to vary by a list, law=['flores', 'hunt_crossley']")  # fmt: skip
    found: dict[str, dict[str, Any]] = {}
    for combination in itertools.product(*varied.values()):
        point = dict(zip(varied, combination, strict=True))
        label = ", ".join(label_of(key, value) for key, value in point.items())
        again = sum(known == label or known.startswith(f"{label} (") for known in found)
        found[f"{label} ({again + 1})" if again else label] = {**fixed, **point}
    return found


def label_of(key: str, value: Any) -> str:
    """A value in a legend: authors of a law, words as they are, numbers with their name."""
    if isinstance(value, str):
        return SAID.get(key, {}).get(value, value)
    if isinstance(value, (bool, int, float)) or value is None:
        return f"{key} = {value:g}" if isinstance(value, float) else f"{key} = {value}"
    return str(plain(value))


def usual(one: Subject, result: Result) -> list[str]:
    """Series to watch where nothing is said: those that the case shows, or where its first bodies are."""
    if isinstance(one, GalleryCase):
        case = one.made({}).case
        asked = [
            item
            for part in (case.look.panels if case else ())
            for item in (part if isinstance(part, tuple) else (part,))
        ]
        found = [item for item in asked if isinstance(item, str) and readable(result, item)]
        if found:
            return found
    moving = [
        f"{body.name}.{name}" for body in result.bodies[:BODIES] for name in result.series_type.pose[: result.dim]
    ]
    return [path for path in moving if np.ptp(series(result, path)) > 0.0] or moving[:1]


def readable(result: Result, path: str) -> bool:
    try:
        return len(series(result, path)) > 0
    except ModelError:
        return False


def deviation(result: Result, reference: Result, path: str) -> float:
    """The largest difference of a series anywhere in the time that both runs cover."""
    if result is reference:
        return 0.0
    start, end = max(result.t[0], reference.t[0]), min(result.t[-1], reference.t[-1])
    times = np.linspace(start, end, GRID)
    return float(np.max(np.abs(series(result.sample(times), path) - series(reference.sample(times), path))))
