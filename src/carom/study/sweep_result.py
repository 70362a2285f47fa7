"""Results of a parameter sweep: one row per run, as arrays, tables and figures."""

from __future__ import annotations

import csv
import io
import json
import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from carom.errors import ModelError
from carom.io.atomic_write import atomic_write
from carom.result.export import import_optional
from carom.scene.html_table import table
from carom.study.fingerprint import fingerprint
from carom.study.sampling_design import Design, object_array

if TYPE_CHECKING:
    import pandas
    import xarray
    from matplotlib.figure import Figure

MAX_PRINTED = 12
"""Largest number of rows, and of failed runs, in a printed table."""


@dataclass(frozen=True)
class SweepRow:
    """One run of a sweep: its measures and its outcome, or its error."""

    values: Mapping[str, Any] | None = None
    outcome: str = ""
    error: str | None = None

    def to_line(self, index: int, point: Mapping[str, Any]) -> dict[str, Any]:
        """Return the entry of a journal for run ``index`` at a point of the design."""
        if self.error is not None:
            return {"run": index, "at": fingerprint(point), "error": self.error}
        return {"run": index, "at": fingerprint(point), "outcome": self.outcome, "values": self.values}

    @classmethod
    def from_line(cls, line: Mapping[str, Any]) -> SweepRow | None:
        """Return the row of a journal entry, or None if the entry is not a valid row."""
        values, outcome, error = line.get("values"), line.get("outcome", ""), line.get("error")
        is_valid = isinstance(values, dict | None) and isinstance(outcome, str) and isinstance(error, str | None)
        return cls(values, outcome, error) if is_valid and (values is None) != (error is None) else None


class SweepResult:
    """Rows of a sweep in the order of its points; a row is None if its run is missing.

    ``sweep["impacts.count"]`` is a measure or parameter as an array with the shape of the grid.

    Examples
    --------
    >>> import carom as cm
    >>> table = cm.sweep("falling_ball", {"height": [0.5, 1.0]}, "impacts.count", executor="serial")
    >>> table.parameters, table.measures, len(table)
    (('height',), ('impacts.count',), 2)
    """

    def __init__(self, name: str, design: Design, records: Sequence[SweepRow | None]):
        self.name, self.design, self.records = name, design, list(records)

    def __len__(self) -> int:
        return len(self.records)

    @property
    def parameters(self) -> tuple[str, ...]:
        """Names of the parameters."""
        return self.design.names

    @property
    def complete(self) -> bool:
        """True if no run is missing."""
        return all(row is not None for row in self.records)

    @property
    def failures(self) -> dict[int, str]:
        """Errors of failed runs by their index."""
        rows = enumerate(self.records)
        return {index: row.error for index, row in rows if row is not None and row.error is not None}

    @property
    def measures(self) -> tuple[str, ...]:
        """Names of the measures; a measure that returns a mapping has one name per key."""
        return tuple(dict.fromkeys(name for row in self.records for name in flat_measures(row)))

    def column(self, name: str) -> list[Any]:
        """Return a parameter or measure of every run, None where it is missing."""
        if name in self.parameters:
            return [point[name] for point in self.design.points]
        if name not in self.measures:
            names = ", ".join((*self.parameters, *self.measures))
            raise ModelError(f"sweep of {self.name}: unknown column {name!r}; choose from {names}")
        return [flat_measures(row).get(name) for row in self.records]

    def __getitem__(self, name: str) -> np.ndarray:
        values = as_array(self.column(name))
        return values.reshape(self.design.shape + values.shape[1:])

    def rows(self) -> Iterable[dict[str, Any]]:
        """Yield one mapping per run: parameters, measures, outcome and error."""
        names = self.measures
        for point, row in zip(self.design.points, self.records, strict=True):
            outcome, error = ("missing", None) if row is None else (row.outcome or "FAILED", row.error)
            values = flat_measures(row)
            yield {
                **point, **{name: values.get(name) for name in names}, "outcome": outcome, "error": error
            }  # fmt: skip

    def to_dataframe(self) -> pandas.DataFrame:
        """Return a table with one row per run: parameters, measures, "outcome" and "error"."""
        pandas = import_optional("pandas")
        columns = {name: flat_column(self.column(name)) for name in (*self.parameters, *self.measures)}
        rows = list(self.rows())
        status = {name: [row[name] for row in rows] for name in ("outcome", "error")}
        return pandas.DataFrame({**columns, **status}, index=pandas.RangeIndex(len(rows), name="run"))

    def to_xarray(self) -> xarray.Dataset:
        """Return a Dataset over the parameters of a grid, or over runs; arrays have additional dimensions."""
        xarray = import_optional("xarray")
        axes = self.design.axes
        dims: tuple[str, ...]
        if axes is None:
            dims, coords = ("run",), {name: ("run", flat_column(self.column(name))) for name in self.parameters}
        else:
            dims = self.parameters
            coords = {
                name: (name, flat_column([plain_label(value) for value in values])) for name, values in axes.items()
            }
        data = {}
        for name in self.measures:
            values = self[name]
            extra_dims = tuple(f"{name}_{k}" for k in range(values.ndim - len(dims)))
            data[name] = (dims + extra_dims, values)
        rows = list(self.rows())
        for name in ("outcome", "error"):
            data[name] = (dims, flat_column([row[name] or "" for row in rows]).reshape(self.design.shape))
        return xarray.Dataset(data, coords=coords, attrs={"name": self.name})

    def to_csv(self, path: str | os.PathLike[str] | None = None) -> str:
        """Return the table as CSV text with exact numbers, and write it to ``path`` if specified."""
        text = io.StringIO()
        writer = csv.writer(text, lineterminator="\n")
        writer.writerow(["run", *self.parameters, *self.measures, "outcome", "error"])
        for index, row in enumerate(self.rows()):
            writer.writerow([index, *(cell_text(value) for value in row.values())])
        if path is not None:
            with atomic_write(path) as part:
                Path(part).write_text(text.getvalue(), encoding="utf-8")
        return text.getvalue()

    def plot(self, *measures: str, **options: Any) -> Figure:
        """Plot measures over the parameters: curves, a map of two parameters, or points of samples (`plot_sweep`)."""
        from carom.plot.sweep import plot_sweep

        selected = measures or tuple(name for name in self.measures if is_numeric(self.column(name)))
        columns = {name: self[name] for name in (*self.parameters, *selected)}
        axes = {name: [plain_label(value) for value in values] for name, values in (self.design.axes or {}).items()}
        return plot_sweep({name: columns[name] for name in selected}, axes,
                          {} if axes else {name: columns[name] for name in self.parameters},
                          **{"title": f"Sweep of {self.name}", **options})  # fmt: skip

    def plot_bifurcation(self, measure: str | None = None, **options: Any) -> Figure:
        """Plot an array-valued measure, such as a section, over the only parameter (`plot_bifurcation`)."""
        from carom.plot.bifurcation import plot_bifurcation

        if len(self.parameters) != 1:
            raise ModelError(
                f"sweep of {self.name}: a bifurcation diagram needs one parameter, got {', '.join(self.parameters)}"
            )
        name = measure or next((key for key in self.measures if not is_numeric(self.column(key))), "")
        points = [value if isinstance(value, list) else [] for value in self.column(name)]
        title = {"title": self.name, **options}
        return plot_bifurcation(self.column(self.parameters[0]), points, self.parameters[0], name, **title)

    def _repr_html_(self) -> str:
        """Return a table and a picture for notebooks."""
        from carom.plot.notebook import notebook_html

        names = (*self.parameters, *self.measures, "outcome")
        rows = [
            [short_text(row[name]) for name in names] for _, row in zip(range(MAX_PRINTED), self.rows(), strict=False)
        ]
        numeric = any(is_numeric(self.column(name)) for name in self.measures)
        return notebook_html(repr(self), table(names, rows), self.plot() if numeric else None)

    def __repr__(self) -> str:
        n_done = sum(row is not None for row in self.records)
        failed = f", {len(self.failures)} failed" if self.failures else ""
        return f"<SweepResult of {self.name} over {', '.join(self.parameters)}: {n_done} of {len(self)} runs{failed}>"

    def __str__(self) -> str:
        names = (*self.parameters, *self.measures, "outcome")
        rows = zip(range(MAX_PRINTED), self.rows(), strict=False)
        lines = align_columns([list(names), *([short_text(row[name]) for name in names] for _, row in rows)])
        more = [f"… {len(self) - MAX_PRINTED} more"] if len(self) > MAX_PRINTED else []
        failed = [f"run {index}: {error}" for index, error in list(self.failures.items())[:MAX_PRINTED]]
        return "\n".join([*lines, *more, *failed])


