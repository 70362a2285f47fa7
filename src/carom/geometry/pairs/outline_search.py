"""Search of all contacts of two planar outlines, through the trees of their cells.

Pairs of nodes are visited that may contain a contact: their discs are close to each other, and their normals opposite.
The search finds the closest of all contacts, and with it those whose gap or depth is within a margin.
"""

from __future__ import annotations

import math

from carom.geometry.pairs.base import NO_CONTACT
from carom.geometry.pairs.outline_features import (
    FEATURES,
    contact_of_corner,
    contact_of_corners,
    contact_of_sides,
    has_depth_limit,
    is_half_plane,
    node_of,
    side_point,
    store_feature,
)
from carom.geometry.pairs.spots import SPOT
from carom.geometry.planar_outline import CORNER, FLUSH_ANGLE, SMOOTH, STRAIGHT
from carom.kernels import FLOAT, address_of, floats, jit, record

MAX_FOUND = 12
"""Largest number of contacts that are kept, those of the least gap or depth."""
MAX_STACK = 64
"""Largest number of pairs of nodes that wait."""
FOUND = record(
    spot=SPOT,
    s_a=FLOAT,  # parameters of the points
    s_b=FLOAT,
    is_minimum=FLOAT,  # 1.0 if the gap is a local minimum, 0.0 at another end of flush sides
    is_smooth=FLOAT,  # 1.0 if both points are on curved sides
    leaf_a=FLOAT,  # the cells
    leaf_b=FLOAT,
)
"""Contact that has been found; its spot has the gap of the surfaces, and its points on them."""
FOUND_TABLE = record(numbers=(FLOAT, MAX_FOUND * FOUND.size))
"""Contacts that have been found, one after the other (`FOUND`)."""
WAITING = record("i j  distance")
"""Pair of nodes that waits, and its distance [m]."""
STACK = record(numbers=(FLOAT, MAX_STACK * WAITING.size))
"""Pairs of nodes that wait."""
SEARCH = record(
    features=FEATURES,
    least=FLOAT,  # least distance of the paths at a local minimum, or depth [m]
    margin=FLOAT,  # distance or depth of further contacts [m]
    leaf_a=FLOAT,  # the cells that are searched
    leaf_b=FLOAT,
    n_found=FLOAT,
    found=FOUND_TABLE,
    stack=STACK,
)
"""Memory of a search."""

SAME_PLACE = 1e-9
"""Ratio of parameters to the size of an outline below which two contacts are one [-]."""
MARGIN = 0.01
"""Ratio of the distance or depth of further contacts to the size of the smaller outline [-]."""
FLUSH_COSINE = math.cos(FLUSH_ANGLE)
"""Cosine of the largest angle of flush sides [-]."""


@jit
def found_at(search, k):
    """Return contact ``k``."""
    return FOUND(floats(address_of(search.found)), k)


@jit
def store_found(search, found, a, b, is_minimum, is_smooth):
    """Store the contact of the last two cells."""
    feature = search.features.result
    spot = found.spot
    spot.gap = feature.gap - (a.radius + b.radius)
    spot.normal[0] = feature.nx
    spot.normal[1] = feature.ny
    spot.normal[2] = 0.0
    spot.point_a[0] = feature.ax - a.radius * feature.nx
    spot.point_a[1] = feature.ay - a.radius * feature.ny
    spot.point_a[2] = 0.0
    spot.point_b[0] = feature.bx + b.radius * feature.nx
    spot.point_b[1] = feature.by + b.radius * feature.ny
    spot.point_b[2] = 0.0
    spot.place[2] = 0.0
    found.s_a = feature.low_a
    found.s_b = feature.low_b
    found.is_minimum = 1.0 if is_minimum else 0.0
    found.is_smooth = 1.0 if is_smooth else 0.0
    found.leaf_a = search.leaf_a
    found.leaf_b = search.leaf_b


