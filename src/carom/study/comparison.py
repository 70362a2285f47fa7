"""A model beside measured data: the same columns, at the same times, for any values of its parameters."""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from carom.errors import CaromWarning, ModelError
from carom.result.impact_records import ImpactTable
from carom.result.result import Result
from carom.study.measure import Unmeasurable, series
from carom.study.measured import START, Measured
from carom.study.subject import Subject
from carom.study.unknowns import Unknown

FAILURES = (ValueError, ArithmeticError, RuntimeError, np.linalg.LinAlgError)
"""What a run may raise at values that make no sense; a fit goes on elsewhere."""

TIGHT = {"rtol": 1e-9, "atol": 1e-12}
STEPS, COARSE = 1e-4, 1e-2
"""Relative steps of differences: of runs that are smooth in their parameters, and of time stepping, which is not."""
BEYOND = 1.5
"""Of the last impact seen: when runs end, so that impacts that come late are there."""
CONTINUOUS = ("x", "y", "z", "angle", "value")
"""Series that do not jump in an impact."""


class Comparison:
    """Runs a subject and reads off it what was measured.

    Samples that are closer to an impact than ``guard`` sampling intervals, where the impact is shorter than one, say
    only on which side of it they are; they are left out of series that jump (`near`).
    """

    def __init__(
        self,
        one: Subject,
        data: Measured,
        unknowns: Sequence[Unknown],
        held: Mapping[str, Any],
        guard: float,
    ):
        self.one, self.data, self.unknowns, self.held, self.guard = one, data, unknowns, dict(held), guard
        self.runs = self.failed = 0
        self.step = STEPS
        self.trouble: str | None = None
        t_end = max(float(data.t[-1]) if len(data.t) else 0.0, BEYOND * last_impact(data))
        self.options: dict[str, Any] = {"t_end": t_end, "progress": False}
        self.columns = list(data.columns)
        values = np.concatenate([data.columns[name] for name in self.columns])
        self.column = np.repeat(np.arange(len(self.columns)), [len(data.columns[name]) for name in self.columns])
        self.known = np.isfinite(values)
        self.y = values[self.known]
        self.column = self.column[self.known]
        self._cache: dict[bytes, tuple[np.ndarray, np.ndarray] | None] = {}

    def prepare(self, start: np.ndarray) -> bool:
        """Run once as the subject runs by itself, see that names are right, and choose options for exact runs.

        False where that run fails.
        """
        values = self.values(start)
        self.one.divide(values)
        self.runs += 1
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", CaromWarning)
                result = self.one.run(values, **self.options)
        except FAILURES as error:
            self.failed, self.trouble = self.failed + 1, str(error)
            return False
        if not result.outcome.ok:
            self.failed, self.trouble = self.failed + 1, result.message
            return False
        self.read(result)
        mine: dict[str, Any] = {key: value for key, value in TIGHT.items() if key not in self.held}
        if result.settings["method"] == "nonsmooth" and result.settings["scheme"] != "event-driven":
            if "scheme" in self.held or not self.can(values, scheme="event-driven", **mine):
                self.step = COARSE
                return True
            mine["scheme"] = "event-driven"
        elif result.settings.get("integrator") == "verlet":
            self.step = COARSE
            return True
        self.options.update(mine)
        return True

    def can(self, values: Mapping[str, Any], **more: Any) -> bool:
        """Whether a run is possible with these options."""
        self.runs += 1
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", CaromWarning)
                return self.one.run(values, **{**self.options, **more}).outcome.ok
        except FAILURES:
            return False

    def values(self, places: np.ndarray) -> dict[str, Any]:
        found = {one.name: one.outer(float(place)) for one, place in zip(self.unknowns, places, strict=True)}
        return {**self.held, **found}

    def run(self, places: np.ndarray) -> Result:
        """One run, with its warnings."""
        more = {"output": self.data.t[self.data.t > 0.0]} if len(self.data.t) else {}
        if not len(more.get("output", ())) or self.step != STEPS:
            more = {}
        return self.one.run(self.values(places), **{**self.options, **more})

    def predict(self, places: np.ndarray) -> np.ndarray | None:
        """What the model says where something was measured; None where its run fails."""
        found = self.look(places)
        return None if found is None else found[0]

    def near(self, places: np.ndarray) -> np.ndarray:
        """Samples that are too close to an impact to be compared."""
        found = self.look(places)
        return np.zeros(len(self.y), bool) if found is None else found[1]

    def look(self, places: np.ndarray) -> tuple[np.ndarray, np.ndarray] | None:
        key = np.asarray(places, float).tobytes()
        if key not in self._cache:
            self.runs += 1
            self._cache[key] = None
            try:
                with warnings.catch_warnings():
                    warnings.simplefilter("ignore", CaromWarning)
                    result = self.run(places)
                if result.outcome.ok:
                    self._cache[key] = self.read(result), self.close(result)
                else:
                    self.trouble = result.message
            except FAILURES as error:
                self.trouble = str(error)
            self.failed += self._cache[key] is None
        return self._cache[key]

    def read(self, result: Result) -> np.ndarray:
        """The columns of a run, where they were measured."""
        found = []
        if self.data.series:
            there = result.sample(np.minimum(self.data.t, result.t[-1]))
            found += [series_of(there, name) for name in self.data.series]
        impacts = impacts_seen(result, self.data.contact)
        for name, values in self.data.events.items():
            found.append(of_impacts(impacts, name, len(values), float(result.t[-1])))
        values = np.concatenate(found)[self.known]
        if not np.all(np.isfinite(values)):
            raise ModelError("the run has values that are not finite numbers")
        return values

    def close(self, result: Result) -> np.ndarray:
        """See `near`."""
        t, interval = self.data.t, np.median(np.diff(self.data.t)) if len(self.data.t) > 1 else 0.0
        inside = np.zeros(len(t), bool)
        for impact in result.impacts:
            if impact.duration < interval and impact.t_start > 0.0:
                middle, half = 0.5 * (impact.t_start + impact.t_end), 0.5 * impact.duration
                inside |= np.abs(t - middle) < half + self.guard * interval
        none = np.zeros(len(t), bool)
        parts = [none if name.rpartition(".")[2] in CONTINUOUS else inside for name in self.data.series]
        parts += [np.zeros(len(values), bool) for values in self.data.events.values()]
        return np.concatenate(parts)[self.known]

    def jacobian(self, places: np.ndarray) -> np.ndarray:
        """d predicted / d place, by central differences; by one side at a bound or where a run fails."""
        here = self.predict(places)
        out = np.zeros((len(self.y), len(places)))
        if here is None:
            return out
        for k, one in enumerate(self.unknowns):
            sides = []
            for sign in (1.0, -1.0):
                other = np.array(places, float)
                other[k] = np.clip(places[k] + sign * one.step(self.step), 0.0, 1.0)
                told = None if other[k] == places[k] else self.predict(other)
                sides.append((places[k], here) if told is None else (other[k], told))
            (ahead, high), (behind, low) = sides
            if ahead > behind:
                out[:, k] = (high - low) / (ahead - behind)
        return out


