"""Figure of Painlevé's rod: region without sliding solution, and motion."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from carom.result.result import Result

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure


def extra_figures(
    friction: float, angle: float, theory: Callable[[float], Any]
) -> dict[str, Callable[[Result], Figure]]:
    """Return the figures by name; ``theory`` returns the motion by the second method up to a time [s]."""
    return {"regimes": lambda result: regimes(result, friction, angle, theory(float(result.t[-1])))}


def regimes(result: Result, friction: float, angle: float, motion: Any) -> Figure:
    """Plot the region of angle and friction without sliding solution, and the motion with the second method."""
    from carom.plot.figure_options import open_figure
    from carom.plot.overlay import legend_below

    with open_figure(9.0, 4.4, f"Painlevé's rod, friction {friction:g}: sliding region and motion") as figure:
        grid = figure.add_gridspec(2, 2, width_ratios=(1, 1.2))
        draw_map(figure.add_subplot(grid[:, 0]), friction, angle)
        above = figure.add_subplot(grid[0, 1])
        draw_motion(above, figure.add_subplot(grid[1, 1], sharex=above), result, motion)
        legend_below(figure)
    return figure


def draw_map(axes: Axes, friction: float, angle: float) -> None:
    """Draw the friction over the angle; above the curve A = 0 no force allows forward sliding."""
    import numpy as np

    from carom.plot.style import COLOURS, FAINT, INK

    theta = np.linspace(0.15, 0.5 * math.pi - 0.05, 400)
    critical = (1.0 + 3.0 * np.cos(theta) ** 2) / (3.0 * np.sin(theta) * np.cos(theta))
    top = max(3.0, 1.3 * friction)
    axes.fill_between(theta, critical, 2.0 * top, where=critical < 2.0 * top, color="#eeeeee", zorder=0.5)
    axes.plot(theta, critical, color=COLOURS[2], label="A(θ, μ) = 0")
    axes.axhline(4.0 / 3.0, color=FAINT, linewidth=0.8, linestyle="--")
    axes.text(0.05, 4.0 / 3.0 + 0.02 * top, "μ = 4/3", color=INK, fontsize=8.0)
    axes.text(1.1, 0.86 * top, "no sliding", ha="center", color=INK)
    axes.plot([angle], [friction], color=COLOURS[1], linestyle="none", marker="o", markersize=6.0, label="start")
    axes.set_xlim(0.0, 0.5 * math.pi)
    axes.set_ylim(0.0, top)
    axes.set_xlabel("angle θ [rad]")
    axes.set_ylabel("friction μ [-]")


def draw_motion(above: Axes, below: Axes, result: Result, motion: Any) -> None:
    """Draw the speed of the end and the angular velocity, by the run and by the second method up to its end."""
    import numpy as np

    from carom.plot.panels import label_time
    from carom.plot.style import COLOURS, FAINT

    end = motion.end
    # The sliding phase is only a hundredth of the run.
    t_end = min(4.0 * end, float(result.t[-1])) if motion.ending == "stops" else float(result.t[-1])
    visible = result.t <= t_end
    times = np.linspace(0.0, end, 60)
    for axes, values, expected in (
        (above, -result["tip"].sliding_velocity, motion.state(times)[2]),
        (below, -result["rod"].omega, motion.state(times)[1]),
    ):
        axes.plot(result.t[visible], values[visible], color=COLOURS[0], label="run")
        axes.plot(times, expected, color=COLOURS[1], linestyle=(0, (4.0, 3.0)), linewidth=2.0, label="second method")
        axes.axvline(end, color=FAINT, linewidth=0.8, linestyle="--")
    above.set_ylabel("speed of the end [m/s]")
    below.set_ylabel("θ' [rad/s]")
    above.set_title(f"after {end:.3g} s it {motion.ending}" if motion.ending != "continues" else "", loc="right")
    above.tick_params(labelbottom=False)
    label_time(below)
