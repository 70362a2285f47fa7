"""Measured data: time series and impact quantities, read from files, mappings or data frames."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import Any

import numpy as np

from carom.argument_checks import finite_float, short_repr
from carom.errors import ModelError
from carom.result.impact_records import ImpactRecord
from carom.study.fitting.csv_reader import read_csv

TIME_COLUMNS = ("t", "time")
IMPACT_QUANTITIES = (
    *(field.name for field in fields(ImpactRecord) if field.type in ("float", "int")), "restitution", "duration"
)  # fmt: skip
"""Quantities of an impact that can be compared with data."""
START = "t_start"
IMPACTS = "impacts"


@dataclass
class MeasuredData:
    """Time series at the times ``t`` [s], and impact quantities with one value per impact; gaps are NaN."""

    t: np.ndarray = field(default_factory=lambda: np.zeros(0))
    series: dict[str, np.ndarray] = field(default_factory=dict)
    events: dict[str, np.ndarray] = field(default_factory=dict)
    contact: str | None = None
    """Name of the contact whose impacts were measured; None if the model has only one."""
    source: str = "data"

    @property
    def columns(self) -> dict[str, np.ndarray]:
        """All columns to compare; impact quantities are named "impacts.t_start" and so on."""
        return {**self.series, **{f"{IMPACTS}.{name}": values for name, values in self.events.items()}}

    @property
    def last(self) -> float:
        """Last measured time [s]."""
        times = [self.t, self.events.get(START, np.zeros(0))]
        return float(np.nanmax(np.concatenate(times), initial=0.0))


def measured_data(
    data: Any, columns: Mapping[str, str | None] | None = None, contact: str | None = None
) -> MeasuredData:
    """Return measured data from a CSV file, a dict of arrays, a DataFrame or a list of impact times.

    A table has a column ``t`` [s] and series named as in a result ("block.vx"), or impact quantities (``t_start``,
    ``approach_speed``, ``separation_speed`` …) with one row per impact in their order. In a dict the key "impacts"
    holds these quantities, as a list of times or as a dict. ``columns`` renames columns, for example
    {"F": "touch.normal_force", "note": None}; None omits a column.
    """
    if isinstance(data, MeasuredData):
        return data
    source = "data"
    if isinstance(data, (str, os.PathLike)):
        source = str(data)
        data = read_csv(Path(data), {name for name, other in (columns or {}).items() if other is None})
    elif hasattr(data, "columns") and hasattr(data, "index"):
        data = frame_columns(data)
    elif not isinstance(data, Mapping):
        data = {IMPACTS: data}
    table = dict(data)
    for name, new_name in (columns or {}).items():
        if name not in table and new_name is not None:
            raise ModelError(
                f"{source}: column {name!r} to rename is not found; choose from {', '.join(map(str, table))}"
            )
        values = table.pop(name, None)
        if new_name is not None:
            table[new_name] = values
    events = table.pop(IMPACTS, {})
    if not isinstance(events, Mapping):
        events = {START: events}
    table = {str(name): as_floats(source, str(name), values) for name, values in table.items()}
    if table and set(table) <= set(IMPACT_QUANTITIES):
        events, table = {**events, **table}, {}
    result = MeasuredData(contact=contact, source=source)
    result.events = {
        START if name in TIME_COLUMNS else name: as_floats(source, f"{IMPACTS}.{name}", values)
        for name, values in events.items()
    }
    if table:
        set_series(result, table)
    check_data(result)
    return result


def frame_columns(frame: Any) -> dict[str, Any]:
    """Return the columns of a DataFrame, with its index as ``t`` if the index is the time."""
    table = {str(name): frame[name].to_numpy() for name in frame.columns}
    if not any(name in table for name in (*TIME_COLUMNS, *IMPACT_QUANTITIES)) and frame.index.name in TIME_COLUMNS:
        table["t"] = frame.index.to_numpy()
    return table


def set_series(data: MeasuredData, table: dict[str, np.ndarray]) -> None:
    """Store the series of a table, sorted by time; rows without a time are omitted."""
    time_column = next((name for name in TIME_COLUMNS if name in table), None)
    if time_column is None:
        raise ModelError(
            f"{data.source}: needs a column t of times [s], or only columns of impacts "
            f"({', '.join(IMPACT_QUANTITIES)}), got {', '.join(table)}"
        )
    t = table.pop(time_column)
    for name, values in table.items():
        if values.shape != t.shape:
            raise ModelError(f"{data.source}: {name} must have one value per time, got {len(values)} for {len(t)}")
    order = np.argsort(t, kind="stable")
    order = order[np.isfinite(t[order])]
    data.t = t[order]
    data.series = {name: values[order] for name, values in table.items()}


def check_data(data: MeasuredData) -> None:
    """Raise if the data cannot be compared with a run."""
    lengths = {name: len(values) for name, values in data.events.items()}
    if len(set(lengths.values())) > 1:
        raise ModelError(f"{data.source}: impact quantities must have one value per impact, got {lengths} values")
    for name in data.events:
        if name not in IMPACT_QUANTITIES:
            raise ModelError(
                f"{data.source}: unknown impact quantity {name!r}; choose from {', '.join(IMPACT_QUANTITIES)}"
            )
    if not data.columns:
        raise ModelError(f"{data.source}: nothing to compare; add a series to t, or specify impact times")
    if len(data.t) and data.t[0] < 0.0:
        raise ModelError(
            f"{data.source}: t must be counted from the start of the run (0 s), got {data.t[0]:g} s; shift the times"
        )
    if not data.last > 0.0:
        raise ModelError(f"{data.source}: the last time must be positive, got {data.last:g} s")
    for name, values in data.columns.items():
        if not np.any(np.isfinite(values)):
            raise ModelError(f"{data.source}: {name} contains no finite number")


def as_floats(source: str, name: str, values: Any) -> np.ndarray:
    """Return the values as a one-dimensional array of floats; None becomes NaN."""
    if isinstance(values, str) or not isinstance(values, (Sequence, np.ndarray)):
        raise ModelError(f"{source}: {name} must be a list of numbers, got {short_repr(values)}")
    try:
        array = np.array([np.nan if value is None else value for value in values], dtype=float)
    except (TypeError, ValueError, OverflowError):
        raise ModelError(f"{source}: {name} must be a list of numbers, got {short_repr(values)}") from None
    if array.ndim != 1 or np.any(np.isinf(array)):
        raise ModelError(f"{source}: {name} must be a list of finite numbers, with NaN for gaps")
    return array


def standard_deviations(data: MeasuredData, sigma: Any) -> dict[str, np.ndarray] | None:
    """Return the standard deviation of every sample by column, or None if ``sigma`` is None.

    ``sigma`` is a number, a percentage of the largest magnitude of a column ("1%"), an array with one value per
    sample, or a mapping of the column names to these.
    """
    if sigma is None:
        return None
    by_column = sigma if isinstance(sigma, Mapping) else dict.fromkeys(data.columns, sigma)
    missing = [name for name in data.columns if name not in by_column]
    unknown = [name for name in by_column if name not in data.columns]
    if missing or unknown:
        raise ModelError(
            f"fit: sigma must name the columns {', '.join(data.columns)}; "
            + (f"missing: {', '.join(missing)}" if missing else f"unknown: {', '.join(map(str, unknown))}")
        )
    result = {}
    for name, values in data.columns.items():
        value = by_column[name]
        if isinstance(value, str) and value.strip().endswith("%"):
            value = fraction_from_percentage(f"sigma of {name}", value) * float(np.nanmax(np.abs(values)))
        array = (
            np.asarray(value, float) if np.ndim(value) else np.full(len(values), finite_float("fit", "sigma", value))
        )
        if array.shape != values.shape or not np.all(array > 0.0):
            raise ModelError(
                f"fit: sigma of {name} must be one positive number or {len(values)} of them, got {short_repr(value)}"
            )
        result[name] = array
    return result


def fraction_from_percentage(what: str, text: str) -> float:
    """Return the fraction [-] of a percentage such as "1%"."""
    try:
        return float(text.strip()[:-1]) / 100.0
    except ValueError:
        raise ModelError(f"fit: {what} must be a number or a percentage such as '1%', got {short_repr(text)}") from None
