"""Figures 8 and 10 to 13 of Flores, Leine and Glocker 2010, and the compliant run that stiffens.

The paper does not say what its portraits of the slider are over: here the position and the velocity of its middle
across the guide, in which free flight, impacts and lasting contact are told apart whether it turns or not.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from carom.result.result import Result

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

Stiffened = tuple[Result, dict[float, Result]]

GUIDE, SLIDER, TITLE = "guide", "slider", "Slider-crank with clearance"
RESTITUTIONS = (0.1, 0.4, 0.6, 0.9)
TURNS = 2.0
"""Of the crank, shown by the paper."""
STIFFNESSES = (1e8, 1e9, 1e10, 1e11, 1e12)
"""Of the corners in compliant runs [N/m^1.5]."""
CLOSER = 0.012
"""What is seen of the motion of their corner 1 [s]."""
MAGNIFIED = 10.0
"""Play in the drawings of the slider in its guide."""


def drawings(
    size: tuple[float, float, float],
    with_restitution: Callable[[Result], dict[float, Result]],
    tilted: Callable[[Result], dict[str, Result]],
    stiffened: Callable[[Result], dict[float, Stiffened]] | None,
) -> dict[str, Callable[[Result], Figure]]:
    """Figures by their ids; ``size`` is length, width and clearance of the slider [m].

    From one run, ``with_restitution`` gives those of RESTITUTIONS, ``tilted`` that run itself and one whose slider
    starts tilted, and ``stiffened`` (where there is a law) by friction a non-smooth run, and compliant ones by their
    stiffness.
    """
    clearance = size[2]
    figures: dict[str, Callable[[Result], Figure]] = {
        "N8": lambda result: configurations(tilted(result), size),
        "N10": lambda result: corners(result, clearance),
        "N11": speeds,
        "N12": lambda result: first_corner(with_restitution(result), clearance),
        "N13": lambda result: portraits(with_restitution(result)),
    }
    if stiffened is not None:
        figures["compliant"] = lambda result: limit(stiffened(result), clearance)
    return figures


def two_turns(*results: Result) -> tuple[float, float]:
    """From 0 until the crank of the slowest run has turned twice, or the runs end [s]."""
    ends = []
    for result in results:
        there = np.flatnonzero(np.abs(result["crank"].angle) >= 2.0 * math.pi * TURNS)
        ends.append(float(result.t[there[0]] if len(there) else result.t[-1]))
    return 0.0, max(ends)


def configurations(runs: Mapping[str, Result], size: tuple[float, float, float]) -> Figure:
    """The slider in its guide in each configuration that occurs, and the configurations over time."""
    from carom.plot.figure_options import open_figure
    from carom.plot.panels import label_time
    from carom.plot.slider_corners import CONFIGURATIONS, configuration, draw_configuration

    last = list(runs.values())[-1]
    now = configuration(last, GUIDE)
    shown = [kind for kind in range(len(CONFIGURATIONS)) if np.any(now == kind)]
    span = two_turns(*runs.values())
    with open_figure(9.0, 1.6 + 1.8 * (len(runs) + 1), f"{TITLE}: which corners touch") as figure:
        above, below = figure.subfigures(2, 1, squeeze=False, height_ratios=(1.9, 1.8 * len(runs))).ravel()
        for axes, kind in zip(above.subplots(1, len(shown), sharey=True, squeeze=False).flat, shown, strict=True):
            k = clearest(last, now == kind)
            draw_slider(axes, last, k, size)
            axes.set_title(f"{CONFIGURATIONS[kind]}, {1e3 * last.t[k]:.2f} ms", loc="left")
            axes.label_outer()
        grid = below.subplots(len(runs), 1, sharex=True, squeeze=False)[:, 0]
        for axes, (name, run) in zip(grid, runs.items(), strict=True):
            draw_configuration(axes, run, GUIDE, span)
            axes.set_title(name, loc="left")
        label_time(grid[-1])
    return figure


def clearest(result: Result, there: np.ndarray) -> int:
    """The node among those ``there`` at which the slider is tilted most."""
    tilt = np.abs(result[SLIDER].angle)
    return int(np.argmax(np.where(there, tilt, -1.0)))


def draw_slider(axes: Axes, result: Result, k: int, size: tuple[float, float, float]) -> None:
    """The slider in its guide at node ``k``, the play larger than it is."""
    from carom.plot.slider_corners import CORNERS, corner_in_contact, transverse_position
    from carom.plot.style import COLOURS, INK
    from carom.plot.symbols import draw_block, draw_hatched_line

    a, b, c = 0.5 * size[0], 0.5 * size[1], size[2]
    play, reach = MAGNIFIED * c, 1.5 * a
    signs = {corner: (1.0 if corner in (2, 4) else -1.0, 1.0 if corner in (1, 2) else -1.0) for corner in CORNERS}
    at = {
        corner: (x * a, y * b + play * transverse_position(result, GUIDE, corner, c)[k])
        for corner, (x, y) in signs.items()
    }  # fmt: skip
    for side in (-1.0, 1.0):
        draw_hatched_line(axes, side * np.array([(-reach, -b - play), (reach, -b - play)]), 0.2 * b)
    draw_block(axes, np.array([at[corner] for corner in (1, 2, 4, 3)]), COLOURS[0], 1.0, 1.4, 3.0)
    for corner, (x, y) in signs.items():
        on = corner_in_contact(result, GUIDE, corner, c)[k]
        axes.plot(*at[corner], marker="o", markersize=5.0 if on else 3.0, color=COLOURS[1] if on else INK, zorder=4.0)
        axes.annotate(str(corner), at[corner], (-8.0 * x, -8.0 * y), textcoords="offset points", ha="center",
                      va="center", fontsize="small", color=INK)  # fmt: skip
    axes.set_aspect("equal")
    axes.set_xlim(-1.06 * reach, 1.06 * reach)
    axes.set_ylim(-b - 1.6 * play, b + 1.6 * play)
    axes.set_xticks([-a, 0.0, a])
    axes.grid(False)
    axes.set_xlabel("along [m]")
    axes.set_ylabel(f"across, play ×{MAGNIFIED:.0f} [m]")


def corners(result: Result, clearance: float) -> Figure:
    """Motion of the corners across the guide."""
    from carom.plot import plot_corners

    title = f"{TITLE}: motion of the corners across the guide"
    return plot_corners(result, GUIDE, clearance=clearance, span=two_turns(result), title=title)


def speeds(result: Result) -> Figure:
    """Speeds of crank and rod, and portraits of rod and slider."""
    from carom.plot.figure_options import open_figure
    from carom.plot.panels import label_axis, label_time, label_values
    from carom.plot.style import COLOURS

    span = two_turns(result)
    seen = result.t <= span[1]
    with open_figure(9.0, 6.0, f"{TITLE}: speeds and portraits") as figure:
        above, below = figure.subplots(2, 2)
        for axes, body, letter in zip(above, ("crank", "rod"), "ab", strict=True):
            axes.plot(result.t[seen], result[body].omega[seen], color=COLOURS[0], linewidth=1.1)
            axes.set_xlim(span)
            axes.set_title(f"({letter}) {body} speed", loc="left")
            label_values(axes, ["omega"], "rad/s")
            label_time(axes)
        rod = result["rod"]
        below[0].plot(rod.angle[seen], rod.omega[seen], color=COLOURS[0], linewidth=0.9)
        below[0].set_title("(c) rod portrait", loc="left")
        label_axis(below[0].xaxis, below[0].dataLim.intervalx, ["angle"], "rad")
        label_axis(below[0].yaxis, below[0].dataLim.intervaly, ["omega"], "rad/s")
        draw_portrait(below[1], result, seen)
        below[1].set_title("(d) slider portrait, across the guide", loc="left")
        figure.align_ylabels()
    return figure


def draw_portrait(axes: Axes, result: Result, seen: Any) -> None:
    """Velocity of the slider across the guide over its position there."""
    from carom.plot.panels import label_axis
    from carom.plot.style import COLOURS

    slider = result[SLIDER]
    axes.plot(slider.y[seen], slider.vy[seen], color=COLOURS[0], linewidth=0.8)
    label_axis(axes.xaxis, axes.dataLim.intervalx, ["y"], "m")
    label_axis(axes.yaxis, axes.dataLim.intervaly, ["vy"], "m/s")


def first_corner(runs: Mapping[float, Result], clearance: float) -> Figure:
    """Motion of corner 1 for each restitution."""
    from carom.plot.figure_options import open_figure
    from carom.plot.panels import label_time
    from carom.plot.slider_corners import corner_legend, draw_corner

    with open_figure(9.0, 5.0, f"{TITLE}: restitution and corner 1") as figure:
        grid = figure.subplots(2, 2, sharex=True, sharey=True)
        for axes, letter, (restitution, run) in zip(grid.flat, "abcd", runs.items(), strict=True):
            draw_corner(axes, run, GUIDE, 1, clearance, two_turns(*runs.values()))
            axes.set_title(f"({letter}) restitution {restitution:g}", loc="left")
        for axes in grid[1]:
            label_time(axes)
        for axes in grid[:, 1]:
            axes.set_ylabel("")
        corner_legend(figure)
    return figure


def portraits(runs: Mapping[float, Result]) -> Figure:
    """Portrait of the slider for each restitution."""
    from carom.plot.figure_options import open_figure

    with open_figure(9.0, 6.0, f"{TITLE}: restitution and portraits of the slider, across the guide") as figure:
        grid = figure.subplots(2, 2, sharex=True, sharey=True)
        for axes, letter, (restitution, run) in zip(grid.flat, "abcd", runs.items(), strict=True):
            draw_portrait(axes, run, run.t <= two_turns(run)[1])
            axes.set_title(f"({letter}) restitution {restitution:g}", loc="left")
            axes.label_outer()
    return figure


def limit(runs: Mapping[float, Stiffened], clearance: float) -> Figure:
    """Compliant runs of rising stiffness beside the non-smooth one, by friction: corner 1, and how far apart they are.

    An impact takes a time in proportion to K^(−2/5), and so far apart are the runs without friction. With friction
    they differ however stiff the corners are: while two of them strike, friction turns the slider a little, whereas
    Newton's law lets both leave with the same speed.
    """
    from carom.plot.figure_options import open_figure
    from carom.plot.overlay import legend_below

    with open_figure(9.0, 4.2, f"{TITLE}: compliant corners become rigid") as figure:
        left, right = figure.subplots(1, 2, width_ratios=(1.5, 1.0))
        draw_limit(left, *next(iter(runs.values())), clearance)
        draw_apart(right, runs, clearance)
        legend_below(figure, columns=6)
    return figure


def draw_limit(axes: Axes, rigid: Result, soft: Mapping[float, Result], clearance: float) -> None:
    """Corner 1 of each run."""
    from matplotlib import colormaps

    from carom.plot.panels import label_time
    from carom.plot.slider_corners import transverse_position
    from carom.plot.style import FAINT, INK

    axes.axhline(1.0, color=FAINT, linewidth=0.9)
    for k, (stiffness, run) in enumerate(soft.items()):
        colour = colormaps["viridis"](0.9 * k / max(len(soft) - 1, 1))
        name = f"$K = 10^{{{math.log10(stiffness):.0f}}}$ N/m$^{{1.5}}$"
        axes.plot(run.t, transverse_position(run, GUIDE, 1, clearance), color=colour, linewidth=1.2, label=name)
    axes.plot(
        rigid.t,
        transverse_position(rigid, GUIDE, 1, clearance),
        color=INK,
        linewidth=1.2,
        linestyle="--",
        label="non-smooth",
    )
    axes.set_xlim(0.0, min(CLOSER, rigid.t[-1]))
    axes.set_ylabel("(y − b)/c [1]")
    axes.set_title("corner 1, without friction", loc="left")
    label_time(axes)


def draw_apart(axes: Axes, runs: Mapping[float, Stiffened], clearance: float) -> None:
    """Distance of the runs over the stiffness, on logarithmic axes."""
    from carom.plot.style import COLOURS, FAINT

    for k, (friction, (rigid, soft)) in enumerate(runs.items()):
        far = [apart(rigid, run, clearance) for run in soft.values()]
        if k == 0:
            line = far[-1] * (np.array(list(soft)) / list(soft)[-1]) ** -0.4
            axes.plot(list(soft), line, color=FAINT, linewidth=1.0, linestyle="--", label="_")
            axes.annotate("$K^{-2/5}$", (list(soft)[2], line[2]), (-6.0, -12.0), textcoords="offset points",
                          ha="right", color=FAINT)  # fmt: skip
        name = f"friction {friction:g}" if friction else "without friction"
        axes.plot(list(soft), far, marker="o", markersize=4.0, color=COLOURS[k], linewidth=1.2, label=f"_{name}")
        axes.annotate(name, (list(soft)[-2], far[-2]), (4.0, 4.0) if k == 0 else (-4.0, 6.0), color=COLOURS[k],
                      textcoords="offset points", ha="left" if k == 0 else "right", fontsize="small")  # fmt: skip
    axes.set_xscale("log")
    axes.set_yscale("log")
    axes.set_xlabel("stiffness $K$ [N/m$^{1.5}$]")
    axes.set_ylabel("mean distance of the sliders [c]")
    axes.set_title(f"to the non-smooth run, {1e3 * rigid.t[-1]:.3g} ms", loc="left")


def apart(rigid: Result, soft: Result, clearance: float) -> float:
    """How far the slider of one run is from that of the other across the guide: the mean over time, in clearances."""
    t = np.linspace(0.0, min(rigid.t[-1], soft.t[-1]), 4001)
    return float(np.mean(np.abs(soft.sample(t)[SLIDER].y - rigid.sample(t)[SLIDER].y))) / clearance
