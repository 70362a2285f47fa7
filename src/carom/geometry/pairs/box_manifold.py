"""The spots at which two boxes meet, all along one normal: the part of a face that is above the other box's face.

The normal is that along which the boxes are furthest apart, or overlap least. Where it is a face's, this face is the
reference, and the other box's face most against it the incident one. What of the incident face is within the sides of
the reference is a polygon of up to eight corners, each with its own gap along the normal:

- corners of the incident face within the reference,
- corners of the reference within the incident face, seen along the normal,
- places where an edge of the incident face leaves the reference: two at most for each edge.

Each has a number of its own, which stays the same while the boxes move; one that appears or vanishes does so close to
another, and with no depth of its own. Where the normal is that of two edges, these meet at one spot.
"""

from __future__ import annotations

from carom.geometry.pairs.base import FAR, put
from carom.geometry.pairs.box_axes import LEVEL, axis_of, best_direction, parted, supporting
from carom.geometry.pairs.box_faces import leaving_edge, other_corner, own_corner
from carom.geometry.pairs.boxes import AXIS, CORNERS, dot, size_of
from carom.geometry.pairs.lines import nearest_parts
from carom.kernels import jit, offset

LEAVING = 2 * CORNERS + 1
"""Number of the first spot of an edge that leaves the reference, after the corners of both boxes."""
EDGES = LEAVING + 8
"""Number of the spot of crossing edges."""

ROOM = 1e-9
"""By how much the reference is wider than its face, in parts of the smaller box: of flush faces all corners are within,
and none of their edges leaves."""


@jit
def exchanged(spot):
    """The number of a spot when the boxes change places."""
    if spot == 0 or spot >= LEAVING:
        return spot
    return (spot + CORNERS - 1) % (2 * CORNERS) + 1


@jit
def incident_face(box, x, y, z):
    """Axis of the face most against the unit vector (x, y, z), and at which end of it."""
    best = 0
    most = -1.0
    for k in range(3):
        lean = abs(dot(offset(box, AXIS + 3 * k), x, y, z))
        if lean > most + LEVEL:
            best = k
            most = lean
    if dot(offset(box, AXIS + 3 * best), x, y, z) > 0.0:
        return best, -1.0
    return best, 1.0


@jit
def crossing_edges(a, b, k, gap, nx, ny, nz):
    """Gap of the edges of direction ``k`` and the middle of their closest points; farther when their ends are these."""
    ax, ay, az, ux, uy, uz = supporting(a, (k - 6) // 3, -nx, -ny, -nz)
    bx, by, bz, vx, vy, vz = supporting(b, (k - 6) % 3, nx, ny, nz)
    s, t, _, _, _, _ = nearest_parts(ax - bx, ay - by, az - bz, ux, uy, uz, vx, vy, vz)
    ax += s * ux
    ay += s * uy
    az += s * uz
    bx += t * vx
    by += t * vy
    bz += t * vz
    if gap > 0.0:
        gap = max(gap, ((ax - bx) ** 2 + (ay - by) ** 2 + (az - bz) ** 2) ** 0.5)
    return gap, 0.5 * (ax + bx), 0.5 * (ay + by), 0.5 * (az + bz)


@jit
def meeting(a, b, spot, points):
    """Gap at a spot, the normal from b to a, and (in ``points``) the points on a and b; FAR while there is none."""
    dx = a[0] - b[0]
    dy = a[1] - b[1]
    dz = a[2] - b[2]
    best = best_direction(a, b, dx, dy, dz)
    x, y, z, _ = axis_of(a, b, best)
    most, nx, ny, nz = parted(a, b, x, y, z, dx, dy, dz)
    room = ROOM * min(size_of(a), size_of(b))
    gap = FAR
    back = 0.5  # how much of the gap is from the point found to the point on b
    x = 0.5 * (a[0] + b[0])
    y = 0.5 * (a[1] + b[1])
    z = 0.5 * (a[2] + b[2])
    if best >= 6:
        if spot == EDGES:
            gap, x, y, z = crossing_edges(a, b, best, most, nx, ny, nz)
    elif spot < EDGES:
        on_a = best < 3
        reference = b
        incident = a
        up = 1.0
        if on_a:
            reference = a
            incident = b
            up = -1.0
        axis = best % 3
        face, end = incident_face(incident, up * nx, up * ny, up * nz)
        if dot(offset(reference, AXIS + 3 * axis), nx, ny, nz) < 0.0:
            up = -up
        if spot >= LEAVING:
            gap, x, y, z = leaving_edge(incident, reference, spot - LEAVING, axis, up, face, end, room)
            back = 0.0 if on_a else 1.0
        elif (spot <= CORNERS) == on_a:
            gap, x, y, z = other_corner(incident, reference, (spot - 1) % CORNERS, axis, up, face, end, room)
            back = 1.0 if on_a else 0.0
        else:
            gap, x, y, z = own_corner(incident, reference, (spot - 1) % CORNERS, axis, up, face, end, room)
            back = 0.0 if on_a else 1.0
    way = gap if gap < FAR else 0.0
    ahead = way * (1.0 - back)
    back *= way
    put(points, x + ahead * nx, y + ahead * ny, z + ahead * nz)
    put(offset(points, 3), x - back * nx, y - back * ny, z - back * nz)
    return gap, nx, ny, nz
