"""Figure of stick and slip with the closed form."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from carom.result.result import Result

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    ArcFunction = Callable[[float], list[Any]]


def extra_figures(arcs: ArcFunction, belt: float, stick_limit: float) -> dict[str, Callable[[Result], Figure]]:
    """Return the figures by name; ``arcs`` returns the closed form up to a time, ``stick_limit`` is μ m g/k [m]."""
    return {"arcs": lambda result: portrait(result, arcs(float(result.t[-1])), belt, stick_limit)}


def portrait(result: Result, arcs: list[Any], belt: float, stick_limit: float) -> Figure:
    """Plot the elongation of the spring and the phase portrait; circles mark the starts of arcs."""
    from carom.plot.figure_options import open_figure
    from carom.plot.overlay import legend_below
    from carom.plot.panels import label_time

    with open_figure(9.0, 4.2, f"Mass on a belt of {belt:g} m/s: slip and stick") as figure:
        left, right = figure.subplots(1, 2, width_ratios=(3, 2))
        mass = result["mass"]
        draw_arcs(left, arcs, result.t, mass.x, lambda arc: (arc.start, arc.x), result.t)
        left.axhspan(-stick_limit, stick_limit, color="#eeeeee", zorder=0.5)
        left.set_ylabel("elongation x [m]")
        label_time(left)
        draw_arcs(right, arcs, mass.x, mass.vx, lambda arc: (arc.x, arc.v), result.t)
        right.axvspan(-stick_limit, stick_limit, color="#eeeeee", zorder=0.5, label="|x| ≤ μ m g/k")
        right.margins(x=0.03)
        right.set_xlabel("elongation x [m]")
        right.set_ylabel("velocity [m/s]")
        legend_below(figure)
    return figure


def draw_arcs(axes: Axes, arcs: list[Any], x: Any, y: Any, start: Callable[[Any], tuple[float, float]], t: Any) -> None:
    """Draw a curve of the run, its sticking parts and the starts of the arcs by the closed form."""
    from carom.plot.style import COLOURS

    axes.plot(x, y, color=COLOURS[0], label="run")
    for arc in arcs:
        inside = (t >= arc.start) & (t <= arc.end)
        if arc.side == 0:
            axes.plot(x[inside], y[inside], color=COLOURS[1], linewidth=3.0, solid_capstyle="butt", label="sticks")
    axes.plot(*zip(*map(start, arcs), strict=True), color="black", linestyle="none", marker="o", markersize=4.5,
              fillstyle="none", label="start of an arc, closed form")  # fmt: skip
