"""Step size over time, and what the steps do to the indentation of a contact."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Unpack

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from carom.plot.contact import SINCE
from carom.plot.overlay import name_below, overlaid
from carom.plot.page import Page, new_page
from carom.plot.panels import label_axis, label_time
from carom.plot.style import FAINT
from carom.plot.touches import Results, contact_of, named, window
from carom.result.impact_records import ImpactRecord
from carom.result.name_lookup import name_of
from carom.result.result import Result

FEW = 200
"""Nodes of a curve up to which each is marked."""


def plot_steps(
    results: Results,
    contact: Any = None,
    *,
    impact: int | ImpactRecord | None = None,
    margin: float = 1.0,
    **page: Unpack[Page],
) -> Figure:
    """Step size over time on a logarithmic axis and, with a ``contact``, its indentation below.

    With an ``impact`` (its number, from 0) the time about it, ``margin`` times its duration before and after. Nodes are
    marked where they are few. ``results`` is one run, or a mapping of names to runs that are overlaid; the first one
    says what time is shown. ``page`` is as in `plot_result`.
    """
    runs = named(results)
    first = next(iter(runs.values()))
    span = window(first, contact, impact, margin)
    rows = 1 if contact is None else 2
    heading = first.name if contact is None else name_of(contact)
    with new_page(6.2, 0.9 + 2.0 * rows, heading, **page) as figure:
        grid = figure.subplots(rows, 1, sharex=True, squeeze=False)[:, 0]
        draw_steps(grid[0], runs, span)
        if contact is not None:
            draw_signal(grid[1], runs, contact, "indentation", span)
        label_time(grid[-1], "time" if impact is None else SINCE)
        figure.align_ylabels(list(grid))
        name_below(figure)
    return figure


def draw_steps(axes: Axes, runs: Mapping[str, Result], span: tuple[float, float, float]) -> None:
    """Step sizes into ``axes``, for ``span`` = (from, to, the time that counts as zero)."""
    for result, look in overlaid(runs):
        t, step = steps_of(result)
        seen = (t[1:] >= span[0]) & (t[:-1] <= span[1])
        starts, sizes = t[:-1][seen] - span[2], step[seen]
        if not len(starts):
            continue
        mark = "." if len(starts) <= FEW else ""
        axes.plot(starts, sizes, drawstyle="steps-post", marker=mark, markersize=3.5, **look)
    axes.set_yscale("log")
    axes.margins(y=0.08)
    axes.set_xlim(span[0] - span[2], span[1] - span[2])
    stored = all(len(steps_of(result)[1]) == result.stats.get("steps") for result in runs.values())
    axes.set_ylabel("step size [s]" if stored else "time between nodes [s]")


def draw_signal(
    axes: Axes, runs: Mapping[str, Result], contact: Any, signal: str, span: tuple[float, float, float]
) -> None:
    """A signal of a contact, such as its indentation (negative: the gap), for ``span`` as in `draw_steps`."""
    axes.axhline(0.0, color=FAINT, linewidth=0.8)
    seen = np.zeros(0)
    for result, look in overlaid(runs):
        series = contact_of(result, contact)
        values = getattr(series, signal)
        near = np.flatnonzero((series.t > span[0]) & (series.t < span[1]))
        nodes = slice(max(near[0] - 1, 0), near[-1] + 2) if len(near) else slice(None)
        mark = "." if len(near) <= FEW else ""
        axes.plot(series.t[nodes] - span[2], values[nodes], marker=mark, markersize=3.5, **look)
        seen = np.concatenate([seen, values[near], np.interp(span[:2], series.t[nodes], values[nodes])])
    low, high = min(0.0, seen.min()), max(0.0, seen.max())
    axes.set_xlim(span[0] - span[2], span[1] - span[2])
    if high > low:
        axes.set_ylim(low - 0.06 * (high - low), high + 0.06 * (high - low))
    label_axis(axes.yaxis, (low, high), [signal], contact_of(next(iter(runs.values())), contact).units[signal])


def steps_of(result: Result) -> tuple[np.ndarray, np.ndarray]:
    """Times (n + 1,) at which steps begin and end, and their sizes (n,) [s]; what happens at once is no step."""
    t = np.unique(result.t)
    return t, np.diff(t)
