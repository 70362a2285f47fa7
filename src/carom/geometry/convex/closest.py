"""Closest points of two convex shapes, or the points that touch last when they are moved apart.

Separated cores have the normal of GJK. Cores that are nearly in contact or overlap are moved apart along the normal of
the last call until they are a little separated; GJK then gives the next estimate of the normal. Without a last call,
EPA gives the first estimate for cores that overlap.
"""

from __future__ import annotations

from carom.geometry.convex.contact_normal import (
    FLAT_DIRECTIONS,
    ROUNDING,
    add_level_parts_of_a,
    add_level_parts_of_b,
    newton_normal,
    refined_normal,
    separation,
)
from carom.geometry.convex.distance import OVERLAPPING, SIMPLEX, combination, find_distance
from carom.geometry.convex.lines import crossing, foot_on_line, line_from
from carom.geometry.convex.manifold import corner, deepest_corner, find_corners
from carom.geometry.convex.penetration import penetration_normal
from carom.geometry.convex.support import support
from carom.geometry.vectors import along, cross, dot, load, norm, scale, store, subtract, unit
from carom.kernels import FLOAT, INT, jit, record

NORMAL_MEMORY = record(
    is_set=FLOAT,  # 1.0 after the first call
    normal=(FLOAT, 3),  # of the last call
    vertex_a=FLOAT,  # support vertices of polytopes at the last call
    vertex_b=FLOAT,
)
"""Start value of the next call."""
CONVEX_WORKSPACE = record(
    simplex=SIMPLEX,
    directions=FLAT_DIRECTIONS,
    shift=(FLOAT, 3),  # by which a was moved when the simplex was found [m]
    n=(FLOAT, 3),  # normal from b to a
    gap=FLOAT,  # of the shapes with their radii [m]
    middle=(FLOAT, 3),  # midway between the closest points [m]
    n_corners=INT,  # of the manifold
)
"""Result and intermediate values of a search."""

MARGIN = 1e-3
"""Separation to which cores are moved before the search, relative to their size [-]."""
NEAR = 1e-3
"""Separation below which cores are moved apart for the search, relative to their size [-]."""
DEEP = 0.02
"""Depth of overlap, relative to the size, at which the normal of the last call is checked anew [-]."""
MAX_SHIFTS = 8
NEARLY_LEVEL = 0.01
"""Sine of the angle by which a face or an edge may have left the plane of contact since the last call [-]."""
SAME_POINT = 1e-12
"""Ratio to the size of the shapes of a distance that is rounding [-]."""
SAME_NORMAL = 1e-6
"""Change of the normal at which it is accepted for refinement [rad]."""


@jit
def track_normal(a, b, n, work):
    """Return the normal of cores that nearly touch or overlap, next to n, and their separation along it [m]."""
    margin = MARGIN * (a.extent + b.extent)
    at = load(a.at)
    for _ in range(MAX_SHIFTS):
        shift = scale(margin - separation(a, b, n), n)
        store(a.at, along(at, 1.0, shift))
        find_distance(a, b, n, work.simplex)
        store(a.at, at)
        store(work.shift, shift)
        before = n
        n = unit(load(work.simplex.v))
        if norm(subtract(n, before)) < SAME_NORMAL:
            break
    return refined_normal(a, b, n, work.directions)


@jit
def first_normal(a, b, work):
    """Return the normal of two cores without a start value, and their separation along it [m]."""
    guess = subtract(load(a.at), load(b.at))
    if norm(guess) == 0.0:
        guess = (0.0, 0.0, 1.0)
    status = find_distance(a, b, guess, work.simplex)
    store(work.shift, (0.0, 0.0, 0.0))
    n = unit(load(work.simplex.v))
    if status == OVERLAPPING:
        n = unit(guess)
        if penetration_normal(a, b, work.simplex, work.n):
            n = load(work.n)
    elif work.simplex.square > (NEAR * (a.extent + b.extent)) ** 2:
        return refined_normal(a, b, n, work.directions)
    return track_normal(a, b, n, work)


@jit
def find_normal(a, b, sign, memory, work):
    """Return the normal of two cores and their separation along it [m]; ``sign`` is that of the normal in memory."""
    if memory.is_set == 0.0:
        return first_normal(a, b, work)
    n = scale(sign, load(memory.normal))
    size = a.extent + b.extent
    g = separation(a, b, n)
    if g > NEAR * size:
        find_distance(a, b, n, work.simplex)
        store(work.shift, (0.0, 0.0, 0.0))
        n = unit(load(work.simplex.v))
        return refined_normal(a, b, n, work.directions)
    n, g = track_normal(a, b, n, work)
    if g < -DEEP * size:
        guess = subtract(load(a.at), load(b.at))
        if find_distance(a, b, guess, work.simplex) != OVERLAPPING:
            return first_normal(a, b, work)
        return track_normal(a, b, n, work)
    return n, g


@jit
def closest_points(a, b, n, g, work):
    """Return the closest points of both cores, whose separation along the normal n is g [m].

    A core without level faces and edges touches at its support point. Lines that cross touch at their crossing. Else
    the points are those of GJK.
    """
    directions = work.directions
    p = support(a, scale(-1.0, n))
    q = support(b, n)
    if directions.n_a == 0:
        return p, along(p, -g, n)
    if directions.n_b == 0:
        return along(q, g, n), q
    if directions.n_a == 1 and directions.n_b == 1 and directions.n == 2:
        e = load(directions.of_a)
        way = subtract(q, p)
        # Along the first line, so that the rest is along the second one and the normal.
        sine = cross(load(directions.of_b), n)
        p = along(p, dot(way, sine) / dot(e, sine), e)
        return p, along(p, -g, n)
    simplex = work.simplex
    return subtract(combination(simplex, simplex.a), load(work.shift)), combination(simplex, simplex.b)


