"""Spots that are chosen from candidates and keep the slot of the nearest spot before that had the same key.

They slide and roll over the other shape, where several of them may have one key: the lowest point of a rim is at two
places where a can lies in a groove.
"""

from __future__ import annotations

from carom.geometry.pairs.spot_selection import CANDIDATE, MAX_SPOTS, to_global_spot
from carom.geometry.pairs.spots import EMPTY_SLOT, SPOT, assign_slots, copy_spot
from carom.kernels import RecordType, jit, stack_floats

PLACED_SLOTS = RecordType({f"slot_{k}": SPOT for k in range(1, MAX_SPOTS + 1)})
"""Spots of such a pair, in slots."""
EMPTY_PLACED_SLOTS = EMPTY_SLOT * MAX_SPOTS
"""Initial values of its slots."""
FOUND_NUMBERS = MAX_SPOTS * SPOT.size
APART = 8.0
"""Distance in places between spots with consecutive keys, per size of the shape [-]."""


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
