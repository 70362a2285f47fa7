"""Two freeform surfaces: their common normal."""

from __future__ import annotations

import math
from typing import Any

from carom.geometry.common_normal import RELATIVE, SEEN_I, SEEN_J, common_normal, drawn_near
from carom.geometry.foot import SAME, in_part, lowest, middle
from carom.geometry.lookup.window import keep_window, let_go
from carom.geometry.pairs.base import CONTACT_POINT, FAR, GAP, NORMAL_AT, POINT_A, POINT_B, Pair, placed, put, turned
from carom.geometry.pairs.sphere_curve import seen_from
from carom.geometry.pairs.sphere_surface import in_axes_of_body, on_surface, only_part, parts
from carom.geometry.surface import (
    AT,
    COARSE_AT,
    COLUMNS,
    PATCH,
    PATCHES,
    ROOM,
    ROOM_HEAD,
    ROWS,
    SIZE,
    SPACING,
    WINDOW,
)
from carom.geometry.surfaces.base import NORMAL
from carom.kernels import PAIR, floats, jit, kernel, offset

# Memory: 1.0 when a common normal is known, −1.0 when the last search found none; its parameters, the relative pose at
# that search, and how far the surfaces may move from there until the next one.
KNOWN, U, V, P, Q, SEEN = range(6)
NEAR = SEEN + 12
MEMORY = (0.0,) * 18
AGAIN, AGAIN_FOR_NONE = 1.0, 0.1
"""Relative way, in patches of the coarse net, after which all of them are searched again at the latest: with a common
normal known, and without."""
FACING = 0.3
"""What a search gives for normals that look at each other, in parts of the size, squared."""
DEEPEST = 0.25
"""Indentation, in parts of the size, beyond which a nearer contact is taken instead."""


@jit
def put_relative(pose_a, pose_b, i, j, pose):
    """The pose of surface i in the axes of surface j."""
    for k in range(4):
        # The origin, then the three axes of i: columns of the rotation.
        x = i[AT]
        y = i[AT + 1]
        z = i[AT + 2]
        if k == 0:
            x, y, z = placed(pose_a, x, y, z)
            x, y, z = seen_from(pose_b, x, y, z)
            x, y, z = on_surface(j, x, y, z)
            put(pose, x, y, z)
        else:
            one = 1.0 if k == 1 else 0.0
            two = 1.0 if k == 2 else 0.0
            three = 1.0 if k == 3 else 0.0
            x, y, z = in_axes_of_body(i, one, two, three)
            x, y, z = turned(pose_a, x, y, z)
            # Back into the axes of j, as vectors: the difference of two points.
            ax, ay, az = seen_from(pose_b, pose_b[0] + x, pose_b[1] + y, pose_b[2] + z)
            bx, by, bz = on_surface(j, ax + j[AT], ay + j[AT + 1], az + j[AT + 2])
            pose[2 + k] = bx
            pose[5 + k] = by
            pose[8 + k] = bz


@jit
def moved_much(pose, memory, i):
    """Whether the surfaces have moved so far since the last search that another one is due."""
    way = 0.0
    turn = 0.0
    for d in range(3):
        way += (pose[d] - memory[SEEN + d]) ** 2
    for d in range(3, 12):
        turn += (pose[d] - memory[SEEN + d]) ** 2
    return not math.sqrt(way) + i[SIZE] * math.sqrt(turn) < memory[NEAR]


@jit
def score_patches(i, j, pose, values, partners, values_j, partners_j, facing):
    """For every patch of i the patch of j that is nearest, and its distance squared; and the other way about. With
    ``facing`` > 0, normals that do not look at each other count as a distance."""
    net_i = offset(i, int(i[COARSE_AT]))
    net_j = offset(j, int(j[COARSE_AT]))
    patches_i = offset(net_i, PATCHES)
    patches_j = offset(net_j, PATCHES)
    for m in range(int(net_j[ROWS]) * int(net_j[COLUMNS])):
        values_j[m] = 1e300
    for k in range(int(net_i[ROWS]) * int(net_i[COLUMNS])):
        one = offset(patches_i, PATCH * k)
        x = pose[0] + pose[3] * one[0] + pose[4] * one[1] + pose[5] * one[2]
        y = pose[1] + pose[6] * one[0] + pose[7] * one[1] + pose[8] * one[2]
        z = pose[2] + pose[9] * one[0] + pose[10] * one[1] + pose[11] * one[2]
        nx = pose[3] * one[3] + pose[4] * one[4] + pose[5] * one[5]
        ny = pose[6] * one[3] + pose[7] * one[4] + pose[8] * one[5]
        nz = pose[9] * one[3] + pose[10] * one[4] + pose[11] * one[5]
        best = 1e300
        partner = 0
        for m in range(int(net_j[ROWS]) * int(net_j[COLUMNS])):
            other = offset(patches_j, PATCH * m)
            score = (x - other[0]) ** 2 + (y - other[1]) ** 2 + (z - other[2]) ** 2
            score += facing * (1.0 + nx * other[3] + ny * other[4] + nz * other[5])
            if score < best:
                best = score
                partner = m
            if score < values_j[m]:
                values_j[m] = score
                partners_j[m] = k
        values[k] = best
        partners[k] = partner


