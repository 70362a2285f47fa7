"""Choice of the spots of a pair from many candidates: vertices, crossing edges.

Few candidates are all spots. Of many, sixteen are chosen: for each of sixteen small displacements, fixed in one of the
bodies, the candidate that would be deepest after it. On a flat face these are corners of its outline, on two walls some
on either. A candidate is thus exchanged for another one only while one of the two is higher than the other by about
`TILT` times their distance, so that it does not touch and no force jumps.
"""

from __future__ import annotations

import math

import numpy as np

from carom.geometry.pairs.base import NO_CONTACT, rotate, store_midpoint, to_global
from carom.geometry.pairs.spots import SPOT, copy_spot
from carom.kernels import FLOAT, RecordType, jit, record

MAX_SPOTS = 16
"""Largest number of spots of a pair with meshes."""
MAX_CANDIDATES = 192
"""Largest number of candidates; the deepest are kept."""
TILT = 0.03
"""Displacement per size of the shape [-]."""
VERTEX, EDGES = 1.0, 2.0
"""Kinds of candidates: a vertex, the crossing of two edges."""
LESS_DEEP = 0.999
"""Ratio of depths below which one is less than the other [-]."""
SAME_DIRECTION = 0.99
"""Cosine of the angle between two normals above which they are one [-]."""

CANDIDATE = record(
    spot=SPOT,
    kind=FLOAT,  # VERTEX or EDGES
    key=FLOAT,  # number of the vertex, or of the pair of edges
    rank=FLOAT,  # number of the slot that it prefers, modulo the number of slots
)
"""A possible spot, or one in a slot; `is_assigned` marks those that are chosen or have their slot."""
CANDIDATES = record(
    table=FLOAT,  # address of `MAX_CANDIDATES` of them, in the axes of one of the bodies
    count=FLOAT,
    merge_distance=FLOAT,  # distance below which two candidates with one normal are one [m]
)

MESH_SLOTS = RecordType({f"slot_{k}": CANDIDATE for k in range(1, MAX_SPOTS + 1)})
"""Spots of a pair with meshes, in slots; the key of an empty slot is that of its last spot."""
CANDIDATE_NUMBERS = MAX_CANDIDATES * CANDIDATE.size


def _directions() -> np.ndarray:
    """Return the translations and rotations of sixteen small displacements, the first one zero."""
    count = MAX_SPOTS - 1
    k = np.arange(count)
    z, angle = 1.0 - (2.0 * k + 1.0) / count, k * math.pi * (3.0 - math.sqrt(5.0))
    points = np.column_stack([np.sqrt(1.0 - z * z) * np.cos(angle), np.sqrt(1.0 - z * z) * np.sin(angle), z])
    return np.vstack([np.zeros(6), np.column_stack([points[(7 * k) % count], points])])


DISPLACEMENTS = _directions()


@jit
def middle_square(spot, px, py, pz, qx, qy, qz):
    """Return four times the squared distance of the middle of a spot from that of two points [m²]."""
    dx = spot.point_a[0] + spot.point_b[0] - px - qx
    dy = spot.point_a[1] + spot.point_b[1] - py - qy
    dz = spot.point_a[2] + spot.point_b[2] - pz - qz
    return dx * dx + dy * dy + dz * dz


@jit
def add_candidate(candidates, kind, key, rank, gap, nx, ny, nz, px, py, pz, qx, qy, qz):
    """Add a candidate of a kind, VERTEX or EDGES, with a key and a rank.

    n is the normal from b to a, p and q are points of a and b.

    It replaces one at the same place that is less deep, or the highest one if there are too many.
    """
    table = int(candidates.table)
    count = int(candidates.count)
    limit = 4.0 * candidates.merge_distance * candidates.merge_distance
    target = count
    for k in range(count):
        spot = CANDIDATE(table, k).spot
        cosine = spot.normal[0] * nx + spot.normal[1] * ny + spot.normal[2] * nz
        if cosine > SAME_DIRECTION and middle_square(spot, px, py, pz, qx, qy, qz) < limit:
            if spot.gap <= gap:
                return
            target = k
            break
    if target == MAX_CANDIDATES:
        target = highest_candidate(candidates)
        if CANDIDATE(table, target).spot.gap <= gap:
            return
    elif target == count:
        candidates.count += 1.0
    spot = CANDIDATE(table, target).spot
    CANDIDATE(table, target).kind = kind
    CANDIDATE(table, target).key = key
    CANDIDATE(table, target).rank = rank
    spot.gap = gap
    spot.normal[0] = nx
    spot.normal[1] = ny
    spot.normal[2] = nz
    spot.point_a[0] = px
    spot.point_a[1] = py
    spot.point_a[2] = pz
    spot.point_b[0] = qx
    spot.point_b[1] = qy
    spot.point_b[2] = qz
    for d in range(3):
        spot.place[d] = 0.5 * (spot.point_a[d] + spot.point_b[d])
    spot.is_assigned = 0.0


