"""The mechanism, its main series and its energy error in one figure."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Unpack

from matplotlib.figure import Figure

from carom.model.system import System
from carom.plot.curves import Curves
from carom.plot.mechanism import Drawing
from carom.plot.page import Page, new_page
from carom.plot.panels import draw_balance, draw_curves, group, label_time
from carom.plot.scene import Scene
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
    **page: Unpack[Page],
) -> Figure:
    """One figure of a run: the drawing of `plot_mechanism`, the series ``what`` of `plot_result`, the energy error."""
    curves = Curves(result)
    panels = group(curves, what)
    count = len(panels) + 1
    drawing: Any = Scene(system, result, trace) if system.dim == 3 else Drawing(system, result, trace)
    wide = drawing.aspect > _WIDE
    beside = min(max(_HEIGHT * drawing.aspect, 2.2), 4.6)
    above = min(max(_WIDTH / drawing.aspect, 2.2), 4.5)
    with new_page(_WIDTH, (above + _ROW if wide else _HEIGHT) + 0.6, system.name, **page) as figure:
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
