"""Sphere and freeform surface at all separate places where they are close to each other.

They are the local minima of the distance of the centre from the surface.
"""

from __future__ import annotations

import math
from typing import Any

from carom.geometry.lookup.window import release_pages
from carom.geometry.pairs.base import (
    NO_CONTACT,
    PAIR_OUTPUT,
    PairKernel,
    pair_kernel,
    rotate,
    store,
    to_global,
    to_local,
)
from carom.geometry.pairs.sphere_common import reject_cavity, require_radius, store_contact_of_face
from carom.geometry.pairs.spots import POSES, SPOT, is_prepared
from carom.geometry.pairs.surface_places import (
    FOUND_NUMBERS,
    MAX_PLACES,
    PLACE_SLOTS,
    PLACES,
    PLACES_NUMBERS,
    REACH,
    add_place,
    copy_place,
    copy_places,
    keep_near,
    keep_spots,
    place_at,
    read_spot,
    remove_place,
    store_place_of_spot,
)
from carom.geometry.shapes.sphere import SPHERE
from carom.geometry.shapes.surface import SURFACE_SHAPE, WORKSPACE
from carom.geometry.surface_projection import (
    ON_BORDER,
    ON_FACE,
    is_local_minimum,
    middle_of_patch,
    net_at,
    patch_of,
    patch_values,
    project,
)
from carom.kernels import FLOAT, jit, record, stack_floats

PARAMS = record(
    point_index=FLOAT,  # 0: closest points; 1 … 8: slot of a place
    sphere=SPHERE,
    surface=SURFACE_SHAPE,
)
MEMORY = record(
    poses=POSES,  # for which the slots hold
    places=PLACES,  # where the sphere is close to the surface
    searched=FLOAT,  # 1.0 after the first search
    at=(FLOAT, 3),  # centre of the sphere at the last one, in the axes of the surface [m]
    free_distance=FLOAT,  # motion of the centre from there until the next search [m]
    slots=PLACE_SLOTS,
)
SEARCH_DISTANCE = 0.25
"""Ratio of the motion of the centre to the distance of patches after which all of them are searched again [-]."""
SIZE = 4.0
"""Ratio of the size of the sphere to its radius in the choice of places: no depth up to the centre is too large [-]."""
OUTPUT_NUMBERS = PAIR_OUTPUT.size


@jit
def height_of(projection, p, result):
    """Return the height of p above a projection [m], negative behind the face, and the normal there."""
    n = projection.normal
    dx = p[0] - projection.point[0]
    dy = p[1] - projection.point[1]
    dz = p[2] - projection.point[2]
    height = dx * n[0] + dy * n[1] + dz * n[2]
    if result == ON_BORDER:  # the normal points away from the border
        distance = math.sqrt(dx * dx + dy * dy + dz * dz)
        if distance > 0.0:
            return distance, (dx / distance, dy / distance, dz / distance)
    return height, (n[0], n[1], n[2])


@jit
def try_start(surface, sphere, p, u, v, places):
    """Add the projection of p near (u, v) to the places."""
    projection = WORKSPACE(int(surface.workspace)).first
    u, v, result = project(surface, p[0], p[1], p[2], u, v, projection)
    if result >= 0.0:
        height, _ = height_of(projection, p, result)
        side = 1.0 if height > 0.0 else -1.0
        gap = abs(height) - sphere.radius
        add_place(places, u, v, result, side, gap, projection.point, SIZE * sphere.radius)


@jit
def drop_far_sides(places):
    """Remove the far sides of the solid, which the centre is behind; keep the nearest place if the centre is inside."""
    nearest = 0
    for k in range(1, int(places.count)):
        if place_at(places, k).gap < place_at(places, nearest).gap:
            nearest = k
    if places.count > 0.0 and place_at(places, nearest).q < 0.0:  # the centre is inside
        copy_place(place_at(places, nearest), place_at(places, 0))
        places.count = 1.0
        return
    k = 0
    while k < int(places.count):
        if place_at(places, k).q < 0.0:
            remove_place(places, k)
        else:
            k += 1


