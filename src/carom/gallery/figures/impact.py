"""Figures of one impact under several laws: time, loop, phase portrait."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from carom.result.result import Result

if TYPE_CHECKING:
    from matplotlib.figure import Figure


def impact_figure(runs: Mapping[str, Result], contact: str, title: str, timed: str | None = None) -> Figure:
    """Force over indentation and phase portrait of the first impact of each run.

    Before them, where ``timed`` names one of the runs, its force and indentation over time.
    """
    from carom.plot.contact_data import contact_samples
    from carom.plot.contact_history import draw_contact
    from carom.plot.figure_options import open_figure
    from carom.plot.hysteresis_loop import draw_loop
    from carom.plot.overlay import legend_below
    from carom.plot.phase_portrait import draw_phase

    touches = {name: contact_samples(result, contact, 0) for name, result in runs.items() if result.impacts.of(contact)}
    panels = 3 if timed else 2
    with open_figure(3.4 * panels, 3.4, title) as figure:
        grid = figure.subplots(1, panels)
        if timed:
            draw_contact(grid[0], runs[timed], contact, 0)
            grid[0].set_title(f"(a) {timed}", loc="left")
        draw_loop(grid[-2], touches)
        draw_phase(grid[-1], touches)
        for letter, axes in zip("bc" if timed else "ab", grid[-2:], strict=True):
            axes.set_title(f"({letter})", loc="left")
        legend_below(figure)
    return figure
