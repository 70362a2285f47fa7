"""Shape and union of shapes that touches at several places: the spots of all its shapes, each in a slot that it keeps.

Where two shapes of the union meet in an edge, only the one that is closer pushes: a spot is dropped if a closer one has
another normal and the spot lies below its tangent plane, that is, inside or at the side of the union there.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from carom.geometry.pairs.base import NO_CONTACT, PAIR_OUTPUT, pair_kernel, to_local
from carom.geometry.pairs.placed_spots import EMPTY_PLACED_SLOTS, PLACED_SLOTS
from carom.geometry.pairs.spot_selection import MAX_SPOTS
from carom.geometry.pairs.spots import POSES, SPOT, assign_slots, copy_spot, is_prepared, read_slot, store_poses
from carom.geometry.vectors import dot, load, norm, subtract
from carom.kernels import FLOAT, address_of, call_pair, floats, jit, offset, record, stack_floats

if TYPE_CHECKING:
    from carom.geometry.pairs.registry import Pairing

PARAMS = record(
    point_index=FLOAT,  # 0: closest points; 1 … 16: slot of a spot
    n_pairs=FLOAT,
)
"""Then one `ENTRY` per pair; then the parameters of all pairs."""
ENTRY = record("pair_kernel  is_swapped  n_points  params_offset  warm_start_offset")
"""Address of the kernel, 1.0 for shapes in reverse order, number of its contact points, and where parameters and warm
start of the pair begin."""
MEMORY = record(
    poses=POSES,  # for which the slots hold
    slots=PLACED_SLOTS,
)
"""Then the warm starts of all pairs."""
MAX_FOUND = 64
"""Largest number of spots before the choice."""
SAME_NORMAL = 1e-6
"""Difference from 1 of the cosine of the angle between two normals that are one [-]."""
SAME_PLACE = 1e-9
"""Distance of two places that are one, or height above a tangent plane that is rounding [m]."""
ENTRY_SIZE, FIRST_ENTRY, OUTPUT_SIZE = ENTRY.size, PARAMS.size, PAIR_OUTPUT.size
FOUND_NUMBERS, SPOT_SIZE = MAX_FOUND * SPOT.size, SPOT.size


@jit
def call_part(pose_a, pose_b, params, memory, k, point, out):
    """Evaluate contact point ``point`` of pair ``k``; 0: its closest points."""
    numbers = floats(address_of(params))
    entry = ENTRY(offset(numbers, FIRST_ENTRY + ENTRY_SIZE * k))
    pair_params = offset(numbers, int(entry.params_offset))
    warm_start = offset(floats(address_of(memory)), int(entry.warm_start_offset))
    if entry.n_points > 1.0:
        pair_params[0] = float(point)
    if entry.is_swapped == 0.0:
        call_pair(int(entry.pair_kernel), pose_a, pose_b, pair_params, warm_start, out)
        return
    call_pair(int(entry.pair_kernel), pose_b, pose_a, pair_params, warm_start, out)
    for d in range(3):
        out.normal[d] = 0.0 - out.normal[d]
        point_a = out.point_a[d]
        out.point_a[d] = out.point_b[d]
        out.point_b[d] = point_a


@jit
def find_all(pose_a, pose_b, params, memory, found):
    """Store the spots of all pairs; return their number."""
    numbers = floats(address_of(params))
    out = PAIR_OUTPUT(stack_floats(OUTPUT_SIZE))
    count = 0
    for k in range(int(params.n_pairs)):
        n_points = int(ENTRY(offset(numbers, FIRST_ENTRY + ENTRY_SIZE * k)).n_points)
        for point in range(1, n_points + 1):
            call_part(pose_a, pose_b, params, memory, k, point, out)
            if out.gap >= NO_CONTACT or count == MAX_FOUND:
                continue
            spot = SPOT(found, count)
            spot.gap = out.gap
            middle = (
                0.5 * (out.point_a[0] + out.point_b[0]),
                0.5 * (out.point_a[1] + out.point_b[1]),
                0.5 * (out.point_a[2] + out.point_b[2]),
            )
            place = to_local(pose_b, middle[0], middle[1], middle[2])
            for d in range(3):
                spot.normal[d] = out.normal[d]
                spot.point_a[d] = out.point_a[d]
                spot.point_b[d] = out.point_b[d]
                spot.place[d] = place[d]
            spot.is_assigned = 0.0
            count += 1
    return count


@jit
def is_covered(found, count, i):
    """Return whether a closer spot makes spot ``i`` one that is inside the union or at its side, or the same."""
    spot = SPOT(found, i)
    for j in range(count):
        other = SPOT(found, j)
        if j == i or other.gap > spot.gap or (other.gap == spot.gap and j > i):
            continue
        way = subtract(load(spot.point_b), load(other.point_b))
        if norm(way) <= SAME_PLACE:
            return True
        if dot(load(spot.normal), load(other.normal)) < 1.0 - SAME_NORMAL:
            if dot(way, load(other.normal)) <= SAME_PLACE:
                return True
    return False


@jit
def choose(found, count):
    """Move the closest spots that are not covered to the front; return their number, 16 at most."""
    for i in range(count):
        SPOT(found, i).is_assigned = 1.0 if is_covered(found, count, i) else 0.0
    n = 0
    while n < MAX_SPOTS:
        best = -1
        for i in range(n, count):
            if SPOT(found, i).is_assigned == 0.0 and (best < 0 or SPOT(found, i).gap < SPOT(found, best).gap):
                best = i
        if best < 0:
            break
        spare = SPOT(stack_floats(SPOT_SIZE))
        covered = SPOT(found, n).is_assigned
        copy_spot(SPOT(found, n), spare)
        copy_spot(SPOT(found, best), SPOT(found, n))
        copy_spot(spare, SPOT(found, best))
        SPOT(found, best).is_assigned = covered
        n += 1
    return n


@pair_kernel(PARAMS, MEMORY)
def union_spots(pose_a, pose_b, params, memory, out):
    """Compute the contact of a shape (a) with a union (b), or one spot of it; the force acts midway."""
    if params.point_index == 0.0:
        candidate = PAIR_OUTPUT(stack_floats(OUTPUT_SIZE))
        none = 0
        out.gap = 2.0 * NO_CONTACT
        for k in range(int(params.n_pairs)):
            call_part(pose_a, pose_b, params, memory, k, none, candidate)
            if candidate.gap < out.gap:
                out.gap = candidate.gap
                for d in range(3):
                    out.normal[d] = candidate.normal[d]
                    out.point_a[d] = candidate.point_a[d]
                    out.point_b[d] = candidate.point_b[d]
                    out.force_point[d] = candidate.force_point[d]
        return
    if not is_prepared(pose_a, pose_b, memory.poses):
        found = stack_floats(FOUND_NUMBERS)
        count = choose(found, find_all(pose_a, pose_b, params, memory, found))
        assign_slots(found, count, memory.slots, MAX_SPOTS)
        store_poses(pose_a, pose_b, memory.poses)
    read_slot(SPOT(memory.slots, int(params.point_index) - 1), out)


def unite_spots(pairings: Sequence[Pairing]) -> tuple[tuple[float, ...], tuple[float, ...]]:
    """Return parameters and warm start of a union with several spots from those of its pairs."""
    header: list[float] = [0.0, float(len(pairings))]
    parameters: list[float] = []
    warm_start: list[float] = [*(0.0,) * POSES.size, *EMPTY_PLACED_SLOTS]
    start = PARAMS.size + ENTRY.size * len(pairings)
    for pairing in pairings:
        header += [float(pairing.kernel.address), float(pairing.swapped), float(pairing.contact_points)]
        header += [float(start + len(parameters)), float(len(warm_start))]
        parameters += pairing.parameters
        # Contact points without a warm start in common are searched from the start values of the pair.
        warm_start += pairing.warm_start
    return (*header, *parameters), tuple(warm_start)
