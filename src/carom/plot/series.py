"""Figures of series over time."""

from __future__ import annotations

import os
from typing import Any

from matplotlib.figure import Figure

from carom.plot.curves import Curves
from carom.plot.panels import TIME, draw_balance, draw_curves, draw_energy, group
from carom.plot.style import new_figure, save_figure, style
from carom.result.result import Result

WIDTH, PANEL, HEAD = 7.0, 1.9, 0.7
"""Of a figure, of each panel in height, of title and time axis [inches]."""


def plot_result(
    result: Result,
    *what: Any,
    title: str | None = None,
    size: tuple[float, float] | None = None,
    path: str | os.PathLike[str] | None = None,
) -> Figure:
    """A figure of ``result`` over time, one panel above the next.

    ``what`` names what to show: "slider.x", "crank.omega", "crank pin.force", "energy", "energy.kinetic"; a body (its
    pose) or an element (all its signals), or its name. Curves of one unit share a panel; a tuple has panels of its own.
    Without ``what``: the positions and angles of all bodies, and the energy.
    ``title`` stands above it (default: the name of the result), ``size`` is (width, height) in inches, ``path`` a file
    to write as well.
    """
    with style():
        curves = Curves(result)
        energy_asked = "energy" in what and "energy" not in result
        panels = group(curves, [item for item in what if not (energy_asked and item == "energy")])
        if not what:
            names = [body.name for body in result.bodies]
            panels = [
                [curve for name in names for curve in curves.find(f"{name}.{quantity}")]
                for quantity in ("x", "y", "angle")
                if names
            ]
            energy_asked = True
        heights = [1.0] * len(panels) + ([1.0, 0.75] if energy_asked else [])
        width, height = size or (WIDTH, HEAD + PANEL * sum(heights))
        figure = new_figure(width, height, result.name if title is None else title)
        grid = figure.subplots(len(heights), 1, sharex=True, squeeze=False, height_ratios=heights)[:, 0]
        for axes, panel in zip(grid, panels, strict=False):
            draw_curves(axes, panel)
        if energy_asked:
            draw_energy(grid[-2], curves)
            draw_balance(grid[-1], curves)
        grid[-1].set_xlabel(TIME)
        figure.align_ylabels(list(grid))
    if path is not None:
        save_figure(figure, path)
    return figure
