"""Opening pages for people who have a screen."""

from __future__ import annotations

import os
import sys
import webbrowser


def open_page(address: str) -> bool:
    """Open ``address`` in the browser; False where there is no screen for one, or none can be started."""
    screen = sys.platform in ("win32", "darwin") or os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY")
    return bool(screen) and webbrowser.open(address)
