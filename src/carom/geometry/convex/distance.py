"""Distance of two convex cores by the algorithm of Gilbert, Johnson and Keerthi (GJK).

The distance of A and B is that of the origin from C = A − B. A simplex of points of C is moved towards the origin: its
closest point v to the origin gives the direction −v of the next support point, until no support point is closer.

E. G. Gilbert, D. W. Johnson, S. S. Keerthi, A fast procedure for computing the distance between complex objects in
three-dimensional space, IEEE Journal of Robotics and Automation 4 (1988) 193–203.
"""

from __future__ import annotations

from carom.geometry.convex.support import support
from carom.geometry.vectors import cross, dot, load, scale, store, subtract
from carom.kernels import FLOAT, INT, jit, record

SIMPLEX = record(
    n=INT,  # number of points, 0 … 4
    w=(FLOAT, 12),  # points of A − B [m]
    a=(FLOAT, 12),  # their points of A
    b=(FLOAT, 12),  # their points of B
    weights=(FLOAT, 4),  # of the points in the closest one
    square=FLOAT,  # squared distance of the closest point from the origin [m²]
    v=(FLOAT, 3),  # closest point to the origin [m]
)
"""Points of A − B, and their combination closest to the origin."""

SEPARATED, OVERLAPPING = 0, 1
MAX_ITERATIONS = 100
RELATIVE_TOLERANCE = 1e-14
"""Ratio of the possible decrease of the squared distance to itself at which it is accepted [-]."""
TOUCHING = 1e-13
"""Ratio of the distance to the size of the shapes below which they touch [-]."""


@jit
def point(points, k):
    """Return vector ``k`` of a table of vectors."""
    return points[3 * k], points[3 * k + 1], points[3 * k + 2]


@jit
def set_closest(simplex, square, w0, w1, w2, w3):
    """Store weights of the closest point."""
    simplex.square = square
    simplex.weights[0] = w0
    simplex.weights[1] = w1
    simplex.weights[2] = w2
    simplex.weights[3] = w3


@jit
def weight_at(k, i, x, j, y, l, z):
    """Return the weight of point ``k``: x for i, y for j, z for l, else 0.0."""
    if k == i:
        return x
    if k == j:
        return y
    if k == l:
        return z
    return 0.0


@jit
def set_weights(simplex, square, i, x, j, y, l, z):
    """Store a closest point with the weights x, y and z of the points i, j and l."""
    simplex.square = square
    for k in range(4):
        simplex.weights[k] = weight_at(k, i, x, j, y, l, z)


@jit
def try_segment(simplex, i, j):
    """Store the closest point of a segment if it is closer than the one so far."""
    p = point(simplex.w, i)
    e = subtract(point(simplex.w, j), p)
    length = dot(e, e)
    t = 0.0
    if length > 0.0:
        t = min(max(-dot(p, e) / length, 0.0), 1.0)
    q = (p[0] + t * e[0], p[1] + t * e[1], p[2] + t * e[2])
    square = dot(q, q)
    if square < simplex.square:
        none = -1
        set_weights(simplex, square, i, 1.0 - t, j, t, none, 0.0)


@jit
def try_triangle(simplex, i, j, k):
    """Store the closest point of a triangle if it is closer than the one so far."""
    p = point(simplex.w, i)
    e = subtract(point(simplex.w, j), p)
    f = subtract(point(simplex.w, k), p)
    n = cross(e, f)
    nn = dot(n, n)
    if nn > 0.0:
        y = dot(cross(f, p), n) / nn
        z = dot(cross(p, e), n) / nn
        x = 1.0 - y - z
        if x >= 0.0 and y >= 0.0 and z >= 0.0:
            height = dot(p, n)
            square = height * height / nn
            if square < simplex.square:
                set_weights(simplex, square, i, x, j, y, k, z)
            return
    try_segment(simplex, i, j)
    try_segment(simplex, j, k)
    try_segment(simplex, k, i)


