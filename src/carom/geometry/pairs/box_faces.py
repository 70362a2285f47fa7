"""What of one box's face is above another's: the corners of this polygon, each with its gap.

The face of the box ``reference`` is at the end ``up`` (1.0 or −1.0) of its ``axis``, that of ``incident`` at the
``end`` of its axis ``face``; coordinates u and v on a face are along the two axes that follow. ``room`` [m] is by how
much the reference is wider than its face. Gaps are along the normal of the reference; points are in global axes.
"""

from __future__ import annotations

import math

from carom.geometry.pairs.base import FAR
from carom.geometry.pairs.boxes import AXIS, HALF, dot, size_of
from carom.kernels import jit, offset

SHORT = 0.01
"""Length of a side of the polygon, in parts of the smaller box, below which the corner it begins at yields to the one
it ends at: corners appear and vanish without a jump."""


@jit
def sign_of(corner, axis):
    """1.0 or −1.0: at which end of an axis the ``corner`` of a box is (see `boxes.corner`)."""
    code = corner ^ (corner >> 1)
    return 2.0 * ((code >> axis) & 1) - 1.0


@jit
def point_on(box, axis, along, u, v):
    """The point at ``along`` on an axis of the box, and at u and v on the two that follow."""
    p = offset(box, AXIS + 3 * axis)
    q = offset(box, AXIS + 3 * ((axis + 1) % 3))
    r = offset(box, AXIS + 3 * ((axis + 2) % 3))
    return (
        box[0] + along * p[0] + u * q[0] + v * r[0],
        box[1] + along * p[1] + u * q[1] + v * r[1],
        box[2] + along * p[2] + u * q[2] + v * r[2],
    )


@jit
def parts_of(box, axis, x, y, z):
    """Parts of a vector along an axis of the box and along the two that follow."""
    return (
        dot(offset(box, AXIS + 3 * axis), x, y, z),
        dot(offset(box, AXIS + 3 * ((axis + 1) % 3)), x, y, z),
        dot(offset(box, AXIS + 3 * ((axis + 2) % 3)), x, y, z),
    )


@jit
def seen_from(box, axis, x, y, z):
    """Where a point is along an axis of the box and along the two that follow."""
    return parts_of(box, axis, x - box[0], y - box[1], z - box[2])


@jit
def landing(incident, reference, axis, up, face, end, x, y, z):
    """How high the plane of the incident face is above a point of the reference, and where on it that is."""
    n = offset(reference, AXIS + 3 * axis)
    height, u, v = seen_from(incident, face, x, y, z)
    rise, slope_u, slope_v = parts_of(incident, face, up * n[0], up * n[1], up * n[2])
    gap = (end * incident[HALF + face] - height) / rise
    return gap, u + gap * slope_u, v + gap * slope_v


@jit
def clip(start, end, wide, low, high):
    """What of the parts ``low`` … ``high`` of the way from ``start`` to ``end`` is not above ``wide``."""
    start -= wide
    end -= wide
    if start > 0.0 and end > 0.0:
        return high, low
    if start > 0.0:
        return max(low, start / (start - end)), high
    if end > 0.0:
        return low, min(high, start / (start - end))
    return low, high


@jit
def within(u, v, end_u, end_v, wide_u, wide_v):
    """The first and the last part of the way from (u, v) to (end_u, end_v) that is on a face; in the other order where
    none is."""
    first = 0.0
    last = 1.0
    first, last = clip(u, end_u, wide_u, first, last)
    first, last = clip(-u, -end_u, wide_u, first, last)
    first, last = clip(v, end_v, wide_v, first, last)
    return clip(-v, -end_v, wide_v, first, last)


@jit
def side_within(incident, reference, axis, up, face, end, side_u, side_v, room):
    """Length of what is under the incident face of that side of the reference which begins, in the positive sense from
    u to v, at the corner with these signs."""
    along = up * reference[HALF + axis]
    u = side_u * (reference[HALF + (axis + 1) % 3] + room)
    v = side_v * (reference[HALF + (axis + 2) % 3] + room)
    next_u = u
    next_v = v
    if side_u * side_v > 0.0:
        next_u = -u
    else:
        next_v = -v
    length = abs(next_u - u) + abs(next_v - v)
    x, y, z = point_on(reference, axis, along, u, v)
    _, u, v = landing(incident, reference, axis, up, face, end, x, y, z)
    x, y, z = point_on(reference, axis, along, next_u, next_v)
    _, next_u, next_v = landing(incident, reference, axis, up, face, end, x, y, z)
    first, last = within(u, v, next_u, next_v, incident[HALF + (face + 1) % 3], incident[HALF + (face + 2) % 3])
    return max(last - first, 0.0) * length


@jit
def faded(gap, length, a, b):
    """The gap of a corner of the polygon whose following side has this length."""
    short = SHORT * min(size_of(a), size_of(b))
    if gap < 0.0 and length < short:
        return gap * length / short
    return gap