@jit
def is_known(search, a, b, is_minimum):
    """Return whether the contact of the last two cells is among those found; neighbouring cells share some."""
    feature = search.features.result
    tolerance = SAME_PLACE * search.features.size
    for k in range(int(search.n_found)):
        other = found_at(search, k)
        spot = other.spot
        ax = feature.ax - a.radius * feature.nx - spot.point_a[0]
        ay = feature.ay - a.radius * feature.ny - spot.point_a[1]
        bx = feature.bx + b.radius * feature.nx - spot.point_b[0]
        by = feature.by + b.radius * feature.ny - spot.point_b[1]
        if max(max(abs(ax), abs(ay)), max(abs(bx), abs(by))) <= tolerance:
            if is_minimum:
                other.is_minimum = 1.0
            return True
    return False


@jit
def rank(gap, by_depth):
    """Return the number by which contacts are compared, the least of those that are kept: gap, or gap or depth [m]."""
    return gap if by_depth else abs(gap)


@jit
def keep(search, a, b, is_minimum, is_smooth, thickness):
    """Keep the contact of the last two cells, if it is near enough and true for solids of this thickness."""
    gap = search.features.result.gap
    distance = abs(gap)
    if distance > max(search.margin, search.least) or -gap > thickness:
        return
    if is_minimum:
        search.least = min(search.least, distance)
    if is_known(search, a, b, is_minimum):
        return
    n = int(search.n_found)
    if n < MAX_FOUND:
        store_found(search, found_at(search, n), a, b, is_minimum, is_smooth)
        search.n_found = n + 1.0
        return
    # Above a half plane the deepest are kept.
    by_depth = is_half_plane(b)
    worst = 0
    for k in range(1, n):
        if rank(found_at(search, k).spot.gap, by_depth) > rank(found_at(search, worst).spot.gap, by_depth):
            worst = k
    if rank(gap, by_depth) - (a.radius + b.radius) < rank(found_at(search, worst).spot.gap, by_depth):
        store_found(search, found_at(search, worst), a, b, is_minimum, is_smooth)


@jit
def depth_limit(a, b, cell_a, cell_b):
    """Return the thickness that limits the depth of a contact of two cells [m], or NO_CONTACT."""
    if not has_depth_limit(a, b):
        return NO_CONTACT
    return min(cell_a.thickness, cell_b.thickness)


# ---- flush sides


@jit
def ends_of(outline, cell):
    """Return the parameters where a straight side begins and ends along τ, and whether it has no corners there."""
    if outline.side > 0.0:
        return cell.low, cell.high, cell.joins_smoothly_before != 0.0, cell.joins_smoothly_behind != 0.0
    return cell.high, cell.low, cell.joins_smoothly_behind != 0.0, cell.joins_smoothly_before != 0.0


@jit
def store_middles(work, a, b, cell_a, cell_b):
    """Store the middles of two sides."""
    side_point(work.pose_a, a, cell_a, 0.5 * (cell_a.low + cell_a.high), work.a)
    side_point(work.pose_b, b, cell_b, 0.5 * (cell_b.low + cell_b.high), work.b)


@jit
def keep_end_of_first(search, a, b, cell_a, cell_b, s):
    """Keep the end ``s`` of a straight side of a above one of b."""
    work = search.features
    p = work.a
    q = work.b
    store_middles(work, a, b, cell_a, cell_b)
    side_point(work.pose_a, a, cell_a, s, p)
    dx = p.x - q.x
    dy = p.y - q.y
    along = dx * q.tx + dy * q.ty
    gap = dy * q.tx - dx * q.ty
    s_b = 0.5 * (cell_b.low + cell_b.high) + along / q.speed
    store_feature(
        work.result, True, s, s_b, gap, -q.ty, q.tx, p.x, p.y, q.x + along * q.tx, q.y + along * q.ty
    )  # fmt: skip
    keep(search, a, b, False, False, depth_limit(a, b, cell_a, cell_b))


