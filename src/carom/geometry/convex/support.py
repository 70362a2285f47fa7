"""Convex shapes as kernels see them: a core with a support function, and a radius around it.

A sphere is a point with a radius, a capsule a segment with one; a rectangle is a flat box, a disc a flat frustum, a
triangle a polytope with three vertices. The support point of a core in direction d is its point that is furthest along
d; where there are several, any of them.
"""

from __future__ import annotations

import math

from carom.geometry.pairs.base import rotate, to_global
from carom.geometry.vectors import along, dot
from carom.kernels import ADDRESS, FLOAT, INT, address_of, floats, jit, offset, record

POINT, SEGMENT, BOX, FRUSTUM, ELLIPSOID, POLYTOPE = range(6)
"""Kinds of cores."""

CONVEX = record(
    core=FLOAT,  # kind of the core
    at=(FLOAT, 3),  # origin of its axes [m]
    axes=(FLOAT, 9),  # its axes, unit vectors one after the other
    size=(FLOAT, 3),  # half sides, semi-axes; radius at start and end and half length of a frustum [m]
    radius=FLOAT,  # around the core [m]
    extent=FLOAT,  # radius of a sphere around the core [m]
    polytope_offset=FLOAT,  # from this record to its polytope, in numbers
)
"""Convex shape in body axes."""
CONVEX_FRAME = record(
    core=INT,
    at=(FLOAT, 3),
    axes=(FLOAT, 9),
    size=(FLOAT, 3),
    radius=FLOAT,
    extent=FLOAT,
    polytope=ADDRESS,  # its table (`POLYTOPE_HEAD`)
    vertex=INT,  # last support vertex of a polytope
)
"""Convex shape in global axes, relative to a reference point [m]."""
POLYTOPE_HEAD = record("n_vertices n_faces first_neighbours neighbours first_corners corners normals first_faces faces")
"""Numbers of vertices and faces, and where the other tables begin. The vertices follow (x, y, z [m]), then for each
vertex the start of its list of neighbours, these lists, for each face the start of its list of corners, these lists
(counter-clockwise from outside), the unit normals of the faces, for each vertex the start of its list of faces, and
these lists."""

HEAD = POLYTOPE_HEAD.size
SCANNED_VERTICES = 24
"""Number of vertices up to which all of them are compared."""


@jit
def load_convex(pose, convex, reference, frame):
    """Store a convex shape of a body in global axes, relative to a reference point [m]."""
    frame.core = int(convex.core)
    at = to_global(pose, convex.at[0], convex.at[1], convex.at[2])
    for d in range(3):
        frame.at[d] = at[d] - reference[d]
        frame.size[d] = convex.size[d]
        axis = rotate(pose, convex.axes[3 * d], convex.axes[3 * d + 1], convex.axes[3 * d + 2])
        for k in range(3):
            frame.axes[3 * d + k] = axis[k]
    frame.radius = convex.radius
    frame.extent = convex.extent
    frame.polytope = address_of(convex) + 8 * int(convex.polytope_offset)
    frame.vertex = 0


@jit
def in_axes(frame, d):
    """Return the components of a vector along the axes of a shape."""
    x = frame.axes
    return (
        x[0] * d[0] + x[1] * d[1] + x[2] * d[2],
        x[3] * d[0] + x[4] * d[1] + x[5] * d[2],
        x[6] * d[0] + x[7] * d[1] + x[8] * d[2],
    )


@jit
def from_axes(frame, p):
    """Return the vector with components ``p`` along the axes of a shape."""
    x = frame.axes
    return (
        x[0] * p[0] + x[3] * p[1] + x[6] * p[2],
        x[1] * p[0] + x[4] * p[1] + x[7] * p[2],
        x[2] * p[0] + x[5] * p[1] + x[8] * p[2],
    )


@jit
def at_place(frame, p):
    """Return the point with coordinates ``p`` in the axes of a shape [m]."""
    return along(frame.at, 1.0, from_axes(frame, p))


@jit
def axis(frame, k):
    """Return axis ``k`` of a shape."""
    return frame.axes[3 * k], frame.axes[3 * k + 1], frame.axes[3 * k + 2]