def last_impact(data: Measured) -> float:
    return float(np.nanmax(data.events[START])) if START in data.events else 0.0


def series_of(result: Result, name: str) -> np.ndarray:
    """A series by its name: "body.vx", "element.signal", "energy.total"."""
    try:
        return series(result, name)
    except Unmeasurable as error:
        raise ModelError(
            f"the column {name!r} is no series of the run ({error}); give its name by "
            f"columns={{{name!r}: 'body.series'}}, or leave it out with columns={{{name!r}: None}}"
        ) from None


def impacts_seen(result: Result, contact: str | None) -> ImpactTable:
    """Impacts that an instrument would see: those that were not there at the start."""
    found = result.impacts if contact is None else result.impacts.of(contact)
    names = sorted({impact.contact for impact in found})
    if len(names) > 1:
        several = ", ".join(names)
        raise ModelError(f"impacts of several contacts, {several}: say which were measured, contact={names[0]!r}")
    return ImpactTable(impact for impact in found if impact.t_start > 0.0)


def of_impacts(impacts: ImpactTable, name: str, count: int, end: float) -> np.ndarray:
    """``name`` of the first ``count`` impacts; those that do not come within the run come at its end, with nothing."""
    found = [float(getattr(impact, name)) for impact in impacts[:count]]
    late = end if name in (START, "t_end") else 0.0
    return np.nan_to_num(np.array(found + [late] * (count - len(found))), nan=0.0)
