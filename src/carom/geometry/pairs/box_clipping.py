"""Clipping of the incident face of one box by the reference face of another: corners of the polygon, and their gaps.

The face of the box ``reference`` is at the end ``up`` (1.0 or −1.0) of its ``axis``, that of ``incident`` at the
``end`` of its axis ``face``; coordinates u and v on a face are along the two axes that follow. ``margin`` [m] is added
to the reference face on all sides. Gaps are along the normal of the reference face; points are in global axes.
"""

from __future__ import annotations

import math

from carom.geometry.pairs.base import NO_CONTACT
from carom.geometry.pairs.box_frame import axis_component, axis_of, half_diagonal
from carom.kernels import jit

SHORT_SIDE = 0.01
"""Ratio of a side of the polygon to the smaller box below which the indentation of the corner at its start is reduced,
so that corners appear and vanish without a jump [-]."""


@jit
def corner_sign(corner, axis):
    """Return the end of an axis at which the ``corner`` of a box is (see `box_frame.corner`): 1.0 or −1.0."""
    code = corner ^ (corner >> 1)
    return 2.0 * ((code >> axis) & 1) - 1.0


@jit
def point_on_face(box, axis, face_offset, u, v):
    """Return the point at ``face_offset`` on an axis of the box, and at u and v on the two axes that follow [m]."""
    px, py, pz = axis_of(box, axis)
    qx, qy, qz = axis_of(box, (axis + 1) % 3)
    rx, ry, rz = axis_of(box, (axis + 2) % 3)
    return (
        box.x + face_offset * px + u * qx + v * rx,
        box.y + face_offset * py + u * qy + v * ry,
        box.z + face_offset * pz + u * qz + v * rz,
    )


@jit
def components(box, axis, x, y, z):
    """Return the components of a vector along an axis of the box and along the two axes that follow."""
    return (
        axis_component(box, axis, x, y, z),
        axis_component(box, (axis + 1) % 3, x, y, z),
        axis_component(box, (axis + 2) % 3, x, y, z),
    )


@jit
def face_coordinates(box, axis, x, y, z):
    """Return the coordinates of a point along an axis of the box and along the two axes that follow [m]."""
    return components(box, axis, x - box.x, y - box.y, z - box.z)


@jit
def project_onto_incident(incident, reference, axis, up, face, end, x, y, z):
    """Return the height of the plane of the incident face above a point, and the coordinates there [m]."""
    nx, ny, nz = axis_of(reference, axis)
    height, u, v = face_coordinates(incident, face, x, y, z)
    rise, slope_u, slope_v = components(incident, face, up * nx, up * ny, up * nz)
    gap = (end * incident.half[face] - height) / rise
    return gap, u + gap * slope_u, v + gap * slope_v


@jit
def clip(start, end, limit, low, high):
    """Return the part of the fractions ``low`` … ``high`` between ``start`` and ``end`` that is not above ``limit``."""
    start -= limit
    end -= limit
    if start > 0.0 and end > 0.0:
        return high, low
    if start > 0.0:
        return max(low, start / (start - end)), high
    if end > 0.0:
        return low, min(high, start / (start - end))
    return low, high


@jit
def clip_to_face(u, v, end_u, end_v, half_u, half_v):
    """Return the first and the last fraction of the line from (u, v) to (end_u, end_v) that is on a face.

    The first is larger than the last where no part of the line is on the face.
    """
    first = 0.0
    last = 1.0
    first, last = clip(u, end_u, half_u, first, last)
    first, last = clip(-u, -end_u, half_u, first, last)
    first, last = clip(v, end_v, half_v, first, last)
    return clip(-v, -end_v, half_v, first, last)


@jit
def covered_length(incident, reference, axis, up, face, end, side_u, side_v, margin):
    """Return the length of a side of the reference face that is below the incident face [m].

    The side begins, in the positive sense from u to v, at the corner with the signs ``side_u`` and ``side_v``.
    """
    face_offset = up * reference.half[axis]
    u = side_u * (reference.half[(axis + 1) % 3] + margin)
    v = side_v * (reference.half[(axis + 2) % 3] + margin)
    next_u = u
    next_v = v
    if side_u * side_v > 0.0:
        next_u = -u
    else:
        next_v = -v
    length = abs(next_u - u) + abs(next_v - v)
    x, y, z = point_on_face(reference, axis, face_offset, u, v)
    _, u, v = project_onto_incident(incident, reference, axis, up, face, end, x, y, z)
    x, y, z = point_on_face(reference, axis, face_offset, next_u, next_v)
    _, next_u, next_v = project_onto_incident(incident, reference, axis, up, face, end, x, y, z)
    first, last = clip_to_face(u, v, next_u, next_v, incident.half[(face + 1) % 3], incident.half[(face + 2) % 3])
    return max(last - first, 0.0) * length


@jit
def faded_gap(gap, length, a, b):
    """Return the gap of a corner of the polygon whose following side has this length [m]."""
    short = SHORT_SIDE * min(half_diagonal(a), half_diagonal(b))
    if gap < 0.0 and length < short:
        return gap * length / short
    return gap