@jit
def keep_end_of_second(search, a, b, cell_a, cell_b, s):
    """Keep the end ``s`` of a straight side of b above one of a."""
    work = search.features
    p = work.a
    q = work.b
    store_middles(work, a, b, cell_a, cell_b)
    side_point(work.pose_b, b, cell_b, s, q)
    dx = q.x - p.x
    dy = q.y - p.y
    along = dx * p.tx + dy * p.ty
    gap = dy * p.tx - dx * p.ty
    s_a = 0.5 * (cell_a.low + cell_a.high) + along / p.speed
    store_feature(
        work.result, True, s_a, s, gap, p.ty, -p.tx, p.x + along * p.tx, p.y + along * p.ty, q.x, q.y
    )  # fmt: skip
    keep(search, a, b, False, False, depth_limit(a, b, cell_a, cell_b))


@jit
def contacts_of_flush_sides(search, a, b, cell_a, cell_b):
    """Keep both ends of the common part of two straight sides that are nearly parallel.

    Each end is a corner of one side above the other side, along the normal of that one. A side that continues in a
    rounding has no contact at this end while the rounding is closer.
    """
    work = search.features
    p = work.a
    q = work.b
    store_middles(work, a, b, cell_a, cell_b)
    cosine = p.tx * q.tx + p.ty * q.ty
    if cosine > -FLUSH_COSINE:
        return
    sine = p.tx * q.ty - p.ty * q.tx
    # Intervals about the middles on the common tangent, along which a runs forwards and b backwards.
    half_cosine = math.sqrt(0.5 * (1.0 - cosine))
    x = ((q.x - p.x) * (p.tx - q.tx) + (q.y - p.y) * (p.ty - q.ty)) / (2.0 * half_cosine)
    half_a = 0.5 * (cell_a.high - cell_a.low) * abs(p.speed) * half_cosine
    half_b = 0.5 * (cell_b.high - cell_b.low) * abs(q.speed) * half_cosine
    if not max(-half_a, x - half_b) < min(half_a, x + half_b):
        return
    begin_a, end_a, joins_begin_a, joins_end_a = ends_of(a, cell_a)
    begin_b, end_b, joins_begin_b, joins_end_b = ends_of(b, cell_b)
    if x - half_b <= -half_a:
        if not (joins_begin_a and sine < 0.0):
            keep_end_of_first(search, a, b, cell_a, cell_b, begin_a)
    elif not (joins_end_b and sine < 0.0):
        keep_end_of_second(search, a, b, cell_a, cell_b, end_b)
    if half_a <= x + half_b:
        if not (joins_end_a and sine > 0.0):
            keep_end_of_first(search, a, b, cell_a, cell_b, end_a)
    elif not (joins_begin_b and sine > 0.0):
        keep_end_of_second(search, a, b, cell_a, cell_b, begin_b)


# ---- search


@jit
def search_cells(search, a, b, cell_a, cell_b):
    """Keep the contacts of two cells."""
    work = search.features
    limit = depth_limit(a, b, cell_a, cell_b)
    is_smooth = False
    if cell_a.kind == CORNER:
        if cell_b.kind == CORNER:
            is_minimum = contact_of_corners(cell_a, cell_b, work)
        else:
            is_minimum = contact_of_corner(work.pose_a, cell_a, work.pose_b, b, cell_b, True, work)
    elif cell_b.kind == CORNER:
        is_minimum = contact_of_corner(work.pose_b, cell_b, work.pose_a, a, cell_a, False, work)
    elif cell_a.kind == STRAIGHT and cell_b.kind == STRAIGHT:
        contacts_of_flush_sides(search, a, b, cell_a, cell_b)
        return
    else:
        is_minimum = contact_of_sides(a, b, cell_a, cell_b, work)
        is_smooth = cell_a.kind == SMOOTH and cell_b.kind == SMOOTH
    if is_minimum:
        keep(search, a, b, is_minimum, is_smooth, limit)


@jit
def is_beside(dx, dy, nx, ny, radii, slope, limit):
    """Return whether two discs are too far apart across the normal n for a contact; ``slope`` is that of its range."""
    return abs(dy * nx - dx * ny) > radii + slope * limit


