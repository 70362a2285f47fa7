"""Motion of the corners of a slider in a guide with clearance, and which of them are in contact."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Unpack

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from carom.argument_checks import positive
from carom.errors import ModelError
from carom.model.planar_clearance import CONTACT_GAP
from carom.plot.contact_data import contact_series
from carom.plot.figure_options import FigureOptions, open_figure
from carom.plot.panels import label_time
from carom.plot.style import COLOURS, FAINT, INK, MAX_VECTOR_POINTS
from carom.result.name_lookup import name_of
from carom.result.result import Result
from carom.typing import ElementLike

CORNERS = (1, 2, 3, 4)
"""Corners: rear and front on the left side of the guide, rear and front on the right side."""
CONFIGURATIONS = ("free", "one corner", "one face", "opposite corners", "three or four")
"""Contact configurations, by the signal ``configuration`` of a `PrismaticClearance`."""


def plot_corners(
    result: Result,
    joint: ElementLike,
    *,
    clearance: float | None = None,
    span: Sequence[float] | None = None,
    **options: Unpack[FigureOptions],
) -> Figure:
    """Plot the transverse motion of the corners of a slider with clearance, one panel per corner, as on the slider.

    ``joint`` is a `PrismaticClearance` or its name. For a result in generalised coordinates it is the common name of
    the four contacts ("guide" for "guide 1" … "guide 4", in the same order). The plotted quantity is
    `transverse_position`, which lies between −1 and 1, the sides of the guide. ``clearance`` [m] is estimated from the
    result if ``joint`` is a name. ``span`` is the first and last time shown [s]; ``options`` are those of
    `plot_result`.

    Examples
    --------
    >>> import carom as cm
    >>> system = cm.System()
    >>> slider = system.add(cm.Body("slider", mass=0.5, inertia=1e-3, angular_velocity=1.0))
    >>> law = cm.laws.Linear(stiffness=1e6)
    >>> sizes = {"length": 0.1, "width": 0.05, "clearance": 1e-3}
    >>> guide = system.add(cm.PrismaticClearance(system.ground, slider, **sizes, law=law))
    >>> figure = cm.plot.plot_corners(cm.simulate(system, t_end=0.1), guide)
    >>> len(figure.axes)
    4
    """
    c = guide_clearance(result, joint, clearance)
    with open_figure(9.0, 5.0, f"corners in the {name_of(joint)}", **options) as figure:
        draw_corner_panels(figure, {f"corner {k}": (result, joint, k, c) for k in CORNERS}, span)
    return figure


def draw_corner_panels(
    figure: Figure, panels: Mapping[str, tuple[Result, Any, int, float]], span: Sequence[float] | None = None
) -> None:
    """Draw four panels with common axes and legend, by title: result, joint, corner and clearance [m]."""
    grid = figure.subplots(2, 2, sharex=True, sharey=True)
    for axes, (title, panel) in zip(grid.flat, panels.items(), strict=True):
        draw_corner(axes, *panel, span)
        axes.set_title(title, loc="left")
    for axes in grid[1]:
        label_time(axes)
    for axes in grid[:, 1]:
        axes.set_ylabel("")
    corner_legend(figure)


def draw_corner(
    axes: Axes, result: Result, joint: ElementLike, corner: int, clearance: float, span: Sequence[float] | None = None
) -> None:
    """Draw one corner into ``axes``, with the sides of the guide; times of contact have another colour."""
    series = _contact(result, joint, corner)
    y = transverse_position(result, joint, corner, clearance)
    for side in (-1.0, 1.0):
        axes.axhline(side, color=INK, linewidth=0.9, zorder=1.0)
    pixels = len(y) > MAX_VECTOR_POINTS
    axes.plot(series.t, y, color=COLOURS[0], linewidth=1.0, label="free flight", rasterized=pixels)
    in_contact = np.where(corner_in_contact(result, joint, corner, clearance), y, np.nan)
    axes.plot(series.t, in_contact, color=COLOURS[1], linewidth=1.8, marker=".", markersize=3.0, label="contact",
              rasterized=pixels, zorder=3.0)  # fmt: skip
    low, high = (series.t[0], series.t[-1]) if span is None else span
    axes.set_xlim(low, high)
    limit = 1.12 * max(1.0, float(np.nanmax(np.abs(y), initial=0.0)))
    axes.set_ylim(-limit, limit)
    axes.set_ylabel(f"(y {'−' if corner < 3 else '+'} b)/c [1]")


def corner_legend(figure: Figure) -> None:
    """Add one legend for the panels of all corners."""
    handles = dict(zip(*reversed(figure.get_axes()[0].get_legend_handles_labels()), strict=True))
    figure.legend(handles.values(), handles.keys(), loc="outside lower center", ncols=len(handles))


def transverse_position(result: Result, joint: ElementLike, corner: int, clearance: float) -> np.ndarray:
    """Return the transverse position (n,) of a corner relative to the centred slider, in clearances c [-].

    y is the transverse coordinate of the corner from the middle of the guide, positive to its left, and b is half the
    width of the slider: (y − b)/c for corners 1 and 2, which touch at 1, and (y + b)/c for corners 3 and 4, which touch
    at −1. See P. Flores, R. Leine, C. Glocker, Multibody System Dynamics 23 (2010) 165–190, eq. (115), where b is
    missing.
    """
    gap = -_contact(result, joint, corner).indentation
    return 1.0 - gap / clearance if corner < 3 else gap / clearance - 1.0


def guide_clearance(result: Result, joint: ElementLike, clearance: float | None = None) -> float:
    """Return the clearance c on each side [m]: the argument, that of the joint, or an estimate from the gaps.

    The mean of the gaps is c + b (1 − cos θ); its minimum is c if the slider is aligned with the guide at some time.
    """
    if clearance is not None:
        return positive("plot", "clearance", clearance)
    if hasattr(joint, "clearance"):
        return float(joint.clearance)
    gaps = [-_contact(result, joint, corner).indentation for corner in CORNERS]
    return float(np.min(np.mean(gaps, axis=0)))


def corner_in_contact(result: Result, joint: ElementLike, corner: int, clearance: float) -> np.ndarray:
    """Return True (n,) where a corner is in contact with the guide."""
    series = _contact(result, joint, corner)
    return (series.contact_mode > 0.0) | (series.indentation >= -CONTACT_GAP * clearance)


def configuration(result: Result, joint: ElementLike, clearance: float | None = None) -> np.ndarray:
    """Return the contact configuration (n,) as indices of CONFIGURATIONS, if possible from the signal of the joint."""
    if name_of(joint) in result:
        return np.asarray(result[name_of(joint)].configuration, int)
    c = guide_clearance(result, joint, clearance)
    closed = np.stack([corner_in_contact(result, joint, corner, c) for corner in CORNERS], axis=1)
    left, right = closed[:, :2].sum(axis=1), closed[:, 2:].sum(axis=1)
    both = np.where(left == right, 3, 2)
    return np.select([left + right < 2, left + right == 2], [left + right, both], 4)


def draw_configuration(axes: Axes, result: Result, joint: ElementLike, span: Sequence[float] | None = None) -> None:
    """Draw the configuration over time as bars, with its fraction of the time [%]."""
    current, t = configuration(result, joint), result.t
    low, high = (t[0], t[-1]) if span is None else span
    visible = (t >= low) & (t <= high)
    weights = np.gradient(t)[visible]
    for kind, name in enumerate(CONFIGURATIONS):
        active = current == kind
        style: dict[str, Any] = {"color": FAINT if kind == 0 else COLOURS[kind % len(COLOURS)], "zorder": 3.0}
        axes.plot(t, np.where(active, float(kind), np.nan), linewidth=7.0, solid_capstyle="butt", label=name,
                  rasterized=len(t) > MAX_VECTOR_POINTS, **style)  # fmt: skip
        # Markers at the starts show configurations that are too short for a visible bar.
        starts = np.flatnonzero(np.diff(active.astype(int), prepend=0) > 0)
        axes.plot(t[starts], current[starts], linestyle="", marker="|", markersize=6.5, **style)
        fraction = float(np.sum(weights[active[visible]]) / np.sum(weights))
        axes.annotate(f"{100.0 * fraction:.1f} %", (1.01, kind), xycoords=axes.get_yaxis_transform(), va="center",
                      fontsize="small", color=INK)  # fmt: skip
    axes.set_yticks(range(len(CONFIGURATIONS)), CONFIGURATIONS)
    axes.set_ylim(-0.6, len(CONFIGURATIONS) - 0.4)
    axes.set_xlim(low, high)
    axes.set_ylabel("contact configuration [-]")
    axes.grid(False, axis="y")


def _contact(result: Result, joint: ElementLike, corner: int) -> Any:
    """Return the series of the contact of a corner."""
    name = name_of(joint)
    if name in result and f"{name} {corner}" not in result:
        raise ModelError(f"plot: {name!r} in result {result.name!r} has no corners; choose a PrismaticClearance")
    return contact_series(result, f"{name} {corner}")
