"""Solid and freeform surface, such as terrain: all separate places where the solid is lowest above the surface.

These are its vertices, places on its edges and rims where the height is least, and places on its faces where the
surface has the opposite normal. A mesh, box, hull, capsule, triangle or rectangle is a mesh, a cylinder, cone or disc a
frustum. All is in the axes of the surface. In a deep overlap the deepest place may jump from one side of the solid to
another, or be only as accurate as the patches of the surface are small.
"""

from __future__ import annotations

from typing import Any

from carom.geometry.bvh import TREE_NODE
from carom.geometry.convex.support import CONVEX, CONVEX_FRAME, load_convex
from carom.geometry.mesh.solid import solid_of
from carom.geometry.mesh.tables import MESH
from carom.geometry.pairs.base import POSE, PairKernel, pair_kernel, to_global
from carom.geometry.pairs.convex_convex import check_solid
from carom.geometry.pairs.mesh_traversal import store_relative_pose
from carom.geometry.pairs.placed_spots import EMPTY_PLACED_SLOTS, PLACED_SLOTS, read_deepest, read_placed_spot
from carom.geometry.pairs.spot_selection import (
    CANDIDATE,
    CANDIDATE_NUMBERS,
    MAX_SPOTS,
    choose_spots,
    to_global_spot,
)
from carom.geometry.pairs.spots import POSES, SPOT, is_prepared, read_slot
from carom.geometry.pairs.surface_features import FAR, SURFACE_SEARCH, check_mesh
from carom.geometry.pairs.surface_frustum import check_frustum
from carom.geometry.pairs.surface_heights import list_patches, project_point
from carom.geometry.shapes.surface import SURFACE_SHAPE
from carom.geometry.vectors import along, load, norm, store, subtract
from carom.kernels import FLOAT, address_of, floats, jit, record, stack_floats

MESH_SOLID, FRUSTUM_SOLID = 0.0, 1.0
"""Kinds of solids."""
PARAMS = record(
    point_index=FLOAT,  # 0: closest points; 1 … 16: slot of a spot
    kind=FLOAT,
    mesh=MESH,
    frustum=CONVEX,
    surface=SURFACE_SHAPE,
)
"""The solid is the mesh or the frustum, by its kind; the parts and nets of the surface follow."""
MEMORY = record(
    poses=POSES,  # for which the slots hold
    depth=FLOAT,  # largest at the last search [m]
    slots=PLACED_SLOTS,
)
BAND = 0.1
"""Gap up to which places are collected, per size of the solid [-]."""
DEPTH_RATIO = 1.5
"""Ratio of the band to the depth at the last search [-]."""
DEEP, WIDENING, MAX_SEARCHES = 0.9, 8.0, 5
"""Ratio of the depth to the band above which the band is widened, its factor, and the largest number of searches."""
MERGE_RATIO = 1e-6
"""Distance below which two places with one normal are one, per size of the solid [-]."""
SEARCH_NUMBERS, FRAME_NUMBERS, POSE_NUMBERS = SURFACE_SEARCH.size, CONVEX_FRAME.size, POSE.size


@jit
def store_sphere(params, frame, search):
    """Store centre and radius of a sphere around the solid."""
    if params.kind == FRUSTUM_SOLID:
        store(search.centre, load(frame.at))
        search.radius = frame.extent
        return
    root = TREE_NODE(floats(int(params.mesh.tables)))
    low = load(root.low)
    diagonal = subtract(load(root.high), low)
    c = along(low, 0.5, diagonal)
    store(search.centre, to_global(search.relative, c[0], c[1], c[2]))
    search.radius = 0.5 * norm(diagonal) + params.mesh.radius


@jit
def collect_places(params, frame, search):
    """Collect all places within the band."""
    search.candidates.count = 0.0
    search.least = FAR
    if params.kind == FRUSTUM_SOLID:
        check_frustum(frame, params.surface, search)
    else:
        check_mesh(params.mesh, params.surface, search)


@jit
def find_places(params, frame, search, memory):
    """Find all places within the band, or else the closest ones."""
    count, distance = list_patches(params.surface, load(search.centre), search.radius)
    search.n_listed = float(count)
    search.narrows = 0.0
    search.band = BAND * search.radius + DEPTH_RATIO * memory.depth
    for _ in range(MAX_SEARCHES):
        collect_places(params, frame, search)
        if search.least >= -DEEP * search.band:
            break
        search.band *= WIDENING
    if search.candidates.count == 0.0:
        _, height, _, _, _ = project_point(params.surface, count, load(search.centre))
        search.band = distance + search.radius
        search.narrows = 1.0 if height > 0.0 else 0.0
        collect_places(params, frame, search)
    memory.depth = max(0.0, -search.least)


@jit
def to_body(surface, candidates):
    """Move the candidates from the axes of the surface to those of its body."""
    for k in range(int(candidates.count)):
        to_global_spot(surface, CANDIDATE(int(candidates.table), k).spot)


@pair_kernel(PARAMS, MEMORY)
def solid_surface(pose_a, pose_b, params, memory, out):
    """Compute the contact of a solid (a) and a freeform surface (b), or one spot of it; the force acts midway."""
    if params.point_index != 0.0 and is_prepared(pose_a, pose_b, memory.poses):
        read_slot(SPOT(memory.slots, int(params.point_index) - 1), out)
        return
    surface = params.surface
    search = SURFACE_SEARCH(stack_floats(SEARCH_NUMBERS))
    frame = CONVEX_FRAME(stack_floats(FRAME_NUMBERS))
    in_body = POSE(stack_floats(POSE_NUMBERS))
    candidates = stack_floats(CANDIDATE_NUMBERS)
    store_relative_pose(pose_a, pose_b, in_body)
    store_relative_pose(in_body, surface, search.relative)
    load_convex(search.relative, params.frustum, (0.0, 0.0, 0.0), frame)
    store_sphere(params, frame, search)
    search.candidates.table = float(address_of(candidates))
    search.candidates.merge_distance = MERGE_RATIO * search.radius
    find_places(params, frame, search, memory)
    if params.point_index == 0.0:
        to_body(surface, search.candidates)
        read_deepest(pose_b, search.candidates, out)
        return
    choose_spots(search.candidates, 2.0 * search.radius)
    to_body(surface, search.candidates)
    index = int(params.point_index)
    read_placed_spot(pose_a, pose_b, index, search.candidates, surface.size + search.radius, memory, out)


def mesh_parameters(a: Any, b: Any) -> tuple[float, ...]:
    """Return the parameters of a solid that is a mesh, without the index of the contact point."""
    return (MESH_SOLID, *solid_of(a).parameters, *(0.0,) * CONVEX.size, *b.parameters)


def frustum_parameters(a: Any, b: Any) -> tuple[float, ...]:
    """Return the parameters of a frustum, without the index of the contact point."""
    return (FRUSTUM_SOLID, *(0.0,) * MESH.size, *a.convex().numbers(0), *b.parameters)


def check(owner: str, a: Any, b: Any) -> None:
    """Raise for an open mesh, and for shapes that are hollow or touch with their faces only."""
    if a.kind != "Mesh":
        check_solid(owner, a, b)


def _pair(parameters_of: Any) -> PairKernel:
    return PairKernel(
        solid_surface, PARAMS, parameters_of, (*(0.0,) * (POSES.size + 1), *EMPTY_PLACED_SLOTS), check,
        contact_points=MAX_SPOTS, shares_warm_start=True, slots_offset=MEMORY.index("slots"),
    )  # fmt: skip


MESH_SURFACE = _pair(mesh_parameters)
FRUSTUM_SURFACE = _pair(frustum_parameters)
