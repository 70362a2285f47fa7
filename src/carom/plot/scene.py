"""A spatial model as a picture: the skins of its contacts, and sticks from bodies to their joints."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from matplotlib.axes import Axes

from carom.geometry.marker import Marker
from carom.model.system import System
from carom.plot.skins import skin_triangles
from carom.plot.style import COLOURS, FAINT, INK
from carom.result.result import Result
from carom.result.sketch import GROUND, Sketch
from carom.solve.sketch import sketch

LIGHT = np.array([0.35, -0.5, 0.8])
GHOST = 0.25
"""Opacity of a pose at another time."""


class Scene:
    """What a spatial run looks like; `draw` puts it into 3-D axes."""

    projection = "3d"
    aspect = 1.0

    def __init__(self, system: System, result: Result, trace: Sequence[Any] = ()):
        self.system, self.result = system, result
        self.bodies = [body.name for body in system.bodies]
        self.sketch = sketch(system) or Sketch(3, (0.0, 0.0, 0.0))
        self.trace = [item if isinstance(item, Marker) else Marker(self._body(item), (0.0, 0.0, 0.0)) for item in trace]
        low, high = self._bounds()
        self.middle, self.size = 0.5 * (low + high), float((high - low).max()) or 1.0
        self.skins = self._skins()

    def _body(self, item: Any) -> Any:
        return self.system[item] if isinstance(item, str) else item

    def _bounds(self) -> tuple[np.ndarray, np.ndarray]:
        """The box in which bodies move, with the skins that have an end."""
        points = [np.zeros((1, 3))] if not self.bodies else []
        points += [self.result[body].position for body in self.bodies]
        for skin in self.sketch.skins:
            if skin.wall:
                continue
            vertices = skin_triangles(skin)[0]
            if skin.body == GROUND:
                points.append(vertices)
            else:
                series = self.result[skin.body]
                reach = float(np.linalg.norm(vertices, axis=1).max())
                points += [series.position - reach, series.position + reach]
        points += [np.array([point]) for body, point in self._held() if body == GROUND]
        every = np.concatenate(points)
        return every.min(axis=0), every.max(axis=0)

    def _skins(self) -> list[tuple[str, np.ndarray, np.ndarray]]:
        found = []
        for skin in self.sketch.skins:
            vertices, faces = skin_triangles(skin, 1.2 * self.size)
            if skin.wall:  # the part of it that is in the picture
                at, normal = np.array(skin.at), np.array(skin.normal)
                vertices = vertices - at + self.middle - ((self.middle - at) @ normal) * normal
            found.append((skin.body, vertices, faces))
        return found

    def _held(self) -> list[tuple[str, Any]]:
        """Where joints hold bodies, each in its own axes."""
        names = {joint.name for joint in self.system.joints}
        links = [link for link in self.sketch.links if link.name in names]
        return [end for link in links for end in ((link.a, link.at_a), (link.b, link.at_b))]

    def _placed(self, body: str, points: np.ndarray, node: int) -> np.ndarray:
        if body == GROUND:
            return points
        series = self.now[body]
        return np.asarray(series.position[node] + points @ series.rotation[node].T)

    def draw(self, axes: Axes, pose: float = 0.0, ghosts: Sequence[float] | None = None) -> None:
        """The scene at time ``pose`` [s], faint at the times ``ghosts``, with the paths of ``trace``."""
        times = sorted({pose, *(ghosts or ())})
        self.now = self.result.sample(times)
        for node, time in enumerate(times):
            self._draw_pose(axes, node, 1.0 if time == pose else GHOST, time == pose)
        colour = self._colours()
        for marker in self.trace:
            path = self.result[marker.body].point(*marker.at)
            axes.plot(*path.T, color=colour[marker.body.name], linewidth=0.8)
        self._frame(axes)

    def _colours(self) -> dict[str, str]:
        return {body: COLOURS[k % len(COLOURS)] for k, body in enumerate(self.bodies)}

    def _draw_pose(self, axes: Any, node: int, opacity: float, whole: bool) -> None:
        from mpl_toolkits.mplot3d.art3d import Poly3DCollection

        colour = self._colours()
        for body, vertices, faces in self.skins:
            ground = body == GROUND
            if ground and not whole:
                continue
            corners = self._placed(body, vertices, node)[faces]
            alpha = 0.18 if ground else opacity
            shades = _shaded(corners, FAINT if ground else colour[body], alpha)
            axes.add_collection3d(Poly3DCollection(corners, facecolors=shades, edgecolors="none"))
        for body, point in self._held():
            if body == GROUND:
                continue
            line = self._placed(body, np.array([np.zeros(3), point]), node)
            if np.linalg.norm(line[1] - line[0]) > 1e-9:
                axes.plot(*line.T, color=colour[body], linewidth=2.0, alpha=opacity, solid_capstyle="round")
        drawn = {body for body, _, _ in self.skins}
        for body in self.bodies:
            if body not in drawn:
                axes.plot(*self._placed(body, np.zeros((1, 3)), node).T, "o", color=colour[body], markersize=3.0,
                          alpha=opacity)  # fmt: skip

    def _frame(self, axes: Any) -> None:
        half = 0.55 * self.size
        for set_limits, middle in zip((axes.set_xlim, axes.set_ylim, axes.set_zlim), self.middle, strict=True):
            set_limits(middle - half, middle + half)
        axes.set_box_aspect((1.0, 1.0, 1.0))
        up = int(np.argmax(np.abs(self.system.gravity))) if any(self.system.gravity) else 2
        axes.view_init(elev=22.0, azim=-60.0, vertical_axis="xyz"[up])
        for axis, name in zip((axes.xaxis, axes.yaxis, axes.zaxis), "xyz", strict=True):
            axis.set_pane_color((1.0, 1.0, 1.0, 0.0))
            axis.label.set_color(INK)
            getattr(axes, f"set_{name}label")(f"{name} [m]")
        axes.locator_params(nbins=4)
        axes.tick_params(labelsize=6.5, pad=0)


def _shaded(corners: np.ndarray, colour: str, alpha: float) -> np.ndarray:
    """Colours of triangles that are lit from one side."""
    from matplotlib.colors import to_rgb

    normal = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    length = np.linalg.norm(normal, axis=1)
    lit = np.abs(normal @ LIGHT) / np.where(length > 0.0, length, 1.0) / np.linalg.norm(LIGHT)
    shade = 0.55 + 0.45 * lit
    return np.column_stack([np.outer(shade, to_rgb(colour)), np.full(len(corners), alpha)])
