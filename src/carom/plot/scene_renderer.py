"""Pictures of spatial scenes by PyVista: lit and smooth surfaces with shadows, contact forces, paths and faint poses.

The extra ``render`` installs PyVista. It needs no screen: on Linux it renders through EGL or OSMesa.
"""

from __future__ import annotations

import ctypes
import importlib.util
import os
import sys
import warnings
from collections.abc import Sequence
from functools import cache
from typing import Any

import numpy as np

from carom.errors import CaromWarning
from carom.geometry.rotation import matrix_of
from carom.geometry.tessellation import capsule_triangles, tube_triangles
from carom.plot.body_actors import BodyActors, affine_matrix
from carom.plot.style import current_look
from carom.scene.fitted_camera import FittedCamera
from carom.scene.floor import floor_of
from carom.scene.glyphs import arrow_lengths, quaternions_from_x, unit_arrow, unit_sphere
from carom.scene.scene import Scene

RED = "#d62728"
GHOST_OPACITY = 0.22
"""Opacity of faint poses [-]."""
TRACE_RADIUS = 2.5e-3
"""Radius of the paths of points, relative to the size of what is visible [-]."""
FLOOR_COLOURS = {"light": ("#f5f6f7", "#dadee2", "#d3d7db"), "dark": ("#1d2126", "#30363d", "#12151a")}
"""Colours of the floor, its grid and the shadows on it."""
LIGHTS = (((-0.8, 1.3, 0.9), 0.8), ((1.2, 0.4, 0.6), 0.24), ((0.0, 0.2, 1.0), 0.16))
"""Direction to each light along right, up and towards the camera, and its intensity [-]."""
SHADOW_DIRECTION = np.array([0.35, -1.0, -0.25])
"""Direction in which shadows fall, along right, up and towards the camera [-]."""
FRONT = -1e7
"""Offset in depth of what is in front of everything else, in steps of the depth buffer."""
LIBRARIES = ("libEGL.so.1", "libOSMesa.so.8", "libOSMesa.so.6")
"""Libraries on Linux of which one is needed to render without a screen."""


@cache
def missing_renderer() -> str | None:
    """Return how to install what is missing for rendering; None if nothing is missing."""
    if importlib.util.find_spec("pyvista") is None:
        return "pip install carom[render]"
    if sys.platform.startswith("linux") and not os.environ.get("DISPLAY") and not any(map(_loads, LIBRARIES)):
        return "apt-get install libegl1"
    return None


def can_render() -> bool:
    """Return whether spatial pictures can be rendered; warn with what to install otherwise."""
    missing = missing_renderer()
    if missing is not None:
        message = f"spatial pictures are drawn by Matplotlib, with faults in depth; to render them: {missing}"
        warnings.warn(message, CaromWarning, stacklevel=3)
    return missing is None


def _loads(library: str) -> bool:
    try:
        ctypes.CDLL(library)
    except OSError:
        return False
    return True


