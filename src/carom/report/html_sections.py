"""Text and tables of a report. All names are escaped."""

from __future__ import annotations

import math
import platform
import re
from collections.abc import Iterable, Sequence
from html import escape
from importlib.metadata import PackageNotFoundError, version
from typing import Any

import numpy as np

from carom.result.result import Result
from carom.scene.impact_table import impact_table
from carom.scene.labels import unit_label

MAX_IMPACTS, MAX_BODIES, MAX_ELEMENTS = 500, 200, 300
"""Largest numbers of rows."""
LIBRARIES = ("carom", "numpy", "numba", "scipy")


def section(title: str, content: str) -> str:
    """Return a section with its heading; empty without content."""
    return f"<section><h2>{escape(title)}</h2>\n{content}</section>\n" if content else ""


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


def page_head(result: Result, lead: str, check: tuple[bool, str] | None) -> str:
    """Return the introduction, the main facts and the result of the check."""
    status = "good" if result.outcome.ok else "bad"
    facts = [
        f'<b class="{status}">{escape(result.message or str(result.outcome))}</b>',
        f"{result.t[0]:.6g} to {result.t[-1]:.6g} s",
        f"{len(result.bodies)} {'body' if len(result.bodies) == 1 else 'bodies'}",
        f"{len(result.t)} nodes",
        f"energy drift {result.energy.drift:.2g} of {result.energy.scale:.4g} J",
    ]
    if result.impacts:
        persistent = sum(impact.persistent for impact in result.impacts)
        facts.append(f"{len(result.impacts) - persistent} impacts, {persistent} persistent contacts")
    if "wall_time" in result.stats:
        facts.append(f"computed in {result.stats['wall_time']:.3g} s")
    lines = "".join(f"<li>{fact}</li>" for fact in facts)
    verdict = ""
    if check is not None:
        word = "passed" if check[0] else "failed"
        verdict = f'<p>Check <b class="{"good" if check[0] else "bad"}">{word}</b>. {escape(check[1])}</p>\n'
    text = re.sub(r"``(.+?)``", r"<code>\1</code>", escape(lead))
    introduction = f'<p class="lead">{text}</p>\n' if lead else ""
    return f'{introduction}<ul class="facts">{lines}</ul>\n{verdict}'


def notes(warnings: Sequence[str]) -> str:
    """Return the warnings, one paragraph each."""
    return "".join(f'<p class="note">{escape(text)}</p>\n' for text in warnings)


def impacts(result: Result) -> str:
    """Return the table of impacts; a click on a row selects its start."""
    if not result.impacts:
        return ""
    listed = result.impacts[:MAX_IMPACTS]
    heads, (contacts, *columns) = impact_table(listed)
    columns = [[{"nan": "–", "−0": "0"}.get(cell, cell) for cell in cells] for cells in columns]
    rows = list(zip(contacts, *columns, strict=True))
    more = len(result.impacts) - len(listed)
    rest = f"<p>The first {len(listed)} of {len(result.impacts)}.</p>" if more else ""
    return table(heads, rows, [impact.t_start for impact in listed]) + rest


def energy_balance(result: Result) -> str:
    """Return the table of energies at the start and at the end [J]."""
    rows = [
        (name.replace("_", " "), float(values[0]), float(values[-1]), float(values[-1] - values[0]))
        for name in (*result.energy.names(), "total", "balance")
        for values in [getattr(result.energy, name)]
    ]
    return table(("energy [J]", "start", "end", "change"), rows)


def bodies(result: Result) -> str:
    """Return the table of masses and final poses."""
    kind = result.series_type
    units = [unit_label(kind.units[name]) for name in kind.pose]
    final = [f"final {name} [{unit}]" for name, unit in zip(kind.pose, units, strict=True)]
    heads = ["body", "mass [kg]", "inertia [kg m²]", *final]
    rows = []
    for k, body in enumerate(result.bodies[:MAX_BODIES]):
        last = result.q[-1, k * kind.coordinates : (k + 1) * kind.coordinates]
        rows.append((body.name, body.mass, _inertia(body.inertia), *(float(value) for value in last)))
    more = len(result.bodies) - len(rows)
    return table(heads, rows) + (f"<p>… and {more} more bodies.</p>" if more > 0 else "") if rows else ""


def elements(result: Result) -> str:
    """Return the table of joints, forces and contacts with their laws."""
    data = result.sketch
    if data is not None and data.element_table:
        rows: list[tuple[str, ...]] = [tuple(row) for row in data.element_table[:MAX_ELEMENTS]]
        more = len(data.element_table) - len(rows)
    else:
        rows = [(info.name, info.kind, " – ".join(info.members), "") for info in result.elements[:MAX_ELEMENTS]]
        more = len(result.elements) - len(rows)
    if not rows:
        return ""
    return table(("element", "kind", "between", "laws"), rows) + (f"<p>… and {more} more.</p>" if more > 0 else "")


def settings(result: Result) -> str:
    """Return the table of settings."""
    return table(("setting", "value"), [(name, _plain(value)) for name, value in result.settings.items()])


def statistics(result: Result) -> str:
    """Return the table of run statistics."""
    return table(
        ("statistic", "value"), [(name.replace("_", " "), _plain(value)) for name, value in result.stats.items()]
    )


def versions() -> str:
    """Return the versions of Python, of the libraries and of the system."""
    texts = [f"python {platform.python_version()}"]
    for name in LIBRARIES:
        try:
            texts.append(f"{name} {version(name)}")
        except PackageNotFoundError:
            continue  # not installed, e.g. run from the source tree
    return " · ".join([*texts, f"{platform.system()} {platform.machine()}"])


def _plain(value: Any) -> Any:
    """Return a value that a table can show."""
    return value if isinstance(value, (bool, int, float, str, tuple, list)) or value is None else str(value)


def _inertia(inertia: Any) -> str:
    """Return the diagonal of an inertia tensor if all other entries are zero, otherwise all entries."""
    values = np.atleast_1d(inertia)
    if values.size == 9:
        matrix = values.reshape(3, 3)
        if np.count_nonzero(matrix - np.diag(np.diag(matrix))) == 0:
            values = np.diag(matrix)
    return ", ".join(f"{value:.6g}" for value in values.ravel())


def _align(number: bool) -> str:
    return ' class="number"' if number else ""


def _is_number(cell: Any) -> bool:
    if isinstance(cell, bool):
        return False
    return isinstance(cell, (int, float)) or re.fullmatch(r"[−-]?[\d.]+(e[+−-]?\d+)?|–", str(cell)) is not None


def _superscript(text: str) -> str:
    """Return text with powers of ten of figure labels as HTML."""
    return re.sub(r"\$10\^\{([^}]*)\}\$", r"10<sup>\1</sup>", text)
