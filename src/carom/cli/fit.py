"""``carom fit``: parameters from measured data."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.table import Table
from rich.text import Text

from carom.cli.command_output import json_text, output_result, write_csv
from carom.cli.key_values import parse, parse_ranges, split
from carom.errors import ModelError
from carom.io.atomic_write import atomic_write
from carom.plot import save_figure
from carom.study.fitting.fit_result import FitResult
from carom.study.fitting.least_squares import fit


def fit_case(
    name: str,
    data: Path,
    parameters: list[str],
    settings: list[str],
    columns: list[str],
    sigma: list[str],
    loss: str,
    starts: int,
    contact: str | None,
    out: Path,
    as_json: bool,
) -> int:
    """Fit parameters to data, print and write the estimates; return the exit code."""

    def compute() -> FitResult:
        renamed = {key: value or None for key, value in split("--column", columns)}
        return fit(
            name, data, parse_ranges("--parameter", parameters), sigma=parse_sigma(sigma), loss=loss, columns=renamed,
            starts=starts, contact=contact, **parse(settings),
        )  # fmt: skip

    return output_result(compute, show, write, lambda result: result.warnings, out / Path(name).stem, as_json)


def parse_sigma(texts: list[str]) -> Any:
    """Return None, one noise level for all columns, or noise levels by column; one in % is relative."""
    if not texts:
        return None
    if len(texts) == 1 and "=" not in texts[0]:
        return noise_level(texts[0])
    return {name: noise_level(text) for name, text in split("--sigma", texts)}


def noise_level(text: str) -> float | str:
    """Return a number, or the text of a percentage."""
    try:
        return text if text.endswith("%") else float(text)
    except ValueError:
        raise ModelError(f"--sigma must be a number or a percentage such as 1%, got {text!r}") from None


def show(result: FitResult, console: Console) -> None:
    """Print the estimates with their confidence intervals."""
    console.print(Text(f"Fit of {result.subject} to {result.data.source}", style="bold"))
    for message in result.warnings:
        console.print(Text(f"note: {message}", style="yellow"))
    table = Table(box=None, pad_edge=False, header_style="dim")
    for heading in ("parameter", "value", "error", f"{100 * result.confidence:g} % from", "to"):
        table.add_column(heading, justify="left" if heading == "parameter" else "right", no_wrap=True)
    for e in result.estimates:
        table.add_row(Text(e.name), f"{e.value:.6g}", f"{e.error:.2g}", f"{e.low:.6g}", f"{e.high:.6g}")
    console.print(table)
    count = result.freedom + len(result.estimates)
    failed = f", {result.failed} failed" if result.failed else ""
    console.print(f"{count} values compared, {result.runs} runs{failed}", style="dim")


def write(result: FitResult, folder: Path) -> Iterator[Path]:
    """Write the table, all data as JSON, and the figure, each file completely or not at all."""
    yield write_csv(folder / "fit.csv", result.table, zip(*result.table.values(), strict=True))
    path = folder / "fit.json"
    with atomic_write(path) as part:
        Path(part).write_text(json_text(result.to_dict()), encoding="utf-8")
    yield path
    yield save_figure(result.plot(), folder / "fit.png")
