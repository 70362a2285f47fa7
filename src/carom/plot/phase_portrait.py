"""Phase portrait of a contact: indentation rate over indentation."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Unpack

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from carom.plot.contact_data import ContactSamples, Results, contact_samples, results_by_name
from carom.plot.figure_options import FigureOptions, open_figure
from carom.plot.overlay import legend_below, with_line_styles
from carom.plot.panels import label_axis
from carom.plot.style import FAINT
from carom.result.impact_records import ImpactRecord
from carom.result.name_lookup import name_of
from carom.typing import ElementLike


def plot_phase(
    results: Results,
    contact: ElementLike,
    *,
    impact: int | ImpactRecord | None = None,
    **options: Unpack[FigureOptions],
) -> Figure:
    """Plot indentation rate over indentation of a contact, during one ``impact`` (its index, from 0) or all impacts.

    ``results`` is one run, or a mapping of names to runs that are overlaid. ``options`` are those of `plot_result`.

    Examples
    --------
    >>> import carom as cm
    >>> result = cm.gallery.falling_ball().run()
    >>> figure = cm.plot.plot_phase(result, "floor")
    >>> len(figure.axes)
    1
    """
    samples = {name: contact_samples(result, contact, impact) for name, result in results_by_name(results).items()}
    with open_figure(4.8, 3.9, name_of(contact), **options) as figure:
        draw_phase(figure.subplots(), samples)
        legend_below(figure, columns=3)
    return figure


def draw_phase(axes: Axes, samples: Mapping[str, ContactSamples]) -> None:
    """Draw the phase portraits of ``samples`` by name into ``axes``."""
    axes.axhline(0.0, color=FAINT, linewidth=0.8)
    for contact, style in with_line_styles(samples):
        axes.plot(contact.indentation, contact.rate, **style)
    label_axis(axes.xaxis, axes.dataLim.intervalx, ["indentation"], "m")
    label_axis(axes.yaxis, axes.dataLim.intervaly, ["indentation rate"], "m/s")
