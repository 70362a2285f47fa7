"""Several curves in one figure, distinguished by line style and a legend below."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any, TypeVar, Unpack

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from carom.plot.contact_data import ContactSamples, Results, contact_samples, results_by_name
from carom.plot.figure_options import FigureOptions, open_figure
from carom.plot.style import COLOURS, line_style
from carom.result.impact_records import ImpactRecord
from carom.result.name_lookup import name_of

Item = TypeVar("Item")

_DASHES: tuple[Any, ...] = ("-", (0, (4.0, 1.5)), (0, (1.0, 1.0)))


def with_line_styles(items: Mapping[str, Item]) -> Iterator[tuple[Item, dict[str, Any]]]:
    """Yield each item with the style and label of its curve; the curves after the fourth are dashed."""
    for index, (name, item) in enumerate(items.items()):
        style = line_style(index % len(COLOURS), min(len(items), len(COLOURS)))
        yield item, {"label": name, "linestyle": _DASHES[min(index // 4, len(_DASHES) - 1)], **style}


def overlay_contacts(
    draw: Callable[[Axes, Mapping[str, ContactSamples]], None],
    results: Results,
    contact: Any,
    impact: int | ImpactRecord | None,
    **options: Unpack[FigureOptions],
) -> Figure:
    """Return a figure into which ``draw`` draws a contact of one or more runs, during one impact or all of them."""
    samples = {name: contact_samples(result, contact, impact) for name, result in results_by_name(results).items()}
    with open_figure(4.8, 3.9, name_of(contact), **options) as figure:
        draw(figure.subplots(), samples)
        legend_below(figure, columns=3)
    return figure


def legend_below(figure: Figure, columns: int = 4) -> None:
    """Add one legend below all panels if there is more than one curve."""
    handles: dict[str, Any] = {}
    for axes in figure.get_axes():
        for handle, name in zip(*axes.get_legend_handles_labels(), strict=True):
            handles.setdefault(name, handle)
    if len(handles) > 1:
        figure.legend(
            handles.values(), handles.keys(), loc="outside lower center", ncols=min(columns, len(handles)),
            columnspacing=1.5,
        )  # fmt: skip
