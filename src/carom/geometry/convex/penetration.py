"""Least translation that separates two overlapping convex cores, by the expanding-polytope algorithm (EPA).

A polytope inside C = A − B grows from a tetrahedron around the origin: the face closest to the origin is replaced by
faces to the support point beyond it, until that face is on the surface of C.

G. van den Bergen, Proximity queries and penetration depth computation on 3D game objects, Game Developers Conference
(2001).
"""

from __future__ import annotations

import math

from carom.geometry.convex.contact_normal import difference_at
from carom.geometry.convex.distance import point
from carom.geometry.vectors import cross, dot, load, norm, perpendicular, scale, store, subtract
from carom.kernels import FLOAT, INT, jit, record, stack_floats

MAX_VERTICES = 128
MAX_FACES = 2 * MAX_VERTICES
MAX_HORIZON = 64
EXPANDING = record(
    n_vertices=INT,
    n_faces=INT,
    n_horizon=INT,
    vertices=(FLOAT, 3 * MAX_VERTICES),  # [m]
    corners=(INT, 3 * MAX_FACES),  # vertices of the faces, counter-clockwise from outside; −1 first: no face
    normals=(FLOAT, 3 * MAX_FACES),  # unit normals, outwards
    heights=(FLOAT, MAX_FACES),  # distances of the faces from the origin [m]
    horizon=(INT, 2 * MAX_HORIZON),  # edges between faces that stay and faces that go
)
"""Polytope that grows inside A − B."""
EXPANDING_SIZE = EXPANDING.size
FLAT = 1e-10
"""Ratio to the size of the shapes, to the power of the dimension, below which a volume or an area is zero [-]."""
ON_FACE = 1e-13
"""Ratio to the size of the shapes of a height above a face below which a point is on it [-]."""
CLOSE = 1e-9
"""Ratio to the size of the shapes of a gain that ends the search [-]."""


@jit
def complete_tetrahedron(simplex, a, b, size):
    """Add support points until the simplex is a tetrahedron; return False for a flat A − B."""
    x = (1.0, 0.0, 0.0)
    y = (0.0, 1.0, 0.0)
    z = (0.0, 0.0, 1.0)
    if simplex.n == 0:
        add_point(simplex, difference_at(a, b, x))
    if simplex.n == 1:
        extend(simplex, a, b, x, FLAT * size)
        extend(simplex, a, b, y, FLAT * size)
        extend(simplex, a, b, z, FLAT * size)
    if simplex.n == 2:
        first = 0
        second = 1
        e = subtract(point(simplex.w, second), point(simplex.w, first))
        e = scale(1.0 / norm(e), e)
        s = perpendicular(e)
        extend(simplex, a, b, s, FLAT * size)
        extend(simplex, a, b, cross(e, s), FLAT * size)
    if simplex.n == 3:
        n = triangle_normal(simplex)
        extend(simplex, a, b, n, FLAT * size)
    return simplex.n == 4


@jit
def triangle_normal(simplex):
    """Return the unit normal of a simplex with three points."""
    first = 0
    second = 1
    third = 2
    p = point(simplex.w, first)
    n = cross(subtract(point(simplex.w, second), p), subtract(point(simplex.w, third), p))
    return scale(1.0 / max(norm(n), 1e-300), n)


@jit
def add_point(simplex, w):
    """Add a point to the simplex."""
    for d in range(3):
        simplex.w[3 * simplex.n + d] = w[d]
    simplex.n += 1


@jit
def extend(simplex, a, b, direction, tolerance):
    """Add a support point along ``direction`` or against it if the simplex has no extent there yet."""
    if simplex.n == 4:
        return
    n = simplex.n
    p = load(simplex.w)
    for sign in (1.0, -1.0):
        w = difference_at(a, b, scale(sign, direction))
        e = subtract(w, p)
        is_new = abs(dot(e, direction)) > tolerance
        if n > 1 and is_new:
            is_new = distance_from_span(simplex, w) > tolerance
        if is_new and simplex.n == n:
            add_point(simplex, w)


@jit
def distance_from_span(simplex, w):
    """Return the distance of a point from the line or plane through the points of the simplex [m]."""
    first = 0
    second = 1
    p = point(simplex.w, first)
    e = subtract(w, p)
    if simplex.n == 2:
        f = subtract(point(simplex.w, second), p)
        return norm(cross(e, f)) / norm(f)
    return abs(dot(e, triangle_normal(simplex)))


@jit
def add_face(polytope, i, j, k):
    """Add a face with its normal and height; return False if there is no room or the face is flat."""
    if polytope.n_faces == MAX_FACES:
        return False
    p = point(polytope.vertices, i)
    n = cross(subtract(point(polytope.vertices, j), p), subtract(point(polytope.vertices, k), p))
    length = norm(n)
    if length == 0.0:
        return False
    n = scale(1.0 / length, n)
    face = polytope.n_faces
    polytope.corners[3 * face] = i
    polytope.corners[3 * face + 1] = j
    polytope.corners[3 * face + 2] = k
    for d in range(3):
        polytope.normals[3 * face + d] = n[d]
    polytope.heights[face] = dot(n, p)
    polytope.n_faces += 1
    return True


