"""Drawing of a spatial system as rendered pictures in Matplotlib axes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from matplotlib.axes import Axes

from carom.errors import ModelError
from carom.model.system import System
from carom.plot.scene_renderer import SceneRenderer
from carom.plot.style import FAINT
from carom.result.name_lookup import name_of
from carom.result.result import Result
from carom.scene.fitted_camera import FittedCamera
from carom.scene.labels import length_label
from carom.scene.scene import Scene
from carom.scene.scene_builder import build_scene
from carom.solve.drawing_builder import drawing_data

WIDTH = 1200
"""Width of a picture [pixels]."""
GHOSTS, MAX_BODIES_WITH_GHOSTS = 3, 12
"""Default number of faint poses, and number of bodies beyond which there are none."""
MAX_LISTED = 10
"""Largest number of bodies that an error lists."""
MIN_ASPECT, MAX_ASPECT = 0.8, 2.2
"""Limits of width per height of a picture [-]."""


class RenderedDrawing:
    """Spatial system with its run, ready to be drawn.

    ``trace`` lists bodies or markers whose paths are drawn. ``focus`` lists the bodies that the camera is fitted to at
    the times that are drawn; by default it is fitted to the whole motion, and the same in all pictures. ``times`` [s]
    are those that will be drawn: others take longer.
    """

    projection = "rectilinear"

    def __init__(
        self,
        system: System,
        result: Result,
        trace: Sequence[Any] = (),
        focus: Sequence[Any] = (),
        times: Sequence[float] = (),
    ):
        self.system, self.result, self.trace = system, result, trace
        self.focus = [name_of(body) for body in focus]
        bodies = [body.name for body in result.bodies]
        for name in self.focus:
            if name not in bodies:
                raise ModelError(f"plot: focus names no body {name!r}; choose from {', '.join(bodies[:MAX_LISTED])}")
        self._scene = self._scene_at(np.clip(times, result.t[0], result.t[-1]))
        shape = FittedCamera(self._scene, 1.0, None, self.focus).shape()
        self.aspect = float(np.clip(1.15 * shape, MIN_ASPECT, MAX_ASPECT))

    def _scene_at(self, times: np.ndarray) -> Scene:
        return build_scene(self.result, drawing_data(self.system), trace=self.trace, times=times.tolist())

    def draw(
        self,
        axes: Axes,
        pose: float = 0.0,
        ghosts: Sequence[float] | None = None,
        segments: Sequence[np.ndarray] = (),
    ) -> None:
        """Draw the system at the time ``pose`` [s], faint at the times ``ghosts`` [s], with the paths of ``trace``.

        By default there are three faint poses of a few bodies. ``segments`` are red lines between points (2, 3) [m].
        """
        first, last = float(self.result.t[0]), float(self.result.t[-1])
        if ghosts is None:
            few = len(self.result.bodies) <= MAX_BODIES_WITH_GHOSTS and last > first
            ghosts = np.linspace(first, last, GHOSTS + 1)[1:].tolist() if few else ()
        times = np.clip([pose, *ghosts], first, last)
        if not np.isin(times, self._scene.t).all():
            self._scene = self._scene_at(times)
        scene = self._scene
        frames = np.searchsorted(scene.t, times)
        renderer = SceneRenderer(
            scene, WIDTH, round(WIDTH / self.aspect), ghosts=frames[1:], frames=frames if self.focus else None,
            focus=self.focus, segments=segments,
        )  # fmt: skip
        picture = renderer.picture(int(frames[0]))
        renderer.close()
        axes.imshow(picture, interpolation="antialiased")
        axes.set_axis_off()
        if renderer.floor is not None:
            text = f"grid {length_label(renderer.floor.spacing)}"
            axes.text(1.0, 0.0, text, transform=axes.transAxes, ha="right", va="bottom", fontsize=6.5, color=FAINT)
