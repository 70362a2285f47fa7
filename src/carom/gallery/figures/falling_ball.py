"""Figure 1 of Flores and Ambrósio 2010, and the energy that a contact gains when it begins too deep."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from carom.gallery.compare import ONSETS, controlled
from carom.result.result import Result

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    Runs = Callable[[tuple[str, ...], Result], dict[str, Result]]

NEAR = 2.5e-4
"""Time before and after the touch in the detail [s]."""


def drawings(runs: Runs, radius: float) -> dict[str, Callable[[Result], Figure]]:
    """Figures by their ids; ``runs`` gives the runs of several onsets, from their names and one run."""
    return {
        "T1": lambda result: trajectories(runs((controlled(result), "none"), result), radius),
        "energy": lambda result: gains(runs(tuple(ONSETS), result)),
    }


def trajectories(runs: dict[str, Result], radius: float) -> Figure:
    """Path of the ball's centre, and of its lowest point close to the touch."""
    from carom.plot.figure_options import open_figure
    from carom.plot.overlay import legend_below, with_line_styles
    from carom.plot.style import FAINT
    from carom.scene.curve_data import CurveFinder

    with open_figure(9.0, 4.2, "Falling ball, with and without control of the onset") as figure:
        whole, detail = figure.subplots(1, 2)
        whole.axhline(radius, color=FAINT, linewidth=0.8, linestyle="--")
        for result, look in with_line_styles(runs):
            x, y = CurveFinder(result).find("ball.position")
            whole.plot(x.values, y.values, **look)
        whole.set_xlabel("x [m]")
        whole.set_ylabel("y of the centre [m]")
        whole.set_title("(a) trajectory; dashed: the ball touches the plane", loc="left")
        draw_detail(detail, runs, radius)
        detail.set_title("(b) close to the touch, a point at every step", loc="left")
        legend_below(figure)
    return figure


def draw_detail(axes: Axes, runs: dict[str, Result], radius: float) -> None:
    """The lowest point of the ball about the first touch, or along the whole run where there is none."""
    import numpy as np

    from carom.plot.overlay import with_line_styles
    from carom.plot.panels import label_axis
    from carom.plot.style import FAINT

    first = next(iter(runs.values()))
    zero = first.impacts[0].t_start if first.impacts else 0.0
    span = (zero - NEAR, zero + NEAR) if first.impacts else (0.0, float(first.t[-1]))
    origin = float(first.sample(zero)["ball"].x[0])
    axes.axhline(0.0, color=FAINT, linewidth=0.8, linestyle="--")
    for result, look in with_line_styles(runs):
        nodes = result.t[(result.t >= span[0]) & (result.t <= span[1])]
        times = np.union1d(nodes, np.linspace(span[0], min(span[1], result.t[-1]), 200))
        ball = result.sample(times)["ball"]
        marks = np.flatnonzero(np.isin(times, nodes)).tolist()
        axes.plot(ball.x - origin, ball.y - radius, marker=".", markersize=4.0, markevery=marks, **look)
    label_axis(axes.xaxis, axes.dataLim.intervalx, ["x since the first touch"], "m")
    label_axis(axes.yaxis, axes.dataLim.intervaly, ["height of the lowest point"], "m")


def gains(runs: dict[str, Result]) -> Figure:
    """Energy that came from nowhere, on a linear and on a logarithmic axis."""
    import numpy as np

    from carom.plot.figure_options import open_figure
    from carom.plot.overlay import legend_below, with_line_styles
    from carom.plot.panels import label_time

    with open_figure(7.0, 5.0, "Falling ball: energy gained by the contact") as figure:
        linear, powers = figure.subplots(2, 1, sharex=True)
        for result, look in with_line_styles(runs):
            gain = result.energy.balance
            linear.plot(result.t, gain, **look)
            powers.plot(result.t, np.maximum(np.abs(gain), 1e-16), **look)
        powers.set_yscale("log")
        linear.set_ylabel("energy gained [J]")
        powers.set_ylabel("its magnitude [J]")
        label_time(powers)
        figure.align_ylabels([linear, powers])
        legend_below(figure, columns=2)
    return figure
