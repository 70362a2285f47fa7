"""``carom sensitivity``: influence of parameters on a measure."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from rich.console import Console
from rich.table import Table
from rich.text import Text

from carom.cli.command_output import output_result, write_csv
from carom.cli.key_values import parse, parse_executor, parse_ranges
from carom.plot import save_figure
from carom.study.sensitivity import METHODS, Sensitivity, sensitivity


def sensitivity_case(
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
    """Analyse the sensitivity of a measure, print and write the indices; return the exit code."""

    def compute() -> Sensitivity:
        return sensitivity(
            name, parse_ranges("--vary", vary), measure, method=method, samples=samples, seed=seed,
            executor=parse_executor(executor), progress=False if as_json else None, **parse(settings),
        )  # fmt: skip

    return output_result(compute, show, write, lambda result: result.failures, out / Path(name).stem, as_json)


def show(result: Sensitivity, console: Console) -> None:
    """Print the sensitivity indices, the most influential parameter first."""
    console.print(Text(f"Sensitivity of {result.measure} of {result.name}", style="bold"))
    table = Table(box=None, pad_edge=False, header_style="dim")
    table.add_column("parameter", no_wrap=True)
    for heading in METHODS[result.method]:
        table.add_column(heading, justify="right", no_wrap=True)
    for name in result.ranking:
        table.add_row(Text(name), *(f"{result[name][key]:.4g}" for key in METHODS[result.method]))
    console.print(table)
    console.print(f"{len(result.values)} runs", style="dim")
    if result.failures:
        number, error = next(iter(result.failures.items()))
        message = f"{len(result.failures)} runs failed and were left out; run {number}: {error}"
        console.print(Text(f"note: {message}", style="yellow"))


def write(result: Sensitivity, folder: Path) -> Iterator[Path]:
    """Write the table, all runs and the figure, each file completely or not at all."""
    runs = [[*point, value] for point, value in zip(result.points.tolist(), result.values.tolist(), strict=True)]
    yield write_csv(folder / "sensitivity.csv", result.table, zip(*result.table.values(), strict=True))
    yield write_csv(folder / "runs.csv", [*result.parameters, result.measure], runs)
    yield save_figure(result.plot(), folder / "sensitivity.png")
