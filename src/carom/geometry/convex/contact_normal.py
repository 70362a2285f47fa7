"""The normal of two convex cores: the direction n from b to a in which their separation g(n) is largest.

g(n) = min a·n − max b·n over the points of both. Where the cores are separated the largest g is their distance, where
they overlap it is minus the least translation that separates them. GJK finds n to about the square root of rounding.
Here it is made exact: directions in which faces and edges extend are perpendicular to n, and in the remaining ones
Newton's method uses the radii of curvature, as ∂²g/∂n² = −(H_a + H_b) with the Hessians H of the support functions.
"""

from __future__ import annotations

import math

from carom.geometry.convex.support import (
    BOX,
    ELLIPSOID,
    FRUSTUM,
    POLYTOPE,
    POLYTOPE_HEAD,
    SEGMENT,
    axis,
    face_normal,
    from_axes,
    highest_vertex,
    in_axes,
    most_level_face,
    support,
    vertex_at,
)
from carom.geometry.vectors import along, cross, dot, load, norm, perpendicular, scale, store, subtract, unit
from carom.kernels import FLOAT, INT, floats, jit, offset, record

FLAT_DIRECTIONS = record(
    n=INT,  # number of directions, 0 … 2
    first=(FLOAT, 3),  # unit vector
    second=(FLOAT, 3),  # unit vector perpendicular to the first
    last=(FLOAT, 3),  # the one that was added last, not made perpendicular
    of_a=(FLOAT, 3),  # the last one of a, and of b
    of_b=(FLOAT, 3),
    n_a=INT,  # number of them that a has itself; more than 2 count, too
    n_b=INT,  # that b has
)
"""Directions in which the parts of both cores that touch extend without curvature."""

LEVEL_SINE = 1e-5
"""Sine of the angle to the plane of contact below which a face or an edge is level [-]."""
MIN_SINE = 1e-4
"""Sine of the angle between two directions below which they are one [-]."""
NEWTON_STEPS = 12
CONVERGED_ANGLE = 1e-15
"""Change of the normal at which Newton's method ends [rad]."""
LARGE_STEP = 0.1
"""Change of the normal at which Newton's method is given up [rad]."""
ROUNDING = 4e-15
"""Ratio of rounding errors of the separation to the size of the shapes [-]."""


@jit
def difference_at(a, b, n):
    """Return the point of A − B that is furthest against n [m]: the gradient of the separation."""
    return subtract(support(a, scale(-1.0, n)), support(b, n))


@jit
def separation(a, b, n):
    """Return the separation of two cores along the unit vector n [m]."""
    return dot(n, difference_at(a, b, n))


@jit
def add_direction(directions, e):
    """Add a direction unless the ones so far span it."""
    store(directions.last, e)
    if directions.n == 0:
        store(directions.first, e)
        directions.n = 1
    elif directions.n == 1:
        rest = along(e, -dot(e, directions.first), directions.first)
        length = norm(rest)
        if length > MIN_SINE:
            store(directions.second, scale(1.0 / length, rest))
            directions.n = 2


@jit
def add_edges(directions, frame, local, level):
    """Add the level edges at the support vertex of a polytope, or the directions of a level face; return how many."""
    at = highest_vertex(frame, local)
    face, cosine = most_level_face(frame, at, local)
    if cosine > 1.0 - 0.5 * level * level:
        n = face_normal(frame, face)
        t = perpendicular(n)
        add_direction(directions, from_axes(frame, t))
        add_direction(directions, from_axes(frame, cross(n, t)))
        return 2
    head = POLYTOPE_HEAD(frame.polytope)
    numbers = floats(frame.polytope)
    p = vertex_at(frame, at)
    first = offset(numbers, int(head.first_neighbours) + at)
    count = 0
    for index in range(int(first[0]), int(first[1])):
        e = subtract(vertex_at(frame, int(numbers[int(head.neighbours) + index])), p)
        rise = dot(e, local)
        if rise * rise < level * level * dot(e, e):
            add_direction(directions, from_axes(frame, unit(e)))
            count += 1
    return count


