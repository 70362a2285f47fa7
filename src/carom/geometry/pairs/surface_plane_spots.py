"""Freeform surface with dents and plane, at all separate places where the surface is lowest."""

from __future__ import annotations

import math
from typing import Any

from carom.geometry.lookup.window import release_pages
from carom.geometry.pairs.base import NO_CONTACT, PairKernel, pair_kernel, rotate, store, to_global, to_local
from carom.geometry.pairs.sphere_surface_spots import SEARCH_DISTANCE
from carom.geometry.pairs.spots import POSES, SPOT, is_prepared
from carom.geometry.pairs.surface_normal import newton_refine
from carom.geometry.pairs.surface_places import (
    FOUND_NUMBERS,
    MAX_PLACES,
    PLACE_SLOTS,
    PLACES,
    PLACES_NUMBERS,
    REACH,
    add_place,
    copy_places,
    keep_spots,
    place_at,
    read_spot,
    store_place_of_spot,
)
from carom.geometry.pairs.surface_relative import vector_to_local
from carom.geometry.shapes.plane import PLANE
from carom.geometry.shapes.surface import SURFACE_SHAPE, WORKSPACE
from carom.geometry.surface_projection import is_local_minimum, middle_of_patch, net_at, patch_of, patch_values
from carom.kernels import FLOAT, jit, record, stack_floats

PARAMS = record(
    point_index=FLOAT,  # 0: closest points; 1 … 8: slot of a place
    plane=PLANE,
    surface=SURFACE_SHAPE,
)
MEMORY = record(
    poses=POSES,  # for which the slots hold
    places=PLACES,  # where the surface is lowest
    searched=FLOAT,  # 1.0 after the first search
    normal=(FLOAT, 3),  # normal of the plane at the last one, in the axes of the surface
    slots=PLACE_SLOTS,
)
DEEP = 4.0
"""Ratio of the size of the choice of places to that of the surface: no depth is too large beside a plane [-]."""


@jit
def height_above(out, c, m):
    """Return the height of a point of the surface above the plane through c with the normal m [m]."""
    return (out.point[0] - c[0]) * m[0] + (out.point[1] - c[1]) * m[1] + (out.point[2] - c[2]) * m[2]


@jit
def try_start(surface, c, m, u, v, places):
    """Add the place near (u, v) where the surface has the normal −m; return whether there is one."""
    out = WORKSPACE(int(surface.workspace)).first
    u, v, is_contact = newton_refine(surface, m[0], m[1], m[2], u, v, out)
    if is_contact:
        add_place(places, u, v, 0.0, 0.0, height_above(out, c, m), out.point, DEEP * surface.size)
    return is_contact


@jit
def search_places(surface, c, m, places):
    """Search for all places from the patches that are lower than their neighbours."""
    net = net_at(surface, surface.fine_net)
    values = patch_values(surface)
    rows = int(net.n_u)
    columns = int(net.n_v)
    lowest = NO_CONTACT
    for k in range(rows * columns):
        point = patch_of(net, k).point
        values[k] = (point[0] - c[0]) * m[0] + (point[1] - c[1]) * m[1] + (point[2] - c[2]) * m[2]
        lowest = min(lowest, values[k])
    highest = max(lowest, 0.0) + (REACH + net.spacing / surface.size) * surface.size
    places.count = 0.0
    borders = False
    for a in range(rows):
        for b in range(columns):
            if values[a * columns + b] <= highest and is_local_minimum(surface, net, values, a, b, borders):
                u, v = middle_of_patch(surface, net, a, b)
                try_start(surface, c, m, u, v, places)


@jit
def follow_places(surface, pose_a, pose_b, c, m, places, found):
    """Follow the places to this normal and store them as spots; return whether all of them still exist."""
    out = WORKSPACE(int(surface.workspace)).first
    before = PLACES(stack_floats(PLACES_NUMBERS))
    copy_places(places, before)
    places.count = 0.0
    all_exist = True
    for k in range(int(before.count)):
        n = int(places.count)
        if not try_start(surface, c, m, place_at(before, k).u, place_at(before, k).v, places):
            all_exist = False
            continue
        if int(places.count) == n:  # two places have become one
            continue
        spot = SPOT(found, n)
        gap = place_at(places, n).gap
        spot.gap = gap
        x, y, z = rotate(surface, m[0], m[1], m[2])
        nx, ny, nz = rotate(pose_a, x, y, z)
        x, y, z = to_global(surface, out.point[0], out.point[1], out.point[2])
        x, y, z = to_global(pose_a, x, y, z)
        store(spot.normal, nx, ny, nz)
        store(spot.point_a, x, y, z)
        store(spot.point_b, x - gap * nx, y - gap * ny, z - gap * nz)
        store_place_of_spot(pose_a, surface.size, spot)
    return all_exist


@jit
def find_places(surface, plane, pose_a, pose_b, memory, found):
    """Find all places at which the surface is close to the plane, and store them as spots."""
    x, y, z = to_global(pose_b, plane.px, plane.py, plane.pz)
    x, y, z = to_local(pose_a, x, y, z)
    c = to_local(surface, x, y, z)
    x, y, z = rotate(pose_b, plane.nx, plane.ny, plane.nz)
    x, y, z = vector_to_local(pose_a, x, y, z)
    m = to_local(surface, x + surface.x, y + surface.y, z + surface.z)
    last = memory.normal
    turn = math.sqrt((m[0] - last[0]) ** 2 + (m[1] - last[1]) ** 2 + (m[2] - last[2]) ** 2)
    free_turn = SEARCH_DISTANCE * net_at(surface, surface.fine_net).spacing / surface.size
    if memory.searched != 0.0 and turn < min(free_turn, 0.5 * REACH):
        if follow_places(surface, pose_a, pose_b, c, m, memory.places, found):
            return
    search_places(surface, c, m, memory.places)
    if surface.window != 0.0:  # the search has read all of the table
        release_pages(int(surface.window))
    memory.searched = 1.0
    store(last, m[0], m[1], m[2])
    follow_places(surface, pose_a, pose_b, c, m, memory.places, found)


@pair_kernel(PARAMS, MEMORY)
def surface_plane_spots(pose_a, pose_b, params, memory, out):
    """Compute the contact of a surface (a) and a plane (b), or one of their places; the force acts on the plane."""
    index = int(params.point_index)
    surface = params.surface
    if index == 0 or not is_prepared(pose_a, pose_b, memory.poses):
        found = stack_floats(FOUND_NUMBERS)
        find_places(surface, params.plane, pose_a, pose_b, memory, found)
        keep_spots(pose_a, pose_b, index, DEEP * surface.size, memory, found)
    read_spot(index, memory, out)
    store(out.force_point, out.point_b[0], out.point_b[1], out.point_b[2])


def parameters_of(a: Any, b: Any) -> tuple[float, ...]:
    """Return the parameters of a surface and a plane, without the index of the contact point."""
    return (*b.parameters, *a.parameters)


SURFACE_PLANE_SPOTS = PairKernel(
    surface_plane_spots, PARAMS, parameters_of, (0.0,) * MEMORY.size, contact_points=MAX_PLACES,
    shares_warm_start=True, slots_offset=MEMORY.index("slots"),
)  # fmt: skip
