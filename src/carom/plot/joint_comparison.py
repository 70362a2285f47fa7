"""Comparison of runs with variants of one joint: reactions over time, and orbits."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Unpack

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from carom.errors import ModelError
from carom.plot.figure_options import FigureOptions, open_figure
from carom.plot.orbit import draw_orbit
from carom.plot.panels import label_axis, label_time
from carom.plot.style import FAINT, INK, MAX_VECTOR_POINTS, line_style
from carom.result.joint_diagnosis import clearance_joints, diagnose_joint
from carom.result.name_lookup import name_of
from carom.result.result import Result
from carom.typing import ElementLike

IDEAL = "ideal"
"""Name of the variant with an ideal joint."""
FORCE_RATIO = 30.0
"""Ratio of the largest to the ideal reaction above which forces have a logarithmic axis [-]."""


def plot_joint_comparison(
    results: Mapping[str, Result], joint: ElementLike, *, start: float = 0.0, **options: Unpack[FigureOptions]
) -> Figure:
    """Plot the reaction of a joint in runs by name, one row per variant with its orbit; "ideal" is behind each.

    ``start`` [s] omits the transient; ``options`` are those of `plot_result`.

    Examples
    --------
    >>> import carom as cm
    >>> comparison = cm.compare_joint("quick_return", "rocker pivot", t_end=0.02)
    >>> figure = cm.plot.plot_joint_comparison(comparison.results, "rocker pivot")
    >>> len(figure.axes)
    2
    """
    name = name_of(joint)
    ideal = results.get(IDEAL)
    variants = {label: result for label, result in results.items() if name in clearance_joints(result)}
    if not variants:
        raise ModelError(f"plot: {name!r} is not a joint with clearance in any of the runs {', '.join(results)}")
    with open_figure(9.6, 0.6 + 3.0 * len(variants), f"Joint {name}", **options) as figure:
        grid = figure.subplots(len(variants), 2, squeeze=False, width_ratios=(2.1, 1.0))
        for k, (label, result) in enumerate(variants.items()):
            colour = line_style(k, max(len(variants), 2))["color"]
            draw_reactions(grid[k, 0], result, name, ideal, start, label, colour)
            draw_variant_orbit(grid[k, 1], result, name)
    return figure


def draw_reactions(
    axes: Axes, result: Result, name: str, ideal: Result | None, start: float, label: str, colour: str
) -> None:
    """Draw the reaction of a variant and of the ideal joint; on a logarithmic axis if impacts are far larger."""
    diagnosis = diagnose_joint(result, name, start=start)
    force, floor = diagnosis.force, 0.0
    pixels = len(force) > MAX_VECTOR_POINTS
    if ideal is not None:
        inside = ideal.t >= start
        ideal_force = ideal[name].force[inside]
        if ideal_force.max() > 0.0 and force.max() > FORCE_RATIO * ideal_force.max():
            floor = 1e-2 * float(np.median(ideal_force)) or 1e-3 * float(ideal_force.max())
    axes.plot(diagnosis.times, np.maximum(force, floor), color=colour, linewidth=0.8, label=label, rasterized=pixels)
    if ideal is not None:
        axes.plot(ideal.t[inside], np.maximum(ideal_force, floor), color=INK, linewidth=1.1, label=IDEAL)
    if floor:
        axes.set_yscale("log")
        axes.set_ylim(bottom=floor)
        axes.set_ylabel("reaction [N]")
    else:
        axes.axhline(0.0, color=FAINT, linewidth=0.6)
        label_axis(axes.yaxis, axes.dataLim.intervaly, ["reaction"], "N")
    shares = ", ".join(f"{mode} {100.0 * share:.3g} %" for mode, share in diagnosis.shares.items())
    axes.set_title(f"{label}: {shares}", loc="left", color=INK, fontsize=8.0)
    axes.legend(loc="upper right")
    label_time(axes)


def draw_variant_orbit(axes: Axes, result: Result, name: str) -> None:
    """Draw the orbit of a variant; a joint without a journal has none."""
    if {"ex", "ey"} <= set(result[name].names):
        draw_orbit(axes, result, name)
    else:
        axes.set_axis_off()
