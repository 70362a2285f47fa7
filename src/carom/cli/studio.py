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
    except OSError as error:
        message = f"error: port {port} cannot be had: {error.strerror}; take another with --port"
        Console(stderr=True, highlight=False).print(Text(message, style="red"))
        return 2
    Console(highlight=False).print(Text(f"carom studio: {studio.address} (Ctrl-C ends it)"), soft_wrap=True)
    if opened:
        open_page(studio.address)
    try:
        studio.serve_forever()
    except KeyboardInterrupt:
        studio.runs.close()
    return 0
