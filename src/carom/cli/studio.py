"""``carom studio``: a page in the browser to choose, change, run and compare models."""

from __future__ import annotations

from rich.console import Console
from rich.text import Text

from carom.cli.browser import open_page
from carom.cli.command_output import EXIT_OK, EXIT_USAGE, print_error
from carom.studio.server import Studio


def open_studio(port: int, open_browser: bool) -> int:
    """Serve the studio until Ctrl-C; return the exit code."""
    try:
        studio = Studio(port)
    except (OSError, OverflowError) as error:
        reason = getattr(error, "strerror", None) or error
        print_error(f"port {port} is not available: {reason}; choose another with --port")
        return EXIT_USAGE
    message = f"carom studio: {studio.address} (press Ctrl-C to stop)"
    Console(highlight=False).print(Text(message), soft_wrap=True)
    if open_browser:
        open_page(studio.entry())
    try:
        studio.serve_forever()
    except KeyboardInterrupt:
        studio.runs.close()
    return EXIT_OK
