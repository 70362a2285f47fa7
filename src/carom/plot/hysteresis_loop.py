"""Hysteresis loop: force over indentation; its area is the energy lost."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Unpack

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from carom.plot.contact_data import ContactSamples, Results
from carom.plot.figure_options import FigureOptions
from carom.plot.overlay import overlay_contacts, with_line_styles
from carom.plot.panels import label_axis
from carom.result.impact_records import ImpactRecord
from carom.typing import ElementLike


def plot_loop(
    results: Results,
    contact: ElementLike,
    *,
    impact: int | ImpactRecord | None = None,
    **options: Unpack[FigureOptions],
) -> Figure:
    """Plot normal force over indentation of a contact, during one ``impact`` (its index, from 0) or all impacts.

    ``results`` is one run, or a mapping of names to runs that are overlaid. ``options`` are those of `plot_result`.

    Examples
    --------
    >>> import carom as cm
    >>> result = cm.gallery.falling_ball().run()
    >>> figure = cm.plot.plot_loop(result, "floor")
    >>> len(figure.axes)
    1
    """
    return overlay_contacts(draw_loop, results, contact, impact, **options)


def draw_loop(axes: Axes, samples: Mapping[str, ContactSamples]) -> None:
    """Draw the loops of ``samples`` by name into ``axes``."""
    for contact, style in with_line_styles(samples):
        axes.plot(contact.indentation, contact.force, **style)
    label_axis(axes.xaxis, axes.dataLim.intervalx, ["indentation"], "m")
    label_axis(axes.yaxis, axes.dataLim.intervaly, ["normal force"], "N")
