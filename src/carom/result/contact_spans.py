"""Time spans of contacts: union of spans, impulse of a force within a span."""

from __future__ import annotations

import math
from collections.abc import Iterable

import numpy as np

from carom.result.impact_records import ImpactRecord
from carom.result.plain_data import FloatArray

MIN_NODES = 4
"""Number of nodes in a contact below which the integral of its force is not known."""


def joined_spans(impacts: Iterable[ImpactRecord]) -> list[tuple[float, float]]:
    """Return start and end of impacts in the order of their onset [s]; those of several points at once are joined."""
    spans: list[tuple[float, float]] = []
    for one in impacts:
        if spans and one.t_start < spans[-1][1]:
            spans[-1] = spans[-1][0], max(spans[-1][1], one.t_end)
        else:
            spans.append((one.t_start, one.t_end))
    return spans


def span_nodes(t: FloatArray, t_start: float, t_end: float) -> slice:
    """Return the nodes from an onset to a separation.

    Both have two nodes each: the second one of an onset and the first one of a separation are inside.
    """
    start = int(np.searchsorted(t, t_start, side="right")) - 1
    if start < 0 or t[start] < t_start:
        start += 1
    return slice(start, int(np.searchsorted(t, t_end, side="left")) + 1)


def force_impulse(t: FloatArray, force: FloatArray, t_start: float, t_end: float) -> float:
    """Return ∫ F dt between two times [N s]; NaN if fewer than `MIN_NODES` nodes are between them.

    The trapezoidal rule is corrected by the slopes of parabolas through three nodes, so its error is of fourth order.
    """
    inside = span_nodes(t, t_start, t_end)
    times, first = np.unique(t[inside], return_index=True)
    if len(times) < MIN_NODES:
        return math.nan
    values = np.asarray(force[inside])[first]
    slopes, steps = np.gradient(values, times, edge_order=2), np.diff(times)
    trapezoids = np.sum(0.5 * steps * (values[1:] + values[:-1]))
    return float(trapezoids + np.sum(steps**2 * (slopes[:-1] - slopes[1:])) / 12.0)
