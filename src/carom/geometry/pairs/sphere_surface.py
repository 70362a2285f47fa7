"""Sphere and freeform surface: projection of the centre onto the surface."""

from __future__ import annotations

from typing import Any

from carom.geometry.lookup.window import release_pages, update_window
from carom.geometry.pairs.base import NO_CONTACT, PairKernel, pair_kernel, rotate, to_global, to_local
from carom.geometry.pairs.sphere_common import reject_cavity, require_radius, store_contact_of_face
from carom.geometry.pairs.sphere_surface_spots import SEARCH_DISTANCE, SPHERE_SURFACE_SPOTS, height_of
from carom.geometry.shapes.sphere import SPHERE
from carom.geometry.shapes.surface import SURFACE_SHAPE, WORKSPACE
from carom.geometry.surface_projection import ON_FACE, is_in_part, net_at, project, search_projection
from carom.geometry.surface_reach import SAFETY, rolling_radii
from carom.kernels import FLOAT, jit, record

PARAMS = record(
    point_index=FLOAT,  # part of the surface, 0: all
    sphere=SPHERE,
    surface=SURFACE_SHAPE,
)
WARM_START = record(
    is_known=FLOAT,  # 1.0 if a projection is known
    u=FLOAT,  # its parameters
    v=FLOAT,
    px=FLOAT,  # centre of the sphere at the last search of all patches, in the axes of the surface [m]
    py=FLOAT,
    pz=FLOAT,
    free_distance=FLOAT,  # distance of the centre from there until the next search [m]
)


@jit
def closest_projection(surface, part, px, py, pz, warm_start, out):
    """Return the result of the closest projection (see `project`), starting from the last one after a small motion."""
    moved = (px - warm_start.px) ** 2 + (py - warm_start.py) ** 2 + (pz - warm_start.pz) ** 2
    is_known = warm_start.is_known != 0.0
    free = warm_start.free_distance
    u = warm_start.u
    v = warm_start.v
    result = -1.0
    if is_known and surface.window != 0.0:
        update_window(int(surface.window), u, v)
    if is_known and moved < free * free:
        u, v, result = project(surface, px, py, pz, u, v, out)
        if result >= 0.0 and not is_in_part(surface, part, u, v):
            result = -1.0
    if result < 0.0:
        u, v, result, margin = search_projection(
            surface, part, px, py, pz, warm_start.u, warm_start.v, is_known, out
        )  # fmt: skip
        warm_start.px = px
        warm_start.py = py
        warm_start.pz = pz
        # Both distances change by the motion at most: up to half of their difference the closest one stays closest.
        spacing = net_at(surface, surface.fine_net).spacing
        warm_start.free_distance = min(SEARCH_DISTANCE * spacing, 0.5 * margin)
        if surface.window != 0.0:  # the search has read all of the table
            release_pages(int(surface.window))
            if result >= 0.0 and not is_known:
                update_window(int(surface.window), u, v)
    warm_start.is_known = 1.0 if result >= 0.0 else 0.0
    warm_start.u = u
    warm_start.v = v
    return result


@pair_kernel(PARAMS, WARM_START)
def sphere_surface(pose_a, pose_b, params, warm_start, out):
    """Compute the contact of a sphere (a) with a surface (b); the force acts on the surface."""
    sphere = params.sphere
    surface = params.surface
    cx, cy, cz = to_global(pose_a, sphere.cx, sphere.cy, sphere.cz)
    px, py, pz = to_local(pose_b, cx, cy, cz)
    px, py, pz = to_local(surface, px, py, pz)
    projection = WORKSPACE(int(surface.workspace)).first
    result = closest_projection(surface, int(params.point_index), px, py, pz, warm_start, projection)
    if result < 0.0:
        out.gap = NO_CONTACT
        return
    height, (nx, ny, nz) = height_of(projection, (px, py, pz), result)
    nx, ny, nz = rotate(surface, nx, ny, nz)
    nx, ny, nz = rotate(pose_b, nx, ny, nz)
    store_contact_of_face(out, cx, cy, cz, sphere.radius, nx, ny, nz, height, result == ON_FACE, surface.ignores_edges)


def parameters_of(a: Any, b: Any) -> tuple[float, ...]:
    """Return the parameters of a sphere and a surface."""
    return (initial_point_index(a, b), *a.parameters, *b.parameters)


def initial_point_index(a: Any, b: Any) -> float:
    """Return the index of the contact point of shapes that have one: 1.0 for that of a part, 0.0 for all."""
    return float(count_parts(a, b) == 1 and any(getattr(shape, "parts", ()) for shape in (a, b)))


def count_parts(a: Any, b: Any) -> int:
    """Return the number of contact points: one for each pair of parts."""
    return max(len(getattr(a, "parts", ())), 1) * max(len(getattr(b, "parts", ())), 1)


def at_several_places(a: Any, b: Any) -> PairKernel | None:
    """Return the pair of a sphere that is too large for the dents of a surface without parts."""
    return SPHERE_SURFACE_SPOTS if not b.parts and a.radius > SAFETY * rolling_radii(b)[1] else None


SPHERE_SURFACE = PairKernel(
    sphere_surface, PARAMS, parameters_of, (0.0,) * WARM_START.size, reject_cavity, require_radius, count_parts,
    select=at_several_places,
)  # fmt: skip
