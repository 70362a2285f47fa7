"""Contact manifold of two boxes: contact points with one common normal, found by clipping two faces.

The normal is the direction with the largest gap, or with the least overlap. Where it is the normal of a face, this face
is the reference face, and the face of the other box most against it is the incident face. The part of the incident face
within the sides of the reference face is a polygon of up to eight corners, each with its own gap along the normal:

- corners of the incident face within the reference face,
- corners of the reference face within the incident face, projected along the normal,
- points where an edge of the incident face leaves the reference face: two at most for each edge.

Each has an index that stays the same while the boxes move. A point that appears or vanishes does so close to another
one, and with zero indentation. Where the normal is that of two edges, these touch at one point.
"""

from __future__ import annotations

from carom.geometry.pairs.base import NO_CONTACT
from carom.geometry.pairs.box_clipping import incident_corner, leaving_edge, reference_corner
from carom.geometry.pairs.box_frame import CORNERS, axis_component, half_diagonal
from carom.geometry.pairs.box_separating_axes import (
    SIZE_RATIO,
    candidate_axis,
    separation,
    supporting_edge,
)
from carom.geometry.pairs.segment_distance import closest_fractions
from carom.kernels import jit

FIRST_LEAVING_POINT = 2 * CORNERS + 1
"""Index of the first point of an edge that leaves the reference face, after the corners of both boxes."""
EDGE_POINT = FIRST_LEAVING_POINT + 8
"""Index of the contact point of crossing edges."""

FACE_MARGIN = 1e-9
"""Margin around the reference face relative to the smaller box [-], so that all corners of flush faces are within it
and no edge leaves it."""


@jit
def exchanged(point_index):
    """Return the index of a contact point after the boxes are exchanged."""
    if point_index == 0 or point_index >= FIRST_LEAVING_POINT:
        return point_index
    return (point_index + CORNERS - 1) % (2 * CORNERS) + 1


@jit
def incident_face(box, x, y, z):
    """Return the axis of the face most against the unit vector (x, y, z), and its end of the axis, 1.0 or −1.0."""
    best = 0
    largest = -1.0
    for k in range(3):
        cosine = abs(axis_component(box, k, x, y, z))
        if cosine > largest + SIZE_RATIO:
            best = k
            largest = cosine
    if axis_component(box, best, x, y, z) > 0.0:
        return best, -1.0
    return best, 1.0


@jit
def crossing_edges(a, b, k, gap, nx, ny, nz):
    """Return the gap of the edges of direction ``k`` and the middle of their closest points [m].

    The gap is larger where the closest points are ends of the edges.
    """
    ax, ay, az, ux, uy, uz = supporting_edge(a, (k - 6) // 3, -nx, -ny, -nz)
    bx, by, bz, vx, vy, vz = supporting_edge(b, (k - 6) % 3, nx, ny, nz)
    s, t, _, _, _, _ = closest_fractions(ax - bx, ay - by, az - bz, ux, uy, uz, vx, vy, vz)
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
def contact_at_point(a, b, best, point_index, closest):
    """Return the gap at a contact point [m] and the normal from b to a; the points are stored in ``closest``.

    ``best`` is the direction of contact. The gap is NO_CONTACT while the point does not exist.
    """
    dx = a.x - b.x
    dy = a.y - b.y
    dz = a.z - b.z
    x, y, z, _ = candidate_axis(a, b, best)
    largest, nx, ny, nz = separation(a, b, x, y, z, dx, dy, dz)
    margin = FACE_MARGIN * min(half_diagonal(a), half_diagonal(b))
    gap = NO_CONTACT
    back = 0.5  # fraction of the gap between the point (x, y, z) and the point on b
    x = 0.5 * (a.x + b.x)
    y = 0.5 * (a.y + b.y)
    z = 0.5 * (a.z + b.z)
    if best >= 6:
        if point_index == EDGE_POINT:
            gap, x, y, z = crossing_edges(a, b, best, largest, nx, ny, nz)
    elif point_index < EDGE_POINT:
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
        if axis_component(reference, axis, nx, ny, nz) < 0.0:
            up = -up
        if point_index >= FIRST_LEAVING_POINT:
            gap, x, y, z = leaving_edge(
                incident, reference, point_index - FIRST_LEAVING_POINT, axis, up, face, end, margin
            )
            back = 0.0 if on_a else 1.0
        elif (point_index <= CORNERS) == on_a:
            k = (point_index - 1) % CORNERS
            gap, x, y, z = reference_corner(incident, reference, k, axis, up, face, end, margin)
            back = 1.0 if on_a else 0.0
        else:
            k = (point_index - 1) % CORNERS
            gap, x, y, z = incident_corner(incident, reference, k, axis, up, face, end, margin)
            back = 0.0 if on_a else 1.0
    distance = gap if gap < NO_CONTACT else 0.0
    ahead = distance * (1.0 - back)
    back *= distance
    closest.ax = x + ahead * nx
    closest.ay = y + ahead * ny
    closest.az = z + ahead * nz
    closest.bx = x - back * nx
    closest.by = y - back * ny
    closest.bz = z - back * nz
    return gap, nx, ny, nz
