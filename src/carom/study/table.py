"""What came out of a sweep, run by run."""

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
from carom.study.design import Design
from carom.study.identity import identity

if TYPE_CHECKING:
    import pandas
    import xarray
    from matplotlib.figure import Figure

SHOWN = 12
"""Rows that are printed."""


@dataclass(frozen=True)
class Record:
    """One run: its measures and how it ended, or why there is nothing."""

    values: Mapping[str, Any] | None = None
    outcome: str = ""
    error: str | None = None

    def to_line(self, number: int, point: Mapping[str, Any]) -> dict[str, Any]:
        """As a line of a file."""
        if self.error is not None:
            return {"run": number, "at": identity(point), "error": self.error}
        return {"run": number, "at": identity(point), "outcome": self.outcome, "values": self.values}

    @classmethod
    def from_line(cls, line: Mapping[str, Any]) -> Record | None:
        """What a line of a journal says; None where that is nothing of a run."""
        values, outcome, error = line.get("values"), line.get("outcome", ""), line.get("error")
        known = isinstance(values, dict | None) and isinstance(outcome, str) and isinstance(error, str | None)
        return cls(values, outcome, error) if known and (values is None) != (error is None) else None


class Sweep:
    """The runs of a sweep in the order of its points; None where a run is still missing.

    ``sweep["impacts.count"]`` is a measure (or parameter) as an array, in the shape of the grid.
    """

    def __init__(self, name: str, design: Design, records: Sequence[Record | None]):
        self.name, self.design, self.records = name, design, list(records)

    def __len__(self) -> int:
        return len(self.records)

    @property
    def parameters(self) -> tuple[str, ...]:
        return self.design.names

    @property
    def complete(self) -> bool:
        return all(record is not None for record in self.records)

    @property
    def failures(self) -> dict[int, str]:
        """What runs raised, by their number."""
        found = ((number, record) for number, record in enumerate(self.records))
        return {number: record.error for number, record in found if record is not None and record.error is not None}

    @property
    def measures(self) -> tuple[str, ...]:
        """Columns of numbers; a mapping has one for each of its keys."""
        return tuple(dict.fromkeys(name for record in self.records for name in flat(record)))

    def column(self, name: str) -> list[Any]:
        """A parameter or measure of every run; None where there is none."""
        if name in self.parameters:
            return [point[name] for point in self.design.points]
        if name not in self.measures:
            has = ", ".join((*self.parameters, *self.measures))
            raise ModelError(f"the sweep of {self.name} has no {name!r}; it has {has}")
        return [flat(record).get(name) for record in self.records]

    def __getitem__(self, name: str) -> np.ndarray:
        values = array(self.column(name))
        return values.reshape(self.design.shape + values.shape[1:])

    def rows(self) -> Iterable[dict[str, Any]]:
        """One mapping a run: its parameters, its measures, how it ended and what it raised."""
        for point, record in zip(self.design.points, self.records, strict=True):
            ended = ("missing", None) if record is None else (record.outcome or "FAILED", record.error)
            values = flat(record)
            yield {
                **point, **{name: values.get(name) for name in self.measures}, "outcome": ended[0], "error": ended[1]
            }  # fmt: skip

    def to_dataframe(self) -> pandas.DataFrame:
        """One row a run: parameters, measures, "outcome" and "error"."""
        pandas = import_optional("pandas")
        columns = {name: column_of(self.column(name)) for name in (*self.parameters, *self.measures)}
        rows = list(self.rows())
        ended = {name: [row[name] for row in rows] for name in ("outcome", "error")}
        return pandas.DataFrame({**columns, **ended}, index=pandas.RangeIndex(len(rows), name="run"))

    def to_xarray(self) -> xarray.Dataset:
        """A Dataset over the parameters of a grid, or over runs; arrays have further dimensions of their own."""
        xarray = import_optional("xarray")
        axes = self.design.axes
        dims: tuple[str, ...]
        if axes is None:
            dims, coords = ("run",), {name: ("run", column_of(self.column(name))) for name in self.parameters}
        else:
            dims = self.parameters
            coords = {name: (name, column_of([plain(value) for value in values])) for name, values in axes.items()}
        data = {}
        for name in self.measures:
            values = self[name]
            more = tuple(f"{name}_{k}" for k in range(values.ndim - len(dims)))
            data[name] = (dims + more, values)
        rows = list(self.rows())
        for name in ("outcome", "error"):
            data[name] = (dims, column_of([row[name] or "" for row in rows]).reshape(self.design.shape))
        return xarray.Dataset(data, coords=coords, attrs={"name": self.name})

    def to_csv(self, path: str | os.PathLike[str] | None = None) -> str:
        """The table as text, every number to its last bit; ``path`` is a file to write as well."""
        text = io.StringIO()
        writer = csv.writer(text, lineterminator="\n")
        writer.writerow(["run", *self.parameters, *self.measures, "outcome", "error"])
        for number, row in enumerate(self.rows()):
            writer.writerow([number, *(cell(value) for value in row.values())])
        if path is not None:
            with atomic_write(path) as part:
                Path(part).write_text(text.getvalue(), encoding="utf-8")
        return text.getvalue()

    def plot(self, *measures: str, **options: Any) -> Figure:
        """Measures over the parameters: curves, a map of two parameters, or points of samples (`plot_sweep`)."""
        from carom.plot.sweep import plot_sweep

        chosen = measures or tuple(name for name in self.measures if numeric(self.column(name)))
        columns = {name: self[name] for name in (*self.parameters, *chosen)}
        axes = {name: [plain(value) for value in values] for name, values in (self.design.axes or {}).items()}
        return plot_sweep({name: columns[name] for name in chosen}, axes,
                          {} if axes else {name: columns[name] for name in self.parameters},
                          **{"title": f"Sweep of {self.name}", **options})  # fmt: skip

    def plot_bifurcation(self, measure: str | None = None, **options: Any) -> Figure:
        """An array-valued measure, such as a section, over the one parameter of the sweep (`plot_bifurcation`)."""
        from carom.plot.bifurcation import plot_bifurcation

        if len(self.parameters) != 1:
            raise ModelError(f"a bifurcation diagram has one parameter, this sweep has {', '.join(self.parameters)}")
        name = measure or next((one for one in self.measures if not numeric(self.column(one))), "")
        clouds = [value if isinstance(value, list) else [] for value in self.column(name)]
        title = {"title": self.name, **options}
        return plot_bifurcation(self.column(self.parameters[0]), clouds, self.parameters[0], name, **title)

    def __repr__(self) -> str:
        done = sum(record is not None for record in self.records)
        failed = f", {len(self.failures)} failed" if self.failures else ""
        return f"<Sweep of {self.name} over {', '.join(self.parameters)}: {done} of {len(self)} runs{failed}>"

    def __str__(self) -> str:
        names = (*self.parameters, *self.measures, "outcome")
        table = [[short(row[name]) for name in names] for _, row in zip(range(SHOWN), self.rows(), strict=False)]
        lines = aligned([list(names), *table])
        more = [f"… {len(self) - SHOWN} more"] if len(self) > SHOWN else []
        failed = [f"run {number}: {error}" for number, error in list(self.failures.items())[:SHOWN]]
        return "\n".join([*lines, *more, *failed])


