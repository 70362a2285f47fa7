"""``carom compare`` and ``carom sweep``: a model in several variants, or with many values."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import numpy as np
from rich.console import Console
from rich.table import Table
from rich.text import Text

from carom.cli.answer import json_text
from carom.cli.run import FAILED, OK, REFUSED, require_writable
from carom.cli.values import WORDY, split, value
from carom.errors import ModelError
from carom.io.atomic_write import atomic_write
from carom.study.compare import Comparison, compare
from carom.study.design import MOST, Log, Uniform
from carom.study.sweep import JOURNAL, TABLE, sweep
from carom.study.table import Sweep, cell, numeric, short

ROWS = 20
"""Of a sweep that are shown."""


def compare_case(name: str, pairs: list[str], watch: list[str], plot: list[str], out: Path, as_json: bool) -> int:
    """``carom compare``; returns its exit code."""

    def work() -> int:
        folder = out / Path(name).stem / "comparison"
        require_writable(folder)
        found = compare(name, watch=watch or None, **pairs_of(pairs, varied))
        files = [write_rows(found, folder / TABLE), folder / "comparison.png"]
        found.plot(*plot, path=files[1])
        tell_comparison(found, files, as_json)
        # A variant that could not be run is a failure, too: it was asked for.
        return OK if not found.left_out and all(result.outcome.ok for result in found.results.values()) else FAILED

    return refusing(work)


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
    """``carom sweep``; returns its exit code."""

    def work() -> int:
        folder = Path("out") / Path(name).stem / "sweep" if out is None else out
        require_writable(folder)
        table = sweep(
            name, pairs_of(vary, several), measure or None, out=folder, executor=executor_of(executor),
            progress=False if as_json else None, **design, **pairs_of(settings, value),
        )  # fmt: skip
        files = [folder / JOURNAL, *([folder / TABLE] if table.complete else [])]
        drawn = [one for one in table.measures if numeric(table.column(one))]
        if drawn:
            files.append(folder / "sweep.png")
            table.plot(*drawn, path=files[-1])
        tell_sweep(table, files, as_json)
        return OK if table.complete and not table.failures else FAILED

    return refusing(work)


def refusing(work: Callable[[], int]) -> int:
    """The exit code of ``work``; what cannot be done is said."""
    try:
        return work()
    except (ModelError, OSError, ImportError) as error:
        Console(stderr=True, highlight=False).print(Text(f"error: {error}", style="red"))
        return REFUSED


def pairs_of(pairs: Iterable[str], read: Callable[[str], Any]) -> dict[str, Any]:
    """``["law=flores,hertz"]`` by name; the text after = is ``read``."""
    found: dict[str, Any] = {}
    for key, text in split("a value", pairs):
        if not text:
            raise ModelError(f"expected {key}=VALUE, got nothing after =")
        found[key] = read(text)
        found[key] = WORDY.get((key, None), found[key]) if found[key] is None else found[key]
    return found


def varied(text: str) -> Any:
    """Several values, "a,b", are a list to vary; one is itself."""
    found = value(text)
    return list(found) if isinstance(found, tuple) else found


def several(text: str) -> Any:
    """Values "a,b,c", so many from one to another "low:high:count[:log]", or a range "low:high[:log]"."""
    parts = text.split(":")
    if len(parts) == 1:
        found = varied(text)
        return found if isinstance(found, list) else [found]
    log = parts[-1].strip() == "log"
    try:
        low, high, *count = (float(part) for part in (parts[:-1] if log else parts))
        (number,) = count or (None,)
    except ValueError:
        raise ModelError(
            f"a range is LOW:HIGH:COUNT or LOW:HIGH, with :log for orders of magnitude, got {text!r}"
        ) from None
    spread = Log(low, high) if log else Uniform(low, high)
    if number is None:
        return spread
    if number % 1.0 != 0.0 or not 1 <= number <= MOST:
        raise ModelError(f"{text!r}: the count must be a whole number from 1 to {MOST}, got {number:g}")
    return spread.even(int(number)) if number > 1 else np.array([low])


def executor_of(text: str | None) -> Any:
    return int(text) if text is not None and text.isdigit() else text


def write_rows(found: Comparison, path: Path) -> Path:
    """The table of a comparison as a file."""
    import csv

    rows = list(found.rows())
    path.parent.mkdir(parents=True, exist_ok=True)
    with atomic_write(path) as part, part.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(rows[0])
        writer.writerows([cell(item) for item in row.values()] for row in rows)
    return path


def tell_comparison(found: Comparison, files: list[Path], as_json: bool) -> None:
    console = Console(highlight=False)
    rows = list(found.rows())
    if as_json:
        data = {"case": found.name, "reference": found.reference, "runs": rows, "left_out": found.left_out}
        console.out(json_text({**data, "files": list(map(str, files))}))
        return
    console.print(Text(f"Comparison of {found.name}", style="bold"))
    # Variants across: there are few of them, and many facts.
    table = Table(box=None, pad_edge=False, header_style="dim")
    table.add_column("")
    for row in rows:
        table.add_column(Text(row["variant"]), justify="right")
    for name in list(rows[0])[1:]:
        table.add_row(Text(name, style="dim"), *(Text(short(row[name])) for row in rows))
    console.print(table)
    for label, why in found.left_out.items():
        console.print(Text(f"left out: {label}: {why}", style="yellow"), soft_wrap=True)
    wrote(console, files)


def tell_sweep(found: Sweep, files: list[Path], as_json: bool) -> None:
    console = Console(highlight=False)
    rows = list(found.rows())
    if as_json:
        data = {"case": found.name, "complete": found.complete, "failed": len(found.failures), "runs": rows}
        console.out(json_text({**data, "files": list(map(str, files))}))
        return
    console.print(Text(f"Sweep of {found.name}, {len(found)} runs", style="bold"))
    table = Table(box=None, pad_edge=False, header_style="dim")
    names = [name for name in rows[0] if name != "error"]
    for name in names:
        table.add_column(Text(name), justify="right")
    for row in rows[:ROWS]:
        table.add_row(*(Text(short(row[name])) for name in names))
    console.print(table)
    if len(rows) > ROWS:
        console.print(f"… and {len(rows) - ROWS} more")
    for number, error in list(found.failures.items())[:ROWS]:
        console.print(Text(f"run {number} failed: {error}", style="red"), soft_wrap=True)
    wrote(console, files)


def wrote(console: Console, files: Iterable[Path]) -> None:
    for path in files:
        console.print(Text(f"wrote {path}"), soft_wrap=True)
