"""A tree of boxes about triangles, flat in memory, read without a stack."""

from __future__ import annotations

import numpy as np

# A node: its box from low to high, the node after all that is within it, then for a leaf its first triangle and how
# many it has (0 for a node that is not a leaf: its first child comes next, its second one where the first one ends).
NODE = 9
LOW, HIGH, SKIP, FIRST, COUNT = 0, 3, 6, 7, 8
LEAF = 4
"""Most triangles in a leaf."""
NOWHERE = 1e30
"""Where the boxes of empty leaves are."""


def tree(corners: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Nodes about triangles (n × 3 × 3), parents before children, and the order of the triangles in the leaves.

    A full binary tree: every node's triangles are halved by number, along the longer side of their middles.
    """
    low, high = corners.min(axis=1), corners.max(axis=1)
    middle = 0.5 * (low + high)
    count = len(corners)
    depth = 0
    while LEAF << depth < count:
        depth += 1
    order = np.append(np.arange(count), np.full((LEAF << depth) - count, -1))
    for level in range(depth):
        groups = order.reshape(1 << level, -1)
        there = groups >= 0
        at = np.where(there[..., None], middle[groups], np.nan)
        full = there.any(axis=1)
        extent = np.zeros((len(groups), 3))
        extent[full] = np.nanmax(at[full], axis=1) - np.nanmin(at[full], axis=1)
        along = np.take_along_axis(at, np.argmax(extent, axis=1)[:, None, None], axis=2)[..., 0]
        order = np.take_along_axis(groups, np.argsort(along, axis=1, kind="stable"), axis=1).ravel()  # nan: last
    leaves = order.reshape(1 << depth, LEAF)
    there = leaves >= 0
    boxes_low = np.where(there[..., None], low[leaves], np.inf).min(axis=1)
    boxes_high = np.where(there[..., None], high[leaves], -np.inf).max(axis=1)
    counts = there.sum(axis=1)

    nodes = np.zeros(((2 << depth) - 1, NODE))
    index = [np.zeros(1, int)]
    for level in range(1, depth + 1):
        size = (2 << (depth - level)) - 1  # of the tree under a node of this level
        left = index[-1] + 1
        index.append(np.column_stack([left, left + size]).ravel())
    for level in range(depth, -1, -1):
        at_level = index[level]
        nodes[at_level, LOW : LOW + 3], nodes[at_level, HIGH : HIGH + 3] = boxes_low, boxes_high
        nodes[at_level, SKIP] = at_level + (2 << (depth - level)) - 1
        boxes_low = boxes_low.reshape(-1, 2, 3).min(axis=1) if level else boxes_low
        boxes_high = boxes_high.reshape(-1, 2, 3).max(axis=1) if level else boxes_high
    nodes[index[depth], FIRST] = np.cumsum(counts) - counts
    nodes[index[depth], COUNT] = counts
    nodes[:, : HIGH + 3][~np.isfinite(nodes[:, LOW])] = NOWHERE
    return nodes, order[order >= 0]
