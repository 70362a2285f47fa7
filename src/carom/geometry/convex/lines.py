"""Level edges and straight lines of convex cores: where they touch a point of the other core, or cross a line of it."""

from __future__ import annotations

import math

from carom.geometry.convex.support import (
    BOX,
    FRUSTUM,
    POLYTOPE,
    POLYTOPE_HEAD,
    axis,
    highest_vertex,
    in_axes,
    vertex_at,
)
from carom.geometry.vectors import along, dot, norm, scale, subtract
from carom.kernels import floats, jit, offset


@jit
def parallel_edge(frame, d, e):
    """Return the edge vector most parallel to e, from the vertex of a polytope that is furthest along d [m]."""
    local_e = in_axes(frame, e)
    at = highest_vertex(frame, in_axes(frame, d))
    head = POLYTOPE_HEAD(frame.polytope)
    numbers = floats(frame.polytope)
    first = offset(numbers, int(head.first_neighbours) + at)
    p = vertex_at(frame, at)
    reach = 0.0
    largest = -1.0
    for index in range(int(first[0]), int(first[1])):
        edge = subtract(vertex_at(frame, int(numbers[int(head.neighbours) + index])), p)
        part = dot(edge, local_e)
        cosine = abs(part) / norm(edge)
        if cosine > largest:
            largest = cosine
            reach = part
    return scale(reach, e)


@jit
def line_from(frame, d, p, e):
    """Return the vector from ``p``, one end of a level line along ±e, to its other end [m].

    ``p`` is the support point of the core in direction d.
    """
    if frame.core == POLYTOPE:
        return parallel_edge(frame, d, e)
    from_origin = subtract(p, (frame.at[0], frame.at[1], frame.at[2]))
    best = 2
    if frame.core == FRUSTUM:
        slope = frame.size[1] - frame.size[0]
        length = math.sqrt(slope * slope + 4.0 * frame.size[2] * frame.size[2])
        # The line leads from the start of the frustum to its end.
        sense = -1.0 if dot(from_origin, axis(frame, best)) > 0.0 else 1.0
        return scale(math.copysign(length, sense * dot(e, axis(frame, best))), e)
    if frame.core == BOX:
        best = 0
        for k in range(1, 3):
            if abs(dot(e, axis(frame, k))) > abs(dot(e, axis(frame, best))):
                best = k
    way = axis(frame, best)
    return scale(-2.0 * dot(from_origin, way), way)


@jit
def fraction_along(line, way):
    """Return how far ``way`` leads along ``line`` [-]."""
    square = dot(line, line)
    if square == 0.0:
        return 0.0
    return dot(way, line) / square


@jit
def foot_on_line(p, line, q, tolerance):
    """Return whether the point of a line closest to ``q`` is between its ends, and this point [m]."""
    fraction = fraction_along(line, subtract(q, p))
    margin = tolerance / max(norm(line), tolerance)
    is_inside = -margin <= fraction <= 1.0 + margin
    return is_inside, along(p, min(max(fraction, 0.0), 1.0), line)


@jit
def crossing(p, line_p, q, line_q, n, tolerance):
    """Return whether two lines cross between their ends when they are seen along n, and the point of the first [m]."""
    way = subtract(q, p)
    way = along(way, -dot(way, n), n)
    a = dot(line_p, line_p)
    b = dot(line_p, line_q)
    c = dot(line_q, line_q)
    determinant = a * c - b * b
    if determinant <= 0.0:
        return False, p
    x = dot(way, line_p)
    y = dot(way, line_q)
    s = (c * x - b * y) / determinant
    t = (b * x - a * y) / determinant
    margin_p = tolerance / max(math.sqrt(a), tolerance)
    margin_q = tolerance / max(math.sqrt(c), tolerance)
    is_inside = -margin_p <= s <= 1.0 + margin_p and -margin_q <= t <= 1.0 + margin_q
    return is_inside, along(p, min(max(s, 0.0), 1.0), line_p)
