"""Diagnosis of a joint with clearance: modes, orbit, impact rose, section, reaction."""

from __future__ import annotations

import math
from typing import Any, Unpack

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator

from carom.plot.figure_options import FigureOptions, open_figure
from carom.plot.orbit import draw_orbit
from carom.plot.panels import label_axis, label_time
from carom.plot.poincare_section import draw_section
from carom.plot.style import COLOURS, FAINT, INK, MAX_VECTOR_POINTS
from carom.result.joint_diagnosis import MODES, JointDiagnosis, clearance_joints, diagnose_joint, strobe_times
from carom.result.name_lookup import name_of
from carom.result.result import Result
from carom.typing import ElementLike

MODE_COLOURS = dict(zip(MODES, (COLOURS[0], COLOURS[2], COLOURS[1]), strict=True))
MIN_SECTION = 8
"""Number of periods from which on a section shows the position once per period."""


def plot_joint(
    result: Result,
    joint: ElementLike,
    *,
    period: float | None = None,
    start: float = 0.0,
    ideal: Result | None = None,
    **options: Unpack[FigureOptions],
) -> Figure:
    """Plot the diagnosis of a joint with clearance: modes, orbit, impact rose, section and reaction over time.

    The section is the position of the journal once per ``period`` [s]; without a period, or with fewer than eight of
    them, direction and speed of every impact. ``start`` [s] omits the transient. ``ideal`` is a run with an ideal
    joint of the same name, whose reaction is drawn for comparison. ``options`` are those of `plot_result`.

    Examples
    --------
    >>> import carom as cm
    >>> result = cm.gallery.quick_return().run(t_end=0.05)
    >>> figure = cm.plot.plot_joint(result, "rocker pivot")
    >>> len(figure.axes)
    5
    """
    diagnosis = diagnose_joint(result, joint, start=start)
    with open_figure(9.6, 8.6, f"{result.name}: {diagnosis.name}", **options) as figure:
        grid = figure.add_gridspec(3, 2, height_ratios=(0.5, 2.4, 1.3))
        draw_modes(figure.add_subplot(grid[0, :]), diagnosis)
        if diagnosis.orbit is None:
            draw_shares(figure.add_subplot(grid[1, 0]), diagnosis)
        else:
            draw_orbit(figure.add_subplot(grid[1, 0]), result, joint)
        draw_rose(figure.add_subplot(grid[1, 1], projection="polar"), diagnosis)
        draw_joint_section(figure.add_subplot(grid[2, 0]), result, diagnosis, period)
        draw_reaction(figure.add_subplot(grid[2, 1]), diagnosis, ideal)
    return figure


def plot_impact_rose(
    result: Result, joint: ElementLike, *, start: float = 0.0, **options: Unpack[FigureOptions]
) -> Figure:
    """Plot where the journal strikes the bearing: the impulse of impacts and of following contact by direction.

    The dots are single impacts. ``start`` [s] omits the transient; ``options`` are those of `plot_result`.

    Examples
    --------
    >>> import carom as cm
    >>> result = cm.gallery.quick_return().run(t_end=0.05)
    >>> figure = cm.plot.plot_impact_rose(result, "rocker pivot")
    >>> figure.axes[0].name
    'polar'
    """
    diagnosis = diagnose_joint(result, joint, start=start)
    with open_figure(5.6, 5.2, f"Impacts of {diagnosis.name}", **options) as figure:
        draw_rose(figure.subplots(subplot_kw={"projection": "polar"}), diagnosis)
    return figure


def plot_joint_modes(
    result: Result, joint: ElementLike | None = None, *, start: float = 0.0, **options: Unpack[FigureOptions]
) -> Figure:
    """Plot when a joint with clearance is in free flight, in an impact, in following contact; with shares of time.

    Without ``joint`` all joints with clearance are drawn. ``options`` are those of `plot_result`.

    Examples
    --------
    >>> import carom as cm
    >>> result = cm.gallery.quick_return().run(t_end=0.05)
    >>> len(cm.plot.plot_joint_modes(result).axes)
    4
    """
    joints = clearance_joints(result) if joint is None else [name_of(joint)]
    found = [diagnose_joint(result, name, start=start) for name in joints]
    with open_figure(8.0, 0.7 + 0.85 * max(len(found), 1), f"{result.name}: modes", **options) as figure:
        grid = figure.subplots(max(len(found), 1), 1, squeeze=False, sharex=True)[:, 0]
        for axes, diagnosis in zip(grid, found, strict=False):
            draw_modes(axes, diagnosis, label=diagnosis.name)
        for axes in grid[:-1]:
            axes.set_xlabel("")
    return figure


