"""Freeform surface and plane: the lowest point of the surface whose normal is opposite to that of the plane."""

from __future__ import annotations

import math
from typing import Any

from carom.geometry.lookup.window import update_window
from carom.geometry.pairs.base import NO_CONTACT, PairKernel, dot, pair_kernel, rotate, store, to_global, to_local
from carom.geometry.pairs.sphere_surface import count_parts
from carom.geometry.pairs.sphere_surface_spots import SEARCH_DISTANCE
from carom.geometry.pairs.surface_normal import newton_refine
from carom.geometry.pairs.surface_plane_spots import SURFACE_PLANE_SPOTS
from carom.geometry.pairs.surface_relative import vector_to_local
from carom.geometry.shapes.plane import PLANE
from carom.geometry.shapes.surface import SURFACE_SHAPE, WORKSPACE
from carom.geometry.surface_projection import (
    evaluate_surface,
    is_in_part,
    is_local_minimum,
    middle_of_patch,
    net_at,
    patch_of,
    patch_values,
)
from carom.geometry.surface_reach import rolling_radii
from carom.kernels import FLOAT, jit, record

PARAMS = record(
    point_index=FLOAT,  # part of the surface, 0: all
    plane=PLANE,
    surface=SURFACE_SHAPE,
)
WARM_START = record(
    is_known=FLOAT,  # 1.0 if a contact point is known
    u=FLOAT,  # its parameters
    v=FLOAT,
    nx=FLOAT,  # normal of the plane at the last search, in the axes of the surface
    ny=FLOAT,
    nz=FLOAT,
)


@jit
def search(surface, part, nx, ny, nz, warm_start, out):
    """Search for the lowest contact point, from all patches that are lower than their neighbours."""
    net = net_at(surface, surface.fine_net)
    values = patch_values(surface)
    rows = int(net.n_u)
    columns = int(net.n_v)
    for k in range(rows * columns):
        point = patch_of(net, k).point
        values[k] = point[0] * nx + point[1] * ny + point[2] * nz
    lowest = NO_CONTACT
    borders = False
    warm_start.is_known = 0.0
    for a in range(rows):
        for b in range(columns):
            if not is_local_minimum(surface, net, values, a, b, borders):
                continue
            u, v = middle_of_patch(surface, net, a, b)
            u, v, is_contact = newton_refine(surface, nx, ny, nz, u, v, out)
            height = out.point[0] * nx + out.point[1] * ny + out.point[2] * nz
            if is_contact and is_in_part(surface, part, u, v) and height < lowest:
                lowest = height
                warm_start.is_known = 1.0
                warm_start.u = u
                warm_start.v = v
    warm_start.nx = nx
    warm_start.ny = ny
    warm_start.nz = nz
    if warm_start.is_known != 0.0:
        evaluate_surface(surface, warm_start.u, warm_start.v, out)


@pair_kernel(PARAMS, WARM_START)
def surface_plane(pose_a, pose_b, params, warm_start, out):
    """Compute the contact of a surface (a) with a plane (b); the force acts on the plane."""
    surface = params.surface
    plane = params.plane
    px, py, pz = to_global(pose_b, plane.px, plane.py, plane.pz)
    nx, ny, nz = rotate(pose_b, plane.nx, plane.ny, plane.nz)
    mx, my, mz = vector_to_local(pose_a, nx, ny, nz)
    mx, my, mz = to_local(surface, mx + surface.x, my + surface.y, mz + surface.z)
    contact = WORKSPACE(int(surface.workspace)).first
    part = int(params.point_index)
    is_known = warm_start.is_known != 0.0
    if is_known and surface.window != 0.0:
        update_window(int(surface.window), warm_start.u, warm_start.v)
    turn = (mx - warm_start.nx) ** 2 + (my - warm_start.ny) ** 2 + (mz - warm_start.nz) ** 2
    free_turn = SEARCH_DISTANCE * net_at(surface, surface.fine_net).spacing / surface.size
    is_contact = False
    if is_known and turn < free_turn * free_turn:
        u, v, is_contact = newton_refine(surface, mx, my, mz, warm_start.u, warm_start.v, contact)
        is_contact = is_contact and is_in_part(surface, part, u, v)
        warm_start.u = u
        warm_start.v = v
    if not is_contact:
        search(surface, part, mx, my, mz, warm_start, contact)
        if warm_start.is_known == 0.0:
            out.gap = NO_CONTACT
            return
    x, y, z = to_global(surface, contact.point[0], contact.point[1], contact.point[2])
    x, y, z = to_global(pose_a, x, y, z)
    gap = dot(x - px, y - py, z - pz, nx, ny, nz)
    out.gap = gap
    store(out.normal, nx, ny, nz)
    store(out.point_a, x, y, z)
    store(out.point_b, x - gap * nx, y - gap * ny, z - gap * nz)
    store(out.force_point, x - gap * nx, y - gap * ny, z - gap * nz)


def parameters_of(a: Any, b: Any) -> tuple[float, ...]:
    """Return the parameters of a surface and a plane."""
    return (0.0, *b.parameters, *a.parameters)


def at_several_places(a: Any, b: Any) -> PairKernel | None:
    """Return the pair of a plane and a surface with dents but without parts."""
    return SURFACE_PLANE_SPOTS if not a.parts and math.isfinite(rolling_radii(a)[1]) else None


SURFACE_PLANE = PairKernel(
    surface_plane, PARAMS, parameters_of, (0.0,) * WARM_START.size, contact_points=count_parts,
    select=at_several_places,
)  # fmt: skip
