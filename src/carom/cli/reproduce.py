"""``carom reproduce``: the figures and tables of the papers in one page."""

from __future__ import annotations

import time as clock
from pathlib import Path

from rich.console import Console
from rich.text import Text

from carom.cli.run import FAILED, OK, REFUSED, require_writable
from carom.gallery.reproduce import Reproduced, reproduce, write_page


def reproduce_all(ids: list[str], out: Path, processes: int | None) -> int:
    """The command; returns its exit code."""
    errors, console = Console(stderr=True, highlight=False), Console(highlight=False)
    began = clock.perf_counter()
    wanted = [] if "all" in ids else ids
    try:
        require_writable(out)
        out.mkdir(parents=True, exist_ok=True)
        done: list[Reproduced] = []
        for item in reproduce(wanted, out, processes):
            done.append(item)
            if item.figures:
                tell(console, item)
        known = {name for item in done if item.figures for name in (item.case, *item.figures)}
        unknown = [one for one in wanted if one not in known]
        if unknown:
            hint = "leave it out, or say all, to get every one"
            named = ", ".join(map(repr, unknown))
            errors.print(Text(f"error: there is no figure or case {named}; {hint}", style="red"))
        if not known:
            return REFUSED
        path = write_page(done, out, clock.perf_counter() - began)
    except OSError as error:
        errors.print(Text(f"error: {error}", style="red"))
        return REFUSED
    console.print(Text(f"wrote {path}"), soft_wrap=True)
    if unknown:
        return REFUSED
    return OK if all(item.passed for item in done) else FAILED


def tell(console: Console, item: Reproduced) -> None:
    line = Text(f"{' '.join(item.figures):<24} ", style="bold")
    line.append("passed  " if item.passed else "FAILED  ", style="green" if item.passed else "red")
    line.append(f"{item.case}: {item.verdict}", style="not bold")
    console.print(line, soft_wrap=True)
