"""Measured data: series over time, and impacts in their order."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import Any

import numpy as np

from carom.errors import ModelError, shown
from carom.result.impact_records import ImpactRecord
from carom.study.table_file import read_table

TIMES = ("t", "time")
EVENTS = (*(field.name for field in fields(ImpactRecord) if field.type in ("float", "int")), "restitution", "duration")
"""What can be measured of an impact."""
START = "t_start"
IMPACTS = "impacts"


@dataclass
class Measured:
    """Series by name at times ``t`` [s], and numbers of impacts by name, one for every impact; gaps are NaN."""

    t: np.ndarray = field(default_factory=lambda: np.zeros(0))
    series: dict[str, np.ndarray] = field(default_factory=dict)
    events: dict[str, np.ndarray] = field(default_factory=dict)
    contact: str | None = None
    """The contact whose impacts were seen; None where there is one only."""
    source: str = "data"

    @property
    def columns(self) -> dict[str, np.ndarray]:
        """Everything that is compared; numbers of impacts are called "impacts.t_start" and so on."""
        return {**self.series, **{f"{IMPACTS}.{name}": values for name, values in self.events.items()}}

    @property
    def last(self) -> float:
        """The last time [s] at which something was seen."""
        times = [self.t, self.events.get(START, np.zeros(0))]
        return float(np.nanmax(np.concatenate(times), initial=0.0))


def measured(data: Any, columns: Mapping[str, str | None] | None = None, contact: str | None = None) -> Measured:
    """Data as they come: a CSV file, a dict of arrays, a DataFrame, a list of times of impacts.

    A table has a column ``t`` [s] and series by the names of a result ("block.vx"), or numbers of impacts
    (``t_start``, ``approach_speed``, ``separation_speed`` …), one row for each in its order. In a dict the key
    "impacts" holds these, as a list of times or a dict. ``columns`` gives other names: {"F": "touch.normal_force",
    "note": None}, where None leaves a column out.
    """
    if isinstance(data, Measured):
        return data
    source = "data"
    if isinstance(data, (str, os.PathLike)):
        source = str(data)
        data = read_table(Path(data), {name for name, other in (columns or {}).items() if other is None})
    elif hasattr(data, "columns") and hasattr(data, "index"):
        data = of_frame(data)
    elif not isinstance(data, Mapping):
        data = {IMPACTS: data}
    table = dict(data)
    for name, other in (columns or {}).items():
        if name not in table and other is not None:
            raise ModelError(f"{source} has no column {name!r} to rename; it has {', '.join(map(str, table))}")
        found = table.pop(name, None)
        if other is not None:
            table[other] = found
    events = table.pop(IMPACTS, {})
    if not isinstance(events, Mapping):
        events = {START: events}
    table = {str(name): numbers(source, str(name), values) for name, values in table.items()}
    if table and set(table) <= set(EVENTS):
        events, table = {**events, **table}, {}
    made = Measured(contact=contact, source=source)
    made.events = {
        START if name in TIMES else name: numbers(source, f"{IMPACTS}.{name}", values)
        for name, values in events.items()
    }
    if table:
        take_series(made, table)
    return checked(made)


def of_frame(frame: Any) -> dict[str, Any]:
    """The columns of a DataFrame; its index where that is the time."""
    table = {str(name): frame[name].to_numpy() for name in frame.columns}
    if not any(name in table for name in (*TIMES, *EVENTS)) and frame.index.name in TIMES:
        table["t"] = frame.index.to_numpy()
    return table


def take_series(made: Measured, table: dict[str, np.ndarray]) -> None:
    """A table over time, put in order of it; rows without a time are left out."""
    times = next((name for name in TIMES if name in table), None)
    if times is None:
        known = f"or those of impacts, {', '.join(EVENTS)}"
        raise ModelError(f"{made.source} needs a column t of times [s], {known}; it has {', '.join(table)}")
    t = table.pop(times)
    for name, values in table.items():
        if values.shape != t.shape:
            raise ModelError(f"{made.source}: {name} has {len(values)} values for {len(t)} times")
    order = np.argsort(t, kind="stable")
    order = order[np.isfinite(t[order])]
    made.t = t[order]
    made.series = {name: values[order] for name, values in table.items()}


def checked(made: Measured) -> Measured:
    """Refuse what cannot be compared with a run."""
    lengths = {name: len(values) for name, values in made.events.items()}
    if len(set(lengths.values())) > 1:
        raise ModelError(f"{made.source}: each number of the impacts needs one value an impact, got {lengths}")
    for name in made.events:
        if name not in EVENTS:
            raise ModelError(f"{made.source}: an impact has no {name!r}; it has {', '.join(EVENTS)}")
    if not made.columns:
        raise ModelError(f"{made.source}: there is nothing to compare; give a series beside t, or times of impacts")
    if len(made.t) and made.t[0] < 0.0:
        raise ModelError(f"{made.source}: t must begin at 0, the start of the run, or later; got {made.t[0]:g} s")
    if not made.last > 0.0:
        raise ModelError(f"{made.source}: times must be positive, the run starts at 0; the last is {made.last:g} s")
    for name, values in made.columns.items():
        if not np.any(np.isfinite(values)):
            raise ModelError(f"{made.source}: {name} has no number in it")
    return made


def numbers(source: str, name: str, values: Any) -> np.ndarray:
    """Floats in a row; None is a gap."""
    if isinstance(values, str) or not isinstance(values, (Sequence, np.ndarray)):
        raise ModelError(f"{source}: {name} must be a list of numbers, got {shown(values)}")
    try:
        made = np.array([np.nan if value is None else value for value in values], dtype=float)
    except (TypeError, ValueError, OverflowError):
        raise ModelError(f"{source}: {name} must be a list of numbers, got {shown(values)}") from None
    if made.ndim != 1 or np.any(np.isinf(made)):
        raise ModelError(f"{source}: {name} must be a list of finite numbers, with NaN for gaps")
    return made
