"""Camera in perspective that is fitted to what moves."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import product

import numpy as np

from carom.geometry.rotation import matrix_of
from carom.scene.camera import view_direction
from carom.scene.glyphs import sphere_centres
from carom.scene.scene import GROUND, Scene

VIEW_ANGLE = 26.0
"""Vertical angle of view [deg]."""
MARGIN = 1.08
"""Size of the picture relative to what it shows [-]."""
FRAMES, POINTS = 24, 48
"""Number of frames and of points of a part that the camera is fitted to."""
LARGE = 2.5
"""Size of a part of the ground, relative to that of the motion, beyond which it may be cut off [-]."""

_CORNERS = np.array([point for point in product((-1.0, 0.0, 1.0), repeat=3) if any(point)])
SPHERE = _CORNERS / np.linalg.norm(_CORNERS, axis=1)[:, None]
"""Points (26, 3) on a sphere of radius 1."""


class FittedCamera:
    """Position, orientation and angle of view [deg]; the box from ``low`` to ``high`` [m] is visible.

    ``aspect`` is width per height of the picture. The camera is fitted to all moving bodies, or to those in ``focus``,
    in ``frames`` (default: all), and to the parts of the ground that are not much larger.
    """

    view_angle = VIEW_ANGLE

    def __init__(self, scene: Scene, aspect: float, frames: Sequence[int] | None = None, focus: Sequence[str] = ()):
        self.direction = view_direction(scene)
        right = np.cross(scene.up, self.direction)
        self.right = right / np.linalg.norm(right)
        self.up = np.cross(self.direction, self.right)
        self.axes = np.array([self.right, self.up, self.direction])
        points = visible_points(scene, frames, focus)
        self.low, self.high = points.min(axis=0), points.max(axis=0)
        self.size = float(np.linalg.norm(self.high - self.low)) or 1.0
        offset = points @ self.axes.T
        half = np.tan(np.radians(0.5 * VIEW_ANGLE))
        slopes = np.array([half * aspect, half]) / MARGIN
        centre = 0.5 * (offset.min(axis=0) + offset.max(axis=0))
        for _ in range(4):  # perspective moves the middle of the picture
            distance = max(self._distance(offset - centre, slopes), 1e-9 * self.size)
            projected = (offset - centre)[:, :2] / (distance - (offset - centre)[:, 2:])
            middle = 0.5 * (projected.min(axis=0) + projected.max(axis=0))
            centre[:2] += middle * distance
        distance = self._distance(offset - centre, slopes)
        self.centre = centre @ self.axes
        self.position = self.centre + max(distance, 0.2 * self.size) * self.direction

    @staticmethod
    def _distance(offset: np.ndarray, slopes: np.ndarray) -> float:
        """Return the distance from which all points are inside the picture [m]."""
        return float((offset[:, 2] + (np.abs(offset[:, :2]) / slopes).max(axis=1)).max())

    def shape(self) -> float:
        """Return width per height of what the camera is fitted to, in parallel projection [-]."""
        corners = np.array([[x, y, z] for x in (0, 1) for y in (0, 1) for z in (0, 1)], float)
        box = self.low + corners * (self.high - self.low)
        width, height = np.ptp(box @ self.right), np.ptp(box @ self.up)
        return float(width / height) if height > 0.0 else 1.0


def visible_points(scene: Scene, frames: Sequence[int] | None, focus: Sequence[str]) -> np.ndarray:
    """Return points (n, 3) that the picture has to show [m]."""
    chosen = np.arange(len(scene.t)) if frames is None or not len(frames) else np.asarray(frames)
    if len(chosen) > FRAMES:
        chosen = chosen[np.linspace(0, len(chosen) - 1, FRAMES).round().astype(int)]
    bodies = set(range(len(scene.bodies))) if not focus else {scene.bodies.index(name) for name in focus}
    clouds = [cloud for frame in chosen for cloud in _moving(scene, scene.poses[frame].astype(float), bodies)]
    if not focus:
        clouds += [np.asarray(trace.points, float) for trace in scene.traces]
        size = np.linalg.norm(np.ptp(np.concatenate(clouds), axis=0)) if clouds else np.inf
        clouds += [cloud for cloud in _fixed(scene) if np.linalg.norm(np.ptp(cloud, axis=0)) < LARGE * size]
    return np.concatenate(clouds) if clouds else np.array([scene.low, scene.high])


def _moving(scene: Scene, poses: np.ndarray, bodies: set[int]) -> Iterator[np.ndarray]:
    """Yield points of the parts and spheres of some bodies in global axes [m]."""
    for part in scene.parts:
        if part.body in bodies:
            vertices = _some(np.asarray(part.vertices, float))
            yield poses[part.body, :3] + vertices @ matrix_of(poses[part.body, 3:]).T
    for group in scene.spheres:
        mine = np.isin(group.bodies, list(bodies))
        if mine.any():
            centres = sphere_centres(group, poses)[mine]
            yield (centres[:, None] + group.radii[mine, None, None] * SPHERE).reshape(-1, 3)
    if bodies:
        yield poses[sorted(bodies), :3]


def _fixed(scene: Scene) -> Iterator[np.ndarray]:
    """Yield points of bounded parts and spheres of the ground [m]."""
    for part in scene.parts:
        if part.body == GROUND and not part.one_sided:
            yield _some(np.asarray(part.vertices, float))
    for group in scene.spheres:
        for centre, radius in zip(
            group.centres[group.bodies == GROUND], group.radii[group.bodies == GROUND], strict=True
        ):
            yield centre + radius * SPHERE


def _some(points: np.ndarray) -> np.ndarray:
    """Return at most about `POINTS` of the points."""
    return points[:: len(points) // POINTS + 1]
