"""Two freeform surfaces at all separate places where they are close to each other, each in a slot that it keeps.

The places are followed by Newton's method; new ones are found by a search after some motion.
"""

from __future__ import annotations

from typing import Any

from carom.geometry.common_normal import common_normal
from carom.geometry.pairs.base import POSE, PairKernel, pair_kernel
from carom.geometry.pairs.spots import POSES, SPOT, is_prepared
from carom.geometry.pairs.surface_places import (
    FOUND_NUMBERS,
    MAX_PLACES,
    PLACE_SLOTS,
    PLACES,
    PLACES_NUMBERS,
    REACH,
    add_place,
    copy_places,
    keep_near,
    keep_spots,
    place_at,
    read_spot,
    store_place_of_spot,
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
from carom.kernels import FLOAT, address_of, floats, jit, offset, record, stack_floats

PARAMS = record(
    point_index=FLOAT,  # 0: closest points; 1 … 8: slot of a place
    size_i=FLOAT,  # number of parameters of the first surface; those of the second follow
    i=SURFACE_SHAPE,
)
MEMORY = record(
    poses=POSES,  # for which the slots hold
    places=PLACES,  # where the surfaces are close to each other
    status=FLOAT,  # 1.0 after the first search
    pose=POSE,  # pose of the first surface in the axes of the second at the last search
    free_distance=FLOAT,  # relative motion from there until the next search [m]
    slots=PLACE_SLOTS,
)


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
        store_place_of_spot(pose_b, size, spot)
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
    index = int(params.point_index)
    if index == 0 or not is_prepared(pose_a, pose_b, memory.poses):
        i = params.i
        j = SURFACE_SHAPE(offset(floats(address_of(i)), int(params.size_i)))
        workspace = WORKSPACE(int(j.workspace))
        store_relative_pose(pose_a, pose_b, i, j, workspace.pose)
        found = stack_floats(FOUND_NUMBERS)
        find_places(i, j, pose_b, memory, found, workspace)
        keep_spots(pose_a, pose_b, index, min(i.size, j.size), memory, found)
    read_spot(index, memory, out)


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
