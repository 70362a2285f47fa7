"""Figures of series over time."""

from __future__ import annotations

from typing import Any, Unpack

from matplotlib.figure import Figure

from carom.errors import ModelError, shown
from carom.plot.curves import Curves
from carom.plot.page import Page, new_page
from carom.plot.panels import draw_balance, draw_curves, draw_energy, group, label_time
from carom.result.result import Result

WIDTH, PANEL, HEAD = 7.0, 1.9, 0.7
"""Of a figure, of each panel in height, of title and time axis [inches]."""


def plot_result(result: Result, *what: Any, **page: Unpack[Page]) -> Figure:
    """A figure of ``result`` over time, one panel above the next.

    ``what`` names what to show: "slider.x", "crank.omega", "crank pin.force", "energy", "energy.kinetic"; a body (its
    pose) or an element (all its signals), or its name. Curves of one unit share a panel; a tuple has panels of its own.
    Without ``what``: the positions and (in the plane) angles of all bodies, and the energy.
    ``page``: ``title`` stands above the figure (default: the name of the result), ``size`` is (width, height) in
    inches, ``path`` a file to write as well.
    """
    curves = Curves(result)
    series = what if "energy" in result else [item for item in what if not (isinstance(item, str) and item == "energy")]
    energy_asked = len(series) < len(what)
    panels = group(curves, series)
    if not what:
        names = [body.name for body in result.bodies]
        panels = [
            [curve for name in names for curve in curves.find(f"{name}.{quantity}")]
            for quantity in result.series_type.pose[:3]
            if names
        ]
        energy_asked = True
    if not panels and not energy_asked:
        raise ModelError(f"plot: give names such as 'slider.x' or 'energy', got {', '.join(map(shown, what))}")
    heights = [1.0] * len(panels) + ([1.0, 0.75] if energy_asked else [])
    with new_page(WIDTH, HEAD + PANEL * sum(heights), result.name, **page) as figure:
        grid = figure.subplots(len(heights), 1, sharex=True, squeeze=False, height_ratios=heights)[:, 0]
        for axes, panel in zip(grid, panels, strict=False):
            draw_curves(axes, panel)
        if energy_asked:
            draw_energy(grid[-2], curves)
            draw_balance(grid[-1], curves)
        label_time(grid[-1])
        figure.align_ylabels(list(grid))
    return figure
