"""Figures of the bouncing ball and its closed form."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from carom.result.result import Result

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure


def extra_figures(
    fall: float, height: float, restitution: float, radius: float
) -> dict[str, Callable[[Result], Figure]]:
    """Return the figures of a ball that falls from ``height`` [m] in the time ``fall`` [s], by name."""
    return {"bounces": lambda result: bounces(result, fall, height, restitution, radius)}


def bounces(result: Result, fall: float, height: float, restitution: float, radius: float) -> Figure:
    """Plot the height with the apexes of the closed form, and the times of flight between impacts."""
    import numpy as np

    from carom.plot.figure_options import open_figure
    from carom.plot.panels import curve_legend, label_time
    from carom.plot.style import COLOURS, FAINT

    end = float(result.t[-1])
    numbers = np.arange(1, 200)
    flights = 2.0 * fall * restitution**numbers
    flight_starts = fall + np.concatenate([[0.0], np.cumsum(flights)[:-1]])
    apex_times = flight_starts + 0.5 * flights
    visible = (apex_times < end) & (flights > 2e-3 * end)
    with open_figure(9.0, 3.8, "Bouncing ball: heights and times of flight") as figure:
        left, right = figure.subplots(1, 2, width_ratios=(3, 2))
        left.plot(result.t, result["ball"].y - radius, color=COLOURS[0], label="run")
        left.plot(
            apex_times[visible], height * restitution ** (2.0 * numbers[visible]),
            color=COLOURS[1], linestyle="none", marker="o", markersize=4.0, fillstyle="none", label="ε²ⁿ height",
        )  # fmt: skip
        t_rest = fall * (1.0 + restitution) / (1.0 - restitution) if restitution < 1.0 else end
        if t_rest < end:
            left.axvline(t_rest, color=FAINT, linewidth=0.8, linestyle="--", label="rest")
        left.set_ylabel("height above the floor [m]")
        label_time(left)
        curve_legend(left)
        draw_flights(right, result, fall, restitution)
    return figure


def draw_flights(axes: Axes, result: Result, fall: float, restitution: float) -> None:
    """Draw the time between impacts over their number; flights of a few steps merge into persistent contact."""
    import numpy as np

    from carom.plot.panels import curve_legend
    from carom.plot.style import COLOURS, FAINT

    t_impacts = np.array([impact.t_start for impact in result.impacts])
    numbers = np.arange(1, max(len(t_impacts), 2))
    axes.plot(numbers, 2.0 * fall * restitution**numbers, color=COLOURS[1], label="2 √(2 h/g) εⁿ")
    axes.plot(numbers[: max(len(t_impacts) - 1, 0)], np.diff(t_impacts), color=COLOURS[0], linestyle="none", marker="o",
              markersize=4.0, label="run")  # fmt: skip
    if "step" in result.settings:
        axes.axhline(result.settings["step"], color=FAINT, linewidth=0.8, linestyle="--", label="step")
    if restitution > 0.0:
        axes.set_yscale("log")
    axes.set_xlabel("impact [number]")
    axes.set_ylabel("time to the next impact [s]")
    curve_legend(axes)
