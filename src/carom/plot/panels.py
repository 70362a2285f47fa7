"""Panels with curves over time."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from matplotlib.axes import Axes
from matplotlib.axis import Axis
from matplotlib.ticker import FuncFormatter

from carom.plot.style import COLOURS, FAINT, INK, line_style
from carom.result.energy import Energy
from carom.scene.curve_data import CurveData, CurveFinder
from carom.scene.labels import axis_exponent, axis_label

_MAX_LABELS, _MAX_LEGEND_LENGTH = 14, 52
"""Number of curves beyond which only some are labelled; number of characters of a legend above a panel."""


def draw_curves(axes: Axes, curves: Sequence[CurveData]) -> None:
    """Draw the curves of one panel with a legend and the label of the axis."""
    same_quantity = len({curve.quantity for curve in curves}) == 1
    label_stride = 1 if len(curves) <= _MAX_LABELS else math.ceil(len(curves) / 6)
    for index, curve in enumerate(curves):
        name = curve.owner if same_quantity else f"{curve.owner}.{curve.quantity}"
        is_labelled = index % label_stride == 0 or index == len(curves) - 1
        axes.plot(curve.t, curve.values, label=name if is_labelled else "_", **line_style(index, len(curves)))
    label_values(axes, [curve.quantity for curve in curves], curves[0].unit)
    if len(curves) == 1:
        axes.set_title(curves[0].owner, loc="left", color=INK)
    else:
        curve_legend(axes)


def curve_legend(axes: Axes) -> None:
    """Add a legend outside the curves: above the panel if it is short, otherwise to its right."""
    names = axes.get_legend_handles_labels()[1]
    if sum(len(name) + 6 for name in names) <= _MAX_LEGEND_LENGTH:
        axes.legend(loc="lower left", bbox_to_anchor=(0.0, 1.0), borderaxespad=0.1, ncols=len(names), columnspacing=1.2)
    else:
        axes.legend(loc="upper left", bbox_to_anchor=(1.0, 1.0), borderaxespad=0.2)


def label_values(axes: Axes, quantities: Sequence[str], unit: str) -> None:
    """Label the axis of values; its range is at least 1e-9 of them, so that rounding errors look flat."""
    low, high = axes.dataLim.intervaly
    size = max(abs(low), abs(high))
    if np.isfinite(size) and size > 0.0 and high - low <= 1e-9 * size:
        axes.set_ylim((low + high - 0.1 * size) / 2.0, (low + high + 0.1 * size) / 2.0)
    label_axis(axes.yaxis, axes.dataLim.intervaly, quantities, unit)


def label_time(axes: Axes, quantity: str = "time") -> None:
    """Label the time axis for the visible interval."""
    label_axis(axes.xaxis, axes.get_xlim(), [quantity], "s")


def label_axis(axis: Axis, interval: Sequence[float], quantities: Sequence[str], unit: str) -> None:
    """Label an axis whose values lie in ``interval``, in a convenient multiple of the unit."""
    exponent = axis_exponent(float(np.max(np.abs(interval))), unit)
    if exponent:
        axis.set_major_formatter(FuncFormatter(lambda value, _: f"{value / 10.0**exponent:.6g}".replace("-", "−")))
    axis.set_label_text(axis_label(quantities, unit, exponent))


def draw_energy(axes: Axes, curves: CurveFinder) -> None:
    """Draw kinetic, potential and total energy, and all other energies that are not zero."""
    draw_energies(axes, curves.energy("total"), [curves.energy(name) for name in used_energies(curves.result.energy)])


def used_energies(energy: Energy) -> list[str]:
    """Return kinetic, potential and all other energies that are not zero."""
    return ["kinetic", "potential", *(name for name in energy.names()[2:] if np.any(getattr(energy, name)))]


def draw_energies(axes: Axes, total: CurveData, parts: Sequence[CurveData]) -> None:
    """Draw energies and their total with a legend."""
    # The total is wide and below the others, so that it is visible where it coincides with one of them.
    axes.plot(total.t, total.values, label="total", color="#b8b8b8", linewidth=3.2)
    for index, part in enumerate(parts):
        colour = line_style(index, len(parts))["color"]
        axes.plot(part.t, part.values, label=part.quantity.replace("_", " "), color=colour)
    label_values(axes, ["energy"], "J")
    curve_legend(axes)


def draw_balance(axes: Axes, curves: CurveFinder) -> None:
    """Draw the energy error, a measure of the accuracy of the run."""
    energy = curves.result.energy
    axes.axhline(0.0, color=FAINT, linewidth=0.8)
    # Only the nodes are drawn, because between them the interpolation would dominate the error.
    axes.plot(curves.result.t, energy.balance, color=COLOURS[-1], linewidth=1.0)
    label_values(axes, ["energy error"], "J")
    axes.set_title(f"drift {energy.drift:.1e} of {energy.scale:.3g} J", loc="left", color=INK)