@jit
def try_tetrahedron(simplex):
    """Store the closest point of a tetrahedron; the origin itself if it is inside."""
    first = 0
    second = 1
    third = 2
    fourth = 3
    p = point(simplex.w, fourth)
    e = subtract(point(simplex.w, first), p)
    f = subtract(point(simplex.w, second), p)
    g = subtract(point(simplex.w, third), p)
    fg = cross(f, g)
    volume = dot(e, fg)
    if volume == 0.0:
        try_triangle(simplex, first, second, third)
        try_triangle(simplex, first, second, fourth)
        try_triangle(simplex, first, third, fourth)
        try_triangle(simplex, second, third, fourth)
        return
    x = -dot(p, fg) / volume
    y = -dot(p, cross(g, e)) / volume
    z = -dot(p, cross(e, f)) / volume
    rest = 1.0 - x - y - z
    if x >= 0.0 and y >= 0.0 and z >= 0.0 and rest >= 0.0:
        set_closest(simplex, 0.0, x, y, z, rest)
        return
    if x < 0.0:
        try_triangle(simplex, second, third, fourth)
    if y < 0.0:
        try_triangle(simplex, first, third, fourth)
    if z < 0.0:
        try_triangle(simplex, first, second, fourth)
    if rest < 0.0:
        try_triangle(simplex, first, second, third)


@jit
def find_closest_point(simplex):
    """Find the closest point of the simplex to the origin, and drop points without weight."""
    first = 0
    second = 1
    third = 2
    simplex.square = 1e300
    if simplex.n == 1:
        w = load(simplex.w)
        set_closest(simplex, dot(w, w), 1.0, 0.0, 0.0, 0.0)
    elif simplex.n == 2:
        try_segment(simplex, first, second)
    elif simplex.n == 3:
        try_triangle(simplex, first, second, third)
    else:
        try_tetrahedron(simplex)
    n = 0
    for k in range(simplex.n):
        weight = simplex.weights[k]
        if weight > 0.0:
            for d in range(3):
                simplex.w[3 * n + d] = simplex.w[3 * k + d]
                simplex.a[3 * n + d] = simplex.a[3 * k + d]
                simplex.b[3 * n + d] = simplex.b[3 * k + d]
            simplex.weights[n] = weight
            n += 1
    simplex.n = n
    store(simplex.v, combination(simplex, simplex.w))


@jit
def combination(simplex, points):
    """Return the sum of vectors with the weights of the closest point."""
    x = 0.0
    y = 0.0
    z = 0.0
    for k in range(simplex.n):
        weight = simplex.weights[k]
        x += weight * points[3 * k]
        y += weight * points[3 * k + 1]
        z += weight * points[3 * k + 2]
    return x, y, z


@jit
def add_support(simplex, a, b, direction):
    """Add the support point of A − B that is furthest against ``direction``, and return it [m]."""
    p = support(a, scale(-1.0, direction))
    q = support(b, direction)
    w = subtract(p, q)
    k = 3 * simplex.n
    for d in range(3):
        simplex.w[k + d] = w[d]
        simplex.a[k + d] = p[d]
        simplex.b[k + d] = q[d]
    simplex.n += 1
    return w


@jit
def contains_point(simplex, w):
    """Return whether ``w`` is one of the points of the simplex before the last one."""
    for k in range(simplex.n - 1):
        p = point(simplex.w, k)
        if p[0] == w[0] and p[1] == w[1] and p[2] == w[2]:
            return True
    return False


@jit
def find_distance(a, b, direction, simplex):
    """Find the closest points of two cores; return SEPARATED, or OVERLAPPING if none are found or they touch.

    ``direction`` is a guess of the vector from b to a.
    """
    simplex.n = 0
    add_support(simplex, a, b, direction)
    find_closest_point(simplex)
    limit = (TOUCHING * (a.extent + b.extent)) ** 2
    for _ in range(MAX_ITERATIONS):
        if simplex.square <= limit:
            return OVERLAPPING
        v = load(simplex.v)
        before = simplex.square
        kept = simplex.n
        w = add_support(simplex, a, b, v)
        if before - dot(v, w) <= RELATIVE_TOLERANCE * before or contains_point(simplex, w):
            simplex.n = kept
            return SEPARATED
        find_closest_point(simplex)
        if simplex.n == 4:
            return OVERLAPPING
        if simplex.square >= before:  # rounding
            return SEPARATED
    return SEPARATED
