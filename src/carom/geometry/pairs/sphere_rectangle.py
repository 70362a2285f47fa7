"""Sphere and thin rectangle: one of its two faces, a side or a corner."""

from __future__ import annotations

import math

from carom.geometry.pairs.base import PairKernel, dot, pair_kernel, rotate, to_global
from carom.geometry.pairs.sphere_common import reject_cavity, require_radius, store_contact_of_face
from carom.geometry.shapes.rectangle import RECTANGLE
from carom.geometry.shapes.sphere import SPHERE
from carom.kernels import record

PARAMS = record(sphere=SPHERE, rectangle=RECTANGLE)


@pair_kernel(PARAMS)
def sphere_rectangle(pose_a, pose_b, params, warm_start, out):
    """Compute the contact of a sphere (a) with a rectangle (b)."""
    sphere = params.sphere
    rectangle = params.rectangle
    cx, cy, cz = to_global(pose_a, sphere.cx, sphere.cy, sphere.cz)
    ox, oy, oz = to_global(pose_b, rectangle.ox, rectangle.oy, rectangle.oz)
    ux, uy, uz = rotate(pose_b, rectangle.ux, rectangle.uy, rectangle.uz)
    vx, vy, vz = rotate(pose_b, rectangle.vx, rectangle.vy, rectangle.vz)
    nx, ny, nz = rotate(pose_b, rectangle.nx, rectangle.ny, rectangle.nz)
    dx = cx - ox
    dy = cy - oy
    dz = cz - oz
    u = dot(dx, dy, dz, ux, uy, uz)
    v = dot(dx, dy, dz, vx, vy, vz)
    height = dot(dx, dy, dz, nx, ny, nz)
    # Distances of the projected centre beyond the sides, along u and v.
    u -= min(max(u, -rectangle.half_u), rectangle.half_u)
    v -= min(max(v, -rectangle.half_v), rectangle.half_v)
    distance = math.sqrt(u * u + v * v + height * height)
    on_face = u == 0.0 and v == 0.0
    side = 1.0
    if height < 0.0:
        side = -1.0
    if on_face or distance == 0.0:
        u = 0.0
        v = 0.0
    else:
        u /= distance
        v /= distance
        side = height / distance
    nx = u * ux + v * vx + side * nx
    ny = u * uy + v * vy + side * ny
    nz = u * uz + v * vz + side * nz
    store_contact_of_face(out, cx, cy, cz, sphere.radius, nx, ny, nz, distance, on_face, rectangle.ignores_edges)


SPHERE_RECTANGLE = PairKernel(sphere_rectangle, PARAMS, check=reject_cavity, check_contact=require_radius)