def flat(record: Record | None) -> dict[str, Any]:
    """Measures by name, mappings taken apart."""
    found: dict[str, Any] = {}
    for name, value in (record.values if record and record.values else {}).items():
        if isinstance(value, dict):
            found.update({f"{name}.{key}": item for key, item in value.items()})
        else:
            found[name] = value
    return found


def plain(value: Any) -> Any:
    """Of an object, its name."""
    if value is None or isinstance(value, (bool, int, float, str)):
        return value
    return getattr(value, "name", None) or type(value).__name__


def numeric(values: Iterable[Any]) -> bool:
    return all(value is None or isinstance(value, (bool, int, float)) for value in values)


def column_of(values: Sequence[Any]) -> np.ndarray:
    """One-dimensional: numbers, with not-a-number for None, or objects."""
    if numeric(values):
        return array(values)
    found = np.empty(len(values), object)
    found[:] = values
    return found


def array(values: Sequence[Any]) -> np.ndarray:
    """Numbers, or equal arrays of them, with not-a-number where there are none; else objects."""
    there = [np.asarray(value) for value in values if value is not None]
    shapes = {item.shape for item in there}
    if len(shapes) != 1 or any(item.dtype.kind not in "bif" for item in there):
        found = np.empty(len(values), object)
        found[:] = [value if value is None or isinstance(value, list) else plain(value) for value in values]
        return found
    if len(there) == len(values):
        return np.array(there)
    blank = np.full(shapes.pop(), np.nan)
    return np.array([blank if value is None else np.asarray(value, float) for value in values])


def cell(value: Any) -> str:
    """For a file: numbers to the last bit, arrays as JSON."""
    if value is None:
        return ""
    return json.dumps(value) if isinstance(value, (list, dict)) else str(plain(value))


def short(value: Any) -> str:
    """For the eye."""
    if isinstance(value, list):
        return f"[{len(value)} values]"
    return f"{value:.5g}" if isinstance(value, float) else cell(value)


def aligned(rows: Sequence[Sequence[str]]) -> list[str]:
    widths = [max(len(row[column]) for row in rows) for column in range(len(rows[0]))]
    return ["  ".join(one.rjust(width) for one, width in zip(row, widths, strict=True)).rstrip() for row in rows]
