"""Viewer of a run in the browser, the renderer-independent scene it shows, and export for ParaView."""

from __future__ import annotations

from typing import Any

from carom.scene.scene import Scene
from carom.scene.scene_builder import describe
from carom.view.paraview import write_paraview

__all__ = ["Scene", "describe", "show", "write_paraview"]


def show(result: Any, **options: Any) -> Any:
    """Show ``result`` in the browser; see `carom.view.viewer.show`. Imported on first use to keep start-up fast.

    Examples
    --------
    >>> import carom as cm
    >>> result = cm.gallery.falling_ball().run()
    >>> viewer = cm.view.show(result, port=0, open_browser=False, frames=2)
    falling ball: http://127.0.0.1:...
    >>> viewer.stop()
    (viser) Server stopped
    """
    from carom.view.viewer import show

    return show(result, **options)
