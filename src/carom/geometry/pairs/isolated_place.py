"""Proof that two smooth outlines touch at a single place in all poses near the present one.

The place can then be followed by Newton's method without a search. A second place cannot come near through a motion
below the slack if none is within the margin and twice the slack. Nor can one arise: common normals appear and disappear
in pairs where the relative curvature is zero, or at the ends of curves. All cells that are close to each other
with opposite normals are therefore checked for positive relative curvature.
"""

from __future__ import annotations

import math

from carom.geometry.pairs.outline_features import node_of
from carom.geometry.pairs.outline_search import WAITING, relative_pose, wait
from carom.kernels import FLOAT, address_of, floats, jit, record

ISOLATION = record(
    state=FLOAT,  # 1.0 if the place is the only one near this pose, −1.0 if this could not be shown, 0.0: unknown
    x=FLOAT,  # pose of a in the axes of b [m]
    y=FLOAT,
    cosine=FLOAT,
    sine=FLOAT,
)
"""Pose for which the proof was tried, and its outcome."""
MAX_MOTION = 0.02
"""Ratio to the size of the smaller outline up to which points may move from this pose [-]."""
MAX_SINE = 0.02
"""Sine of the largest rotation from this pose [-]."""
SINE_MARGIN = 1.01
"""Margin of an angle over its sine."""


@jit
def is_near(a, search, isolation):
    """Return whether the poses of ``search`` are near those of the last proof."""
    if isolation.state == 0.0:
        return False
    x, y, c, s = relative_pose(search.features.pose_a, search.features.pose_b)
    dx = x - isolation.x
    dy = y - isolation.y
    sine = abs(s * isolation.cosine - c * isolation.sine)
    root = node_of(a, 0)
    reach = math.sqrt(root.x * root.x + root.y * root.y) + root.radius
    motion = math.sqrt(dx * dx + dy * dy) + SINE_MARGIN * sine * reach
    turns_little = c * isolation.cosine + s * isolation.sine > 0.0 and sine <= MAX_SINE
    return turns_little and motion <= MAX_MOTION * search.features.size


@jit
def store_isolation(search, state, isolation):
    """Store the outcome for the poses of ``search``."""
    isolation.x, isolation.y, isolation.cosine, isolation.sine = relative_pose(
        search.features.pose_a, search.features.pose_b
    )
    isolation.state = state


@jit
def can_be_common(pose, one, other, limit):
    """Return whether two nodes may have a common normal of a length up to ``limit`` [m] near ``pose``."""
    if one.radius < 0.0 or other.radius < 0.0:
        return False
    x, y, c, s = pose
    dx = x + c * one.x - s * one.y - other.x
    dy = y + s * one.x + c * one.y - other.y
    if math.sqrt(dx * dx + dy * dy) > one.radius + other.radius + limit:
        return False
    cosine = -((c * one.nx - s * one.ny) * other.nx + (s * one.nx + c * one.ny) * other.ny)
    angle = math.acos(min(max(cosine, -1.0), 1.0))
    return angle <= one.half_range + other.half_range + SINE_MARGIN * MAX_SINE


@jit
def is_regular(one, other, limit):
    """Return whether every common normal of two leaves of a length up to ``limit`` [m] is a minimum of the gap."""
    if min(one.thickness, other.thickness) <= limit:
        return False
    if limit * max(one.largest_curvature, other.largest_curvature) >= 1.0:
        return False
    ca = one.least_curvature
    cb = other.least_curvature
    return ca + cb > 0.0 and ca + cb + limit * min(ca * cb, 0.0) > 0.0


@jit
def all_regular(search, a, b, limit):
    """Return whether all leaves that are close to each other with opposite normals are regular."""
    pose = relative_pose(search.features.pose_a, search.features.pose_b)
    stack = floats(address_of(search.stack))
    first_leaf_a = int(a.first_leaf)
    first_leaf_b = int(b.first_leaf)
    i = 0
    j = 0
    n_waiting = wait(stack, 0, i, j, 0.0)
    while n_waiting > 0:
        n_waiting -= 1
        item = WAITING(stack, n_waiting)
        i = int(item.i)
        j = int(item.j)
        one = node_of(a, i)
        other = node_of(b, j)
        if not can_be_common(pose, one, other, limit):
            continue
        if i >= first_leaf_a and j >= first_leaf_b:
            if not is_regular(one, other, limit):
                return False
            continue
        divides_a = j >= first_leaf_b or (i < first_leaf_a and one.radius >= other.radius)
        for k in range(1, 3):
            child_i = 2 * i + k if divides_a else i
            child_j = j if divides_a else 2 * j + k
            n_waiting = wait(stack, n_waiting, child_i, child_j, 0.0)
    return True
