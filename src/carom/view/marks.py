"""What a viewer computes from a scene for each frame, and its colours."""

from __future__ import annotations

import numpy as np

from carom.geometry.rotation import matrix_of
from carom.geometry.tessellation import Triangles, grid
from carom.view.scene import FAINT, GROUND, INK, PAPER, Scene, Strut

LONGEST = 0.25
"""Of an arrow, in diagonals of the scene; the length goes with the square root of the force."""
WORDS = {INK: (40, 40, 40), PAPER: (255, 255, 255), FAINT: (150, 150, 150)}


def rgb(colour: str) -> tuple[int, int, int]:
    """0 … 255 of a colour of a scene, by day."""
    if colour in WORDS:
        return WORDS[colour]
    red, green, blue = (int(colour[k : k + 2], 16) for k in (1, 3, 5))
    return red, green, blue


def unit_ball(around: int) -> Triangles:
    """A ball of radius 1."""
    a = np.linspace(0.0, np.pi, around // 2 + 1)[:, None]
    b = np.linspace(0.0, 2.0 * np.pi, around, endpoint=False)[None, :]
    points = np.stack([np.sin(a) * np.cos(b), np.sin(a) * np.sin(b), np.cos(a) + 0.0 * b], axis=2)
    vertices, faces = grid(points, closed_v=True)
    return vertices.astype(np.float32), faces.astype(np.uint32)


def ends_of(strut: Strut, poses: np.ndarray) -> list[np.ndarray]:
    """Its two points in global axes, for the poses (b, 7) of a frame."""
    ends = ((strut.a, strut.at_a), (strut.b, strut.at_b))
    return [at if body == GROUND else poses[body, :3] + matrix_of(poses[body, 3:]) @ at for body, at in ends]


def arrow(around: int = 12) -> Triangles:
    """An arrow of length 1 along x, its head of radius 1."""
    profile = np.array([(0.0, 0.0), (0.0, 0.25), (0.7, 0.25), (0.7, 1.0), (1.0, 0.0)])
    turn = np.linspace(0.0, 2.0 * np.pi, around, endpoint=False)
    x, r = profile[:, :1], profile[:, 1:]
    points = np.stack([x + 0.0 * turn, r * np.cos(turn), r * np.sin(turn)], axis=2)
    vertices, faces = grid(points, closed_v=True)
    return vertices.astype(np.float32), faces.astype(np.uint32)


def along_x(direction: np.ndarray) -> np.ndarray:
    """Unit quaternions (n, 4) that turn x into the directions (n, 3), the shortest way."""
    size = np.linalg.norm(direction, axis=1, keepdims=True)
    way = np.where(size > 0.0, direction / np.where(size > 0.0, size, 1.0), [1.0, 0.0, 0.0])
    turn = np.column_stack([1.0 + way[:, 0], np.zeros(len(way)), -way[:, 2], way[:, 1]])  # (1 + x·w, x × w)
    turn[1.0 + way[:, 0] < 1e-12] = (0.0, 0.0, 0.0, 1.0)  # back: half a turn about z
    return turn / np.linalg.norm(turn, axis=1, keepdims=True)


def reaches(scene: Scene, frame: int) -> np.ndarray:
    """Lengths (c,) of the arrows of the contact forces [m]; 0 where nothing presses."""
    touches = scene.touches
    if touches is None:
        return np.zeros(0)
    size = np.linalg.norm(touches.forces[frame].astype(float), axis=1)
    share = np.where(size > 1e-4 * touches.largest, size / touches.largest, 0.0)
    return LONGEST * scene.diagonal * np.sqrt(share)
