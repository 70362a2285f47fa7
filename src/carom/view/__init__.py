"""Viewer of a run in the browser, the renderer-independent scene it shows, and exports for ParaView and as glTF."""

from __future__ import annotations

from typing import Any

from carom.scene.scene import Scene
from carom.scene.scene_builder import describe
from carom.view.gltf_export import write_gltf
from carom.view.vtk_export import write_vtk

__all__ = ["Scene", "describe", "show", "write_gltf", "write_vtk"]


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
