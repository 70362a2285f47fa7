"""Two freeform surfaces at all separate places where they are close to each other, each in a slot that it keeps.

The places are followed by Newton's method; new ones are found by a search after some motion.
"""

from __future__ import annotations

from typing import Any

from carom.geometry.common_normal import common_normal
from carom.geometry.pairs.base import NO_CONTACT, POSE, PairKernel, pair_kernel, to_local
from carom.geometry.pairs.spots import POSES, SPOT, assign_slots, is_prepared, read_slot, store_poses
from carom.geometry.pairs.surface_places import (
    MAX_PLACES,
    PLACES,
    PLACES_NUMBERS,
    REACH,
    add_place,
    best_place,
    copy_places,
    keep_near,
    place_at,
)
from carom.geometry.pairs.surface_relative import (
    SEARCH_DISTANCE,
    SEARCH_DISTANCE_WITHOUT,
    is_search_due,
    release_windows,
    spacing_of,
    store_contact,
    store_relative_pose,
    store_search,
    update_windows,
)
from carom.geometry.pairs.surface_search import search_places
from carom.geometry.shapes.surface import SURFACE_SHAPE, WORKSPACE
from carom.kernels import FLOAT, RecordType, address_of, floats, jit, offset, record, stack_floats

PARAMS = record(
    point_index=FLOAT,  # 0: closest points; 1 … 8: slot of a place
    size_i=FLOAT,  # number of parameters of the first surface; those of the second follow
    i=SURFACE_SHAPE,
)
PLACE_SLOTS = RecordType({f"slot_{k}": SPOT for k in range(1, MAX_PLACES + 1)})
"""Places of two surfaces, in slots."""
MEMORY = record(
    poses=POSES,  # for which the slots hold
    places=PLACES,  # where the surfaces are close to each other
    status=FLOAT,  # 1.0 after the first search
    pose=POSE,  # pose of the first surface in the axes of the second at the last search
    free_distance=FLOAT,  # relative motion from there until the next search [m]
    slots=PLACE_SLOTS,
)
FOUND_NUMBERS = MAX_PLACES * SPOT.size
PLACE_OUTWARDS = 0.2
"""Distance of the place of a spot from its point, relative to the size of the smaller surface [-]: places on both sides
of a thin part are far apart."""


@jit
def follow_places(i, j, pose_b, places, found, workspace):
    """Follow the places to the present poses and store them as spots; return whether all of them still exist."""
    size = min(i.size, j.size)
    before = PLACES(stack_floats(PLACES_NUMBERS))
    copy_places(places, before)
    places.count = 0.0
    all_exist = True
    for k in range(int(before.count)):
        place = place_at(before, k)
        u, v, p, q, gap, is_contact = common_normal(i, j, place.u, place.v, place.p, place.q, workspace)
        if is_contact == 0.0:
            all_exist = False
            continue
        n = int(places.count)
        add_place(places, u, v, p, q, gap, workspace.first.point, size)
        if int(places.count) == n:  # two places have become one
            continue
        spot = SPOT(found, n)
        spot.gap = gap
        store_contact(j, pose_b, workspace, spot)
        outwards = PLACE_OUTWARDS * size
        place_of_spot = to_local(
            pose_b,
            spot.point_b[0] + outwards * spot.normal[0],
            spot.point_b[1] + outwards * spot.normal[1],
            spot.point_b[2] + outwards * spot.normal[2],
        )
        for d in range(3):
            spot.place[d] = place_of_spot[d]
    return all_exist


@jit
def find_places(i, j, pose_b, memory, found, workspace):
    """Find all places at which two surfaces are close to each other, and store them as spots."""
    places = memory.places
    pose = workspace.pose
    if places.count > 0.0:
        first = place_at(places, 0)
        update_windows(i, j, first)
    if memory.status != 0.0 and not is_search_due(pose, memory, i):
        if follow_places(i, j, pose_b, places, found, workspace):
            return
    known = PLACES(stack_floats(PLACES_NUMBERS))
    copy_places(places, known)
    whole = 0
    length = min(i.size, j.size)
    search_places(i, j, whole, whole, known, places, workspace)
    keep_near(places, length)
    release_windows(i, j)
    spacing = spacing_of(i, j)
    free_distance = SEARCH_DISTANCE_WITHOUT * spacing
    if places.count > 0.0:
        free_distance = min(SEARCH_DISTANCE * spacing, 0.5 * REACH * length)
    store_search(memory, pose, 1.0, free_distance)
    follow_places(i, j, pose_b, places, found, workspace)


@pair_kernel(PARAMS, MEMORY)
def surface_spots(pose_a, pose_b, params, memory, out):
    """Compute the contact of two surfaces, or one of the places where they touch; the force acts midway."""
    slots = floats(address_of(memory.slots))
    if params.point_index == 0.0 or not is_prepared(pose_a, pose_b, memory.poses):
        i = params.i
        j = SURFACE_SHAPE(offset(floats(address_of(i)), int(params.size_i)))
        workspace = WORKSPACE(int(j.workspace))
        store_relative_pose(pose_a, pose_b, i, j, workspace.pose)
        found = stack_floats(FOUND_NUMBERS)
        find_places(i, j, pose_b, memory, found, workspace)
        if params.point_index == 0.0:
            best = best_place(memory.places, min(i.size, j.size))
            if best < 0:
                out.gap = NO_CONTACT
                return
            SPOT(found, best).is_occupied = 1.0
            read_slot(SPOT(found, best), out)
            return
        assign_slots(found, int(memory.places.count), slots, MAX_PLACES)
        store_poses(pose_a, pose_b, memory.poses)
    read_slot(SPOT(slots, int(params.point_index) - 1), out)


def parameters_of(a: Any, b: Any) -> tuple[float, ...]:
    """Return the parameters of two surfaces, without the index of the contact point."""
    first = a.parameters
    return (float(len(first)), *first, *b.parameters)


def spots_pair(numbers_of: Any) -> PairKernel:
    """Return the pair of shapes with these parameters."""
    return PairKernel(
        surface_spots, PARAMS, numbers_of, (0.0,) * MEMORY.size, contact_points=MAX_PLACES,
        shares_warm_start=True, slots_offset=MEMORY.index("slots"),
    )  # fmt: skip
