"""Contact manifold of two convex shapes: spots on the common part of two level faces or edges.

The nearly level parts of both cores are projected along the normal. What they have in common is a polygon, a segment or
a point; its corners, each with its own gap along the normal, are the spots. A corner appears and vanishes next to
another one: the depth of the one before a short side is reduced in proportion to its length, so that no force jumps.
Where there are more than MAX_SPOTS corners, the deepest and those furthest in several directions are taken.
"""

from __future__ import annotations

import math

from carom.geometry.convex.features import MAX_CORNERS, level_feature
from carom.geometry.convex.support import FRUSTUM
from carom.geometry.pairs.base import NO_CONTACT, to_local
from carom.geometry.pairs.spots import MAX_SPOTS, SPOT
from carom.geometry.vectors import along, cross, dot, load, norm, perpendicular, scale, subtract, unit
from carom.kernels import jit, stack_floats

TILT, FURTHEST_OUT = 1e-3, 1e3
"""Height per extent that a spot may be above another one and still be preferred to it, as it is further out [-]."""
TIE = 1e-12
"""Relative difference of two extents that is rounding [-]."""
LEVEL_HEIGHT = 1e-12
"""Ratio to the size of the shapes of a difference of gaps that is rounding [-]."""
RIM_SPOTS = 4
"""Largest number of spots on the rim of a frustum."""
PARALLEL_SINE = math.sin(math.radians(5.0))
"""Sine of the angle below which two edges are parallel [-]."""
SHORT_SIDE = 0.01
"""Ratio of a side to the smaller shape below which the depth of the corner before it is reduced [-]."""
MARGIN = 1e-12
"""Margin around a face relative to the smaller shape [-], so that all corners of equal faces are within it."""
MAX_CANDIDATES = 2 * MAX_CORNERS + 2
TABLE_SIZE = 3 * (MAX_CANDIDATES + 1)
GAPS_SIZE = MAX_CANDIDATES + 1


@jit
def corner(corners, k):
    """Return corner ``k``."""
    return corners[3 * k], corners[3 * k + 1], corners[3 * k + 2]


@jit
def store_corner(corners, k, p):
    """Store corner ``k``."""
    corners[3 * k] = p[0]
    corners[3 * k + 1] = p[1]
    corners[3 * k + 2] = p[2]


@jit
def polygon_normal(corners, n_corners):
    """Return the unit normal of a polygon, by the sum of its triangles."""
    first = 0
    p = corner(corners, first)
    total = (0.0, 0.0, 0.0)
    for k in range(1, n_corners - 1):
        e = subtract(corner(corners, k), p)
        f = subtract(corner(corners, k + 1), p)
        total = along(total, 1.0, cross(e, f))
    return unit(total)


@jit
def clip_by_side(source, n_source, at, inward, margin, target):
    """Store the part of a polygon or segment on the inner side of a plane; return its number of corners."""
    n = 0
    for k in range(n_source):
        p = corner(source, k)
        q = corner(source, (k + 1) % n_source)
        height = dot(subtract(p, at), inward) + margin
        next_height = dot(subtract(q, at), inward) + margin
        if height >= 0.0 and n < MAX_CANDIDATES:
            store_corner(target, n, p)
            n += 1
        if height * next_height < 0.0 and n < MAX_CANDIDATES and (n_source > 2 or k == 0):
            store_corner(target, n, along(p, height / (height - next_height), subtract(q, p)))
            n += 1
    return n


@jit
def clip_polygon(clipped, n_clipped, polygon, n_polygon, direction, margin, spare):
    """Clip a polygon or segment by the sides of a polygon, along ``direction``; return its number of corners.

    The result is in ``clipped``.
    """
    up = polygon_normal(polygon, n_polygon)
    sense = math.copysign(1.0, dot(up, direction))
    for k in range(n_polygon):
        p = corner(polygon, k)
        side = subtract(corner(polygon, (k + 1) % n_polygon), p)
        inward = unit(scale(sense, cross(direction, side)))
        n_clipped = clip_by_side(clipped, n_clipped, p, inward, margin, spare)
        for i in range(3 * n_clipped):
            clipped[i] = spare[i]
        if n_clipped == 0:
            return 0
    return n_clipped


