"""Separating-axis test of two boxes: the direction of contact, and the edges that touch along it."""

from __future__ import annotations

import math

from carom.geometry.pairs.base import NO_CONTACT
from carom.geometry.pairs.box_frame import axis_component, axis_of, extent_along, half_diagonal
from carom.kernels import jit

ZERO_SINE = 1e-12
"""Sine of the angle below which two edges have no common normal [-]."""
GAP_RATIO, SIZE_RATIO = 0.05, 1e-9
"""Difference of two gaps that does not change the choice of the normal: relative to the gap, so that separated boxes
have no indentation, and, where that is rounding, relative to the smaller box [-]."""
SKEW_SINE, LEVEL_COSINE, NEAR_NORMAL_COSINE = 1e-6, 1.0 - 5e-5, 0.99
"""Sine of the angle below which edges are parallel, and cosines above which faces are level and above which the common
normal of two edges is nearly that of the faces [-]. For level faces either may be the reference, and edges whose normal
is nearly that of the faces are not tested."""


@jit
def candidate_axis(a, b, k):
    """Return direction ``k`` of the test: three axes of a, three of b, the nine cross products; and its length.

    The length is 0.0 where the two axes of a cross product are parallel.
    """
    if k < 3:
        x, y, z = axis_of(a, k)
        return x, y, z, 1.0
    if k < 6:
        x, y, z = axis_of(b, k - 3)
        return x, y, z, 1.0
    px, py, pz = axis_of(a, (k - 6) // 3)
    qx, qy, qz = axis_of(b, (k - 6) % 3)
    x = py * qz - pz * qy
    y = pz * qx - px * qz
    z = px * qy - py * qx
    length = math.sqrt(x * x + y * y + z * z)
    if length <= ZERO_SINE:
        return x, y, z, 0.0
    return x / length, y / length, z / length, length


@jit
def separation(a, b, x, y, z, dx, dy, dz):
    """Return the gap of two boxes along a unit vector [m], and that vector, directed from b to a.

    d leads from the centre of b to that of a.
    """
    distance = x * dx + y * dy + z * dz
    if distance < 0.0:
        x = -x
        y = -y
        z = -z
    return abs(distance) - (extent_along(a, x, y, z) + extent_along(b, x, y, z)), x, y, z


@jit
def candidate_separation(a, b, k, dx, dy, dz):
    """Return the gap along direction ``k`` [m], and the direction from b to a."""
    x, y, z, length = candidate_axis(a, b, k)
    if length == 0.0:
        return -NO_CONTACT, x, y, z
    return separation(a, b, x, y, z, dx, dy, dz)


@jit
def best_face(a, b, first, dx, dy, dz):
    """Return the direction with the largest gap among the three from ``first`` on, and that gap [m]."""
    tolerance = SIZE_RATIO * min(half_diagonal(a), half_diagonal(b))
    best = first
    largest = -NO_CONTACT
    for k in range(first, first + 3):
        x, y, z, _ = candidate_axis(a, b, k)
        gap, _, _, _ = separation(a, b, x, y, z, dx, dy, dz)
        if gap > largest + tolerance:
            best = k
            largest = gap
    return best, largest


@jit
def face_area(box, k):
    """Return a quarter of the area of the faces perpendicular to axis ``k`` [m²]."""
    return box.half[(k + 1) % 3] * box.half[(k + 2) % 3]


@jit
def is_reference(a, b, axis_a, axis_b, dx, dy, dz):
    """Return True if the face of a along ``axis_a`` is the reference face, not that of b along ``axis_b``.

    For faces that are both suitable, the choice must not depend on rounding, a common motion or the order of the boxes.
    """
    area_a = face_area(a, axis_a)
    area_b = face_area(b, axis_b)
    if abs(area_a - area_b) > SIZE_RATIO * (area_a + area_b):
        return area_a > area_b
    if axis_a != axis_b:
        return axis_a > axis_b
    # The face of a is at the end of its axis towards b.
    end_a = axis_component(a, axis_a, dx, dy, dz) < 0.0
    end_b = axis_component(b, axis_b, dx, dy, dz) > 0.0
    if end_a != end_b:
        return end_a
    return dx + 0.7 * dy + 0.4 * dz < 0.0


@jit
def best_direction(a, b, dx, dy, dz):
    """Return the direction of contact (see `candidate_axis`); faces are preferred to pairs of edges."""
    tolerance = SIZE_RATIO * min(half_diagonal(a), half_diagonal(b))
    first_a = 0
    first_b = 3
    best, gap_a = best_face(a, b, first_a, dx, dy, dz)
    other, gap_b = best_face(a, b, first_b, dx, dy, dz)
    largest = max(gap_a, gap_b)
    nx, ny, nz = axis_of(b, other - 3)
    is_level = abs(axis_component(a, best, nx, ny, nz)) > LEVEL_COSINE
    if not is_level and abs(gap_a - gap_b) > GAP_RATIO * max(abs(gap_a), abs(gap_b)) + tolerance:
        if gap_b > gap_a:
            best = other
    elif not is_reference(a, b, best, other - 3, dx, dy, dz):
        best = other
    largest += GAP_RATIO * abs(largest)
    for k in range(6, 15):
        x, y, z, length = candidate_axis(a, b, k)
        if length > SKEW_SINE and not (is_level and abs(nx * x + ny * y + nz * z) > NEAR_NORMAL_COSINE):
            gap, _, _, _ = separation(a, b, x, y, z, dx, dy, dz)
            if gap > largest + tolerance:
                best = k
                largest = gap
    return best


@jit
def edge(box, axis, k):
    """Return the start of edge ``k`` = 0 … 3 along an axis, and the vector to its end [m]."""
    x = box.x
    y = box.y
    z = box.z
    for j in range(3):
        side = -1.0
        if j == (axis + 1) % 3:
            side = 2.0 * (k & 1) - 1.0
        if j == (axis + 2) % 3:
            side = 2.0 * (k >> 1) - 1.0
        side *= box.half[j]
        x += side * box.axes[3 * j]
        y += side * box.axes[3 * j + 1]
        z += side * box.axes[3 * j + 2]
    length = 2.0 * box.half[axis]
    ux, uy, uz = axis_of(box, axis)
    return x, y, z, length * ux, length * uy, length * uz


@jit
def supporting_edge(box, axis, x, y, z):
    """Return the edge along ``axis`` that is furthest in the direction (x, y, z), as `edge` does."""
    k = 0
    if axis_component(box, (axis + 1) % 3, x, y, z) > 0.0:
        k += 1
    if axis_component(box, (axis + 2) % 3, x, y, z) > 0.0:
        k += 2
    return edge(box, axis, k)
