"""``carom sweep``: a model with many parameter values."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
from rich.console import Console
from rich.table import Table
from rich.text import Text

from carom.cli.command_output import (
    EXIT_FAILED,
    EXIT_OK,
    exit_code_of,
    json_text,
    print_files,
    require_writable,
)  # fmt: skip
from carom.cli.compare import parse_pairs, parse_variants
from carom.cli.key_values import parse_executor, parse_value
from carom.errors import ModelError
from carom.study.sampling_design import MAX_POINTS, LogUniform, Uniform
from carom.study.sweep import JOURNAL, TABLE, sweep
from carom.study.sweep_result import SweepResult, is_numeric, short_text

MAX_ROWS = 20
"""Largest number of runs in the printed table."""


def sweep_case(
    name: str,
    vary: list[str],
    settings: list[str],
    measure: list[str],
    out: Path | None,
    as_json: bool,
    executor: str | None,
    **design: Any,
) -> int:
    """Run a sweep, print and write its table and figure; return the exit code."""

    def command() -> int:
        folder = Path("out") / Path(name).stem / "sweep" if out is None else out
        require_writable(folder)
        table = sweep(
            name, parse_pairs(vary, parse_samples), measure or None, out=folder, executor=parse_executor(executor),
            progress=False if as_json else None, **design, **parse_pairs(settings, parse_value),
        )  # fmt: skip
        files = [folder / JOURNAL, *([folder / TABLE] if table.complete else [])]
        plotted = [measure for measure in table.measures if is_numeric(table.column(measure))]
        if plotted:
            files.append(folder / "sweep.png")
            table.plot(*plotted, path=files[-1])
        print_sweep(table, files, as_json)
        return EXIT_OK if table.complete and not table.failures else EXIT_FAILED

    return exit_code_of(command)


def parse_samples(text: str) -> Any:
    """Parse values "a,b,c", equally spaced values "low:high:count[:log]", or a range "low:high[:log]"."""
    parts = text.split(":")
    if len(parts) == 1:
        values = parse_variants(text)
        return values if isinstance(values, list) else [values]
    log = parts[-1].strip() == "log"
    try:
        low, high, *rest = (float(part) for part in (parts[:-1] if log else parts))
        (count,) = rest or (None,)
    except ValueError:
        raise ModelError(
            f"a range must be LOW:HIGH:COUNT or LOW:HIGH, with :log for logarithmic spacing, got {text!r}"
        ) from None
    distribution = LogUniform(low, high) if log else Uniform(low, high)
    if count is None:
        return distribution
    if count % 1.0 != 0.0 or not 1 <= count <= MAX_POINTS:
        raise ModelError(f"{text!r}: the count must be an integer from 1 to {MAX_POINTS}, got {count:g}")
    return distribution.grid(int(count)) if count > 1 else np.array([low])


def print_sweep(table: SweepResult, files: list[Path], as_json: bool) -> None:
    """Print the runs of a sweep as a table or as JSON."""
    console = Console(highlight=False)
    rows = list(table.rows())
    if as_json:
        data = {"case": table.name, "complete": table.complete, "failed": len(table.failures), "runs": rows}
        console.out(json_text({**data, "files": list(map(str, files))}))
        return
    console.print(Text(f"Sweep of {table.name}, {len(table)} runs", style="bold"))
    printed = Table(box=None, pad_edge=False, header_style="dim")
    names = [name for name in rows[0] if name != "error"]
    for name in names:
        printed.add_column(Text(name), justify="right")
    for row in rows[:MAX_ROWS]:
        printed.add_row(*(Text(short_text(row[name])) for name in names))
    console.print(printed)
    if len(rows) > MAX_ROWS:
        console.print(f"… and {len(rows) - MAX_ROWS} more")
    for number, error in list(table.failures.items())[:MAX_ROWS]:
        console.print(Text(f"run {number} failed: {error}", style="red"), soft_wrap=True)
    print_files(console, files)