@jit
def start_polytope(polytope, simplex):
    """Make the polytope the tetrahedron of the simplex; return False if it is flat."""
    polytope.n_vertices = 4
    polytope.n_faces = 0
    first = 0
    second = 1
    third = 2
    fourth = 3
    for k in range(12):
        polytope.vertices[k] = simplex.w[k]
    p = point(simplex.w, first)
    n = cross(subtract(point(simplex.w, second), p), subtract(point(simplex.w, third), p))
    if dot(n, subtract(point(simplex.w, fourth), p)) > 0.0:
        second = 2
        third = 1
    is_complete = add_face(polytope, first, second, third)
    is_complete = add_face(polytope, first, third, fourth) and is_complete
    is_complete = add_face(polytope, third, second, fourth) and is_complete
    return add_face(polytope, second, first, fourth) and is_complete


@jit
def closest_face(polytope):
    """Return the face closest to the origin."""
    best = -1
    for k in range(polytope.n_faces):
        if polytope.corners[3 * k] >= 0 and (best < 0 or polytope.heights[k] < polytope.heights[best]):
            best = k
    return best


@jit
def toggle_edge(polytope, i, j):
    """Add an edge to the horizon, or remove it if its reverse is there; return False if there is no room."""
    for k in range(polytope.n_horizon):
        if polytope.horizon[2 * k] == j and polytope.horizon[2 * k + 1] == i:
            last = polytope.n_horizon - 1
            polytope.horizon[2 * k] = polytope.horizon[2 * last]
            polytope.horizon[2 * k + 1] = polytope.horizon[2 * last + 1]
            polytope.n_horizon = last
            return True
    if polytope.n_horizon == MAX_HORIZON:
        return False
    polytope.horizon[2 * polytope.n_horizon] = i
    polytope.horizon[2 * polytope.n_horizon + 1] = j
    polytope.n_horizon += 1
    return True


@jit
def compact(polytope):
    """Remove the faces that are gone."""
    n = 0
    for k in range(polytope.n_faces):
        if polytope.corners[3 * k] >= 0:
            for d in range(3):
                polytope.corners[3 * n + d] = polytope.corners[3 * k + d]
                polytope.normals[3 * n + d] = polytope.normals[3 * k + d]
            polytope.heights[n] = polytope.heights[k]
            n += 1
    polytope.n_faces = n


@jit
def touches_horizon(polytope, k):
    """Return whether a side of face ``k`` is on the horizon."""
    for d in range(3):
        i = polytope.corners[3 * k + d]
        j = polytope.corners[3 * k + (d + 1) % 3]
        for h in range(polytope.n_horizon):
            if polytope.horizon[2 * h] == j and polytope.horizon[2 * h + 1] == i:
                return True
    return False


@jit
def remove_face(polytope, k):
    """Remove face ``k`` and update the horizon; return False if there is no room."""
    for d in range(3):
        if not toggle_edge(polytope, polytope.corners[3 * k + d], polytope.corners[3 * k + (d + 1) % 3]):
            return False
    polytope.corners[3 * k] = -1
    return True


@jit
def expand(polytope, best, w, tolerance):
    """Add the vertex ``w`` and replace face ``best`` and all connected faces that ``w`` is above by ``tolerance`` [m].

    Return False if that is not possible.
    """
    if polytope.n_vertices == MAX_VERTICES:
        return False
    polytope.n_horizon = 0
    if not remove_face(polytope, best):
        return False
    is_changed = True
    while is_changed:
        is_changed = False
        for k in range(polytope.n_faces):
            if (
                polytope.corners[3 * k] >= 0
                and dot(point(polytope.normals, k), w) > polytope.heights[k] + tolerance
                and touches_horizon(polytope, k)
            ):
                if not remove_face(polytope, k):
                    return False
                is_changed = True
    compact(polytope)
    new = polytope.n_vertices
    for d in range(3):
        polytope.vertices[3 * new + d] = w[d]
    polytope.n_vertices += 1
    for k in range(polytope.n_horizon):
        if not add_face(polytope, polytope.horizon[2 * k], polytope.horizon[2 * k + 1], new):
            return False
    return polytope.n_horizon > 0


@jit
def flat_normal(a, b, simplex):
    """Return the unit vector from b to a perpendicular to a flat A − B, given by three points of it or two."""
    if simplex.n == 3:
        n = triangle_normal(simplex)
    else:
        first = 0
        second = 1
        e = subtract(point(simplex.w, second), point(simplex.w, first))
        n = perpendicular(scale(1.0 / norm(e), e))
    return scale(math.copysign(1.0, dot(n, subtract(load(a.at), load(b.at)))), n)


@jit
def penetration_normal(a, b, simplex, out):
    """Store the direction from b to a in which two overlapping cores are separated soonest; return False if none.

    ``simplex`` holds points of A − B around the origin. Cores in one plane are separated by the least way across it.
    """
    memory = stack_floats(EXPANDING_SIZE)
    polytope = EXPANDING(memory)
    size = a.extent + b.extent
    if not complete_tetrahedron(simplex, a, b, size):
        if simplex.n < 2:
            return False
        store(out, flat_normal(a, b, simplex))
        return True
    if not start_polytope(polytope, simplex):
        return False
    best = closest_face(polytope)
    n = point(polytope.normals, best)
    store(out, scale(-1.0, n))
    while True:
        w = difference_at(a, b, scale(-1.0, n))
        if dot(n, w) - polytope.heights[best] <= CLOSE * size or not expand(polytope, best, w, ON_FACE * size):
            return True
        best = closest_face(polytope)
        if best < 0:
            return True
        n = point(polytope.normals, best)
        store(out, scale(-1.0, n))
