"""Two freeform surfaces: their common normal, or one for each pair of their parts."""

from __future__ import annotations

from typing import Any, cast

from carom.geometry.common_normal import common_normal
from carom.geometry.pairs.base import NO_CONTACT, POSE, PairKernel, pair_kernel, store_midpoint
from carom.geometry.pairs.sphere_surface import count_parts, initial_point_index
from carom.geometry.pairs.surface_places import PLACES, PLACES_NUMBERS, best_place, margin_of, place_at
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
from carom.geometry.pairs.surface_spots import parameters_of as spots_parameters
from carom.geometry.pairs.surface_spots import spots_pair
from carom.geometry.shapes.surface import SURFACE_SHAPE, WORKSPACE, Surface
from carom.geometry.surface_projection import is_in_part
from carom.geometry.surface_reach import touch_at_one_place
from carom.geometry.surfaces.ellipsoid import Ellipsoid
from carom.kernels import FLOAT, address_of, floats, jit, offset, record, stack_floats

PARAMS = record(
    point_index=FLOAT,  # pair of parts, 0: all
    size_i=FLOAT,  # number of parameters of the first surface; those of the second follow
    n_parts_j=FLOAT,  # parts of the second surface
    i=SURFACE_SHAPE,
)
WARM_START = record(
    status=FLOAT,  # 1.0 if a common normal is known, −1.0 if the last search found none, 0.0 before the first search
    u=FLOAT,  # its parameters on the first surface
    v=FLOAT,
    p=FLOAT,  # and on the second one
    q=FLOAT,
    pose=POSE,  # pose of the first surface in the axes of the second at the last search
    free_distance=FLOAT,  # relative motion from there until the next search [m]
)


@jit
def search(i, j, part_i, part_j, warm_start, workspace):
    """Search for all common normals; return the gap of the best one and store it as warm start."""
    known = PLACES(stack_floats(PLACES_NUMBERS))
    places = PLACES(stack_floats(PLACES_NUMBERS))
    pose = workspace.pose
    length = min(i.size, j.size)
    known.count = 0.0
    if warm_start.status > 0.0:
        last = place_at(known, 0)
        last.u = warm_start.u
        last.v = warm_start.v
        last.p = warm_start.p
        last.q = warm_start.q
        known.count = 1.0
    search_places(i, j, part_i, part_j, known, places, workspace)
    spacing = spacing_of(i, j)
    best = best_place(places, length)
    if best < 0:
        store_search(warm_start, pose, -1.0, SEARCH_DISTANCE_WITHOUT * spacing)
        return 2.0 * NO_CONTACT
    place = place_at(places, best)
    # Two gaps change by the motion at most: up to half of their difference the best contact stays the best.
    store_search(warm_start, pose, 1.0, min(SEARCH_DISTANCE * spacing, 0.5 * margin_of(places, best)))
    warm_start.u = place.u
    warm_start.v = place.v
    warm_start.p = place.p
    warm_start.q = place.q
    _, _, _, _, gap, _ = common_normal(i, j, place.u, place.v, place.p, place.q, workspace)
    return gap


@jit
def parts_of_point(point_index, n_parts_j):
    """Return the parts of both surfaces for a contact point; 0, 0 is all."""
    if point_index == 0:
        return 0, 0
    row = (point_index - 1) // n_parts_j
    return row + 1, point_index - row * n_parts_j


@jit
def find_contact(i, j, part_i, part_j, pose, warm_start, workspace):
    """Return the gap of the contact [m], NO_CONTACT if there is none; its points are in the workspace."""
    is_known = warm_start.status > 0.0
    if warm_start.status < 0.0 and not is_search_due(pose, warm_start, i):
        return NO_CONTACT
    if is_known:
        update_windows(i, j, warm_start)
        if not is_search_due(pose, warm_start, i):
            u, v, p, q, gap, is_contact = common_normal(
                i, j, warm_start.u, warm_start.v, warm_start.p, warm_start.q, workspace
            )
            if is_contact != 0.0 and is_in_part(i, part_i, u, v) and is_in_part(j, part_j, p, q):
                warm_start.u = u
                warm_start.v = v
                warm_start.p = p
                warm_start.q = q
                return gap
    gap = search(i, j, part_i, part_j, warm_start, workspace)
    release_windows(i, j)
    if warm_start.status < 0.0:
        return NO_CONTACT
    if not is_known:
        update_windows(i, j, warm_start)
    return gap


@pair_kernel(PARAMS, WARM_START)
def surface_surface(pose_a, pose_b, params, warm_start, out):
    """Compute the contact of two surfaces; the force acts midway between them."""
    i = params.i
    j = SURFACE_SHAPE(offset(floats(address_of(i)), int(params.size_i)))
    workspace = WORKSPACE(int(j.workspace))
    pose = workspace.pose
    store_relative_pose(pose_a, pose_b, i, j, pose)
    part_i, part_j = parts_of_point(int(params.point_index), int(params.n_parts_j))
    gap = find_contact(i, j, part_i, part_j, pose, warm_start, workspace)
    out.gap = gap
    if gap == NO_CONTACT:
        return
    store_contact(j, pose_b, workspace, out)
    store_midpoint(out)


def parameters_of(a: Any, b: Any) -> tuple[float, ...]:
    """Return the parameters of two surfaces."""
    first = a.parameters
    return (initial_point_index(a, b), float(len(first)), float(max(len(b.parts), 1)), *first, *b.parameters)


def skin_of(ellipsoid: Any) -> Surface:
    """Return an ellipsoid as a surface that lives as long as the shape."""
    if "_surface" not in vars(ellipsoid):
        skin = Surface(ellipsoid.body, Ellipsoid(*ellipsoid.semi_axes), ellipsoid.at, ellipsoid.orientation)
        vars(ellipsoid)["_surface"] = skin
    return cast(Surface, vars(ellipsoid)["_surface"])


def surfaces_of(a: Any, b: Any) -> tuple[Surface, Surface]:
    """Return two surfaces, of which the first may be an ellipsoid."""
    return (a if a.kind == "Surface" else skin_of(a)), b


SURFACE_SPOTS = spots_pair(lambda a, b: spots_parameters(*surfaces_of(a, b)))


def at_several_places(a: Any, b: Any) -> PairKernel | None:
    """Return the pair of surfaces without parts that may touch at several places."""
    one, other = surfaces_of(a, b)
    return None if one.parts or other.parts or touch_at_one_place(one, other) else SURFACE_SPOTS


SURFACE_SURFACE = ELLIPSOID_SURFACE = PairKernel(
    surface_surface, PARAMS, lambda a, b: parameters_of(*surfaces_of(a, b)), (0.0,) * WARM_START.size,
    contact_points=lambda a, b: count_parts(*surfaces_of(a, b)), select=at_several_places,
)  # fmt: skip
