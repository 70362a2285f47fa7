"""Phase portrait of a contact: rate over indentation, from approach to separation."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Unpack

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from carom.plot.overlay import name_below, overlaid
from carom.plot.page import Page, new_page
from carom.plot.panels import label_axis
from carom.plot.style import FAINT
from carom.plot.touches import Results, Touch, named, touch
from carom.result.impact_records import ImpactRecord
from carom.result.name_lookup import name_of


def plot_phase(
    results: Results, contact: Any, *, impact: int | ImpactRecord | None = None, **page: Unpack[Page]
) -> Figure:
    """Rate of indentation over indentation of a contact, during one ``impact`` (its number, from 0) or all of them.

    ``results`` is one run, or a mapping of names to runs that are overlaid. ``page`` is as in `plot_result`.
    """
    touches = {name: touch(result, contact, impact) for name, result in named(results).items()}
    with new_page(4.8, 3.9, name_of(contact), **page) as figure:
        draw_phase(figure.subplots(), touches)
        name_below(figure, columns=3)
    return figure


def draw_phase(axes: Axes, touches: Mapping[str, Touch]) -> None:
    """The phase portraits of ``touches`` into ``axes``."""
    axes.axhline(0.0, color=FAINT, linewidth=0.8)
    for one, look in overlaid(touches):
        axes.plot(one.indentation, one.rate, **look)
    label_axis(axes.xaxis, axes.dataLim.intervalx, ["indentation"], "m")
    label_axis(axes.yaxis, axes.dataLim.intervaly, ["rate of indentation"], "m/s")
