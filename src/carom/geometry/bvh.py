"""Bounding volume hierarchy: binary tree of boxes around triangles, stored in one array and read without a stack."""

from __future__ import annotations

import numpy as np

from carom.kernels import FLOAT, record

TREE_NODE = record(
    low=(FLOAT, 3),  # lower corner of the box [m]
    high=(FLOAT, 3),  # upper corner of the box [m]
    next=FLOAT,  # index of the first node behind all nodes below this one
    first_triangle=FLOAT,  # of a leaf
    n_triangles=FLOAT,  # of a leaf; 0 for other nodes, whose first child follows, the second one behind the first
)
LEAF_SIZE = 4
"""Largest number of triangles in a leaf."""
EMPTY_LEAF_POSITION = 1e30
"""Coordinates of the boxes of empty leaves [m]: so far away that no search visits them."""


def build_tree(corners: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the nodes around triangles (n × 3 × 3), parents before children, and the order of the triangles.

    The triangles of every node are divided into two equal halves along the longest side of the box of their middles.
    """
    low, high = corners.min(axis=1), corners.max(axis=1)
    centres = 0.5 * (low + high)
    count = len(corners)
    depth = 0
    while LEAF_SIZE << depth < count:
        depth += 1
    order = np.append(np.arange(count), np.full((LEAF_SIZE << depth) - count, -1))
    for level in range(depth):
        groups = order.reshape(1 << level, -1)
        exists = groups >= 0
        position = np.where(exists[..., None], centres[groups], np.nan)
        occupied = exists.any(axis=1)
        extent = np.zeros((len(groups), 3))
        extent[occupied] = np.nanmax(position[occupied], axis=1) - np.nanmin(position[occupied], axis=1)
        coordinate = np.take_along_axis(position, np.argmax(extent, axis=1)[:, None, None], axis=2)[..., 0]
        order = np.take_along_axis(groups, np.argsort(coordinate, axis=1, kind="stable"), axis=1).ravel()  # nan: last
    leaves = order.reshape(1 << depth, LEAF_SIZE)
    exists = leaves >= 0
    boxes_low = np.where(exists[..., None], low[leaves], np.inf).min(axis=1)
    boxes_high = np.where(exists[..., None], high[leaves], -np.inf).max(axis=1)
    counts = exists.sum(axis=1)

    nodes = TREE_NODE.zeros((2 << depth) - 1)
    index = [np.zeros(1, int)]
    for level in range(1, depth + 1):
        size = (2 << (depth - level)) - 1  # number of nodes below and with a node of this level
        left = index[-1] + 1
        index.append(np.column_stack([left, left + size]).ravel())
    for level in range(depth, -1, -1):
        at_level = index[level]
        nodes["low"][at_level], nodes["high"][at_level] = boxes_low, boxes_high
        nodes["next"][at_level] = at_level + (2 << (depth - level)) - 1
        boxes_low = boxes_low.reshape(-1, 2, 3).min(axis=1) if level else boxes_low
        boxes_high = boxes_high.reshape(-1, 2, 3).max(axis=1) if level else boxes_high
    nodes["first_triangle"][index[depth]] = np.cumsum(counts) - counts
    nodes["n_triangles"][index[depth]] = counts
    empty = ~np.isfinite(nodes["low"][:, 0])
    nodes["low"][empty] = nodes["high"][empty] = EMPTY_LEAF_POSITION
    return nodes, order[order >= 0]
