"""Drawing of a spatial system into 3D axes: shapes of its contacts, and rods from bodies to their joints."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from matplotlib.axes import Axes

from carom.geometry.drawing import GROUND
from carom.geometry.marker import Marker
from carom.model.system import System
from carom.plot.style import FAINT, INK
from carom.result.result import Result
from carom.scene.colours import body_colours
from carom.scene.spatial_layout import SpatialLayout, up_direction
from carom.solve.drawing_builder import drawing_data

LIGHT_DIRECTION = np.array([0.35, -0.5, 0.8])
GHOST_OPACITY, GROUND_OPACITY = 0.25, 0.18
"""Opacity of faint poses and of the ground [-]."""
HALF_SIDE = 0.55
"""Half side of the drawn cube, relative to the largest side of the box that contains the motion [-]."""


class SpatialDrawing:
    """Spatial system with its run, ready to be drawn."""

    projection = "3d"
    aspect = 1.0

    def __init__(self, system: System, result: Result, trace: Sequence[Any] = ()):
        self.system, self.result = system, result
        self.layout = SpatialLayout(drawing_data(system), result)
        self.colours = body_colours([body.name for body in system.bodies])
        self.trace = [item if isinstance(item, Marker) else Marker(self._body(item), (0.0, 0.0, 0.0)) for item in trace]
        low, high = self.layout.low, self.layout.high
        self.centre, self.half_side = 0.5 * (low + high), HALF_SIDE * (float((high - low).max()) or 1.0)
        low, high = self.centre - self.half_side, self.centre + self.half_side
        self.shapes = [(shape, *self.layout.triangles(shape, low, high)) for shape in self.layout.data.shapes]

    def _body(self, item: Any) -> Any:
        return self.system[item] if isinstance(item, str) else item

    def draw(self, axes: Axes, pose: float = 0.0, ghosts: Sequence[float] | None = None) -> None:
        """Draw the system at the time ``pose`` [s], faint at the times ``ghosts`` [s], with the paths of ``trace``."""
        times = sorted({pose, *(ghosts or ())})
        sampled = self.result.sample(times)
        for node, time in enumerate(times):
            self._draw_pose(axes, sampled, node, is_ghost=time != pose)
        for marker in self.trace:
            path = self.result[marker.body].point(*marker.at)
            axes.plot(*path.T, color=self.colours[marker.body.name], linewidth=0.8)
        self._set_limits(axes)

    def _draw_pose(self, axes: Any, sampled: Result, node: int, is_ghost: bool) -> None:
        """Draw all bodies at a node of ``sampled``; the ground is not repeated in faint poses."""
        opacity = GHOST_OPACITY if is_ghost else 1.0
        for shape, vertices, faces in self.shapes:
            colour = shape.colour or self.colours.get(shape.body, FAINT)
            own = 1.0 if shape.opacity is None else shape.opacity
            if shape.body != GROUND:
                corners = to_global(sampled, shape.body, vertices, node)[faces]
                self._draw_triangles(axes, corners, colour, own * opacity)
            elif not is_ghost:
                faint = GROUND_OPACITY if shape.opacity is None and not shape.colour else own
                self._draw_triangles(axes, vertices[faces], colour, faint)
        for body, at in self.layout.rods:
            line = to_global(sampled, body, np.array([np.zeros(3), at]), node)
            axes.plot(*line.T, color=self.colours[body], linewidth=2.0, alpha=opacity, solid_capstyle="round")
        for link in self.layout.two_body_links:
            ends = [to_global(sampled, link.a, np.array([link.at_a]), node),
                    to_global(sampled, link.b, np.array([link.at_b]), node)]  # fmt: skip
            axes.plot(*np.concatenate(ends).T, color=INK, linewidth=1.0, alpha=opacity)
        for body in self.layout.bodies_without_shape():
            centre = to_global(sampled, body, np.zeros((1, 3)), node)
            axes.plot(*centre.T, "o", color=self.colours[body], markersize=3.0, alpha=opacity)

    def _draw_triangles(self, axes: Any, corners: np.ndarray, colour: str, opacity: float) -> None:
        from mpl_toolkits.mplot3d.art3d import Poly3DCollection

        shades = shaded_colours(corners, colour, opacity)
        axes.add_collection3d(Poly3DCollection(corners, facecolors=shades, edgecolors="none"))

    def _set_limits(self, axes: Any) -> None:
        """Set equal limits, the vertical axis, labels and ticks."""
        for set_limits, centre in zip((axes.set_xlim, axes.set_ylim, axes.set_zlim), self.centre, strict=True):
            set_limits(centre - self.half_side, centre + self.half_side)
        axes.set_box_aspect((1.0, 1.0, 1.0))
        vertical = int(np.argmax(np.abs(up_direction(3, self.system.gravity))))
        axes.view_init(elev=22.0, azim=-60.0, vertical_axis="xyz"[vertical])
        for axis, name in zip((axes.xaxis, axes.yaxis, axes.zaxis), "xyz", strict=True):
            axis.set_pane_color((1.0, 1.0, 1.0, 0.0))
            axis.label.set_color(INK)
            getattr(axes, f"set_{name}label")(f"{name} [m]")
        axes.locator_params(nbins=4)
        axes.tick_params(labelsize=6.5, pad=0)


def to_global(sampled: Result, body: str, points: np.ndarray, node: int) -> np.ndarray:
    """Return points (n, 3) of ``body`` in global axes [m] at a node of ``sampled``."""
    if body == GROUND:
        return points
    series = sampled[body]
    return np.asarray(series.position[node] + points @ series.rotation[node].T)


def shaded_colours(corners: np.ndarray, colour: str, alpha: float) -> np.ndarray:
    """Return colours (n, 4) of triangles (n, 3, 3) that are lit from one direction."""
    from matplotlib.colors import to_rgb

    normal = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    length = np.linalg.norm(normal, axis=1)
    cosine = np.abs(normal @ LIGHT_DIRECTION) / np.where(length > 0.0, length, 1.0) / np.linalg.norm(LIGHT_DIRECTION)
    shade = 0.55 + 0.45 * cosine
    return np.column_stack([np.outer(shade, to_rgb(colour)), np.full(len(corners), alpha)])