@jit
def turn_of(incident, reference, axis, face):
    """1.0 when the positive sense is the same on both faces, −1.0 when not."""
    n = offset(reference, AXIS + 3 * axis)
    return math.copysign(1.0, dot(offset(incident, AXIS + 3 * face), n[0], n[1], n[2]))


@jit
def own_corner(incident, reference, k, axis, up, face, end, room):
    """Gap of corner ``k`` of the incident box and where it is.

    One above the reference that is beyond its sides is farther by as much: it comes near before it touches.
    """
    side = sign_of(k, face)
    side_u = sign_of(k, (face + 1) % 3)
    side_v = sign_of(k, (face + 2) % 3)
    along = side * incident[HALF + face]
    own_u = side_u * incident[HALF + (face + 1) % 3]
    own_v = side_v * incident[HALF + (face + 2) % 3]
    x, y, z = point_on(incident, face, along, own_u, own_v)
    height, u, v = seen_from(reference, axis, x, y, z)
    wide_u = reference[HALF + (axis + 1) % 3] + room
    wide_v = reference[HALF + (axis + 2) % 3] + room
    gap = up * height - reference[HALF + axis]
    beyond = max(abs(u) - wide_u, abs(v) - wide_v)
    if side == end and beyond <= 0.0:
        if side_u * side_v * turn_of(incident, reference, axis, face) > 0.0:
            own_u = -own_u
        else:
            own_v = -own_v
        next_x, next_y, next_z = point_on(incident, face, along, own_u, own_v)
        _, next_u, next_v = seen_from(reference, axis, next_x, next_y, next_z)
        first, last = within(u, v, next_u, next_v, wide_u, wide_v)
        return faded(gap, (last - first) * math.hypot(next_u - u, next_v - v), incident, reference), x, y, z
    if gap > 0.0:
        return gap + max(beyond, 0.0), x, y, z
    return FAR, x, y, z


@jit
def other_corner(incident, reference, k, axis, up, face, end, room):
    """The same for corner ``k`` of the reference, with the plane of the incident face above it."""
    along = up * reference[HALF + axis]
    side_u = sign_of(k, (axis + 1) % 3)
    side_v = sign_of(k, (axis + 2) % 3)
    u = side_u * (reference[HALF + (axis + 1) % 3] + room)
    v = side_v * (reference[HALF + (axis + 2) % 3] + room)
    x, y, z = point_on(reference, axis, along, u, v)
    gap, u, v = landing(incident, reference, axis, up, face, end, x, y, z)
    beyond = max(abs(u) - incident[HALF + (face + 1) % 3], abs(v) - incident[HALF + (face + 2) % 3])
    if sign_of(k, axis) != up or beyond >= 0.0:
        return FAR, x, y, z
    length = side_within(incident, reference, axis, up, face, end, side_u, side_v, room)
    return faded(gap, length, incident, reference), x, y, z


@jit
def leaving_edge(incident, reference, k, axis, up, face, end, room):
    """The same for the first (k even) or the last place of an edge of the incident face that is within the reference,
    where the edge goes on beyond it. The edges 0 and 1 are along u, 2 and 3 along v."""
    side = 2.0 * ((k >> 1) & 1) - 1.0
    along = end * incident[HALF + face]
    u = incident[HALF + (face + 1) % 3]
    v = incident[HALF + (face + 2) % 3]
    forth = turn_of(incident, reference, axis, face)  # the sense of the edge round the polygon
    if k < 4:
        forth *= -side
        x, y, z = point_on(incident, face, along, -u, side * v)
        ex, ey, ez = point_on(incident, face, along, u, side * v)
    else:
        forth *= side
        x, y, z = point_on(incident, face, along, side * u, -v)
        ex, ey, ez = point_on(incident, face, along, side * u, v)
    wide_u = reference[HALF + (axis + 1) % 3] + room
    wide_v = reference[HALF + (axis + 2) % 3] + room
    height, u, v = seen_from(reference, axis, x, y, z)
    end_height, end_u, end_v = seen_from(reference, axis, ex, ey, ez)
    first, last = within(u, v, end_u, end_v, wide_u, wide_v)
    part = first
    if k & 1:
        part = last
        forth = -forth
    if first >= last or part <= 0.0 or part >= 1.0:
        return FAR, x, y, z
    gap = up * (height + part * (end_height - height)) - reference[HALF + axis]
    length = (last - first) * math.hypot(end_u - u, end_v - v)
    if forth < 0.0:  # on along the side of the reference
        u += part * (end_u - u)
        v += part * (end_v - v)
        side_u = math.copysign(1.0, u)
        side_v = math.copysign(1.0, v)
        if wide_u - abs(u) < wide_v - abs(v):
            side_v = -side_u
        else:
            side_u = side_v
        length = side_within(incident, reference, axis, up, face, end, side_u, side_v, room)
    return faded(gap, length, incident, reference), x + part * (ex - x), y + part * (ey - y), z + part * (ez - z)
