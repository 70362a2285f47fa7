"""Figures 8 and 10 to 13 of Flores, Leine and Glocker (2010), and compliant runs with increasing stiffness.

The paper does not define the axes of its phase portraits of the slider. Here they are position and velocity of its
centre across the guide, which distinguish free flight, impacts and persistent contact, with or without rotation.
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

StiffnessRuns = tuple[Result, dict[float, Result]]

GUIDE, SLIDER, TITLE = "guide", "slider", "Slider-crank with clearance"
RESTITUTIONS = (0.1, 0.4, 0.6, 0.9)
"""Coefficients of restitution of the compared runs [-]."""
REVOLUTIONS = 2.0
"""Number of crank revolutions in the figures of the paper."""
STIFFNESSES = (1e8, 1e9, 1e10, 1e11, 1e12)
"""Stiffnesses of the corners in compliant runs [N/m^1.5]."""
DETAIL_TIME = 0.012
"""Time range in the plot of corner 1 [s]."""
CLEARANCE_SCALE = 10.0
"""Magnification of the clearance in the drawings of the slider [-]."""


def extra_figures(
    size: tuple[float, float, float],
    runs_with_restitution: Callable[[Result], dict[float, Result]],
    runs_with_tilt: Callable[[Result], dict[str, Result]],
    runs_with_stiffness: Callable[[Result], dict[float, StiffnessRuns]] | None,
) -> dict[str, Callable[[Result], Figure]]:
    """Return the figures by name; ``size`` is length, width and clearance of the slider [m].

    From one run, ``runs_with_restitution`` returns the runs for RESTITUTIONS, ``runs_with_tilt`` the run itself and one
    with an initial tilt, and ``runs_with_stiffness`` (if there is a law) a non-smooth run and compliant runs by
    stiffness, for each friction coefficient.
    """
    clearance = size[2]
    figures: dict[str, Callable[[Result], Figure]] = {
        "N8": lambda result: configurations(runs_with_tilt(result), size),
        "N10": lambda result: corners(result, clearance),
        "N11": speeds,
        "N12": lambda result: first_corner(runs_with_restitution(result), clearance),
        "N13": lambda result: portraits(runs_with_restitution(result)),
    }
    if runs_with_stiffness is not None:
        figures["compliant"] = lambda result: stiffness_limit(runs_with_stiffness(result), clearance)
    return figures


def two_revolutions(*results: Result) -> tuple[float, float]:
    """Return the time span from 0 to the end of the second crank revolution of the slowest run, or of the runs [s]."""
    ends = []
    for result in results:
        reached = np.flatnonzero(np.abs(result["crank"].angle) >= 2.0 * math.pi * REVOLUTIONS)
        ends.append(float(result.t[reached[0]] if len(reached) else result.t[-1]))
    return 0.0, max(ends)


def configurations(runs: Mapping[str, Result], size: tuple[float, float, float]) -> Figure:
    """Plot the slider in its guide in each configuration that occurs, and the configurations over time."""
    from carom.plot.figure_options import open_figure
    from carom.plot.panels import label_time
    from carom.plot.slider_corners import CONFIGURATIONS, configuration, draw_configuration

    last = list(runs.values())[-1]
    observed = configuration(last, GUIDE)
    occurring = [kind for kind in range(len(CONFIGURATIONS)) if np.any(observed == kind)]
    span = two_revolutions(*runs.values())
    with open_figure(9.0, 1.6 + 1.8 * (len(runs) + 1), f"{TITLE}: corners in contact") as figure:
        above, below = figure.subfigures(2, 1, squeeze=False, height_ratios=(1.9, 1.8 * len(runs))).ravel()
        for axes, kind in zip(
            above.subplots(1, len(occurring), sharey=True, squeeze=False).flat, occurring, strict=True
        ):
            k = most_tilted_node(last, observed == kind)
            draw_slider(axes, last, k, size)
            axes.set_title(f"{CONFIGURATIONS[kind]}, {1e3 * last.t[k]:.2f} ms", loc="left")
            axes.label_outer()
        grid = below.subplots(len(runs), 1, sharex=True, squeeze=False)[:, 0]
        for axes, (name, run) in zip(grid, runs.items(), strict=True):
            draw_configuration(axes, run, GUIDE, span)
            axes.set_title(name, loc="left")
        label_time(grid[-1])
    return figure


def most_tilted_node(result: Result, selected: np.ndarray) -> int:
    """Return the node among those ``selected`` at which the slider is tilted most."""
    tilt = np.abs(result[SLIDER].angle)
    return int(np.argmax(np.where(selected, tilt, -1.0)))


def draw_slider(axes: Axes, result: Result, k: int, size: tuple[float, float, float]) -> None:
    """Draw the slider in its guide at node ``k``, with a magnified clearance."""
    from carom.plot.slider_corners import CORNERS, corner_in_contact, transverse_position
    from carom.plot.style import COLOURS, INK
    from carom.plot.symbols import draw_block, draw_hatched_line

    a, b, c = 0.5 * size[0], 0.5 * size[1], size[2]
    scaled_clearance, half_span = CLEARANCE_SCALE * c, 1.5 * a
    signs = {corner: (1.0 if corner in (2, 4) else -1.0, 1.0 if corner in (1, 2) else -1.0) for corner in CORNERS}
    corner_positions = {
        corner: (x * a, y * b + scaled_clearance * transverse_position(result, GUIDE, corner, c)[k])
        for corner, (x, y) in signs.items()
    }
    for side in (-1.0, 1.0):
        draw_hatched_line(
            axes, side * np.array([(-half_span, -b - scaled_clearance), (half_span, -b - scaled_clearance)]), 0.2 * b
        )
    draw_block(axes, np.array([corner_positions[corner] for corner in (1, 2, 4, 3)]), COLOURS[0], 1.0, 1.4, 3.0)
    for corner, (x, y) in signs.items():
        in_contact = corner_in_contact(result, GUIDE, corner, c)[k]
        axes.plot(
            *corner_positions[corner],
            marker="o",
            markersize=5.0 if in_contact else 3.0,
            color=COLOURS[1] if in_contact else INK,
            zorder=4.0,
        )
        axes.annotate(str(corner), corner_positions[corner], (-8.0 * x, -8.0 * y), textcoords="offset points",
                      ha="center", va="center", fontsize="small", color=INK)  # fmt: skip
    axes.set_aspect("equal")
    axes.set_xlim(-1.06 * half_span, 1.06 * half_span)
    axes.set_ylim(-b - 1.6 * scaled_clearance, b + 1.6 * scaled_clearance)
    axes.set_xticks([-a, 0.0, a])
    axes.grid(False)
    axes.set_xlabel("along [m]")
    axes.set_ylabel(f"across, clearance ×{CLEARANCE_SCALE:.0f} [m]")


def corners(result: Result, clearance: float) -> Figure:
    """Plot the motion of the corners across the guide."""
    from carom.plot import plot_corners

    title = f"{TITLE}: motion of the corners across the guide"
    return plot_corners(result, GUIDE, clearance=clearance, span=two_revolutions(result), title=title)


def speeds(result: Result) -> Figure:
    """Plot the speeds of crank and rod, and the phase portraits of rod and slider."""
    from carom.plot.figure_options import open_figure
    from carom.plot.panels import label_axis, label_time, label_values
    from carom.plot.style import COLOURS

    span = two_revolutions(result)
    visible = result.t <= span[1]
    with open_figure(9.0, 6.0, f"{TITLE}: speeds and portraits") as figure:
        above, below = figure.subplots(2, 2)
        for axes, body, letter in zip(above, ("crank", "rod"), "ab", strict=True):
            axes.plot(result.t[visible], result[body].omega[visible], color=COLOURS[0], linewidth=1.1)
            axes.set_xlim(span)
            axes.set_title(f"({letter}) {body} speed", loc="left")
            label_values(axes, ["omega"], "rad/s")
            label_time(axes)
        rod = result["rod"]
        below[0].plot(rod.angle[visible], rod.omega[visible], color=COLOURS[0], linewidth=0.9)
        below[0].set_title("(c) rod portrait", loc="left")
        label_axis(below[0].xaxis, below[0].dataLim.intervalx, ["angle"], "rad")
        label_axis(below[0].yaxis, below[0].dataLim.intervaly, ["omega"], "rad/s")
        draw_portrait(below[1], result, visible)
        below[1].set_title("(d) slider portrait, across the guide", loc="left")
        figure.align_ylabels()
    return figure


def draw_portrait(axes: Axes, result: Result, visible: Any) -> None:
    """Draw the velocity of the slider across the guide over its position."""
    from carom.plot.panels import label_axis
    from carom.plot.style import COLOURS

    slider = result[SLIDER]
    axes.plot(slider.y[visible], slider.vy[visible], color=COLOURS[0], linewidth=0.8)
    label_axis(axes.xaxis, axes.dataLim.intervalx, ["y"], "m")
    label_axis(axes.yaxis, axes.dataLim.intervaly, ["vy"], "m/s")


def first_corner(runs: Mapping[float, Result], clearance: float) -> Figure:
    """Plot the motion of corner 1 for each restitution."""
    from carom.plot.figure_options import open_figure
    from carom.plot.slider_corners import draw_corner_panels

    panels = {
        f"({letter}) restitution {restitution:g}": (run, GUIDE, 1, clearance)
        for letter, (restitution, run) in zip("abcd", runs.items(), strict=True)
    }
    with open_figure(9.0, 5.0, f"{TITLE}: restitution and corner 1") as figure:
        draw_corner_panels(figure, panels, two_revolutions(*runs.values()))
    return figure


def portraits(runs: Mapping[float, Result]) -> Figure:
    """Plot the phase portrait of the slider for each restitution."""
    from carom.plot.figure_options import open_figure

    with open_figure(9.0, 6.0, f"{TITLE}: restitution and portraits of the slider, across the guide") as figure:
        grid = figure.subplots(2, 2, sharex=True, sharey=True)
        for axes, letter, (restitution, run) in zip(grid.flat, "abcd", runs.items(), strict=True):
            draw_portrait(axes, run, run.t <= two_revolutions(run)[1])
            axes.set_title(f"({letter}) restitution {restitution:g}", loc="left")
            axes.label_outer()
    return figure


def stiffness_limit(runs: Mapping[float, StiffnessRuns], clearance: float) -> Figure:
    """Plot compliant runs with increasing stiffness and the non-smooth run: corner 1, and the distance of the runs.

    The duration of an impact is proportional to K^(−2/5), and so is the distance of the runs without friction. With
    friction the runs differ for any stiffness: while two corners are in contact, friction rotates the slider a little,
    whereas Newton's law lets both separate with the same speed.
    """
    from carom.plot.figure_options import open_figure
    from carom.plot.overlay import legend_below

    with open_figure(9.0, 4.2, f"{TITLE}: compliant corners become rigid") as figure:
        left, right = figure.subplots(1, 2, width_ratios=(1.5, 1.0))
        draw_stiffness_limit(left, *next(iter(runs.values())), clearance)
        draw_distance(right, runs, clearance)
        legend_below(figure, columns=6)
    return figure


def draw_stiffness_limit(
    axes: Axes, nonsmooth_run: Result, compliant_runs: Mapping[float, Result], clearance: float
) -> None:
    """Draw corner 1 of each run."""
    from matplotlib import colormaps

    from carom.plot.panels import label_time
    from carom.plot.slider_corners import transverse_position
    from carom.plot.style import FAINT, INK

    axes.axhline(1.0, color=FAINT, linewidth=0.9)
    for k, (stiffness, run) in enumerate(compliant_runs.items()):
        colour = colormaps["viridis"](0.9 * k / max(len(compliant_runs) - 1, 1))
        name = f"$K = 10^{{{math.log10(stiffness):.0f}}}$ N/m$^{{1.5}}$"
        axes.plot(run.t, transverse_position(run, GUIDE, 1, clearance), color=colour, linewidth=1.2, label=name)
    axes.plot(
        nonsmooth_run.t,
        transverse_position(nonsmooth_run, GUIDE, 1, clearance),
        color=INK,
        linewidth=1.2,
        linestyle="--",
        label="non-smooth",
    )
    axes.set_xlim(0.0, min(DETAIL_TIME, nonsmooth_run.t[-1]))
    axes.set_ylabel("(y − b)/c [-]")
    axes.set_title("corner 1, without friction", loc="left")
    label_time(axes)


def draw_distance(axes: Axes, runs: Mapping[float, StiffnessRuns], clearance: float) -> None:
    """Draw the distance of the runs over the stiffness on logarithmic axes."""
    from carom.plot.style import COLOURS, FAINT

    for k, (friction, (nonsmooth_run, compliant_runs)) in enumerate(runs.items()):
        distances = [mean_distance(nonsmooth_run, run, clearance) for run in compliant_runs.values()]
        if k == 0:
            line = distances[-1] * (np.array(list(compliant_runs)) / list(compliant_runs)[-1]) ** -0.4
            axes.plot(list(compliant_runs), line, color=FAINT, linewidth=1.0, linestyle="--", label="_")
            axes.annotate("$K^{-2/5}$", (list(compliant_runs)[2], line[2]), (-6.0, -12.0), textcoords="offset points",
                          ha="right", color=FAINT)  # fmt: skip
        name = f"friction {friction:g}" if friction else "without friction"
        axes.plot(
            list(compliant_runs),
            distances,
            marker="o",
            markersize=4.0,
            color=COLOURS[k],
            linewidth=1.2,
            label=f"_{name}",
        )
        axes.annotate(name, (list(compliant_runs)[-2], distances[-2]), (4.0, 4.0) if k == 0 else (-4.0, 6.0),
                      color=COLOURS[k], textcoords="offset points", ha="left" if k == 0 else "right",
                      fontsize="small")  # fmt: skip
    axes.set_xscale("log")
    axes.set_yscale("log")
    axes.set_xlabel("stiffness $K$ [N/m$^{1.5}$]")
    axes.set_ylabel("mean distance of the sliders [c]")
    axes.set_title(f"to the non-smooth run, {1e3 * nonsmooth_run.t[-1]:.3g} ms", loc="left")


def mean_distance(nonsmooth_run: Result, compliant_runs: Result, clearance: float) -> float:
    """Return the mean distance of the sliders of two runs across the guide, relative to the clearance [-]."""
    t = np.linspace(0.0, min(nonsmooth_run.t[-1], compliant_runs.t[-1]), 4001)
    return float(np.mean(np.abs(compliant_runs.sample(t)[SLIDER].y - nonsmooth_run.sample(t)[SLIDER].y))) / clearance