@jit
def distance_of_nodes(pose, one, other, limit):
    """Return the distance of two nodes [m], NO_CONTACT if they contain no contact of a distance up to ``limit`` [m].

    ``pose`` is that of the first outline in the axes of the second: x, y, cos, sin.
    """
    if one.radius < 0.0 or other.radius < 0.0:
        return NO_CONTACT
    x, y, c, s = pose
    dx = x + c * one.x - s * one.y - other.x
    dy = y + s * one.x + c * one.y - other.y
    radii = one.radius + other.radius
    distance = math.sqrt(dx * dx + dy * dy) - radii
    if distance > limit:
        return NO_CONTACT
    nx = c * one.nx - s * one.ny
    ny = s * one.nx + c * one.ny
    if one.half_range + other.half_range < math.pi:
        cosine = one.cos_half_range * other.cos_half_range - one.sin_half_range * other.sin_half_range
        if -(nx * other.nx + ny * other.ny) < cosine:
            return NO_CONTACT
    if one.cos_half_range > 0.0 and is_beside(dx, dy, nx, ny, radii, one.sin_half_range, limit):
        return NO_CONTACT
    if other.cos_half_range > 0.0 and is_beside(dx, dy, other.nx, other.ny, radii, other.sin_half_range, limit):
        return NO_CONTACT
    return distance


@jit
def relative_pose(pose_a, pose_b):
    """Return the pose of a in the axes of b: x, y [m], cos, sin."""
    x = pose_a.x - pose_b.x
    y = pose_a.y - pose_b.y
    return (
        pose_b.r11 * x + pose_b.r21 * y,
        pose_b.r12 * x + pose_b.r22 * y,
        pose_a.r11 * pose_b.r11 + pose_a.r21 * pose_b.r21,
        pose_a.r21 * pose_b.r11 - pose_a.r11 * pose_b.r21,
    )


@jit
def search_contacts(search, a, b):
    """Find the contacts of two outlines in the poses of ``search.features``: those within a margin."""
    search_within(search, a, b, search.margin)
    if search.n_found == 0.0:
        search_within(search, a, b, NO_CONTACT)


@jit
def search_within(search, a, b, limit):
    """Find the contacts of two outlines up to a distance or depth of ``limit`` [m]."""
    pose = relative_pose(search.features.pose_a, search.features.pose_b)
    stack = floats(address_of(search.stack))
    search.n_found = 0.0
    search.least = limit
    first_leaf_a = int(a.first_leaf)
    first_leaf_b = int(b.first_leaf)
    i = 0
    j = 0
    distance = 0.0
    is_number = pose[0] == pose[0] and pose[2] == pose[2]
    n_waiting = wait(stack, 0, i, j, distance) if is_number else 0
    while n_waiting > 0:
        n_waiting -= 1
        item = WAITING(stack, n_waiting)
        if item.distance > max(search.margin, search.least):
            continue
        i = int(item.i)
        j = int(item.j)
        one = node_of(a, i)
        other = node_of(b, j)
        if i >= first_leaf_a and j >= first_leaf_b:
            search.leaf_a = float(i)
            search.leaf_b = float(j)
            search_cells(search, a, b, one, other)
            continue
        # The larger node is divided; its nearer half is visited first.
        divides_a = j >= first_leaf_b or (i < first_leaf_a and one.radius >= other.radius)
        left_i = 2 * i + 1 if divides_a else i
        left_j = j if divides_a else 2 * j + 1
        right_i = left_i + 1 if divides_a else i
        right_j = j if divides_a else left_j + 1
        limit = max(search.margin, search.least)
        left = distance_of_nodes(pose, node_of(a, left_i), node_of(b, left_j), limit)
        right = distance_of_nodes(pose, node_of(a, right_i), node_of(b, right_j), limit)
        if left <= right:
            n_waiting = wait(stack, n_waiting, right_i, right_j, right)
            n_waiting = wait(stack, n_waiting, left_i, left_j, left)
        else:
            n_waiting = wait(stack, n_waiting, left_i, left_j, left)
            n_waiting = wait(stack, n_waiting, right_i, right_j, right)


@jit
def wait(stack, n_waiting, i, j, distance):
    """Put a pair of nodes on the stack, unless it contains no contact; return the number of pairs there."""
    if distance >= NO_CONTACT:
        return n_waiting
    item = WAITING(stack, n_waiting)
    item.i = float(i)
    item.j = float(j)
    item.distance = distance
    return n_waiting + 1