@jit
def clip_segment(clipped, segment, direction):
    """Clip a segment to the extent of a parallel one; return its number of ends, 0 where they are not parallel."""
    first = 0
    second = 1
    p = corner(segment, first)
    e = subtract(corner(segment, second), p)
    q = corner(clipped, first)
    f = subtract(corner(clipped, second), q)
    e = along(e, -dot(e, direction), direction)
    level = along(f, -dot(f, direction), direction)
    if norm(cross(e, level)) > PARALLEL_SINE * norm(e) * norm(level):
        return 0
    low = dot(subtract(q, p), e) / dot(e, e)
    rise = dot(level, e) / dot(e, e)
    start = min(max((0.0 - low) / rise, 0.0), 1.0)
    end = min(max((1.0 - low) / rise, 0.0), 1.0)
    if start == end:
        return 0
    store_corner(clipped, first, along(q, start, f))
    store_corner(clipped, second, along(q, end, f))
    return 2


@jit
def foot_on_feature(p, corners, n_corners, n):
    """Return the point of the plane of a polygon below ``p`` along n, or the point of a line that is closest to it."""
    first = 0
    second = 1
    q = corner(corners, first)
    if n_corners > 2:
        up = polygon_normal(corners, n_corners)
        return along(p, -dot(subtract(p, q), up) / dot(n, up), n)
    e = subtract(corner(corners, second), q)
    level = along(e, -dot(e, n), n)
    return along(q, dot(subtract(p, q), level) / dot(level, level), e)


@jit
def line_radius(frame):
    """Return the radius of curvature across a straight line of a shape [m]."""
    if frame.core == FRUSTUM:
        return frame.radius + 0.5 * (frame.size[0] + frame.size[1])
    return frame.radius


@jit
def aside_gap(aside, radius):
    """Return by how much the gap of nearly parallel lines is larger where they are ``aside`` of each other [m]."""
    if aside < radius:
        return 0.5 * aside * aside / radius
    return aside - 0.5 * radius


@jit
def drop_short_sides(points, count, direction, shortest):
    """Remove corners of a polygon next to the following one; return the number of those that stay."""
    n = 0
    for k in range(count):
        way = subtract(corner(points, (k + 1) % count), corner(points, k))
        if norm(along(way, -dot(way, direction), direction)) > shortest or (n == 0 and k == count - 1):
            store_corner(points, n, corner(points, k))
            n += 1
    return n


@jit
def set_gaps(a, b, n, points, count, other, n_other, is_on_a, gaps):
    """Replace the common corners, which are on one core, by points midway between the shapes; store their gaps."""
    short = SHORT_SIDE * min(a.extent + a.radius, b.extent + b.radius)
    sign = 1.0 if is_on_a else -1.0
    first = 0
    start = corner(points, first)
    for k in range(count):
        p = corner(points, k)
        following = start
        if k + 1 < count:
            following = corner(points, k + 1)
        side = subtract(following, p)
        foot = foot_on_feature(p, other, n_other, n)
        way = subtract(p, foot)
        height = sign * dot(way, n)
        gap = height - a.radius - b.radius
        aside = norm(along(way, -dot(way, n), n))
        if n_other == 2:
            gap += aside_gap(aside, line_radius(a) + line_radius(b))
        length = norm(along(side, -dot(side, n), n))
        if gap < 0.0 and length < short and k < count - (count < 3):
            gap *= length / short
        gaps[k] = gap
        middle = along(scale(0.5, along(p, 1.0, foot)), 0.5 * (b.radius - a.radius), n)
        store_corner(points, k, middle)


@jit
def find_corners(a, b, n, points, gaps):
    """Store middle and gap of the corners of the common part of both level features; return their number."""
    memory_a = stack_floats(TABLE_SIZE)
    memory_b = stack_floats(TABLE_SIZE)
    spare = stack_floats(TABLE_SIZE)
    smaller = min(a.extent + a.radius, b.extent + b.radius)
    n_a = level_feature(a, scale(-1.0, n), memory_a)
    n_b = level_feature(b, n, memory_b)
    if max(n_a, n_b) < 3 and min(n_a, n_b) < 2:
        return 0
    # The part of one of them within the other; a polygon clips a segment or a point.
    is_on_a = n_a <= n_b
    source = memory_a
    other = memory_b
    n_source = n_a
    n_other = n_b
    if not is_on_a:
        source = memory_b
        other = memory_a
        n_source = n_b
        n_other = n_a
    for i in range(3 * n_source):
        points[i] = source[i]
    if n_other > 2:
        count = clip_polygon(points, n_source, other, n_other, n, MARGIN * smaller, spare)
        if n_source > 2:
            count = drop_short_sides(points, count, n, 10.0 * MARGIN * smaller)
    else:
        count = clip_segment(points, other, n)
    set_gaps(a, b, n, points, count, other, n_other, is_on_a, gaps)
    return count


