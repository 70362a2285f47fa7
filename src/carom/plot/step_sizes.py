"""Step size over time, with the indentation of a contact."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Unpack

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from carom.plot.contact_data import Results, contact_series, impact_time_span, results_by_name
from carom.plot.contact_history import TIME_SINCE_ONSET
from carom.plot.figure_options import FigureOptions, open_figure
from carom.plot.overlay import legend_below, with_line_styles
from carom.plot.panels import label_axis, label_time
from carom.plot.style import FAINT
from carom.result.impact_records import ImpactRecord
from carom.result.name_lookup import name_of
from carom.result.result import Result
from carom.typing import ElementLike

MARKED_NODES = 200
"""Number of nodes up to which each node is marked."""


def plot_steps(
    results: Results,
    contact: ElementLike | None = None,
    *,
    impact: int | ImpactRecord | None = None,
    margin: float = 1.0,
    **options: Unpack[FigureOptions],
) -> Figure:
    """Plot the step size over time on a logarithmic axis and, with a ``contact``, its indentation below.

    ``impact`` (its index, from 0) limits the time to the impact, with ``margin`` times its duration before and after.
    Up to 200 nodes are marked. ``results`` is one run, or a mapping of names to runs that are overlaid; the first one
    determines the time shown. ``options`` are those of `plot_result`.

    Examples
    --------
    >>> import carom as cm
    >>> result = cm.gallery.falling_ball().run()
    >>> figure = cm.plot.plot_steps(result)
    >>> len(figure.axes)
    1
    """
    runs = results_by_name(results)
    first = next(iter(runs.values()))
    span = impact_time_span(first, contact, impact, margin)
    rows = 1 if contact is None else 2
    heading = first.name if contact is None else name_of(contact)
    with open_figure(6.2, 0.9 + 2.0 * rows, heading, **options) as figure:
        grid = figure.subplots(rows, 1, sharex=True, squeeze=False)[:, 0]
        draw_step_sizes(grid[0], runs, span)
        if contact is not None:
            draw_signal(grid[1], runs, contact, "indentation", span)
        label_time(grid[-1], "time" if impact is None else TIME_SINCE_ONSET)
        figure.align_ylabels(list(grid))
        legend_below(figure)
    return figure


def draw_step_sizes(axes: Axes, runs: Mapping[str, Result], span: tuple[float, float, float]) -> None:
    """Draw step sizes into ``axes`` for ``span`` = (first time, last time, time shown as zero) [s]."""
    for result, style in with_line_styles(runs):
        t, step = step_sizes(result)
        visible = (t[1:] >= span[0]) & (t[:-1] <= span[1])
        starts, sizes = t[:-1][visible] - span[2], step[visible]
        if not len(starts):
            continue
        marker = "." if len(starts) <= MARKED_NODES else ""
        axes.plot(starts, sizes, drawstyle="steps-post", marker=marker, markersize=3.5, **style)
    axes.set_yscale("log")
    axes.margins(y=0.08)
    axes.set_xlim(span[0] - span[2], span[1] - span[2])
    stored = all(len(step_sizes(result)[1]) == result.stats.get("steps") for result in runs.values())
    axes.set_ylabel("step size [s]" if stored else "time between nodes [s]")


def draw_signal(
    axes: Axes, runs: Mapping[str, Result], contact: ElementLike, signal: str, span: tuple[float, float, float]
) -> None:
    """Draw a signal of a contact, such as its indentation (negative: gap), for ``span`` as in `draw_step_sizes`."""
    axes.axhline(0.0, color=FAINT, linewidth=0.8)
    visible = np.zeros(0)
    for result, style in with_line_styles(runs):
        series = contact_series(result, contact)
        values = getattr(series, signal)
        near = np.flatnonzero((series.t > span[0]) & (series.t < span[1]))
        nodes = slice(max(near[0] - 1, 0), near[-1] + 2) if len(near) else slice(None)
        marker = "." if len(near) <= MARKED_NODES else ""
        axes.plot(series.t[nodes] - span[2], values[nodes], marker=marker, markersize=3.5, **style)
        visible = np.concatenate([visible, values[near], np.interp(span[:2], series.t[nodes], values[nodes])])
    low, high = min(0.0, visible.min()), max(0.0, visible.max())
    axes.set_xlim(span[0] - span[2], span[1] - span[2])
    if high > low:
        axes.set_ylim(low - 0.06 * (high - low), high + 0.06 * (high - low))
    label_axis(axes.yaxis, (low, high), [signal], contact_series(next(iter(runs.values())), contact).units[signal])


def step_sizes(result: Result) -> tuple[np.ndarray, np.ndarray]:
    """Return the ends of the steps (n + 1,) and their sizes (n,) [s]; nodes at the same time are counted once."""
    t = np.unique(result.t)
    return t, np.diff(t)
