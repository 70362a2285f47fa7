"""Directions in which two boxes may be apart, the one along which they meet, and the edges that meet there."""

from __future__ import annotations

import math

from carom.geometry.pairs.base import FAR
from carom.geometry.pairs.boxes import AXIS, HALF, dot, reach, size_of
from carom.kernels import jit, offset

PARALLEL = 1e-12
CLOSE, LEVEL = 0.05, 1e-9
"""Difference of two gaps that does not change the choice of the normal: in parts of the gap, so that boxes apart have
no indentation, and, where that is rounding, of the smaller box."""
SKEW, FLAT, UPRIGHT = 1e-6, 1.0 - 5e-5, 0.99
"""Sine of the angle under which edges are parallel; cosine of that under which faces are level: it then makes no
difference which of them is the reference, nor are their edges asked whose common normal is theirs, so nearly."""


@jit
def axis_of(a, b, k):
    """The ``k``-th direction in which boxes may be apart: a's three axes, b's three, the nine products of one of each;
    its length is 0.0 where these are parallel."""
    if k < 3:
        p = offset(a, AXIS + 3 * k)
        return p[0], p[1], p[2], 1.0
    if k < 6:
        p = offset(b, AXIS + 3 * (k - 3))
        return p[0], p[1], p[2], 1.0
    p = offset(a, AXIS + 3 * ((k - 6) // 3))
    q = offset(b, AXIS + 3 * ((k - 6) % 3))
    x = p[1] * q[2] - p[2] * q[1]
    y = p[2] * q[0] - p[0] * q[2]
    z = p[0] * q[1] - p[1] * q[0]
    length = math.sqrt(x * x + y * y + z * z)
    if length <= PARALLEL:
        return x, y, z, 0.0
    return x / length, y / length, z / length, length


@jit
def parted(a, b, x, y, z, dx, dy, dz):
    """How far the boxes are apart along the unit vector (x, y, z), with d from the centre of b to that of a: negative
    when they overlap; and that vector, from b to a."""
    way = x * dx + y * dy + z * dz
    if way < 0.0:
        x = -x
        y = -y
        z = -z
    return abs(way) - (reach(a, x, y, z) + reach(b, x, y, z)), x, y, z


@jit
def apart(a, b, k, dx, dy, dz):
    """The same along direction ``k``."""
    x, y, z, length = axis_of(a, b, k)
    if length == 0.0:
        return -FAR, x, y, z
    return parted(a, b, x, y, z, dx, dy, dz)


@jit
def best_face(a, b, first, dx, dy, dz):
    """Which of three directions from ``first`` on parts the boxes most, and by how much."""
    near = LEVEL * min(size_of(a), size_of(b))
    best = first
    most = -FAR
    for k in range(first, first + 3):
        x, y, z, _ = axis_of(a, b, k)
        gap, _, _, _ = parted(a, b, x, y, z, dx, dy, dz)
        if gap > most + near:
            best = k
            most = gap
    return best, most


@jit
def face_area(box, k):
    return box[HALF + (k + 1) % 3] * box[HALF + (k + 2) % 3]


@jit
def leads(a, b, own, other, dx, dy, dz):
    """Whether the face of a along its axis ``own`` is the reference, not that of b along its axis ``other``, where
    either will do: by what rounding, a common motion or the name of the boxes do not change."""
    area_a = face_area(a, own)
    area_b = face_area(b, other)
    if abs(area_a - area_b) > LEVEL * (area_a + area_b):
        return area_a > area_b
    if own != other:
        return own > other
    # The face of a is at the end of its axis towards b.
    end_a = dot(offset(a, AXIS + 3 * own), dx, dy, dz) < 0.0
    end_b = dot(offset(b, AXIS + 3 * other), dx, dy, dz) > 0.0
    if end_a != end_b:
        return end_a
    return dx + 0.7 * dy + 0.4 * dz < 0.0


@jit
def best_direction(a, b, dx, dy, dz):
    """The direction (see `axis_of`) along which the boxes meet: a face's rather than that of two edges."""
    near = LEVEL * min(size_of(a), size_of(b))
    first_a = 0
    first_b = 3
    best, gap_a = best_face(a, b, first_a, dx, dy, dz)
    other, gap_b = best_face(a, b, first_b, dx, dy, dz)
    most = max(gap_a, gap_b)
    n = offset(b, AXIS + 3 * (other - 3))
    level = abs(dot(offset(a, AXIS + 3 * best), n[0], n[1], n[2])) > FLAT
    if not level and abs(gap_a - gap_b) > CLOSE * max(abs(gap_a), abs(gap_b)) + near:
        if gap_b > gap_a:
            best = other
    elif not leads(a, b, best, other - 3, dx, dy, dz):
        best = other
    most += CLOSE * abs(most)
    for k in range(6, 15):
        x, y, z, length = axis_of(a, b, k)
        if length > SKEW and not (level and abs(dot(n, x, y, z)) > UPRIGHT):
            gap, _, _, _ = parted(a, b, x, y, z, dx, dy, dz)
            if gap > most + near:
                best = k
                most = gap
    return best


@jit
def edge(box, axis, k):
    """Start of the ``k``-th edge along an axis, 0 … 3, and the way to its end."""
    x = box[0]
    y = box[1]
    z = box[2]
    for j in range(3):
        side = -1.0
        if j == (axis + 1) % 3:
            side = 2.0 * (k & 1) - 1.0
        if j == (axis + 2) % 3:
            side = 2.0 * (k >> 1) - 1.0
        side *= box[HALF + j]
        x += side * box[AXIS + 3 * j]
        y += side * box[AXIS + 3 * j + 1]
        z += side * box[AXIS + 3 * j + 2]
    length = 2.0 * box[HALF + axis]
    way = offset(box, AXIS + 3 * axis)
    return x, y, z, length * way[0], length * way[1], length * way[2]


@jit
def supporting(box, axis, x, y, z):
    """Start of the edge along ``axis`` that is furthest along (x, y, z)."""
    k = 0
    if dot(offset(box, AXIS + 3 * ((axis + 1) % 3)), x, y, z) > 0.0:
        k += 1
    if dot(offset(box, AXIS + 3 * ((axis + 2) % 3)), x, y, z) > 0.0:
        k += 2
    return edge(box, axis, k)
