"""The bouncing ball against its closed form."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from carom.result.result import Result

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure


def drawings(fall: float, height: float, restitution: float, radius: float) -> dict[str, Callable[[Result], Figure]]:
    """Figures by their ids, of a ball that falls from ``height`` [m] in ``fall`` [s]."""
    return {"bounces": lambda result: bounces(result, fall, height, restitution, radius)}


def bounces(result: Result, fall: float, height: float, restitution: float, radius: float) -> Figure:
    """Height over time with the tops of the closed form, and the times of flight from one impact to the next."""
    import numpy as np

    from carom.plot.figure_options import open_figure
    from carom.plot.panels import curve_legend, label_time
    from carom.plot.style import COLOURS, FAINT

    end = float(result.t[-1])
    number = np.arange(1, 200)
    flights = 2.0 * fall * restitution**number
    begun = fall + np.concatenate([[0.0], np.cumsum(flights)[:-1]])
    tops = begun + 0.5 * flights
    seen = (tops < end) & (flights > 2e-3 * end)
    with open_figure(9.0, 3.8, "Bouncing ball: heights and times of flight") as figure:
        above, right = figure.subplots(1, 2, width_ratios=(3, 2))
        above.plot(result.t, result["ball"].y - radius, color=COLOURS[0], label="run")
        above.plot(
            tops[seen], height * restitution ** (2.0 * number[seen]),
            color=COLOURS[1], linestyle="none", marker="o", markersize=4.0, fillstyle="none", label="ε²ⁿ height",
        )  # fmt: skip
        rest = fall * (1.0 + restitution) / (1.0 - restitution) if restitution < 1.0 else end
        if rest < end:
            above.axvline(rest, color=FAINT, linewidth=0.8, linestyle="--", label="rest")
        above.set_ylabel("height above the floor [m]")
        label_time(above)
        curve_legend(above)
        draw_flights(right, result, fall, restitution)
    return figure


def draw_flights(axes: Axes, result: Result, fall: float, restitution: float) -> None:
    """Time between impacts over their number; where it is as short as a few steps, the contact lasts."""
    import numpy as np

    from carom.plot.panels import curve_legend
    from carom.plot.style import COLOURS, FAINT

    hits = np.array([impact.t_start for impact in result.impacts])
    number = np.arange(1, max(len(hits), 2))
    axes.plot(number, 2.0 * fall * restitution**number, color=COLOURS[1], label="2 √(2 h/g) εⁿ")
    axes.plot(number[: max(len(hits) - 1, 0)], np.diff(hits), color=COLOURS[0], linestyle="none", marker="o",
              markersize=4.0, label="run")  # fmt: skip
    if "step" in result.settings:
        axes.axhline(result.settings["step"], color=FAINT, linewidth=0.8, linestyle="--", label="a step")
    if restitution > 0.0:
        axes.set_yscale("log")
    axes.set_xlabel("impact [number]")
    axes.set_ylabel("time to the next impact [s]")
    curve_legend(axes)
