"""``carom sensitivity``: which parameters matter."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from rich.console import Console
from rich.table import Table
from rich.text import Text

from carom.cli.answer import answer, write_csv
from carom.cli.ranges import ranges
from carom.cli.study import executor_of
from carom.cli.values import parse
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

    def find() -> Sensitivity:
        return sensitivity(
            name, ranges("--vary", vary), measure, method=method, samples=samples, seed=seed,
            executor=executor_of(executor), progress=False if as_json else None, **parse(settings),
        )  # fmt: skip

    return answer(find, show, write, lambda found: found.failures, out / Path(name).stem, as_json)


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
    runs = [[*point, value] for point, value in zip(found.points.tolist(), found.values.tolist(), strict=True)]
    yield write_csv(folder / "sensitivity.csv", found.table, zip(*found.table.values(), strict=True))
    yield write_csv(folder / "runs.csv", [*found.parameters, found.measure], runs)
    yield save_figure(found.plot(), folder / "sensitivity.png")