@jit
def better(gap, best, deepest):
    """Whether a contact of this gap counts before the best one so far: the deepest that is not too deep."""
    if best >= FAR:
        return True
    if (gap < deepest) != (best < deepest):
        return best < deepest
    if gap < deepest:
        return gap > best
    return gap < best


@jit
def search(i, j, part_i, part_j, memory, room):
    """All common normals that patches lead to; the one that counts is put into memory, its gap is the answer."""
    values = offset(floats(int(i[ROOM])), ROOM_HEAD)
    net = offset(i, int(i[COARSE_AT]))
    net_j = offset(j, int(j[COARSE_AT]))
    rows = int(net[ROWS])
    columns = int(net[COLUMNS])
    partners = offset(values, rows * columns)
    values_j = offset(floats(int(j[ROOM])), ROOM_HEAD)
    partners_j = offset(values_j, int(net_j[ROWS]) * int(net_j[COLUMNS]))
    pose = offset(room, RELATIVE)
    length = min(i[SIZE], j[SIZE])
    same = SAME * SAME * length * length
    borders = False
    deepest = -DEEPEST * length
    best = 2.0 * FAR
    more = FAR
    x = 0.0
    y = 0.0
    z = 0.0
    seen = offset(room, SEEN_I)
    starts = 4 if memory[KNOWN] > 0.0 else 3
    u = memory[U]
    v = memory[V]
    p = memory[P]
    q = memory[Q]
    best_u = u
    best_v = v
    best_p = p
    best_q = q
    for way in range(starts):
        if way == 1 and best > 0.0 and best < FAR:
            continue  # apart: nothing else can be closer
        if way == 2 and best < FAR:
            continue  # what patches of i do not lead to, those of j may
        if way < 2:
            facing = 0.0 if way == 0 else FACING * FACING * length * length
            score_patches(i, j, pose, values, partners, values_j, partners_j, facing)
        last_a = rows if way < 2 else int(net_j[ROWS]) if way == 2 else 1
        last_b = columns if way < 2 else int(net_j[COLUMNS]) if way == 2 else 1
        for a in range(last_a):
            for b in range(last_b):
                if way == 2:
                    if not lowest(j, net_j, values_j, a, b, borders):
                        continue
                    p, q = middle(j, net_j, a, b)
                    m = int(partners_j[a * last_b + b])
                    c = m // columns
                    u, v = middle(i, net, c, m - c * columns)
                elif way < 2:
                    if not lowest(i, net, values, a, b, borders):
                        continue
                    u, v = middle(i, net, a, b)
                    m = int(partners[a * columns + b])
                    c = m // int(net_j[COLUMNS])
                    p, q = middle(j, net_j, c, m - c * int(net_j[COLUMNS]))
                    if way == 0:
                        u, v, p, q = drawn_near(i, j, u, v, p, q, room)
                else:
                    u = memory[U]
                    v = memory[V]
                    p = memory[P]
                    q = memory[Q]
                u, v, p, q, gap, found = common_normal(i, j, u, v, p, q, room)
                there = found != 0.0 and in_part(i, part_i, u, v) and in_part(j, part_j, p, q)
                if not there:
                    continue
                other = (seen[0] - x) ** 2 + (seen[1] - y) ** 2 + (seen[2] - z) ** 2 > same
                if better(gap, best, deepest):
                    if other:
                        more = best - gap
                    best = gap
                    best_u = u
                    best_v = v
                    best_p = p
                    best_q = q
                    x = seen[0]
                    y = seen[1]
                    z = seen[2]
                elif other:
                    more = min(more, abs(gap - best))
    patch = min(net[SPACING], net_j[SPACING])
    memory[NEAR] = AGAIN_FOR_NONE * patch
    memory[KNOWN] = -1.0
    for d in range(12):
        memory[SEEN + d] = pose[d]
    if best < FAR:
        memory[KNOWN] = 1.0
        # Two gaps change by no more than the way: until half of their difference the one that counts stays so.
        memory[NEAR] = min(AGAIN * patch, 0.5 * abs(more))
        memory[U] = best_u
        memory[V] = best_v
        memory[P] = best_p
        memory[Q] = best_q
        _, _, _, _, best, _ = common_normal(i, j, best_u, best_v, best_p, best_q, room)
    return best


