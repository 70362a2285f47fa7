"""One series of several runs over time."""

from __future__ import annotations

from typing import Any, Unpack

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from carom.plot.curves import Curves
from carom.plot.overlay import name_below, overlaid
from carom.plot.page import Page, new_page
from carom.plot.panels import label_time, label_values
from carom.plot.touches import Results, named


def plot_comparison(
    results: Results, *what: Any, span: tuple[float, float] | None = None, **page: Unpack[Page]
) -> Figure:
    """The series ``what`` ("slider.x", "touch.normal_force" …) of several runs over time, one panel a series.

    ``results`` maps names to runs. ``span`` is from when to when [s]. ``page`` is as in `plot_result`.
    """
    runs = named(results)
    with new_page(7.0, 1.1 + 1.9 * len(what), next(iter(runs.values())).name, **page) as figure:
        grid = figure.subplots(len(what), 1, sharex=True, squeeze=False)[:, 0]
        for axes, item in zip(grid, what, strict=True):
            draw_series(axes, runs, item, span)
            axes.set_title(str(item), loc="left")
        for axes in grid[:-1]:
            axes.set_xlabel("")
        figure.align_ylabels(list(grid))
        name_below(figure)
    return figure


def draw_series(axes: Axes, results: Results, what: Any, span: tuple[float, float] | None = None) -> None:
    """A series of every run into ``axes``, all of it or that of a ``span`` of time [s]."""
    runs = named(results)
    curves = {name: Curves(result).find(what)[0] for name, result in runs.items()}
    for curve, look in overlaid(curves):
        inside = slice(None) if span is None else slice(*np.searchsorted(curve.t, span, side="right"))
        axes.plot(curve.t[inside], curve.values[inside], **look)
    label_values(axes, [curve.quantity for curve in curves.values()], next(iter(curves.values())).unit)
    label_time(axes)
