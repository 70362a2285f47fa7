"""Orbit of a journal inside its bearing."""

from __future__ import annotations

import math
from typing import Any, Unpack

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from carom.errors import ModelError
from carom.plot.page import Page, new_page
from carom.plot.panels import label_axis
from carom.plot.style import COLOURS, FAINT, INK
from carom.plot.touches import contact_of
from carom.result.name_lookup import name_of
from carom.result.result import Result

MANY = 5000
"""Points beyond which they are stored as pixels."""


def plot_orbit(result: Result, joint: Any, **page: Unpack[Page]) -> Figure:
    """Path of the journal's centre in a clearance joint, in the axes of the bearing: a point at every node.

    The circle is the clearance; points in contact have another colour, and lie outside it by the indentation. ``page``
    is as in `plot_result`.
    """
    with new_page(5.2, 5.4, name_of(joint), **page) as figure:
        draw_orbit(figure.subplots(), result, joint)
    return figure


def draw_orbit(axes: Axes, result: Result, joint: Any) -> None:
    """Into ``axes``."""
    series = contact_of(result, joint)
    if "eccentricity" not in series.names:
        raise ModelError(f"plot: {series.kind} {series.name!r} has no journal; an orbit belongs to a RevoluteClearance")
    clearance = float(np.median(series.eccentricity - series.indentation))
    turn = np.linspace(0.0, 2.0 * math.pi, 361)
    touching = series.mode > 0.0
    for line in (axes.axhline, axes.axvline):
        line(0.0, color=FAINT, linewidth=0.8, linestyle="-.", zorder=1.0)
    circle = clearance * np.array([np.cos(turn), np.sin(turn)])
    axes.plot(*circle, color=INK, linewidth=1.2, label="clearance", zorder=2.0)
    pixels = len(series.t) > MANY
    axes.plot(series.ex, series.ey, color=FAINT, linewidth=0.5, zorder=3.0, rasterized=pixels)
    for name, where, colour in (("free flight", ~touching, COLOURS[0]), ("contact", touching, COLOURS[1])):
        dots: dict[str, Any] = {"color": colour, "marker": ".", "markersize": 2.6, "linestyle": "", "zorder": 4.0}
        axes.plot(series.ex[where], series.ey[where], label=name, rasterized=pixels, **dots)
    reach = 1.08 * max(clearance, float(np.max(np.abs([series.ex, series.ey]), initial=0.0)))
    axes.set_aspect("equal")
    axes.set_xlim(-reach, reach)
    axes.set_ylim(-reach, reach)
    label_axis(axes.xaxis, (-reach, reach), ["journal x"], "m")
    label_axis(axes.yaxis, (-reach, reach), ["journal y"], "m")
    axes.legend(loc="lower left", bbox_to_anchor=(0.0, 1.0), borderaxespad=0.1, ncols=3, markerscale=3.0)
