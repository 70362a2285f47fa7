"""Deepest place of two planar outlines that overlap so deeply that none of their contacts is one of an overlap.

It is the point of either outline that is deepest in the other solid: of the corners and of points on the sides, moved
along its side to the deepest place nearby. Parts that cross each other have no corner in the other solid.
"""

from __future__ import annotations

import math

from carom.geometry.pairs.base import NO_CONTACT, to_local
from carom.geometry.pairs.outline_features import node_of, project_on_side, side_point, store_feature
from carom.geometry.pairs.outline_search import MAX_FOUND, WAITING, found_at, is_known, store_found, wait
from carom.geometry.planar_outline import CORNER, SMOOTH
from carom.kernels import address_of, floats, jit

INTERVALS = 8
"""Intervals between the points at which a straight side is examined; of a curved cell its ends are."""
MAX_STEPS = 60
"""Largest number of steps along a side, each of which halves the step or moves by it."""
SAME_DISTANCE = 1e-12
"""Ratio of two distances from 1 up to which they are equal [-]: those to the sides that meet in a corner."""


@jit
def depth_below_side(pose, outline, cell, px, py, size, point):
    """Return distance and height of p above one side [m], and its parameter there; the point is in ``point``."""
    s = project_on_side(pose, outline, cell, px, py, size, point)
    if not cell.low <= s <= cell.high:  # also without a projection: the nearer end
        side_point(pose, outline, cell, cell.low, point)
        to_low = math.hypot(px - point.x, py - point.y)
        side_point(pose, outline, cell, cell.high, point)
        s = cell.low if to_low < math.hypot(px - point.x, py - point.y) else cell.high
        side_point(pose, outline, cell, s, point)
    dx = px - point.x
    dy = py - point.y
    return math.hypot(dx, dy), dy * point.tx - dx * point.ty, s


@jit
def distance_of_node(outline, k, x, y):
    """Return the distance of a point in the axes of an outline from node ``k`` [m], NO_CONTACT if it has no cells."""
    node = node_of(outline, k)
    return NO_CONTACT if node.radius < 0.0 else math.hypot(x - node.x, y - node.y) - node.radius


@jit
def depth_of_point(search, pose, outline, px, py, point):
    """Return the depth of p in a closed solid [m], negative outside, its nearest side, and its parameter there.

    Where two sides meet, the point belongs to the one above or below which it is farther.
    """
    first = int(outline.first_leaf)
    stack = floats(address_of(search.stack))
    x, y, _ = to_local(pose, px, py, pose.z)
    least = NO_CONTACT
    height = NO_CONTACT
    nearest = first
    at = 0.0
    root = 0
    n_waiting = wait(stack, 0, root, root, distance_of_node(outline, root, x, y))
    while n_waiting > 0:
        n_waiting -= 1
        item = WAITING(stack, n_waiting)
        if item.distance > (1.0 + SAME_DISTANCE) * least:
            continue
        k = int(item.i)
        if k < first:
            left = distance_of_node(outline, 2 * k + 1, x, y)
            right = distance_of_node(outline, 2 * k + 2, x, y)
            near = 1 if left <= right else 2
            n_waiting = wait(stack, n_waiting, 2 * k + 3 - near, root, max(left, right))
            n_waiting = wait(stack, n_waiting, 2 * k + near, root, min(left, right))
            continue
        cell = node_of(outline, k)
        if cell.kind == CORNER:
            continue
        distance, above, s = depth_below_side(pose, outline, cell, px, py, search.features.size, point)
        is_same = abs(distance - least) <= SAME_DISTANCE * least
        if (distance < least and not is_same) or (is_same and abs(above) > abs(height)):
            least = distance
            height = above
            nearest = k
            at = s
    return -least if height > 0.0 else least, nearest, at


@jit
def depth_of_own_point(search, one, other, is_first, cell, s):
    """Return the depth of the point s of one outline in the other, the side there, and its parameter."""
    work = search.features
    pose = work.pose_a if is_first else work.pose_b
    other_pose = work.pose_b if is_first else work.pose_a
    side_point(pose, one, cell, s, work.a)
    return depth_of_point(search, other_pose, other, work.a.x, work.a.y, work.b)


@jit
def deepest_point(search, one, other, is_first):
    """Return the largest depth of a point of one outline in another that is closed [m], its cell and parameter."""
    work = search.features
    pose = work.pose_a if is_first else work.pose_b
    other_pose = work.pose_b if is_first else work.pose_a
    root = node_of(other, 0)
    largest = 0.0
    best = -1
    at = 0.0
    step = 0.0
    if other.path.is_closed == 0.0:
        return largest, best, at
    first = int(one.first_leaf)
    for k in range(first, 2 * first + 1):
        cell = node_of(one, k)
        if cell.radius < 0.0:
            continue
        n = 0
        if cell.kind != CORNER:
            n = 1 if cell.kind == SMOOTH else INTERVALS
        for i in range(n + 1):
            s = cell.low + (cell.high - cell.low) * i / max(n, 1)
            side_point(pose, one, cell, s, work.a)
            x, y, _ = to_local(other_pose, work.a.x, work.a.y, other_pose.z)
            if math.hypot(x - root.x, y - root.y) > root.radius:
                continue
            depth, _, _ = depth_of_own_point(search, one, other, is_first, cell, s)
            if depth > largest:
                largest = depth
                best = k
                at = s
                step = (cell.high - cell.low) / max(n, 1)
    if best < 0:
        return largest, best, at
    cell = node_of(one, best)
    for _ in range(MAX_STEPS):
        moved = False
        for i in range(2):
            s = min(max(at + (1.0 - 2.0 * i) * step, cell.low), cell.high)
            depth, _, _ = depth_of_own_point(search, one, other, is_first, cell, s)
            if depth > largest:
                largest = depth
                at = s
                moved = True
        if not moved:
            step *= 0.5
    return largest, best, at


@jit
def keep_deepest_point(search, a, b):
    """Keep the place where two outlines overlap most, if they do, beside the contacts that have been found."""
    depth_a, cell_a, s_a = deepest_point(search, a, b, True)
    depth_b, cell_b, s_b = deepest_point(search, b, a, False)
    if max(depth_a, depth_b) <= 0.0:
        return
    work = search.features
    is_first = depth_a >= depth_b
    one = work.a
    two = work.b
    if is_first:
        _, cell_b, s_b = depth_of_own_point(search, a, b, True, node_of(a, cell_a), s_a)
    else:
        _, cell_a, s_a = depth_of_own_point(search, b, a, False, node_of(b, cell_b), s_b)
    side_point(work.pose_a, a, node_of(a, cell_a), s_a, one)
    side_point(work.pose_b, b, node_of(b, cell_b), s_b, two)
    depth = max(depth_a, depth_b)
    # Out of the solid in which the point is; the normal is that from b to a.
    nx = (two.x - one.x) / depth
    ny = (two.y - one.y) / depth
    store_feature(work.result, True, s_a, s_b, -depth, nx, ny, one.x, one.y, two.x, two.y)
    search.leaf_a = float(cell_a)
    search.leaf_b = float(cell_b)
    if is_known(search, a, b, True):
        return
    n = min(int(search.n_found), MAX_FOUND - 1)
    store_found(search, found_at(search, n), a, b, True, False)
    search.n_found = n + 1.0
