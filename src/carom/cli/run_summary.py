"""Summary of a run, as plain data and as tables for the terminal."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field
from typing import TYPE_CHECKING, Any

from rich.console import Console
from rich.table import Table
from rich.text import Text

from carom.cli.command_output import json_text
from carom.gallery.case import Case, CheckFailed, CheckResult
from carom.result.result import Result
from carom.result.summary import implicit_share
from carom.short_form import counted

if TYPE_CHECKING:
    from carom.study.tolerance_check import ToleranceCheck

MAX_BODIES = 20
"""Largest number of bodies whose final state is printed; a long chain must not fill the screen."""


@dataclass
class RunSummary:
    """Result of a case with its check, warnings and files."""

    case: Case
    parameters: dict[str, Any]
    result: Result
    check_results: list[CheckResult] = field(default_factory=list)
    failure: str | None = None
    warnings: list[str] = field(default_factory=list)
    files: list[str] = field(default_factory=list)
    tolerance_check: ToleranceCheck | None = None
    _n_printed: int = 0
    """Number of warnings printed so far."""

    def check(self) -> None:
        """Compare the result with the known results of the case."""
        try:
            self.check_results = self.case.check(self.result)
        except CheckFailed as error:
            self.failure = str(error)

    @property
    def ok(self) -> bool:
        """True if the run reached its end and its check passed."""
        return self.result.outcome.ok and self.failure is None

    def to_json(self) -> str:
        """Return the summary as one JSON object; numbers that are not finite become null."""
        result = self.result
        data = {
            "case": self.case.name,
            "title": self.case.title,
            "parameters": self.parameters,
            "ok": self.ok,
            "outcome": result.outcome.name,
            "message": result.message,
            "t_end": result.t[-1],
            "nodes": len(result.t),
            "stats": result.stats,
            "impacts": [asdict(impact) for impact in result.impacts],
            "energy_drift": result.energy.drift,
            "energy_scale": result.energy.scale,
            "check": {
                "passed": self.failure is None,
                "message": self.failure,
                "findings": [
                    {"what": check.quantity, "error": check.error, "bound": check.bound} for check in self.check_results
                ],
            },
            "final": {
                body.name: {name: getattr(result[body.name], name)[-1] for name in result.series_type.units}
                for body in result.bodies
            },
            "settings": result.settings,
            **self._tolerance_data(),
            "warnings": self.warnings,
            "files": self.files,
        }
        return json_text(data)

    def show(self, console: Console) -> None:
        """Print outcome, statistics and final states; the check follows later, see `show_check`."""
        result = self.result
        console.print(Text(self.case.title, style="bold"))
        self._print_warnings(console)
        facts = fact_table()
        colour = "green" if result.outcome.ok else "red"
        facts.add_row("outcome", Text(result.message or str(result.outcome), style=colour))
        facts.add_row("time", f"{result.t[0]:.6g} to {result.t[-1]:.6g} s, {len(result.t)} nodes")
        stats = result.stats
        counts = ", ".join(f"{stats[key]} {key}" for key in ("steps", "rejected", "evaluations") if key in stats)
        facts.add_row("work", f"{counts}; {duration(stats['wall_time'])}" if "wall_time" in stats else counts)
        if implicit_share(result):
            facts.add_row("implicit", implicit_share(result))
        facts.add_row("energy", f"drift {result.energy.drift:.2g} of {result.energy.scale:.4g} J")
        if any(element.family == "contact" for element in result.elements):
            facts.add_row("contacts", contact_summary(result))
        console.print(facts)
        console.print(self._final_states())

    def show_check(self, console: Console) -> None:
        """Print the check and the time up to which the result does not depend on the tolerance."""
        self._print_warnings(console)
        facts = fact_table()
        facts.add_row("check", self._check_text())
        check = self.tolerance_check
        if check is not None:
            text = check.summary() if check.valid_to_end else f"valid to t = {check.horizon:.4g} s, see the note"
            facts.add_row("tolerance", Text(text, style="green" if check.valid_to_end else "yellow"))
        console.print(facts)

    def _tolerance_data(self) -> dict[str, Any]:
        """Return the tolerance check as plain data, also under its earlier key "trust"."""
        if self.tolerance_check is None:
            return {}
        data = self.tolerance_check.to_dict()
        return {"tolerance_check": data, "trust": {**data, "whole": data["valid_to_end"]}}

    def _print_warnings(self, console: Console) -> None:
        for warning in self.warnings[self._n_printed :]:
            console.print(Text(f"note: {warning}", style="yellow"))
        self._n_printed = len(self.warnings)

    def _check_text(self) -> Text:
        if self.failure is not None:
            return Text(f"failed. {self.failure}", style="red")
        if not self.check_results:
            return Text("none: a model file contains no reference solution")
        closest = max(self.check_results, key=lambda check: check.bound_fraction)
        return Text(
            f"passed, {counted(len(self.check_results), 'comparison')}; closest to its bound: {closest}", style="green"
        )

    def _final_states(self) -> Table:
        units = self.result.series_type.units
        vectors = self.result.series_type.vectors
        names = (*self.result.series_type.pose, *vectors["velocity"], *vectors["angular_velocity"])
        table = Table(box=None, pad_edge=False, header_style="dim")
        table.add_column("final", no_wrap=True)
        for name in names:
            table.add_column(f"{name} \\[{units[name]}]", justify="right", no_wrap=True)
        for body in self.result.bodies[:MAX_BODIES]:
            series = self.result[body.name]
            table.add_row(Text(body.name), *(f"{getattr(series, name)[-1]:.5g}" for name in names))
        if len(self.result.bodies) > MAX_BODIES:
            table.add_row(f"… and {len(self.result.bodies) - MAX_BODIES} more")
        return table


def fact_table() -> Table:
    """Return an empty table with a name and a text per line."""
    table = Table(box=None, show_header=False, pad_edge=False)
    table.add_column(style="dim", no_wrap=True, min_width=len("contacts"))
    table.add_column()
    return table


def contact_summary(result: Result) -> str:
    """Return the number of impacts and persistent contacts, and the largest contact force."""
    impacts = result.impacts
    if not impacts:
        return "no contact occurred"
    persistent = [impact for impact in impacts if impact.persistent]
    counts = ", ".join((
        counted(len(impacts) - len(persistent), "impact"), counted(len(persistent), "persistent contact")
    ))  # fmt: skip
    # An impact of a non-smooth run has an impulse, but no force.
    nonsmooth = result.settings.get("method") == "nonsmooth"
    with_force = persistent if nonsmooth else list(impacts)
    if not with_force:
        return counts
    hardest = max(with_force, key=lambda impact: impact.peak_force)
    return f"{counts}; largest force {hardest.peak_force:.4g} N in {hardest.contact!r} at {hardest.t_start:.6g} s"


def duration(seconds: float) -> str:
    """Return a duration in s or ms."""
    return f"{seconds:.3g} s" if seconds >= 1.0 else f"{1e3 * seconds:.3g} ms"
