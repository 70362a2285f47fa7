"""Panels: axes that show curves over time."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.axis import Axis
from matplotlib.ticker import FuncFormatter

from carom.plot.curves import Curve, Curves
from carom.plot.style import COLOURS, FAINT, INK, line_look
from carom.plot.words import axis_words, power_of_ten

_NAMED, _LINE = 14, 52
"""More curves than this are named by a few of them only; characters that a legend above a panel may take."""


def group(curves: Curves, what: Sequence[Any]) -> list[list[Curve]]:
    """The curves of each panel: a tuple or list is a panel of its own, the rest share one where their unit agrees."""
    panels: list[list[Curve]] = []
    shared: dict[str, list[Curve]] = {}
    for item in what:
        if isinstance(item, (tuple, list)):
            by_unit: dict[str, list[Curve]] = {}
            for curve in (curve for part in item for curve in curves.find(part)):
                by_unit.setdefault(curve.unit, []).append(curve)
            panels.extend(by_unit.values())
            continue
        for curve in curves.find(item):
            if curve.unit not in shared:
                shared[curve.unit] = []
                panels.append(shared[curve.unit])
            shared[curve.unit].append(curve)
    return panels


def draw_curves(axes: Axes, curves: Sequence[Curve]) -> None:
    """The curves of one panel, with their names and the axis in words."""
    same_quantity = len({curve.quantity for curve in curves}) == 1
    every = 1 if len(curves) <= _NAMED else math.ceil(len(curves) / 6)
    for index, curve in enumerate(curves):
        name = curve.owner if same_quantity else f"{curve.owner}.{curve.quantity}"
        shown = index % every == 0 or index == len(curves) - 1
        axes.plot(curve.t, curve.values, label=name if shown else "_", **line_look(index, len(curves)))
    label_values(axes, [curve.quantity for curve in curves], curves[0].unit)
    if len(curves) == 1:
        axes.set_title(curves[0].owner, loc="left", color=INK)
    else:
        name_curves(axes)


def name_curves(axes: Axes) -> None:
    """A legend where it hides no curve: above the panel when it is short, else to its right."""
    names = axes.get_legend_handles_labels()[1]
    if sum(len(name) + 6 for name in names) <= _LINE:
        axes.legend(loc="lower left", bbox_to_anchor=(0.0, 1.0), borderaxespad=0.1, ncols=len(names), columnspacing=1.2)
    else:
        axes.legend(loc="upper left", bbox_to_anchor=(1.0, 1.0), borderaxespad=0.2)


def label_values(axes: Axes, quantities: Sequence[str], unit: str) -> None:
    """Label the axis of values; it is no finer than 1e-9 of them, so that a curve that only rounds off looks flat."""
    low, high = axes.dataLim.intervaly
    size = max(abs(low), abs(high))
    if np.isfinite(size) and size > 0.0 and high - low <= 1e-9 * size:
        axes.set_ylim((low + high - 0.1 * size) / 2.0, (low + high + 0.1 * size) / 2.0)
    label_axis(axes.yaxis, axes.dataLim.intervaly, quantities, unit)


def label_time(axes: Axes, quantity: str = "time") -> None:
    """Label the axis of time, for what is in sight."""
    label_axis(axes.xaxis, axes.get_xlim(), [quantity], "s")


def label_axis(axis: Axis, interval: Sequence[float], quantities: Sequence[str], unit: str) -> None:
    """Say what an axis shows, from the lowest to the highest value of ``interval``, in a handy multiple of its unit."""
    power = power_of_ten(float(np.max(np.abs(interval))), unit)
    if power:
        axis.set_major_formatter(FuncFormatter(lambda value, _: f"{value / 10.0**power:.6g}".replace("-", "−")))
    axis.set_label_text(axis_words(quantities, unit, power))


def draw_energy(axes: Axes, curves: Curves) -> None:
    """Kinetic, potential and total energy, and what else the ledger has that is not zero."""
    energy = curves.result.energy
    others = [name for name in energy.names()[2:] if np.any(getattr(energy, name))]
    parts = [curves.energy(name) for name in ("kinetic", "potential", *others)]
    total = curves.energy("total")
    # Wide and below the others, so that it is seen where it coincides with one of them.
    axes.plot(total.t, total.values, label="total", color="#b8b8b8", linewidth=3.2)
    for index, part in enumerate(parts):
        colour = line_look(index, len(parts))["color"]
        axes.plot(part.t, part.values, label=part.quantity.replace("_", " "), color=colour)
    label_values(axes, ["energy"], "J")
    name_curves(axes)


def draw_balance(axes: Axes, curves: Curves) -> None:
    """What the energy ledger cannot explain, a measure of the run's error."""
    energy = curves.result.energy
    axes.axhline(0.0, color=FAINT, linewidth=0.8)
    # At the nodes alone: between them an interpolated ledger closes no better than the interpolation.
    axes.plot(curves.result.t, energy.balance, color=COLOURS[-1], linewidth=1.0)
    label_values(axes, ["energy error"], "J")
    axes.set_title(f"drift {energy.drift:.1e} of {energy.scale:.3g} J", loc="left", color=INK)
