"""Output of commands: messages on the terminal, files, JSON and exit codes."""

from __future__ import annotations

import csv
import json
import math
import os
import warnings
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.text import Text

from carom.errors import CaromWarning, ModelError
from carom.io.atomic_write import atomic_write

EXIT_OK, EXIT_FAILED, EXIT_USAGE = 0, 1, 2
"""Exit codes: success; a run, a check or the writing of a file failed; invalid input."""

PIPE_WIDTH = 200
"""Characters per line of tables that are not printed on a terminal."""


def output_result(
    compute: Callable[[], Any],
    show: Callable[[Any, Console], None],
    write: Callable[[Any, Path], Iterator[Path]],
    has_failed: Callable[[Any], Any],
    folder: Path,
    as_json: bool,
) -> int:
    """Compute, print and write a result; return exit code 0, 1 (``has_failed(result)``) or 2 (invalid input)."""
    console = Console(highlight=False)
    try:
        require_writable(folder)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", CaromWarning)  # The result contains them, and ``show`` prints them.
            result = compute()
    except (ModelError, ImportError, OSError) as error:
        print_error(error)
        return EXIT_USAGE
    if not as_json:
        show(result, console)
    try:
        folder.mkdir(parents=True, exist_ok=True)
        files = [str(path) for path in write(result, folder)]
    except OSError as error:
        print_error(error)
        return EXIT_FAILED
    if as_json:
        console.out(json_text({**result.to_dict(), "files": files}))
    else:
        print_files(console, files)
    return EXIT_FAILED if has_failed(result) else EXIT_OK


def exit_code_of(command: Callable[[], int]) -> int:
    """Return the exit code of ``command``; print the error if its input is invalid."""
    try:
        return command()
    except (ModelError, OSError, ImportError) as error:
        print_error(error)
        return EXIT_USAGE


def print_error(error: object) -> None:
    """Print an error message to standard error."""
    Console(stderr=True, highlight=False).print(Text(f"error: {error}", style="red"), soft_wrap=True)


def print_files(console: Console, files: Iterable[str | Path]) -> None:
    """Print the names of files that were written, one per line."""
    for path in files:
        console.print(Text(f"wrote {path}"), soft_wrap=True)


def table_console() -> Console:
    """Return a console for tables; rows are not wrapped in a pipe, so that another program reads one row per line."""
    console = Console(highlight=False)
    if not console.is_terminal:
        console.width = PIPE_WIDTH
    return console


def require_writable(folder: Path) -> None:
    """Raise if ``folder`` cannot be written, before any work is done; nothing is created yet."""
    existing = next(path for path in (folder, *folder.absolute().parents) if path.exists())
    if not existing.is_dir():
        raise NotADirectoryError(f"cannot write to {folder}: {existing} is a file")
    if not os.access(existing, os.W_OK):
        raise PermissionError(f"cannot write to {folder}: no write permission for {existing}")


def json_text(data: Any) -> str:
    """Return ``data`` as indented JSON; numbers that are not finite become null."""
    return json.dumps(json_data(data), ensure_ascii=False, allow_nan=False, indent=2)


def json_data(value: Any) -> Any:
    """Return ``value`` with Python's built-in types only; numbers that are not finite become None."""
    if isinstance(value, dict):
        return {str(key): json_data(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [json_data(item) for item in value]
    if value is None or isinstance(value, (bool, int, str)):
        return value
    number = float(value)
    return number if math.isfinite(number) else None


def write_csv(path: Path, headings: Iterable[str], rows: Iterable[Iterable[Any]]) -> Path:
    """Write a table as a CSV file, completely or not at all."""
    with atomic_write(path) as part, open(part, "w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(headings)
        writer.writerows(rows)
    return path
