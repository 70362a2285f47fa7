"""``carom view``: a result file in the browser."""

from __future__ import annotations

from pathlib import Path

from rich.console import Console

from carom.cli.command_output import EXIT_OK, EXIT_USAGE, print_error
from carom.errors import ModelError
from carom.io.result_file import load
from carom.io.result_file_checks import ResultFileError


def view_file(file: Path, port: int, open_browser: bool, frames: int | None) -> int:
    """Serve a result file in the browser until Ctrl-C; return the exit code."""
    try:
        result = load(file)
        viewer = result.view(port=port, open_browser=open_browser, frames=frames)
    except (ModelError, ResultFileError, OSError) as error:
        print_error(error)
        return EXIT_USAGE
    Console(highlight=False).print("Press Ctrl-C to stop the viewer.")
    try:
        viewer.wait()
    except KeyboardInterrupt:
        viewer.stop()
    return EXIT_OK
