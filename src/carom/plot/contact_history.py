"""Force and indentation of a contact over time, each with its own axis."""

from __future__ import annotations

from typing import Unpack

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from carom.plot.contact_data import contact_samples, find_impact
from carom.plot.figure_options import FigureOptions, open_figure
from carom.plot.panels import label_axis, label_time
from carom.plot.style import COLOURS, INK
from carom.result.impact_records import ImpactRecord
from carom.result.name_lookup import name_of
from carom.result.result import Result
from carom.typing import ElementLike

TIME_SINCE_ONSET = "time since contact onset"
FORCE_COLOUR, INDENTATION_COLOUR = INK, COLOURS[2]


def plot_contact(
    result: Result, contact: ElementLike, *, impact: int | ImpactRecord | None = None, **options: Unpack[FigureOptions]
) -> Figure:
    """Plot normal force (left axis) and indentation (right axis) of a contact over time, while the bodies touch.

    ``impact`` selects one impact (its index, from 0), plotted over the time since its onset; by default all impacts
    are shown. ``options`` are those of `plot_result`.

    Examples
    --------
    >>> import carom as cm
    >>> result = cm.gallery.falling_ball().run()
    >>> figure = cm.plot.plot_contact(result, "floor")
    >>> len(figure.axes)
    2
    """
    with open_figure(6.2, 3.4, name_of(contact), **options) as figure:
        draw_contact(figure.subplots(), result, contact, impact)
    return figure


def draw_contact(axes: Axes, result: Result, contact: ElementLike, impact: int | ImpactRecord | None = None) -> Axes:
    """Draw into ``axes``; return the axes of the indentation, which share the time axis."""
    samples = contact_samples(result, contact, impact)
    zero = 0.0 if impact is None else find_impact(result, contact, impact).t_start
    other = axes.twinx()
    other.grid(False)
    other.spines["right"].set_visible(True)
    axes.plot(samples.t - zero, samples.force, color=FORCE_COLOUR)
    other.plot(samples.t - zero, samples.indentation, color=INDENTATION_COLOUR, linestyle="--")
    if impact is None:
        axes.set_xlim(result.t[0], result.t[-1])
    label_time(axes, "time" if impact is None else TIME_SINCE_ONSET)
    label_axis(axes.yaxis, axes.dataLim.intervaly, ["normal force"], "N")
    label_axis(other.yaxis, other.dataLim.intervaly, ["indentation"], "m")
    for side, colour in ((axes, FORCE_COLOUR), (other, INDENTATION_COLOUR)):
        side.yaxis.label.set_color(colour)
        side.tick_params(axis="y", colors=colour)
        side.set_ylim(bottom=min(0.0, side.dataLim.y0))
    return other
