"""``carom validate``: problems with known solutions."""

from __future__ import annotations

import json
import sys
from pathlib import Path

from rich.console import Console
from rich.table import Table
from rich.text import Text

from carom.argument_checks import similar_names
from carom.cli.command_output import (
    EXIT_FAILED,
    EXIT_OK,
    EXIT_USAGE,
    print_error,
    print_files,
    require_writable,
    table_console,
)  # fmt: skip
from carom.gallery.validation import VALIDATIONS
from carom.gallery.validation.report_page import FORMATS, verdict, write_validation
from carom.gallery.validation.runner import ValidationResult, validate


def validate_all(names: list[str], as_json: bool, out: Path | None, processes: int | None) -> int:
    """Compute the problems ``names``, or all, and compare them with their solutions; return the exit code."""
    console = table_console()
    error = input_error(names, out)
    if error:
        print_error(error)
        return EXIT_USAGE
    results: list[ValidationResult] = []
    for result in validate(list(dict.fromkeys(names)), processes):
        results.append(result)
        if not as_json:
            show(console, result)
            sys.stdout.flush()
    passed = all(result.passed for result in results)
    if as_json:
        data = {"passed": passed, "problems": [result.data() for result in results]}
        sys.stdout.write(json.dumps(data, ensure_ascii=False, indent=2) + "\n")
    else:
        console.print(Text(verdict(results), style="bold"))
    if out is not None:
        try:
            out.parent.mkdir(parents=True, exist_ok=True)
            write_validation(results, out)
        except OSError as write_error:
            print_error(write_error)
            return EXIT_FAILED
        if not as_json:
            print_files(console, [out])
    return EXIT_OK if passed else EXIT_FAILED


def input_error(names: list[str], out: Path | None) -> str:
    """Return the error in the arguments of the command, before any work is done; empty if there is none."""
    for name in names:
        if name not in VALIDATIONS:
            close = similar_names(name, VALIDATIONS)
            hint = f"did you mean {' or '.join(close)}?" if close else f"choose from {', '.join(VALIDATIONS)}"
            return f"unknown problem {name!r}; {hint}"
    if out is not None:
        if out.suffix not in FORMATS:
            return f"--out must end in {' or '.join(FORMATS)}, got {str(out)!r}"
        try:
            require_writable(out.parent)
        except OSError as error:
            return str(error)
    return ""


def show(console: Console, result: ValidationResult) -> None:
    """Print the comparisons of a problem: quantity, error and bound."""
    heading = f"  {result.title}; {result.basis}: {result.reference}"
    console.print(Text.assemble((result.name, "bold"), heading))
    table = Table(box=None, pad_edge=False, show_header=False, padding=(0, 2, 0, 0))
    table.add_column(no_wrap=True)
    table.add_column(min_width=62)
    table.add_column("off by", justify="right", no_wrap=True)
    table.add_column("bound", justify="right", no_wrap=True)
    for check in result.check_results:
        status = Text("  passed", style="green") if check.passed else Text("  FAILED", style="red")
        table.add_row(status, Text(check.quantity), f"off by {check.error:.2g}", f"bound {check.bound:.2g}")
    if result.check_results:
        console.print(table)
    if result.failure is not None:
        console.print(Text(f"  FAILED  {result.failure}", style="red"))
    console.print()
