"""Figures 9 and 10 of Machado et al. (2012)."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from carom.result.result import Result

if TYPE_CHECKING:
    from matplotlib.figure import Figure

TOUCH = "touch"


def extra_figures(runs: Callable[[Result], dict[str, Result]]) -> dict[str, Callable[[Result], Figure]]:
    """Return the figures by name; ``runs`` returns the runs with the dissipative laws from one run."""
    return {"C9": lambda result: motions(runs(result)), "C10": lambda result: loops(runs(result))}


def motions(runs: dict[str, Result]) -> Figure:
    """Plot the position of the block and the velocity of the slider."""
    from carom.plot.compare import draw_series
    from carom.plot.figure_options import open_figure
    from carom.plot.overlay import legend_below

    with open_figure(9.0, 3.8, "Slider-crank and block: seven laws") as figure:
        for letter, axes, series in zip("ab", figure.subplots(1, 2), ("block.x", "slider.vx"), strict=True):
            draw_series(axes, runs, series)
            axes.set_title(f"({letter}) {series.partition('.')[0]}", loc="left")
        legend_below(figure)
    return figure


def loops(runs: dict[str, Result]) -> Figure:
    """Plot the force over the indentation in the first and in the second impact."""
    from carom.plot.contact_data import contact_samples
    from carom.plot.figure_options import open_figure
    from carom.plot.hysteresis_loop import draw_loop
    from carom.plot.overlay import legend_below

    with open_figure(9.0, 4.0, "Impacts of slider and block: seven laws") as figure:
        for number, axes in enumerate(figure.subplots(1, 2)):
            draw_loop(axes, {name: contact_samples(result, TOUCH, number) for name, result in runs.items()
                             if len(result.impacts.of(TOUCH)) > number})  # fmt: skip
            axes.set_title(("(a) first impact", "(b) second impact")[number], loc="left")
        legend_below(figure)
    return figure
