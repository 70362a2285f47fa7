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
    from carom.plot.contact_data import contact_samples
    from carom.plot.contact_history import draw_contact
    from carom.plot.figure_options import open_figure
    from carom.plot.hysteresis_loop import draw_loop
    from carom.plot.overlay import legend_below
    from carom.plot.phase_portrait import draw_phase

    samples = {name: contact_samples(result, contact, 0) for name, result in runs.items() if result.impacts.of(contact)}
    panels = 3 if time_plot else 2
    with open_figure(3.4 * panels, 3.4, title) as figure:
        grid = figure.subplots(1, panels)
        if time_plot:
            draw_contact(grid[0], runs[time_plot], contact, 0)
            grid[0].set_title(f"(a) {time_plot}", loc="left")
        draw_loop(grid[-2], samples)
        draw_phase(grid[-1], samples)
        for letter, axes in zip("bc" if time_plot else "ab", grid[-2:], strict=True):
            axes.set_title(f"({letter})", loc="left")
        legend_below(figure)
    return figure
