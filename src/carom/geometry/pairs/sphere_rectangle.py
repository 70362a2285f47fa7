"""A ball and a thin rectangle: one of its two faces, a side or a corner."""

from __future__ import annotations

import math

from carom.geometry.pairs.ball import ball_at, no_cavity, some_radius
from carom.geometry.pairs.base import Pair, placed, turned
from carom.kernels import PAIR, kernel


@kernel(PAIR)
def sphere_rectangle(pose_a, pose_b, par, memory, out):
    """par: centre and radius of the sphere; centre, the axes u and v, normal and half sides of the rectangle, whether
    only its faces touch."""
    x, y, z = placed(pose_a, par[0], par[1], par[2])
    ox, oy, oz = placed(pose_b, par[4], par[5], par[6])
    ux, uy, uz = turned(pose_b, par[7], par[8], par[9])
    vx, vy, vz = turned(pose_b, par[10], par[11], par[12])
    nx, ny, nz = turned(pose_b, par[13], par[14], par[15])
    dx = x - ox
    dy = y - oy
    dz = z - oz
    u = dx * ux + dy * uy + dz * uz
    v = dx * vx + dy * vy + dz * vz
    height = dx * nx + dy * ny + dz * nz
    # How far the foot of the perpendicular is outside, along u and v.
    u -= min(max(u, -par[16]), par[16])
    v -= min(max(v, -par[17]), par[17])
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
    ball_at(out, x, y, z, par[3], nx, ny, nz, distance, on_face, par[18])


SPHERE_RECTANGLE = Pair(sphere_rectangle, check=no_cavity, meet=some_radius)