@jit
def is_closest(a, b, n, work, points, gaps):
    """Return whether the closest points of both shapes differ along n; if so, store them and the corners of contact.

    The separation along n is that of two points of the shapes then, and no other direction next to it has a larger one.
    """
    directions = work.directions
    p = support(a, scale(-1.0, n))
    q = support(b, n)
    w = subtract(p, q)
    g = dot(n, w)
    tolerance = SAME_POINT * (a.extent + b.extent)
    work.gap = g - a.radius - b.radius
    store(work.n, n)
    work.n_corners = 0
    if directions.n == 0:
        if norm(along(w, -g, n)) > tolerance:
            return False
        set_middle(a, b, p, q, work)
        return True
    is_line_contact, p = touches_on_lines(a, b, n, p, q, directions, tolerance)
    if is_line_contact:
        set_middle(a, b, p, along(p, -g, n), work)
    elif directions.n == 1 and (directions.n_a == 0 or directions.n_b == 0):
        return False
    work.n_corners = find_corners(a, b, n, points, gaps)
    if is_line_contact:
        return True
    best = deepest_corner(gaps, work.n_corners)
    if best < 0 or gaps[best] > work.gap + tolerance:
        return False
    store(work.middle, corner(points, best))
    return True


@jit
def touches_on_lines(a, b, n, p, q, directions, tolerance):
    """Return whether a line of one core touches a point of the other, or two lines cross, and the point of a there.

    ``p`` and ``q`` are the support points of both cores.
    """
    w = subtract(p, q)
    if directions.n == 1 and (directions.n_a == 0 or directions.n_b == 0):
        e = load(directions.first)
        rest = along(along(w, -dot(w, n), n), -dot(w, e), e)
        if norm(rest) > tolerance:
            return False, p
        if directions.n_a > 0:
            return foot_on_line(p, line_from(a, scale(-1.0, n), p, e), q, tolerance)
        is_inside, foot = foot_on_line(q, line_from(b, n, q, e), p, tolerance)
        return is_inside, along(foot, dot(w, n), n)
    if directions.n == 2 and directions.n_a == 1 and directions.n_b == 1:
        line_a = line_from(a, scale(-1.0, n), p, load(directions.of_a))
        line_b = line_from(b, n, q, load(directions.of_b))
        return crossing(p, line_a, q, line_b, n, tolerance)
    return False, p


@jit
def set_middle(a, b, p, q, work):
    """Store the point midway between the surfaces at the closest points of the cores."""
    for d in range(3):
        work.middle[d] = 0.5 * (p[d] + q[d]) + 0.5 * (b.radius - a.radius) * work.n[d]


@jit
def follows(a, b, n, work, points, gaps):
    """Return whether the normal is next to the former one, n; if so, store all about it.

    Faces and edges that were level are so again, first those of a, else first those of b; or none is.
    """
    directions = work.directions
    for attempt in range(3):
        directions.n = 0
        directions.n_a = 0
        directions.n_b = 0
        if attempt == 1:
            add_level_parts_of_b(directions, b, n, NEARLY_LEVEL)
        if attempt == 0 or (attempt == 1 and directions.n < 2):
            add_level_parts_of_a(directions, a, n, NEARLY_LEVEL)
        if attempt == 0 and directions.n < 2:
            add_level_parts_of_b(directions, b, n, NEARLY_LEVEL)
        if attempt == 1 and directions.n < 2:  # these were tried before
            continue
        if is_closest(a, b, newton_normal(a, b, n, directions), work, points, gaps):
            return True
        if directions.n == 0:
            break
    return False


@jit
def find_closest(a, b, sign, memory, work, points, gaps):
    """Find normal, gap, closest points and corners of contact of two convex shapes, which are stored in the workspace.

    ``sign`` is −1.0 if the shapes are exchanged, and the normal in memory is reversed.
    """
    n = scale(sign, load(memory.normal))
    is_found = memory.is_set != 0.0 and follows(a, b, n, work, points, gaps)
    if is_found and work.gap + a.radius + b.radius < -DEEP * (a.extent + b.extent):
        # Separated shapes can have a second direction of largest separation, which is negative there.
        is_found = find_distance(a, b, subtract(load(a.at), load(b.at)), work.simplex) == OVERLAPPING
    g = 0.0
    if not is_found:
        n, g = find_normal(a, b, sign, memory, work)
        rounding = ROUNDING * (a.extent + b.extent)
        is_found = follows(a, b, n, work, points, gaps) and work.gap + a.radius + b.radius >= g - rounding
    if not is_found:
        n, g = refined_normal(a, b, n, work.directions)
        work.gap = g - a.radius - b.radius
        store(work.n, n)
        p, q = closest_points(a, b, n, g, work)
        set_middle(a, b, p, q, work)
        work.n_corners = 0
        if work.directions.n > 0:
            work.n_corners = find_corners(a, b, n, points, gaps)
    store(memory.normal, scale(sign, load(work.n)))
    memory.is_set = 1.0
