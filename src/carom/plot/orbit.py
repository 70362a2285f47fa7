"""Orbit of a journal in its bearing."""

from __future__ import annotations

import math
from typing import Any, Unpack

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from carom.errors import ModelError
from carom.plot.contact_data import contact_series
from carom.plot.figure_options import FigureOptions, open_figure
from carom.plot.panels import label_axis
from carom.plot.style import COLOURS, FAINT, INK, MAX_VECTOR_POINTS
from carom.result.name_lookup import name_of
from carom.result.result import Result
from carom.typing import ElementLike


def plot_orbit(result: Result, joint: ElementLike, **options: Unpack[FigureOptions]) -> Figure:
    """Plot the path of the journal centre of a clearance joint in the axes of the bearing, one point per node.

    The circle is the clearance. Points in contact have another colour and lie outside the circle by the indentation.
    ``options`` are those of `plot_result`.

    Examples
    --------
    >>> import carom as cm
    >>> result = cm.gallery.quick_return().run(t_end=0.02)
    >>> figure = cm.plot.plot_orbit(result, "rocker pivot")
    >>> len(figure.axes)
    1
    """
    with open_figure(5.2, 5.4, name_of(joint), **options) as figure:
        draw_orbit(figure.subplots(), result, joint)
    return figure


def draw_orbit(axes: Axes, result: Result, joint: ElementLike) -> None:
    """Draw the orbit into ``axes``."""
    series = contact_series(result, joint)
    if "eccentricity" not in series.names:
        raise ModelError(f"plot: {series.kind} {series.name!r} has no journal; choose a RevoluteClearance")
    clearance = float(np.median(series.eccentricity - series.indentation))
    angle = np.linspace(0.0, 2.0 * math.pi, 361)
    in_contact = series.contact_mode > 0.0
    for line in (axes.axhline, axes.axvline):
        line(0.0, color=FAINT, linewidth=0.8, linestyle="-.", zorder=1.0)
    circle = clearance * np.array([np.cos(angle), np.sin(angle)])
    axes.plot(*circle, color=INK, linewidth=1.2, label="clearance", zorder=2.0)
    pixels = len(series.t) > MAX_VECTOR_POINTS
    axes.plot(series.ex, series.ey, color=FAINT, linewidth=0.5, zorder=3.0, rasterized=pixels)
    for name, where, colour in (("free flight", ~in_contact, COLOURS[0]), ("contact", in_contact, COLOURS[1])):
        dots: dict[str, Any] = {"color": colour, "marker": ".", "markersize": 2.6, "linestyle": "", "zorder": 4.0}
        axes.plot(series.ex[where], series.ey[where], label=name, rasterized=pixels, **dots)
    limit = 1.08 * max(clearance, float(np.max(np.abs([series.ex, series.ey]), initial=0.0)))
    axes.set_aspect("equal")
    axes.set_xlim(-limit, limit)
    axes.set_ylim(-limit, limit)
    label_axis(axes.xaxis, (-limit, limit), ["journal x"], "m")
    label_axis(axes.yaxis, (-limit, limit), ["journal y"], "m")
    axes.legend(loc="lower left", bbox_to_anchor=(0.0, 1.0), borderaxespad=0.1, ncols=3, markerscale=3.0)
