"""``carom compare``: a model with several laws, solvers or methods."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

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
    write_csv,
)  # fmt: skip
from carom.cli.key_values import LITERAL_NONE, parse_value, split
from carom.errors import ModelError
from carom.study.compare import Comparison, compare
from carom.study.sweep import TABLE
from carom.study.sweep_result import cell_text, short_text


def compare_case(name: str, pairs: list[str], series: list[str], plot: list[str], out: Path, as_json: bool) -> int:
    """Compare variants of a model, print and write the differences; return the exit code."""

    def command() -> int:
        folder = out / Path(name).stem / "comparison"
        require_writable(folder)
        comparison = compare(name, watch=series or None, **parse_pairs(pairs, parse_variants))
        files = [write_rows(comparison, folder / TABLE), folder / "comparison.png"]
        comparison.plot(*plot, path=files[1])
        print_comparison(comparison, files, as_json)
        # A requested variant that could not be run is a failure, too.
        finished = all(result.outcome.ok for result in comparison.results.values())
        return EXIT_OK if finished and not comparison.left_out else EXIT_FAILED

    return exit_code_of(command)


def parse_pairs(pairs: Iterable[str], parse: Callable[[str], Any]) -> dict[str, Any]:
    """Return ``["law=flores,hertz"]`` by key, with the text after "=" parsed by ``parse``."""
    values: dict[str, Any] = {}
    for key, text in split("a value", pairs):
        if not text:
            raise ModelError(f"expected {key}=VALUE, got nothing after =")
        value = parse(text)
        values[key] = LITERAL_NONE.get(key) if value is None else value
    return values


def parse_variants(text: str) -> Any:
    """Return several values "a,b" as a list of variants, a single one as it is."""
    value = parse_value(text)
    return list(value) if isinstance(value, tuple) else value


def write_rows(comparison: Comparison, path: Path) -> Path:
    """Write the table of a comparison as a CSV file."""
    rows = list(comparison.rows())
    path.parent.mkdir(parents=True, exist_ok=True)
    return write_csv(path, rows[0], ([cell_text(item) for item in row.values()] for row in rows))


def print_comparison(comparison: Comparison, files: list[Path], as_json: bool) -> None:
    """Print a comparison as a table or as JSON."""
    console = Console(highlight=False)
    rows = list(comparison.rows())
    if as_json:
        data = {"case": comparison.name, "reference": comparison.reference, "runs": rows}
        console.out(json_text({**data, "left_out": comparison.left_out, "files": list(map(str, files))}))
        return
    console.print(Text(f"Comparison of {comparison.name}", style="bold"))
    # One column per variant, because there are few variants and many quantities.
    table = Table(box=None, pad_edge=False, header_style="dim")
    table.add_column("")
    for row in rows:
        table.add_column(Text(row["variant"]), justify="right")
    for name in list(rows[0])[1:]:
        table.add_row(Text(name, style="dim"), *(Text(short_text(row[name])) for row in rows))
    console.print(table)
    for label, reason in comparison.left_out.items():
        console.print(Text(f"left out: {label}: {reason}", style="yellow"), soft_wrap=True)
    print_files(console, files)
