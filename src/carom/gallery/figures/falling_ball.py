"""Figure 1 of Flores and Ambrósio (2010), and the energy gained by a contact that starts too deep."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from carom.gallery.case_variants import ONSETS, onset_method
from carom.result.result import Result

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    Runs = Callable[[tuple[str, ...], Result], dict[str, Result]]

DETAIL_TIME = 2.5e-4
"""Time before and after the onset in the detail [s]."""


def extra_figures(runs: Runs, radius: float) -> dict[str, Callable[[Result], Figure]]:
    """Return the figures by name; ``runs`` returns the runs with several onset methods from one run."""
    return {
        "T1": lambda result: trajectories(runs((onset_method(result), "none"), result), radius),
        "energy": lambda result: energy_gains(runs(tuple(ONSETS), result)),
    }


def trajectories(runs: dict[str, Result], radius: float) -> Figure:
    """Plot the path of the ball's centre, and of its lowest point near the onset."""
    from carom.plot.figure_options import open_figure
    from carom.plot.overlay import legend_below, with_line_styles
    from carom.plot.style import FAINT
    from carom.scene.curve_data import CurveFinder

    with open_figure(9.0, 4.2, "Falling ball, with and without control of the onset") as figure:
        left, detail = figure.subplots(1, 2)
        left.axhline(radius, color=FAINT, linewidth=0.8, linestyle="--")
        for result, style in with_line_styles(runs):
            x, y = CurveFinder(result).find("ball.position")
            left.plot(x.values, y.values, **style)
        left.set_xlabel("x [m]")
        left.set_ylabel("y of the centre [m]")
        left.set_title("(a) trajectory; dashed: contact with the plane", loc="left")
        draw_detail(detail, runs, radius)
        detail.set_title("(b) near the onset, one point per step", loc="left")
        legend_below(figure)
    return figure


def draw_detail(axes: Axes, runs: dict[str, Result], radius: float) -> None:
    """Draw the lowest point of the ball near the first onset, or over the whole run without contact."""
    import numpy as np

    from carom.plot.overlay import with_line_styles
    from carom.plot.panels import label_axis
    from carom.plot.style import FAINT

    first = next(iter(runs.values()))
    zero = first.impacts[0].t_start if first.impacts else 0.0
    span = (zero - DETAIL_TIME, zero + DETAIL_TIME) if first.impacts else (0.0, float(first.t[-1]))
    origin = float(first.sample(zero)["ball"].x[0])
    axes.axhline(0.0, color=FAINT, linewidth=0.8, linestyle="--")
    for result, style in with_line_styles(runs):
        nodes = result.t[(result.t >= span[0]) & (result.t <= span[1])]
        times = np.union1d(nodes, np.linspace(span[0], min(span[1], result.t[-1]), 200))
        ball = result.sample(times)["ball"]
        marks = np.flatnonzero(np.isin(times, nodes)).tolist()
        axes.plot(ball.x - origin, ball.y - radius, marker=".", markersize=4.0, markevery=marks, **style)
    label_axis(axes.xaxis, axes.dataLim.intervalx, ["x from the first contact"], "m")
    label_axis(axes.yaxis, axes.dataLim.intervaly, ["height of the lowest point"], "m")


def energy_gains(runs: dict[str, Result]) -> Figure:
    """Plot the spurious energy gain on a linear and on a logarithmic axis."""
    import numpy as np

    from carom.plot.figure_options import open_figure
    from carom.plot.overlay import legend_below, with_line_styles
    from carom.plot.panels import label_time

    with open_figure(7.0, 5.0, "Falling ball: energy gained by the contact") as figure:
        linear, logarithmic = figure.subplots(2, 1, sharex=True)
        for result, style in with_line_styles(runs):
            gain = result.energy.balance
            linear.plot(result.t, gain, **style)
            logarithmic.plot(result.t, np.maximum(np.abs(gain), 1e-16), **style)
        logarithmic.set_yscale("log")
        linear.set_ylabel("energy gained [J]")
        logarithmic.set_ylabel("its magnitude [J]")
        label_time(logarithmic)
        figure.align_ylabels([linear, logarithmic])
        legend_below(figure, columns=2)
    return figure
