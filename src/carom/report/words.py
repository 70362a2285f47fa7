"""The parts of a report that are text and tables. Everything that comes from names is escaped."""

from __future__ import annotations

import math
import platform
import re
from collections.abc import Iterable, Sequence
from html import escape
from importlib.metadata import PackageNotFoundError, version
from typing import Any

import numpy as np

from carom.plot.impacts import COLUMNS, column
from carom.plot.words import unit_words
from carom.result.result import Result

IMPACTS, BODIES, ELEMENTS = 500, 200, 300
"""Rows shown at most."""
LIBRARIES = ("carom", "numpy", "numba", "scipy")


def section(title: str, content: str) -> str:
    return f"<section><h2>{escape(title)}</h2>\n{content}</section>\n" if content else ""


def table(heads: Sequence[str], rows: Iterable[Sequence[Any]], times: Sequence[float] | None = None) -> str:
    """Rows under their heads; numbers stand on the right. ``times`` are what a click on a row goes to."""
    every = [list(row) for row in rows]
    right = [all(_is_number(row[k]) for row in every) and bool(every) for k in range(len(heads))]
    lines = []
    for k, row in enumerate(every):
        cells = "".join(f"<td{_right(number)}>{shown(cell)}</td>" for cell, number in zip(row, right, strict=True))
        moment = "" if times is None else f' data-time="{float(times[k])!r}"'
        lines.append(f"<tr{moment}>{cells}</tr>")
    head = "".join(f"<th{_right(number)}>{_sup(escape(name))}</th>" for name, number in zip(heads, right, strict=True))
    return f'<div class="scroll"><table><thead><tr>{head}</tr></thead><tbody>{"".join(lines)}</tbody></table></div>\n'


def shown(cell: Any) -> str:
    """A cell; numbers to six digits."""
    if isinstance(cell, bool) or cell is None:
        return {True: "yes", False: "no", None: "–"}[cell]
    if isinstance(cell, float):
        return f"{cell:.6g}".replace("-", "−") if math.isfinite(cell) else "–"
    if isinstance(cell, (tuple, list)):
        return escape(", ".join(f"{part:.6g}" if isinstance(part, float) else str(part) for part in cell))
    return escape(str(cell))


def head(result: Result, lead: str, check: tuple[bool, str] | None) -> str:
    """The most important in one line each."""
    good = "good" if result.outcome.ok else "bad"
    facts = [
        f'<b class="{good}">{escape(result.message or str(result.outcome))}</b>',
        f"{result.t[0]:.6g} to {result.t[-1]:.6g} s",
        f"{len(result.bodies)} {'body' if len(result.bodies) == 1 else 'bodies'}",
        f"{len(result.t)} nodes",
        f"energy drift {result.energy.drift:.2g} of {result.energy.scale:.4g} J",
    ]
    if result.impacts:
        lasting = sum(impact.persistent for impact in result.impacts)
        facts.append(f"{len(result.impacts) - lasting} impacts, {lasting} lasting contacts")
    if "wall_time" in result.stats:
        facts.append(f"computed in {result.stats['wall_time']:.3g} s")
    lines = "".join(f"<li>{fact}</li>" for fact in facts)
    verdict = ""
    if check is not None:
        word = "passed" if check[0] else "failed"
        verdict = f'<p>Check <b class="{"good" if check[0] else "bad"}">{word}</b>. {escape(check[1])}</p>\n'
    told = re.sub(r"``(.+?)``", r"<code>\1</code>", escape(lead))
    about = f'<p class="lead">{told}</p>\n' if lead else ""
    return f'{about}<ul class="facts">{lines}</ul>\n{verdict}'


def notes(warnings: Sequence[str]) -> str:
    return "".join(f'<p class="note">{escape(text)}</p>\n' for text in warnings)


