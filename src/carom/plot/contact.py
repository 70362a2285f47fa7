"""Force and indentation of a contact over time, each with an axis of its own."""

from __future__ import annotations

from typing import Any, Unpack

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from carom.plot.page import Page, new_page
from carom.plot.panels import label_axis, label_time
from carom.plot.style import COLOURS, INK
from carom.plot.touches import impact_of, touch
from carom.result.impact_records import ImpactRecord
from carom.result.name_lookup import name_of
from carom.result.result import Result

SINCE = "time since the first touch"
FORCE, INDENTATION = INK, COLOURS[2]


def plot_contact(
    result: Result, contact: Any, *, impact: int | ImpactRecord | None = None, **page: Unpack[Page]
) -> Figure:
    """Normal force (left axis) and indentation (right axis) of a contact over time, while the bodies touch.

    During one ``impact`` (its number, from 0), over the time since it began, or during all of them. ``page`` is as in
    `plot_result`.
    """
    with new_page(6.2, 3.4, name_of(contact), **page) as figure:
        draw_contact(figure.subplots(), result, contact, impact)
    return figure


def draw_contact(axes: Axes, result: Result, contact: Any, impact: int | ImpactRecord | None = None) -> Axes:
    """Into ``axes``; returns the axes of the indentation, that share its time."""
    one = touch(result, contact, impact)
    zero = 0.0 if impact is None else impact_of(result, contact, impact).t_start
    other = axes.twinx()
    other.grid(False)
    other.spines["right"].set_visible(True)
    axes.plot(one.t - zero, one.force, color=FORCE)
    other.plot(one.t - zero, one.indentation, color=INDENTATION, linestyle="--")
    if impact is None:
        axes.set_xlim(result.t[0], result.t[-1])
    label_time(axes, "time" if impact is None else SINCE)
    label_axis(axes.yaxis, axes.dataLim.intervaly, ["normal force"], "N")
    label_axis(other.yaxis, other.dataLim.intervaly, ["indentation"], "m")
    for side, colour in ((axes, FORCE), (other, INDENTATION)):
        side.yaxis.label.set_color(colour)
        side.tick_params(axis="y", colors=colour)
        side.set_ylim(bottom=min(0.0, side.dataLim.y0))
    return other
