"""``carom validate``: problems whose answers are known."""

from __future__ import annotations

import difflib
import json
import sys
from pathlib import Path

from rich.console import Console
from rich.table import Table
from rich.text import Text

from carom.cli.run import FAILED, OK, REFUSED, require_writable
from carom.gallery.validation import VALIDATIONS
from carom.gallery.validation.page import FORMATS, verdict, write_validation
from carom.gallery.validation.run import Validated, validate

WIDE = 200


def validate_all(names: list[str], as_json: bool, out: Path | None, processes: int | None) -> int:
    """The command; returns its exit code."""
    errors, console = Console(stderr=True, highlight=False), Console(highlight=False)
    if not console.is_terminal:
        console.width = WIDE
    trouble = refused(names, out)
    if trouble:
        errors.print(Text(f"error: {trouble}", style="red"))
        return REFUSED
    done: list[Validated] = []
    for one in validate(list(dict.fromkeys(names)), processes):
        done.append(one)
        if not as_json:
            show(console, one)
            sys.stdout.flush()
    if as_json:
        data = {"passed": all(one.passed for one in done), "problems": [one.data() for one in done]}
        sys.stdout.write(json.dumps(data, ensure_ascii=False, indent=2) + "\n")
    else:
        console.print(Text(verdict(done), style="bold"))
    if out is not None:
        try:
            out.parent.mkdir(parents=True, exist_ok=True)
            write_validation(done, out)
        except OSError as error:
            errors.print(Text(f"error: {error}", style="red"))
            return FAILED
        if not as_json:
            console.print(Text(f"wrote {out}"), soft_wrap=True)
    return OK if all(one.passed for one in done) else FAILED


def refused(names: list[str], out: Path | None) -> str:
    """What is wrong with the words of the command, before the work is done; nothing if all is well."""
    for name in names:
        if name not in VALIDATIONS:
            close = difflib.get_close_matches(name, VALIDATIONS, n=3)
            meant = f"did you mean {' or '.join(close)}?" if close else f"there are {', '.join(VALIDATIONS)}"
            return f"there is no problem {name!r}; {meant}"
    if out is not None:
        if out.suffix not in FORMATS:
            return f"--out must end in {' or '.join(FORMATS)}, got {str(out)!r}"
        try:
            require_writable(out.parent)
        except OSError as error:
            return str(error)
    return ""


def show(console: Console, one: Validated) -> None:
    """A problem: what was compared, with what, and how far off it was."""
    console.print(Text.assemble((one.name, "bold"), f"  {one.title}; {one.against}: {one.reference}"))
    table = Table(box=None, pad_edge=False, show_header=False, padding=(0, 2, 0, 0))
    table.add_column(no_wrap=True)
    table.add_column(min_width=62)
    table.add_column("off by", justify="right", no_wrap=True)
    table.add_column("bound", justify="right", no_wrap=True)
    for finding in one.findings:
        word = Text("  passed", style="green") if finding.passed else Text("  FAILED", style="red")
        table.add_row(word, Text(finding.what), f"off by {finding.error:.2g}", f"bound {finding.bound:.2g}")
    if one.findings:
        console.print(table)
    if one.failure is not None:
        console.print(Text(f"  FAILED  {one.failure}", style="red"))
    console.print()
