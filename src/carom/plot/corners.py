"""Corners of a slider in a guide with clearance: how they move across it, and which of them touch."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Unpack

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from carom.errors import ModelError, positive
from carom.model.clearance import TOUCHING
from carom.plot.page import Page, new_page
from carom.plot.panels import label_time
from carom.plot.style import COLOURS, FAINT, INK
from carom.plot.touches import contact_of
from carom.result.name_lookup import name_of
from carom.result.result import Result

CORNERS = (1, 2, 3, 4)
"""Rear and front on the left side of the guide, rear and front on the right one."""
CONFIGURATIONS = ("free", "one corner", "one face", "opposite corners", "three or four")
"""What touches, by the ``configuration`` of a `PrismaticClearance`."""
MANY = 5000
"""Points beyond which they are stored as pixels."""


def plot_corners(
    result: Result,
    joint: Any,
    *,
    clearance: float | None = None,
    span: Sequence[float] | None = None,
    **page: Unpack[Page],
) -> Figure:
    """Motion across the guide of the corners of a slider with play: one panel a corner, placed as on the slider.

    ``joint`` is a `PrismaticClearance` or its name; of a result in generalised coordinates, the name before the numbers
    of its four contacts ("guide" for "guide 1" … "guide 4", numbered as there). What is shown is `across`: between
    −1 and 1, where the sides of the guide are. ``clearance`` [m] is found in the result where ``joint`` is a name.
    ``span`` are the first and last time shown [s]; ``page`` is as in `plot_result`.
    """
    c = clearance_of(result, joint, clearance)
    with new_page(9.0, 5.0, f"corners in the {name_of(joint)}", **page) as figure:
        grid = figure.subplots(2, 2, sharex=True, sharey=True)
        for axes, corner in zip(grid.flat, CORNERS, strict=True):
            draw_corner(axes, result, joint, corner, c, span)
            axes.set_title(f"corner {corner}", loc="left")
        for axes in grid[1]:
            label_time(axes)
        for axes in grid[:, 1]:
            axes.set_ylabel("")
        name_touches(figure)
    return figure


def draw_corner(
    axes: Axes, result: Result, joint: Any, corner: int, clearance: float, span: Sequence[float] | None = None
) -> None:
    """One corner into ``axes``, with the sides of the guide; where it touches it has another colour."""
    series = _contact(result, joint, corner)
    y = across(result, joint, corner, clearance)
    for side in (-1.0, 1.0):
        axes.axhline(side, color=INK, linewidth=0.9, zorder=1.0)
    pixels = len(y) > MANY
    axes.plot(series.t, y, color=COLOURS[0], linewidth=1.0, label="free flight", rasterized=pixels)
    pressed = np.where(touching(result, joint, corner, clearance), y, np.nan)
    axes.plot(series.t, pressed, color=COLOURS[1], linewidth=1.8, marker=".", markersize=3.0, label="contact",
              rasterized=pixels, zorder=3.0)  # fmt: skip
    low, high = (series.t[0], series.t[-1]) if span is None else span
    axes.set_xlim(low, high)
    reach = 1.12 * max(1.0, float(np.nanmax(np.abs(y), initial=0.0)))
    axes.set_ylim(-reach, reach)
    axes.set_ylabel(f"(y {'−' if corner < 3 else '+'} b)/c [1]")


def name_touches(figure: Figure) -> None:
    """One legend for the panels of corners."""
    found = dict(zip(*reversed(figure.get_axes()[0].get_legend_handles_labels()), strict=True))
    figure.legend(found.values(), found.keys(), loc="outside lower center", ncols=len(found))


def across(result: Result, joint: Any, corner: int, clearance: float) -> np.ndarray:
    """Position (n,) of a corner across the guide, in clearances c from where it is when the slider is centred.

    y is the corner's coordinate across the guide, to its left, from its middle, and b half the width of the slider:
    (y − b)/c of corners 1 and 2, that touch at 1, and (y + b)/c of corners 3 and 4, that touch at −1.
    P. Flores, R. Leine, C. Glocker, Multibody System Dynamics 23 (2010) 165–190, eq. (115), means this; it lacks b.
    """
    gap = -_contact(result, joint, corner).indentation
    return 1.0 - gap / clearance if corner < 3 else gap / clearance - 1.0


def clearance_of(result: Result, joint: Any, clearance: float | None = None) -> float:
    """The play c [m] on each side: given, of the joint, or from the gaps.

    Their mean is c + b (1 − cos θ), which is c where the slider lies along the guide, as it does now and then.
    """
    if clearance is not None:
        return positive("plot", "clearance", clearance)
    if hasattr(joint, "clearance"):
        return float(joint.clearance)
    gaps = [-_contact(result, joint, corner).indentation for corner in CORNERS]
    return float(np.min(np.mean(gaps, axis=0)))


def touching(result: Result, joint: Any, corner: int, clearance: float) -> np.ndarray:
    """Where (n,) a corner presses on the guide, or lies on it."""
    series = _contact(result, joint, corner)
    return (series.mode > 0.0) | (series.indentation >= -TOUCHING * clearance)


def configuration(result: Result, joint: Any, clearance: float | None = None) -> np.ndarray:
    """Which corners touch, (n,), as numbers of CONFIGURATIONS; the signal of a `PrismaticClearance` where there is."""
    if name_of(joint) in result:
        return np.asarray(result[name_of(joint)].configuration, int)
    c = clearance_of(result, joint, clearance)
    closed = np.stack([touching(result, joint, corner, c) for corner in CORNERS], axis=1)
    left, right = closed[:, :2].sum(axis=1), closed[:, 2:].sum(axis=1)
    both = np.where(left == right, 3, 2)
    return np.select([left + right < 2, left + right == 2], [left + right, both], 4)


def draw_configuration(axes: Axes, result: Result, joint: Any, span: Sequence[float] | None = None) -> None:
    """The configuration over time: a bar while it lasts, and how much of the time that is."""
    now, t = configuration(result, joint), result.t
    low, high = (t[0], t[-1]) if span is None else span
    seen = (t >= low) & (t <= high)
    weights = np.gradient(t)[seen]
    for kind, name in enumerate(CONFIGURATIONS):
        there = now == kind
        look: dict[str, Any] = {"color": FAINT if kind == 0 else COLOURS[kind % len(COLOURS)], "zorder": 3.0}
        axes.plot(t, np.where(there, float(kind), np.nan), linewidth=7.0, solid_capstyle="butt", label=name,
                  rasterized=len(t) > MANY, **look)  # fmt: skip
        begins = np.flatnonzero(np.diff(there.astype(int), prepend=0) > 0)  # what is over at once is seen, too
        axes.plot(t[begins], now[begins], linestyle="", marker="|", markersize=6.5, **look)
        share = float(np.sum(weights[there[seen]]) / np.sum(weights))
        axes.annotate(f"{100.0 * share:.1f} %", (1.01, kind), xycoords=axes.get_yaxis_transform(), va="center",
                      fontsize="small", color=INK)  # fmt: skip
    axes.set_yticks(range(len(CONFIGURATIONS)), CONFIGURATIONS)
    axes.set_ylim(-0.6, len(CONFIGURATIONS) - 0.4)
    axes.set_xlim(low, high)
    axes.set_ylabel("touching [1]")
    axes.grid(False, axis="y")


def _contact(result: Result, joint: Any, corner: int) -> Any:
    """The contact of a corner."""
    name = name_of(joint)
    if name in result and f"{name} {corner}" not in result:
        raise ModelError(f"plot: {name!r} of the result {result.name!r} has no corners, as a PrismaticClearance has")
    return contact_of(result, f"{name} {corner}")
