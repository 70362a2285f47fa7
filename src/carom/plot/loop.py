"""Force over indentation: the loop whose area is the energy lost."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Unpack

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from carom.plot.overlay import name_below, overlaid
from carom.plot.page import Page, new_page
from carom.plot.panels import label_axis
from carom.plot.touches import Results, Touch, named, touch
from carom.result.impact_records import ImpactRecord
from carom.result.name_lookup import name_of


def plot_loop(
    results: Results, contact: Any, *, impact: int | ImpactRecord | None = None, **page: Unpack[Page]
) -> Figure:
    """Normal force over indentation of a contact, during one ``impact`` (its number, from 0) or all of them.

    ``results`` is one run, or a mapping of names to runs that are overlaid. ``page`` is as in `plot_result`.
    """
    touches = {name: touch(result, contact, impact) for name, result in named(results).items()}
    with new_page(4.8, 3.9, name_of(contact), **page) as figure:
        draw_loop(figure.subplots(), touches)
        name_below(figure, columns=3)
    return figure


def draw_loop(axes: Axes, touches: Mapping[str, Touch]) -> None:
    """The loops of ``touches`` into ``axes``."""
    for one, look in overlaid(touches):
        axes.plot(one.indentation, one.force, **look)
    label_axis(axes.xaxis, axes.dataLim.intervalx, ["indentation"], "m")
    label_axis(axes.yaxis, axes.dataLim.intervaly, ["normal force"], "N")
