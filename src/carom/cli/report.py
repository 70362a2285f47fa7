"""The summary of a run: as plain data, and as a table for people."""

from __future__ import annotations

import json
import math
from dataclasses import asdict, dataclass, field
from typing import TYPE_CHECKING, Any

from rich.console import Console
from rich.table import Table
from rich.text import Text

from carom.gallery.case import Case, CheckFailed, Finding
from carom.result.result import Result

if TYPE_CHECKING:
    from carom.study.trust import Trust

_BODIES = 20
"""Rows of final states; a long chain must not fill the screen."""


@dataclass
class Report:
    """What a run of a case came to."""

    case: Case
    parameters: dict[str, Any]
    result: Result
    findings: list[Finding] = field(default_factory=list)
    failure: str | None = None
    warnings: list[str] = field(default_factory=list)
    files: list[str] = field(default_factory=list)
    trust: Trust | None = None
    _noted: int = 0
    """How many of the warnings were shown."""

    def check(self) -> None:
        """Compare the result with what is known of the case."""
        try:
            self.findings = self.case.check(self.result)
        except CheckFailed as error:
            self.failure = str(error)

    @property
    def ok(self) -> bool:
        return self.result.outcome.ok and self.failure is None

    def to_json(self) -> str:
        """One JSON object; what is not a number is null."""
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
                    {"what": finding.what, "error": finding.error, "bound": finding.bound} for finding in self.findings
                ],
            },
            "final": {
                body.name: {name: getattr(result[body.name], name)[-1] for name in result.series_type.units}
                for body in result.bodies
            },
            "settings": result.settings,
            **({} if self.trust is None else {"trust": self.trust.to_dict()}),
            "warnings": self.warnings,
            "files": self.files,
        }
        return json.dumps(plain(data), ensure_ascii=False, allow_nan=False, indent=2)

    def show(self, console: Console) -> None:
        """What the run came to: a few lines and two small tables. Its check comes later, see `show_verdict`."""
        result = self.result
        console.print(Text(self.case.title, style="bold"))
        self._show_notes(console)
        facts = fact_table()
        colour = "green" if result.outcome.ok else "red"
        facts.add_row("outcome", Text(result.message or str(result.outcome), style=colour))
        facts.add_row("time", f"{result.t[0]:.6g} to {result.t[-1]:.6g} s, {len(result.t)} nodes")
        stats = result.stats
        counts = ", ".join(f"{stats[key]} {key}" for key in ("steps", "rejected", "evaluations") if key in stats)
        facts.add_row("work", f"{counts}; {duration(stats['wall_time'])}" if "wall_time" in stats else counts)
        facts.add_row("energy", f"drift {result.energy.drift:.2g} of {result.energy.scale:.4g} J")
        if any(element.family == "contact" for element in result.elements):
            facts.add_row("contacts", contacts(result))
        console.print(facts)
        console.print(self._final_states())

    def show_verdict(self, console: Console) -> None:
        """How it compares, and how far to trust it."""
        self._show_notes(console)
        facts = fact_table()
        facts.add_row("check", self._verdict())
        if self.trust is not None:
            to = self.trust.words() if self.trust.whole else f"to t = {self.trust.horizon:.4g} s, see the note"
            facts.add_row("trust", Text(to, style="green" if self.trust.whole else "yellow"))
        console.print(facts)

    def _show_notes(self, console: Console) -> None:
        for warning in self.warnings[self._noted :]:
            console.print(Text(f"note: {warning}", style="yellow"))
        self._noted = len(self.warnings)

    def _verdict(self) -> Text:
        if self.failure is not None:
            return Text(f"failed. {self.failure}", style="red")
        if not self.findings:
            return Text("none: a model file has nothing to compare with")
        nearest = max(self.findings, key=lambda finding: finding.share)
        return Text(f"passed, {len(self.findings)} comparisons; the nearest to its bound: {nearest}", style="green")

    def _final_states(self) -> Table:
        units = self.result.series_type.units
        vectors = self.result.series_type.vectors
        names = (*self.result.series_type.pose, *vectors["velocity"], *vectors["angular_velocity"])
        table = Table(box=None, pad_edge=False, header_style="dim")
        table.add_column("final", no_wrap=True)
        for name in names:
            table.add_column(f"{name} \\[{units[name]}]", justify="right", no_wrap=True)
        for body in self.result.bodies[:_BODIES]:
            series = self.result[body.name]
            table.add_row(Text(body.name), *(f"{getattr(series, name)[-1]:.5g}" for name in names))
        if len(self.result.bodies) > _BODIES:
            table.add_row(f"… and {len(self.result.bodies) - _BODIES} more")
        return table


def fact_table() -> Table:
    """A name and what there is to say, a line each."""
    table = Table(box=None, show_header=False, pad_edge=False)
    table.add_column(style="dim", no_wrap=True, min_width=len("contacts"))
    table.add_column()
    return table


def contacts(result: Result) -> str:
    """How often bodies met, and the hardest of it."""
    impacts = result.impacts
    if not impacts:
        return "no bodies met"
    lasting = [impact for impact in impacts if impact.persistent]
    counts = f"{len(impacts) - len(lasting)} impacts, {len(lasting)} lasting contacts"
    rigid = result.settings.get("method") == "nonsmooth"  # an impact without duration has an impulse, no force
    pressing = lasting if rigid else list(impacts)
    if not pressing:
        return counts
    hardest = max(pressing, key=lambda impact: impact.peak_force)
    return f"{counts}; largest force {hardest.peak_force:.4g} N in {hardest.contact!r} at {hardest.t_start:.6g} s"


def duration(seconds: float) -> str:
    return f"{seconds:.3g} s" if seconds >= 1.0 else f"{1e3 * seconds:.3g} ms"


def plain(value: Any) -> Any:
    """``value`` with Python's own numbers, and None for what is not finite."""
    if isinstance(value, dict):
        return {str(key): plain(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [plain(item) for item in value]
    if value is None or isinstance(value, (bool, int, str)):
        return value
    number = float(value)
    return number if math.isfinite(number) else None
