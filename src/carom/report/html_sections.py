"""Text and tables of a report. All names are escaped."""

from __future__ import annotations

import platform
import re
from collections.abc import Sequence
from html import escape
from importlib.metadata import PackageNotFoundError, version
from typing import Any

import numpy as np

from carom.result.result import Result
from carom.scene.html_table import ENERGY_HEADINGS, energy_rows, impact_cells, table
from carom.scene.labels import unit_label
from carom.short_form import counted

MAX_IMPACTS, MAX_BODIES, MAX_ELEMENTS = 500, 200, 300
"""Largest numbers of rows."""
LIBRARIES = ("carom", "numpy", "numba", "scipy")


def section(title: str, content: str) -> str:
    """Return a section with its heading; empty without content."""
    return f"<section><h2>{escape(title)}</h2>\n{content}</section>\n" if content else ""


def page_head(result: Result, lead: str, check: tuple[bool, str] | None) -> str:
    """Return the introduction, the main facts and the result of the check."""
    status = "good" if result.outcome.ok else "bad"
    facts = main_facts(result)
    first = f'<b class="{status}">{escape(facts.pop("outcome"))}</b>'
    lines = "".join(f"<li>{fact}</li>" for fact in (first, *map(escape, facts.values())))
    verdict = ""
    if check is not None:
        word = "passed" if check[0] else "failed"
        verdict = f'<p>Check <b class="{"good" if check[0] else "bad"}">{word}</b>. {escape(check[1])}</p>\n'
    text = re.sub(r"``(.+?)``", r"<code>\1</code>", escape(lead))
    introduction = f'<p class="lead">{text}</p>\n' if lead else ""
    return f'{introduction}<ul class="facts">{lines}</ul>\n{verdict}'


def main_facts(result: Result) -> dict[str, str]:
    """Return the main facts of a run by name."""
    n_bodies = len(result.bodies)
    facts = {
        "outcome": result.message or str(result.outcome),
        "time": f"{result.t[0]:.6g} to {result.t[-1]:.6g} s",
        "bodies": f"{n_bodies} {'body' if n_bodies == 1 else 'bodies'}",
        "nodes": f"{len(result.t)} nodes",
        "energy": f"energy drift {result.energy.drift:.2g} of {result.energy.scale:.4g} J",
    }
    if result.impacts:
        persistent = sum(impact.persistent for impact in result.impacts)
        facts["contacts"] = ", ".join((
            counted(len(result.impacts) - persistent, "impact"), counted(persistent, "persistent contact")
        ))  # fmt: skip
    if "wall_time" in result.stats:
        facts["work"] = f"computed in {result.stats['wall_time']:.3g} s"
    return facts


def notes(warnings: Sequence[str]) -> str:
    """Return the warnings, one paragraph each."""
    return "".join(f'<p class="note">{escape(text)}</p>\n' for text in warnings)


def impacts(result: Result) -> str:
    """Return the table of impacts; a click on a row selects its start."""
    if not result.impacts:
        return ""
    listed = result.impacts[:MAX_IMPACTS]
    heads, rows = impact_cells(listed)
    more = len(result.impacts) - len(listed)
    rest = f"<p>The first {len(listed)} of {len(result.impacts)}.</p>" if more else ""
    return table(heads, rows, [impact.t_start for impact in listed]) + rest


def energy_balance(result: Result) -> str:
    """Return the table of energies at the start and at the end [J]."""
    return table(ENERGY_HEADINGS, energy_rows(result.energy))


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
