"""Several curves in one picture, told apart by a legend below the figure."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, TypeVar

from matplotlib.figure import Figure

from carom.plot.style import COLOURS, line_look

Thing = TypeVar("Thing")

_LINES: tuple[Any, ...] = ("-", (0, (4.0, 1.5)), (0, (1.0, 1.0)))


def overlaid(things: Mapping[str, Thing]) -> Iterator[tuple[Thing, dict[str, Any]]]:
    """Each of ``things`` with the look and the label of its curve; of many, the later ones are broken lines."""
    for index, (name, thing) in enumerate(things.items()):
        look = line_look(index % len(COLOURS), min(len(things), len(COLOURS)))
        yield thing, {"label": name, "linestyle": _LINES[min(index // 4, len(_LINES) - 1)], **look}


def name_below(figure: Figure, columns: int = 4) -> None:
    """One legend for all panels, where there is more than one curve to tell apart."""
    found: dict[str, Any] = {}
    for axes in figure.get_axes():
        for handle, name in zip(*axes.get_legend_handles_labels(), strict=True):
            found.setdefault(name, handle)
    if len(found) > 1:
        figure.legend(
            found.values(), found.keys(), loc="outside lower center", ncols=min(columns, len(found)), columnspacing=1.5
        )
