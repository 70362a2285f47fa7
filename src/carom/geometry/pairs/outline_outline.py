"""Two planar outlines: curves, polygons, capsules, discs and half planes, at every separate place where they touch.

A place is a local minimum of the gap: a common normal of two sides, a corner on a side, or two corners. Flush sides
touch at both ends of their common part. Two convex solids have one place, which is followed while they overlap; others
have as many as they have parts that touch, and each stays in its slot while it moves. Where outlines with dents overlap
so deeply that there is no such place, it is the point of either outline that is deepest in the other solid.
"""

from __future__ import annotations

from typing import Any

from carom.errors import ModelError
from carom.geometry.pairs.base import NO_CONTACT, PairKernel, pair_kernel, store, to_local
from carom.geometry.pairs.isolated_place import ISOLATION, MAX_MOTION, all_regular, is_near, store_isolation
from carom.geometry.pairs.outline_choice import (
    LEVEL,
    best_contact,
    drop_far,
    has_overlap,
    keep_closest,
    keep_one_place,
    keep_shallowest,
)
from carom.geometry.pairs.outline_features import (
    contains,
    corner_point,
    evaluate_sides,
    is_convex_pair,
    is_half_plane,
    node_of,
    side_point,
    solve_sides,
)
from carom.geometry.pairs.outline_overlap import keep_deepest_point
from carom.geometry.pairs.outline_search import (
    MARGIN,
    SEARCH,
    depth_limit,
    found_at,
    search_contacts,
    store_found,
)
from carom.geometry.pairs.sphere_common import reject_cavity
from carom.geometry.pairs.spots import (
    POSES,
    SPOT,
    assign_slots,
    copy_pose,
    copy_spot,
    is_prepared,
    read_slot,
    store_poses,
)
from carom.geometry.planar_outline import OUTLINE, STRAIGHT
from carom.kernels import FLOAT, address_of, floats, jit, offset, record

MAX_SLOTS, FLUSH_SLOTS = 8, 4
"""Largest number of places at which two outlines touch, and of ends of sides at which two convex ones do."""
PARAMS = record(
    point_index=FLOAT,  # 0: closest points; 1 … n_slots: one of the places
    n_slots=FLOAT,
    size_a=FLOAT,  # number of parameters of outline a; those of outline b follow
    a=OUTLINE,
)
SLOT_TABLE = record(numbers=(FLOAT, MAX_SLOTS * SPOT.size))
"""Slots, one after the other (`SPOT`)."""
WORKSPACE = record(
    slots=SLOT_TABLE,
    poses=POSES,  # poses for which the slots hold
    is_followed=FLOAT,  # 1.0 if the only place is a common normal of curves, which can be followed
    s_a=FLOAT,  # its parameters
    s_b=FLOAT,
    leaf_a=FLOAT,  # the cells it was in
    leaf_b=FLOAT,
    isolation=ISOLATION,
    search=SEARCH,
)

SAME_NORMAL = 1e-9
"""Difference of the cosine from 1 up to which two normals are one [-]."""
PLACE_OUTWARDS = 0.2
"""Distance of the place of a spot from its point, relative to the size of the smaller outline [-]: places on both sides
of a thin part are far apart."""
START_MARGIN = 0.05
"""Ratio of the depth to which a first search goes to the size of the smaller outline [-]."""
FOLLOWED_DEPTH = 4.0
"""Ratio to the last depth up to which a contact is followed [-]."""


@jit
def second_outline(params):
    """Return the second outline."""
    return OUTLINE(offset(floats(address_of(params.a)), int(params.size_a)))


@jit
def set_poses(pose_a, pose_b, a, b, workspace):
    """Store poses and size for a search."""
    search = workspace.search
    copy_pose(pose_a, search.features.pose_a)
    copy_pose(pose_b, search.features.pose_b)
    size = min(a.size, b.size)
    search.features.size = size if size > 0.0 else max(a.size, b.size)


@jit
def least_height(a, b, search):
    """Return a lower bound of the height of outline a above the half plane b [m], near the height of its lowest point.

    The lowest point is on a corner or a smooth cell; only the latter have an extent.
    """
    side = search.features.b
    start = 0.0
    side_point(search.features.pose_b, b, node_of(b, int(b.first_leaf)), start, side)
    least = NO_CONTACT
    for k in range(int(a.first_leaf), 2 * int(a.first_leaf) + 1):
        cell = node_of(a, k)
        if cell.radius < 0.0 or cell.kind == STRAIGHT:
            continue
        x, y = corner_point(search.features.pose_a, cell)
        least = min(least, (y - side.y) * side.tx - (x - side.x) * side.ty - cell.radius)
    return least


