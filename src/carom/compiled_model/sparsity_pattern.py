"""Elimination order and fill-in of the KKT matrix, determined once from the graph of bodies and joints."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from carom.compiled_model.system_data import SystemData


def elimination_order(data: SystemData) -> np.ndarray:
    """Return the unknowns (velocities, then rows) in the order of elimination.

    The bodies of a spanning tree from the ground are eliminated from its leaves to its root, each followed by the rows
    of the joint to its parent; every other joint follows as soon as all bodies of its loop are eliminated. So a tree is
    solved in linear time, and every pivot is regular as long as the rows are independent.
    """
    n, n_body = data.n_velocities, data.kind.n_velocities
    members = [_bodies(data, entry) for entry in data["joints"]]
    parent, tree_joint, depth, visited = _spanning_tree(len(data.system.bodies), members)
    position = {body: k for k, body in enumerate(reversed(visited))}  # children before parents
    in_tree = set(tree_joint.values())
    closing: dict[int, list[int]] = {}
    for k, bodies in enumerate(members):
        if k not in in_tree:
            last = max(_loop(bodies, parent, depth), key=position.__getitem__)
            closing.setdefault(last, []).append(k)
    order: list[int] = []

    def add_rows(joint: int) -> None:
        entry = data["joints"][joint]
        first = n + entry["first_row"]
        order.extend(range(first, first + entry["n_rows"]))

    for body in reversed(visited):
        order.extend(range(n_body * body, n_body * (body + 1)))
        if body in tree_joint:
            add_rows(tree_joint[body])
        for joint in closing.get(body, []):
            add_rows(joint)
    return np.array(order, np.int64)


def _bodies(data: SystemData, entry: np.ndarray) -> list[int]:
    """Return the indices of the bodies of a joint; −1 for the ground."""
    first, count = entry["first_body"], entry["n_bodies"]
    return [int(m) // data.kind.record_size - 1 for m in data["body_offsets"][first : first + count]]


def _spanning_tree(
    count: int, members: list[list[int]]
) -> tuple[dict[int, int], dict[int, int], dict[int, int], list[int]]:
    """Return parent, joint to the parent and depth of every body, and all bodies with parents before children.

    The tree is built breadth first, so that loops are short; the list is depth first, so that the bodies of a branch
    are eliminated one after the other.
    """
    around: dict[int, list[int]] = {}
    for k, bodies in enumerate(members):
        for body in set(bodies):
            around.setdefault(body, []).append(k)
    parent: dict[int, int] = {}
    tree_joint: dict[int, int] = {}
    depth = {-1: 0}
    children: dict[int, list[int]] = {}

    def grow(front: list[int]) -> None:
        while front:
            reached = []
            for body in front:
                for k in around.get(body, []):
                    for other in members[k]:
                        if other not in depth and len(members[k]) == 2:
                            parent[other], tree_joint[other], depth[other] = body, k, depth[body] + 1
                            children.setdefault(body, []).append(other)
                            reached.append(other)
            front = reached

    grow([-1])
    for body in range(count):
        if body not in depth:  # no path of joints leads to the ground
            parent[body], depth[body] = -1, 1
            children.setdefault(-1, []).append(body)
            grow([body])
    order: list[int] = []
    stack = [-1]
    while stack:
        body = stack.pop()
        if body != -1:
            order.append(body)
        stack += children.get(body, [])
    return parent, tree_joint, depth, order


def _loop(bodies: list[int], parent: dict[int, int], depth: dict[int, int]) -> set[int]:
    """Return the bodies on the paths between the bodies of a joint that closes a loop."""
    moving = [body for body in bodies if body != -1]
    loop = set(moving)
    heads = (
        set(bodies) if len(bodies) > 1 else {moving[0], -1}
    )  # a driven coordinate of a body is relative to the ground
    while len(heads) > 1:
        deepest = max(heads, key=lambda body: depth[body])
        heads.remove(deepest)
        loop.add(deepest)
        heads.add(parent[deepest])
    return loop - {-1}


def symbolic_factorisation(
    start: np.ndarray, index: np.ndarray
) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Return the patterns of the rows and columns of L from that of the upper triangle.

    The entries of a row are in the order of an up-looking factorisation.
    """
    size = len(start) - 1
    parent = [-1] * size
    flag = [-1] * size
    pattern: list[int] = []
    pattern_start = [0]
    columns: list[list[int]] = [[] for _ in range(size)]
    for k in range(size):
        flag[k] = k
        row: list[int] = []
        for p in range(start[k], start[k + 1]):
            i = int(index[p])
            branch = []
            while flag[i] != k:
                if parent[i] == -1:
                    parent[i] = k
                branch.append(i)
                flag[i] = k
                i = parent[i]
            row = branch + row
        for i in row:
            columns[i].append(k)
        pattern += row
        pattern_start.append(len(pattern))
    l_start = np.concatenate([[0], np.cumsum([len(c) for c in columns])]).astype(np.int64)
    l_index = np.array([k for column in columns for k in column], np.int64)
    return np.array(pattern_start, np.int64), np.array(pattern, np.int64), l_start, l_index
