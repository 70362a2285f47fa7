"""Measures of many runs over their parameters: curves, maps, clouds of samples."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Unpack

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from carom.errors import ModelError, choice
from carom.plot.overlay import name_below, overlaid
from carom.plot.page import Page, new_page
from carom.plot.style import COLOURS

FEW = 7
"""Values of a second parameter that are curves; more are a map."""
DECADES = 30.0
"""Ratio of largest to smallest value from which an axis of even orders of magnitude is logarithmic."""
KINDS = ("curves", "map", "points")


def plot_sweep(
    measures: Mapping[str, np.ndarray],
    axes: Mapping[str, Sequence[Any]],
    samples: Mapping[str, np.ndarray] | None = None,
    *,
    kind: str | None = None,
    **page: Unpack[Page],
) -> Figure:
    """``measures`` over the parameters of a grid (``axes``), or over ``samples`` of them.

    ``kind``: "curves" (over the first parameter, a curve for each value of the others), "map" (of two parameters),
    "points" (of samples, a panel for each parameter); None finds the one that fits. ``page`` is as in `plot_result`.
    """
    lists = {name: list(values) for name, values in axes.items()}
    varied = {name: values for name, values in lists.items() if len(values) > 1} or dict(list(lists.items())[:1])
    if not measures:
        raise ModelError("plot: the sweep has no measure that is a number")
    usual = "points" if samples else "map" if len(varied) == 2 and min(map(len, varied.values())) > FEW else "curves"
    kind = choice("plot", "kind", kind or usual, KINDS)
    shape = tuple(len(values) for values in varied.values())
    if kind == "points":
        return _points(measures, dict(samples or {}), page)
    shaped = {name: np.asarray(values, float).reshape(shape) for name, values in measures.items()}
    if kind == "map":
        if len(varied) != 2:
            raise ModelError(f"plot: a map has two parameters, the sweep varies {', '.join(varied)}")
        return _maps(shaped, varied, page)
    return _curves(shaped, varied, page)


def _curves(measures: Mapping[str, np.ndarray], axes: Mapping[str, list[Any]], page: Any) -> Figure:
    first, *others = axes
    with new_page(7.0, 1.3 + 2.1 * len(measures), "Sweep", **page) as figure:
        grid = figure.subplots(len(measures), 1, sharex=True, squeeze=False)[:, 0]
        for panel, (name, values) in zip(grid, measures.items(), strict=True):
            lines = {
                ", ".join(f"{other} = {label(axes[other][k])}" for other, k in zip(others, place, strict=True)): place
                for place in np.ndindex(values.shape[1:])
            }
            for place, look in overlaid(lines):
                words = wordy(axes[first])
                x = list(range(len(axes[first]))) if words else axes[first]
                dots = {"marker": "o" if words or len(x) <= 30 else None, "markersize": 5.0 if words else 3.0}
                panel.plot(x, values[(slice(None), *place)], **look | dots | ({"linestyle": ""} if words else {}))
            panel.margins(x=0.03)
            panel.set_ylabel(wrapped(name))
        along(grid[-1], axes[first], first)
        figure.align_ylabels(list(grid))
        name_below(figure)
    return figure


def _maps(measures: Mapping[str, np.ndarray], axes: Mapping[str, list[Any]], page: Any) -> Figure:
    (first, x), (second, y) = axes.items()
    columns = min(2, len(measures))
    rows = math.ceil(len(measures) / columns)
    with new_page(4.4 * columns + 0.4, 3.5 * rows + 0.4, "Sweep", **page) as figure:
        grid = figure.subplots(rows, columns, squeeze=False).ravel()
        for panel, (name, values) in zip(grid, measures.items(), strict=False):
            panel.grid(False)
            places = [list(range(len(one))) if wordy(one) else one for one in (x, y)]
            image = panel.pcolormesh(*places, values.T, shading="nearest", cmap="viridis", rasterized=True)
            figure.colorbar(image, ax=panel, pad=0.02)
            panel.set_title(name, loc="left")
            along(panel, x, first)
            along(panel, y, second, "y")
        for panel in grid[len(measures) :]:
            panel.set_visible(False)
    return figure


def _points(measures: Mapping[str, np.ndarray], samples: Mapping[str, np.ndarray], page: Any) -> Figure:
    width, height = 1.0 + 2.6 * len(samples), 0.8 + 2.1 * len(measures)
    with new_page(max(width, 4.6), height, "Sweep", **page) as figure:
        grid = figure.subplots(len(measures), len(samples), sharex="col", sharey="row", squeeze=False)
        for row, (name, values) in zip(grid, measures.items(), strict=True):
            for panel, (parameter, given) in zip(row, samples.items(), strict=True):
                shown = [str(value) for value in given] if wordy(given) else given
                panel.plot(shown, np.asarray(values, float), ".", color=COLOURS[0], markersize=3.5, markeredgewidth=0.0)
                panel.margins(x=0.15 if wordy(given) else 0.03)
                if panel in grid[-1]:
                    along(panel, list(given), parameter)
            row[0].set_ylabel(wrapped(name))
    return figure


def along(axes: Axes, values: Sequence[Any], name: str, which: str = "x") -> None:
    """Name an axis; words stand at their places, orders of magnitude make it logarithmic."""
    getattr(axes, f"set_{which}label")(name)
    if wordy(values):
        if len(set(map(str, values))) == len(values):
            turned = {"rotation": 20, "ha": "right"} if which == "x" and len(values) > 4 else {}
            getattr(axes, f"set_{which}ticks")(range(len(values)), [str(value) for value in values], **turned)
        return
    low, high = min(values), max(values)
    if low > 0.0 and high / low >= DECADES and np.median(values) < 0.3 * (low + high):
        getattr(axes, f"set_{which}scale")("log")


def wordy(values: Iterable[Any]) -> bool:
    return any(isinstance(value, str) or value is None for value in values)


def label(value: Any) -> str:
    return f"{value:.6g}" if isinstance(value, float) else str(value)


def wrapped(name: str) -> str:
    """A long name in two lines."""
    if len(name) <= 22:
        return name
    head, dot, tail = name.partition(".")
    return f"{head}{dot}\n{tail}"
