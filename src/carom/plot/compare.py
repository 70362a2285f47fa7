"""Series of several runs over time."""

from __future__ import annotations

from typing import Any, Unpack

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from carom.plot.contact_data import Results, results_by_name
from carom.plot.figure_options import FigureOptions, open_figure
from carom.plot.overlay import legend_below, with_line_styles
from carom.plot.panels import label_time, label_values
from carom.scene.curve_data import CurveFinder


def plot_comparison(
    results: Results, *what: Any, span: tuple[float, float] | None = None, **options: Unpack[FigureOptions]
) -> Figure:
    """Plot the series ``what`` ("slider.x", "touch.normal_force" …) of several runs over time, one panel per series.

    ``results`` maps names to runs. ``span`` is the first and last time [s]. ``options`` are those of `plot_result`.

    Examples
    --------
    >>> import carom as cm
    >>> result = cm.gallery.falling_ball().run()
    >>> figure = cm.plot.plot_comparison({"run": result}, "ball.y")
    >>> len(figure.axes)
    1
    """
    runs = results_by_name(results)
    with open_figure(7.0, 1.1 + 1.9 * len(what), next(iter(runs.values())).name, **options) as figure:
        grid = figure.subplots(len(what), 1, sharex=True, squeeze=False)[:, 0]
        for axes, item in zip(grid, what, strict=True):
            draw_series(axes, runs, item, span)
            axes.set_title(str(item), loc="left")
        for axes in grid[:-1]:
            axes.set_xlabel("")
        figure.align_ylabels(list(grid))
        legend_below(figure)
    return figure


def draw_series(axes: Axes, results: Results, what: Any, span: tuple[float, float] | None = None) -> None:
    """Draw a series of every run into ``axes``, completely or within a ``span`` of time [s]."""
    runs = results_by_name(results)
    curves = {name: CurveFinder(result).find(what)[0] for name, result in runs.items()}
    for curve, style in with_line_styles(curves):
        inside = slice(None) if span is None else slice(*np.searchsorted(curve.t, span, side="right"))
        axes.plot(curve.t[inside], curve.values[inside], **style)
    label_values(axes, [curve.quantity for curve in curves.values()], next(iter(curves.values())).unit)
    label_time(axes)
