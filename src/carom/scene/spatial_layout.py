"""Layout of the drawing of a spatial system: the box that contains the motion, and rods from bodies to their joints."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from carom.geometry.drawing import GROUND, DrawnLink, DrawnShape
from carom.geometry.tessellation import Triangles
from carom.result.drawing_data import DrawingData
from carom.result.result import Result
from carom.scene.mechanism_layout import SYMBOL
from carom.scene.shape_geometry import plane_triangles, shape_triangles

MOVING_PLANE = 0.6
"""Side of the square of a plane on a moving body, relative to the largest side of the box [-]."""


class SpatialLayout:
    """Box that contains the motion of a spatial system, and the elements drawn in it."""

    def __init__(self, data: DrawingData | None, result: Result):
        self.data = data or DrawingData(3, (0.0, 0.0, 0.0))
        self.result = result
        self.indices = {body.name: k for k, body in enumerate(result.bodies)}
        self.low, self.high = self._bounds()
        self.size = SYMBOL * max(float(np.linalg.norm(self.high - self.low)), 1e-9)
        """Size of symbols [m]."""

    def _bounds(self) -> tuple[np.ndarray, np.ndarray]:
        """Return the corners of the box that contains the bodies, their bounded shapes and their joints [m]."""
        reach = np.zeros(len(self.indices))
        clouds = [path for link in self.data.links for path in self._end_paths(link)]
        for shape in self.data.shapes:
            if shape.is_plane:
                continue
            if shape.body == GROUND:
                clouds.append(shape_triangles(shape)[0])
            else:
                k = self.indices[shape.body]
                reach[k] = max(reach[k], shape_reach(shape))
        positions = self.result.q.reshape(len(self.result.t), -1, 7)[:, :, :3]
        if positions.size:
            finite = np.where(np.isfinite(positions), positions, 0.0)
            clouds += [finite.min(axis=0) - reach[:, None], finite.max(axis=0) + reach[:, None]]
        points = np.concatenate(clouds or [np.zeros((1, 3))])
        return points.min(axis=0), points.max(axis=0)

    def _end_paths(self, link: DrawnLink) -> list[np.ndarray]:
        """Return the paths (n, 3) of both ends of a link [m]."""
        ends = ((link.a, link.at_a), (link.b, link.at_b))
        paths = [
            np.array([at]) if body == GROUND else self.result[body].point(*at)
            for body, at in ends
            if body == GROUND or np.any(at)  # the centre of mass is part of the box already
        ]
        return [np.where(np.isfinite(path), path, 0.0) for path in paths]

    @property
    def rods(self) -> list[tuple[str, tuple[float, ...]]]:
        """Bodies and the points of their joints [m], for rods from the centre of mass to the joint."""
        links = [link for link in self.data.links if not link.symbol.spans_bodies]
        ends = [end for link in links for end in ((link.a, link.at_a), (link.b, link.at_b))]
        return [(body, at) for body, at in ends if body != GROUND and np.linalg.norm(at) > 1e-9]

    @property
    def two_body_links(self) -> list[DrawnLink]:
        """Links that are drawn as a line from body to body."""
        return [link for link in self.data.links if link.symbol.spans_bodies]

    def bodies_without_shape(self) -> list[str]:
        """Return the bodies on which no bounded shape is drawn."""
        with_shape = {shape.body for shape in self.data.shapes if not shape.is_plane}
        return [name for name in self.indices if name not in with_shape]

    def triangles(self, shape: DrawnShape, low: np.ndarray, high: np.ndarray) -> Triangles:
        """Return the triangles of a shape; those of a plane cover the picture from ``low`` to ``high`` [m]."""
        if shape.is_plane and shape.body == GROUND:
            return plane_triangles(shape, low, high)
        return shape_triangles(shape, MOVING_PLANE * float((high - low).max()))


def shape_reach(shape: DrawnShape) -> float:
    """Return the largest distance of a bounded shape from the origin of its body [m]."""
    if shape.vertices is None:
        return float(np.linalg.norm(shape.at) + shape.radius)
    return float(np.linalg.norm(shape.vertices, axis=1).max(initial=0.0))


def up_direction(dim: int, gravity: Sequence[float]) -> np.ndarray:
    """Return the axis nearest to the direction against gravity; y in 2D, and z in 3D without gravity."""
    if dim == 2:
        return np.array([0.0, 1.0, 0.0])
    if not any(gravity):
        return np.array([0.0, 0.0, 1.0])
    k = int(np.argmax(np.abs(gravity)))
    up = np.zeros(3)
    up[k] = -np.sign(gravity[k])
    return up
