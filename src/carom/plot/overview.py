"""The mechanism, its main series and its energy error in one figure."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Any

from matplotlib.figure import Figure

from carom.model.system import System
from carom.plot.curves import Curves
from carom.plot.mechanism import Drawing
from carom.plot.panels import TIME, draw_balance, draw_curves, group
from carom.plot.style import new_figure, save_figure, style
from carom.result.result import Result

_WIDE = 1.25
"""A drawing this much wider than high stands above its series, others beside them."""

_WIDTH, _HEIGHT, _ROW = 9.0, 5.0, 2.2
"""Of the figure, of a drawing beside its series, of a row of series [inches]."""


def plot_overview(
    system: System,
    result: Result,
    *what: Any,
    pose: float = 0.0,
    ghosts: Sequence[float] | None = None,
    trace: Sequence[Any] = (),
    title: str | None = None,
    size: tuple[float, float] | None = None,
    path: str | os.PathLike[str] | None = None,
) -> Figure:
    """One figure of a run: the drawing of `plot_mechanism`, the series ``what`` of `plot_result`, the energy error."""
    with style():
        curves = Curves(result)
        panels = group(curves, what)
        count = len(panels) + 1
        drawing = Drawing(system, result, trace)
        wide = drawing.aspect > _WIDE
        if wide:
            height = min(max(_WIDTH / drawing.aspect, 2.2), 4.5)
            figure = new_figure(*(size or (_WIDTH, height + _ROW + 0.6)), system.name if title is None else title)
            first, second = figure.subfigures(2, 1, squeeze=False, height_ratios=(height, _ROW)).ravel()
        else:
            width = min(max(_HEIGHT * drawing.aspect, 2.2), 4.6)
            figure = new_figure(*(size or (_WIDTH, _HEIGHT + 0.6)), system.name if title is None else title)
            first, second = figure.subfigures(1, 2, squeeze=False, width_ratios=(width, _WIDTH - width)).ravel()
        drawing.draw(first.subplots(), pose, ghosts)
        shape = (1, count) if wide else (count, 1)
        grid = second.subplots(*shape, squeeze=False, sharex=not wide).ravel()
        for axes, panel in zip(grid, panels, strict=False):
            draw_curves(axes, panel)
        draw_balance(grid[-1], curves)
        for axes in grid if wide else grid[-1:]:
            axes.set_xlabel(TIME)
        second.align_ylabels(list(grid))
    if path is not None:
        save_figure(figure, path)
    return figure