class SceneRenderer:
    """Renderer of a spatial scene into pictures of ``width`` by ``height`` pixels.

    ``frames`` are the frames that the camera is fitted to (default: all), ``focus`` the bodies (default: all that
    move). ``forces`` and ``points`` show the contacts as arrows and points, ``ghosts`` lists frames that are faint,
    ``segments`` red lines between points (2, 3) [m].
    """

    def __init__(
        self,
        scene: Scene,
        width: int,
        height: int,
        *,
        forces: bool = True,
        points: bool = True,
        frames: Sequence[int] | None = None,
        ghosts: Sequence[int] = (),
        focus: Sequence[str] = (),
        segments: Sequence[np.ndarray] = (),
    ):
        if sys.platform.startswith("linux") and _loads(LIBRARIES[0]):
            os.environ.setdefault("VTK_DEFAULT_OPENGL_WINDOW", "vtkEGLRenderWindow")
        with warnings.catch_warnings():
            warnings.filterwarnings("ignore", message="IProgress not found")  # of its progress bars in notebooks
            import pyvista

        self.scene, self._focus = scene, focus
        self.camera = FittedCamera(scene, width / height, frames, focus)
        self.floor = floor_of(scene, self.camera.low, self.camera.high)
        self._plotter: Any = pyvista.Plotter(off_screen=True, window_size=[width, height], lighting="none")
        self._add_lights(pyvista)
        hidden = () if self.floor is None else self.floor.planes
        self._placed = [BodyActors(self._plotter, scene, hidden=hidden, focus=focus)]
        if self.floor is not None:
            self._add_floor(pyvista)
        for frame in ghosts:
            BodyActors(self._plotter, scene, fixed=False, opacity=GHOST_OPACITY, focus=focus).place(frame)
        for trace in scene.traces:
            path = np.asarray(trace.points, float)
            path = path[np.append(True, np.any(np.diff(path, axis=0) != 0.0, axis=1))]
            if len(path) > 1:
                tube = tube_triangles(path, TRACE_RADIUS * self.camera.size)
                self._placed[0].add_surface(*tube, trace.colour)
        radius = 2.0 * TRACE_RADIUS * self.camera.size
        for start, end in segments:
            self._placed[0].add_surface(*capsule_triangles(start, end, radius), RED)
        names = scene.contacts.names if scene.contacts is not None else ()
        self._arrows = [self._placed[0].add_surface(*unit_arrow(24), RED) for _ in names if forces]
        self._points = [self._placed[0].add_surface(*unit_sphere(24), RED) for _ in names if points]
        for actor in self._arrows + self._points:
            _bring_to_front(actor)
        view = self._plotter.camera
        view.position, view.focal_point, view.up = self.camera.position, self.camera.centre, self.camera.up
        view.view_angle = self.camera.view_angle
        self._plotter.enable_anti_aliasing("ssaa")
        self._plotter.reset_camera_clipping_range()

    def picture(self, frame: int) -> np.ndarray:
        """Return a frame as an array (height, width, 4) of bytes with a transparent background."""
        for bodies in self._placed:
            bodies.place(frame)
        self._place_contacts(frame)
        self._plotter.render()
        return np.asarray(self._plotter.screenshot(None, transparent_background=True, return_img=True))

    def close(self) -> None:
        """Free the memory of the renderer."""
        self._plotter.close()

    def _add_lights(self, pyvista: Any) -> None:
        camera = self.camera
        for offset, intensity in LIGHTS:
            place = camera.centre + 4.0 * camera.size * (np.array(offset) @ camera.axes)
            self._plotter.add_light(pyvista.Light(
                position=place, focal_point=camera.centre, intensity=intensity, light_type="scene light"
            ))  # fmt: skip

    def _add_floor(self, pyvista: Any) -> None:
        """Add the floor with its grid, and the shadows of the bodies on it."""
        floor, look = self.floor, {"ambient": 1.0, "diffuse": 0.0, "specular": 0.0}
        assert floor is not None
        paper, line, shadow = FLOOR_COLOURS[current_look()]
        for rectangles, colour in ((floor.corners[None], paper), (floor.lines, line)):
            cells = np.column_stack([np.full(len(rectangles), 4), np.arange(4 * len(rectangles)).reshape(-1, 4)])
            self._plotter.add_mesh(pyvista.PolyData(rectangles.reshape(-1, 3), cells.ravel()), color=colour, **look)
        matrix = floor.shadow_matrix(SHADOW_DIRECTION @ self.camera.axes)
        if matrix is not None:
            self._placed.append(BodyActors(self._plotter, self.scene, colour=shadow, matrix=matrix, focus=self._focus))

    def _place_contacts(self, frame: int) -> None:
        """Show the forces and points of the contacts in a frame."""
        contacts = self.scene.contacts
        if contacts is None:
            return
        ratio = self.camera.size / self.scene.diagonal
        lengths = arrow_lengths(self.scene, frame) * ratio
        turns = matrix_of(quaternions_from_x(contacts.forces[frame].astype(float)))
        symbol = ratio * self.scene.size
        for k, point in enumerate(contacts.points[frame].astype(float)):
            width = min(0.35 * symbol, 0.25 * lengths[k])
            shapes = (self._arrows, turns[k] * (lengths[k], width, width)), (self._points, 0.16 * symbol * np.eye(3))
            for actors, matrix in shapes:
                for actor in actors[k : k + 1]:
                    actor.visibility = bool(lengths[k] > 0.0)
                    if lengths[k] > 0.0:
                        actor.user_matrix = affine_matrix(matrix, point)


def _bring_to_front(actor: Any) -> None:
    """Draw an actor in front of all others: a force inside a body is visible, too."""
    actor.prop.ambient = 0.6
    actor.mapper.SetResolveCoincidentTopologyToPolygonOffset()
    actor.mapper.SetRelativeCoincidentTopologyPolygonOffsetParameters(0.0, FRONT)
