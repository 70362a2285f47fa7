"""Figure of the impact that travels through Newton's cradle."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from carom.result.result import Result

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure


def extra_figures(balls: Sequence[str], speed: float, restitution: float) -> dict[str, Callable[[Result], Figure]]:
    """Return the figures by name; ``speed`` is that of the first impact [m/s]."""
    return {"blow": lambda result: impact_wave(result, balls, speed, restitution)}


def impact_wave(result: Result, balls: Sequence[str], speed: float, restitution: float) -> Figure:
    """Plot the speeds of all balls around the first collisions, and the transmitted speed in closed form."""
    from carom.plot.figure_options import open_figure

    with open_figure(7.0, 4.2, f"Newton's cradle: the first impact, restitution {restitution:g}") as figure:
        draw_speeds(figure.subplots(), result, balls, speed, restitution)
    return figure


def draw_speeds(axes: Axes, result: Result, balls: Sequence[str], speed: float, restitution: float) -> None:
    """Draw the speeds over the time since the first impact."""
    from carom.plot.contact_history import TIME_SINCE_ONSET
    from carom.plot.panels import curve_legend, label_time
    from carom.plot.style import FAINT, line_style

    last = f"touch {len(balls) - 1}"
    t_first = result.impacts[0].t_start if result.impacts else 0.0
    t_last = result.impacts.of(last)[0].t_start if result.impacts.of(last) else float(result.t[-1])
    margin = 0.35 * (t_last - t_first)
    visible = (result.t >= t_first - margin) & (result.t <= t_last + margin)
    speed_ratios = [0.5 * (1.0 + restitution)]
    while len(speed_ratios) < len(balls) - 1:
        speed_ratios.append(speed_ratios[0] * speed_ratios[-1])
    for value in dict.fromkeys([1.0, *speed_ratios]):
        axes.axhline(value * speed, color=FAINT, linewidth=0.8, linestyle="--")
    for index, name in enumerate(balls):
        axes.plot(result.t[visible] - t_first, result[name].vx[visible], label=name, **line_style(index, len(balls)))
    axes.set_ylabel("velocity x [m/s]")
    axes.set_title("dashed: ((1 + ε)/2)ᵏ of the first speed", loc="right")
    label_time(axes, TIME_SINCE_ONSET)
    curve_legend(axes)
