"""The impacts of a run as a table."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Unpack

from matplotlib.figure import Figure
from matplotlib.transforms import Bbox

from carom.plot.page import Page, new_page
from carom.plot.style import FAINT, INK
from carom.plot.words import axis_words, power_of_ten
from carom.result.result import Result

ROWS = 30
"""Longest table; of more impacts the first are shown."""

COLUMNS = (
    ("start", "t_start", "s"),
    ("duration", "duration", "s"),
    ("approach", "approach_speed", "m/s"),
    ("separation", "separation_speed", "m/s"),
    ("restitution", "restitution", ""),
    ("peak force", "peak_force", "N"),
    ("indentation", "max_indentation", "m"),
    ("energy lost", "energy_lost", "J"),
)


def plot_impacts(result: Result, contact: Any = None, *, rows: int = ROWS, **page: Unpack[Page]) -> Figure:
    """A table of the impacts of ``result``, or of one ``contact``: the first ``rows`` of them.

    ``page`` is as in `plot_result`.
    """
    impacts = result.impacts if contact is None else result.impacts.of(contact)
    shown = impacts[:rows]
    table = [[impact.contact for impact in shown]]
    heads = ["contact"]
    for name, attribute, unit in COLUMNS:
        head, cells = column(name, [getattr(impact, attribute) for impact in shown], unit)
        heads.append(head)
        table.append(cells)
    with new_page(9.0, 0.8 + 0.24 * (len(shown) + 1), result.name, **page) as figure:
        axes = figure.subplots()
        axes.set_axis_off()
        lines = [list(line) for line in zip(*table, strict=True)] or [["none", *[""] * len(COLUMNS)]]
        letters = [3 + max(len(line[k]) for line in [heads, *lines]) for k in range(len(heads))]
        widths = [count / sum(letters) for count in letters]
        grid = axes.table(lines, colLabels=heads, colWidths=widths, bbox=Bbox.unit(), edges="horizontal")
        grid.auto_set_font_size(False)
        grid.set_fontsize(7.5)
        for (row, _), cell in grid.get_celld().items():
            cell.set_edgecolor(FAINT)
            cell.set_text_props(color=INK, fontweight="bold" if row == 0 else "normal")
        if len(impacts) > len(shown):
            axes.set_title(f"the first {len(shown)} of {len(impacts)} impacts", loc="left", color=INK)
    return figure


def column(name: str, values: Sequence[float], unit: str) -> tuple[str, list[str]]:
    """Head and cells of a column, in a handy multiple of its unit."""
    power = power_of_ten(max((abs(value) for value in values if value == value), default=0.0), unit)
    digits = 6 if name == "start" else 4
    head = axis_words([name], unit, power) if unit else name
    return head, [f"{value / 10.0**power:.{digits}g}".replace("-", "−") for value in values]
