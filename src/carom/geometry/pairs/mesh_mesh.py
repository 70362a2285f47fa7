"""Two meshes: all separate places where vertices or edges of one touch the other; also boxes, hulls and capsules.

Closest points: the deepest vertex of either mesh that is inside the other; without one, the deepest pair of crossing
edges; and the closest points of meshes that do not overlap.
"""

from __future__ import annotations

from typing import Any

from carom.geometry.mesh.solid import solid_of
from carom.geometry.mesh.tables import MESH
from carom.geometry.pairs.base import PairKernel, pair_kernel
from carom.geometry.pairs.mesh_features import MAX_CHECKED, MESH_SEARCH, start_search
from carom.geometry.pairs.mesh_near import (
    NEAR_LIST,
    check_inner_vertices,
    check_near_triangles,
    contains_component,
    find_nearest_listed,
)
from carom.geometry.pairs.mesh_plane import require_solid
from carom.geometry.pairs.mesh_traversal import NEAREST, find_nearest, store_relative_pose
from carom.geometry.pairs.spot_selection import (
    CANDIDATE,
    CANDIDATE_NUMBERS,
    MAX_SPOTS,
    MESH_SLOTS,
    VERTEX,
    add_candidate,
    choose_spots,
    deepest_candidate,
    drop_far_edges,
    keep_spots,
    read_mesh_slot,
    to_global_spot,
)
from carom.geometry.pairs.spots import POSES, is_prepared, store_poses
from carom.kernels import FLOAT, address_of, jit, record, stack_floats

PARAMS = record(
    point_index=FLOAT,  # 0: closest points; 1 … 16: slot of a spot
    a=MESH,
    b=MESH,
)
MEMORY = record(
    poses=POSES,
    is_known=FLOAT,  # 1.0 after the first search
    depth=FLOAT,  # largest at the last search [m]
    nearest=NEAREST,
    listed=NEAR_LIST,
    slots=MESH_SLOTS,
)
"""Poses for which the slots hold, and the start values of the next search."""

MARGIN = 2.0
"""Distance beyond the band up to which triangles are listed for the next searches, per band [-]."""
DEPTH_RATIO = 1.5
"""Ratio of the band to the depth at the last search [-]."""
MERGE_RATIO = 1e-6
"""Distance below which two places with one normal are one, per size of the smaller mesh [-]."""
NEAREST_KEY = -1.0
"""Key of the closest points of meshes that are further apart than the band."""
WIDENING, MAX_SEARCHES = 8.0, 5
"""Factor of the band after a search of intersecting meshes that found no overlap; largest number of searches."""
SEARCH_NUMBERS = MESH_SEARCH.size


@jit
def find_places(a, b, search, memory):
    """Find all places where the meshes touch or are closer than the band."""
    first = 0
    second = 1
    band = min(a.band, b.band) + DEPTH_RATIO * memory.depth
    is_deep = False
    for _ in range(MAX_SEARCHES):
        start_search(search, band)
        check_near_triangles(a, b, search, memory.listed, MARGIN * min(a.band, b.band))
        is_deep = search.least_vertex_gap < -0.9 * band
        if search.n_near == 0.0 or memory.is_known == 0.0:
            relative = search.relative
            is_deep = is_deep or contains_component(a, b, relative, first)
            is_deep = is_deep or contains_component(a, b, relative, second)
        if is_deep or search.intersects == 0.0:
            break
        if min(search.least_vertex_gap, search.least_edge_gap) < 0.0:
            break
        band *= WIDENING
    if is_deep:
        check_inner_vertices(a, b, search, first)
        check_inner_vertices(a, b, search, second)
    search.least_edge_gap = drop_far_edges(search.candidates)
    if search.candidates.count == 0.0:
        if not find_nearest_listed(a, b, search, memory.listed, memory.nearest):
            find_nearest(a, b, search.relative, memory.nearest)
        add_nearest(a, b, search, memory.nearest)
    memory.is_known = 1.0
    memory.depth = max(0.0, -min(search.least_vertex_gap, search.least_edge_gap))


@jit
def add_nearest(a, b, search, nearest):
    """Add the closest points of two separated meshes."""
    p = nearest.p
    q = nearest.q
    distance = nearest.distance
    if distance == 0.0:
        add_candidate(
            search.candidates, VERTEX, NEAREST_KEY, 0.0, 0.0, 0.0, 0.0, 1.0, p[0], p[1], p[2], q[0], q[1], q[2]
        )
        return
    nx = (p[0] - q[0]) / distance
    ny = (p[1] - q[1]) / distance
    nz = (p[2] - q[2]) / distance
    gap = distance - a.radius - b.radius
    x = p[0] - a.radius * nx
    y = p[1] - a.radius * ny
    z = p[2] - a.radius * nz
    add_candidate(
        search.candidates, VERTEX, NEAREST_KEY, 0.0, gap, nx, ny, nz, x, y, z,
        x - gap * nx, y - gap * ny, z - gap * nz,
    )  # fmt: skip


@jit
def closest_place(candidates):
    """Return the candidate with the closest points: the deepest vertex if one is inside, else the least gap."""
    table = int(candidates.table)
    best = -1
    for k in range(int(candidates.count)):
        gap = CANDIDATE(table, k).spot.gap
        if CANDIDATE(table, k).kind == VERTEX and gap < 0.0:
            if best < 0 or gap < CANDIDATE(table, best).spot.gap:
                best = k
    return best if best >= 0 else deepest_candidate(candidates)


@pair_kernel(PARAMS, MEMORY)
def mesh_mesh(pose_a, pose_b, params, memory, out):
    """Compute the contact of two meshes, or one spot of it; the force acts midway."""
    if params.point_index != 0.0 and is_prepared(pose_a, pose_b, memory.poses):
        read_mesh_slot(CANDIDATE(memory.slots, int(params.point_index) - 1), out)
        return
    memory_of_search = stack_floats(SEARCH_NUMBERS)
    table = stack_floats(CANDIDATE_NUMBERS)
    checked_a = stack_floats(MAX_CHECKED)
    checked_b = stack_floats(MAX_CHECKED)
    search = MESH_SEARCH(memory_of_search)
    search.candidates.table = float(address_of(table))
    search.candidates.merge_distance = MERGE_RATIO * min(params.a.size, params.b.size)
    search.checked_a = float(address_of(checked_a))
    search.checked_b = float(address_of(checked_b))
    store_relative_pose(pose_a, pose_b, search.relative)
    find_places(params.a, params.b, search, memory)
    if params.point_index == 0.0:
        best = CANDIDATE(int(search.candidates.table), closest_place(search.candidates))
        to_global_spot(pose_b, best.spot)
        read_mesh_slot(best, out)
        return
    choose_spots(search.candidates, min(params.a.size, params.b.size))
    keep_spots(pose_b, search.candidates, memory.slots)
    store_poses(pose_a, pose_b, memory.poses)
    read_mesh_slot(CANDIDATE(memory.slots, int(params.point_index) - 1), out)


def parameters_of(a: Any, b: Any) -> tuple[float, ...]:
    """Return the parameters of two solids as meshes, without the index of the contact point."""
    return (*solid_of(a).parameters, *solid_of(b).parameters)


MESH_MESH = PairKernel(
    mesh_mesh, PARAMS, parameters_of, (0.0,) * MEMORY.size, require_solid, contact_points=MAX_SPOTS,
    shares_warm_start=True,
)  # fmt: skip
