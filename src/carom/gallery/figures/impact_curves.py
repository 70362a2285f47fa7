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
    from carom.plot.contact import draw_contact
    from carom.plot.loop import draw_loop
    from carom.plot.overlay import name_below
    from carom.plot.page import new_page
    from carom.plot.phase import draw_phase
    from carom.plot.touches import touch

    touches = {name: touch(result, contact, 0) for name, result in runs.items() if result.impacts.of(contact)}
    panels = 3 if timed else 2
    with new_page(3.4 * panels, 3.4, title) as figure:
        grid = figure.subplots(1, panels)
        if timed:
            draw_contact(grid[0], runs[timed], contact, 0)
            grid[0].set_title(f"(a) {timed}", loc="left")
        draw_loop(grid[-2], touches)
        draw_phase(grid[-1], touches)
        for letter, axes in zip("bc" if timed else "ab", grid[-2:], strict=True):
            axes.set_title(f"({letter})", loc="left")
        name_below(figure)
    return figure