def draw_modes(axes: Axes, diagnosis: JointDiagnosis, label: str = "") -> None:
    """Draw the modes over time as a bar, with their shares of time in the legend."""
    for mode in MODES:
        bars = [(a, b - a) for kind, a, b in diagnosis.spans if kind == mode]
        share = diagnosis.shares[mode]
        axes.broken_barh(
            bars, (0.0, 1.0), color=MODE_COLOURS[mode], label=f"{mode} {100.0 * share:.3g} %",
            rasterized=len(bars) > MAX_VECTOR_POINTS, linewidth=0.0 if share > 0.01 else 0.6,
        )  # fmt: skip
    axes.set_ylim(0.0, 1.0)
    axes.set_yticks([])
    axes.grid(False)
    if label:
        axes.set_title(label, loc="left", color=INK)
    axes.legend(loc="lower right", bbox_to_anchor=(1.0, 1.0), borderaxespad=0.1, ncols=3, columnspacing=1.2)
    axes.set_xlim(diagnosis.spans[0][1], diagnosis.spans[-1][2])
    label_time(axes)


def draw_shares(axes: Axes, diagnosis: JointDiagnosis) -> None:
    """Draw the shares of time of the modes as horizontal bars, for joints without a journal."""
    names = list(reversed(MODES))
    values = [100.0 * diagnosis.shares[mode] for mode in names]
    axes.barh(names, values, color=[MODE_COLOURS[mode] for mode in names], height=0.6)
    axes.set_xlabel("share of time [%]")
    axes.set_xlim(0.0, 100.0)


def draw_rose(axes: Any, diagnosis: JointDiagnosis) -> None:
    """Draw the impulses by direction into polar ``axes``, and a dot for each impact."""
    sums = diagnosis.sector_impulse
    count = sums.shape[1]
    width = 2.0 * math.pi / count
    middle = -math.pi + width * (np.arange(count) + 0.5)
    bottom = np.zeros(count)
    for mode, row in ((MODES[2], sums[1]), (MODES[1], sums[0])):
        axes.bar(
            middle, row, width=width, bottom=bottom, color=MODE_COLOURS[mode], alpha=0.55, label=f"{mode}, per sector"
        )
        bottom = bottom + row
    known = ~np.isnan(diagnosis.impulse)
    if known.any():
        axes.plot(
            diagnosis.direction[known], diagnosis.impulse[known], ".", color=INK, markersize=3.0, label="single impact",
            rasterized=int(known.sum()) > MAX_VECTOR_POINTS,
        )  # fmt: skip
    largest = max(float(bottom.max()), float(np.max(diagnosis.impulse[known], initial=0.0)))
    if largest > 0.0:
        axes.set_ylim(0.0, 1.05 * largest)
    axes.set_rlabel_position(112.5)
    axes.yaxis.set_major_locator(MaxNLocator(4, prune="lower"))
    axes.tick_params(labelsize=7.0)
    axes.set_title("impulse [N s] by direction", loc="left", color=INK)
    axes.legend(loc="upper center", bbox_to_anchor=(0.5, -0.06), ncols=3, columnspacing=1.0, handletextpad=0.4)


def draw_joint_section(axes: Axes, result: Result, diagnosis: JointDiagnosis, period: float | None) -> None:
    """Draw the journal's position once per period, or direction and approach speed of the impacts."""
    times = np.zeros(0) if period is None else strobe_times(result, period, float(diagnosis.times[0]))
    if len(times) >= MIN_SECTION and diagnosis.orbit is not None:
        series = result.sample(times)[diagnosis.name]
        scale = diagnosis.clearance or 1.0
        points = np.column_stack([series.ex, series.ey]) / scale
        draw_section(axes, points, ["journal x / clearance", "journal y / clearance"])
        axes.set_title(f"section every {period:.4g} s, {len(times)} points", loc="left", color=INK)
        return
    points = np.column_stack([np.degrees(diagnosis.direction), diagnosis.approach_speed])
    draw_section(axes, points, ["direction of impact [°]", "approach speed [m/s]"])
    axes.set_xlim(-180.0, 180.0)
    axes.set_xticks([-180, -90, 0, 90, 180])
    axes.set_title("section at impacts" if len(points) else "no impacts", loc="left", color=INK)


def draw_reaction(axes: Axes, diagnosis: JointDiagnosis, ideal: Result | None = None) -> None:
    """Draw the force of the joint over time, and that of an ideal joint in another run."""
    axes.plot(
        diagnosis.times, diagnosis.force, color=COLOURS[1], linewidth=0.9, label="with clearance",
        rasterized=len(diagnosis.times) > MAX_VECTOR_POINTS,
    )  # fmt: skip
    if ideal is not None:
        inside = (ideal.t >= diagnosis.times[0]) & (ideal.t <= diagnosis.times[-1])
        axes.plot(ideal.t[inside], ideal[diagnosis.name].force[inside], color=INK, linewidth=1.2, label="ideal joint")
        axes.legend(loc="upper right")
    label_axis(axes.yaxis, axes.dataLim.intervaly, ["reaction"], "N")
    axes.axhline(0.0, color=FAINT, linewidth=0.6)
    label_time(axes)
