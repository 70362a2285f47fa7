"""Pages of runs: one, or several over each other."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from carom.report.curve_panels import panel_data
from carom.report.html_page import report_page
from carom.studio.runs import Run

MOST_CURVES = 14
"""In one panel of a comparison."""


def run_page(run: Run) -> str:
    """The report of a run."""
    assert run.result is not None
    look = run.case.look if run.case is not None else None
    return report_page(
        run.result, system=run.case.system if run.case is not None else None, panels=look.motion if look else (),
        trace=look.trace if look else (), title=run.label, lead=run.case.description if run.case is not None else "",
        check=run.check, warnings=run.warnings,
    )  # fmt: skip


def compared_page(runs: Sequence[Run]) -> str:
    """The first run with the curves of all of them; panels that the runs share are one."""
    first = runs[0]
    look = first.case.look if first.case is not None else None
    panels: dict[str, dict[str, Any]] = {}
    for run in runs:
        assert run.result is not None
        for panel in panel_data(run.result, look.motion if look else ()):
            mine = panels.setdefault(panel["label"], {**panel, "curves": []})
            for curve in panel["curves"]:
                if len(mine["curves"]) < MOST_CURVES:
                    mine["curves"].append({**curve, "name": f"{run.number}: {curve['name'] or panel['label']}"})
    names = "; ".join(f"{run.number} is {run.label}" for run in runs)
    return report_page(
        first.result, system=first.case.system if first.case is not None else None,  # type: ignore[arg-type]
        trace=look.trace if look else (), title="Comparison", curves=list(panels.values()),
        lead=f"The animation and the tables are those of run {first.number}. {names}.",
    )  # fmt: skip
