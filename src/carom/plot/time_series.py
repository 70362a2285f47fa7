"""Figures of series over time."""

from __future__ import annotations

import math
from typing import Any, Unpack

from matplotlib.figure import Figure

from carom.argument_checks import short_repr
from carom.errors import ModelError
from carom.plot.figure_options import FigureOptions, open_figure
from carom.plot.panels import draw_balance, draw_curves, draw_energy, label_time
from carom.result.result import Result
from carom.scene.curve_data import CurveFinder, group_by_panel

WIDTH, PANEL, HEADING = 7.0, 1.9, 0.7
"""Width of the figure, height of a panel, and height of title and time axis [inches]."""
MAX_BODIES = 300
"""Bodies drawn by default; of more bodies every second, third … one is drawn."""


def plot_result(result: Result, *what: Any, **options: Unpack[FigureOptions]) -> Figure:
    """Plot quantities of ``result`` over time, in panels one below the other.

    ``what`` lists the quantities: "slider.x", "crank.omega", "crank pin.force", "energy", "energy.kinetic"; a body (its
    pose) or an element (all its signals), or its name. Curves of one unit share a panel; a tuple has panels of its own.
    The default is the positions and (in 2D) angles of all bodies, of thousands of bodies up to 300, and the energy.
    ``options``: ``title`` above the figure (default: the name of the result), ``size`` (width, height) [inches],
    ``path`` of a file to write, ``look`` ("light" or "dark").

    Examples
    --------
    >>> import carom as cm
    >>> result = cm.gallery.falling_ball().run()
    >>> figure = cm.plot.plot_result(result, "ball.y")
    >>> len(figure.axes)
    1
    """
    curves = CurveFinder(result)
    series = what if "energy" in result else [item for item in what if not (isinstance(item, str) and item == "energy")]
    with_energy = len(series) < len(what)
    panels = group_by_panel(curves, series)
    if not what:
        names = [body.name for body in result.bodies[:: math.ceil(len(result.bodies) / MAX_BODIES) or 1]]
        panels = [
            [curve for name in names for curve in curves.find(f"{name}.{quantity}")]
            for quantity in result.series_type.pose[:3]
            if names
        ]
        with_energy = True
    if not panels and not with_energy:
        raise ModelError(f"plot: expected names such as 'slider.x' or 'energy', got {', '.join(map(short_repr, what))}")
    heights = [1.0] * len(panels) + ([1.0, 0.75] if with_energy else [])
    with open_figure(WIDTH, HEADING + PANEL * sum(heights), result.name, **options) as figure:
        grid = figure.subplots(len(heights), 1, sharex=True, squeeze=False, height_ratios=heights)[:, 0]
        for axes, panel in zip(grid, panels, strict=False):
            draw_curves(axes, panel)
        if with_energy:
            draw_energy(grid[-2], curves)
            draw_balance(grid[-1], curves)
        label_time(grid[-1])
        figure.align_ylabels(list(grid))
    return figure
