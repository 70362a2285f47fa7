"""The outline of a body through the points where it is held: a line where they lie in a row, else a plate."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np


def outline(points: Sequence[Sequence[float]]) -> np.ndarray:
    """The points in drawing order (k, 2); the convex hull, closed, when they do not lie in a row."""
    cloud = np.array(points, dtype=float)
    if len(cloud) < 3:
        return cloud
    centred = cloud - cloud.mean(axis=0)
    _, sizes, directions = np.linalg.svd(centred, full_matrices=False)
    if sizes[1] <= 1e-6 * sizes[0]:
        return cloud[np.argsort(centred @ directions[0])]
    return _hull(cloud)


def _hull(cloud: np.ndarray) -> np.ndarray:
    """Andrew's monotone chain, counter-clockwise, the first point repeated at the end."""
    ordered = cloud[np.lexsort((cloud[:, 1], cloud[:, 0]))]

    def half(points: np.ndarray) -> list[np.ndarray]:
        chain: list[np.ndarray] = []
        for point in points:
            while len(chain) > 1 and _turns_right(chain[-2], chain[-1], point):
                chain.pop()
            chain.append(point)
        return chain

    lower, upper = half(ordered), half(ordered[::-1])
    return np.array([*lower[:-1], *upper])


def _turns_right(a: np.ndarray, b: np.ndarray, c: np.ndarray) -> bool:
    return bool((b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0]) <= 0.0)
