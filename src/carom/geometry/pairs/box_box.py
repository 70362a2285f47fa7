"""Two boxes: the distance of their corners, edges and faces, or the least way out of each other; and the spots at which
their faces meet."""

from __future__ import annotations

import math

from carom.geometry.pairs.base import CONTACT_POINT, FAR, GAP, NORMAL_AT, POINT_A, POINT_B, Pair, put
from carom.geometry.pairs.box_axes import apart, edge
from carom.geometry.pairs.box_manifold import EDGES, exchanged, meeting
from carom.geometry.pairs.boxes import BOX, CORNERS, above, corner, load, size_of
from carom.geometry.pairs.lines import first_of, nearest_parts
from carom.kernels import PAIR, jit, kernel, offset

# Memory is where the kernel works: the boxes, then what is found: the least distance, how many pairs of points have it,
# and the sums of their points on a and on b.
A, B, FOUND = 0, BOX, 2 * BOX
LEAST, COUNT, SUM = 0, 1, 2
SAME = 1e-11
"""Difference of two distances that is none, in parts of the smaller box."""


@jit
def most_apart(a, b, dx, dy, dz):
    """The largest of those, with its direction; of equal ones a face's, not an edge's."""
    near = SAME * min(size_of(a), size_of(b))
    most, nx, ny, nz = apart(a, b, 0, dx, dy, dz)
    for k in range(1, 15):
        gap, x, y, z = apart(a, b, k, dx, dy, dz)
        if gap > most + near:
            most = gap
            nx = x
            ny = y
            nz = z
    return most, nx, ny, nz


@jit
def note(found, near, ax, ay, az, bx, by, bz):
    """Take a pair of points when it is as close as the closest so far."""
    distance = math.sqrt((ax - bx) ** 2 + (ay - by) ** 2 + (az - bz) ** 2)
    if distance > found[LEAST] + near:
        return
    if distance < found[LEAST] - near:
        found[COUNT] = 0.0
        for k in range(6):
            found[SUM + k] = 0.0
    found[LEAST] = min(found[LEAST], distance)
    found[COUNT] += 1.0
    found[SUM] += ax
    found[SUM + 1] += ay
    found[SUM + 2] += az
    found[SUM + 3] += bx
    found[SUM + 4] += by
    found[SUM + 5] += bz


@jit
def cross(a, b, axis_a, axis_b, near, found):
    """Take all crossing edges of two axes."""
    for i in range(4):
        ax, ay, az, ux, uy, uz = edge(a, axis_a, i)
        for j in range(4):
            bx, by, bz, vx, vy, vz = edge(b, axis_b, j)
            s, t, how, _, _, _ = nearest_parts(ax - bx, ay - by, az - bz, ux, uy, uz, vx, vy, vz)
            if how == 1.0:
                note(
                    found, near, ax + s * ux, ay + s * uy, az + s * uz, bx + t * vx, by + t * vy, bz + t * vz
                )  # fmt: skip


@jit
def closest_features(a, b, most, found):
    """The middle of all closest pairs of points of boxes that are ``most`` apart, not less than 0: corners with boxes,
    and edges that cross. Only edges whose common normal parts the boxes by ``most`` can be that close."""
    near = SAME * min(size_of(a), size_of(b))
    found[LEAST] = FAR
    for k in range(CORNERS):
        x, y, z = corner(a, k)
        height, nx, ny, nz = above(b, x, y, z)
        height = max(height, 0.0)
        note(found, near, x, y, z, x - height * nx, y - height * ny, z - height * nz)
        x, y, z = corner(b, k)
        height, nx, ny, nz = above(a, x, y, z)
        height = max(height, 0.0)
        note(found, near, x - height * nx, y - height * ny, z - height * nz, x, y, z)
    for k in range(6, 15):
        gap, _, _, _ = apart(a, b, k, a[0] - b[0], a[1] - b[1], a[2] - b[2])
        if gap >= most - near:
            axis_a = (k - 6) // 3
            axis_b = (k - 6) % 3
            cross(a, b, axis_a, axis_b, near, found)
    for k in range(6):
        found[SUM + k] /= found[COUNT]


@jit
def nearest(a, b, found):
    """Gap and normal from b to a, with the points in ``found``."""
    gap, nx, ny, nz = most_apart(a, b, a[0] - b[0], a[1] - b[1], a[2] - b[2])
    # Boxes in each other are moved out the shortest way, and meet there.
    out = max(-gap, 0.0)
    a[0] += out * nx
    a[1] += out * ny
    a[2] += out * nz
    most = max(gap, 0.0)
    closest_features(a, b, most, found)
    found[SUM] -= out * nx
    found[SUM + 1] -= out * ny
    found[SUM + 2] -= out * nz
    if gap > 0.0:
        gap, nx, ny, nz = way_between(found, nx, ny, nz)
    return gap, nx, ny, nz


@jit
def way_between(found, nx, ny, nz):
    """Distance of the points and the unit vector along it; along n where that is rounding."""
    x = found[SUM] - found[SUM + 3]
    y = found[SUM + 1] - found[SUM + 4]
    z = found[SUM + 2] - found[SUM + 5]
    distance = math.sqrt(x * x + y * y + z * z)
    if distance < 1e-12:
        return distance, nx, ny, nz
    return distance, x / distance, y / distance, z / distance


@jit
def order_of(a, b):
    """−1.0 when b is to be the first, by where it is and how it is turned: not by its name."""
    for k in range(4):
        p = offset(a, 3 * k)
        q = offset(b, 3 * k)
        order = first_of(p[0], p[1], p[2], q[0], q[1], q[2])
        if order != 0.0:
            return order
    return 0.0


@kernel(PAIR)
def box_box(pose_a, pose_b, par, memory, out):
    """par: spot (0 the closest points, 1 … 8 a corner of a, 9 … 16 a corner of b, 17 … 24 where edges of one face leave
    the other, 25 crossing edges); centre, axes and half sides of a and of b. The force acts midway."""
    spot = int(par[0])
    a = offset(memory, A)
    b = offset(memory, B)
    found = offset(memory, FOUND)
    load(pose_a, offset(par, 1), a)
    load(pose_b, offset(par, 1 + BOX), b)
    point_a = POINT_A
    point_b = POINT_B
    sign = 1.0
    # The same computation whichever of the two is called a, so that exchanging them changes no digit.
    if order_of(a, b) < 0.0:
        point_a = POINT_B
        point_b = POINT_A
        sign = -1.0
        a = offset(memory, B)
        b = offset(memory, A)
        spot = exchanged(spot)
    if spot == 0:
        gap, nx, ny, nz = nearest(a, b, found)
    else:
        gap, nx, ny, nz = meeting(a, b, spot, offset(found, SUM))
    out[GAP] = gap
    put(offset(out, NORMAL_AT), sign * nx, sign * ny, sign * nz)
    put(offset(out, point_a), found[SUM], found[SUM + 1], found[SUM + 2])
    put(offset(out, point_b), found[SUM + 3], found[SUM + 4], found[SUM + 5])
    middle = offset(out, CONTACT_POINT)
    for k in range(3):
        middle[k] = 0.5 * (out[POINT_A + k] + out[POINT_B + k])


BOX_BOX = Pair(box_box, memory=(0.0,) * (FOUND + SUM + 6), spots=EDGES)
