"""``carom sensitivity``: which parameters matter."""

from __future__ import annotations

import csv
import json
import warnings
from collections.abc import Iterator
from pathlib import Path

from rich.console import Console
from rich.table import Table
from rich.text import Text

from carom.cli.ranges import ranges
from carom.cli.report import plain
from carom.cli.run import FAILED, OK, REFUSED, require_writable
from carom.cli.study import executor_of
from carom.cli.values import parse
from carom.errors import CaromWarning, ModelError
from carom.io.whole import whole
from carom.plot import save_figure
from carom.study.sensitivity import METHODS, Sensitivity, sensitivity


def sensitivity_of(
    name: str,
    vary: list[str],
    measure: str,
    method: str,
    samples: int | None,
    seed: int,
    settings: list[str],
    executor: str | None,
    out: Path,
    as_json: bool,
) -> int:
    """The command; returns its exit code."""
    errors, console = Console(stderr=True, highlight=False), Console(highlight=False)
    folder = out / Path(name).stem
    try:
        require_writable(folder)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", CaromWarning)  # failed runs are told below
            found = sensitivity(
                name, ranges("--vary", vary), measure, method=method, samples=samples, seed=seed,
                executor=executor_of(executor), progress=False if as_json else None, **parse(settings),
            )  # fmt: skip
    except (ModelError, ImportError, OSError) as error:
        errors.print(Text(f"error: {error}", style="red"))
        return REFUSED
    if not as_json:
        show(found, console)
    try:
        files = [str(path) for path in write(found, folder)]
    except OSError as error:
        errors.print(Text(f"error: {error}", style="red"))
        return FAILED
    if as_json:
        console.out(json.dumps(plain({**found.to_dict(), "files": files}), ensure_ascii=False, indent=2))
    else:
        for path in files:
            console.print(Text(f"wrote {path}"), soft_wrap=True)
    return FAILED if found.failures else OK


def show(found: Sensitivity, console: Console) -> None:
    console.print(Text(f"What {found.measure} of {found.name} depends on", style="bold"))
    table = Table(box=None, pad_edge=False, header_style="dim")
    table.add_column("parameter", no_wrap=True)
    for head in METHODS[found.method]:
        table.add_column(head, justify="right", no_wrap=True)
    for name in found.ranking:
        table.add_row(Text(name), *(f"{found[name][key]:.4g}" for key in METHODS[found.method]))
    console.print(table)
    console.print(f"{len(found.values)} runs", style="dim")
    if found.failures:
        number, words = next(iter(found.failures.items()))
        left = f"{len(found.failures)} runs failed and were left out; run {number}: {words}"
        console.print(Text(f"note: {left}", style="yellow"))


def write(found: Sensitivity, folder: Path) -> Iterator[Path]:
    """The table, all runs, and the figure; each file whole or not at all."""
    folder.mkdir(parents=True, exist_ok=True)
    runs = [[*point, value] for point, value in zip(found.points.tolist(), found.values.tolist(), strict=True)]
    table = list(zip(*found.table.values(), strict=True))
    for path, head, rows in (
        (folder / "sensitivity.csv", list(found.table), table),
        (folder / "runs.csv", [*found.parameters, found.measure], runs),
    ):
        with whole(path) as part, open(part, "w", newline="", encoding="utf-8") as file:
            writer = csv.writer(file, lineterminator="\n")
            writer.writerow(head)
            writer.writerows(rows)
        yield path
    yield save_figure(found.plot(), folder / "sensitivity.png")
