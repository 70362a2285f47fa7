"""Camera: direction from which a scene is seen, and projection onto the picture."""

from __future__ import annotations

from itertools import product

import numpy as np

from carom.scene.scene import Scene

DISTANCE = 2.5
"""Distance of the camera from the centre of a spatial scene, relative to its diagonal [-]."""
MARGIN = 0.04
"""Margin of the picture, relative to its content [-]."""


def view_direction(scene: Scene) -> np.ndarray:
    """Return the unit vector from the scene to the camera: from the front in 2D, from above in 3D."""
    if scene.dim == 2:
        return np.array([0.0, 0.0, 1.0])
    up = scene.up
    side = np.eye(3)[int(np.argmin(np.abs(up)))]
    direction = 0.75 * side - 0.55 * np.cross(up, side) + 0.4 * up
    return np.asarray(direction / np.linalg.norm(direction))


class Camera:
    """Projection of a scene: parallel in 2D, in perspective in 3D; ``low`` and ``high`` are the corners it fills."""

    def __init__(self, scene: Scene):
        self.direction = view_direction(scene)
        right = np.cross(scene.up, self.direction)
        self.right = right / np.linalg.norm(right)
        self.up = np.cross(self.direction, self.right)
        self.centre = 0.5 * (scene.low + scene.high)
        self.distance = DISTANCE * scene.diagonal if scene.dim == 3 else np.inf
        box = scene.low + np.array(list(product((0, 1), repeat=3))) * (scene.high - scene.low)
        corners = self.project(box)[:, :2]
        low, high = corners.min(axis=0), corners.max(axis=0)
        margin = MARGIN * float((high - low).max() or 1.0)
        self.low, self.high = low - margin, high + margin

    def project(self, points: np.ndarray) -> np.ndarray:
        """Return position in the picture and distance towards the camera (…, 3) of points (…, 3) [m]."""
        offset = points - self.centre
        depth = offset @ self.direction
        scale = self.scale(depth)
        return np.stack([offset @ self.right * scale, offset @ self.up * scale, depth], axis=-1)

    def scale(self, depth: np.ndarray) -> np.ndarray:
        """Return the size in the picture of a length [m] at a distance towards the camera."""
        return np.asarray(1.0 / (1.0 - depth / self.distance))
