"""Floor below a spatial scene: a horizontal square with a grid of round spacing."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from carom.geometry.rotation import frame_along
from carom.scene.scene import GROUND, Part, Scene

CELLS = 12
"""Smallest number of cells of the grid along a side of the box that contains the motion."""
MARGIN = 0.35
"""Distance from this box to the edge of the floor, relative to its largest side [-]."""
LIFT, LINE_WIDTH = 2e-3, 0.025
"""Height of the grid above the floor, and width of its lines, relative to the spacing [-]."""


@dataclass(frozen=True, eq=False)
class Floor:
    """Square with ``corners`` (4, 3), the ``lines`` of its grid as rectangles (n, 4, 3), and their ``spacing`` [m].

    ``planes`` are the parts of the scene that the floor replaces.
    """

    corners: np.ndarray
    lines: np.ndarray
    spacing: float
    up: np.ndarray
    planes: tuple[Part, ...]

    def shadow_matrix(self, direction: np.ndarray) -> np.ndarray | None:
        """Return the matrix (4, 4) that projects points along ``direction`` onto the floor, between it and its grid.

        None if the direction is parallel to the floor.
        """
        slope = float(direction @ self.up)
        if abs(slope) < 1e-6 * np.linalg.norm(direction):
            return None
        height = float(self.corners[0] @ self.up) + 0.5 * LIFT * self.spacing
        matrix = np.eye(4)
        matrix[:3, :3] -= np.outer(direction, self.up) / slope
        matrix[:3, 3] = direction * height / slope
        return matrix


def floor_of(scene: Scene, low: np.ndarray, high: np.ndarray) -> Floor | None:
    """Return a floor below the box from ``low`` to ``high`` [m], at the height of a horizontal plane if there is one.

    None without a size.
    """
    size = float((high - low).max())
    if size <= 0.0:
        return None
    up = scene.up
    x, y, _ = frame_along(up).T
    spacing = round_spacing(size / CELLS)
    corners = np.array([low, high])
    heights = {part: height for part in scene.parts if (height := _plane_height(part, up)) is not None}
    height = max(heights.values(), default=float((corners @ up).min()))
    planes = tuple(part for part in heights if heights[part] == height)
    spans = []
    for direction in (x, y):
        near, far = np.sort(corners @ direction)
        spans.append((math.floor((near - MARGIN * size) / spacing), math.ceil((far + MARGIN * size) / spacing)))
    (u0, u1), (v0, v1) = spans
    base = height * up
    edges = [(u0, v0), (u1, v0), (u1, v1), (u0, v1)]
    square = np.array([base + spacing * (u * x + v * y) for u, v in edges])
    lift = base + LIFT * spacing * up
    half = 0.5 * LINE_WIDTH
    strips = [((u - half, v0), (u + half, v0), (u + half, v1), (u - half, v1)) for u in range(u0, u1 + 1)]
    strips += [((u0, v - half), (u1, v - half), (u1, v + half), (u0, v + half)) for v in range(v0, v1 + 1)]
    lines = [[lift + spacing * (u * x + v * y) for u, v in strip] for strip in strips]
    return Floor(square, np.array(lines), spacing, up, planes)


def _plane_height(part: Part, up: np.ndarray) -> float | None:
    """Return the height of a part of the ground that is a horizontal plane [m]; None for other parts."""
    if part.body != GROUND or not part.one_sided:
        return None
    heights = np.asarray(part.vertices, float) @ up
    is_flat = np.ptp(heights) < 1e-6 * max(float(np.ptp(part.vertices)), 1e-300)
    return float(heights.mean()) if is_flat else None


def round_spacing(length: float) -> float:
    """Return the smallest of 1, 2, 5 times a power of ten that is at least ``length`` [m].

    Examples
    --------
    >>> from carom.scene.floor import round_spacing
    >>> round_spacing(0.03), round_spacing(0.7)
    (0.05, 1.0)
    """
    exponent = math.floor(math.log10(length))
    for digit in (1.0, 2.0, 5.0, 10.0):
        candidate = float(f"{digit * 10.0**exponent:.6g}")
        if candidate >= length * (1.0 - 1e-12):
            return candidate
    return float(f"{10.0 ** (exponent + 1):.6g}")
