"""Pages of a run and of a comparison of runs."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from carom.report.curve_panels import panel_data
from carom.report.html_page import report_page
from carom.studio.run_queue import QueuedRun

MAX_CURVES = 14
"""Largest number of curves in a panel of a comparison."""


def run_page(run: QueuedRun) -> str:
    """Return the report of a run."""
    assert run.result is not None
    case = run.case
    settings = case.figure_settings if case is not None else None
    return report_page(
        run.result, system=case.system if case is not None else None, panels=settings.motion if settings else (),
        trace=settings.trace if settings else (), title=run.label, lead=case.description if case is not None else "",
        check=run.check, warnings=run.warnings,
    )  # fmt: skip


def comparison_page(runs: Sequence[QueuedRun]) -> str:
    """Return the report of the first run with the curves of all runs; equal panels are merged."""
    first = runs[0]
    settings = first.case.figure_settings if first.case is not None else None
    panels: dict[str, dict[str, Any]] = {}
    for run in runs:
        assert run.result is not None
        for panel in panel_data(run.result, settings.motion if settings else ()):
            merged = panels.setdefault(panel["label"], {**panel, "curves": []})
            for curve in panel["curves"]:
                if len(merged["curves"]) < MAX_CURVES:
                    merged["curves"].append({**curve, "name": f"{run.number}: {curve['name'] or panel['label']}"})
    names = "; ".join(f"{run.number} is {run.label}" for run in runs)
    return report_page(
        first.result, system=first.case.system if first.case is not None else None,  # type: ignore[arg-type]
        trace=settings.trace if settings else (), title="Comparison", curves=list(panels.values()),
        lead=f"The animation and the tables are those of run {first.number}. {names}.",
    )  # fmt: skip
