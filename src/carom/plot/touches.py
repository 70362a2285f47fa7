"""Contacts as figures need them: which contact, which impact, and what was measured along it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from carom.errors import ModelError
from carom.result.impact_records import ImpactRecord
from carom.result.name_lookup import name_of
from carom.result.result import Result
from carom.result.series import ElementSeries

Results = Result | Mapping[str, Result]
"""One run, or several to be overlaid, by the names they have in the legend."""


@dataclass(frozen=True)
class Touch:
    """A contact while the bodies touch: time [s], indentation [m], its rate [m/s], normal force [N].

    Several impacts stand one after the other, with not-a-number between them.
    """

    t: np.ndarray
    indentation: np.ndarray
    rate: np.ndarray
    force: np.ndarray


def named(results: Results) -> dict[str, Result]:
    """Runs by name; one alone has its own."""
    if isinstance(results, Result):
        return {results.name: results}
    if not results:
        raise ModelError("plot: expected a result, or several by name, got none")
    return dict(results)


def contact_of(result: Result, contact: Any) -> ElementSeries:
    """The series of a contact, by its name or itself."""
    series = result[contact]
    if not isinstance(series, ElementSeries) or "indentation" not in series.names:
        contacts = [element.name for element in result.elements if element.family == "contact"]
        has = f"it has {', '.join(map(repr, contacts))}" if contacts else "it has none"
        raise ModelError(f"plot: {name_of(contact)!r} is no contact of the result {result.name!r}; {has}")
    return series


def impact_of(result: Result, contact: Any, impact: int | ImpactRecord) -> ImpactRecord:
    """An impact of ``contact``: itself, or by its number, counted from 0 (from −1 backwards)."""
    contact_of(result, contact)
    if isinstance(impact, ImpactRecord):
        return impact
    impacts = result.impacts.of(contact)
    if not -len(impacts) <= impact < len(impacts):
        raise ModelError(
            f"plot: contact {name_of(contact)!r} of the result {result.name!r} has {len(impacts)} impacts, "
            f"there is no number {impact}"
        )
    return impacts[impact]


def touch(result: Result, contact: Any, impact: int | ImpactRecord | None = None) -> Touch:
    """What was measured during one ``impact`` of a contact, or during all of them."""
    series = contact_of(result, contact)
    chosen: Iterable[ImpactRecord] = (
        result.impacts.of(contact) if impact is None else [impact_of(result, contact, impact)]
    )
    columns = np.column_stack([series.t, series.indentation, series.rate, series.normal_force])
    pieces: list[np.ndarray] = []
    for one in chosen:
        # Where a contact begins and ends there are two nodes: the second one is inside, then the first one.
        start = np.searchsorted(series.t, one.t_start, side="right") - 1
        stop = np.searchsorted(series.t, one.t_end, side="left")
        if series.t[start] < one.t_start:
            start += 1
        if pieces:
            pieces.append(np.full((1, 4), np.nan))
        pieces.append(columns[start : stop + 1])
    return Touch(*np.concatenate([np.zeros((0, 4)), *pieces]).T)


def window(
    result: Result, contact: Any, impact: int | ImpactRecord | None, margin: float
) -> tuple[float, float, float]:
    """From when to when an impact is shown, with ``margin`` durations before and after it, and when it begins [s].

    Without an impact the whole run, that begins at 0.
    """
    start, stop = float(result.t[0]), float(result.t[-1])
    if impact is None:
        return start, stop, 0.0
    one = impact_of(result, contact, impact)
    more = margin * one.duration
    return max(start, one.t_start - more), min(stop, one.t_end + more), one.t_start
