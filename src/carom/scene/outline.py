"""Outline of a body through its joints: a line if the points are collinear, otherwise their convex hull."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np


def outline(points: Sequence[Sequence[float]]) -> np.ndarray:
    """Return the points (k, 2) in drawing order; the closed convex hull if they are not collinear."""
    cloud = np.array(points, dtype=float)
    if len(cloud) < 3:
        return cloud
    centred = cloud - cloud.mean(axis=0)
    _, sizes, directions = np.linalg.svd(centred, full_matrices=False)
    if sizes[1] <= 1e-6 * sizes[0]:
        return cloud[np.argsort(centred @ directions[0])]
    return _convex_hull(cloud)


def _convex_hull(cloud: np.ndarray) -> np.ndarray:
    """Return the hull by Andrew's monotone chain, counterclockwise, with the first point repeated at the end."""
    ordered = cloud[np.lexsort((cloud[:, 1], cloud[:, 0]))]

    def half(points: np.ndarray) -> list[np.ndarray]:
        chain: list[np.ndarray] = []
        for point in points:
            while len(chain) > 1 and not _turns_left(chain[-2], chain[-1], point):
                chain.pop()
            chain.append(point)
        return chain

    lower, upper = half(ordered), half(ordered[::-1])
    return np.array([*lower[:-1], *upper])


def _turns_left(a: np.ndarray, b: np.ndarray, c: np.ndarray) -> bool:
    return bool((b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0]) > 0.0)
