"""Self-intersection of a polygon."""

from __future__ import annotations

import numpy as np

CONTACT_DISTANCE = 1e-12
"""Ratio to the size of the curve below which a distance counts as contact [-], for a corner that lies on another
segment."""


def self_intersection(points: np.ndarray, closed: bool) -> tuple[float, float] | None:
    """Return the first point where the polygon through ``points`` intersects itself, or None.

    A closed polygon ends with its first point; neighbours share their corner. Only segments whose extents overlap are
    compared; sorted along the longer side of the figure these are few.
    """
    if np.ptp(points[:, 1]) > np.ptp(points[:, 0]):
        point = self_intersection(points[:, ::-1], closed)
        return None if point is None else (point[1], point[0])
    if closed:
        points = np.vstack([points[:-1], points[:1]])
    tolerance = CONTACT_DISTANCE * float(np.ptp(points[:, 0]))
    starts, ends = points[:-1], points[1:]
    low, high = np.minimum(starts, ends) - tolerance, np.maximum(starts, ends) + tolerance
    order = np.argsort(low[:, 0], kind="stable")
    reach = np.searchsorted(low[order, 0], high[order, 0], side="right")
    counts = np.maximum(reach - np.arange(len(order)) - 1, 0)
    first = np.repeat(np.arange(len(order)), counts)
    second = first + 1 + np.arange(len(first)) - np.repeat(np.cumsum(counts) - counts, counts)
    i, j = order[first], order[second]
    i, j = np.minimum(i, j), np.maximum(i, j)
    separate = (j - i > 1) & (low[i, 1] <= high[j, 1]) & (low[j, 1] <= high[i, 1])
    if closed:
        separate &= j - i < len(starts) - 1
    i, j = i[separate], j[separate]
    p, r = starts[i], ends[i] - starts[i]
    q, t = starts[j], ends[j] - starts[j]
    crosses = _straddles(p, r, q, t, tolerance) & _straddles(q, t, p, r, tolerance)
    if not np.any(crosses):
        return None
    k = np.flatnonzero(crosses)[np.lexsort((j[crosses], i[crosses]))[0]]
    product = _cross(r[k], t[k])
    fraction = 0.5 if product == 0.0 else _cross(q[k] - p[k], t[k]) / product
    x, y = p[k] + fraction * r[k]
    return float(x), float(y)


def _straddles(p: np.ndarray, r: np.ndarray, q: np.ndarray, t: np.ndarray, tolerance: float) -> np.ndarray:
    """Return True where q and q + t are on both sides of the line through p along r, or on it."""
    length = np.hypot(*r.T)
    one, other = _cross(r, q - p) / length, _cross(r, q + t - p) / length
    return np.asarray((np.minimum(one, other) <= tolerance) & (np.maximum(one, other) >= -tolerance))


def _cross(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    return np.asarray(a[..., 0] * b[..., 1] - a[..., 1] * b[..., 0])