@jit
def find_places(a, b, n_slots, workspace):
    """Find the places of two outlines."""
    search = workspace.search
    slots = floats(address_of(workspace.slots))
    margin = MARGIN * search.features.size
    if is_convex_pair(a, b) and (a.is_smooth != 0.0 or b.is_smooth != 0.0):
        margin = 0.0
    is_new = True
    was_overlap = False
    for j in range(n_slots):
        slot = SPOT(slots, j)
        if slot.is_occupied != 0.0:
            is_new = False
            was_overlap = was_overlap or slot.gap < 0.0
            margin = max(margin, -FOLLOWED_DEPTH * slot.gap)
    reach = margin
    if is_convex_pair(a, b):
        if is_half_plane(b):  # few places have its normal: the lowest one, and the ends of flush sides
            margin = NO_CONTACT
    else:
        reach = MARGIN * search.features.size
        if is_half_plane(b):
            margin = max(margin, LEVEL * search.features.size - least_height(a, b, search))
        elif is_new:
            margin = max(margin, START_MARGIN * search.features.size)
    search.margin = margin + a.radius + b.radius
    search_contacts(search, a, b)
    drop_far(search, reach + a.radius + b.radius, a.radius + b.radius)
    if is_convex_pair(a, b):
        keep_one_place(search, slots, n_slots, is_half_plane(b))
        return
    keep_shallowest(search, a.radius + b.radius)
    if (is_new or was_overlap) and not (is_half_plane(b) or has_overlap(search, a.radius + b.radius)):
        keep_deepest_point(search, a, b)


@jit
def follow(a, b, workspace):
    """Return whether the only common normal of two curves is in the cells where it was; it is kept then."""
    search = workspace.search
    if workspace.is_followed == 0.0 or not (is_convex_pair(a, b) or is_near(a, search, workspace.isolation)):
        return False
    search.leaf_a = workspace.leaf_a
    search.leaf_b = workspace.leaf_b
    cell_a = node_of(a, int(workspace.leaf_a))
    cell_b = node_of(b, int(workspace.leaf_b))
    converged, s_a, s_b = solve_sides(a, b, cell_a, cell_b, workspace.s_a, workspace.s_b, search.features)
    if not (converged and contains(cell_a, s_a) and contains(cell_b, s_b)):
        return False
    is_minimum = evaluate_sides(a, b, cell_a, cell_b, s_a, s_b, search.features)
    if -search.features.result.gap > depth_limit(a, b, cell_a, cell_b):
        return False
    if is_minimum:
        store_found(search, found_at(search, 0), a, b, is_minimum, is_minimum)
        search.n_found = 1.0
    return is_minimum


@jit
def is_isolated(a, b, n_slots, workspace):
    """Return whether the place that has been found is the only one near these poses."""
    search = workspace.search
    isolation = workspace.isolation
    if is_convex_pair(a, b):
        return True
    if a.is_smooth * b.is_smooth == 0.0:
        return False
    if not is_near(a, search, isolation):
        distance = abs(found_at(search, 0).spot.gap + a.radius + b.radius)
        limit = max(search.margin, distance) + 2.0 * MAX_MOTION * search.features.size
        search.margin = limit
        search_contacts(search, a, b)
        is_single = search.n_found == 1.0 and all_regular(search, a, b, limit)
        store_isolation(search, 1.0 if is_single else -1.0, isolation)
        find_places(a, b, n_slots, workspace)
    return isolation.state > 0.0


@jit
def find_or_follow(pose_a, pose_b, a, b, n_slots, workspace):
    """Find the places of two outlines in these poses."""
    search = workspace.search
    set_poses(pose_a, pose_b, a, b, workspace)
    if follow(a, b, workspace):
        is_single = True
    else:
        find_places(a, b, n_slots, workspace)
        is_single = int(search.n_found) == 1 and is_isolated(a, b, n_slots, workspace)
    workspace.is_followed = 0.0
    if is_single:
        found = found_at(search, 0)
        workspace.is_followed = found.is_smooth
        workspace.s_a = found.s_a
        workspace.s_b = found.s_b
        workspace.leaf_a = found.leaf_a
        workspace.leaf_b = found.leaf_b


