"""Overview of a run: mechanism, main series and energy error in one figure."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Unpack

from matplotlib.figure import Figure

from carom.model.system import System
from carom.plot.figure_options import FigureOptions, open_figure
from carom.plot.mechanism import mechanism_drawing
from carom.plot.panels import draw_balance, draw_curves, label_time
from carom.result.result import Result
from carom.scene.curve_data import CurveFinder, group_by_panel

_WIDE = 1.25
"""Aspect ratio beyond which a drawing is placed above its series instead of beside them [-]."""

_WIDTH, _HEIGHT, _ROW = 9.0, 5.0, 2.2
"""Width of the figure, height of a drawing beside its series, height of a row of series [inches]."""


def plot_overview(
    system: System,
    result: Result,
    *what: Any,
    pose: float = 0.0,
    ghosts: Sequence[float] | None = None,
    trace: Sequence[Any] = (),
    focus: Sequence[Any] = (),
    **options: Unpack[FigureOptions],
) -> Figure:
    """Plot the drawing of `plot_mechanism`, the series ``what`` of `plot_result`, and the energy error.

    Examples
    --------
    >>> import carom as cm
    >>> case = cm.gallery.falling_ball()
    >>> figure = cm.plot.plot_overview(case.system, case.run(), "ball.y")
    >>> len(figure.axes)
    3
    """
    curves = CurveFinder(result)
    panels = group_by_panel(curves, what)
    count = len(panels) + 1
    drawing = mechanism_drawing(system, result, trace, focus, [pose, *(ghosts or ())])
    wide = drawing.aspect > _WIDE
    beside = min(max(_HEIGHT * drawing.aspect, 2.2), 4.6)
    above = min(max(_WIDTH / drawing.aspect, 2.2), 4.5)
    with open_figure(_WIDTH, (above + _ROW if wide else _HEIGHT) + 0.6, system.name, **options) as figure:
        if wide:
            first, second = figure.subfigures(2, 1, squeeze=False, height_ratios=(above, _ROW)).ravel()
        else:
            first, second = figure.subfigures(1, 2, squeeze=False, width_ratios=(beside, _WIDTH - beside)).ravel()
        drawing.draw(first.subplots(subplot_kw={"projection": drawing.projection}), pose, ghosts)
        shape = (1, count) if wide else (count, 1)
        grid = second.subplots(*shape, squeeze=False, sharex=not wide).ravel()
        for axes, panel in zip(grid, panels, strict=False):
            draw_curves(axes, panel)
        draw_balance(grid[-1], curves)
        for axes in grid if wide else grid[-1:]:
            label_time(axes)
        second.align_ylabels(list(grid))
    return figure
