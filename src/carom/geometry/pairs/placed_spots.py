"""Spots that are chosen from candidates and keep the slot of the nearest spot before that had the same key.

They slide and roll over the other shape, where several of them may have one key: the lowest point of a rim is at two
places where a can lies in a groove.
"""

from __future__ import annotations

from carom.geometry.pairs.base import NO_CONTACT
from carom.geometry.pairs.spot_selection import CANDIDATE, MAX_SPOTS, add_candidate, deepest_candidate, to_global_spot
from carom.geometry.pairs.spots import EMPTY_SLOT, SPOT, assign_slots, copy_spot, read_slot, store_poses
from carom.geometry.vectors import along
from carom.kernels import RecordType, jit, stack_floats

PLACED_SLOTS = RecordType({f"slot_{k}": SPOT for k in range(1, MAX_SPOTS + 1)})
"""Spots of such a pair, in slots."""
EMPTY_PLACED_SLOTS = EMPTY_SLOT * MAX_SPOTS
"""Initial values of its slots."""
FOUND_NUMBERS = MAX_SPOTS * SPOT.size
APART = 8.0
"""Distance in places between spots with consecutive keys, per size of the shape [-]."""


@jit
def add_place(search, kind, key, gap, n, middle):
    """Add a place midway between the shapes to the candidates of a search if its gap is within the band [m]."""
    if gap > search.band:
        return
    search.least = min(search.least, gap)
    if search.narrows != 0.0:
        search.band = max(search.least, 0.0)
    p = along(middle, 0.5 * gap, n)
    q = along(middle, -0.5 * gap, n)
    rank = abs(key)
    add_candidate(
        search.candidates, kind, key, rank, gap, n[0], n[1], n[2], p[0], p[1], p[2], q[0], q[1], q[2]
    )  # fmt: skip


@jit
def keep_placed_spots(pose, candidates, size, slots):
    """Move the chosen candidates into slots; ``pose`` is that of the axes of the candidates.

    Places of spots with different keys are moved apart by more than the ``size`` [m] of the larger shape.
    """
    found = stack_floats(FOUND_NUMBERS)
    count = 0
    for k in range(int(candidates.count)):
        candidate = CANDIDATE(int(candidates.table), k)
        if candidate.spot.is_assigned != 0.0:
            copy_spot(candidate.spot, SPOT(found, count))
            to_global_spot(pose, SPOT(found, count))
            SPOT(found, count).place[2] += APART * size * candidate.key
            count += 1
    assign_slots(found, count, slots, MAX_SPOTS)


@jit
def read_deepest(pose, candidates, out):
    """Store the deepest candidate in the output of a pair, NO_CONTACT without any; ``pose`` is that of their axes."""
    k = deepest_candidate(candidates)
    if k < 0:
        out.gap = NO_CONTACT
        return
    best = CANDIDATE(int(candidates.table), k).spot
    best.is_occupied = 1.0
    to_global_spot(pose, best)
    read_slot(best, out)


@jit
def read_placed_spot(pose_a, pose_b, index, candidates, size, memory, out):
    """Keep the chosen candidates, which are in the axes of b, in slots, and store slot ``index`` = 1 … in the output.

    ``size`` is that of the larger shape [m].
    """
    keep_placed_spots(pose_b, candidates, size, memory.slots)
    store_poses(pose_a, pose_b, memory.poses)
    read_slot(SPOT(memory.slots, index - 1), out)
