"""Phase portrait of a contact: indentation rate over indentation."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Unpack

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from carom.plot.contact_data import ContactSamples, Results
from carom.plot.figure_options import FigureOptions
from carom.plot.overlay import overlay_contacts, with_line_styles
from carom.plot.panels import label_axis
from carom.plot.style import FAINT
from carom.result.impact_records import ImpactRecord
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
    return overlay_contacts(draw_phase, results, contact, impact, **options)


def draw_phase(axes: Axes, samples: Mapping[str, ContactSamples]) -> None:
    """Draw the phase portraits of ``samples`` by name into ``axes``."""
    axes.axhline(0.0, color=FAINT, linewidth=0.8)
    for contact, style in with_line_styles(samples):
        axes.plot(contact.indentation, contact.indentation_rate, **style)
    label_axis(axes.xaxis, axes.dataLim.intervalx, ["indentation"], "m")
    label_axis(axes.yaxis, axes.dataLim.intervaly, ["indentation rate"], "m/s")
