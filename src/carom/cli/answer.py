"""How commands that find something end: what is shown, the files written, and the exit code."""

from __future__ import annotations

import csv
import json
import warnings
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.text import Text

from carom.cli.report import plain
from carom.cli.run import FAILED, OK, REFUSED, require_writable
from carom.errors import CaromWarning, ModelError
from carom.io.atomic_write import atomic_write


def answer(
    find: Callable[[], Any],
    show: Callable[[Any, Console], None],
    write: Callable[[Any, Path], Iterator[Path]],
    doubtful: Callable[[Any], Any],
    folder: Path,
    as_json: bool,
) -> int:
    """Find something, show it, write it into ``folder``; exit code 1 where it is ``doubtful``, 2 if it cannot be."""
    errors, console = Console(stderr=True, highlight=False), Console(highlight=False)
    try:
        require_writable(folder)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", CaromWarning)  # what was found tells them
            found = find()
    except (ModelError, ImportError, OSError) as error:
        errors.print(Text(f"error: {error}", style="red"))
        return REFUSED
    if not as_json:
        show(found, console)
    try:
        folder.mkdir(parents=True, exist_ok=True)
        files = [str(path) for path in write(found, folder)]
    except OSError as error:
        errors.print(Text(f"error: {error}", style="red"))
        return FAILED
    if as_json:
        console.out(json_text({**found.to_dict(), "files": files}))
    else:
        for path in files:
            console.print(Text(f"wrote {path}"), soft_wrap=True)
    return FAILED if doubtful(found) else OK


def json_text(data: Any) -> str:
    return json.dumps(plain(data), ensure_ascii=False, allow_nan=False, indent=2)


def write_csv(path: Path, head: Iterable[str], rows: Iterable[Iterable[Any]]) -> Path:
    """A table, whole or not at all."""
    with atomic_write(path) as part, open(part, "w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(head)
        writer.writerows(rows)
    return path
