"""``carom view``: a result file in the browser."""

from __future__ import annotations

from pathlib import Path

from rich.console import Console
from rich.text import Text

from carom.errors import ModelError
from carom.io.result_file import ResultFileError, load


def view_file(file: Path, port: int, opened: bool, frames: int | None) -> int:
    """The command; returns its exit code."""
    errors, console = Console(stderr=True, highlight=False), Console(highlight=False)
    try:
        result = load(file)
        viewer = result.view(port=port, open_browser=opened, frames=frames)
    except (ModelError, ResultFileError, OSError) as error:
        errors.print(Text(f"error: {error}", style="red"))
        return 2
    console.print("Ctrl-C ends it.")
    try:
        viewer.wait()
    except KeyboardInterrupt:
        viewer.stop()
    return 0