@jit
def add_frustum_directions(directions, frame, local, level):
    """Add the directions of a level end face, or that of a level line of the side; return how many."""
    first = 0
    second = 1
    rho = math.sqrt(local[0] * local[0] + local[1] * local[1])
    if rho < level:
        add_direction(directions, axis(frame, first))
        add_direction(directions, axis(frame, second))
        return 2
    slope = frame.size[1] - frame.size[0]
    e = unit((slope * local[0] / rho, slope * local[1] / rho, 2.0 * frame.size[2]))
    if norm(e) > 0.0 and abs(dot(e, local)) < level:
        add_direction(directions, from_axes(frame, e))
        return 1
    return 0


@jit
def add_flat_directions(directions, frame, d, level):
    """Add the directions in which the part of a core that is furthest along ``d`` extends without curvature.

    ``level`` is the sine of the angle to the plane of contact below which a face or an edge is level.
    Return how many they are, also those that are there already.
    """
    local = in_axes(frame, d)
    core = frame.core
    count = 0
    if core == BOX:
        for k in range(3):
            if abs(local[k]) < level and frame.size[k] > 0.0:
                add_direction(directions, axis(frame, k))
                count += 1
    elif core == POLYTOPE:
        count = add_edges(directions, frame, local, level)
    elif core == FRUSTUM:
        count = add_frustum_directions(directions, frame, local, level)
    elif core == SEGMENT and abs(local[2]) < level:
        third = 2
        add_direction(directions, axis(frame, third))
        count = 1
    return count


@jit
def curvature_radius(frame, d, s, t):
    """Return sᵀ H t of the support function of a core at the unit vector ``d`` [m]."""
    if frame.core == ELLIPSOID:
        n = in_axes(frame, d)
        p = in_axes(frame, s)
        q = in_axes(frame, t)
        nn = 0.0
        np = 0.0
        nq = 0.0
        pq = 0.0
        for k in range(3):
            square = frame.size[k] * frame.size[k]
            nn += square * n[k] * n[k]
            np += square * n[k] * p[k]
            nq += square * n[k] * q[k]
            pq += square * p[k] * q[k]
        return (pq - np * nq / nn) / math.sqrt(nn)
    if frame.core == FRUSTUM:
        n = in_axes(frame, d)
        p = in_axes(frame, s)
        q = in_axes(frame, t)
        square = n[0] * n[0] + n[1] * n[1]
        if square < LEVEL_SINE * LEVEL_SINE:
            return 0.0
        rho = math.sqrt(square)
        radius = frame.size[0]
        if frame.size[1] * rho + frame.size[2] * n[2] > frame.size[0] * rho - frame.size[2] * n[2]:
            radius = frame.size[1]
        return radius * (n[0] * p[1] - n[1] * p[0]) * (n[0] * q[1] - n[1] * q[0]) / (square * rho)
    return 0.0


@jit
def radius_along(a, b, n, s, t):
    """Return sᵀ (H_a + H_b) t [m]."""
    return curvature_radius(a, scale(-1.0, n), s, t) + curvature_radius(b, n, s, t)


@jit
def line_term(frame, d, w):
    """Return the part of −∂²g/∂n² from the rotation of a level line of a cone with the normal [m].

    Normals perpendicular to such lines have a fixed angle α to the axis, so that their path on the unit sphere is
    curved: n'' = −n − tan(α) l, where l is the unit vector along the line.
    """
    if frame.core != FRUSTUM or frame.size[0] == frame.size[1]:
        return 0.0
    local = in_axes(frame, d)
    rho = math.sqrt(local[0] * local[0] + local[1] * local[1])
    line = unit((frame.size[1] - frame.size[0], 0.0, 2.0 * frame.size[2]))
    if rho < LEVEL_SINE or abs(line[0] * rho + line[2] * local[2]) > LEVEL_SINE:
        return 0.0
    way = in_axes(frame, w)
    radial = (local[0] * way[0] + local[1] * way[1]) / rho
    return local[2] / rho * (local[2] * radial - rho * way[2])


