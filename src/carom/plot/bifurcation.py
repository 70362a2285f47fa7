"""Bifurcation diagram: long-term values of a motion over a parameter."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Unpack

import numpy as np
from matplotlib.figure import Figure

from carom.plot.figure_options import FigureOptions, open_figure
from carom.plot.style import COLOURS, FAINT, MAX_VECTOR_POINTS


def plot_bifurcation(
    values: Sequence[Any],
    clouds: Sequence[Sequence[float]],
    parameter: str,
    observed: str,
    *,
    marks: Sequence[float] = (),
    **options: Unpack[FigureOptions],
) -> Figure:
    """Plot the ``observed`` points for each of the ``values`` of a ``parameter``.

    ``marks`` are values at which a vertical line is drawn, such as thresholds. ``options`` are those of `plot_result`.

    Examples
    --------
    >>> import carom as cm
    >>> figure = cm.plot.plot_bifurcation([1.0, 2.0], [[0.1], [0.2, 0.3]], "amplitude", "ball.y")
    >>> len(figure.axes)
    1
    """
    x = np.repeat(np.asarray(values, float), [len(cloud) for cloud in clouds])
    y = np.concatenate([np.zeros(0), *(np.asarray(cloud, float) for cloud in clouds)])
    with open_figure(7.0, 4.2, f"{observed} over {parameter}", **options) as figure:
        axes = figure.subplots()
        for mark in marks:
            axes.axvline(mark, color=FAINT, linewidth=0.9, linestyle="--", zorder=1.0)
        size = 1.8 if len(x) > MAX_VECTOR_POINTS else 2.4
        axes.plot(
            x, y, ".", color=COLOURS[0], markersize=size, markeredgewidth=0.0, rasterized=len(x) > MAX_VECTOR_POINTS
        )
        axes.set_xlabel(parameter)
        axes.set_ylabel(observed)
        axes.margins(x=0.02)
    return figure
