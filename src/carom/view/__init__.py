"""A run to look at: a scene that knows no renderer, and a viewer in the browser."""

from __future__ import annotations

from typing import Any

from carom.view.describe import describe
from carom.view.scene import Scene

__all__ = ["Scene", "describe", "show"]


def show(result: Any, **options: Any) -> Any:
    """Show ``result`` in the browser; see `carom.view.server.show`."""
    from carom.view.server import show

    return show(result, **options)
