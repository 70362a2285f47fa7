"""Figures 9 to 11 of Flores and Ambrósio (2010)."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from carom.result.result import Result

if TYPE_CHECKING:
    from matplotlib.figure import Figure

PIN = "crank pin"


def extra_figures(ideal_run: Callable[[Result], Result]) -> dict[str, Callable[[Result], Figure]]:
    """Return the figures by name; ``ideal_run`` returns a run of the mechanism without clearance, of equal duration."""
    return {"T9": lambda result: motions(result, ideal_run(result)), "T10": impact, "T11": orbit}


def motions(result: Result, ideal_run: Result) -> Figure:
    """Plot position and velocity of the slider with and without clearance."""
    from carom.plot import plot_comparison

    runs = {"ideal joints": ideal_run, "clearance joints": result}
    return plot_comparison(runs, "slider.x", "slider.vx", title="Quick-return mechanism: motion of the slider")


def impact(result: Result) -> Figure:
    """Plot step size, indentation and force of the fastest impact of the crank pin, or of the whole run without one."""
    from carom.plot.contact_data import impact_time_span
    from carom.plot.contact_history import TIME_SINCE_ONSET
    from carom.plot.figure_options import open_figure
    from carom.plot.panels import label_time
    from carom.plot.step_sizes import draw_signal, draw_step_sizes

    impacts = result.impacts.of(PIN)
    fastest = max(impacts, key=lambda impact: impact.approach_speed) if impacts else None
    span = impact_time_span(result, PIN, fastest, margin=0.5)
    runs = {result.name: result}
    with open_figure(6.4, 6.2, f"Quick-return mechanism: an impact of the {PIN}") as figure:
        grid = figure.subplots(3, 1, sharex=True)
        draw_step_sizes(grid[0], runs, span)
        draw_signal(grid[1], runs, PIN, "indentation", span)
        draw_signal(grid[2], runs, PIN, "normal_force", span)
        label_time(grid[2], TIME_SINCE_ONSET if fastest else "time")
        figure.align_ylabels(list(grid))
    return figure


def orbit(result: Result) -> Figure:
    """Plot the path of the journal of the crank pin in its bearing."""
    from carom.plot import plot_orbit

    return plot_orbit(result, PIN, title=f"Quick-return mechanism: orbit of the {PIN}")