@jit
def vertex_at(frame, k):
    """Return vertex ``k`` of a polytope in its axes [m]."""
    numbers = floats(frame.polytope)
    start = HEAD + 3 * k
    return numbers[start], numbers[start + 1], numbers[start + 2]


@jit
def most_level_face(frame, vertex, d):
    """Return the face at a vertex of a polytope whose normal is nearest to ``d``, and the cosine of their angle.

    ``d`` is a unit vector in the axes of the polytope.
    """
    head = POLYTOPE_HEAD(frame.polytope)
    numbers = floats(frame.polytope)
    first = offset(numbers, int(head.first_faces) + vertex)
    best = 0
    largest = -2.0
    for index in range(int(first[0]), int(first[1])):
        k = int(numbers[int(head.faces) + index])
        n = offset(numbers, int(head.normals) + 3 * k)
        cosine = n[0] * d[0] + n[1] * d[1] + n[2] * d[2]
        if cosine > largest:
            largest = cosine
            best = k
    return best, largest


@jit
def face_normal(frame, k):
    """Return the unit normal of face ``k`` of a polytope in its axes."""
    head = POLYTOPE_HEAD(frame.polytope)
    n = offset(floats(frame.polytope), int(head.normals) + 3 * k)
    return n[0], n[1], n[2]


@jit
def highest_vertex(frame, d):
    """Return the vertex of a polytope that is furthest along ``d``, a vector in its axes."""
    head = POLYTOPE_HEAD(frame.polytope)
    n_vertices = int(head.n_vertices)
    if n_vertices <= SCANNED_VERTICES:
        best = 0
        highest = dot(vertex_at(frame, best), d)
        for k in range(1, n_vertices):
            height = dot(vertex_at(frame, k), d)
            if height > highest:
                best = k
                highest = height
        return best
    numbers = floats(frame.polytope)
    best = frame.vertex
    highest = dot(vertex_at(frame, best), d)
    while True:
        at = best
        first = offset(numbers, int(head.first_neighbours) + at)
        for index in range(int(first[0]), int(first[1])):
            k = int(numbers[int(head.neighbours) + index])
            height = dot(vertex_at(frame, k), d)
            if height > highest:
                best = k
                highest = height
        if best == at:
            frame.vertex = best
            return best


@jit
def frustum_support(frame, d):
    """Return the support point of a frustum in its axes [m]."""
    rho = math.sqrt(d[0] * d[0] + d[1] * d[1])
    radius = frame.size[0]
    height = -frame.size[2]
    if frame.size[1] * rho + frame.size[2] * d[2] > frame.size[0] * rho - frame.size[2] * d[2]:
        radius = frame.size[1]
        height = frame.size[2]
    if rho == 0.0:
        return radius, 0.0, height
    return radius * d[0] / rho, radius * d[1] / rho, height


@jit
def ellipsoid_support(frame, d):
    """Return the support point of an ellipsoid in its axes [m]."""
    x = frame.size[0] * d[0]
    y = frame.size[1] * d[1]
    z = frame.size[2] * d[2]
    length = math.sqrt(x * x + y * y + z * z)
    if length == 0.0:
        return 0.0, 0.0, 0.0
    return frame.size[0] * x / length, frame.size[1] * y / length, frame.size[2] * z / length


@jit
def local_support(frame, d):
    """Return the support point of the core for the direction ``d``, both in its axes [m]."""
    core = frame.core
    if core == BOX:
        x = math.copysign(frame.size[0], d[0])
        return x, math.copysign(frame.size[1], d[1]), math.copysign(frame.size[2], d[2])
    if core == POLYTOPE:
        return vertex_at(frame, highest_vertex(frame, d))
    if core == FRUSTUM:
        return frustum_support(frame, d)
    if core == ELLIPSOID:
        return ellipsoid_support(frame, d)
    if core == SEGMENT:
        return 0.0, 0.0, math.copysign(frame.size[2], d[2])
    return 0.0, 0.0, 0.0


@jit
def support(frame, d):
    """Return the support point of the core in direction ``d`` [m]."""
    return at_place(frame, local_support(frame, in_axes(frame, d)))
