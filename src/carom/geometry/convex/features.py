"""The part of a convex core that is furthest in a direction and nearly level: a face, an edge, a line or a point."""

from __future__ import annotations

import math

from carom.geometry.convex.support import (
    BOX,
    FRUSTUM,
    POLYTOPE,
    POLYTOPE_HEAD,
    SEGMENT,
    at_place,
    highest_vertex,
    in_axes,
    most_level_face,
    support,
    vertex_at,
)
from carom.geometry.vectors import dot, subtract, unit
from carom.kernels import floats, jit, offset

MAX_CORNERS = 16
"""Largest number of corners of a face; larger faces have as many of their corners."""
RIM_CORNERS = 12
"""Number of corners of the polygon in place of the end face of a frustum."""
RIM_COSINE, RIM_SINE = math.cos(2.0 * math.pi / RIM_CORNERS), math.sin(2.0 * math.pi / RIM_CORNERS)
"""Cosine and sine of the angle between two of them [-]."""
FLAT_SINE = 1e-12
"""Sine of the angle below which an end face is level and has no lowest point [-]."""
LEVEL_COSINE, LEVEL_SINE = math.cos(math.radians(5.0)), math.sin(math.radians(5.0))
"""Cosine and sine of the angle below which a face or an edge is nearly level [-]."""


@jit
def store_corner(corners, k, p):
    """Store corner ``k`` of a face."""
    corners[3 * k] = p[0]
    corners[3 * k + 1] = p[1]
    corners[3 * k + 2] = p[2]


@jit
def is_level(frame, local, k):
    """Return whether axis ``k`` of a box is nearly level and has an extent."""
    return abs(local[k]) < LEVEL_SINE and frame.size[k] > 0.0


@jit
def box_corner(frame, local, u, free_u, v, free_v):
    """Return the corner of a box furthest along ``local``, with the signs u and v along two level axes [m]."""
    x = math.copysign(frame.size[0], u if free_u == 0 else v if free_v == 0 else local[0])
    y = math.copysign(frame.size[1], u if free_u == 1 else v if free_v == 1 else local[1])
    z = math.copysign(frame.size[2], u if free_u == 2 else v if free_v == 2 else local[2])
    return at_place(frame, (x, y, z))


@jit
def box_feature(frame, local, corners):
    """Store the corners of the level face, edge or corner of a box; return their number."""
    first = -1
    second = -1
    for k in range(3):
        if is_level(frame, local, k):
            if first < 0:
                first = k
            elif second < 0:
                second = k
    if first < 0:
        return 0
    up = 1.0
    down = -1.0
    for k in range(2 if second < 0 else 4):
        u = up if k == 0 or k == 3 else down
        v = up if k < 2 else down
        store_corner(corners, k, box_corner(frame, local, u, first, v, second))
    return 2 if second < 0 else 4


@jit
def frustum_feature(frame, local, corners):
    """Store corners of the level end face, the ends of the level line of the side, or the lowest point."""
    rho = math.sqrt(local[0] * local[0] + local[1] * local[1])
    end = 1 if local[2] > 0.0 else 0
    height = math.copysign(frame.size[2], local[2])
    if abs(local[2]) > LEVEL_COSINE and frame.size[end] > 0.0:
        # The first corner is the lowest point.
        x = frame.size[end]
        y = 0.0
        if rho > FLAT_SINE:
            x = frame.size[end] * local[0] / rho
            y = frame.size[end] * local[1] / rho
        for k in range(RIM_CORNERS):
            store_corner(corners, k, at_place(frame, (x, y, height)))
            next_x = RIM_COSINE * x - RIM_SINE * y
            y = RIM_SINE * x + RIM_COSINE * y
            x = next_x
        return RIM_CORNERS
    first = 0
    second = 1
    if rho > 0.0 and frame.size[2] > 0.0:
        c = local[0] / rho
        s = local[1] / rho
        line = unit((frame.size[1] - frame.size[0], 0.0, 2.0 * frame.size[2]))
        if abs(line[0] * rho + line[2] * local[2]) < LEVEL_SINE:
            store_corner(corners, first, at_place(frame, (frame.size[0] * c, frame.size[0] * s, -frame.size[2])))
            store_corner(corners, second, at_place(frame, (frame.size[1] * c, frame.size[1] * s, frame.size[2])))
            return 2
    return 0


@jit
def polytope_feature(frame, local, corners):
    """Store the corners of the level face or edge of a polytope; return their number, 0 for a vertex."""
    head = POLYTOPE_HEAD(frame.polytope)
    numbers = floats(frame.polytope)
    at = highest_vertex(frame, local)
    best, cosine = most_level_face(frame, at, local)
    if cosine > LEVEL_COSINE:
        first = offset(numbers, int(head.first_corners) + best)
        start = int(first[0])
        n_corners = int(first[1]) - start
        n = min(n_corners, MAX_CORNERS)
        for k in range(n):
            index = int(numbers[int(head.corners) + start + k * n_corners // n])
            store_corner(corners, k, at_place(frame, vertex_at(frame, index)))
        return n
    p = vertex_at(frame, at)
    other = -1
    least = LEVEL_SINE
    first = offset(numbers, int(head.first_neighbours) + at)
    for k in range(int(first[0]), int(first[1])):
        index = int(numbers[int(head.neighbours) + k])
        sine = abs(dot(unit(subtract(vertex_at(frame, index), p)), local))
        if sine < least:
            least = sine
            other = index
    if other < 0:
        return 0
    first_corner = 0
    second_corner = 1
    store_corner(corners, first_corner, at_place(frame, p))
    store_corner(corners, second_corner, at_place(frame, vertex_at(frame, other)))
    return 2


@jit
def level_feature(frame, d, corners):
    """Store the corners of the part of a core that is furthest along ``d`` and nearly level; return their number."""
    local = in_axes(frame, d)
    n = 0
    if frame.core == BOX:
        n = box_feature(frame, local, corners)
    elif frame.core == POLYTOPE:
        n = polytope_feature(frame, local, corners)
    elif frame.core == FRUSTUM:
        n = frustum_feature(frame, local, corners)
    elif frame.core == SEGMENT and abs(local[2]) < LEVEL_SINE:
        for k in range(2):
            store_corner(corners, k, at_place(frame, (0.0, 0.0, (2.0 * k - 1.0) * frame.size[2])))
        n = 2
    if n == 0:
        first = 0
        store_corner(corners, first, support(frame, d))
        n = 1
    return n
