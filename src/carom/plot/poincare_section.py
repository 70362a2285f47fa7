"""Poincaré section: two coordinates of its points, or each point over the previous one."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Unpack

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from carom.plot.figure_options import FigureOptions, open_figure
from carom.plot.style import COLOURS, FAINT, MAX_VECTOR_POINTS


def plot_section(points: np.ndarray, names: Sequence[str], **options: Unpack[FigureOptions]) -> Figure:
    """Plot the second column of ``points`` over the first; for a single column, each point over the previous one.

    ``names`` are the names of the columns. ``options`` are those of `plot_result`.

    Examples
    --------
    >>> import carom as cm
    >>> import numpy as np
    >>> figure = cm.plot.plot_section(np.random.default_rng(0).random((20, 2)), ["x [m]", "vx [m/s]"])
    >>> len(figure.axes)
    1
    """
    with open_figure(5.2, 4.6, "Section", **options) as figure:
        draw_section(figure.subplots(), points, names)
    return figure


def draw_section(axes: Axes, points: np.ndarray, names: Sequence[str]) -> None:
    """Draw the section of `plot_section` into ``axes``."""
    single = points.shape[1] == 1
    x, y = (points[:-1, 0], points[1:, 0]) if single else (points[:, 0], points[:, 1])
    labels = (f"{names[0]}, point k", f"{names[0]}, point k + 1") if single else (names[0], names[1])
    if single and len(x):
        ends = [min(x.min(), y.min()), max(x.max(), y.max())]
        axes.plot(ends, ends, color=FAINT, linewidth=0.8, linestyle="--")
    pixels = len(x) > MAX_VECTOR_POINTS
    axes.plot(x, y, ".", color=COLOURS[0], markersize=1.6 if pixels else 4.0, markeredgewidth=0.0, rasterized=pixels)
    axes.set_xlabel(labels[0])
    axes.set_ylabel(labels[1])
    axes.margins(0.05)
