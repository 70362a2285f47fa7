"""HTML tables for reports and notebooks. All texts are escaped."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Sequence
from html import escape
from typing import Any

from carom.scene.impact_table import impact_table


def table(heads: Sequence[str], rows: Iterable[Sequence[Any]], times: Sequence[float] | None = None) -> str:
    """Return a table with right-aligned numbers; a click on a row selects its time from ``times`` [s]."""
    cells = [list(row) for row in rows]
    is_number = [all(_is_number(row[k]) for row in cells) and bool(cells) for k in range(len(heads))]
    lines = []
    for k, row in enumerate(cells):
        line = "".join(
            f"<td{_align(number)}>{cell_text(cell)}</td>" for cell, number in zip(row, is_number, strict=True)
        )
        time = "" if times is None else f' data-time="{float(times[k])!r}"'
        lines.append(f"<tr{time}>{line}</tr>")
    header = "".join(
        f"<th{_align(number)}>{_superscript(escape(name))}</th>" for name, number in zip(heads, is_number, strict=True)
    )
    return f'<div class="scroll"><table><thead><tr>{header}</tr></thead><tbody>{"".join(lines)}</tbody></table></div>\n'


def cell_text(cell: Any) -> str:
    """Return the text of a cell; numbers have six digits."""
    if isinstance(cell, bool) or cell is None:
        return {True: "yes", False: "no", None: "–"}[cell]
    if isinstance(cell, float):
        return f"{cell:.6g}".replace("-", "−") if math.isfinite(cell) else "–"
    if isinstance(cell, (tuple, list)):
        return escape(", ".join(f"{part:.6g}" if isinstance(part, float) else str(part) for part in cell))
    return escape(str(cell))


def impact_cells(impacts: Iterable[Any]) -> tuple[list[str], list[list[str]]]:
    """Return the headings and rows of a table of impacts; a dash stands for a value that is not a number."""
    headings, (contacts, *columns) = impact_table(impacts)
    columns = [[{"nan": "–", "−0": "0"}.get(cell, cell) for cell in cells] for cells in columns]
    return headings, [list(row) for row in zip(contacts, *columns, strict=True)]


def energy_rows(energy: Any) -> list[tuple[Any, ...]]:
    """Return name, start, end and change of every energy, of their total and of the balance [J]."""
    return [
        (name.replace("_", " "), float(values[0]), float(values[-1]), float(values[-1] - values[0]))
        for name in (*energy.names(), "total", "balance")
        for values in [getattr(energy, name)]
    ]


ENERGY_HEADINGS = ("energy [J]", "start", "end", "change")


def _align(number: bool) -> str:
    return ' class="number"' if number else ""


def _is_number(cell: Any) -> bool:
    if isinstance(cell, bool):
        return False
    return isinstance(cell, (int, float)) or re.fullmatch(r"[−-]?[\d.]+(e[+−-]?\d+)?|–", str(cell)) is not None


def _superscript(text: str) -> str:
    """Return text with powers of ten of figure labels as HTML."""
    return re.sub(r"\$10\^\{([^}]*)\}\$", r"10<sup>\1</sup>", text)
