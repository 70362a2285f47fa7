"""Results of a parameter sweep: curves, maps and scatter plots."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Unpack

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from carom.argument_checks import one_of
from carom.errors import ModelError
from carom.plot.figure_options import FigureOptions, open_figure
from carom.plot.overlay import legend_below, with_line_styles
from carom.plot.style import COLOURS

MAX_CURVES = 7
"""Number of values of the second parameter up to which curves are drawn; more give a map."""
LOG_RATIO = 30.0
"""Ratio of the largest to the smallest value from which an axis may be logarithmic [-]."""
KINDS = ("curves", "map", "points")


def plot_sweep(
    measures: Mapping[str, np.ndarray],
    axes: Mapping[str, Sequence[Any]],
    samples: Mapping[str, np.ndarray] | None = None,
    *,
    kind: str | None = None,
    **options: Unpack[FigureOptions],
) -> Figure:
    """Plot ``measures`` over the parameters of a grid (``axes``), or over ``samples`` of the parameters.

    ``kind``: "curves" (over the first parameter, one curve per value of the others), "map" (of two parameters),
    "points" (of samples, one panel per parameter); by default it is chosen from the data. ``options`` are those of
    `plot_result`.

    Examples
    --------
    >>> import carom as cm
    >>> import numpy as np
    >>> figure = cm.plot.plot_sweep({"peak": np.array([1.0, 4.0, 9.0])}, {"speed": [1.0, 2.0, 3.0]})
    >>> len(figure.axes)
    1
    """
    lists = {name: list(values) for name, values in axes.items()}
    varied = {name: values for name, values in lists.items() if len(values) > 1} or dict(list(lists.items())[:1])
    if not measures:
        raise ModelError("plot: the sweep has no numerical measure; plot a measure that returns a number")
    default = (
        "points" if samples else "map" if len(varied) == 2 and min(map(len, varied.values())) > MAX_CURVES else "curves"
    )
    kind = one_of("plot", "kind", kind or default, KINDS)
    shape = tuple(len(values) for values in varied.values())
    if kind == "points":
        return _points(measures, dict(samples or {}), options)
    shaped = {name: np.asarray(values, float).reshape(shape) for name, values in measures.items()}
    if kind == "map":
        if len(varied) != 2:
            raise ModelError(
                f"plot: kind 'map' needs two varied parameters, got {', '.join(varied)}; use kind='curves'"
            )
        return _maps(shaped, varied, options)
    return _curves(shaped, varied, options)


def _curves(measures: Mapping[str, np.ndarray], axes: Mapping[str, list[Any]], options: Any) -> Figure:
    """Plot each measure over the first parameter."""
    first, *others = axes
    with open_figure(7.0, 1.3 + 2.1 * len(measures), "Sweep", **options) as figure:
        grid = figure.subplots(len(measures), 1, sharex=True, squeeze=False)[:, 0]
        for panel, (name, values) in zip(grid, measures.items(), strict=True):
            lines = {
                ", ".join(f"{other} = {label(axes[other][k])}" for other, k in zip(others, index, strict=True)): index
                for index in np.ndindex(values.shape[1:])
            }
            categorical = is_categorical(axes[first])
            x = list(range(len(axes[first]))) if categorical else axes[first]
            for index, style in with_line_styles(lines):
                dots = {
                    "marker": "o" if categorical or len(x) <= 30 else None,
                    "markersize": 5.0 if categorical else 3.0,
                }
                no_line = {"linestyle": ""} if categorical else {}
                panel.plot(x, values[(slice(None), *index)], **style | dots | no_line)
            panel.margins(x=0.03)
            panel.set_ylabel(two_lines(name))
        label_parameter_axis(grid[-1], axes[first], first)
        figure.align_ylabels(list(grid))
        legend_below(figure)
    return figure


def _maps(measures: Mapping[str, np.ndarray], axes: Mapping[str, list[Any]], options: Any) -> Figure:
    """Plot each measure as a map over two parameters."""
    (first, x), (second, y) = axes.items()
    columns = min(2, len(measures))
    rows = math.ceil(len(measures) / columns)
    with open_figure(4.4 * columns + 0.4, 3.5 * rows + 0.4, "Sweep", **options) as figure:
        grid = figure.subplots(rows, columns, squeeze=False).ravel()
        for panel, (name, measure) in zip(grid, measures.items(), strict=False):
            panel.grid(False)
            centres = [list(range(len(values))) if is_categorical(values) else values for values in (x, y)]
            image = panel.pcolormesh(*centres, measure.T, shading="nearest", cmap="viridis", rasterized=True)
            figure.colorbar(image, ax=panel, pad=0.02)
            panel.set_title(name, loc="left")
            label_parameter_axis(panel, x, first)
            label_parameter_axis(panel, y, second, "y")
        for panel in grid[len(measures) :]:
            panel.set_visible(False)
    return figure


def _points(measures: Mapping[str, np.ndarray], samples: Mapping[str, np.ndarray], options: Any) -> Figure:
    """Plot each measure over the samples of each parameter."""
    width, height = 1.0 + 2.6 * len(samples), 0.8 + 2.1 * len(measures)
    with open_figure(max(width, 4.6), height, "Sweep", **options) as figure:
        grid = figure.subplots(len(measures), len(samples), sharex="col", sharey="row", squeeze=False)
        for row, (name, values) in zip(grid, measures.items(), strict=True):
            for panel, (parameter, sampled) in zip(row, samples.items(), strict=True):
                x = [str(value) for value in sampled] if is_categorical(sampled) else sampled
                panel.plot(x, np.asarray(values, float), ".", color=COLOURS[0], markersize=3.5, markeredgewidth=0.0)
                panel.margins(x=0.15 if is_categorical(sampled) else 0.03)
                if panel in grid[-1]:
                    label_parameter_axis(panel, list(sampled), parameter)
            row[0].set_ylabel(two_lines(name))
    return figure


def label_parameter_axis(axes: Axes, values: Sequence[Any], name: str, which: str = "x") -> None:
    """Label the axis of a parameter: categories as ticks, a logarithmic scale over orders of magnitude."""
    getattr(axes, f"set_{which}label")(name)
    if is_categorical(values):
        if len(set(map(str, values))) == len(values):
            rotation = {"rotation": 20, "ha": "right"} if which == "x" and len(values) > 4 else {}
            getattr(axes, f"set_{which}ticks")(range(len(values)), [str(value) for value in values], **rotation)
        return
    low, high = min(values), max(values)
    if low > 0.0 and high / low >= LOG_RATIO and np.median(values) < 0.3 * (low + high):
        getattr(axes, f"set_{which}scale")("log")


def is_categorical(values: Iterable[Any]) -> bool:
    """Return True if some values are not numbers."""
    return any(isinstance(value, str) or value is None for value in values)


def label(value: Any) -> str:
    """Return a value as text, numbers with six digits."""
    return f"{value:.6g}" if isinstance(value, float) else str(value)


def two_lines(name: str) -> str:
    """Return a long name split into two lines at its first dot."""
    if len(name) <= 22:
        return name
    element, dot, signal = name.partition(".")
    return f"{element}{dot}\n{signal}"