@jit
def prepare_slots(pose_a, pose_b, a, b, n_slots, workspace):
    """Assign the places of these poses to the slots, unless they are those of another slot already."""
    if is_prepared(pose_a, pose_b, workspace.poses):
        return
    search = workspace.search
    find_or_follow(pose_a, pose_b, a, b, n_slots, workspace)
    keep_closest(search, n_slots)
    n = int(search.n_found)
    outwards = PLACE_OUTWARDS * search.features.size
    spots = floats(address_of(search.found))
    for k in range(n):
        spot = found_at(search, k).spot
        x = spot.point_a[0] + outwards * spot.normal[0]
        y = spot.point_a[1] + outwards * spot.normal[1]
        x, y, z = to_local(pose_a, x, y, spot.point_a[2])
        store(spot.place, x, y, z)
        copy_spot(spot, SPOT(spots, k))  # spots without their parameters, one after the other
    assign_slots(spots, n, floats(address_of(workspace.slots)), n_slots)
    store_poses(pose_a, pose_b, workspace.poses)


@jit
def store_closest(search, k, slot):
    """Store contact ``k`` in a slot; the mean of several that are level."""
    best = found_at(search, k).spot
    copy_spot(best, slot)
    count = 1.0
    for i in range(int(search.n_found)):
        spot = found_at(search, i).spot
        cosine = spot.normal[0] * best.normal[0] + spot.normal[1] * best.normal[1]
        is_level = abs(spot.gap - best.gap) <= LEVEL * search.features.size and cosine >= 1.0 - SAME_NORMAL
        if i != k and is_level:
            count += 1.0
            for d in range(2):
                slot.point_a[d] += spot.point_a[d]
                slot.point_b[d] += spot.point_b[d]
    for d in range(2):
        slot.point_a[d] /= count
        slot.point_b[d] /= count


@jit
def find_closest(pose_a, pose_b, a, b, workspace):
    """Store the closest points of two outlines in the first slot."""
    search = workspace.search
    slot = SPOT(floats(address_of(workspace.slots)), 0)
    n_slots = 1
    find_or_follow(pose_a, pose_b, a, b, n_slots, workspace)
    if int(search.n_found) == 0:
        slot.is_occupied = 0.0
        return
    best = 0  # of convex solids, the place that is followed
    if not is_convex_pair(a, b):
        deepest = -1.0
        best = best_contact(search, deepest)
    store_closest(search, best, slot)


@pair_kernel(PARAMS, WORKSPACE)
def outline_outline(pose_a, pose_b, params, workspace, out):
    """Compute the closest points of two outlines, or one of the places where they touch; the force acts midway."""
    a = params.a
    b = second_outline(params)
    slots = floats(address_of(workspace.slots))
    k = int(params.point_index) - 1
    if k < 0:
        find_closest(pose_a, pose_b, a, b, workspace)
        k = 0
    else:
        prepare_slots(pose_a, pose_b, a, b, int(params.n_slots), workspace)
    read_slot(SPOT(slots, k), out)


def contact_points(a: Any, b: Any) -> int:
    """Return the largest number of places that are evaluated."""
    one, other = a.outline_parameters, b.outline_parameters
    convex, smooth = (OUTLINE.index(name) for name in ("is_convex", "is_smooth"))
    if not (one[convex] and other[convex]):
        return MAX_SLOTS
    return 1 if one[smooth] or other[smooth] or "Sphere" in (a.kind, b.kind) else FLUSH_SLOTS


def parameters_of(a: Any, b: Any) -> tuple[float, ...]:
    """Return the parameters of both outlines."""
    one, other = a.outline_parameters, b.outline_parameters
    return (0.0, float(contact_points(a, b)), float(len(one)), *one, *other)


def check_planar(owner: str, a: Any, b: Any) -> None:
    """Raise for spatial bodies, or for two cavities."""
    for shape, other in ((a, b), (b, a)):
        if not shape.planar:
            raise ModelError(
                f"{owner}: {shape.label} is a planar profile and needs a planar body to touch {other.label}"
            )
    cavities = [getattr(shape, "inside", False) for shape in (a, b)]
    if all(cavities):
        raise ModelError(f"{owner}: {a.label} and {b.label} are both cavities; one of them must be solid inside")
    for shape, other in ((a, b), (b, a)):
        if shape.kind == "Sphere" and shape.inside:
            reject_cavity(owner, shape, other)
        if shape.edges == "ignore":
            raise ModelError(f"{owner}: {shape.label} touches {other.label} with its ends, too; omit edges")


OUTLINE_OUTLINE = PairKernel(
    outline_outline, PARAMS, parameters_of, (0.0,) * WORKSPACE.size, check_planar,
    contact_points=contact_points, shares_warm_start=True, slots_offset=WORKSPACE.index("slots"),
)  # fmt: skip
"""Pair of any two planar shapes with an outline."""
