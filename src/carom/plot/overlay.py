"""Several curves in one figure, distinguished by line style and a legend below."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, TypeVar

from matplotlib.figure import Figure

from carom.plot.style import COLOURS, line_style

Item = TypeVar("Item")

_DASHES: tuple[Any, ...] = ("-", (0, (4.0, 1.5)), (0, (1.0, 1.0)))


def with_line_styles(items: Mapping[str, Item]) -> Iterator[tuple[Item, dict[str, Any]]]:
    """Yield each item with the style and label of its curve; the curves after the fourth are dashed."""
    for index, (name, item) in enumerate(items.items()):
        style = line_style(index % len(COLOURS), min(len(items), len(COLOURS)))
        yield item, {"label": name, "linestyle": _DASHES[min(index // 4, len(_DASHES) - 1)], **style}


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
