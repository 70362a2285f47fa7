"""Figure of one impact with several laws: time series, hysteresis loop and phase portrait."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from carom.result.result import Result

if TYPE_CHECKING:
    from matplotlib.figure import Figure


def impact_figure(runs: Mapping[str, Result], contact: str, title: str, time_plot: str | None = None) -> Figure:
    """Plot the force over the indentation and the phase portrait of the first impact of each run.

    If ``time_plot`` names one of the runs, its force and indentation over time are plotted first.
    """
    from carom.plot.contact import draw_contact
    from carom.plot.loop import draw_loop
    from carom.plot.overlay import name_below
    from carom.plot.page import new_page
    from carom.plot.phase import draw_phase
    from carom.plot.touches import touch

    samples = {name: touch(result, contact, 0) for name, result in runs.items() if result.impacts.of(contact)}
    panels = 3 if time_plot else 2
    with new_page(3.4 * panels, 3.4, title) as figure:
        grid = figure.subplots(1, panels)
        if time_plot:
            draw_contact(grid[0], runs[time_plot], contact, 0)
            grid[0].set_title(f"(a) {time_plot}", loc="left")
        draw_loop(grid[-2], samples)
        draw_phase(grid[-1], samples)
        for letter, axes in zip("bc" if time_plot else "ab", grid[-2:], strict=True):
            axes.set_title(f"({letter})", loc="left")
        name_below(figure)
    return figure
