"""Viewers of runs and of running simulations, the scene they show, and exports for ParaView and as glTF."""

from __future__ import annotations

from typing import Any

from carom.scene.scene import Scene
from carom.scene.scene_builder import describe
from carom.view.gltf_export import write_gltf
from carom.view.vtk_export import write_vtk

__all__ = ["Scene", "describe", "live", "show", "write_gltf", "write_vtk"]


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


def live(sim: Any, **options: Any) -> Any:
    """Show a running simulation in the browser; see `carom.view.live_viewer.live`. Imported on first use, as `show`.

    Examples
    --------
    >>> sim = cm.Simulation(cm.gallery.pendulum().system)
    >>> viewer = cm.view.live(sim, port=0, open_browser=False, speed=0.5)
    pendulum: http://127.0.0.1:...
    >>> viewer.step()
    >>> round(sim.time, 6)
    0.016667
    >>> viewer.stop()
    (viser) Server stopped
    """
    from carom.view.live_viewer import live

    return live(sim, **options)