def impacts(result: Result) -> str:
    """A row for each time bodies met; a click on it goes there."""
    if not result.impacts:
        return ""
    listed = result.impacts[:IMPACTS]
    heads, columns = ["contact"], [[impact.contact for impact in listed]]
    for name, attribute, unit in COLUMNS:
        title, cells = column(name, [getattr(impact, attribute) for impact in listed], unit)
        heads.append(title)
        columns.append([{"nan": "–", "−0": "0"}.get(cell, cell) for cell in cells])
    rows = list(zip(*columns, strict=True))
    more = len(result.impacts) - len(listed)
    rest = f"<p>The first {len(listed)} of {len(result.impacts)}.</p>" if more else ""
    return table(heads, rows, [impact.t_start for impact in listed]) + rest


def ledger(result: Result) -> str:
    """Where the energy was at the start and at the end."""
    rows = [
        (name.replace("_", " "), float(values[0]), float(values[-1]), float(values[-1] - values[0]))
        for name in (*result.energy.names(), "total", "balance")
        for values in [getattr(result.energy, name)]
    ]
    return table(("energy [J]", "start", "end", "change"), rows)


def bodies(result: Result) -> str:
    """Masses, and where each body ended."""
    kind = result.series_type
    units = [unit_words(kind.units[name]) for name in kind.pose]
    final = [f"final {name} [{unit}]" for name, unit in zip(kind.pose, units, strict=True)]
    heads = ["body", "mass [kg]", "inertia [kg m²]", *final]
    rows = []
    for k, body in enumerate(result.bodies[:BODIES]):
        last = result.q[-1, k * kind.coordinates : (k + 1) * kind.coordinates]
        rows.append((body.name, body.mass, _inertia(body.inertia), *(float(value) for value in last)))
    more = len(result.bodies) - len(rows)
    return table(heads, rows) + (f"<p>… and {more} more bodies.</p>" if more > 0 else "") if rows else ""


def elements(result: Result) -> str:
    """Joints, forces and contacts with their laws."""
    sketch = result.sketch
    if sketch is not None and sketch.words:
        rows: list[tuple[str, ...]] = [tuple(row) for row in sketch.words[:ELEMENTS]]
        more = len(sketch.words) - len(rows)
    else:
        rows = [(info.name, info.kind, " – ".join(info.members), "") for info in result.elements[:ELEMENTS]]
        more = len(result.elements) - len(rows)
    if not rows:
        return ""
    return table(("element", "kind", "between", "laws"), rows) + (f"<p>… and {more} more.</p>" if more > 0 else "")


def settings(result: Result) -> str:
    return table(("setting", "value"), [(name, _plain(value)) for name, value in result.settings.items()])


def work(result: Result) -> str:
    return table(("work", "value"), [(name.replace("_", " "), _plain(value)) for name, value in result.stats.items()])


def versions() -> str:
    """What computed it."""
    told = [f"python {platform.python_version()}"]
    for name in LIBRARIES:
        try:
            told.append(f"{name} {version(name)}")
        except PackageNotFoundError:
            continue  # run from its source
    return " · ".join([*told, f"{platform.system()} {platform.machine()}"])


def _plain(value: Any) -> Any:
    return value if isinstance(value, (bool, int, float, str, tuple, list)) or value is None else str(value)


def _inertia(inertia: Any) -> str:
    values = np.atleast_1d(inertia)
    if values.size == 9:
        matrix = values.reshape(3, 3)
        if np.count_nonzero(matrix - np.diag(np.diag(matrix))) == 0:
            values = np.diag(matrix)
    return ", ".join(f"{value:.6g}" for value in values.ravel())


def _right(number: bool) -> str:
    return ' class="number"' if number else ""


def _is_number(cell: Any) -> bool:
    if isinstance(cell, bool):
        return False
    return isinstance(cell, (int, float)) or re.fullmatch(r"[−-]?[\d.]+(e[+−-]?\d+)?|–", str(cell)) is not None


def _sup(text: str) -> str:
    """10^k as figures write it, for a page."""
    return re.sub(r"\$10\^\{([^}]*)\}\$", r"10<sup>\1</sup>", text)