@jit
def copy_candidate(candidate, out):
    """Store a copy of a candidate."""
    copy_spot(candidate.spot, out.spot)
    out.kind = candidate.kind
    out.key = candidate.key
    out.rank = candidate.rank


@jit
def is_far_through(candidates, k):
    """Return whether crossing edges overlap by more than another place is away that overlaps less.

    They are then on far sides of both bodies.
    """
    table = int(candidates.table)
    spot = CANDIDATE(table, k).spot
    if CANDIDATE(table, k).kind != EDGES or spot.gap >= 0.0:
        return False
    for i in range(int(candidates.count)):
        other = CANDIDATE(table, i).spot
        if i != k and LESS_DEEP * spot.gap < other.gap < 0.0:
            square = 0.0
            for d in range(3):
                square += (spot.place[d] - other.place[d]) ** 2
            if square < spot.gap * spot.gap:
                return True
    return False


@jit
def drop_far_edges(candidates):
    """Remove crossing edges on far sides of both bodies; return the least gap of the others [m]."""
    table = int(candidates.table)
    for k in range(int(candidates.count)):
        CANDIDATE(table, k).spot.is_assigned = 1.0 if is_far_through(candidates, k) else 0.0
    n = 0
    least = NO_CONTACT
    for k in range(int(candidates.count)):
        spot = CANDIDATE(table, k).spot
        if spot.is_assigned == 0.0:
            if CANDIDATE(table, k).kind == EDGES:
                least = min(least, spot.gap)
            copy_candidate(CANDIDATE(table, k), CANDIDATE(table, n))
            CANDIDATE(table, n).spot.is_assigned = 0.0
            n += 1
    candidates.count = float(n)
    return least


@jit
def highest_candidate(candidates):
    """Return the candidate with the largest gap."""
    best = 0
    for k in range(1, int(candidates.count)):
        if CANDIDATE(int(candidates.table), k).spot.gap > CANDIDATE(int(candidates.table), best).spot.gap:
            best = k
    return best


@jit
def deepest_candidate(candidates):
    """Return the candidate with the smallest gap that is not yet chosen; −1 if there is none."""
    best = -1
    for k in range(int(candidates.count)):
        spot = CANDIDATE(int(candidates.table), k).spot
        if spot.is_assigned == 0.0:
            if best < 0 or spot.gap < CANDIDATE(int(candidates.table), best).spot.gap:
                best = k
    return best


@jit
def displaced_depth(spot, k, size):
    """Return the depth of a candidate after displacement ``k`` [m]; ``size`` [m] is that of the shape."""
    n = spot.normal
    p = spot.place
    t = DISPLACEMENTS[k]
    x = size * t[0] + t[4] * p[2] - t[5] * p[1]
    y = size * t[1] + t[5] * p[0] - t[3] * p[2]
    z = size * t[2] + t[3] * p[1] - t[4] * p[0]
    return TILT * (x * n[0] + y * n[1] + z * n[2]) - spot.gap


@jit
def choose_by_displacements(candidates, size):
    """Mark up to sixteen touching candidates as chosen."""
    table = int(candidates.table)
    for k in range(MAX_SPOTS):
        best = -1
        deepest = 0.0
        for i in range(int(candidates.count)):
            spot = CANDIDATE(table, i).spot
            if spot.gap > 0.0:
                continue
            depth = displaced_depth(spot, k, size)
            if best < 0 or depth > deepest:
                best = i
                deepest = depth
        CANDIDATE(table, best).spot.is_assigned = 1.0


