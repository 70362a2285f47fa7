"""``carom reproduce``: figures and tables of the papers on one page."""

from __future__ import annotations

import time as clock
from pathlib import Path

from rich.console import Console
from rich.text import Text

from carom.cli.command_output import (
    EXIT_FAILED,
    EXIT_OK,
    EXIT_USAGE,
    print_error,
    print_files,
    require_writable,
)  # fmt: skip
from carom.gallery.reproduce import ReproducedCase, reproduce, write_page


def reproduce_all(ids: list[str], out: Path, processes: int | None) -> int:
    """Draw the figures ``ids``, or all, with their checks; return the exit code."""
    console = Console(highlight=False)
    start = clock.perf_counter()
    requested = [] if "all" in ids else ids
    try:
        require_writable(out)
        out.mkdir(parents=True, exist_ok=True)
        cases: list[ReproducedCase] = []
        for case in reproduce(requested, out, processes):
            cases.append(case)
            if case.figures:
                print_case(console, case)
        known = {name for case in cases if case.figures for name in (case.case, *case.figures)}
        unknown = [name for name in requested if name not in known]
        if unknown:
            print_error(f"unknown figure or case {', '.join(map(repr, unknown))}; use all to draw every figure")
        if not known:
            return EXIT_USAGE
        path = write_page(cases, out, clock.perf_counter() - start)
    except OSError as error:
        print_error(error)
        return EXIT_USAGE
    print_files(console, [path])
    if unknown:
        return EXIT_USAGE
    return EXIT_OK if all(case.passed for case in cases) else EXIT_FAILED


def print_case(console: Console, case: ReproducedCase) -> None:
    """Print the figures and the check of a case on one line."""
    line = Text(f"{' '.join(case.figures):<24} ", style="bold")
    line.append("passed  " if case.passed else "FAILED  ", style="green" if case.passed else "red")
    line.append(f"{case.case}: {case.verdict}", style="not bold")
    console.print(line, soft_wrap=True)
