"""Columns of a table of impacts."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from carom.scene.labels import axis_exponent, axis_label

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
"""Heading, attribute of an impact, and unit."""


def impact_table(impacts: Iterable[Any]) -> tuple[list[str], list[list[str]]]:
    """Return the headings and the columns of cells, the first of which names the contact."""
    rows = list(impacts)
    headings, columns = ["contact"], [[impact.contact for impact in rows]]
    for name, attribute, unit in COLUMNS:
        heading, cells = table_column(name, [getattr(impact, attribute) for impact in rows], unit)
        headings.append(heading)
        columns.append(cells)
    return headings, columns


def table_column(name: str, values: Sequence[float], unit: str) -> tuple[str, list[str]]:
    """Return heading and cells of a column, in a convenient multiple of its unit."""
    exponent = axis_exponent(max((abs(value) for value in values if value == value), default=0.0), unit)
    digits = 6 if name == "start" else 4
    heading = axis_label([name], unit, exponent) if unit else name
    return heading, [f"{value / 10.0**exponent:.{digits}g}".replace("-", "−") for value in values]
