"""Pages in the web browser."""

from __future__ import annotations

import os
import sys
import webbrowser


def open_page(address: str) -> bool:
    """Open ``address`` in the browser; return False without a screen, or if no browser can be started."""
    screen = sys.platform in ("win32", "darwin") or os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY")
    return bool(screen) and webbrowser.open(address)
