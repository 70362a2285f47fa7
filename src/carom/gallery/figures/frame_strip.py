"""Strip of animation frames: a system at several times."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from carom.model.system import System
from carom.result.result import Result

if TYPE_CHECKING:
    from matplotlib.figure import Figure


def frame_strip(
    system: System, result: Result, times: Sequence[float], title: str, focus: Sequence[str] = ()
) -> Figure:
    """Draw the system at those of ``times`` [s] that the run has reached, three per row.

    Spatial pictures are fitted to the bodies ``focus``.
    """
    from carom.plot.figure_options import open_figure
    from carom.plot.mechanism import mechanism_drawing

    shown_times = [time for time in times if time <= result.t[-1]] or [float(result.t[0])]
    rows, columns = (len(shown_times) + 2) // 3, min(len(shown_times), 3)
    drawing = mechanism_drawing(system, result, focus=focus, times=shown_times)
    height = 3.0 / min(max(drawing.aspect, 0.6), 2.0) + 0.3
    with open_figure(3.0 * columns + 0.2, height * rows + 0.4, title) as figure:
        grid = figure.subplots(rows, columns, squeeze=False, subplot_kw={"projection": drawing.projection}).ravel()
        for axes, time in zip(grid, shown_times, strict=False):
            drawing.draw(axes, float(time), ())
            axes.set_title(f"t = {time:.2f} s")
            axes.set_axis_off()
        for axes in grid[len(shown_times) :]:
            axes.set_axis_off()
    return figure
