"""How the blow travels through Newton's cradle."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from carom.result.result import Result

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure


def drawings(balls: Sequence[str], speed: float, restitution: float) -> dict[str, Callable[[Result], Figure]]:
    """Figures by their ids; ``speed`` [m/s] is that of the first impact."""
    return {"blow": lambda result: blow(result, balls, speed, restitution)}


def blow(result: Result, balls: Sequence[str], speed: float, restitution: float) -> Figure:
    """Speeds of all balls about the first collisions, and the closed form of the speed that is handed on."""
    from carom.plot.figure_options import open_figure

    with open_figure(7.0, 4.2, f"Newton's cradle: the first blow, restitution {restitution:g}") as figure:
        draw_speeds(figure.subplots(), result, balls, speed, restitution)
    return figure


def draw_speeds(axes: Axes, result: Result, balls: Sequence[str], speed: float, restitution: float) -> None:
    """Against the time since the first impact."""
    from carom.plot.contact_history import TIME_SINCE_ONSET
    from carom.plot.panels import curve_legend, label_time
    from carom.plot.style import FAINT, line_style

    last = f"touch {len(balls) - 1}"
    zero = result.impacts[0].t_start if result.impacts else 0.0
    arrives = result.impacts.of(last)[0].t_start if result.impacts.of(last) else float(result.t[-1])
    margin = 0.35 * (arrives - zero)
    seen = (result.t >= zero - margin) & (result.t <= arrives + margin)
    handed = [0.5 * (1.0 + restitution)]
    while len(handed) < len(balls) - 1:
        handed.append(handed[0] * handed[-1])
    for value in dict.fromkeys([1.0, *handed]):
        axes.axhline(value * speed, color=FAINT, linewidth=0.8, linestyle="--")
    for index, name in enumerate(balls):
        axes.plot(result.t[seen] - zero, result[name].vx[seen], label=name, **line_style(index, len(balls)))
    axes.set_ylabel("velocity x [m/s]")
    axes.set_title("dashed: ((1 + ε)/2)ᵏ of the first speed", loc="right")
    label_time(axes, TIME_SINCE_ONSET)
    curve_legend(axes)
