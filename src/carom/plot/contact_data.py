"""Data of contacts for figures: selection of contacts and impacts, samples while the bodies touch."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from carom.errors import ModelError
from carom.result.contact_spans import joined_spans, span_nodes
from carom.result.impact_records import ImpactRecord
from carom.result.name_lookup import name_of
from carom.result.result import Result
from carom.result.series import ElementSeries
from carom.typing import ElementLike

Results = Result | Mapping[str, Result]
"""One run, or several by the names that the legend shows."""


@dataclass(frozen=True)
class ContactSamples:
    """Samples of a contact while the bodies touch: time [s], indentation [m], its rate [m/s], normal force [N].

    Successive impacts are separated by NaN.
    """

    t: np.ndarray
    indentation: np.ndarray
    indentation_rate: np.ndarray
    force: np.ndarray


def results_by_name(results: Results) -> dict[str, Result]:
    """Return runs by name; a single run has its own name."""
    if isinstance(results, Result):
        return {results.name: results}
    if not results:
        raise ModelError("plot: expected a result or a mapping of names to results, got an empty mapping")
    return dict(results)


def contact_series(result: Result, contact: ElementLike) -> ElementSeries:
    """Return the series of a contact, given by name or as an object."""
    series = result[contact]
    if not isinstance(series, ElementSeries) or "indentation" not in series.names:
        contacts = [element.name for element in result.elements if element.family == "contact"]
        advice = f"choose from {', '.join(map(repr, contacts))}" if contacts else "it has no contacts"
        raise ModelError(f"plot: unknown contact {name_of(contact)!r} in result {result.name!r}; {advice}")
    return series


def find_impact(result: Result, contact: ElementLike, impact: int | ImpactRecord) -> ImpactRecord:
    """Return an impact of ``contact``, given as an object or by its index (from 0, or from −1 backwards)."""
    contact_series(result, contact)
    if isinstance(impact, ImpactRecord):
        return impact
    impacts = result.impacts.of(contact)
    if not -len(impacts) <= impact < len(impacts):
        raise ModelError(
            f"plot: contact {name_of(contact)!r} in result {result.name!r} has {len(impacts)} impacts, "
            f"got impact={impact}; choose an index below that number"
        )
    return impacts[impact]


def contact_samples(result: Result, contact: ElementLike, impact: int | ImpactRecord | None = None) -> ContactSamples:
    """Return the samples during one ``impact`` of a contact, or while any of its points touches."""
    series = contact_series(result, contact)
    selected = result.impacts.of(contact) if impact is None else [find_impact(result, contact, impact)]
    columns = np.column_stack([series.t, series.indentation, series.indentation_rate, series.normal_force])
    segments: list[np.ndarray] = []
    for t_start, t_end in joined_spans(selected):
        if segments:
            segments.append(np.full((1, 4), np.nan))
        segments.append(columns[span_nodes(series.t, t_start, t_end)])
    return ContactSamples(*np.concatenate([np.zeros((0, 4)), *segments]).T)


def impact_time_span(
    result: Result, contact: ElementLike | None, impact: int | ImpactRecord | None, margin: float
) -> tuple[float, float, float]:
    """Return the first and last time shown about an impact, and its onset [s].

    ``margin`` is the time before and after the impact, in durations of the impact. Without an impact the whole run is
    shown, and the onset is 0.
    """
    start, stop = float(result.t[0]), float(result.t[-1])
    if impact is None:
        return start, stop, 0.0
    if contact is None:
        raise ModelError("plot: impact selects an impact of a contact; set contact")
    one = find_impact(result, contact, impact)
    extra = margin * one.duration
    return max(start, one.t_start - extra), min(stop, one.t_end + extra), one.t_start