@jit
def parts_of(spot, count_j):
    """Parts of both surfaces of a spot; 0, 0 is all."""
    if spot == 0:
        return 0, 0
    one = (spot - 1) // count_j
    return one + 1, spot - one * count_j


@kernel(PAIR)
def surface_surface(pose_a, pose_b, par, memory, out):
    """par: the spot; where the second surface begins and how many parts it has; both surfaces. The force acts midway
    between the skins."""
    i = offset(par, 3)
    j = offset(par, 3 + int(par[1]))
    room = floats(int(j[ROOM]))
    pose = offset(room, RELATIVE)
    put_relative(pose_a, pose_b, i, j, pose)
    part_i, part_j = parts_of(int(par[0]), int(par[2]))
    known = memory[KNOWN] > 0.0
    out[GAP] = FAR
    if memory[KNOWN] < 0.0 and not moved_much(pose, memory, i):
        return
    if known:
        if i[WINDOW] != 0.0:
            keep_window(int(i[WINDOW]), memory[U], memory[V])
        if j[WINDOW] != 0.0:
            keep_window(int(j[WINDOW]), memory[P], memory[Q])
    found = 0.0
    gap = FAR
    if known and not moved_much(pose, memory, i):
        u, v, p, q, gap, found = common_normal(i, j, memory[U], memory[V], memory[P], memory[Q], room)
        if found != 0.0 and in_part(i, part_i, u, v) and in_part(j, part_j, p, q):
            memory[U] = u
            memory[V] = v
            memory[P] = p
            memory[Q] = q
        else:
            found = 0.0
    if found == 0.0:
        gap = search(i, j, part_i, part_j, memory, room)
        if i[WINDOW] != 0.0:  # the search was all over the table
            let_go(int(i[WINDOW]))
        if j[WINDOW] != 0.0:
            let_go(int(j[WINDOW]))
        if memory[KNOWN] < 0.0:
            return
        if not known:
            if i[WINDOW] != 0.0:
                keep_window(int(i[WINDOW]), memory[U], memory[V])
            if j[WINDOW] != 0.0:
                keep_window(int(j[WINDOW]), memory[P], memory[Q])
    one = offset(room, SEEN_I)
    other = offset(room, SEEN_J)
    # Out of the axes of surface j.
    nx, ny, nz = in_axes_of_body(j, other[NORMAL], other[NORMAL + 1], other[NORMAL + 2])
    nx, ny, nz = turned(pose_b, nx, ny, nz)
    ax, ay, az = in_axes_of_body(j, one[0], one[1], one[2])
    ax, ay, az = placed(pose_b, ax + j[AT], ay + j[AT + 1], az + j[AT + 2])
    bx, by, bz = in_axes_of_body(j, other[0], other[1], other[2])
    bx, by, bz = placed(pose_b, bx + j[AT], by + j[AT + 1], bz + j[AT + 2])
    out[GAP] = gap
    put(offset(out, NORMAL_AT), nx, ny, nz)
    put(offset(out, POINT_A), ax, ay, az)
    put(offset(out, POINT_B), bx, by, bz)
    put(offset(out, CONTACT_POINT), 0.5 * (ax + bx), 0.5 * (ay + by), 0.5 * (az + bz))


def numbers(a: Any, b: Any) -> tuple[float, ...]:
    first = a.numbers
    return (only_part(a, b), float(len(first)), float(max(len(b.parts), 1)), *first, *b.numbers)


SURFACE_SURFACE = Pair(surface_surface, numbers, MEMORY, spots=parts)
