"""Measures of runs in compiled code: those of `carom.study.measures` that need no result object, with equal bits."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from carom.compiled_model.changed_numbers import NotInPlace
from carom.mechanics.contact_log import CONTACT_LOG_ROW
from carom.result.column_info import ElementInfo
from carom.result.energy import Energy
from carom.result.impact_records import ImpactRecord
from carom.result.outcome import Outcome
from carom.solve.compliant.problem import CompliantProblem
from carom.solve.contact_log import impacts_of
from carom.solve.ensemble.batch_runner import Batch, NodeTables, SeriesReductions
from carom.solve.ensemble.records import (
    FINAL,
    FIRST,
    MAX,
    MIN,
    PEAK,
    RANGE,
    RATE,
    REDUCTION,
    SIGNAL,
    STATE,
    TIME_OF_MAX,
    TIME_OF_MIN,
)
from carom.study.measures import (
    IMPACT_ATTRIBUTES,
    IMPACT_REDUCTIONS,
    REDUCTIONS,
    AnyMeasure,
    FunctionMeasure,
    Reduction,
    is_impact_measure,
)
from carom.study.series_measure import SeriesMeasure

COMPILED = {
    "final": FINAL, "first": FIRST, "max": MAX, "min": MIN, "peak": PEAK, "range": RANGE,
    "time_of_max": TIME_OF_MAX, "time_of_min": TIME_OF_MIN,
}  # fmt: skip
"""Reductions in compiled code."""
COUNTS = {"steps": "n_steps", "rejected": "n_rejected", "events": "n_events"}
"""Statistics of a run by their field in `RUN_RESULT`."""
PLANAR_SERIES = {name: (STATE, 0, k) for k, name in enumerate(("x", "y", "angle"))} | {
    name: (table, 1, k)
    for table, names in ((STATE, ("vx", "vy", "omega")), (RATE, ("ax", "ay", "alpha")))
    for k, name in enumerate(names)
}
SPATIAL_SERIES = {name: (STATE, 0, k) for k, name in enumerate(("x", "y", "z"))} | {
    name: (table, 1, k)
    for table, names in ((STATE, ("vx", "vy", "vz")), (RATE, ("ax", "ay", "az")))
    for k, name in enumerate(names)
}
"""Series of a body: table, 1 behind all coordinates, and index among the numbers of the body."""
SERIES = {2: PLANAR_SERIES, 3: SPATIAL_SERIES}

Column = Callable[["BatchOutput"], Sequence[Any]]
"""Values of a measure for the runs of a batch."""


class BatchOutput:
    """Output of a batch, with the contact log as records where a measure asks for them."""

    def __init__(self, batch: Batch, names: Sequence[str]):
        self.batch, self.names = batch, names
        counts = batch.results["n_log_rows"]
        self.first = np.concatenate([[0], np.cumsum(counts)]).tolist()
        self._rows = np.ascontiguousarray(batch.log).view(CONTACT_LOG_ROW.dtype).ravel()
        self._impacts: list[list[ImpactRecord]] | None = None

    def __len__(self) -> int:
        return len(self.batch.results)

    @property
    def impacts(self) -> list[list[ImpactRecord]]:
        """Impacts of every run in the order of a result."""
        if self._impacts is None:
            found = impacts_of(self.names, [self.batch.log])
            self._impacts = [
                sorted(found[start:stop], key=lambda impact: (impact.t_start, impact.contact))
                for start, stop in zip(self.first[:-1], self.first[1:], strict=True)
            ]
        return self._impacts

    @property
    def has_single_impacts(self) -> bool:
        """True if no run has more than one impact."""
        return bool(self.batch.results["n_log_rows"].max(initial=0) <= 1)

    def single_values(self, quantity: str, names: frozenset[str] | None) -> list[float]:
        """Return a quantity of the only impact of every run, which is also its reduction; NaN without one."""
        values = np.full(len(self), np.nan)
        rows, runs = self.selected(names)
        values[runs] = impact_column(rows, quantity)
        return values.tolist()

    def impact_counts(self, names: frozenset[str] | None) -> list[int]:
        """Return the number of impacts of every run, of all contacts or those called ``names``."""
        return np.bincount(self.selected(names)[1], minlength=len(self)).tolist()

    def selected(self, names: frozenset[str] | None) -> tuple[np.ndarray, np.ndarray]:
        """Return the rows of the log of some contacts, and the indices of their runs."""
        runs = np.repeat(np.arange(len(self)), self.batch.results["n_log_rows"])
        if names is None:
            return self._rows, runs
        chosen = np.array([name in names for name in self.names])[self._rows["contact"].astype(int)]
        return self._rows[chosen], runs[chosen]

    def quantities(self, quantity: str, names: frozenset[str] | None) -> list[list[float]]:
        """Return a quantity of the impacts of every run, of all contacts or those called ``names``."""
        return [
            [
                np.nan if getattr(impact, quantity) is None else float(getattr(impact, quantity))
                for impact in impacts
                if names is None or impact.contact in names
            ]
            for impacts in self.impacts
        ]


@dataclass
class BatchMeasures:
    """Measures of a model that runs in place; raise `NotInPlace` if one of them needs a result."""

    measures: Sequence[AnyMeasure]
    problem: CompliantProblem
    columns: dict[str, Column] = field(default_factory=dict)
    _compiled: list[tuple[int, int, int]] = field(default_factory=list)
    _functions: list[Callable[[NodeTables], float]] = field(default_factory=list)
    _further: list[tuple[str, int]] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.metadata = self.problem.evaluator.metadata
        self.tables = self.problem.mechanism.tables
        self.contact_names = [contact.name or "" for contact in self.tables.contacts]
        for measure in self.measures:
            if isinstance(measure, FunctionMeasure):
                raise NotInPlace(f"measure {measure.name!r} is a function of a result")
            if isinstance(measure, SeriesMeasure):
                self.columns[measure.name] = self.user_column(measure)
            else:
                self.columns[measure.name] = self.column(measure.name)
        for name, index in self._further:
            self.columns[name] = reduced_column(len(self._compiled) + index)

    @property
    def reductions(self) -> SeriesReductions:
        """Reductions of series that the runs need."""
        table = REDUCTION.zeros(len(self._compiled))
        for row, (source, column, kind) in zip(table, self._compiled, strict=True):
            row["table"], row["column"], row["kind"] = source, column, kind
        return SeriesReductions(table, tuple(self._functions))

    def rows(self, batch: Batch) -> list[dict[str, Any]]:
        """Return the measures of every run of a batch."""
        output = BatchOutput(batch, self.contact_names)
        values = {name: column(output) for name, column in self.columns.items()}
        return [dict(zip(values, row, strict=True)) for row in zip(*values.values(), strict=True)]

    def column(self, name: str) -> Column:
        """Return the function that evaluates a measure."""
        owner, _, last = name.rpartition(".")
        if name == "outcome":
            return lambda output: [Outcome.FINISHED.name] * len(output)
        if owner == "stats":
            if last not in COUNTS or (last == "events" and not self.tables.contacts):
                raise NotInPlace(f"measure {name!r} needs a result")
            return lambda output: output.batch.results[COUNTS[last]].tolist()
        if is_impact_measure(name):
            return self.impact_column(name)
        if owner == "energy" or owner.startswith("energy."):
            return self.energy_column(name, owner, last)
        if last not in REDUCTIONS:
            raise NotInPlace(f"measure {name!r} is unknown")
        return self.series_column(name, owner, last)

    def impact_column(self, name: str) -> Column:
        """Return the function of a measure of impacts."""
        parts = name.split(".")
        index = parts.index("impacts")
        contact, rest = ".".join(parts[:index]), parts[index + 1 :]
        names: frozenset[str] | None = None
        if contact:
            element = next((e for e in self.metadata.elements if e.name == contact and e.family == "contact"), None)
            if element is None:
                raise NotInPlace(f"measure {name!r} names no contact")
            names = frozenset((contact, *element.parts))
        if rest == ["count"]:
            return lambda output: output.impact_counts(names)
        if len(rest) != 2 or rest[0] not in IMPACT_ATTRIBUTES or rest[1] not in IMPACT_REDUCTIONS:
            raise NotInPlace(f"measure {name!r} is unknown")
        reduce = IMPACT_REDUCTIONS[rest[1]]

        def column(output: BatchOutput) -> list[Any]:
            if output.has_single_impacts:
                return output.single_values(rest[0], names)
            return [
                reduce(np.array(values)) if values else float("nan") for values in output.quantities(rest[0], names)
            ]

        return column

    def user_column(self, measure: SeriesMeasure) -> Column:
        """Return the function of a measure that the user wrote."""
        columns = [self.nodal_column(measure.name, path) for path in measure.series]
        return self.function_column(
            measure.name, lambda nodes: measure.evaluate(nodes.t, [column(nodes) for column in columns])
        )

    def nodal_column(self, name: str, path: str) -> Callable[[NodeTables], np.ndarray]:
        """Return the function that takes a series from the nodes of a run."""
        owner, _, quantity = path.rpartition(".")
        if owner == "energy" and quantity in (*Energy.names(), "total", "balance"):
            return lambda nodes: np.asarray(getattr(Energy.from_columns(nodes.energies), quantity))
        return series_of(*self.series(name, path))

    def energy_column(self, name: str, owner: str, last: str) -> Column:
        """Return the function of a measure of the energy balance."""
        names = [body.name for body in self.metadata.bodies] + [element.name for element in self.metadata.elements]
        if "energy" in names:
            raise NotInPlace(f"measure {name!r} is also a name in the model")
        if owner == "energy":
            if last not in ("drift", "scale"):
                raise NotInPlace(f"measure {name!r} needs a result")
            return self.function_column(
                name,
                lambda nodes: float(
                    getattr(Energy.from_columns(nodes.energies).with_reference(nodes.reference_energy), last)
                ),
            )
        quantity = owner.removeprefix("energy.")
        if quantity not in (*Energy.names(), "total", "balance") or last not in REDUCTIONS:
            raise NotInPlace(f"measure {name!r} is unknown")
        reduce = REDUCTIONS[last]
        return self.function_column(
            name, lambda nodes: reduce(nodes.t, getattr(Energy.from_columns(nodes.energies), quantity))
        )

    def series_column(self, name: str, path: str, last: str) -> Column:
        """Return the function of a reduction of a series."""
        if path == "t":
            if last != "final":
                raise NotInPlace(f"measure {name!r} needs a result")
            return lambda output: output.batch.results["t"].tolist()
        source, column = self.series(name, path)
        if source == STATE and last == "final":
            return lambda output: output.batch.states[:, column].tolist()
        if last in COMPILED:
            self._compiled.append((source, column, COMPILED[last]))
            return reduced_column(len(self._compiled) - 1)
        return self.function_column(name, reduction_in_python(source, column, REDUCTIONS[last]))

    def series(self, name: str, path: str) -> tuple[int, int]:
        """Return the table and the column of a series: of a body, or a signal that the evaluation stores as it is."""
        owner, _, quantity = path.rpartition(".")
        for k, body in enumerate(self.metadata.bodies):
            if body.name == owner and quantity in SERIES[self.metadata.dim]:
                source, is_rate, index = SERIES[self.metadata.dim][quantity]
                return source, self.tables.n_velocities * is_rate + self.tables.kind.n_velocities * k + index
        for element in self.metadata.elements:
            if element.name == owner and quantity in element.signals:
                column = element.columns[0] + element.signals.index(quantity)
                if self.is_stored(element, column):
                    return SIGNAL, column
        raise NotInPlace(f"measure {name!r} needs a result")

    def is_stored(self, element: ElementInfo, column: int) -> bool:
        """Return True if a signal is evaluated node by node, without the nodes before or other signals."""
        layout = self.tables.output
        if any(column == angle.column for angle in layout.periodic_angles):
            return False
        if any(column == stop.column for stop in layout.stop_columns):
            return False
        if element.family != "contact":
            return element.family in ("joint", "driver", "force") and not element.parts
        mode = element.columns[0] + element.signals.index("contact_mode")
        return element.name in self.contact_names and column < mode

    def function_column(self, name: str, function: Callable[[NodeTables], float]) -> Column:
        """Return the function of a measure that Python evaluates after every run."""
        self._functions.append(function)
        self._further.append((name, len(self._functions) - 1))
        return reduced_column(0)  # replaced when the number of compiled reductions is known


def impact_column(rows: np.ndarray, quantity: str) -> np.ndarray:
    """Return a quantity of `ImpactRecord` for the rows of a contact log."""
    is_open = rows["is_open"] != 0.0
    separation = np.where(is_open, 0.0, rows["separation_speed"])
    if quantity == "separation_speed":
        return separation
    if quantity == "restitution":
        approach = rows["approach_speed"]
        return np.divide(separation, approach, out=np.full(len(rows), np.nan), where=approach > 0.0)
    if quantity == "duration":
        return rows["t_end"] - rows["t_start"]
    return ~is_open if quantity == "finished" else rows[quantity]


def reduced_column(index: int) -> Column:
    """Return the function that reads a column of the reductions."""
    return lambda output: output.batch.reduced[:, index].tolist()


def reduction_in_python(source: int, column: int, reduce: Reduction) -> Callable[[NodeTables], float]:
    """Return the function that reduces a column of the nodes."""
    values = series_of(source, column)
    return lambda nodes: float(reduce(nodes.t, values(nodes)))


def series_of(source: int, column: int) -> Callable[[NodeTables], np.ndarray]:
    """Return the function that takes a column from the nodes."""

    def series(nodes: NodeTables) -> np.ndarray:
        table: np.ndarray = {STATE: nodes.y, RATE: nodes.ydot, SIGNAL: nodes.signals}[source]
        return table[:, column]

    return series