@jit
def newton_step(a, b, n, directions):
    """Return the step of the normal towards the largest separation, perpendicular to n."""
    w = difference_at(a, b, n)
    g = dot(n, w)
    if directions.n == 1:
        t = unit(cross(load(directions.first), n))
        stiffness = radius_along(a, b, n, t, t) + g + line_term(b, n, w) - line_term(a, scale(-1.0, n), w)
        if stiffness <= 0.0:
            return 0.0, 0.0, 0.0
        return scale(dot(t, w) / stiffness, t)
    s = perpendicular(n)
    t = cross(n, s)
    xx = radius_along(a, b, n, s, s) + g
    xy = radius_along(a, b, n, s, t)
    yy = radius_along(a, b, n, t, t) + g
    determinant = xx * yy - xy * xy
    if determinant <= 0.0 or xx <= 0.0:
        return 0.0, 0.0, 0.0
    p = dot(s, w)
    q = dot(t, w)
    return along(scale((yy * p - xy * q) / determinant, s), (xx * q - xy * p) / determinant, t)


@jit
def level_normal(n, directions):
    """Return the unit vector nearest to n that is perpendicular to the flat directions."""
    if directions.n == 2:
        exact = cross(load(directions.first), load(directions.second))
        return scale(math.copysign(1.0, dot(exact, n)), exact)
    if directions.n == 1:
        return unit(along(n, -dot(n, directions.first), directions.first))
    return n


@jit
def add_level_parts_of_a(directions, a, n, level):
    """Add the directions of a at the normal n."""
    directions.n_a = add_flat_directions(directions, a, scale(-1.0, n), level)
    store(directions.of_a, load(directions.last))


@jit
def add_level_parts_of_b(directions, b, n, level):
    """Add the directions of b at the normal n."""
    directions.n_b = add_flat_directions(directions, b, n, level)
    store(directions.of_b, load(directions.last))


@jit
def collect_directions(a, b, n, directions):
    """Collect the flat directions of both cores at the normal n."""
    directions.n = 0
    add_level_parts_of_a(directions, a, n, LEVEL_SINE)
    add_level_parts_of_b(directions, b, n, LEVEL_SINE)


@jit
def newton_normal(a, b, n, directions):
    """Return the normal that Newton's method finds from n, perpendicular to the flat directions."""
    n = level_normal(n, directions)
    if directions.n == 2:
        return n
    follows_line = directions.n == 1 and has_curved_line(a, b)
    for _ in range(NEWTON_STEPS):
        step = newton_step(a, b, n, directions)
        size = norm(step)
        if size > LARGE_STEP:
            break
        n = unit(along(n, 1.0, step))
        if follows_line:
            collect_directions(a, b, n, directions)
            n = level_normal(n, directions)
        if size < CONVERGED_ANGLE:
            break
    return n


@jit
def refined_normal(a, b, n, directions):
    """Return the normal with the largest separation next to n, and the separation [m]; n itself if none is larger."""
    collect_directions(a, b, n, directions)
    g = separation(a, b, n)
    rounding = ROUNDING * (a.extent + b.extent)
    refined = newton_normal(a, b, n, directions)
    refined_g = separation(a, b, refined)
    if refined_g >= g - rounding:
        return refined, refined_g
    # They touch next to these faces and edges, at corners or rims.
    directions.n = 0
    directions.n_a = 0
    directions.n_b = 0
    refined = newton_normal(a, b, n, directions)
    refined_g = separation(a, b, refined)
    if refined_g >= g - rounding:
        return refined, refined_g
    collect_directions(a, b, n, directions)
    return n, g


@jit
def has_curved_line(a, b):
    """Return whether the direction of a straight line on a core depends on the normal, as on a cone."""
    return (a.core == FRUSTUM and a.size[0] != a.size[1]) or (b.core == FRUSTUM and b.size[0] != b.size[1])
