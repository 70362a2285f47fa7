"""Representation of systems, energies and impacts in a notebook: a table and a picture."""

from __future__ import annotations

import base64
import io
from collections.abc import Iterable
from html import escape
from typing import Any

import numpy as np
from matplotlib.figure import Figure

from carom.model.system import System
from carom.plot.figure_options import open_figure
from carom.plot.mechanism import plot_system
from carom.plot.panels import curve_legend, draw_energies, label_time, label_values, used_energies
from carom.plot.style import line_style, style
from carom.result.energy import Energy
from carom.result.impact_records import ImpactTable
from carom.result.interpolation import sample_columns
from carom.scene.curve_data import CurveData, times_between
from carom.scene.html_table import ENERGY_HEADINGS, energy_rows, impact_cells, table
from carom.solve.analyses.model_summary import MAX_ROWS, model_summary

DPI = 100
"""Resolution of a picture in a notebook [1/inch]."""
MAX_IMPACTS = 20
"""Largest number of rows of the table of impacts."""
WIDTH, HEIGHT = 7.0, 2.6
"""Size of a picture with one panel [inches]."""


def notebook_html(title: str, content: str, figure: Figure | None = None) -> str:
    """Return a title, an HTML text and a picture of ``figure``."""
    picture = "" if figure is None else figure_html(figure)
    return f"<div><b>{escape(title.strip('<>'))}</b>{content}{picture}</div>"


def figure_html(figure: Figure) -> str:
    """Return a figure as an HTML image that contains its data."""
    with io.BytesIO() as buffer, style():
        figure.savefig(buffer, format="png", dpi=DPI)
        data = base64.b64encode(buffer.getvalue()).decode("ascii")
    return f'<img alt="figure" src="data:image/png;base64,{data}">'


def energy_html(energy: Energy) -> str:
    """Return the energies at the start and at the end, and their curves."""
    return notebook_html(repr(energy), table(ENERGY_HEADINGS, energy_rows(energy)), _energy_figure(energy))


def impacts_html(impacts: ImpactTable) -> str:
    """Return the first impacts, and the speeds of all of them over time."""
    if not impacts:
        return notebook_html(repr(impacts), "")
    more = len(impacts) - MAX_IMPACTS
    rest = f"<p>The first {MAX_IMPACTS} of {len(impacts)}.</p>" if more > 0 else ""
    return notebook_html(repr(impacts), table(*impact_cells(impacts[:MAX_IMPACTS])) + rest, _impact_figure(impacts))


def system_html(system: System) -> str:
    """Return summary and picture of a system as it is now."""
    summary = model_summary(system)
    parts = [table(("", ""), summary.facts.items())]
    for title, headings, rows in summary.tables:
        if rows:
            more = f"<p>… and {len(rows) - MAX_ROWS} more.</p>" if len(rows) > MAX_ROWS else ""
            parts.append(f"<details><summary>{title}</summary>{table(headings, rows[:MAX_ROWS])}{more}</details>")
    parts += [f"<p><b>warning</b>: {escape(text)}</p>" for text in summary.warnings]
    return notebook_html(repr(system), "".join(parts), plot_system(system) if system.bodies else None)


def _energy_figure(energy: Energy) -> Figure | None:
    """Return the curves of the energies over time; None for energies without times."""
    if energy.t is None:
        return None
    between = times_between(energy.t) if energy.t[-1] > energy.t[0] else energy.t[:0]
    fine = Energy.from_columns(sample_columns(energy.t, energy.columns(), between))
    at = np.searchsorted(energy.t, between)
    t = np.insert(energy.t, at, between)
    total, *parts = (
        CurveData("energy", name, "J", t, np.insert(getattr(energy, name), at, getattr(fine, name)))
        for name in ("total", *used_energies(energy))
    )
    with open_figure(WIDTH, HEIGHT, "") as figure:
        axes = figure.subplots()
        draw_energies(axes, total, parts)
        label_time(axes)
    return figure


def _impact_figure(impacts: Iterable[Any]) -> Figure:
    """Return approach and separation speeds over time."""
    records = list(impacts)
    t = np.array([impact.t_start for impact in records])
    with open_figure(WIDTH, HEIGHT, "") as figure:
        axes = figure.subplots()
        for k, (name, marker) in enumerate((("approach", "o"), ("separation", "s"))):
            speeds = [getattr(impact, f"{name}_speed") for impact in records]
            colour = line_style(k, 2)["color"]
            axes.plot(t, speeds, marker, color=colour, markersize=4.0, fillstyle="none", label=name)
        axes.set_ylim(bottom=0.0)
        label_values(axes, ["speed"], "m/s")
        label_time(axes)
        curve_legend(axes)
    return figure
