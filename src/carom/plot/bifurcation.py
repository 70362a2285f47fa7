"""Bifurcation diagram: what a motion settles to, over a parameter."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Unpack

import numpy as np
from matplotlib.figure import Figure

from carom.plot.page import Page, new_page
from carom.plot.style import COLOURS, FAINT

MANY = 5000
"""Points beyond which they are stored as pixels."""


def plot_bifurcation(
    values: Sequence[Any],
    clouds: Sequence[Sequence[float]],
    parameter: str,
    observed: str,
    *,
    marks: Sequence[float] = (),
    **page: Unpack[Page],
) -> Figure:
    """For each of ``values`` of a ``parameter`` the points that were ``observed``.

    ``marks`` are values at which a line is drawn, such as thresholds. ``page`` is as in `plot_result`.
    """
    x = np.repeat(np.asarray(values, float), [len(cloud) for cloud in clouds])
    y = np.concatenate([np.zeros(0), *(np.asarray(cloud, float) for cloud in clouds)])
    with new_page(7.0, 4.2, f"{observed} over {parameter}", **page) as figure:
        axes = figure.subplots()
        for mark in marks:
            axes.axvline(mark, color=FAINT, linewidth=0.9, linestyle="--", zorder=1.0)
        size = 1.8 if len(x) > MANY else 2.4
        axes.plot(x, y, ".", color=COLOURS[0], markersize=size, markeredgewidth=0.0, rasterized=len(x) > MANY)
        axes.set_xlabel(parameter)
        axes.set_ylabel(observed)
        axes.margins(x=0.02)
    return figure