@jit
def deepest_corner(gaps, count):
    """Return the corner with the least gap, −1 if there is none."""
    best = -1
    for k in range(count):
        if best < 0 or gaps[k] < gaps[best]:
            best = k
    return best


@jit
def add_closest_points(a, b, work, points, gaps, count):
    """Add the closest points to the corners of the manifold where they are deeper than these; return their number."""
    smaller = min(a.extent + a.radius, b.extent + b.radius)
    best = deepest_corner(gaps, count)
    if best < 0 or work.gap < gaps[best] - MARGIN * smaller:
        store_corner(points, count, work.middle)
        gaps[count] = work.gap
        count += 1
    return count


@jit
def middle_of(points, count):
    """Return the mean of the first points of a table."""
    total = (0.0, 0.0, 0.0)
    for k in range(count):
        total = along(total, 1.0, corner(points, k))
    return scale(1.0 / count, total)


@jit
def contains_number(numbers, count, number):
    """Return whether ``number`` is one of the first numbers of a list."""
    found = False
    for k in range(count):
        found = found or numbers[k] == number
    return found


@jit
def select_candidates(points, gaps, count, n, limit, tilt, selected):
    """Store the indices of up to ``limit`` candidates; return their number.

    Of more candidates these are the deepest one, those that are furthest out in directions at equal angles from it in
    the plane of contact, whose normal is n, and then the deepest others. ``tilt`` is the height per extent that one of
    them may be above another one and still be preferred to it, as it is further out.
    """
    if count <= limit:
        for i in range(count):
            selected[i] = i
        return count
    s = perpendicular(n)
    t = cross(n, s)
    n_selected = 0
    for k in range(2 * limit):
        if n_selected == limit:
            break
        angle = 2.0 * math.pi * k / limit
        weight = tilt if 0 < k < limit else 0.0
        outwards = scale(weight, along(scale(math.cos(angle), s), math.sin(angle), t))
        best = -1
        highest = -NO_CONTACT
        for i in range(count):
            score = dot(corner(points, i), outwards) - gaps[i]
            if score > highest + TIE * abs(highest):
                is_new = not contains_number(selected, n_selected, i)
                if is_new or weight > 0.0:
                    highest = score
                    best = i if is_new else -1
        if best >= 0:
            selected[n_selected] = best
            n_selected += 1
        if k == 0:
            out = subtract(corner(points, best), middle_of(points, count))
            out = along(out, -dot(out, n), n)
            if norm(out) > 0.0:
                s = unit(out)
                t = cross(n, s)
    return n_selected


@jit
def find_middle(a, b, work, points, gaps, count):
    """Return the middle of the corners of the manifold that are as close as the closest points, or of these [m]."""
    n_level = 0
    for k in range(count):
        if gaps[k] <= work.gap + LEVEL_HEIGHT * (a.extent + b.extent):
            store_corner(points, n_level, corner(points, k))
            n_level += 1
    if n_level > 1:
        return middle_of(points, n_level)
    return load(work.middle)


@jit
def find_spots(a, b, work, points, gaps, count, sign, pose_b, reference, found):
    """Store the spots of two convex shapes, from the corners of their manifold; return their number.

    ``reference`` is the origin of the coordinates of both shapes [m]. ``sign`` is −1.0 if they are exchanged.
    """
    selected = stack_floats(MAX_SPOTS)
    n = load(work.n)
    if a.core == FRUSTUM or b.core == FRUSTUM:
        # A rim has no corners: a few points stand for it, always at the same angles from the deepest one.
        n_spots = select_candidates(points, gaps, count, n, RIM_SPOTS, FURTHEST_OUT, selected)
    else:
        n_spots = select_candidates(points, gaps, count, n, MAX_SPOTS, TILT, selected)
    n = scale(sign, n)
    for i in range(n_spots):
        k = int(selected[i])
        store_found(SPOT(found, i), corner(points, k), gaps[k], n, pose_b, reference)
    return n_spots


@jit
def store_found(spot, middle, gap, n, pose_b, reference):
    """Store a spot in global coordinates, with its place on b."""
    spot.gap = gap
    middle = along(middle, 1.0, reference)
    place = to_local(pose_b, middle[0], middle[1], middle[2])
    for d in range(3):
        spot.normal[d] = n[d]
        spot.point_a[d] = middle[d] + 0.5 * gap * n[d]
        spot.point_b[d] = middle[d] - 0.5 * gap * n[d]
        spot.place[d] = place[d]