@jit
def search_places(surface, sphere, p, places):
    """Search for all places from the patches that are closer than their neighbours, and from the known ones."""
    known = PLACES(stack_floats(PLACES_NUMBERS))
    copy_places(places, known)
    places.count = 0.0
    values = patch_values(surface)
    net = net_at(surface, surface.fine_net)
    rows = int(net.n_u)
    columns = int(net.n_v)
    least = NO_CONTACT
    for k in range(rows * columns):
        point = patch_of(net, k).point
        values[k] = math.sqrt((point[0] - p[0]) ** 2 + (point[1] - p[1]) ** 2 + (point[2] - p[2]) ** 2)
        least = min(least, values[k])
    farthest = max(least, sphere.radius) + REACH * SIZE * sphere.radius
    borders = True
    for a in range(rows):
        for b in range(columns):
            k = a * columns + b
            is_near = values[k] - patch_of(net, k).radius <= farthest
            if is_near and is_local_minimum(surface, net, values, a, b, borders):
                u, v = middle_of_patch(surface, net, a, b)
                try_start(surface, sphere, p, u, v, places)
    for k in range(int(known.count)):
        try_start(surface, sphere, p, place_at(known, k).u, place_at(known, k).v, places)
    drop_far_sides(places)
    keep_near(places, SIZE * sphere.radius)


@jit
def follow_places(surface, sphere, pose_b, p, centre, places, found):
    """Follow the places to this centre p and store them as spots; return whether all of them still exist."""
    projection = WORKSPACE(int(surface.workspace)).first
    contact = PAIR_OUTPUT(stack_floats(OUTPUT_NUMBERS))
    before = PLACES(stack_floats(PLACES_NUMBERS))
    copy_places(places, before)
    places.count = 0.0
    all_exist = True
    size = SIZE * sphere.radius
    for k in range(int(before.count)):
        place = place_at(before, k)
        u, v, result = project(surface, p[0], p[1], p[2], place.u, place.v, projection)
        if result < 0.0:
            all_exist = False
            continue
        height, n = height_of(projection, p, result)
        place_count = int(places.count)
        side = 1.0 if height > 0.0 else -1.0
        add_place(places, u, v, result, side, abs(height) - sphere.radius, projection.point, size)
        if int(places.count) == place_count:  # two places have become one
            continue
        nx, ny, nz = rotate(surface, n[0], n[1], n[2])
        nx, ny, nz = rotate(pose_b, nx, ny, nz)
        store_contact_of_face(
            contact, centre[0], centre[1], centre[2], sphere.radius, nx, ny, nz, height, result == ON_FACE,
            surface.ignores_edges,
        )  # fmt: skip
        spot = SPOT(found, place_count)
        spot.gap = contact.gap
        for d in range(3):
            spot.normal[d] = contact.normal[d]
            spot.point_a[d] = contact.point_a[d]
            spot.point_b[d] = contact.point_b[d]
        store_place_of_spot(pose_b, size, spot)
    return all_exist


@jit
def find_places(surface, sphere, pose_b, centre, memory, found):
    """Find all places at which the sphere is close to the surface, and store them as spots."""
    x, y, z = to_local(pose_b, centre[0], centre[1], centre[2])
    p = to_local(surface, x, y, z)
    at = memory.at
    moved = math.sqrt((p[0] - at[0]) ** 2 + (p[1] - at[1]) ** 2 + (p[2] - at[2]) ** 2)
    if memory.searched != 0.0 and moved < memory.free_distance:
        if follow_places(surface, sphere, pose_b, p, centre, memory.places, found):
            return
    search_places(surface, sphere, p, memory.places)
    if surface.window != 0.0:  # the search has read all of the table
        release_pages(int(surface.window))
    memory.searched = 1.0
    store(at, p[0], p[1], p[2])
    spacing = net_at(surface, surface.fine_net).spacing
    memory.free_distance = min(SEARCH_DISTANCE * spacing, 0.5 * REACH * SIZE * sphere.radius)
    follow_places(surface, sphere, pose_b, p, centre, memory.places, found)


@pair_kernel(PARAMS, MEMORY)
def sphere_surface_spots(pose_a, pose_b, params, memory, out):
    """Compute the contact of a sphere (a) and a surface (b), or one of their places; the force acts on the surface."""
    index = int(params.point_index)
    sphere = params.sphere
    if index == 0 or not is_prepared(pose_a, pose_b, memory.poses):
        found = stack_floats(FOUND_NUMBERS)
        centre = to_global(pose_a, sphere.cx, sphere.cy, sphere.cz)
        find_places(params.surface, sphere, pose_b, centre, memory, found)
        keep_spots(pose_a, pose_b, index, SIZE * sphere.radius, memory, found)
    read_spot(index, memory, out)
    store(out.force_point, out.point_b[0], out.point_b[1], out.point_b[2])


def parameters_of(a: Any, b: Any) -> tuple[float, ...]:
    """Return the parameters of a sphere and a surface, without the index of the contact point."""
    return (*a.parameters, *b.parameters)


SPHERE_SURFACE_SPOTS = PairKernel(
    sphere_surface_spots, PARAMS, parameters_of, (0.0,) * MEMORY.size, reject_cavity, require_radius, MAX_PLACES,
    shares_warm_start=True, slots_offset=MEMORY.index("slots"),
)  # fmt: skip
