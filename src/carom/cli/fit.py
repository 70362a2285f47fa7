"""``carom fit``: parameters from a file of measurements."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.table import Table
from rich.text import Text

from carom.cli.answer import answer, json_text, write_csv
from carom.cli.ranges import ranges
from carom.cli.values import parse, split
from carom.errors import ModelError
from carom.io.atomic_write import atomic_write
from carom.plot import save_figure
from carom.study.fit import fit
from carom.study.fitted import Fit


def fit_case(
    name: str,
    data: Path,
    parameters: list[str],
    settings: list[str],
    columns: list[str],
    sigma: list[str],
    loss: str,
    starts: int,
    contact: str | None,
    out: Path,
    as_json: bool,
) -> int:
    """The command; returns its exit code."""

    def find() -> Fit:
        renamed = {key: value or None for key, value in split("--column", columns)}
        return fit(
            name, data, ranges("--parameter", parameters), sigma=noise(sigma), loss=loss, columns=renamed,
            starts=starts, contact=contact, **parse(settings),
        )  # fmt: skip

    return answer(find, show, write, lambda found: found.warnings, out / Path(name).stem, as_json)


def noise(texts: list[str]) -> Any:
    """None, one size for all columns, or sizes by column; a share where it ends with %."""
    if not texts:
        return None
    if len(texts) == 1 and "=" not in texts[0]:
        return size(texts[0])
    return {name: size(text) for name, text in split("--sigma", texts)}


def size(text: str) -> float | str:
    try:
        return text if text.endswith("%") else float(text)
    except ValueError:
        raise ModelError(f"--sigma needs a number or a share such as 1%, got {text!r}") from None


def show(found: Fit, console: Console) -> None:
    console.print(Text(f"Fit of {found.subject} to {found.data.source}", style="bold"))
    for words in found.warnings:
        console.print(Text(f"note: {words}", style="yellow"))
    table = Table(box=None, pad_edge=False, header_style="dim")
    for head in ("parameter", "value", "error", f"{100 * found.confidence:g} % from", "to"):
        table.add_column(head, justify="left" if head == "parameter" else "right", no_wrap=True)
    for e in found.estimates:
        table.add_row(Text(e.name), f"{e.value:.6g}", f"{e.error:.2g}", f"{e.low:.6g}", f"{e.high:.6g}")
    console.print(table)
    count = found.freedom + len(found.estimates)
    failed = f", {found.failed} failed" if found.failed else ""
    console.print(f"{count} numbers compared, {found.runs} runs{failed}", style="dim")


def write(found: Fit, folder: Path) -> Iterator[Path]:
    """Table, everything as JSON, and the figure; each file whole or not at all."""
    yield write_csv(folder / "fit.csv", found.table, zip(*found.table.values(), strict=True))
    path = folder / "fit.json"
    with atomic_write(path) as part:
        Path(part).write_text(json_text(found.to_dict()), encoding="utf-8")
    yield path
    yield save_figure(found.plot(), folder / "fit.png")