@jit
def relative_sense(incident, reference, axis, face):
    """Return 1.0 if the positive sense is the same on both faces, else −1.0."""
    nx, ny, nz = axis_of(reference, axis)
    return math.copysign(1.0, axis_component(incident, face, nx, ny, nz))


@jit
def incident_corner(incident, reference, k, axis, up, face, end, margin):
    """Return the gap of corner ``k`` of the incident box and its position [m].

    The gap of a corner beside the reference face is larger by its distance from the face, so that it decreases
    continuously before the corner touches.
    """
    side = corner_sign(k, face)
    side_u = corner_sign(k, (face + 1) % 3)
    side_v = corner_sign(k, (face + 2) % 3)
    face_offset = side * incident.half[face]
    own_u = side_u * incident.half[(face + 1) % 3]
    own_v = side_v * incident.half[(face + 2) % 3]
    x, y, z = point_on_face(incident, face, face_offset, own_u, own_v)
    height, u, v = face_coordinates(reference, axis, x, y, z)
    half_u = reference.half[(axis + 1) % 3] + margin
    half_v = reference.half[(axis + 2) % 3] + margin
    gap = up * height - reference.half[axis]
    beyond = max(abs(u) - half_u, abs(v) - half_v)
    if side == end and beyond <= 0.0:
        if side_u * side_v * relative_sense(incident, reference, axis, face) > 0.0:
            own_u = -own_u
        else:
            own_v = -own_v
        next_x, next_y, next_z = point_on_face(incident, face, face_offset, own_u, own_v)
        _, next_u, next_v = face_coordinates(reference, axis, next_x, next_y, next_z)
        first, last = clip_to_face(u, v, next_u, next_v, half_u, half_v)
        return faded_gap(gap, (last - first) * math.hypot(next_u - u, next_v - v), incident, reference), x, y, z
    if gap > 0.0:
        return gap + max(beyond, 0.0), x, y, z
    return NO_CONTACT, x, y, z


@jit
def reference_corner(incident, reference, k, axis, up, face, end, margin):
    """Return the gap between corner ``k`` of the reference box and the plane of the incident face, and its position."""
    face_offset = up * reference.half[axis]
    side_u = corner_sign(k, (axis + 1) % 3)
    side_v = corner_sign(k, (axis + 2) % 3)
    u = side_u * (reference.half[(axis + 1) % 3] + margin)
    v = side_v * (reference.half[(axis + 2) % 3] + margin)
    x, y, z = point_on_face(reference, axis, face_offset, u, v)
    gap, u, v = project_onto_incident(incident, reference, axis, up, face, end, x, y, z)
    beyond = max(abs(u) - incident.half[(face + 1) % 3], abs(v) - incident.half[(face + 2) % 3])
    if corner_sign(k, axis) != up or beyond >= 0.0:
        return NO_CONTACT, x, y, z
    length = covered_length(incident, reference, axis, up, face, end, side_u, side_v, margin)
    return faded_gap(gap, length, incident, reference), x, y, z


@jit
def leaving_edge(incident, reference, k, axis, up, face, end, margin):
    """Return the gap and the position [m] of the point where an edge of the incident face leaves the reference face.

    For even ``k`` it is the first point of the edge within the reference face, for odd ``k`` the last one. Edges 0 and
    1 are along u, 2 and 3 along v.
    """
    side = 2.0 * ((k >> 1) & 1) - 1.0
    face_offset = end * incident.half[face]
    u = incident.half[(face + 1) % 3]
    v = incident.half[(face + 2) % 3]
    sense = relative_sense(incident, reference, axis, face)  # sense of the edge round the polygon
    if k < 4:
        sense *= -side
        x, y, z = point_on_face(incident, face, face_offset, -u, side * v)
        ex, ey, ez = point_on_face(incident, face, face_offset, u, side * v)
    else:
        sense *= side
        x, y, z = point_on_face(incident, face, face_offset, side * u, -v)
        ex, ey, ez = point_on_face(incident, face, face_offset, side * u, v)
    half_u = reference.half[(axis + 1) % 3] + margin
    half_v = reference.half[(axis + 2) % 3] + margin
    height, u, v = face_coordinates(reference, axis, x, y, z)
    end_height, end_u, end_v = face_coordinates(reference, axis, ex, ey, ez)
    first, last = clip_to_face(u, v, end_u, end_v, half_u, half_v)
    fraction = first
    if k & 1:
        fraction = last
        sense = -sense
    if first >= last or fraction <= 0.0 or fraction >= 1.0:
        return NO_CONTACT, x, y, z
    gap = up * (height + fraction * (end_height - height)) - reference.half[axis]
    length = (last - first) * math.hypot(end_u - u, end_v - v)
    if sense < 0.0:  # the polygon continues along the side of the reference face
        u += fraction * (end_u - u)
        v += fraction * (end_v - v)
        side_u = math.copysign(1.0, u)
        side_v = math.copysign(1.0, v)
        if half_u - abs(u) < half_v - abs(v):
            side_v = -side_u
        else:
            side_u = side_v
        length = covered_length(incident, reference, axis, up, face, end, side_u, side_v, margin)
    gap = faded_gap(gap, length, incident, reference)
    return gap, x + fraction * (ex - x), y + fraction * (ey - y), z + fraction * (ez - z)
