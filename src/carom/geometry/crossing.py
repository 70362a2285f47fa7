"""Whether a curve crosses itself."""

from __future__ import annotations

import numpy as np

SLACK = 1e-12
"""Distance that counts as touching, in parts of the size: a corner of one piece may lie on another."""


def crossing(points: np.ndarray, closed: bool) -> tuple[float, float] | None:
    """Where the polygon through ``points`` meets itself first along its way, or None; neighbours share their corner.

    A closed polygon ends with its first point. Only pieces whose extents overlap are compared: sorted along the longer
    side of the figure, that is a few a piece.
    """
    if np.ptp(points[:, 1]) > np.ptp(points[:, 0]):
        found = crossing(points[:, ::-1], closed)
        return None if found is None else (found[1], found[0])
    if closed:
        points = np.vstack([points[:-1], points[:1]])
    slack = SLACK * float(np.ptp(points[:, 0]))
    starts, ends = points[:-1], points[1:]
    low, high = np.minimum(starts, ends) - slack, np.maximum(starts, ends) + slack
    order = np.argsort(low[:, 0], kind="stable")
    reach = np.searchsorted(low[order, 0], high[order, 0], side="right")
    counts = np.maximum(reach - np.arange(len(order)) - 1, 0)
    first = np.repeat(np.arange(len(order)), counts)
    second = first + 1 + np.arange(len(first)) - np.repeat(np.cumsum(counts) - counts, counts)
    i, j = order[first], order[second]
    i, j = np.minimum(i, j), np.maximum(i, j)
    apart = (j - i > 1) & (low[i, 1] <= high[j, 1]) & (low[j, 1] <= high[i, 1])
    if closed:
        apart &= j - i < len(starts) - 1
    i, j = i[apart], j[apart]
    p, r = starts[i], ends[i] - starts[i]
    q, t = starts[j], ends[j] - starts[j]
    meet = _straddles(p, r, q, t, slack) & _straddles(q, t, p, r, slack)
    if not np.any(meet):
        return None
    k = np.flatnonzero(meet)[np.lexsort((j[meet], i[meet]))[0]]
    across = _cross(r[k], t[k])
    part = 0.5 if across == 0.0 else _cross(q[k] - p[k], t[k]) / across
    x, y = p[k] + part * r[k]
    return float(x), float(y)


def _straddles(p: np.ndarray, r: np.ndarray, q: np.ndarray, t: np.ndarray, slack: float) -> np.ndarray:
    """Whether q … q + t has ends on both sides of the line through p along r, or on it."""
    length = np.hypot(*r.T)
    one, other = _cross(r, q - p) / length, _cross(r, q + t - p) / length
    return np.asarray((np.minimum(one, other) <= slack) & (np.maximum(one, other) >= -slack))


def _cross(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    return np.asarray(a[..., 0] * b[..., 1] - a[..., 1] * b[..., 0])