def flat_measures(row: SweepRow | None) -> dict[str, Any]:
    """Return the measures of a run by name; the items of a mapping are named "measure.key"."""
    measures: dict[str, Any] = {}
    for name, value in (row.values if row and row.values else {}).items():
        if isinstance(value, dict):
            measures.update({f"{name}.{key}": item for key, item in value.items()})
        else:
            measures[name] = value
    return measures


def plain_label(value: Any) -> Any:
    """Return a number or text unchanged, and the name of any other object."""
    if value is None or isinstance(value, (bool, int, float, str)):
        return value
    return getattr(value, "name", None) or type(value).__name__


def is_numeric(values: Iterable[Any]) -> bool:
    """Return True if all values are numbers or None."""
    return all(value is None or isinstance(value, (bool, int, float)) for value in values)


def flat_column(values: Sequence[Any]) -> np.ndarray:
    """Return a one-dimensional array of numbers, with NaN for None, or of objects."""
    return as_array(values) if is_numeric(values) else object_array(values)


def as_array(values: Sequence[Any]) -> np.ndarray:
    """Return an array of numbers or of equally shaped arrays, with NaN for None; otherwise an array of objects."""
    arrays = [np.asarray(value) for value in values if value is not None]
    shapes = {array.shape for array in arrays}
    if len(shapes) != 1 or any(array.dtype.kind not in "bif" for array in arrays):
        return object_array(
            value if value is None or isinstance(value, list) else plain_label(value) for value in values
        )
    if len(arrays) == len(values):
        return np.array(arrays)
    blank = np.full(shapes.pop(), np.nan)
    return np.array([blank if value is None else np.asarray(value, float) for value in values])


def cell_text(value: Any) -> str:
    """Return a value for a CSV file: exact numbers, arrays as JSON."""
    if value is None:
        return ""
    return json.dumps(value) if isinstance(value, (list, dict)) else str(plain_label(value))


def short_text(value: Any) -> str:
    """Return a value for a printed table, rounded."""
    if isinstance(value, list):
        return f"[{len(value)} values]"
    return f"{value:.5g}" if isinstance(value, float) else cell_text(value)


def align_columns(rows: Sequence[Sequence[str]]) -> list[str]:
    """Return the rows of a table as lines with right-aligned columns."""
    widths = [max(len(row[column]) for row in rows) for column in range(len(rows[0]))]
    return ["  ".join(cell.rjust(width) for cell, width in zip(row, widths, strict=True)).rstrip() for row in rows]
