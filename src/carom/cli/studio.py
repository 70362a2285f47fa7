"""``carom studio``: the page to try models on."""

from __future__ import annotations

from rich.console import Console
from rich.text import Text

from carom.cli.browser import open_page
from carom.studio.server import Studio


def open_studio(port: int, opened: bool) -> int:
    """The command; returns its exit code."""
    try:
        studio = Studio(port)
    except (OSError, OverflowError) as error:
        reason = getattr(error, "strerror", None) or error
        message = f"error: port {port} is not available: {reason}; choose another with --port"
        Console(stderr=True, highlight=False).print(Text(message, style="red"))
        return 2
    Console(highlight=False).print(Text(f"carom studio: {studio.address} (Ctrl-C ends it)"), soft_wrap=True)
    if opened:
        open_page(studio.entry())
    try:
        studio.serve_forever()
    except KeyboardInterrupt:
        studio.runs.close()
    return 0