@jit
def choose_spots(candidates, size):
    """Mark up to sixteen of the candidates as chosen."""
    table = int(candidates.table)
    count = int(candidates.count)
    touching = 0
    for k in range(count):
        if CANDIDATE(table, k).spot.gap <= 0.0:
            touching += 1
    if touching > MAX_SPOTS:
        choose_by_displacements(candidates, size)
    else:
        for _ in range(min(count, MAX_SPOTS)):
            CANDIDATE(table, deepest_candidate(candidates)).spot.is_assigned = 1.0


@jit
def slot_with_key(slots, kind, key):
    """Return the slot that is not assigned and has or had a spot with this key; −1 if there is none."""
    for j in range(MAX_SPOTS):
        slot = CANDIDATE(slots, j)
        if slot.spot.is_assigned == 0.0 and slot.kind == kind and slot.key == key:
            return j
    return -1


@jit
def free_slot(slots, candidate):
    """Return the slot for a new candidate: the one that its rank stands for, or the next one that is not assigned.

    Spots thus have the same slots wherever a motion is evaluated, if no two of them share one.
    """
    j = int(candidate.rank) % MAX_SPOTS
    while CANDIDATE(slots, j).spot.is_assigned != 0.0:
        j = (j + 1) % MAX_SPOTS
    return j


@jit
def fill_slot(candidate, slot):
    """Move a chosen candidate into a slot."""
    copy_candidate(candidate, slot)
    slot.spot.is_assigned = 1.0
    candidate.spot.is_assigned = 0.0


@jit
def keep_spots(pose, candidates, slots):
    """Move the chosen candidates into slots: a vertex or pair of edges into the slot that it had before.

    ``pose`` is that of the axes of the candidates.
    """
    table = int(candidates.table)
    for j in range(MAX_SPOTS):
        CANDIDATE(slots, j).spot.is_assigned = 0.0
    for k in range(int(candidates.count)):
        candidate = CANDIDATE(table, k)
        if candidate.spot.is_assigned != 0.0:
            j = slot_with_key(slots, candidate.kind, candidate.key)
            if j >= 0:
                fill_slot(candidate, CANDIDATE(slots, j))
    for limit in (0.0, NO_CONTACT):  # those that touch choose first
        for k in range(int(candidates.count)):
            candidate = CANDIDATE(table, k)
            if candidate.spot.is_assigned != 0.0 and candidate.spot.gap <= limit:
                fill_slot(candidate, CANDIDATE(slots, free_slot(slots, candidate)))
    for j in range(MAX_SPOTS):
        slot = CANDIDATE(slots, j)
        if slot.spot.is_assigned != 0.0:
            to_global_spot(pose, slot.spot)
        else:
            slot.spot.gap = NO_CONTACT


@jit
def read_mesh_slot(slot, out):
    """Store the spot of a slot in the output of a pair, NO_CONTACT if it is empty; the force acts midway."""
    out.gap = slot.spot.gap
    for d in range(3):
        out.normal[d] = slot.spot.normal[d]
        out.point_a[d] = slot.spot.point_a[d]
        out.point_b[d] = slot.spot.point_b[d]
    store_midpoint(out)


@jit
def to_global_spot(pose, spot):
    """Change a spot from the axes of a body to global axes, apart from its place."""
    x, y, z = rotate(pose, spot.normal[0], spot.normal[1], spot.normal[2])
    spot.normal[0] = x
    spot.normal[1] = y
    spot.normal[2] = z
    x, y, z = to_global(pose, spot.point_a[0], spot.point_a[1], spot.point_a[2])
    spot.point_a[0] = x
    spot.point_a[1] = y
    spot.point_a[2] = z
    x, y, z = to_global(pose, spot.point_b[0], spot.point_b[1], spot.point_b[2])
    spot.point_b[0] = x
    spot.point_b[1] = y
    spot.point_b[2] = z
